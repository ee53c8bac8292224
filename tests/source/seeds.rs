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

/// A file of a crate, without tests and comments.
struct SourceFile {
    code: String,
    /// All words of its code and its path.
    words: BTreeSet<String>,
    /// The first names of its lines, and that of its module: items, fields and variants.
    declared: BTreeSet<String>,
}

impl SourceFile {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let lines = text.lines().take_while(|line| *line != "#[cfg(test)]");
        let lines: Vec<_> = lines
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        let module = path.strip_prefix(root()).unwrap().with_extension("");
        let module = module.to_string_lossy();
        let module = module.trim_end_matches("/mod");
        let code = lines.join("\n");
        let words = words(&code).chain(words(module)).map(str::to_owned);
        let declared = lines.iter().filter_map(|line| declared(line));
        let declared = declared.chain(module.rsplit('/').next());
        Self {
            words: words.collect(),
            declared: declared.map(str::to_owned).collect(),
            code,
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty())
}

/// The name that a line may declare: the first that is no keyword.
fn declared(line: &str) -> Option<&str> {
    const BEFORE: [&str; 14] = [
        "async",
        "const",
        "crate",
        "enum",
        "fn",
        "in",
        "macro_rules",
        "mod",
        "pub",
        "static",
        "struct",
        "super",
        "trait",
        "type",
    ];
    words(line).find(|word| !BEFORE.contains(word))
}

fn add_files(folder: &Path, files: &mut Vec<SourceFile>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(SourceFile::read(&path));
        }
    }
}

/// What there is to name.
struct Index(Vec<SourceFile>);

impl Index {
    /// Of all files of all crates.
    fn of_sources() -> Self {
        let crates = fs::read_dir(root().join("crates")).unwrap();
        let folders = crates.map(|folder| folder.unwrap().path());
        let mut files = Vec::new();
        for folder in folders.chain([root().to_owned()]) {
            add_files(&folder.join("src"), &mut files);
        }
        Self(files)
    }

    /// What is wrong with code of the page.
    fn wrong(&self, code: &str, helps: &mut Helps) -> Option<String> {
        if let Some(command) = code.strip_prefix("playhouse ") {
            return wrong_in_command(command, helps);
        }
        if code.starts_with('"') {
            let is_there = self.0.iter().any(|file| file.code.contains(code));
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
            if !matches!(root, "world" | "team") {
                return Some("no such kind of file".to_owned());
            }
            let mut unknown = fields.split('.').filter(|field| !self.declares(&[], field));
            return Some(format!("no such field `{}`", unknown.next()?));
        }
        let mut path: Vec<_> = code.split("::").collect();
        let name = path.pop().unwrap_or_default();
        (!self.declares(&path, name)).then(|| "no such item in the source".to_owned())
    }

    /// Whether a file that has all these words declares a name.
    fn declares(&self, path: &[&str], name: &str) -> bool {
        let mut files = self.0.iter().filter(|file| file.declared.contains(name));
        files.any(|file| path.iter().all(|word| file.words.contains(*word)))
    }
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
