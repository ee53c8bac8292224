//! What a question asks for: terms with weights, people, times.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::lexicon::{related, related_in};
use super::parts::{Part, Parts};
use super::time::{Time, asks_when, times};
use super::words::{Word, words, writes_no_spaces};

/// The maximum number of different words of a question that count, and of all terms with those
/// that are related.
const MAX_WORDS: usize = 64;
const MAX_TERMS: usize = 512;
/// How much of a question is read.
const MAX_BYTES: usize = 128 * 1024;

/// Something to look for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Term {
    pub(super) term: u32,
    pub(super) weight: f32,
    /// The term of the question that it is related to; `None` for one of the question itself.
    pub(super) related_to: Option<u32>,
}

impl Term {
    fn asked(term: u32) -> Self {
        Self {
            term,
            weight: 1.0,
            related_to: None,
        }
    }
}

/// A question that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Question {
    /// What to look for, those that are related after those that were asked for.
    pub(super) terms: Vec<Term>,
    /// The terms of the names of people who speak in the index.
    pub(super) names: Vec<u32>,
    /// The numbers of the people who are named.
    pub(super) people: BTreeSet<u16>,
    /// The pairs of characters of a script without spaces, each with the terms of both and its
    /// weight.
    pub(super) pairs: Vec<(String, [u32; 2], f32)>,
    /// The times it names.
    pub(super) times: Vec<Time>,
    /// Whether it asks when.
    pub(super) asks_when: bool,
}

/// Somebody who speaks in an index.
#[derive(Clone, Debug)]
pub(super) struct Speaker {
    pub(super) name: String,
    /// The words of the name, in lower case.
    words: Vec<String>,
}

impl Speaker {
    pub(super) fn new(name: &str) -> Self {
        let lower = |word: Word<'_>| word.text.chars().flat_map(char::to_lowercase).collect();
        Self {
            name: name.to_owned(),
            words: words(name).map(lower).collect(),
        }
    }

    /// The memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let words = self
            .words
            .iter()
            .map(|word| word.capacity() + size_of::<String>());
        size_of::<Self>() + self.name.capacity() + words.sum::<usize>()
    }

    /// The words of a question that name it: all of the name, one of its parts, or the beginning of
    /// its first part.
    fn named_by<'q>(&self, text: &str, all: &[Word<'q>]) -> Vec<&'q str> {
        if self.name.contains(writes_no_spaces) && !text.contains(&self.name) {
            return Vec::new();
        }
        let is_short = |word: &Word<'_>| {
            let rest = self.words.first().and_then(|it| after(it, word.text));
            word.text.len() >= 3 && word.is_capitalized() && rest.is_some()
        };
        let names = |word: &&Word<'q>| {
            let mut own = self.words.iter();
            own.any(|own| after(own, word.text) == Some("")) || is_short(word)
        };
        let own = all.iter().filter(names);
        // "the" in "The Hall" names nobody.
        let own = own.filter(|word| word.is_character || !word.is_stop());
        own.map(|word| word.text).collect()
    }
}

impl Question {
    /// Reads a question. The people are those who speak, by number.
    pub(super) fn read(text: &str, speakers: &[Speaker], parts: Parts) -> Self {
        let text = beginning(text);
        let mut question = Self {
            asks_when: parts.has(Part::Times) && asks_when(text),
            times: if parts.has(Part::Times) {
                times(text)
            } else {
                Vec::new()
            },
            ..Self::default()
        };
        let asked = without_asking(text);
        let all: Vec<Word<'_>> = words(&asked).collect();
        let mut named: BTreeSet<&str> = BTreeSet::new();
        if parts.has(Part::Speakers) {
            for (number, speaker) in (0..).zip(speakers) {
                let own = speaker.named_by(&asked, &all);
                if !own.is_empty() {
                    question.people.insert(number);
                    named.extend(own);
                }
            }
        }
        let mut distinct = BTreeSet::new();
        for word in &all {
            if parts.has(Part::StopWords) && word.is_stop() {
                continue;
            }
            let term = word.term(parts.has(Part::Stems));
            if named.contains(word.text) {
                if !question.names.contains(&term) {
                    question.names.push(term);
                }
            } else if distinct.len() < MAX_WORDS && distinct.insert(term) {
                question.terms.push(Term::asked(term));
            }
        }
        if parts.has(Part::Pairs) {
            question.add_pairs(&asked, &all, 1.0);
        }
        if parts.has(Part::Related) {
            question.add_related(&asked, parts);
        }
        question.terms.truncate(MAX_TERMS);
        question
    }

