//! The one way in which RON texts are read: within limits, so that no small file takes much memory
//! or time.
//!
//! What is nested too deeply, has too many values or a number that is not finite is refused before
//! the parser sees it. [`Source`](super::Source) tells mistakes with their fields; [`read_ron`] is
//! for files that are told otherwise.

use ron::error::SpannedError;
use ron::extensions::Extensions;
use serde::Deserialize;

use super::mistake::{Mistake, explain};
use super::outline::{Token, Tokens};
use crate::locale::{UiText, text};

/// The longest RON text, in bytes: a world of a thousand characters from cards. The largest shipped
/// world has a fortieth of it.
pub const MAX_RON_BYTES: usize = 8 * 1024 * 1024;

const MAX_DEPTH: usize = 128;

const MAX_VALUES: usize = 100_000;

/// How many values one pair of brackets has.
const MAX_ITEMS: usize = 5_000;

/// Why a text is not read at all.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    /// Where it was found.
    pub(super) byte: usize,
    pub(super) message: UiText,
    pub(super) help: UiText,
}

#[derive(Clone, Debug)]
pub struct RonMistake {
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// Without anything that stands in the text, except for names of fields and variants.
    pub reason: UiText,
}

/// Reads a text of at most `max_bytes`.
pub fn read_ron<'a, T: Deserialize<'a>>(text: &'a str, max_bytes: usize) -> Result<T, RonMistake> {
    if let Some(Refusal { byte, message, .. }) = refusal(text, max_bytes, |_| {}) {
        let before = text.get(..byte).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        return Err(RonMistake {
            line: 1 + before.matches('\n').count(),
            column: 1 + before[line_start..].chars().count(),
            reason: message,
        });
    }
    parse(text).map_err(|error| {
        let Mistake { message, help, .. } = explain(&error.code, "", false);
        RonMistake {
            line: error.span.start.line,
            column: error.span.start.col,
            reason: text!(world_data_with_help, message, help),
        }
    })
}

/// What may be left out may be written without `Some(…)`.
pub(super) fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, SpannedError> {
    let options = ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME);
    options.from_str(text)
}

/// Why a text must not be read, if so. `see` is told each token before.
pub(super) fn refusal(
    text: &str,
    max_bytes: usize,
    mut see: impl FnMut(&Token),
) -> Option<Refusal> {
    let refused = |byte, message, help| {
        Some(Refusal {
            byte,
            message,
            help,
        })
    };
    let shorter = || text!(world_data_shorten);
    if text.len() > max_bytes {
        let message = text!(world_data_too_large, max = max_bytes);
        return refused(0, message, shorter());
    }
    let mut values = 0;
    // The number of items of each open bracket.
    let mut items: Vec<usize> = Vec::new();
    for token in Tokens::of(text) {
        see(&token);
        let start = match &token {
            Token::Open(_, span) | Token::Close(_, span) | Token::Scalar(span) => span.start,
            Token::Colon | Token::Comma => text.len(),
        };
        match token {
            Token::Open(..) => {
                values += 1;
                items.push(0);
            }
            Token::Close(..) => {
                items.pop();
            }
            Token::Scalar(span) => {
                values += 1;
                if text.get(span).is_some_and(is_not_finite) {
                    let message = text!(world_data_not_finite);
                    return refused(start, message, text!(world_data_write_finite));
                }
            }
            Token::Comma => {
                if let Some(items) = items.last_mut() {
                    *items += 1;
                }
            }
            Token::Colon => {}
        }
        if items.len() > MAX_DEPTH {
            return refused(start, text!(world_data_too_deep), UiText::default());
        }
        if values > MAX_VALUES {
            let message = text!(world_data_many_values, max = MAX_VALUES);
            return refused(start, message, shorter());
        }
        if items.last().is_some_and(|items| *items >= MAX_ITEMS) && start < text.len() {
            let message = text!(world_data_many_items, max = MAX_ITEMS);
            return refused(start, message, shorter());
        }
    }
    None
}

/// Whether a value is a number that is none, or infinite.
fn is_not_finite(value: &str) -> bool {
    let number = value.trim_start_matches(['+', '-']);
    let word = || number.trim_end_matches("f32").trim_end_matches("f64");
    let is_number = number.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    // No other number is as large.
    let is_large = number.len() > 300 || number.contains(['e', 'E']);
    let infinite = || {
        let digits = number.replace('_', "").parse::<f64>();
        digits.is_ok_and(f64::is_infinite)
    };
    // Most values are texts and names, of which none needs a closer look.
    (number.starts_with(['N', 'i']) && matches!(word(), "NaN" | "inf"))
        || (is_number && is_large && infinite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(text: &str) -> String {
        let refusal = refusal(text, MAX_RON_BYTES, |_| {});
        refusal.map_or_else(String::new, |refusal| refusal.message.to_string())
    }

    #[test]
    fn what_is_nested_too_deeply_is_refused_where_it_is_too_deep() {
        for open in ["[", "Not(", "All([", "Some(", "(a:", "{1:"] {
            let text = open.repeat(100_000);
            let refused = refusal(&text, MAX_RON_BYTES, |_| {}).expect("is refused");
            let brackets = open.matches(['[', '(', '{']).count();
            assert_eq!(refused.byte / open.len(), MAX_DEPTH / brackets, "{open}");
            assert!(reason(&text).contains("nested"), "{open}");
        }
        assert_eq!(
            reason(&format!("{}{}", "[".repeat(128), "]".repeat(128))),
            ""
        );
    }

    #[test]
    fn what_is_too_much_is_refused() {
        let list = |count: usize| format!("(actors: [{}])", "(),".repeat(count));
        assert_eq!(reason(&list(MAX_ITEMS)), "");
        assert!(reason(&list(MAX_ITEMS + 1)).contains("5000"));
        let many = format!("[{}]", list(MAX_ITEMS).repeat(21));
        assert!(reason(&many).contains("100000"));
        assert!(refusal("[1, 2]", 5, |_| {}).is_some());
    }

    #[test]
    fn numbers_are_finite() {
        for number in [
            "NaN", "inf", "-inf", "+inff32", "NaNf64", "1e999", "-1_0e9_99",
        ] {
            let text = format!("(a: 1,\n b: {number})");
            let mistake = read_ron::<ron::Value>(&text, 100).expect_err("is refused");
            assert_eq!((mistake.line, mistake.column), (2, 5), "{number}");
        }
        assert!(!reason(&"9".repeat(100_000)).is_empty());
        for text in ["1e9", "-2.5", "\"NaN\"", "info", "(a: Inf, n: 0x1e)"] {
            assert_eq!(reason(text), "", "{text}");
        }
    }

    #[test]
    fn a_mistake_has_its_position() {
        let mistake = read_ron::<Vec<u8>>("[1,\n 300]", 100).expect_err("is wrong");
        assert_eq!(mistake.line, 2, "{mistake:?}");
    }
}
