//! The words of a text as the index keeps them: hashes of stems, and of single characters of
//! scripts that write no spaces.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use indexmap::IndexMap;
use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation;

/// The longest word that is read; more is not a word.
const LONGEST: usize = 64;

static STOP: LazyLock<BTreeMap<&str, ()>> = LazyLock::new(|| {
    let words = include_str!("english/stop.txt").split_whitespace();
    words.map(|word| (word, ())).collect()
});

static CHINESE_STOP: LazyLock<BTreeMap<char, ()>> = LazyLock::new(|| {
    let all = include_str!("chinese/stop.txt").chars();
    all.filter(|char| !char.is_whitespace())
        .map(|char| (char, ()))
        .collect()
});

/// Forms that no stemmer knows, and short forms of everyday words, with the word itself.
static IRREGULAR: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
    let lines = include_str!("english/irregular.txt").lines();
    let pairs = lines.flat_map(|line| {
        let mut words = line.split_whitespace();
        let base = words.next().unwrap_or_default();
        words.map(move |form| (form, base))
    });
    pairs.collect()
});

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// The most words whose stems a thread remembers.
const REMEMBERED: usize = 10_000;

thread_local! {
    static REMEMBERED_WORDS: RefCell<IndexMap<Box<str>, Meaning>> = RefCell::default();
}

/// What a written word means to the index.
#[derive(Clone, Copy)]
struct Meaning {
    is_stop: bool,
    stem: u32,
}

/// That of a word with spaces around it. Stemming takes far longer than to look it up, and a story
/// repeats its words.
fn meaning(word: &str) -> Meaning {
    REMEMBERED_WORDS.with_borrow_mut(|remembered| {
        if let Some(meaning) = remembered.get(word) {
            return *meaning;
        }
        let lower = word.to_lowercase();
        let meaning = Meaning {
            is_stop: STOP.contains_key(lower.as_str()),
            stem: term(&lower, true),
        };
        if remembered.len() >= REMEMBERED {
            remembered.clear();
        }
        remembered.insert(word.into(), meaning);
        meaning
    })
}

/// A word of a text, before its form is reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<'t> {
    /// As it is written, without an ending after an apostrophe.
    pub(super) text: &'t str,
    /// Where it begins in the text.
    pub(super) at: usize,
    /// Whether it is one character of a script without spaces.
    pub(super) is_character: bool,
}

impl Word<'_> {
    /// Whether it says nothing of what a text is about.
    pub(super) fn is_stop(&self) -> bool {
        if self.is_character {
            let char = self.text.chars().next();
            return char.is_none_or(|char| CHINESE_STOP.contains_key(&char));
        }
        meaning(self.text).is_stop
    }

    /// What stands for the word in the index.
    pub(super) fn term(&self, stems: bool) -> u32 {
        if self.is_character {
            return hash(self.text);
        }
        if stems {
            meaning(self.text).stem
        } else {
            term(&self.text.to_lowercase(), false)
        }
    }

    /// Whether it begins with a capital letter.
    pub(super) fn is_capitalized(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }
}

/// What stands for a lower-case word in the index.
pub(super) fn term(word: &str, stems: bool) -> u32 {
    if !stems {
        return hash(word);
    }
    let base = IRREGULAR.get(word).copied().unwrap_or(word);
    if base.is_ascii() {
        hash(&STEMMER.stem(base))
    } else {
        hash(base)
    }
}

/// The words of a text, in order.
pub(super) fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    text.unicode_word_indices().filter_map(|(at, text)| {
        let is_character = text.chars().next().is_some_and(writes_no_spaces);
        // Of "won't" and its like, nothing is left that says something.
        let cut = text.find(['\'', '’']);
        let ending = cut.and_then(|cut| text.get(cut..)).unwrap_or_default();
        let is_denial = ending
            .trim_start_matches(['\'', '’'])
            .eq_ignore_ascii_case("t");
        let text = cut.and_then(|cut| text.get(..cut)).unwrap_or(text);
        let is_word = !text.is_empty() && text.len() <= LONGEST && !is_denial;
        is_word.then_some(Word {
            text,
            at,
            is_character,
        })
    })
}

/// The words of a text, or characters of scripts without spaces, in order, each as a number that
/// equal words have.
pub(crate) fn vocabulary(text: &str) -> impl Iterator<Item = u32> {
    words(text).map(|word| word.term(false))
}

/// What a text is about: its words that say something and, of scripts without spaces, its pairs of
/// such characters, each as the terms that the index has for it, sorted.
pub(super) fn telling(text: &str) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    let mut before: Option<(usize, u32)> = None;
    for word in words(text) {
        let last = before.take();
        if word.is_stop() {
            continue;
        }
        let term = word.term(true);
        if !word.is_character {
            found.push([term, term]);
            continue;
        }
        if let Some((_, other)) = last.filter(|(end, _)| *end == word.at) {
            found.push([other, term]);
        }
        before = Some((word.at + word.text.len(), term));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether a character is of a script in which words are not set apart.
pub(super) fn writes_no_spaces(char: char) -> bool {
    matches!(char,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}' | '\u{0e00}'..='\u{0eff}')
}

/// FNV-1a. Two words of the same hash are taken for one; among ten thousand words that is rarer
/// than once in fifty indexes.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<u32> {
        let kept = words(text).filter(|word| !word.is_stop());
        kept.map(|word| word.term(true)).collect()
    }

    #[test]
    fn forms_of_a_word_are_one() {
        assert_eq!(terms("She ran a race."), terms("running RACES"));
        assert_eq!(terms("I bought children's books"), terms("buy kid book"));
        assert_ne!(terms("won"), terms("wonder"));
        assert!(terms("won't didn’t I've").is_empty());
    }

    #[test]
    fn what_a_text_is_about_is_words_and_pairs() {
        assert_eq!(
            telling("The rope was cut."),
            telling("cut a ROPE, cut ropes")
        );
        assert_eq!(telling("渡口的船沉了").len(), 2, "渡口, 船沉");
        assert!(telling("渡。口").is_empty());
    }

    #[test]
    fn characters_without_spaces_are_words() {
        let all: Vec<_> = words("渡口的船ok").map(|word| word.text).collect();
        assert_eq!(all, ["渡", "口", "的", "船", "ok"]);
        assert_eq!(terms("渡口的船").len(), 3);
    }
}
