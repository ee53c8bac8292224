//! Common traditional characters are read as the simplified ones.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Traditional characters, each before its simplified form.
const PAIRS: &str = include_str!("traditional.txt");

static SIMPLIFIED: LazyLock<BTreeMap<char, char>> = LazyLock::new(|| {
    let mut forms = PAIRS.chars().filter(|char| !char.is_whitespace());
    std::iter::from_fn(|| Some((forms.next()?, forms.next()?))).collect()
});

/// The simplified form of a character, or the character itself.
pub(super) fn simplified(char: char) -> char {
    if char.is_ascii() {
        return char;
    }
    SIMPLIFIED.get(&char).copied().unwrap_or(char)
}
