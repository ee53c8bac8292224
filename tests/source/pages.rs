//! What pages link to, and the files that they name, are there.

use std::fs;
use std::path::{Path, PathBuf};

/// Where pages are, from the top.
const FOLDERS: [&str; 4] = ["", "docs", "docs/page", "docs/plays"];
/// How paths that pages name begin.
const TOP: [&str; 7] = [
    "benches/", "crates/", "data/", "docs/", "examples/", "src/", "tests/",
];

#[test]
fn links_and_paths_of_pages_lead_somewhere() {
    let pages = pages();
    let missing: Vec<_> = pages.iter().flat_map(|page| missing(page)).collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn pages() -> Vec<PathBuf> {
    let folders = FOLDERS.iter().map(|folder| root().join(folder));
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap());
    let files = files.map(|file| file.unwrap().path());
    let is_page = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "md");
    files.filter(is_page).collect()
}

/// What a page names and is not there, with its line.
fn missing(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap();
    let mut missing = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let links = links(line).map(|link| (link, page.with_file_name("").join(link)));
        let paths = paths(line).map(|path| (path, root().join(path)));
        let gone = links.chain(paths).filter(|(_, file)| !file.exists());
        missing.extend(gone.map(|(name, _)| format!("{}:{}: {name}", page.display(), index + 1)));
    }
    missing
}

/// The files that a line links to.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1);
    let targets = targets.filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|target| !target.is_empty() && !target.contains(':'))
}

/// The paths that a line names as code. A part in capitals stands for whatever somebody chooses.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    let codes = line.split('`').skip(1).step_by(2);
    let codes = codes.filter_map(|code| code.split("::").next());
    codes.filter(|code| TOP.iter().any(|top| code.starts_with(top)) && is_path(code))
}

fn is_path(code: &str) -> bool {
    let is_chosen = |part: &str| part.len() > 1 && part.chars().all(|c| c.is_ascii_uppercase());
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    code.chars().all(is_allowed) && !code.split('/').any(is_chosen)
}
