//! A text as different people may read it: look-alike letters, digits for letters, capitals.

use std::sync::Arc;

use super::FoldedText;

/// A text as different people may read it. Most texts are in lower case or without digits, so that
/// several of the readings are the same.
#[derive(Clone, Debug)]
pub struct Readings([Arc<FoldedText>; 5]);

impl Readings {
    /// All readings of a text.
    pub fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let looks = Arc::new(FoldedText::skeleton(&lower));
        let looks_of = |spelling: &str| {
            if spelling == lower {
                looks.clone()
            } else {
                Arc::new(FoldedText::skeleton(spelling))
            }
        };
        let [as_i, as_l] = ['i', 'l'].map(|for_one| looks_of(&letters_for_digits(&lower, for_one)));
        // A capital I can look like an l.
        let capitals = looks_of(text);
        Self([Arc::new(FoldedText::of(text)), looks, capitals, as_i, as_l])
    }

    /// The letters as they are.
    pub fn plain(&self) -> &FoldedText {
        let [plain, ..] = &self.0;
        plain
    }

    /// Whether all readings are empty.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|reading| reading.is_empty())
    }

    /// Whether a predicate holds for any reading of this text and the same reading of another.
    pub fn any(&self, other: &Self, predicate: impl Fn(&FoldedText, &FoldedText) -> bool) -> bool {
        self.pairs(other).any(|(text, word)| predicate(text, word))
    }

    /// Each reading of this text with the same reading of another, the plain one first, without
    /// duplicates.
    pub fn pairs<'r>(
        &'r self,
        other: &'r Self,
    ) -> impl Iterator<Item = (&'r FoldedText, &'r FoldedText)> {
        let pairs = move || self.0.iter().zip(&other.0);
        let is_new = move |index: usize, text, word| {
            let mut earlier = pairs().take(index);
            !earlier.any(|(first, second)| Arc::ptr_eq(first, text) && Arc::ptr_eq(second, word))
        };
        let pairs = pairs().enumerate();
        let new = pairs.filter(move |(index, (text, word))| is_new(*index, text, word));
        new.map(|(_, (text, word))| (&**text, &**word))
    }
}

/// Replaces digits and symbols by the letters that they imitate; a 1 may be an i or an l.
fn letters_for_digits(text: &str, for_one: char) -> String {
    let letter = |character| match character {
        '@' | '4' => 'a',
        '8' => 'b',
        '3' | '€' => 'e',
        '9' => 'g',
        '1' | '!' | '|' => for_one,
        '0' => 'o',
        '5' | '$' => 's',
        '7' | '+' => 't',
        other => other,
    };
    text.chars().map(letter).collect()
}
