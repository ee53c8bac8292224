//! Names of slots, which every file system accepts.

use std::fmt;
use std::str::FromStr;

use super::error::SaveError;
use crate::locale::{UiText, text};

const MAX_CHARACTERS: usize = 64;

/// The maximum length in bytes; file systems accept 255.
const MAX_BYTES: usize = 200;

/// Names that Windows reserves for devices, in any case and with any extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// The checked name of a slot: it is a single folder and can't lead anywhere else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotName(String);

impl SlotName {
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

/// What is wrong with a name and how to fix it.
fn objection(name: &str) -> Option<UiText> {
    let allowed = |character: char| character.is_alphanumeric() || " -_.".contains(character);
    let characters = name.chars().count();
    if name.is_empty() {
        Some(text!(save_name_empty))
    } else if characters > MAX_CHARACTERS || name.len() > MAX_BYTES {
        Some(text!(
            save_name_too_long,
            characters,
            bytes = name.len(),
            max_characters = MAX_CHARACTERS,
            max_bytes = MAX_BYTES
        ))
    } else if let Some(odd) = name.chars().find(|character| !allowed(*character)) {
        let character = odd.escape_debug().to_string();
        Some(text!(save_name_characters, character))
    } else if name.starts_with(['.', ' ']) || name.ends_with(['.', ' ']) {
        Some(text!(save_name_edges))
    } else if is_device(name) {
        Some(text!(save_name_device))
    } else {
        None
    }
}

pub(super) fn is_device(name: &str) -> bool {
    let stem = name
        .split('.')
        .next()
        .unwrap_or_default()
        .trim_end()
        .to_ascii_lowercase();
    let numbered = |port: &str| {
        let number = stem.strip_prefix(port);
        // Windows takes small raised digits for digits here.
        let mut digits = number.into_iter().flat_map(str::chars);
        let is_digit = |digit: char| matches!(digit, '0'..='9' | '¹' | '²' | '³');
        digits.next().is_some_and(is_digit) && digits.next().is_none()
    };
    DEVICES.contains(&stem.as_str()) || numbered("com") || numbered("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_any_language_are_accepted() {
        for name in ["first", "第一次 冒险", "a-b_c.2", "Été", "com10", "console"] {
            assert_eq!(objection(name), None, "{name}");
        }
    }

    #[test]
    fn names_that_could_lead_elsewhere_are_refused() {
        for name in [
            "", ".", "..", ".git", "a/b", "a\\b", "C:", "a\0", "a\nb", "a\u{1b}[31m", " a", "a ",
            "a.", "NUL", "com1", "Lpt9.txt", "COM¹", "lpt³.txt", "con .x",
        ] {
            assert!(objection(name).is_some(), "{name:?}");
        }
        assert!(objection(&"x".repeat(65)).is_some());
        assert!(objection(&"\u{20000}".repeat(51)).is_some());
    }
}
