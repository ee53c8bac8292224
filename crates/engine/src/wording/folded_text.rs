//! Text for comparing: letters and digits without case, width, accents and invisible characters,
//! and how similar two texts are.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Characters from here on belong to scripts without spaces between words.
const UNSPACED: char = '\u{2E80}';

/// The letters and digits of a text, without case, width, accents and invisible characters, and
/// where its words begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoldedText {
    letters: Vec<char>,
    /// For each letter, whether a word begins there. In scripts without spaces each letter is a
    /// word.
    begins: Vec<bool>,
}

impl FoldedText {
    pub fn of(text: &str) -> Self {
        if text.is_ascii() {
            return Self::collect(text.len(), text.chars().map(|c| c.to_ascii_lowercase()));
        }
        let letters = visible(text).nfkc().flat_map(char::to_lowercase).nfd();
        Self::collect(text.len(), letters)
    }

    /// Collects letters and digits. `length` is an estimate of their number.
    fn collect(length: usize, characters: impl Iterator<Item = char>) -> Self {
        let mut folded = Self {
            letters: Vec::with_capacity(length),
            begins: Vec::with_capacity(length),
        };
        let mut begins = true;
        for character in characters {
            if !character.is_ascii() && is_combining_mark(character) {
                continue;
            }
            if !character.is_alphanumeric() {
                // An apostrophe does not end a word: don't, o'clock.
                begins |= !matches!(character, '\'' | '’');
                continue;
            }
            let unspaced = character >= UNSPACED;
            folded.begins.push(begins || unspaced);
            folded.letters.push(character);
            begins = unspaced;
        }
        folded
    }

    /// The letters and digits.
    pub fn letters(&self) -> &[char] {
        &self.letters
    }

    /// Whether there are no letters or digits.
    pub fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }

    /// Its words. In scripts without spaces each character is a word.
    pub fn words(&self) -> impl Iterator<Item = &[char]> {
        let starts = (0..self.letters.len()).filter(|index| self.is_boundary(*index));
        starts.map(|start| {
            let end = (start + 1..self.letters.len()).find(|index| self.is_boundary(*index));
            &self.letters[start..end.unwrap_or(self.letters.len())]
        })
    }

    /// Whether it contains all of another text as whole words, however they are spaced.
    pub fn contains_words(&self, other: &Self) -> bool {
        let length = other.letters.len();
        let (Some(first), Some(last)) = (
            other.letters.first(),
            self.letters.len().checked_sub(length),
        ) else {
            return false;
        };
        let matches_at = |index: usize| {
            let end = index + length;
            self.is_boundary(index)
                && self.is_boundary(end)
                && self.letters.get(index..end) == Some(&other.letters[..])
        };
        let mut starts = self.letters.iter().take(last + 1).enumerate();
        starts.any(|(index, letter)| letter == first && matches_at(index))
    }

    /// Whether it ends with another text as whole words.
    pub fn ends_with(&self, other: &Self) -> bool {
        let from = self.letters.len().checked_sub(other.letters.len());
        let ends = |from: usize| self.is_boundary(from) && self.letters[from..] == other.letters;
        !other.is_empty() && from.is_some_and(ends)
    }

    /// Whether it contains the letters of another text in a row, ignoring where words begin.
    pub fn contains_letters(&self, other: &Self) -> bool {
        let length = other.letters.len();
        length > 0
            && self
                .letters
                .windows(length)
                .any(|part| part == other.letters)
    }

    /// Its pairs of adjacent letters, for comparing it with many others.
    pub fn bigrams(&self) -> Bigrams {
        let both = |pair: &[char]| {
            let letters = pair.iter().map(|letter| u64::from(*letter));
            letters.fold(0, |pair, letter| pair << 32 | letter)
        };
        let mut pairs: Vec<_> = self.letters.windows(2).map(both).collect();
        pairs.sort_unstable();
        Bigrams(pairs)
    }

    /// Whether a word begins, or the text ends, at a letter.
    fn is_boundary(&self, index: usize) -> bool {
        self.begins.get(index).copied().unwrap_or(true)
    }
}

