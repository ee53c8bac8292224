//! What a question asks for: terms with weights, people, times.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::lexicon::{related, related_in};
use super::time::{Time, asks_when, times};
use super::words::{Word, words, writes_no_spaces};

/// The maximum number of different words of a question that count, and of all terms with those
/// that are related.
const MAX_WORDS: usize = 64;
const MAX_TERMS: usize = 512;
/// How much of a question is read.
const MAX_BYTES: usize = 128 * 1024;

/// The words that make a Chinese text a question, each with its first character.
static ASKING: LazyLock<Vec<(char, &str)>> = LazyLock::new(|| {
    let words = include_str!("chinese/asking.txt").split_whitespace();
    words
        .filter_map(|word| Some((word.chars().next()?, word)))
        .collect()
});

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

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Query {
    /// What to look for, those that are related after those that were asked for.
    pub(super) terms: Vec<Term>,
    /// The terms of the names of people who speak in the index.
    pub(super) names: Vec<u32>,
    /// The numbers of the people who are named.
    pub(super) people: BTreeSet<u16>,
    /// The pairs of characters of a script without spaces.
    pub(super) pairs: Vec<Pair>,
    /// The times it names.
    pub(super) times: Vec<Time>,
    pub(super) asks_when: bool,
}

/// Two characters that stand side by side.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) text: String,
    /// The terms of both.
    pub(super) terms: [u32; 2],
    pub(super) weight: f32,
}

/// Those who speak in an index, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Speakers {
    names: Vec<String>,
    /// The words of all names, sorted.
    words: Vec<NameWord>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NameWord {
    word: String,
    of: u16,
    is_first: bool,
}

impl Speakers {
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The number of the speaker of this name; new ones are added as long as there are numbers.
    pub(super) fn number_of(&mut self, name: &str) -> Option<u16> {
        if let Some(known) = self.names.iter().position(|known| known == name) {
            return u16::try_from(known).ok();
        }
        let of = u16::try_from(self.names.len()).ok()?;
        self.names.push(name.to_owned());
        for (number, word) in words(name).enumerate() {
            self.words.push(NameWord {
                word: lower(word.text).collect(),
                of,
                is_first: number == 0,
            });
        }
        self.words.sort_unstable();
        Some(of)
    }

    /// Those whom a word of a text names: by a word of their name, or the beginning of its first.
    fn named_by(&self, word: &Word<'_>, text: &str) -> impl Iterator<Item = u16> {
        let own: String = lower(word.text).collect();
        let from = self.words.partition_point(|known| known.word < own);
        let after = self.words.get(from..).unwrap_or_default().iter();
        let length = own.len();
        let is_short = length >= 3 && word.is_capitalized();
        let begun = after.take_while(move |known| known.word.starts_with(&own));
        begun
            .filter(move |known| known.word.len() == length || (is_short && known.is_first))
            .map(|known| known.of)
            .filter(move |of| {
                let name = self.names.get(usize::from(*of)).map_or("", String::as_str);
                !name.contains(writes_no_spaces) || text.contains(name)
            })
    }
}

fn lower(word: &str) -> impl Iterator<Item = char> {
    word.chars().flat_map(char::to_lowercase)
}

impl Query {
    /// Reads a question. The people are those who speak, by number.
    pub(super) fn read(text: &str, speakers: &Speakers) -> Self {
        let text = beginning(text);
        let mut question = Self {
            asks_when: asks_when(text),
            times: times(text),
            ..Self::default()
        };
        let asked = without_asking(text);
        let asked_words: Vec<Word<'_>> = words(&asked).collect();
        let mut named: BTreeSet<&str> = BTreeSet::new();
        // "the" in "The Hall" names nobody.
        for word in asked_words.iter().filter(|word| !word.is_left_out()) {
            for person in speakers.named_by(word, &asked) {
                question.people.insert(person);
                named.insert(word.text);
            }
        }
        let mut distinct = BTreeSet::new();
        for word in &asked_words {
            if word.is_left_out() {
                continue;
            }
            let term = word.term();
            if named.contains(word.text) {
                if !question.names.contains(&term) {
                    question.names.push(term);
                }
            } else if distinct.len() < MAX_WORDS && distinct.insert(term) {
                question.terms.push(Term::asked(term));
            }
        }
        question.add_pairs(&asked, &asked_words, 1.0);
        question.add_related(&asked);
        question.terms.truncate(MAX_TERMS);
        question
    }

    /// Adds the pairs of a text's words.
    fn add_pairs(&mut self, text: &str, words: &[Word<'_>], weight: f32) {
        for pair in words.windows(2) {
            let [first, second] = pair else { continue };
            let is_joined = first.is_character
                && second.is_character
                && first.start + first.text.len() == second.start;
            if !is_joined || self.pairs.len() >= MAX_WORDS {
                continue;
            }
            let both = text.get(first.start..second.start + second.text.len());
            let is_new = |both: &&str| self.pairs.iter().all(|pair| pair.text != *both);
            if let Some(both) = both.filter(is_new) {
                self.pairs.push(Pair {
                    text: both.to_owned(),
                    terms: [first.term(), second.term()],
                    weight,
                });
            }
        }
    }

    fn add_related(&mut self, text: &str) {
        let own = self.terms.clone();
        for word in own {
            for &(kin, weight) in related(word.term) {
                self.add_term(kin, weight, Some(word.term));
            }
        }
        if text.contains(writes_no_spaces) {
            for (word, weight) in related_in(text) {
                let others: Vec<_> = words(word).collect();
                for kin in &others {
                    // A single character is in many words.
                    let share = if others.len() == 1 {
                        weight
                    } else {
                        weight * 0.5
                    };
                    self.add_term(kin.term(), share, None);
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

/// A question without the words that only make it one, which in Chinese are of characters that
/// other words are of, too.
fn without_asking(text: &str) -> Cow<'_, str> {
    if !text.contains(writes_no_spaces) {
        return text.into();
    }
    let mut without = Cow::Borrowed(text);
    for (first, word) in ASKING.iter() {
        if text.contains(*first) && without.contains(word) {
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
        let mut speakers = Speakers::default();
        assert_eq!(speakers.number_of("Odile Marsh"), Some(0));
        assert_eq!(speakers.number_of("Bob"), Some(1));
        assert_eq!(speakers.number_of("Odile Marsh"), Some(0));
        let question = Query::read("What did Odile sing to Bobby?", &speakers);
        assert_eq!(question.people, BTreeSet::from([0]));
        assert_eq!(question.terms[0], Term::asked(term("sing")));
        let question = Query::read("What did Bob's horse eat?", &speakers);
        assert_eq!(question.people, BTreeSet::from([1]));
        let asked = question.terms.into_iter();
        assert_eq!(
            asked
                .filter(|term| term.related_to.is_none())
                .collect::<Vec<_>>(),
            ["horse", "eat"].map(|word| Term::asked(term(word)))
        );
    }
}
