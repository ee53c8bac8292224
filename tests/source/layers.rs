//! The modules of `src/` import from lower layers only, and the files of a module have no circles.
//!
//! The layers are those of the table in `docs/architecture.md`. The test reads every `use` and
//! every path of the source, in code that is not for tests alone. A circle is allowed where one of
//! its paths is marked as true recursion, on the line itself or in the comment above it: `//
//! Recursive: a team holds teams`. Start reading at [`Sources::problems`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, ImplItem, Item, ItemUse, Macro, UseTree, Visibility};

const PAGE: &str = "docs/architecture.md";
const MARK: &str = "// Recursive: ";

#[test]
fn modules_import_only_from_lower_layers_and_files_have_no_circles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join(PAGE)).unwrap();
    let problems = Sources::of_src().problems(&Layers::parse(&page));
    assert!(
        problems.is_empty(),
        "{} problems:\n{}",
        problems.len(),
        problems.join("\n")
    );
}

/// The modules of the page: the name of each to its row and layer. The names of a row are one
/// module.
struct Layers(BTreeMap<String, (usize, u32)>);

impl Layers {
    /// Reads the rows `| layer | module | … |`, where modules stand as `` `name/` `` or
    /// `` `name.rs` ``.
    fn parse(page: &str) -> Self {
        let rows = page.lines().enumerate().filter_map(|(row, line)| {
            let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
            let layer: u32 = cells.next()?.parse().ok()?;
            let names = cells.next()?.split('`').skip(1).step_by(2);
            let name = |name: &str| {
                name.trim_end_matches(".rs")
                    .trim_end_matches('/')
                    .to_owned()
            };
            Some(
                names
                    .map(|text| (name(text), (row, layer)))
                    .collect::<Vec<_>>(),
            )
        });
        Self(rows.flatten().collect())
    }
}

/// A path of segments from the root of a crate: `lib` or `main`, then modules and items.
type FullPath = Vec<String>;

/// The text of files by their path in `src/`.
#[derive(Default)]
pub(super) struct Sources(pub(super) BTreeMap<String, String>);

/// A file of the source as a module.
struct Module {
    file: String,
    items: BTreeSet<String>,
    /// Names that a `use` brings in, and whether others may import them from here.
    bindings: BTreeMap<String, (FullPath, bool)>,
    globs: Vec<FullPath>,
    /// What its code refers to, with the line.
    references: Vec<(FullPath, usize)>,
}

/// A file's path to another file, with the line that says so.
struct Edge {
    from: String,
    to: String,
    line: usize,
    /// Whether the source marks it as true recursion.
    is_marked: bool,
}

impl Sources {
    pub(super) fn of_src() -> Self {
        let mut sources = Self::default();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        sources.read_folder(&root.join("src"), "");
        sources
    }

