//! What the library may say, read from its source.

use std::fs;
use std::path::{Path, PathBuf};

/// A text in the source.
pub(super) struct Said {
    /// The file that says it.
    pub(super) file: String,
    /// The text as the catalogue would have it: `{}` for each value, `⏎` for line breaks.
    pub(super) text: String,
}

/// The texts of all `#[error("…")]`, as far as they have words of their own.
pub(super) fn errors() -> Vec<Said> {
    let mut found = Vec::new();
    for file in files(&["src"]) {
        let errors = literals(&file).into_iter().filter(Literal::is_error);
        found.extend(errors.map(|literal| literal.said(&file)));
    }
    found.retain(|said| has_words(&said.text));
    found
}

/// All texts of more than one word in these files and folders, where each such text is for people.
pub(super) fn sentences(places: &[impl AsRef<Path>]) -> Vec<Said> {
    let mut found = Vec::new();
    for file in files(places) {
        let spoken = literals(&file).into_iter().filter(Literal::is_spoken);
        found.extend(spoken.map(|literal| literal.said(&file)));
    }
    // One word between marks, such as `: error: `, joins what is told elsewhere.
    found.retain(|said| said.text.trim_matches([' ', ':']).contains(' '));
    found.retain(|said| has_words(&said.text));
    found
}

/// The files of the library that find problems in what people wrote.
pub(super) fn finders_of_problems() -> Vec<PathBuf> {
    let mut files = files(&["src"]);
    files.retain(|file| {
        let source = code_of(file);
        let finds = ["Problem::", "Problem {", ".problem(", "Mistake {"];
        let is_program = file.components().any(|part| part.as_os_str() == "cli");
        !is_program && finds.iter().any(|code| source.contains(code))
    });
    files
}

fn has_words(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_alphabetic())
}

/// The Rust files in places, tests left out.
fn files(places: &[impl AsRef<Path>]) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut open: Vec<_> = places.iter().map(|place| root.join(place)).collect();
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        assert!(path.exists(), "{} is not there", path.display());
        if path.is_dir() {
            let inner = fs::read_dir(&path).unwrap();
            open.extend(inner.map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|ending| ending == "rs")
            && !path.to_string_lossy().ends_with("tests.rs")
        {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// A string literal.
struct Literal {
    /// The code since the literal before it.
    before: String,
    text: String,
}

impl Literal {
    fn is_error(&self) -> bool {
        self.before.ends_with("#[error(")
    }

    /// Whether it is neither a log, nor said to a mind, nor code's own business, nor what a parser expects.
    fn is_spoken(&self) -> bool {
        let silent = ["tracing::", "ToolError::", "reason =", "write_str("];
        let statement = self.before.rsplit(';').next().unwrap_or_default();
        let joins = self.text.starts_with(' ') && self.text.ends_with(' ');
        !joins && !silent.iter().any(|code| statement.contains(code))
    }

    fn said(self, file: &Path) -> Said {
        let text = match self.before.ends_with("format!(") {
            true => pattern(&self.text, "\"{}\""),
            // Whatever an error shows for debugging need not be a text.
            false if self.is_error() => pattern(&self.text, "{}"),
            false => self.text,
        };
        Said {
            file: file.display().to_string(),
            text: text.replace('\n', "⏎"),
        }
    }
}

/// A format string with `{}` for each of its values, and `debugged` for one that is written for debugging.
fn pattern(format: &str, debugged: &str) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        let (words, from) = rest.split_at(at);
        out.push_str(words);
        if let Some(after) = from.strip_prefix("{{") {
            out.push('{');
            rest = after;
        } else if let Some(after) = from.strip_prefix("}}") {
            out.push('}');
            rest = after;
        } else {
            let (value, after) = from.split_once('}').unwrap();
            let debugs = value.ends_with(":?");
            out.push_str(if debugs { debugged } else { "{}" });
            rest = after;
        }
    }
    out.push_str(rest);
    out.replace("{}{}", "{}")
}

/// A file up to its tests.
fn code_of(file: &Path) -> String {
    let mut source = fs::read_to_string(file).unwrap();
    let tests = source.find("#[cfg(test)]\nmod tests {");
    source.truncate(tests.unwrap_or(source.len()));
    source
}

/// All string literals of a file, up to its tests.
fn literals(file: &Path) -> Vec<Literal> {
    let source = code_of(file);
    let mut found = Vec::new();
    let mut before = String::new();
    let mut rest = source.as_str();
    while let Some(letter) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
        } else if let Some(after) = char_literal(rest) {
            rest = after;
        } else if let Some((text, after)) = raw_string(rest, &before).or_else(|| string(rest)) {
            let before = std::mem::take(&mut before).trim_end().to_owned();
            found.push(Literal { before, text });
            rest = after;
        } else {
            before.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    found
}

/// What follows a character in quotes; lifetimes are none.
fn char_literal(code: &str) -> Option<&str> {
    let inside = code.strip_prefix('\'')?;
    if let Some(escaped) = inside.strip_prefix('\\') {
        // The first character after the backslash may be a quote itself.
        let (_, after) = escaped.get(1..)?.split_once('\'')?;
        return Some(after);
    }
    let letter = inside.chars().next()?;
    inside[letter.len_utf8()..].strip_prefix('\'')
}

/// A raw string and what follows it.
fn raw_string<'a>(code: &'a str, before: &str) -> Option<(String, &'a str)> {
    let marks = code.strip_prefix('r')?;
    let inside = marks.trim_start_matches('#').strip_prefix('"')?;
    let hashes = &marks[..marks.len() - inside.len() - 1];
    let is_word = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let (text, after) = inside.split_once(&format!("\"{hashes}"))?;
    (!is_word).then(|| (text.to_owned(), after))
}

/// A string, unescaped, and what follows it.
fn string(code: &str) -> Option<(String, &str)> {
    let mut rest = code.strip_prefix('"')?;
    let mut text = String::new();
    loop {
        let letter = rest.chars().next()?;
        rest = &rest[letter.len_utf8()..];
        match letter {
            '"' => return Some((text, rest)),
            '\\' => {
                let escape = rest.chars().next()?;
                rest = &rest[escape.len_utf8()..];
                match escape {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    '\n' => rest = rest.trim_start(),
                    'u' => {
                        let (code, after) = rest.strip_prefix('{')?.split_once('}')?;
                        text.extend(char::from_u32(u32::from_str_radix(code, 16).ok()?));
                        rest = after;
                    }
                    other => text.push(other),
                }
            }
            other => text.push(other),
        }
    }
}
