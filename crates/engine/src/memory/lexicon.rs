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
    // A word is in several lines, and its stem takes long.
    let mut terms = BTreeMap::new();
    let mut read = |word| *terms.entry(word).or_insert_with(|| term(word));
    for (word, synonym, weight) in pairs(text, &mut read) {
        related.entry(word).or_default().push((synonym, weight));
    }
    related
});

/// By the first character of the word.
static CHINESE: LazyLock<BTreeMap<char, Words>> = LazyLock::new(|| {
    let mut related: BTreeMap<char, Words> = BTreeMap::new();
    let text = include_str!("chinese/related.txt");
    for (word, synonym, weight) in pairs(text, &mut |word| word) {
        if let Some(first) = word.chars().next() {
            let words = related.entry(first).or_default();
            words.entry(word).or_default().push((synonym, weight));
        }
    }
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

/// Every pair of words that are related.
fn pairs<T: Copy>(
    lines: &'static str,
    read: &mut impl FnMut(&'static str) -> T,
) -> impl Iterator<Item = (T, T, f32)> {
    let lines = lines.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(|line| match line.split_once(':') {
        Some((head, kinds)) => {
            let head = read(head.trim());
            let kinds = kinds.split_whitespace().map(&mut *read);
            let both = kinds.flat_map(|kind| [(head, kind, KIND), (kind, head, HEAD)]);
            both.collect::<Vec<_>>()
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
    })
}
