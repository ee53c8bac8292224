//! What `docs/seeds.md` says is there, is there.
//!
//! Code in the first column of a table of the page is the document's. All other code is ours, in
//! one of these forms, and must exist:
//!
//! - `playhouse show SAVE --view trace`: a command with options, and their values in lower case;
//! - `crates/engine/src/context/json.rs`: a file or a folder;
//! - `tests/engine/steps.rs::name`: a function of a file, mostly a test; `x.scenes::title`: a
//!   scene;
//! - `world.limits.short_questions`, `team.participants.tools`: a field of a world or team file;
//! - `"kickoff"`: a text of the source: a tag, a purpose, a type of event, a member;
//! - `AgentContext::len`, `perspective`, `cast::spawn`: an item, or something in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{
    Attribute, Fields, Ident, ImplItem, Item, ItemEnum, ItemImpl, ItemTrait, LitStr, Macro,
    TraitItem, Type,
};

const PAGE: &str = "docs/seeds.md";
const HEADER: [&str; 4] = ["document", "here", "shown by", "what differs, and why"];

#[test]
fn everything_that_the_page_names_exists() {
    let page = fs::read_to_string(root().join(PAGE)).unwrap();
    let problems = problems(&page);
    assert!(
        problems.is_empty(),
        "{} problems:\n{}",
        problems.len(),
        problems.join("\n")
    );
}

