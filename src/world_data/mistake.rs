//! Mistakes of form in RON, in words that a writer understands.

use ron::error::Error;

use super::names::nearest;

/// What a mistake breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The part it stands in.
    Part,
    /// Nothing: a comma is missing.
    Comma,
    /// All that follows.
    Fatal,
}

/// A mistake in words.
pub(super) struct Mistake {
    pub(super) wrong: String,
    pub(super) right: String,
    pub(super) kind: Kind,
    /// The field that an unknown one was likely meant to be.
    pub(super) meant: Option<&'static str>,
}

/// Says what is wrong where `found` stands. `inside`: the reader stopped in the middle of it.
pub(super) fn explain(error: &Error, found: &str, inside: bool) -> Mistake {
    let kind = kind(error, inside);
    let (wrong, right) = match error {
        Error::NoSuchStructField {
            expected, found, ..
        } => (
            format!("there is no field `{found}` here"),
            meant(found, expected),
        ),
        Error::NoSuchEnumVariant {
            expected, found, ..
        } => (
            format!("there is no `{found}` here"),
            meant(found, expected),
        ),
        Error::MissingStructField { field, .. } => (
            format!("the field `{field}` is missing"),
            format!("add `{field}: …`"),
        ),
        Error::DuplicateStructField { field, .. } => (
            format!("the field `{field}` stands here twice"),
            "keep one of them".into(),
        ),
        Error::Eof => (
            "the file ends too early".into(),
            "close every quote, comment and bracket".into(),
        ),
        Error::ExpectedMapColon => (
            "a `:` is missing here".into(),
            "write a field: name: value".into(),
        ),
        Error::ExpectedComma if kind == Kind::Comma => (
            "a comma is missing before this".into(),
            "put a `,` after what stands before, or close its quotes".into(),
        ),
        other => (not_what_belongs(found), belongs(other, found)),
    };
    let meant = match error {
        Error::NoSuchStructField {
            expected, found, ..
        } => nearest(found, expected.iter().copied()),
        _ => None,
    };
    Mistake {
        wrong,
        right,
        kind,
        meant,
    }
}

fn kind(error: &Error, inside: bool) -> Kind {
    match error {
        Error::ExpectedComma if !inside => Kind::Comma,
        Error::Eof
        | Error::ExpectedStringEnd
        | Error::UnclosedBlockComment
        | Error::TrailingCharacters => Kind::Fatal,
        _ => Kind::Part,
    }
}

/// The name that was meant, else all there are.
fn meant(found: &str, expected: &[&str]) -> String {
    match nearest(found, expected.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None if expected.is_empty() => "take it away".into(),
        None => format!("here may stand: {}", expected.join(", ")),
    }
}

fn not_what_belongs(found: &str) -> String {
    let line = found.lines().next().unwrap_or_default();
    let short: String = line.chars().take(40).collect();
    let more = if short.len() < found.len() { "…" } else { "" };
    match short.is_empty() {
        true => "something else belongs here".into(),
        false => format!("`{short}{more}` does not belong here"),
    }
}

fn belongs(error: &Error, found: &str) -> String {
    let right = match error {
        _ if [")", "]", "}"].contains(&found) => "close what was opened last, or complete it",
        Error::ExpectedString => "write a text in quotes: \"…\", or r#\"…\"# for a long one",
        Error::ExpectedInteger => "write a whole number",
        Error::ExpectedComma if found.contains('.') => "write a whole number, without a point",
        Error::IntegerOutOfBounds => "write a smaller number",
        Error::ExpectedBoolean => "write true or false",
        Error::ExpectedArray | Error::ExpectedArrayEnd => "write a list: [ … , … ]",
        Error::ExpectedStructLike
        | Error::ExpectedNamedStructLike(_)
        | Error::ExpectedStructLikeEnd => "write its fields in round brackets: ( name: value, … )",
        Error::ExpectedIdentifier if found.starts_with('"') => "write the word without quotes",
        Error::ExpectedIdentifier
        | Error::InvalidIdentifier(_)
        | Error::SuggestRawIdentifier(_) => "write a field: name: value",
        Error::InvalidEscape(_) => {
            "after a backslash only \\n \\t \\r \\\\ \\\" \\0 \\x.. \\u{..} may stand; in r#\"…\"# a backslash is one"
        }
        Error::ExpectedStringEnd | Error::UnclosedBlockComment => {
            "the file ends too early: close every quote, comment and bracket"
        }
        Error::TrailingCharacters => {
            "the outermost bracket is closed before this: one `)` too many?"
        }
        Error::ExceededRecursionLimit => "too many brackets stand in each other",
        other => return other.to_string(),
    };
    right.into()
}
