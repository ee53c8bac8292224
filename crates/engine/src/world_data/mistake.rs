//! Errors of the RON parser, explained for people who write files.

use ron::error::Error;

use crate::locale::{Argument, UiText, text};
use crate::wording::nearest;

/// How much of a file a mistake makes unusable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Part,
    /// No part: only a comma is missing.
    Comma,
    /// The rest of the file.
    File,
}

/// A mistake of form, explained.
pub(super) struct Mistake {
    pub(super) message: UiText,
    pub(super) help: UiText,
    pub(super) scope: Scope,
    /// The field that an unknown one was probably meant to be.
    pub(super) meant: Option<&'static str>,
}

/// Explains an error of the parser at `found`. `inside`: the parser stopped in the middle of it.
pub(super) fn explain(error: &Error, found: &str, inside: bool) -> Mistake {
    let scope = scope(error, inside);
    let (message, help) = match error {
        Error::NoSuchStructField {
            expected, found, ..
        } => (
            text!(world_data_unknown_field, field = short(found)),
            meant(found, expected),
        ),
        Error::NoSuchEnumVariant {
            expected, found, ..
        } => (
            text!(world_data_unknown_value, value = short(found)),
            meant(found, expected),
        ),
        Error::MissingStructField { field, .. } => (
            text!(world_data_missing_field, field = *field),
            text!(world_data_add_field, field = *field),
        ),
        Error::DuplicateStructField { field, .. } => (
            text!(world_data_duplicate_field, field = *field),
            text!(world_data_keep_one),
        ),
        Error::Eof => (
            text!(world_data_unexpected_end),
            text!(world_data_close_all),
        ),
        Error::ExpectedMapColon => (
            text!(world_data_expected_colon),
            text!(world_data_write_field),
        ),
        Error::ExpectedComma if scope == Scope::Comma => {
            (text!(world_data_missing_comma), text!(world_data_add_comma))
        }
        error => (unexpected(found), expected(error, found)),
    };
    let meant = match error {
        Error::NoSuchStructField {
            expected, found, ..
        } => nearest(found, expected.iter().copied()),
        _ => None,
    };
    Mistake {
        message,
        help,
        scope,
        meant,
    }
}

fn scope(error: &Error, inside: bool) -> Scope {
    match error {
        Error::ExpectedComma if !inside => Scope::Comma,
        Error::Eof
        | Error::ExpectedStringEnd
        | Error::UnclosedBlockComment
        | Error::TrailingCharacters => Scope::File,
        _ => Scope::Part,
    }
}

/// The name that was meant, or all names.
fn meant(found: &str, expected: &[&str]) -> UiText {
    match nearest(found, expected.iter().copied()) {
        Some(name) => text!(world_data_did_you_mean, name),
        None if expected.is_empty() => text!(world_data_remove_it),
        None => {
            // Of two spellings, the one with a capital letter.
            let is_other = |name: &str| {
                let mut all = expected.iter();
                all.any(|other| *other != name && other.to_lowercase() == name)
            };
            let names = expected.iter().filter(|name| !is_other(name));
            text!(world_data_expected_one_of, names = Argument::list(names))
        }
    }
}

fn unexpected(found: &str) -> UiText {
    match short(found) {
        found if found.is_empty() => text!(world_data_unexpected_here),
        found => text!(world_data_unexpected, found),
    }
}

/// The beginning of the first line.
fn short(found: &str) -> String {
    let line = found.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(40).collect();
    if !short.is_empty() && short.len() < found.len() {
        short.push('…');
    }
    short
}

fn expected(error: &Error, found: &str) -> UiText {
    match error {
        _ if [")", "]", "}"].contains(&found) => text!(world_data_close_bracket),
        Error::ExpectedString => text!(world_data_quote_text),
        Error::ExpectedInteger => text!(world_data_write_integer),
        Error::ExpectedComma if found.contains('.') => {
            text!(world_data_write_integer_without_point)
        }
        Error::IntegerOutOfBounds => text!(world_data_write_smaller_number),
        Error::ExpectedBoolean => text!(world_data_write_boolean),
        Error::ExpectedArray | Error::ExpectedArrayEnd => text!(world_data_write_list),
        Error::ExpectedStructLike
        | Error::ExpectedNamedStructLike(_)
        | Error::ExpectedDifferentStructName { .. }
        | Error::ExpectedStructLikeEnd => text!(world_data_write_fields),
        Error::ExpectedIdentifier if found.starts_with('"') => {
            text!(world_data_write_without_quotes)
        }
        Error::ExpectedIdentifier if found.starts_with(['[', '(']) => {
            text!(world_data_write_word_before)
        }
        Error::ExpectedIdentifier
        | Error::InvalidIdentifier(_)
        | Error::SuggestRawIdentifier(_) => text!(world_data_write_field),
        Error::InvalidEscape(_) => text!(world_data_escapes),
        Error::ExpectedStringEnd | Error::UnclosedBlockComment => {
            text!(world_data_unexpected_end_close)
        }
        Error::TrailingCharacters => text!(world_data_bracket_closed),
        Error::ExceededRecursionLimit => text!(world_data_too_deep),
        error => UiText::verbatim(error),
    }
}