    /// Adds the pairs of a text's words.
    fn add_pairs(&mut self, text: &str, all: &[Word<'_>], weight: f32) {
        for pair in all.windows(2) {
            let [one, other] = pair else { continue };
            let is_joined = one.is_character
                && other.is_character
                && one.at + one.text.len() == other.at
                && !(one.is_stop() && other.is_stop());
            if !is_joined || self.pairs.len() >= MAX_WORDS {
                continue;
            }
            let both = text.get(one.at..other.at + other.text.len());
            let is_new = |both: &&str| self.pairs.iter().all(|(known, ..)| known != both);
            if let Some(both) = both.filter(is_new) {
                let terms = [one.term(true), other.term(true)];
                self.pairs.push((both.to_owned(), terms, weight));
            }
        }
    }

    fn add_related(&mut self, text: &str, parts: Parts) {
        let own = self.terms.clone();
        for word in own {
            for &(other, weight) in related(word.term) {
                self.add_term(other, weight, Some(word.term));
            }
        }
        if text.contains(writes_no_spaces) {
            for (word, weight) in related_in(text) {
                let others: Vec<_> = words(word).collect();
                for other in &others {
                    // A single character is in many words.
                    let share = if others.len() == 1 {
                        weight
                    } else {
                        weight * 0.5
                    };
                    self.add_term(other.term(parts.has(Part::Stems)), share, None);
                }
                self.add_pairs(word, &others, weight);
            }
        }
    }

    fn add_term(&mut self, term: u32, weight: f32, related_to: Option<u32>) {
        match self.terms.iter_mut().find(|known| known.term == term) {
            Some(known) => known.weight = known.weight.max(weight),
            None => self.terms.push(Term {
                term,
                weight,
                related_to,
            }),
        }
    }
}

/// What follows a word in a lower-case text that begins with it; `None` if it does not.
fn after<'l>(lower: &'l str, word: &str) -> Option<&'l str> {
    let mut rest = lower.chars();
    let mut own = word.chars().flat_map(char::to_lowercase);
    own.all(|char| rest.next() == Some(char))
        .then(|| rest.as_str())
}

/// A question without the words that only make it one, which in Chinese are of characters that
/// other words are of, too.
fn without_asking(text: &str) -> Cow<'_, str> {
    if !text.contains(writes_no_spaces) {
        return text.into();
    }
    let mut without = Cow::Borrowed(text);
    for word in include_str!("chinese/asking.txt").split_whitespace() {
        if without.contains(word) {
            without = without.replace(word, " ").into();
        }
    }
    without
}

/// What is read of a long text.
fn beginning(text: &str) -> &str {
    let end = text.floor_char_boundary(MAX_BYTES);
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::words::term;

    #[test]
    fn people_are_taken_out_of_the_words() {
        let speakers = ["Odile Marsh", "Bob"].map(Speaker::new);
        let parts = Parts::default().with(Part::Stems).with(Part::StopWords);
        let parts = parts.with(Part::Speakers);
        let question = Question::read("What did Odile sing to Bobby?", &speakers, parts);
        assert_eq!(question.people, BTreeSet::from([0]));
        assert_eq!(question.terms.len(), 2);
        let question = Question::read("What did Bob's horse eat?", &speakers, parts);
        assert_eq!(question.people, BTreeSet::from([1]));
        assert_eq!(
            question.terms,
            [
                Term::asked(term("horse", true)),
                Term::asked(term("eat", true))
            ]
        );
    }
}