    fn read_folder(&mut self, folder: &Path, prefix: &str) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            if entry.path().is_dir() {
                self.read_folder(&entry.path(), &format!("{name}/"));
            } else if name.ends_with(".rs") {
                let text = std::fs::read_to_string(entry.path()).unwrap();
                self.0.insert(name, text);
            }
        }
    }

    /// Every broken rule, as `file:line: what is wrong; what to do`.
    fn problems(&self, layers: &Layers) -> Vec<String> {
        let modules = self.modules();
        let mut problems = self.missing_modules(layers);
        let mut edges = Vec::new();
        for (path, module) in &modules {
            let Some((row, layer)) = module_of(path).and_then(|module| layers.0.get(&module))
            else {
                continue;
            };
            let marks = self.marks(&module.file);
            let mut reported = BTreeSet::new();
            for (reference, line) in &module.references {
                let Some(imported) = module_of(reference) else {
                    continue;
                };
                match layers.0.get(&imported) {
                    Some((other_row, other))
                        if other_row != row && other >= layer && reported.insert(imported) =>
                    {
                        problems.push(format!(
                            "src/{}:{line}: a module of layer {layer} imports `{}` of layer {other}; \
                                 move what both need to a lower module",
                            module.file,
                            reference[1..].join("::"),
                        ));
                    }
                    Some((other_row, _)) if other_row == row => {
                        let to = file_of(&modules, reference);
                        let to = to.filter(|to| *to != module.file);
                        edges.extend(to.map(|to| Edge {
                            from: module.file.clone(),
                            to,
                            line: *line,
                            is_marked: marks.contains(line),
                        }));
                    }
                    _ => {}
                }
            }
        }
        problems.extend(circles(&edges));
        problems.sort();
        problems
    }

    /// Modules of the source that the page does not have, and the other way round.
    fn missing_modules(&self, layers: &Layers) -> Vec<String> {
        let modules = self.0.keys().map(|file| {
            let module = file.split('/').next().unwrap_or_default();
            module.trim_end_matches(".rs").to_owned()
        });
        let modules: BTreeSet<_> = modules.filter(|module| module != "lib").collect();
        let known: BTreeSet<_> = layers.0.keys().cloned().collect();
        let unknown = modules.difference(&known).map(|module| {
            format!("src/{module}: has no row in the table of modules; add it to {PAGE}")
        });
        let gone = known.difference(&modules).map(|module| {
            format!("{PAGE}: there is no module src/{module}; remove it from the table")
        });
        unknown.chain(gone).collect()
    }

    /// The lines of a file that are marked as true recursion, there or in the comment above.
    fn marks(&self, file: &str) -> BTreeSet<usize> {
        let mut is_marked = false;
        let lines = self.0[file].lines().enumerate();
        let marked = lines.filter(|(_, line)| {
            let is_comment = line.trim_start().starts_with("//");
            let was_marked = std::mem::take(&mut is_marked);
            is_marked = is_comment && (was_marked || line.contains(MARK));
            !is_comment && (was_marked || line.contains(MARK))
        });
        marked.map(|(index, _)| index + 1).collect()
    }

    /// All modules that are not for tests alone, by their path.
    fn modules(&self) -> BTreeMap<FullPath, Module> {
        let mut modules = BTreeMap::new();
        for root in ["lib", "main"] {
            if self.0.contains_key(&format!("{root}.rs")) {
                self.add_module(vec![root.into()], format!("{root}.rs"), &mut modules);
            }
        }
        modules
    }

    fn add_module(&self, path: FullPath, file: String, modules: &mut BTreeMap<FullPath, Module>) {
        let parsed = syn::parse_file(&self.0[&file]);
        let parsed = parsed.unwrap_or_else(|error| panic!("src/{file}: {error}"));
        let mut names = Names::default();
        names.visit_file(&parsed);
        for child in &names.children {
            let folder = path[1..].join("/");
            let beside = [&folder, child.as_str()].map(ToOwned::to_owned).to_vec();
            let base = beside.join("/").trim_start_matches('/').to_owned();
            let files = [format!("{base}.rs"), format!("{base}/mod.rs")];
            let found = files.into_iter().find(|file| self.0.contains_key(file));
            let found = found.unwrap_or_else(|| panic!("src/{file}: no file of `mod {child}`"));
            let path = path.iter().chain([child]).cloned().collect();
            self.add_module(path, found, modules);
        }
        let module = names.into_module(file, &path);
        modules.insert(path, module);
    }
}

/// The module of a path; `None` for the root of the library.
fn module_of(path: &[String]) -> Option<String> {
    match path {
        [root, ..] if root == "main" => Some(root.clone()),
        [_, module, ..] => Some(module.clone()),
        _ => None,
    }
}

/// The file that defines what a path leads to, through re-exports.
fn file_of(modules: &BTreeMap<FullPath, Module>, path: &[String]) -> Option<String> {
    let mut length = path.len();
    let module = loop {
        match modules.get(&path[..length]) {
            Some(module) => break module,
            None => length = length.checked_sub(1)?,
        }
    };
    path.get(length).map(|name| {
        defined_in(modules, module, name, &mut BTreeSet::new())
            .unwrap_or_else(|| module.file.clone())
    })
}

