//! Generates a type for each text, by which the compiler checks `text!`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

const TEXTS: &str = "en";

#[allow(
    clippy::disallowed_methods,
    reason = "a build script gets its folder from the environment and writes into it"
)]
fn main() -> io::Result<()> {
    for folder in [TEXTS, "zh"] {
        println!("cargo::rerun-if-changed={folder}");
    }
    let files = fs::read_dir(TEXTS)?.map(|entry| Ok(entry?.path()));
    let mut files = files.collect::<io::Result<Vec<_>>>()?;
    files.sort();
    let mut types = String::new();
    let mut scanned = String::new();
    for file in files {
        for (key, variables) in scan(&fs::read_to_string(file)?) {
            let fields: String = variables
                .iter()
                .map(|name| format!(" pub {name}: (),"))
                .collect();
            let _ = writeln!(types, "pub struct {key} {{{fields} }}");
            let _ = writeln!(scanned, "(\"{key}\", &{variables:?}),");
        }
    }
    let _ = write!(
        types,
        "pub(crate) const SCANNED: &[(&str, &[&str])] = &[\n{scanned}];\n"
    );
    let folder = env::var_os("OUT_DIR").unwrap_or_default();
    fs::write(Path::new(&folder).join("keys.rs"), types)
}

/// The keys of a Fluent file with the variables of their texts. A unit test compares this with what
/// the parser finds.
fn scan(file: &str) -> Vec<(&str, Vec<&str>)> {
    let mut found: Vec<(&str, BTreeSet<&str>)> = Vec::new();
    // A term has no type, and neither do its variables.
    let mut is_term = false;
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        if line.starts_with('-') {
            is_term = true;
        } else if line.starts_with(|first: char| first.is_ascii_alphabetic())
            && let Some((key, _)) = line.split_once('=')
        {
            is_term = false;
            found.push((key.trim_end(), BTreeSet::new()));
        }
        if let Some((_, variables)) = found.last_mut()
            && !is_term
        {
            variables.extend(variables_of(line));
        }
    }
    let sorted = |(key, variables): (_, BTreeSet<_>)| (key, variables.into_iter().collect());
    found.into_iter().map(sorted).collect()
}

/// The names after `$`. A `$` outside of braces would be text, but no text has one: the same unit
/// test would fail.
fn variables_of(line: &str) -> impl Iterator<Item = &str> {
    line.split('$').skip(1).map(|after| {
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let end = after.find(|letter| !is_name(letter));
        after.get(..end.unwrap_or(after.len())).unwrap_or_default()
    })
}
