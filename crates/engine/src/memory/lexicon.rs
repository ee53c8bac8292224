//! Words that are related in everyday language: of the same meaning, or a kind of something. A
//! question for "animals" finds the dog.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::words::{base, stem};

/// How much a word of the same meaning counts, a kind of what was asked for, and what it is a kind
/// of.
const SAME: f32 = 0.45;
const KIND: f32 = 0.35;
const HEAD: f32 = 0.25;

/// The lines with each word, by how it begins: its stem begins so, too, and takes long.
static ENGLISH: LazyLock<BTreeMap<&[u8], Vec<&str>>> = LazyLock::new(|| {
    let mut lines: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for line in lines_of(include_str!("english/related.txt")) {
        for word in english(line) {
            let known = lines.entry(beginning(word)).or_default();
            if known.last().is_none_or(|last| !std::ptr::eq(*last, line)) {
                known.push(line);
            }
        }
    }
    lines
});

/// By the first character of the word.
static CHINESE: LazyLock<BTreeMap<char, Words>> = LazyLock::new(|| {
    let mut related: BTreeMap<char, Words> = BTreeMap::new();
    for line in lines_of(include_str!("chinese/related.txt")) {
        for (word, synonym, weight) in pairs(line, |word| word) {
            if let Some(first) = word.chars().next() {
                let words = related.entry(first).or_default();
                words.entry(word).or_default().push((synonym, weight));
            }
        }
    }
    related
});

/// Words with those that are related to each.
type Words = BTreeMap<&'static str, Vec<(&'static str, f32)>>;

/// The terms that are related to an English word, with how much each counts.
pub(super) fn related(word: &str, own: u32) -> Vec<(u32, f32)> {
    let word = word.to_lowercase();
    let begins = beginning(&word);
    let is_own = |other: &str| beginning(other) == begins && stem(other) == own;
    let lines = ENGLISH.get(begins).into_iter().flatten();
    let lines = lines.filter(|line| english(line).any(is_own));
    let pairs = lines.flat_map(|line| pairs(line, stem));
    let own = pairs.filter(|(word, ..)| *word == own);
    own.map(|(_, other, weight)| (other, weight)).collect()
}

/// How a word begins that the stemmer reads.
fn beginning(word: &str) -> &[u8] {
    let base = base(word).as_bytes();
    base.get(..2).unwrap_or(base)
}

/// The Chinese words that are related to those of a text, in a fixed order.
pub(super) fn related_in(text: &str) -> impl Iterator<Item = (&'static str, f32)> {
    let places = text.char_indices().filter_map(|(begin, first)| {
        let words = CHINESE.get(&first)?;
        Some((text.get(begin..)?, words))
    });
    let found: BTreeMap<_, _> = places
        .flat_map(|(rest, words)| {
            words
                .iter()
                .filter(move |(word, _)| rest.starts_with(**word))
        })
        .collect();
    found.into_values().flatten().copied()
}

fn lines_of(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

/// The words of a line.
fn english(line: &str) -> impl Iterator<Item = &str> {
    line.split([':', '=', ' ']).filter(|word| !word.is_empty())
}

/// Every pair of words of a line, which are related.
fn pairs<T: Copy>(line: &'static str, read: impl Fn(&'static str) -> T) -> Vec<(T, T, f32)> {
    match line.split_once(':') {
        Some((head, kinds)) => {
            let head = read(head.trim());
            let kinds = kinds.split_whitespace().map(read);
            let both = kinds.flat_map(|kind| [(head, kind, KIND), (kind, head, HEAD)]);
            both.collect()
        }
        None => {
            let words: Vec<_> = line.split('=').map(|word| read(word.trim())).collect();
            let words = words.iter().enumerate();
            let others = words
                .clone()
                .flat_map(|one| words.clone().map(move |other| (one, other)));
            let others = others.filter(|((one, _), (other, _))| one != other);
            others
                .map(|((_, one), (_, other))| (*one, *other, SAME))
                .collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_by_each_of_its_forms() {
        let mut all: BTreeMap<u32, Vec<(u32, f32)>> = BTreeMap::new();
        let lines = || lines_of(include_str!("english/related.txt"));
        for (word, other, weight) in lines().flat_map(|line| pairs(line, stem)) {
            all.entry(word).or_default().push((other, weight));
        }
        for word in lines().flat_map(english) {
            assert_eq!(related(word, stem(word)), all[&stem(word)], "{word}");
        }
        let of = |word: &str| related(word, stem(word));
        assert_eq!(of("Oxen"), of("ox"));
        assert_eq!(of("zzz"), []);
    }
}
