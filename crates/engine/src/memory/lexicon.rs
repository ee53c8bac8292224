//! Words that are related in everyday language: of the same meaning, or a kind of something. A
//! question for "animals" finds the dog.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::words::term;

/// How much a word of the same meaning counts, a kind of what was asked for, and what it is a kind
/// of.
const SAME: f32 = 0.45;
const KIND: f32 = 0.35;
const HEAD: f32 = 0.25;

static ENGLISH: LazyLock<BTreeMap<u32, Vec<(u32, f32)>>> = LazyLock::new(|| {
    let mut related: BTreeMap<u32, Vec<(u32, f32)>> = BTreeMap::new();
    let text = include_str!("english/related.txt");
    each_pair(text, term, |word, synonym, weight| {
        related.entry(word).or_default().push((synonym, weight));
    });
    related
});

/// By the first character of the word.
static CHINESE: LazyLock<BTreeMap<char, Words>> = LazyLock::new(|| {
    let mut related: BTreeMap<char, Words> = BTreeMap::new();
    let text = include_str!("chinese/related.txt");
    each_pair(
        text,
        |word| word,
        |word, synonym, weight| {
            if let Some(first) = word.chars().next() {
                let words = related.entry(first).or_default();
                words.entry(word).or_default().push((synonym, weight));
            }
        },
    );
    related
});

/// Words with those that are related to each.
type Words = BTreeMap<&'static str, Vec<(&'static str, f32)>>;

/// The terms that are related to an English one, with how much each counts.
pub(super) fn related(term: u32) -> &'static [(u32, f32)] {
    ENGLISH.get(&term).map(Vec::as_slice).unwrap_or_default()
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

/// Every pair of words that are related, each of which is read once, since that takes longer.
fn each_pair<T: Copy>(
    lines: &'static str,
    read: impl Fn(&'static str) -> T,
    mut pair: impl FnMut(T, T, f32),
) {
    for line in lines.lines().filter(|line| !line.starts_with('#')) {
        if let Some((head, kinds)) = line.split_once(':') {
            let head = read(head.trim());
            for kind in kinds.split_whitespace().map(&read) {
                pair(head, kind, KIND);
                pair(kind, head, HEAD);
            }
        } else {
            let words: Vec<_> = line.split('=').map(|word| read(word.trim())).collect();
            for (number, word) in words.iter().enumerate() {
                for (second_number, second) in words.iter().enumerate() {
                    if number != second_number {
                        pair(*word, *second, SAME);
                    }
                }
            }
        }
    }
}
