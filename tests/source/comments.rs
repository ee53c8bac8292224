//! Comments fit 100 columns.

use std::fs;
use std::path::{Path, PathBuf};

const COLUMNS: usize = 100;
const PLACES: [&str; 12] = [
    ".ci",
    "Cargo.toml",
    "benches",
    "clippy.toml",
    "crates",
    "deny.toml",
    "examples",
    "fuzz/Cargo.toml",
    "fuzz/fuzz_targets",
    "justfile",
    "src",
    "tests",
];

#[test]
fn comments_fit_100_columns() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for place in PLACES {
        add_files(root.join(place), &mut files);
    }
    files.sort();
    let long: Vec<_> = files.iter().flat_map(|file| long_comments(file)).collect();
    assert!(
        long.is_empty(),
        "{} comments have more than {COLUMNS} columns:\n{}",
        long.len(),
        long.join("\n")
    );
}

fn add_files(path: PathBuf, files: &mut Vec<PathBuf>) {
    if !path.is_dir() {
        files.push(path);
        return;
    }
    for entry in fs::read_dir(path).unwrap() {
        add_files(entry.unwrap().path(), files);
    }
}

/// How comments begin in a file of this kind, if it is one that people write code in.
fn marks(file: &Path) -> &'static [&'static str] {
    let name = file.file_name().and_then(|name| name.to_str());
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("rs" | "js") => &["//"],
        Some("css") => &["/*"],
        Some("html") => &["<!--"],
        Some("toml" | "sh" | "py") => &["#"],
        None if matches!(name, Some("justfile" | "run")) => &["#"],
        _ => &[],
    }
}

/// The lines of a file that hold nothing but a comment, and are too long, as `file:line`.
fn long_comments(file: &Path) -> Vec<String> {
    let marks = marks(file);
    if marks.is_empty() {
        return Vec::new();
    }
    let text = fs::read_to_string(file).unwrap();
    let is_comment = |line: &str| marks.iter().any(|mark| line.trim_start().starts_with(mark));
    let lines = text.lines().enumerate();
    let long = lines.filter(|(_, line)| is_comment(line) && line.chars().count() > COLUMNS);
    long.map(|(index, _)| format!("{}:{}", file.display(), index + 1))
        .collect()
}
