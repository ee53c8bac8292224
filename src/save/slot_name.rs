//! Names of slots: what a player may call a save, and what every file system takes.

use std::fmt;
use std::str::FromStr;

use super::error::SaveError;

/// The most characters of a name.
const MOST_CHARACTERS: usize = 64;

/// The most bytes of a name; file systems take 255.
const MOST_BYTES: usize = 200;

/// Names that one system or another keeps for its devices, in any case and with any ending.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// The name of a slot, checked: it is one folder and can't lead anywhere else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotName(String);

impl SlotName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SlotName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for SlotName {
    type Err = SaveError;

    fn from_str(name: &str) -> Result<Self, SaveError> {
        match objection(name) {
            None => Ok(Self(name.to_owned())),
            Some(reason) => Err(SaveError::BadSlotName {
                name: name.to_owned(),
                reason,
            }),
        }
    }
}

/// What is wrong with a name, and what would be right.
fn objection(name: &str) -> Option<String> {
    let allowed = |character: char| character.is_alphanumeric() || " -_.".contains(character);
    let characters = name.chars().count();
    if name.is_empty() {
        Some("it is empty".into())
    } else if characters > MOST_CHARACTERS || name.len() > MOST_BYTES {
        Some(format!(
            "it has {characters} characters ({} bytes); use at most {MOST_CHARACTERS} ({MOST_BYTES} bytes)",
            name.len()
        ))
    } else if let Some(odd) = name.chars().find(|character| !allowed(*character)) {
        Some(format!(
            "it holds '{}'; use letters, digits, spaces and - _ .",
            odd.escape_debug()
        ))
    } else if name.starts_with(['.', ' ']) || name.ends_with(['.', ' ']) {
        Some("it begins or ends with a dot or a space".into())
    } else if is_device(name) {
        Some("Windows keeps that name for a device".into())
    } else {
        None
    }
}

pub(super) fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let stem = stem.trim_end().to_ascii_lowercase();
    let numbered = |port: &str| {
        let number = stem.strip_prefix(port);
        number.is_some_and(|number| matches!(number.as_bytes(), [b'0'..=b'9']))
    };
    DEVICES.contains(&stem.as_str()) || numbered("com") || numbered("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_any_language_are_taken() {
        for name in ["first", "第一次 冒险", "a-b_c.2", "Été", "com10", "console"] {
            assert_eq!(objection(name), None, "{name}");
        }
    }

    #[test]
    fn names_that_could_lead_elsewhere_are_refused() {
        for name in [
            "",
            ".",
            "..",
            ".git",
            "a/b",
            "a\\b",
            "C:",
            "a\0",
            "a\nb",
            "a\u{1b}[31m",
            " a",
            "a ",
            "a.",
            "NUL",
            "com1",
            "Lpt9.txt",
            "con .x",
        ] {
            assert!(objection(name).is_some(), "{name:?}");
        }
        assert!(objection(&"x".repeat(65)).is_some());
        assert!(objection(&"\u{20000}".repeat(51)).is_some());
    }
}