fn defined_in<'m>(
    modules: &'m BTreeMap<FullPath, Module>,
    module: &'m Module,
    name: &str,
    seen: &mut BTreeSet<(&'m str, String)>,
) -> Option<String> {
    if !seen.insert((&module.file, name.to_owned())) {
        return None;
    }
    if module.items.contains(name) {
        return Some(module.file.clone());
    }
    if let Some((path, _)) = module.bindings.get(name) {
        return follow(modules, path, seen);
    }
    module.globs.iter().find_map(|glob| {
        let path: FullPath = glob.iter().cloned().chain([name.to_owned()]).collect();
        follow(modules, &path, seen)
    })
}

fn follow<'m>(
    modules: &'m BTreeMap<FullPath, Module>,
    path: &[String],
    seen: &mut BTreeSet<(&'m str, String)>,
) -> Option<String> {
    let (name, parent) = path.split_last()?;
    if modules.contains_key(path) {
        return None;
    }
    match modules.get(parent) {
        Some(module) => defined_in(modules, module, name, seen),
        // The parent may be an enum or a re-exported module.
        None => follow(modules, parent, seen),
    }
}

/// Every circle of files without a marked path, and every mark that no circle needs.
fn circles(edges: &[Edge]) -> Vec<String> {
    let mut problems = Vec::new();
    let free = edges.iter().filter(|edge| !edge.is_marked);
    let mut graph: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for edge in free {
        let to = graph.entry(&edge.from).or_default();
        to.entry(&edge.to).or_insert(edge.line);
    }
    let mut seen = BTreeSet::new();
    for start in graph.keys() {
        let Some(circle) = way(&graph, start, start) else {
            continue;
        };
        let mut files: Vec<_> = circle.iter().map(|(from, _, _)| *from).collect();
        files.sort_unstable();
        if seen.insert(files) {
            let steps = circle
                .iter()
                .map(|(from, to, line)| format!("src/{from}:{line} uses {to}"));
            problems.push(format!(
                "circle: {}; move what both need to a file of its own, or mark true recursion with `{MARK}…`",
                steps.collect::<Vec<_>>().join(", ")
            ));
        }
    }
    for edge in edges.iter().filter(|edge| edge.is_marked) {
        if way(&graph, &edge.to, &edge.from).is_none() {
            problems.push(format!(
                "src/{}:{}: marked as recursive, but {} does not lead back; remove the mark",
                edge.from, edge.line, edge.to
            ));
        }
    }
    problems
}

/// The shortest way between two files, as steps from, to and line.
fn way<'e>(
    graph: &BTreeMap<&'e str, BTreeMap<&'e str, usize>>,
    start: &'e str,
    end: &'e str,
) -> Option<Vec<(&'e str, &'e str, usize)>> {
    let mut came_from: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
    let mut waiting = VecDeque::from([start]);
    while let Some(file) = waiting.pop_front() {
        for (to, line) in graph.get(file).into_iter().flatten() {
            if came_from.contains_key(to) {
                continue;
            }
            came_from.insert(to, (file, *line));
            if *to == end {
                let mut steps = Vec::new();
                let mut place = end;
                loop {
                    let (from, line) = came_from[place];
                    steps.push((from, place, line));
                    place = from;
                    if place == start {
                        break;
                    }
                }
                steps.reverse();
                return Some(steps);
            }
            waiting.push_back(to);
        }
    }
    None
}

/// What the code of a file names, as it is written.
#[derive(Default)]
struct Names {
    children: BTreeSet<String>,
    items: BTreeSet<String>,
    uses: Vec<Use>,
    /// Paths outside of `use`, such as `super::Body::text` or `vec`.
    paths: Vec<(Vec<String>, usize)>,
}

struct Use {
    path: Vec<String>,
    /// The name that it brings in; `None` for all names of a module.
    name: Option<String>,
    is_private: bool,
    line: usize,
}

