//! Comments fit 100 columns.

use std::fs;
use std::path::{Path, PathBuf};

const COLUMNS: usize = 100;
const FOLDERS: [&str; 5] = ["src", "tests", "benches", "examples", "fuzz/fuzz_targets"];

#[test]
fn comments_fit_100_columns() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("build.rs")];
    for folder in FOLDERS {
        rust_files(&root.join(folder), &mut files);
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

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The lines of a file that hold nothing but a comment, and are too long, as `file:line`.
fn long_comments(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let lines = text.lines().enumerate();
    let long = lines
        .filter(|(_, line)| line.trim_start().starts_with("//") && line.chars().count() > COLUMNS);
    long.map(|(index, _)| format!("{}:{}", file.display(), index + 1))
        .collect()
}
