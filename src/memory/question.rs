//! What a question asks for: terms with weights, people, times.

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

/// A question that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Question {
    /// What to look for, each with its weight.
    pub(super) terms: Vec<(u32, f32)>,
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

impl Question {
    /// Reads a question. The people are those who speak, by number.
    pub(super) fn read(text: &str, speakers: &[String], parts: Parts) -> Self {
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
        let all: Vec<Word<'_>> = words(text).collect();
        let mut named: BTreeSet<&str> = BTreeSet::new();
        if parts.has(Part::Speakers) {
            for (number, name) in (0..).zip(speakers) {
                let own = words_of_name(&all, text, name);
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
                question.terms.push((term, 1.0));
            }
        }
        if parts.has(Part::Pairs) {
            question.add_pairs(&all, 1.0);
        }
        if parts.has(Part::Related) {
            question.add_related(text, parts);
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
        for (word, _) in own {
            for &(other, weight) in related(word) {
                self.add_term(other, weight);
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
                    self.add_term(other.term(parts.has(Part::Stems)), share);
                }
                self.add_pairs(&others, weight);
            }
        }
    }

    fn add_term(&mut self, term: u32, weight: f32) {
        match self.terms.iter_mut().find(|(known, _)| *known == term) {
            Some((_, known)) => *known = known.max(weight),
            None => self.terms.push((term, weight)),
        }
    }
}

/// The words of a question that name somebody: all of the name, one of its parts, or the beginning
/// of its first part.
fn words_of_name<'q>(all: &[Word<'q>], text: &'q str, name: &str) -> Vec<&'q str> {
    if name.contains(writes_no_spaces) {
        if !text.contains(name) {
            return Vec::new();
        }
        let own = words(name).map(|word| word.text).collect::<Vec<_>>();
        let is_own = |word: &&Word<'q>| own.contains(&word.text);
        return all.iter().filter(is_own).map(|word| word.text).collect();
    }
    let own: Vec<_> = words(name).map(|word| word.text.to_lowercase()).collect();
    let names = |word: &&Word<'q>| {
        let lower = word.text.to_lowercase();
        let is_short = |first: &String| {
            lower.len() >= 3 && first.starts_with(&lower) && first.len() > lower.len()
        };
        // "the" in "The Hall" names nobody.
        !word.is_stop()
            && (own.contains(&lower)
                || (word.is_capitalized() && own.first().is_some_and(is_short)))
    };
    all.iter().filter(names).map(|word| word.text).collect()
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
        let speakers = ["Odile Marsh".to_owned(), "Bob".to_owned()];
        let parts = Parts::default().with(Part::Stems).with(Part::StopWords);
        let parts = parts.with(Part::Speakers);
        let question = Question::read("What did Odile sing to Bobby?", &speakers, parts);
        assert_eq!(question.people, BTreeSet::from([0]));
        assert_eq!(question.terms.len(), 2);
        let question = Question::read("What did Bob's horse eat?", &speakers, parts);
        assert_eq!(question.people, BTreeSet::from([1]));
        assert_eq!(
            question.terms,
            [(term("horse", true), 1.0), (term("eat", true), 1.0)]
        );
    }
}