impl Names {
    /// Makes every path one from the root.
    fn into_module(self, file: String, path: &FullPath) -> Module {
        let bound: BTreeMap<_, _> = self
            .uses
            .iter()
            .filter_map(|used| {
                let full = full_path(path, &used.path, &self.children, &BTreeMap::new())?;
                Some((used.name.clone()?, (full, !used.is_private)))
            })
            .collect();
        let full = |written: &[String]| full_path(path, written, &self.children, &bound);
        let is_exported_only = |used: &&Use| !used.is_private;
        let globs = self.uses.iter().filter(|used| used.name.is_none());
        let globs = globs.filter_map(|used| full(&used.path)).collect();
        let mut references: Vec<_> = self
            .uses
            .iter()
            .filter(|used| !is_exported_only(used))
            .filter_map(|used| Some((full(&used.path)?, used.line)))
            .collect();
        references.extend(
            self.paths
                .iter()
                .filter_map(|(written, line)| Some((full(written)?, *line))),
        );
        // What is re-exported counts for layers; for circles a parent that only re-exports is fine.
        references.extend(
            self.uses
                .iter()
                .filter(is_exported_only)
                .filter_map(|used| {
                    let target = full(&used.path)?;
                    (module_of(&target) != module_of(path)).then_some((target, used.line))
                }),
        );
        Module {
            file,
            items: self.items,
            bindings: bound,
            globs,
            references,
        }
    }

    fn add_path(&mut self, segments: Vec<String>, span: Span) {
        self.paths.push((segments, span.start().line));
    }

    /// The paths among the tokens of a macro.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let mut segments: Vec<String> = Vec::new();
        let mut start = None;
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.end_path(&mut segments, start);
                    }
                    if segments.is_empty() {
                        start = Some(ident.span());
                    }
                    segments.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    self.end_path(&mut segments, start);
                    self.add_tokens(group.stream());
                }
                _ => self.end_path(&mut segments, start),
            }
        }
        self.end_path(&mut segments, start);
    }

    fn end_path(&mut self, segments: &mut Vec<String>, start: Option<Span>) {
        if let (false, Some(start)) = (segments.is_empty(), start) {
            self.add_path(std::mem::take(segments), start);
        }
    }

    fn add_tree(&mut self, tree: &UseTree, before: &[String], is_private: bool) {
        let with = |name: &str| before.iter().cloned().chain([name.to_owned()]).collect();
        let mut add = |path: Vec<String>, name: Option<String>, span: Span| {
            self.uses.push(Use {
                path,
                name,
                is_private,
                line: span.start().line,
            });
        };
        match tree {
            UseTree::Path(path) => {
                let before: Vec<_> = with(&path.ident.to_string());
                self.add_tree(&path.tree, &before, is_private);
            }
            UseTree::Name(name) if name.ident == "self" => {
                let bound = before.last().cloned();
                add(before.to_vec(), bound, name.ident.span());
            }
            UseTree::Name(name) => {
                let text = name.ident.to_string();
                add(with(&text), Some(text), name.ident.span());
            }
            UseTree::Rename(rename) => {
                let path = if rename.ident == "self" {
                    before.to_vec()
                } else {
                    with(&rename.ident.to_string())
                };
                add(path, Some(rename.rename.to_string()), rename.ident.span());
            }
            UseTree::Glob(glob) => add(before.to_vec(), None, glob.star_token.span),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_tree(tree, before, is_private);
                }
            }
        }
    }
}

/// A path as it is written in a module, from the root of its crate; `None` where it leads to
/// another package or to something local.
fn full_path(
    module: &[String],
    written: &[String],
    children: &BTreeSet<String>,
    bound: &BTreeMap<String, (FullPath, bool)>,
) -> Option<FullPath> {
    let (first, rest) = written.split_first()?;
    let from = |base: &[String], rest: &[String]| Some([base, rest].concat());
    match first.as_str() {
        "crate" => from(&module[..1], rest),
        "playhouse" => from(&["lib".to_owned()], rest),
        "self" if !rest.is_empty() => {
            full_path(module, rest, children, bound).or_else(|| from(module, rest))
        }
        "super" => {
            let up = rest
                .iter()
                .take_while(|segment| *segment == "super")
                .count();
            from(&module[..module.len() - 1 - up], &rest[up..])
        }
        name if children.contains(name) => from(module, written),
        name => {
            let (base, is_exported) = bound.get(name)?;
            // A name that a private `use` brings in is counted there.
            (!rest.is_empty() || *is_exported).then(|| [base, rest].concat())
        }
    }
}