/// The pairs of adjacent letters of a text, sorted, each as one number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bigrams(Vec<u64>);

impl Bigrams {
    /// How similar the two are, from 0 to 1: the Dice coefficient.
    pub fn similarity(&self, other: &Self) -> f64 {
        self.dice(other, shared(&self.0, &other.0))
    }

    /// Whether their similarity is at least `min`.
    pub fn is_similar(&self, other: &Self, min: f64) -> bool {
        // Texts of very different lengths need not be compared.
        let max_shared = self.0.len().min(other.0.len());
        self.dice(other, max_shared) >= min && self.similarity(other) >= min
    }

    fn dice(&self, other: &Self, shared: usize) -> f64 {
        match self.0.len() + other.0.len() {
            0 => 0.0,
            count => 2.0 * shared as f64 / count as f64,
        }
    }
}

/// How many elements two sorted lists have in common.
fn shared(first: &[u64], second: &[u64]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while let (Some(a), Some(b)) = (first.get(i), second.get(j)) {
        count += usize::from(a == b);
        i += usize::from(a <= b);
        j += usize::from(a >= b);
    }
    count
}

fn visible(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|character| !is_invisible(*character))
}

/// Whether a character has no width: joiners, direction marks, variation selectors.
pub(crate) fn is_invisible(char: char) -> bool {
    !char.is_ascii()
        && matches!(
            u32::from(char),
            0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
                | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164
                | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB | 0xE_0000..=0xE_0FFF
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn letters(folded: &FoldedText) -> String {
        folded.letters().iter().collect()
    }

    #[test]
    fn case_width_accents_and_invisible_signs_do_not_count() {
        for text in [
            "apple",
            "ＡＰＰＬＥ",
            "A\u{200B}p-p.l e",
            "ápplé",
            "𝐚𝐩𝐩𝐥𝐞",
            "ⓐⓟⓟⓛⓔ",
        ] {
            assert_eq!(letters(&FoldedText::of(text)), "apple", "{text}");
        }
        assert_eq!(letters(&FoldedText::of("dòu jiāng")), "doujiang");
    }

    #[test]
    fn words_are_found_whole_and_however_they_are_spaced() {
        let fold = |text: &str| FoldedText::of(text);
        for text in ["an apple!", "a p p l e", "A-P-P-L-E", "the.apple"] {
            assert!(fold(text).contains_words(&fold("apple")), "{text}");
        }
        for text in ["pineapple", "apples", "a pplet"] {
            assert!(!fold(text).contains_words(&fold("apple")), "{text}");
        }
        assert!(fold("我爱苹 果吗").contains_words(&fold("苹果")));
        assert!(fold("the Apple").ends_with(&fold("apple")));
        assert!(!fold("pineapple").ends_with(&fold("apple")) && !fold("").ends_with(&fold("")));
        let words: Vec<String> = fold("don't eat 豆")
            .words()
            .map(String::from_iter)
            .collect();
        assert_eq!(words, ["dont", "eat", "豆"]);
    }

    #[test]
    fn similarity_tells_a_repeated_line_from_another_one() {
        let bigrams = |text: &str| FoldedText::of(text).bigrams();
        let like = |a: &str, b: &str| bigrams(a).similarity(&bigrams(b));
        assert!(like("It grows on trees.", "I'd say it grows on trees") > 0.8);
        assert!(like("It grows on trees.", "It is often red.") < 0.4);
        assert!(like("长在树上的东西", "这是长在树上的") > 0.6);
        assert!(like("长在树上", "可以榨成汁") < 0.2);
        assert_eq!(like("Ah!", "ah"), 1.0);
        assert_eq!(like("", "abc"), 0.0);
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(left in "\\PC{0,40}", right in "\\PC{0,40}") {
            let (a, b) = (FoldedText::of(&left), FoldedText::of(&right));
            let (pairs, others) = (a.bigrams(), b.bigrams());
            prop_assert!((0.0..=1.0).contains(&pairs.similarity(&others)));
            prop_assert_eq!(a.words().map(<[char]>::len).sum::<usize>(), a.letters().len());
            prop_assert!(a.is_empty() || a.contains_words(&a));
        }
    }
}
