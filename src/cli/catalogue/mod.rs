//! The Chinese of those texts of the library that are not translated by key yet.
//!
//! Whatever of the library people read goes through [`library`], which looks English up
//! in `zh.txt`. When everything has a key, this room goes, and so does [`library`].

use std::sync::LazyLock;

use playhouse::locale::{Language, UiText};

static CHINESE: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::read(include_str!("zh.txt")));

/// How deep texts that stand in each other are followed. Errors hold causes of causes; but a
/// server's answer may hold anything.
const DEEPEST: usize = 8;

/// A text of the library in a language.
pub(crate) fn library(language: Language, text: impl Into<UiText>) -> String {
    let text = text.into();
    let shown = text.in_language(language);
    // A text by key is Chinese already, whatever foreign words are in it.
    if language == Language::Zh && text.is_verbatim() {
        return CHINESE.text(&shown, DEEPEST);
    }
    shown
}

/// Texts with their translations, those with the most words of their own first.
struct Catalogue(Vec<Entry>);

/// One text and its translation.
#[derive(Debug)]
struct Entry {
    /// The words around its values.
    english: Vec<String>,
    /// Whether it has several lines; otherwise none of its values has.
    is_long: bool,
    translation: Vec<Piece>,
}

/// A part of a translation.
#[derive(Debug)]
enum Piece {
    Words(String),
    /// One of the text's values, from 0.
    Value(usize),
    /// One that lists names.
    List(usize),
}

impl Catalogue {
    /// Reads entries of two lines; what is not in this form is passed over.
    fn read(file: &str) -> Self {
        let mut lines = file
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut entries = Vec::new();
        while let (Some(english), Some(translation)) = (lines.next(), lines.next()) {
            entries.push(Entry::read(english, translation));
        }
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.own_bytes()));
        Self(entries)
    }

    /// The translation of a text, or else of those of its lines that are known.
    fn text(&self, english: &str, depth: usize) -> String {
        self.known(english, depth).unwrap_or_else(|| {
            let line = |line| self.known(line, depth).unwrap_or_else(|| line.to_owned());
            english.split('\n').map(line).collect::<Vec<_>>().join("\n")
        })
    }

    /// The translation of a text that is known as a whole, or, of a line, as `this; that` or
    /// `PLACE: this`.
    fn known(&self, english: &str, depth: usize) -> Option<String> {
        let deeper = depth.checked_sub(1)?;
        if english.contains('\n') {
            return self.whole(english, deeper);
        }
        self.joined(english, deeper)
            .or_else(|| self.whole(english, deeper))
            .or_else(|| self.placed(english, deeper))
    }

    /// `this; that`, if both are known.
    fn joined(&self, english: &str, depth: usize) -> Option<String> {
        let mut ends = english.match_indices("; ");
        let (first, rest) = ends.find_map(|(at, mark)| {
            let first = english.get(..at)?;
            let known = self.whole(first, depth);
            let known = known.or_else(|| self.placed(first, depth))?;
            Some((known, english.get(at + mark.len()..)?))
        })?;
        Some(format!("{first}；{}", self.known(rest, depth)?))
    }

    fn whole(&self, english: &str, depth: usize) -> Option<String> {
        self.0.iter().find_map(|entry| {
            let values = entry.values(english)?;
            Some(entry.filled(&values, |value| self.text(value, depth)))
        })
    }

    /// `PLACE: this`. A place is a path or a field and stays; one of several words may be known.
    fn placed(&self, english: &str, depth: usize) -> Option<String> {
        english.match_indices(": ").find_map(|(at, mark)| {
            let said = self.whole(english.get(at + mark.len()..)?, depth)?;
            let place = english.get(..at)?;
            let known = place.contains(' ').then(|| self.whole(place, depth));
            let known = known.flatten();
            Some(format!("{}：{said}", known.as_deref().unwrap_or(place)))
        })
    }
}

impl Entry {
    fn read(english: &str, translation: &str) -> Self {
        let plain = |text: &str| text.replace('⏎', "\n");
        Self {
            english: english.split("{}").map(plain).collect(),
            is_long: english.contains('⏎'),
            translation: pieces(&plain(translation)),
        }
    }

    /// The bytes that are not of values.
    fn own_bytes(&self) -> usize {
        self.english.iter().map(String::len).sum()
    }

    /// The values of a text that has these words around them; each ends as early as it can.
    fn values<'a>(&self, text: &'a str) -> Option<Vec<&'a str>> {
        if text.contains('\n') && !self.is_long {
            return None;
        }
        let (first, rest) = self.english.split_first()?;
        let mut text = text.strip_prefix(first.as_str())?;
        let Some((last, middle)) = rest.split_last() else {
            return text.is_empty().then(Vec::new);
        };
        let mut values = Vec::new();
        for words in middle {
            let (value, after) = text.split_once(words.as_str())?;
            values.push(value);
            text = after;
        }
        values.push(text.strip_suffix(last.as_str())?);
        Some(values)
    }

    /// The translation with these values in it. What stands in quotes is a name and stays.
    fn filled(&self, values: &[&str], translate: impl Fn(&str) -> String) -> String {
        let value = |at: usize| values.get(at).copied().unwrap_or_default();
        let pieces = self.translation.iter().map(|piece| match piece {
            Piece::Words(words) => words.clone(),
            Piece::Value(at) if self.quotes(*at) => value(*at).to_owned(),
            Piece::Value(at) => translate(value(*at)),
            Piece::List(at) => value(*at).replace(", ", "、"),
        });
        pieces.collect()
    }

    /// Whether a value stands in quotes.
    fn quotes(&self, value: usize) -> bool {
        let around = (self.english.get(value), self.english.get(value + 1));
        let (Some(before), Some(after)) = around else {
            return false;
        };
        let pairs = [('\'', '\''), ('"', '"'), ('`', '`'), ('<', '>')];
        let mut pairs = pairs.iter();
        pairs.any(|(open, close)| before.ends_with(*open) && after.starts_with(*close))
    }
}

/// The parts of a translation.
fn pieces(translation: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut words = String::new();
    let mut count = 0;
    let mut rest = translation;
    while let Some(letter) = rest.chars().next() {
        if let Some((number, is_list, after)) = value(rest) {
            pieces.push(Piece::Words(std::mem::take(&mut words)));
            let at = number.map_or(count, |number| number.saturating_sub(1));
            pieces.push(match is_list {
                true => Piece::List(at),
                false => Piece::Value(at),
            });
            count += 1;
            rest = after;
        } else {
            words.push(letter);
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        }
    }
    pieces.push(Piece::Words(words));
    pieces
}

/// Reads `{}`, `{2}`, `{,}` or `{2,}` at the beginning: its number, whether it lists, and what
/// follows.
fn value(text: &str) -> Option<(Option<usize>, bool, &str)> {
    let (inside, after) = text.strip_prefix('{')?.split_once('}')?;
    let (number, is_list) = match inside.strip_suffix(',') {
        Some(number) => (number, true),
        None => (inside, false),
    };
    match number {
        "" => Some((None, is_list, after)),
        number => Some((Some(number.parse().ok()?), is_list, after)),
    }
}