/// Whether an item is there for tests alone.
pub(super) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        if attribute.path().is_ident("test") {
            return true;
        }
        let Ok(list) = attribute.meta.require_list() else {
            return false;
        };
        let condition = list.tokens.to_string();
        list.path.is_ident("cfg")
            && !condition.starts_with("not")
            && !condition.starts_with("any")
            && condition
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .any(|word| word == "test")
    })
}

/// The name of an item, if it has one, and its attributes; `None` for those without attributes of
/// interest.
pub(super) fn name_and_attributes(item: &Item) -> Option<(Option<&Ident>, &[Attribute])> {
    Some(match item {
        Item::Const(item) => (Some(&item.ident), &item.attrs),
        Item::Enum(item) => (Some(&item.ident), &item.attrs),
        Item::Fn(item) => (Some(&item.sig.ident), &item.attrs),
        Item::Impl(item) => (None, &item.attrs),
        Item::Macro(item) => (item.ident.as_ref(), &item.attrs),
        Item::Mod(item) => (None, &item.attrs),
        Item::Static(item) => (Some(&item.ident), &item.attrs),
        Item::Struct(item) => (Some(&item.ident), &item.attrs),
        Item::Trait(item) => (Some(&item.ident), &item.attrs),
        Item::Type(item) => (Some(&item.ident), &item.attrs),
        Item::Union(item) => (Some(&item.ident), &item.attrs),
        Item::Use(item) => (None, &item.attrs),
        _ => return None,
    })
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item(&mut self, item: &'ast Item) {
        let Some((name, attributes)) = name_and_attributes(item) else {
            return visit::visit_item(self, item);
        };
        if is_for_tests(attributes) {
            return;
        }
        self.items.extend(name.map(ToString::to_string));
        match item {
            Item::Mod(inner) if inner.content.is_none() => {
                self.children.insert(inner.ident.to_string());
            }
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes: &[Attribute] = match item {
            ImplItem::Const(item) => &item.attrs,
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            ImplItem::Macro(item) => &item.attrs,
            _ => &[],
        };
        if !is_for_tests(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let is_private = matches!(item.vis, Visibility::Inherited);
        self.add_tree(&item.tree, &[], is_private);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter();
        let segments: Vec<_> = segments.map(|segment| segment.ident.to_string()).collect();
        if let Some(first) = path.segments.first() {
            self.add_path(segments, first.ident.span());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        self.visit_path(&item.path);
        self.add_tokens(item.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Ok(list) = attribute.meta.require_list() {
            self.add_tokens(list.tokens.clone());
        }
    }
}

mod small_sources {
    use super::*;

    const TABLE: &str = "
| layer | module | holds |
| --- | --- | --- |
| 3 | `main.rs`, `cli/` | the program |
| 2 | `high/` | |
| 2 | `beside/` | |
| 1 | `low/` | |
";

    /// The problems of a library with these files beside one of each module.
    fn problems(files: &[(&str, &str)]) -> Vec<String> {
        let usual = [
            ("lib.rs", "mod beside; mod high; mod low;"),
            ("main.rs", "mod cli;"),
            ("cli.rs", "use playhouse::high::Thing;"),
            ("high/mod.rs", "pub struct Thing;"),
            ("beside/mod.rs", "pub struct Thing;"),
            ("low/mod.rs", "pub struct Thing;"),
        ];
        let files = usual.iter().chain(files);
        let files = files.map(|(file, text)| (file.to_string(), text.to_string()));
        Sources(files.collect()).problems(&Layers::parse(TABLE))
    }

    fn one_problem(files: &[(&str, &str)], parts: &[&str]) {
        let found = problems(files);
        assert_eq!(found.len(), 1, "{found:#?}");
        for part in parts {
            assert!(found[0].contains(part), "{part}: {}", found[0]);
        }
    }

    #[test]
    fn imports_go_down() {
        assert_eq!(problems(&[]), [""; 0]);
        let fine =
            "use crate::low::{Thing, self as other};\n#[cfg(test)] mod tests { use crate::high; }";
        assert_eq!(problems(&[("high/mod.rs", fine)]), [""; 0]);
    }

    #[test]
    fn an_import_from_the_same_floor_or_above_is_found_however_it_is_written() {
        for text in [
            "\nuse crate::{high::{Thing}, low};",
            "\nfn f() { crate::high::f(); }",
            "\ntype T = Vec<super::high::Thing>;",
            "\nfn f() { vec![crate::high::Thing]; }",
            "\npub use crate::high::Thing;",
            "\n#[derive(crate::high::Thing)] struct A;",
            "// use crate::beside::Thing;\nconst A: &str = stringify!(crate::high::Thing);",
        ] {
            one_problem(
                &[("low/mod.rs", text)],
                &["src/low/mod.rs:2: ", "layer 1", "high"],
            );
        }
        one_problem(
            &[("high/mod.rs", "use crate::beside::Thing;")],
            &["src/high/mod.rs:1: a module of layer 2 imports `beside::Thing` of layer 2"],
        );
        one_problem(&[("beside/mod.rs", "use crate::high;")], &["layer 2"]);
    }

    #[test]
    fn rooms_and_rows_belong_together() {
        let lib = ("lib.rs", "mod beside; mod high; mod low; mod attic;");
        let attic = ("attic.rs", "");
        one_problem(&[lib, attic], &["src/attic: has no row"]);
        let page = TABLE.replace("`low/`", "`low/`, `cellar/`");
        let sources = Sources([("low.rs".into(), String::new())].into());
        let found = sources.problems(&Layers::parse(&page));
        assert!(
            found
                .iter()
                .any(|problem| problem.contains("no module src/cellar"))
        );
    }

    #[test]
    fn a_circle_is_followed_through_re_exports() {
        let parent = (
            "high/mod.rs",
            "mod a; mod b; pub use a::A; pub use b::{B, C as D};",
        );
        let a = ("high/a.rs", "use super::D;\npub struct A(D);");
        let b = ("high/b.rs", "pub struct B(super::A);\npub struct C;");
        one_problem(
            &[parent, a, b],
            &["circle: src/high/a.rs:1 uses high/b.rs, src/high/b.rs:1 uses high/a.rs"],
        );
        let plain = ("high/b.rs", "pub struct B; pub struct C;");
        assert_eq!(problems(&[parent, a, plain]), [""; 0]);
        let marked = "// Recursive: an A holds Bs.\n// Twice.\nuse super::D;\npub struct A(D);";
        assert_eq!(problems(&[parent, ("high/a.rs", marked), b]), [""; 0]);
        one_problem(
            &[parent, ("high/a.rs", marked), plain],
            &["src/high/a.rs:3: marked as recursive"],
        );
    }

    #[test]
    fn a_parent_may_re_export_but_not_use_what_uses_it() {
        let child = ("high/a.rs", "pub struct A(super::Own);");
        let parent = "mod a; pub use a::A; struct Own;";
        assert_eq!(problems(&[("high/mod.rs", parent), child]), [""; 0]);
        let uses = format!("{parent}\nfn f(_: A) {{}}");
        one_problem(
            &[("high/mod.rs", &uses), child],
            &["src/high/mod.rs:2 uses high/a.rs"],
        );
        let calls = "mod a; struct Own;\nfn f() { a::A; }";
        one_problem(
            &[("high/mod.rs", calls), child],
            &["src/high/mod.rs:2 uses high/a.rs"],
        );
    }
}
