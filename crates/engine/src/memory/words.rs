//! The words of a text as the index keeps them: hashes of stems, and of single characters of
//! scripts that write no spaces.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use foldhash::fast::FixedState;
use indexmap::IndexMap;
use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation;

use crate::wording::Fnv;

/// The longest word that is read; more is not a word.
const LONGEST: usize = 64;

static STOP: LazyLock<BTreeMap<&str, ()>> = LazyLock::new(|| {
    let words = include_str!("english/stop.txt").split_whitespace();
    words.map(|word| (word, ())).collect()
});

static CHINESE_STOP: LazyLock<BTreeMap<char, ()>> = LazyLock::new(|| {
    let chars = include_str!("chinese/stop.txt").chars();
    chars
        .filter(|char| !char.is_whitespace())
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
/// The most texts whose words a thread remembers, and the most bytes of one.
const REMEMBERED_TEXTS: usize = 1_024;
const REMEMBERED_BYTES: usize = 1_024;

thread_local! {
    static REMEMBERED_WORDS: RefCell<Remembered<Meaning>> = RefCell::default();
    static READ_TEXTS: RefCell<Remembered<Arc<[Span]>>> = RefCell::default();
}

/// What is remembered of texts.
type Remembered<T> = IndexMap<Box<str>, T, FixedState>;

#[derive(Clone, Copy)]
struct Span {
    start: u32,
    len: u8,
    is_character: bool,
    meaning: Meaning,
}

/// What a written word means to the index.
#[derive(Clone, Copy, Debug)]
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
            stem: term(&lower),
        };
        if remembered.len() >= REMEMBERED {
            remembered.clear();
        }
        remembered.insert(word.into(), meaning);
        meaning
    })
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'t> {
    /// As it is written, without an ending after an apostrophe.
    pub(super) text: &'t str,
    /// Where it begins in the text.
    pub(super) start: usize,
    /// Whether it is one character of a script without spaces.
    pub(super) is_character: bool,
    meaning: Meaning,
}

impl Word<'_> {
    /// Whether it says nothing of what a text is about.
    pub(super) fn is_stop(&self) -> bool {
        self.meaning.is_stop
    }

    /// Whether the index leaves it out. It keeps all characters of scripts without spaces, since
    /// each is in words that say something.
    pub(super) fn is_left_out(&self) -> bool {
        self.is_stop() && !self.is_character
    }

    /// What stands for the word in the index.
    pub(super) fn term(&self) -> u32 {
        self.meaning.stem
    }

    /// Whether it begins with a capital letter.
    pub(super) fn is_capitalized(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }
}

/// What stands for a lower-case word in the index.
pub(super) fn term(word: &str) -> u32 {
    let base = IRREGULAR.get(word).copied().unwrap_or(word);
    if base.is_ascii() {
        hash(&STEMMER.stem(base))
    } else {
        hash(base)
    }
}

/// The words of a text, in order.
pub(super) fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let spans = spans(text);
    (0..spans.len()).filter_map(move |number| {
        let span = spans.get(number)?;
        let start = span.start as usize;
        Some(Word {
            text: text.get(start..start + usize::from(span.len))?,
            start,
            is_character: span.is_character,
            meaning: span.meaning,
        })
    })
}

/// The words of a text, from those remembered if it was read before: all who hear something
/// remember the same text.
fn spans(text: &str) -> Arc<[Span]> {
    if text.len() > REMEMBERED_BYTES {
        return read(text);
    }
    READ_TEXTS.with_borrow_mut(|remembered| {
        if let Some(spans) = remembered.get(text) {
            return spans.clone();
        }
        let spans = read(text);
        if remembered.len() >= REMEMBERED_TEXTS {
            remembered.clear();
        }
        remembered.insert(text.into(), spans.clone());
        spans
    })
}

fn read(text: &str) -> Arc<[Span]> {
    text.unicode_word_indices()
        .filter_map(|(start, word)| span(start, word))
        .collect()
}

fn span(start: usize, text: &str) -> Option<Span> {
    let first = text.chars().next()?;
    let is_character = writes_no_spaces(first);
    // Of "won't" and its like, nothing is left that says something.
    let cut = text.find(['\'', '’']);
    let ending = cut.and_then(|cut| text.get(cut..)).unwrap_or_default();
    let is_denial = ending
        .trim_start_matches(['\'', '’'])
        .eq_ignore_ascii_case("t");
    let text = cut.and_then(|cut| text.get(..cut)).unwrap_or(text);
    let is_word = !text.is_empty() && text.len() <= LONGEST && !is_denial;
    is_word.then(|| Span {
        start: start as u32,
        len: text.len() as u8,
        is_character,
        meaning: if is_character {
            Meaning {
                is_stop: CHINESE_STOP.contains_key(&first),
                stem: hash(text),
            }
        } else {
            meaning(text)
        },
    })
}

/// The words of a text, or characters of scripts without spaces, in order, each as a number that
/// equal words have.
pub fn vocabulary(text: &str) -> impl Iterator<Item = u32> {
    words(text).map(|word| hash(&word.text.to_lowercase()))
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
        let term = word.term();
        if !word.is_character {
            found.push([term, term]);
            continue;
        }
        if let Some((_, before)) = last.filter(|(end, _)| *end == word.start) {
            found.push([before, term]);
        }
        before = Some((word.start + word.text.len(), term));
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

/// Two words of the same hash are taken for one; among ten thousand words that is rarer than once
/// in fifty indexes.
fn hash(text: &str) -> u32 {
    Fnv::of(text).folded()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<u32> {
        let kept = words(text).filter(|word| !word.is_stop());
        kept.map(|word| word.term()).collect()
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
        let texts: Vec<_> = words("渡口的船ok").map(|word| word.text).collect();
        assert_eq!(texts, ["渡", "口", "的", "船", "ok"]);
        assert_eq!(terms("渡口的船").len(), 3);
    }
}
