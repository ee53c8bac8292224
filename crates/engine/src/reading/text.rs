//! Characters as models write them.

use crate::wording::is_invisible;

/// Whether a character is seen as nothing: white space of any kind, and what has no width.
pub(super) fn is_blank(char: char) -> bool {
    char.is_whitespace() || is_invisible(char)
}

/// The ASCII character of which this is the full-width form.
pub(super) fn narrow(char: char) -> char {
    match char {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(char) - 0xfee0).unwrap_or(char),
        char => char,
    }
}
