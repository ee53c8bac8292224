//! Cuts texts that are too long.

use super::{Guard, GuardVerdict, Judged, Point};
use crate::locale::{Language, text};
use crate::wording::is_invisible;

/// Cuts a text that is too long: after a sentence that ends in the second half of what may stay, or
/// else after a word, or else after a character. An ellipsis marks the cut and counts.
#[derive(Clone, Copy, Debug)]
pub struct LengthLimit {
    /// The maximum number of characters of a text.
    pub chars: usize,
}

impl Guard for LengthLimit {
    fn name(&self) -> &str {
        "length_limit"
    }

    fn points(&self) -> &[Point] {
        &[Point::Send]
    }

    fn hides(&self) -> bool {
        false
    }

    fn judge(&self, message: &Judged<'_>) -> GuardVerdict {
        match shortened(message.text, self.chars, message.language) {
            Some(text) => GuardVerdict::Mask {
                text,
                reason: text!(event_too_long, max = self.chars),
            },
            None => GuardVerdict::Pass,
        }
    }
}

/// The text cut to the limit; `None` if it is not too long.
fn shortened(text: &str, limit: usize, language: Language) -> Option<String> {
    // A character has at least one byte.
    if text.len() <= limit {
        return None;
    }
    text.char_indices().nth(limit)?;
    let ellipsis = match language {
        Language::En => "…",
        Language::Zh => "……",
    };
    let room = limit.saturating_sub(ellipsis.chars().count());
    let kept = cut(text, room).trim_end();
    Some(kept.chars().chain(ellipsis.chars()).take(limit).collect())
}

/// The beginning of a text that fits into `room` characters and ends at a good place.
fn cut(text: &str, room: usize) -> &str {
    let end = byte_of(text, room);
    let half = byte_of(text, room / 2);
    let after_sentence = sentence_ends(&text[..end]).filter(|index| *index > half);
    // A space right behind what fits separates words, too.
    let after_word = || {
        let spaces = text
            .char_indices()
            .take_while(|(index, _)| *index <= end)
            .filter(|(index, char)| *index > half && char.is_whitespace());
        spaces.map(|(index, _)| index).last()
    };
    let cut = after_sentence
        .last()
        .or_else(after_word)
        .unwrap_or_else(|| whole_character(text, end));
    &text[..cut]
}

/// The byte at which the character of this number begins.
fn byte_of(text: &str, number: usize) -> usize {
    let start = text.char_indices().nth(number);
    start.map_or(text.len(), |(index, _)| index)
}

/// The bytes at which sentences have ended, closing quotes included.
fn sentence_ends(text: &str) -> impl Iterator<Item = usize> {
    const ENDS: &[char] = &['.', '!', '?', '…', '。', '！', '？', '\n'];
    const CLOSING: &[char] = &['"', '\'', ')', '”', '’', '」', '』', '）', '》'];
    text.match_indices(ENDS).filter_map(|(start, end)| {
        let after = &text[start + end.len()..];
        let rest = after.trim_start_matches(CLOSING);
        // The dot of 3.5 ends nothing.
        let is_inside = end == "." && rest.starts_with(|next: char| !next.is_whitespace());
        (!is_inside).then_some(text.len() - rest.len())
    })
}

/// The last byte up to `end` that splits no joined character, such as an emoji of several parts.
fn whole_character(text: &str, end: usize) -> usize {
    const JOINER: char = '\u{200D}';
    let is_joined = |index: &usize| {
        let continues = |char: char| {
            is_invisible(char) || matches!(char, '\u{300}'..='\u{36F}' | '\u{1F3FB}'..='\u{1F3FF}')
        };
        text[*index..].starts_with(continues) || text[..*index].ends_with(JOINER)
    };
    let before = text[..end].char_indices().rev().map(|(index, _)| index);
    let mut candidates = std::iter::once(end).chain(before);
    candidates.find(|index| !is_joined(index)).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::each_row;

    #[test]
    fn the_cut_is_after_a_sentence_a_word_or_a_character() {
        each_row(
            "
            He left. She stayed for a while. => 20 => en => He left. She stayed…
            He left. She stayed for a while. => 12 => en => He left.…
            Price 3.50 and more => 12 => en => Price 3.50…
            他走了。她还留在那里很久很久。 => 8 => zh => 他走了。……
            一直走一直走一直走 => 6 => zh => 一直走一……
            🧙‍♂️🧙‍♂️🧙‍♂️ => 7 => en => 🧙‍♂️…
            abc => 1 => zh => …
            ",
            |[text, limit, language, cut]| {
                let limit = limit.parse().expect("a number");
                let language = if language == "zh" {
                    Language::Zh
                } else {
                    Language::En
                };
                assert_eq!(shortened(text, limit, language).as_deref(), Some(cut));
            },
        );
        assert_eq!(shortened("abc", 0, Language::En).as_deref(), Some(""));
    }

    #[test]
    fn a_text_within_the_limit_passes() {
        assert_eq!(shortened("正好四字", 4, Language::Zh), None);
        assert_eq!(shortened("", 0, Language::En), None);
    }

    proptest! {
        #[test]
        fn whatever_is_cut_is_within_the_limit(text in ".{0,80}", limit in 0usize..60) {
            let cut = shortened(&text, limit, Language::Zh);
            prop_assert_eq!(cut.is_some(), text.chars().count() > limit);
            prop_assert!(cut.unwrap_or_default().chars().count() <= limit);
        }
    }
}
