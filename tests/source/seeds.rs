//! What `docs/seeds.md` says is there, is there.
//!
//! Code in the first column of a table of the page is the document's. All other code is ours, in
//! one of these forms, and must exist:
//!
//! - `playhouse show SAVE --view trace`: a command with options, and their values in lower case;
//! - `crates/engine/src/context/json.rs`: a file or a folder;
//! - `crates/bevy/tests/stories.rs::name`: a function of a file, mostly a test; `x.scenes::title`:
//!   a scene;
//! - `world.limits.short_questions`, `team.participants.tools`: a field of a world or team file;
//! - `"kickoff"`: a text of the source: a tag, a purpose, a type of event, a member;
//! - `AgentContext::len`, `perspective`, `cast::spawn`: names of the source.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

const PAGE: &str = "docs/seeds.md";

#[test]
fn everything_that_the_page_names_exists() {
    let page = fs::read_to_string(root().join(PAGE)).unwrap();
    let source = source();
    let mut helps = Helps::new();
    let (_, sections) = page.split_once("\n### ").unwrap();
    let rows = sections.lines().filter(|line| line.starts_with('|'));
    let problems: Vec<_> = rows
        .filter_map(|row| Some(format!("{}:\n  {row}", wrong(row, &source, &mut helps)?)))
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn whatever_does_not_exist_is_reported() {
    let source = source();
    let wrong = |row: &str| wrong(row, &source, &mut Helps::new());
    for code in [
        "AgentContext::no_such_method",
        "src/no/such/file.rs",
        "tests/source/seeds.rs::no_such_test",
        "world.limits.no_such_limit",
        "playhouse nosuchcommand",
        "playhouse show --no-such-option",
        "playhouse convert --to nosuchform",
        "\"no such text\"",
    ] {
        let row = format!("| `x` | `perspective` | `{code}` | |");
        assert!(wrong(&row).unwrap().contains(code), "{code}");
    }
    for row in ["| `x` | none | | |", "| `x` | `perspective` | |"] {
        assert!(wrong(row).is_some(), "{row}");
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What is wrong with a row of a table: it names what does not exist, or says nothing.
fn wrong(row: &str, source: &Source, helps: &mut Helps) -> Option<String> {
    // A border that is part of a cell is written `\|`.
    let row = row.replace("\\|", "\u{1}");
    let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
    let [_, here, shown_by, difference] = cells[..] else {
        return Some("a row has 4 cells".to_owned());
    };
    if !here.contains('`') && !here.contains("](") && difference.is_empty() {
        return Some("a row says neither what is here nor why nothing is".to_owned());
    }
    let cells = [here, shown_by, difference].into_iter();
    let mut codes = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let unknown = codes.find(|code| !source.has(&code.replace('\u{1}', "|"), helps))?;
    Some(format!("there is no `{unknown}`"))
}

/// What the program says of each of its commands.
type Helps = BTreeMap<String, Option<String>>;

/// The source of all crates, without tests and comments.
struct Source {
    code: String,
    words: BTreeSet<String>,
}

fn source() -> Source {
    let mut code = String::new();
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let folders = crates.map(|folder| folder.unwrap().path());
    for folder in folders.chain([root().to_owned()]) {
        add_files(&folder.join("src"), &mut code);
    }
    let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    let words = words.map(str::to_owned).collect();
    Source { code, words }
}

fn add_files(folder: &Path, code: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_files(&path, code);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let lines = text.lines().take_while(|line| *line != "#[cfg(test)]");
            for line in lines.filter(|line| !line.trim_start().starts_with("//")) {
                *code += line;
                code.push('\n');
            }
        }
    }
}

impl Source {
    /// Whether there is what code of the page names.
    fn has(&self, code: &str, helps: &mut Helps) -> bool {
        if let Some(command) = code.strip_prefix("playhouse ") {
            return has_command(command, helps);
        }
        if code.starts_with('"') {
            return self.code.contains(code);
        }
        if code.contains('/') {
            return has_path(code);
        }
        let fields = code.strip_prefix("world.").or(code.strip_prefix("team."));
        let mut names = fields.unwrap_or(code).split([':', '.']);
        names.all(|name| name.is_empty() || self.words.contains(name))
    }
}

fn has_path(code: &str) -> bool {
    let (file, function) = code.split_once("::").unwrap_or((code, ""));
    let start = match function {
        "" => return root().join(file).exists(),
        title if file.ends_with(".scenes") => format!("== {title}\n"),
        name => format!("fn {name}("),
    };
    fs::read_to_string(root().join(file)).is_ok_and(|text| text.contains(&start))
}

/// Whether there is a command with its options. A word that is not in lower case stands for
/// whatever somebody chooses.
fn has_command(command: &str, helps: &mut Helps) -> bool {
    let mut words = command.split(' ');
    let name = words.next().unwrap_or_default();
    let help = helps.entry(name.to_owned()).or_insert_with(|| help(name));
    let is_separator = |c: char| !(c.is_alphanumeric() || c == '-');
    let is_chosen = |word: &str| word.chars().any(char::is_uppercase);
    help.as_ref().is_some_and(|help| {
        let known: BTreeSet<_> = help.split(is_separator).collect();
        words.all(|word| is_chosen(word) || known.contains(word))
    })
}

fn help(name: &str) -> Option<String> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_playhouse"));
    let output = program.args([name, "--help", "--lang", "en"]).output();
    let help = String::from_utf8(output.unwrap().stdout).unwrap();
    // Of what is no command, the help is that of the program.
    help.contains(&format!("Usage: playhouse {name} "))
        .then_some(help)
}
