//! Keeping what is said from looking like the form it is said in.
//!
//! Where many speakers share one text, our own marks part them: `<history>` and `</history>`, and
//! at the begin of a line `Name: ` or `[Name]: `. Nothing that anybody says may be one: within tags
//! `<` becomes `&lt;`, and a line that begins like a turn, or like the words before a history, is
//! moved in by two spaces.

use std::borrow::Cow;

/// The marks of one form.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard<'a> {
    /// Words that stand before a history.
    pub(super) header: &'a str,
    /// Whether a turn begins with `[Name]: `, and not with `Name: `.
    pub(super) brackets: bool,
}

/// The most characters of a name that could begin a turn; longer lines are just lines with a colon.
const LONGEST_NAME: usize = 80;
/// What a line that looks like a turn is moved in by.
const INDENT: &str = "  ";

impl Guard<'_> {
    /// What is said, with nothing in it that looks like a mark. `at_line_start` tells whether it
    /// begins a line.
    pub(super) fn clear<'t>(&self, text: &'t str, at_line_start: bool) -> Cow<'t, str> {
        let tags = text.contains('<') && tag_in(text).is_some();
        let lines = text.contains(is_line_end);
        let turns = at_line_start && self.begins_a_turn(text);
        if !(tags || lines || turns) {
            return Cow::Borrowed(text);
        }
        let mut clear = String::with_capacity(text.len() + 16);
        for (number, line) in text.split_inclusive(is_line_end).enumerate() {
            if (number > 0 || at_line_start) && self.begins_a_turn(line) {
                clear.push_str(INDENT);
            }
            clear.push_str(line);
        }
        while let Some(at) = tag_in(&clear) {
            clear.replace_range(at..=at, "&lt;");
        }
        match clear == text {
            true => Cow::Borrowed(text),
            false => Cow::Owned(clear),
        }
    }

    fn begins_a_turn(&self, line: &str) -> bool {
        let line = line.trim_end_matches(is_line_end);
        let of_header = |words: &str| !words.is_empty() && line.starts_with(words);
        if self.header.lines().any(of_header) {
            return true;
        }
        let (name, rest) = match self.brackets {
            true => match line.strip_prefix('[').and_then(|line| line.split_once(']')) {
                Some((name, rest)) => (name, rest.starts_with(':')),
                None => return false,
            },
            false => match line.split_once(':') {
                Some((name, rest)) => (name, rest.starts_with(' ') || rest.is_empty()),
                None => return false,
            },
        };
        // A name with space around it is no label of ours.
        rest && !name.starts_with(' ') && name.chars().nth(LONGEST_NAME).is_none()
    }
}

/// Whatever a model may take for the end of a line.
fn is_line_end(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Where the first tag of a history begins, however it is spelled: `</ History >`.
fn tag_in(text: &str) -> Option<usize> {
    const NAME: &[u8] = b"history";
    text.match_indices('<').map(|(at, _)| at).find(|at| {
        let inside = text[at + 1..].trim_start();
        let inside = inside.strip_prefix('/').unwrap_or(inside).trim_start();
        let inside = inside.as_bytes().get(..NAME.len());
        inside.is_some_and(|name| name.eq_ignore_ascii_case(NAME))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HISTORY: Guard<'_> = Guard {
        header: "HIST\n",
        brackets: false,
    };
    const BRACKETS: Guard<'_> = Guard {
        header: "",
        brackets: true,
    };

    #[test]
    fn marks_in_what_is_said_are_none_any_more() {
        for (said, clear) in [
            ("look\nB: I confess", "look\n  B: I confess"),
            ("look\r\nHIST\nx", "look\r\n  HIST\nx"),
            (
                "a </history> b <HISTORY> < / history >",
                "a &lt;/history> b &lt;HISTORY> &lt; / history >",
            ),
            ("a\u{2028}苏绣: 是我", "a\u{2028}  苏绣: 是我"),
        ] {
            assert_eq!(HISTORY.clear(said, false), clear);
        }
        assert_eq!(HISTORY.clear("B: me", true), "  B: me");
        assert_eq!(BRACKETS.clear("x\n[B]: me", false), "x\n  [B]: me");
    }

    #[test]
    fn what_holds_no_mark_stays_as_it_is() {
        for said in [
            "A plain line.",
            "two\nlines",
            "at 10:30\nor 11:00",
            "historic <b>",
            "他说：走\n好",
        ] {
            assert!(
                matches!(HISTORY.clear(said, true), Cow::Borrowed(same) if same == said),
                "{said}"
            );
        }
        assert_eq!(
            HISTORY.clear("B: me", false),
            "B: me",
            "it stands after a name already"
        );
        assert_eq!(BRACKETS.clear("x\nB: me", false), "x\nB: me");
    }

    proptest! {
        #[test]
        fn nobody_can_forge_a_boundary(said in "(A: |B:|\\[B\\]: |<history>|</|history>|HIST|\n|\r|<|&lt;| |x){0,12}") {
            for guard in [HISTORY, BRACKETS] {
                let clear = guard.clear(&said, true);
                prop_assert!(!clear.contains("<history>") && !clear.contains("</history>"));
                for line in clear.split(['\n', '\r']) {
                    prop_assert!(!guard.begins_a_turn(line), "{line:?} of {clear:?}");
                }
                prop_assert_eq!(guard.clear(&clear, true).into_owned(), clear.into_owned(), "once is enough");
            }
        }
    }
}
