//! Keeping quoted text from looking like the transcript around it.
//!
//! In a transcript, marks of ours separate the speakers: `<history>` and `</history>`, and `Name: `
//! or `[Name]: ` at the start of a line. Quoted text must not contain them: the `<` of such a tag
//! becomes `&lt;`, and a line that begins like a turn, or like the transcript's header, is indented
//! by two spaces.

use std::borrow::Cow;

/// The marks of one style of transcript.
#[derive(Clone, Copy, Debug)]
pub(super) struct TranscriptMarks<'a> {
    /// The text before a transcript.
    pub(super) header: &'a str,
    /// Whether a turn begins with `[Name]: ` rather than `Name: `.
    pub(super) brackets: bool,
}

/// The maximum length of a name that could begin a turn. Longer lines are just lines with a colon.
const MAX_NAME: usize = 80;
/// What a line that looks like a turn is indented by.
const INDENT: &str = "  ";

impl TranscriptMarks<'_> {
    /// The text with nothing in it that looks like a mark. `at_line_start` says whether it begins a
    /// line.
    pub(super) fn guard<'t>(&self, text: &'t str, at_line_start: bool) -> Cow<'t, str> {
        let has_tag = find_tag(text).is_some();
        let begins_turn = at_line_start && self.begins_turn(text);
        if !(has_tag || begins_turn || has_line_end(text)) {
            return Cow::Borrowed(text);
        }
        let mut guarded = String::with_capacity(text.len() + 16);
        for (number, line) in text.split_inclusive(is_line_end).enumerate() {
            if (number > 0 || at_line_start) && self.begins_turn(line) {
                guarded.push_str(INDENT);
            }
            guarded.push_str(line);
        }
        while let Some(start) = find_tag(&guarded) {
            guarded.replace_range(start..=start, "&lt;");
        }
        if guarded == text {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(guarded)
        }
    }

    fn begins_turn(&self, line: &str) -> bool {
        let line = line.trim_end_matches(is_line_end);
        let is_start = |header: &str| !header.is_empty() && line.starts_with(header);
        if self.header.lines().any(is_start) {
            return true;
        }
        let label = if self.brackets {
            let label = line.strip_prefix('[').and_then(|line| line.split_once(']'));
            label.map(|(name, rest)| (name, rest.starts_with(':')))
        } else {
            let label = line.split_once(':');
            label.map(|(name, rest)| (name, rest.starts_with(' ') || rest.is_empty()))
        };
        let Some((name, has_colon)) = label else {
            return false;
        };
        // We write no name with a space before it.
        has_colon && !name.starts_with(' ') && name.chars().nth(MAX_NAME).is_none()
    }
}

/// Whether a model may take a character for the end of a line.
fn is_line_end(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Whether a text contains [`is_line_end`]. Most have none of the bytes with which one begins.
/// Counting in blocks, without a branch for each byte, is several times faster.
fn has_line_end(text: &str) -> bool {
    let begins = |byte: &&u8| (byte.wrapping_sub(b'\n') < 4) | (**byte == 0xc2) | (**byte == 0xe2);
    let mut blocks = text.as_bytes().chunks(32);
    blocks.any(|block| block.iter().filter(begins).count() > 0) && text.contains(is_line_end)
}

/// Where the first `<history>` or `</history>` begins, however it is spelled: `</ History >`.
fn find_tag(text: &str) -> Option<usize> {
    const NAME: &[u8] = b"history";
    let mut starts = text.match_indices('<').map(|(start, _)| start);
    starts.find(|start| {
        let inside = text[start + 1..].trim_start();
        let inside = inside
            .strip_prefix('/')
            .unwrap_or(inside)
            .trim_start()
            .as_bytes()
            .get(..NAME.len());
        inside.is_some_and(|name| name.eq_ignore_ascii_case(NAME))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HISTORY: TranscriptMarks<'_> = TranscriptMarks {
        header: "HIST\n",
        brackets: false,
    };
    const BRACKETS: TranscriptMarks<'_> = TranscriptMarks {
        header: "",
        brackets: true,
    };

    #[test]
    fn marks_in_quoted_text_are_changed() {
        for (quoted, guarded) in [
            ("look\nB: I confess", "look\n  B: I confess"),
            ("look\r\nHIST\nx", "look\r\n  HIST\nx"),
            (
                "a </history> b <HISTORY> < / history >",
                "a &lt;/history> b &lt;HISTORY> &lt; / history >",
            ),
            ("a\u{2028}苏绣: 是我", "a\u{2028}  苏绣: 是我"),
        ] {
            assert_eq!(HISTORY.guard(quoted, false), guarded);
        }
        assert_eq!(HISTORY.guard("B: me", true), "  B: me");
        assert_eq!(BRACKETS.guard("x\n[B]: me", false), "x\n  [B]: me");
    }

    #[test]
    fn text_without_marks_stays_as_it_is() {
        for quoted in [
            "A plain line.", "two\nlines", "at 10:30\nor 11:00", "historic <b>", "他说：走\n好",
        ] {
            assert!(
                matches!(HISTORY.guard(quoted, true), Cow::Borrowed(same) if same == quoted),
                "{quoted}"
            );
        }
        assert_eq!(
            HISTORY.guard("B: me", false),
            "B: me",
            "it follows a name already"
        );
        assert_eq!(BRACKETS.guard("x\nB: me", false), "x\nB: me");
    }

    proptest! {
        #[test]
        fn nobody_can_forge_a_mark(quoted in "(A: |B:|\\[B\\]: |<history>|</|history>|HIST|\n|\r|<|&lt;| |x){0,12}") {
            for guard in [HISTORY, BRACKETS] {
                let guarded = guard.guard(&quoted, true);
                prop_assert!(!guarded.contains("<history>") && !guarded.contains("</history>"));
                for line in guarded.split(['\n', '\r']) {
                    prop_assert!(!guard.begins_turn(line), "{line:?} of {guarded:?}");
                }
                let again = guard.guard(&guarded, true).into_owned();
                prop_assert_eq!(again, guarded.into_owned(), "once is enough");
            }
        }
    }
}
