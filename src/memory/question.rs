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
        let words = words(name).map(|word| word.text.to_lowercase());
        Self {
            name: name.to_owned(),
            words: words.collect(),
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

    /// The words of a question, also given in lower case, that name it: all of the name, one of its
    /// parts, or the beginning of its first part.
    fn named_by<'q>(&self, text: &str, all: &[Word<'q>], lower: &[String]) -> Vec<&'q str> {
        if self.name.contains(writes_no_spaces) && !text.contains(&self.name) {
            return Vec::new();
        }
        let is_short = |word: &str| {
            let first = self.words.first();
            first.is_some_and(|first| first.starts_with(word) && first.len() > word.len())
        };
        let names = |(word, lower): &(&Word<'q>, &String)| {
            self.words.contains(lower)
                || (lower.len() >= 3 && word.is_capitalized() && is_short(lower))
        };
        let own = all.iter().zip(lower).filter(names);
        // "the" in "The Hall" names nobody.
        let own = own.filter(|(word, _)| word.is_character || !word.is_stop());
        own.map(|(word, _)| word.text).collect()
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
            let lower = all.iter().map(|word| word.text.to_lowercase());
            let lower: Vec<_> = lower.collect();
            for (number, speaker) in (0..).zip(speakers) {
                let own = speaker.named_by(&asked, &all, &lower);
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
            question.add_pairs(&all, 1.0);
        }
        if parts.has(Part::Related) {
            question.add_related(&asked, parts);
        }
        question.terms.truncate(MAX_TERMS);
        question
    }

    fn add_pairs(&mut self, all: &[Word<'_>], weight: f32) {
        for pair in all.windows(2) {
            let [one, other] = pair else { continue };
            let is_joined = one.is_character
                && other.is_character
                && one.at + one.text.len() == other.at
                && !(one.is_stop() && other.is_stop());
            if !is_joined || self.pairs.len() >= MAX_WORDS {
                continue;
            }
            let text = format!("{}{}", one.text, other.text);
            if self.pairs.iter().all(|(known, ..)| *known != text) {
                self.pairs
                    .push((text, [one.term(true), other.term(true)], weight));
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
                self.add_pairs(&others, weight);
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

/// A question without the words that only make it one, which in Chinese are of characters that
/// other words are of, too.
fn without_asking(text: &str) -> Cow<'_, str> {
    if !text.contains(writes_no_spaces) {
        return text.into();
    }
    let asking = include_str!("chinese/asking.txt").split_whitespace();
    let without = asking.fold(text.to_owned(), |text, word| text.replace(word, " "));
    without.into()
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