#[test]
fn whatever_does_not_exist_is_reported_with_its_row() {
    let table = "## A\n\n### B\n\n| document | here | shown by | what differs, and why |\n\
                 | --- | --- | --- | --- |\n";
    let good = "| `x` | `AgentContext::len`, `perspective`, `cast::spawn` | `crates/engine/src/context/json.rs` | |\n\
                | `x` | `world.limits.hand_size`, `team.fold.keep` | `playhouse show SAVE --view trace` | |\n\
                | `x` | `\"kickoff\"` | `tests/source/seeds.rs::root` | `playhouse convert --to langchain` |\n\
                | `x` | none | | it has a reason |\n";
    assert_eq!(problems(&format!("{table}{good}")), [""; 0]);
    let wrong = [
        ("AgentContext::no_such_method", "no such item"),
        ("no_such_item", "no such item"),
        ("src/no/such/file.rs", "no such file"),
        ("tests/source/seeds.rs::no_such_test", "no such function"),
        ("world.limits.no_such_limit", "no such field"),
        ("team.no_such_field", "no such field"),
        ("playhouse nosuchcommand", "no such command"),
        ("playhouse show --no-such-option", "`--no-such-option`"),
        ("playhouse convert --to nosuchform", "`nosuchform`"),
        ("\"no such text\"", "no such text"),
        ("what is this?", "of no known form"),
    ];
    for (code, why) in wrong {
        let found = problems(&format!("{table}| `x` | `{code}` | | |\n"));
        assert_eq!(found.len(), 1, "{code}: {found:?}");
        assert!(
            found[0].contains(why) && found[0].contains(code),
            "{found:?}"
        );
    }
    for (row, why) in [
        ("| `x` | none | | |", "says neither"),
        ("| `x` | `perspective` | |", "4 cells"),
        ("\n### C\n", "no table"),
    ] {
        let found = problems(&format!("{table}{good}{row}\n"));
        assert!(found.len() == 1 && found[0].contains(why), "{found:?}");
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every row of the page that names what does not exist, or says nothing.
fn problems(page: &str) -> Vec<String> {
    static INDEX: LazyLock<Index> = LazyLock::new(Index::of_sources);
    let mut helps = BTreeMap::new();
    let mut problems = Vec::new();
    for section in page.split("\n### ").skip(1) {
        let rows: Vec<_> = section
            .lines()
            .filter(|line| line.starts_with('|'))
            .collect();
        let [header, _, rows @ ..] = &rows[..] else {
            let title = section.lines().next().unwrap_or_default();
            problems.push(format!("{PAGE}: the section “{title}” has no table"));
            continue;
        };
        if cells(header) != HEADER {
            problems.push(format!("{PAGE}: {header}: the columns are {HEADER:?}"));
        }
        for row in rows {
            let wrong = wrong_in_row(row, &INDEX, &mut helps);
            problems.extend(
                wrong
                    .iter()
                    .map(|wrong| format!("{PAGE}: {wrong}:\n  {row}")),
            );
        }
    }
    problems
}

fn wrong_in_row(row: &str, index: &Index, helps: &mut Helps) -> Vec<String> {
    let cells = cells(row);
    let [_, here, shown_by, difference] = &cells[..] else {
        return vec!["a row has 4 cells".to_owned()];
    };
    if !here.contains('`') && !here.contains("](") && difference.is_empty() {
        return vec!["a row says neither what is here nor why nothing is".to_owned()];
    }
    let cells = [here, shown_by, difference].into_iter();
    let wrong = cells.flat_map(|cell| codes(cell)).filter_map(|code| {
        let wrong = index.wrong(code, helps)?;
        Some(format!("`{code}`: {wrong}"))
    });
    wrong.collect()
}

/// The cells of a row, in which `\|` is no border.
fn cells(row: &str) -> Vec<String> {
    let row = row.trim().trim_start_matches('|').replace("\\|", "\u{1}");
    let row = row.strip_suffix('|').unwrap_or(&row);
    let cells = row.split('|').map(|cell| cell.trim().replace('\u{1}', "|"));
    cells.collect()
}

fn codes(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// What the program says of each of its commands.
type Helps = BTreeMap<String, Option<String>>;

/// What there is to name.
#[derive(Default)]
struct Index {
    /// Items by name, `Type::member`, and `module::item`.
    items: BTreeSet<String>,
    /// The fields of types, and the variants of enums: what may be inside each.
    fields: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    texts: BTreeSet<String>,
    /// The module that is being read, from its crate.
    path: Vec<String>,
    /// Those of its modules that are files.
    children: Vec<String>,
}

impl Index {
    /// Of all files of all crates that are not for tests alone.
    fn of_sources() -> Self {
        let mut index = Self::default();
        index.add_crate(&root().join("src"), "playhouse");
        for folder in fs::read_dir(root().join("crates")).unwrap() {
            let folder = folder.unwrap();
            index.add_crate(
                &folder.path().join("src"),
                &folder.file_name().to_string_lossy(),
            );
        }
        index
    }

    /// A crate counts as a module of its name.
    fn add_crate(&mut self, sources: &Path, name: &str) {
        self.add_file(sources, &sources.join("lib.rs"), vec![name.to_owned()]);
    }

    fn add_file(&mut self, sources: &Path, file: &Path, path: Vec<String>) {
        let parsed = syn::parse_file(&fs::read_to_string(file).unwrap());
        let parsed = parsed.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.path = path.clone();
        self.visit_file(&parsed);
        for child in std::mem::take(&mut self.children) {
            let path = [&path[..], &[child]].concat();
            let base = sources.join(path[1..].join("/"));
            let files = [base.with_extension("rs"), base.join("mod.rs")];
            if let Some(file) = files.iter().find(|file| file.exists()) {
                self.add_file(sources, file, path);
            }
        }
    }

    /// What is wrong with code of the page.
    fn wrong(&self, code: &str, helps: &mut Helps) -> Option<String> {
        if let Some(command) = code.strip_prefix("playhouse ") {
            return wrong_in_command(command, helps);
        }
        if let Some(text) = code.strip_prefix('"') {
            let is_there = self.texts.contains(text.trim_end_matches('"'));
            return (!is_there).then(|| "no such text in the source".to_owned());
        }
        if code.contains('/') {
            return wrong_in_path(code);
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if !code.chars().all(|c| is_word(c) || c == ':' || c == '.') {
            return Some("this is of no known form".to_owned());
        }
        if let Some((root, fields)) = code.split_once('.') {
            return self.wrong_in_fields(root, fields);
        }
        (!self.items.contains(code)).then(|| "no such item in the source".to_owned())
    }

    fn wrong_in_fields(&self, root: &str, fields: &str) -> Option<String> {
        let mut types = match root {
            "world" => vec!["WorldFile".to_owned()],
            "team" => vec!["TeamFile".to_owned()],
            _ => return Some("no such kind of file".to_owned()),
        };
        for field in fields.split('.') {
            let found = types
                .iter()
                .filter_map(|name| self.fields.get(name)?.get(field));
            let found: Vec<_> = found.flatten().cloned().collect();
            if !types.iter().any(|name| self.has_field(name, field)) {
                return Some(format!("no such field `{field}`"));
            }
            types = found;
        }
        None
    }

    fn has_field(&self, name: &str, field: &str) -> bool {
        let fields = self.fields.get(name);
        fields.is_some_and(|fields| fields.contains_key(field))
    }

    fn add_item(&mut self, name: &Ident) {
        self.items.insert(name.to_string());
        for module in &self.path {
            self.items.insert(format!("{module}::{name}"));
        }
    }

    fn add_member(&mut self, owner: &str, name: &Ident) {
        self.items.insert(format!("{owner}::{name}"));
    }

    fn add_field(&mut self, owner: &str, name: &Ident, inside: Vec<String>) {
        self.add_member(owner, name);
        let fields = self.fields.entry(owner.to_owned()).or_default();
        fields.entry(name.to_string()).or_default().extend(inside);
    }

    fn add_fields(&mut self, owner: &str, fields: &Fields) {
        for field in fields {
            if let Some(name) = &field.ident {
                self.add_field(owner, name, names_in(&field.ty));
            }
        }
    }

    fn add_variants(&mut self, item: &ItemEnum) {
        let owner = item.ident.to_string();
        for variant in &item.variants {
            let path = format!("{owner}::{}", variant.ident);
            self.add_fields(&path, &variant.fields);
            self.add_field(&owner, &variant.ident, vec![path]);
        }
    }

    fn add_own_members(&mut self, item: &ItemImpl) {
        let Some(owner) = names_in(&item.self_ty).into_iter().next() else {
            return;
        };
        for member in &item.items {
            match member {
                ImplItem::Fn(member) => self.add_member(&owner, &member.sig.ident),
                ImplItem::Const(member) => self.add_member(&owner, &member.ident),
                _ => {}
            }
        }
    }

    fn add_trait_members(&mut self, item: &ItemTrait) {
        let owner = item.ident.to_string();
        for member in &item.items {
            match member {
                TraitItem::Fn(member) => self.add_member(&owner, &member.sig.ident),
                TraitItem::Const(member) => self.add_member(&owner, &member.ident),
                _ => {}
            }
        }
    }

    /// The texts of tokens, and names that are given one: `Speak = "speak"`.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        for token in &tokens {
            match token {
                TokenTree::Group(group) => self.add_tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    let text = syn::parse_str::<LitStr>(&literal.to_string());
                    self.texts.extend(text.map(|text| text.value()));
                }
                _ => {}
            }
        }
        for window in tokens.windows(3) {
            if let [
                TokenTree::Ident(name),
                TokenTree::Punct(is),
                TokenTree::Literal(_),
            ] = window
                && is.as_char() == '='
            {
                self.add_item(name);
            }
        }
    }
}

impl<'ast> Visit<'ast> for Index {
    fn visit_item(&mut self, item: &'ast Item) {
        let Some((name, attributes)) = name_and_attributes(item) else {
            return visit::visit_item(self, item);
        };
        if is_for_tests(attributes) {
            return;
        }
        if let Some(name) = name {
            self.add_item(name);
        }
        match item {
            Item::Mod(item) if item.content.is_none() => {
                self.children.push(item.ident.to_string());
            }
            Item::Enum(item) => self.add_variants(item),
            Item::Impl(item) => self.add_own_members(item),
            Item::Struct(item) => self.add_fields(&item.ident.to_string(), &item.fields),
            Item::Trait(item) => self.add_trait_members(item),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_lit_str(&mut self, text: &'ast LitStr) {
        self.texts.insert(text.value());
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        self.add_tokens(item.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Ok(list) = attribute.meta.require_list() {
            self.add_tokens(list.tokens.clone());
        }
    }
}

/// Whether an item is there for tests alone.
fn is_for_tests(attributes: &[Attribute]) -> bool {
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
fn name_and_attributes(item: &Item) -> Option<(Option<&Ident>, &[Attribute])> {
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

/// The names of types within a type: `Vec` and `Participant` in `Vec<Participant>`.
fn names_in(whole: &Type) -> Vec<String> {
    #[derive(Default)]
    struct Names(Vec<String>);

    impl<'ast> Visit<'ast> for Names {
        fn visit_ident(&mut self, name: &'ast Ident) {
            self.0.push(name.to_string());
        }
    }

    let mut names = Names::default();
    names.visit_type(whole);
    names.0
}

fn wrong_in_path(code: &str) -> Option<String> {
    let (file, function) = match code.split_once("::") {
        Some((file, function)) => (file, Some(function)),
        None => (code, None),
    };
    let path = root().join(file);
    if !path.exists() {
        return Some("no such file".to_owned());
    }
    let start = match file.ends_with(".scenes") {
        true => format!("== {}\n", function?),
        false => format!("fn {}(", function?),
    };
    let text = fs::read_to_string(path).unwrap();
    (!text.contains(&start)).then(|| format!("no such function in {file}"))
}

/// What is wrong with a command and its options. A word that is not in lower case stands for
/// whatever somebody chooses.
fn wrong_in_command(command: &str, helps: &mut Helps) -> Option<String> {
    let mut words = command.split(' ');
    let name = words.next().unwrap_or_default();
    let help = helps.entry(name.to_owned()).or_insert_with(|| help(name));
    let Some(help) = help else {
        return Some("no such command".to_owned());
    };
    let is_separator = |c: char| !(c.is_alphanumeric() || c == '-');
    let known: BTreeSet<_> = help.split(is_separator).collect();
    let is_chosen = |word: &&str| word.chars().any(char::is_uppercase);
    let mut unknown = words.filter(|word| !is_chosen(word) && !known.contains(word));
    let unknown = unknown.next()?;
    Some(format!("its help has no `{unknown}`"))
}

fn help(name: &str) -> Option<String> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_playhouse"));
    let output = program.args([name, "--help", "--lang", "en"]).output();
    let help = String::from_utf8(output.unwrap().stdout).unwrap();
    // Of what is no command, the help is that of the program.
    help.contains(&format!("Usage: playhouse {name} "))
        .then_some(help)
}
