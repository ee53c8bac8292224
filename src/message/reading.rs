//! Text as a reader takes it: letters and digits without case, width, accents and invisible signs,
//! and how alike two texts are.

use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::skeleton;

/// Characters from here on belong to scripts that do not part words by spaces.
const UNSPACED: char = '\u{2E80}';

/// The letters and digits of a text, and where its words begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    letters: Vec<char>,
    /// For each letter, whether a word begins there; in scripts without spaces each is one.
    begins: Vec<bool>,
}

impl Reading {
    /// What a text says, whatever its case, width, accents and invisible signs.
    pub fn of(text: &str) -> Self {
        match text.is_ascii() {
            true => Self::collect(text.len(), text.chars().map(|c| c.to_ascii_lowercase())),
            false => {
                let letters = visible(text).nfkc().flat_map(char::to_lowercase).nfd();
                Self::collect(text.len(), letters)
            }
        }
    }

    /// What a text seems to say: characters that look alike count as one, as the [skeletons] of
    /// Unicode have it. Compare it with a reading of the same kind alone.
    ///
    /// [skeletons]: https://www.unicode.org/reports/tr39/#Confusable_Detection
    pub fn of_looks(text: &str) -> Self {
        match text.is_ascii() {
            true => Self::collect(text.len(), text.bytes().flat_map(looks_of).copied()),
            false => Self::collect(text.len(), looks(text)),
        }
    }

    /// Takes the letters and digits out of about so many characters.
    fn collect(about: usize, characters: impl Iterator<Item = char>) -> Self {
        let mut reading = Self {
            letters: Vec::with_capacity(about),
            begins: Vec::with_capacity(about),
        };
        let mut parted = true;
        for character in characters {
            if !character.is_ascii() && is_combining_mark(character) {
                continue;
            }
            if !character.is_alphanumeric() {
                // What stands within a word does not part it: don't, o'clock.
                parted |= !matches!(character, '\'' | '’');
                continue;
            }
            let unspaced = character >= UNSPACED;
            reading.begins.push(parted || unspaced);
            reading.letters.push(character);
            parted = unspaced;
        }
        reading
    }

    /// The letters and digits, one after the other.
    pub fn letters(&self) -> &[char] {
        &self.letters
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }

    /// Its words; in scripts without spaces each character is one.
    pub fn words(&self) -> impl Iterator<Item = &[char]> {
        let starts = (0..self.letters.len()).filter(|at| self.parts(*at));
        starts.map(|start| {
            let longer = (start + 1..self.letters.len()).find(|at| self.parts(*at));
            &self.letters[start..longer.unwrap_or(self.letters.len())]
        })
    }

    /// Whether all of another reading stands in it as whole words, however they are spaced.
    pub fn holds(&self, other: &Self) -> bool {
        let long = other.letters.len();
        let (Some(first), Some(last)) =
            (other.letters.first(), self.letters.len().checked_sub(long))
        else {
            return false;
        };
        let fits = |at: usize| {
            self.parts(at)
                && self.parts(at + long)
                && self.letters.get(at..at + long) == Some(&other.letters[..])
        };
        let mut starts = self.letters.iter().take(last + 1).enumerate();
        starts.any(|(at, letter)| letter == first && fits(at))
    }

    /// Whether it ends with another reading as whole words.
    pub fn ends_with(&self, other: &Self) -> bool {
        let from = self.letters.len().checked_sub(other.letters.len());
        let ends = |from: usize| self.parts(from) && self.letters[from..] == other.letters;
        !other.is_empty() && from.is_some_and(ends)
    }

    /// Whether all letters of another reading follow each other in it, wherever they begin.
    pub fn spells(&self, other: &Self) -> bool {
        let long = other.letters.len();
        long > 0 && self.letters.windows(long).any(|part| part == other.letters)
    }

    /// Its pairs of neighbouring letters, to be compared with those of many others.
    pub fn pairs(&self) -> Pairs {
        let both = |pair: &[char]| {
            let letters = pair.iter().map(|letter| u64::from(*letter));
            letters.fold(0, |pair, letter| pair << 32 | letter)
        };
        let mut pairs: Vec<_> = self.letters.windows(2).map(both).collect();
        pairs.sort_unstable();
        Pairs(pairs)
    }

    /// Whether a word begins, or the text ends, at a letter.
    fn parts(&self, at: usize) -> bool {
        self.begins.get(at).copied().unwrap_or(true)
    }
}

/// The pairs of neighbouring letters of a text, sorted, each in one number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs(Vec<u64>);

impl Pairs {
    /// Which part of another text stands in this one, from 0 to 1.
    pub fn share_of(&self, other: &Self) -> f64 {
        match other.0.len() {
            0 => 0.0,
            all => shared(&self.0, &other.0) as f64 / all as f64,
        }
    }

    /// How alike the two are, from 0 to 1: the Dice coefficient.
    pub fn likeness(&self, other: &Self) -> f64 {
        self.dice(other, shared(&self.0, &other.0))
    }

    /// Whether the two are this much alike or more.
    pub fn is_like(&self, other: &Self, least: f64) -> bool {
        // Texts of very different lengths need no comparing.
        let most = self.0.len().min(other.0.len());
        self.dice(other, most) >= least && self.likeness(other) >= least
    }

    fn dice(&self, other: &Self, shared: usize) -> f64 {
        match self.0.len() + other.0.len() {
            0 => 0.0,
            all => 2.0 * shared as f64 / all as f64,
        }
    }
}

/// How many elements two sorted lists have in common.
fn shared(one: &[u64], two: &[u64]) -> usize {
    let (mut at_one, mut at_two, mut count) = (0, 0, 0);
    while let (Some(a), Some(b)) = (one.get(at_one), two.get(at_two)) {
        count += usize::from(a == b);
        at_one += usize::from(a <= b);
        at_two += usize::from(a >= b);
    }
    count
}

/// What a text looks like, as those characters that stand for all that look like them.
fn looks(text: &str) -> impl Iterator<Item = char> {
    let plain: String = visible(text).nfkc().collect();
    let alike: String = skeleton(&plain).collect();
    let lower: String = alike.chars().flat_map(char::to_lowercase).collect();
    lower.nfd().collect::<Vec<_>>().into_iter()
}

/// The same of one character of ASCII, none of which changes its neighbours.
fn looks_of(byte: u8) -> &'static [char] {
    static TABLE: LazyLock<Vec<Vec<char>>> = LazyLock::new(|| {
        let all = (0..128).map(|byte| looks(&char::from(byte).to_string()).collect());
        all.collect()
    });
    TABLE.get(usize::from(byte)).map_or(&[], Vec::as_slice)
}

fn visible(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|character| !is_invisible(*character))
}

/// Whether a character shows nothing and takes no room: joiners, direction marks, variations.
pub fn is_invisible(char: char) -> bool {
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

    proptest! {
        #[test]
        fn ascii_is_read_as_any_other_text(text in "[ -~\\n]{0,40}") {
            prop_assert_eq!(Reading::of_looks(&text), Reading::collect(0, looks(&text)));
        }
    }

    fn letters(reading: &Reading) -> String {
        reading.letters().iter().collect()
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
            assert_eq!(letters(&Reading::of(text)), "apple", "{text}");
        }
        assert_eq!(letters(&Reading::of("dòu jiāng")), "doujiang");
    }

    #[test]
    fn what_looks_alike_reads_alike() {
        let apple = Reading::of_looks("apple");
        // Cyrillic а, р and е; the digit one.
        for text in ["\u{430}\u{440}\u{440}le", "app1e", "αpple"] {
            assert_eq!(Reading::of_looks(text), apple, "{text}");
        }
        assert_eq!(Reading::of_looks("⼝"), Reading::of_looks("口"));
    }

    #[test]
    fn words_are_found_whole_and_however_they_are_spaced() {
        let read = |text: &str| Reading::of(text);
        for text in ["an apple!", "a p p l e", "A-P-P-L-E", "the.apple"] {
            assert!(read(text).holds(&read("apple")), "{text}");
        }
        for text in ["pineapple", "apples", "a pplet"] {
            assert!(!read(text).holds(&read("apple")), "{text}");
        }
        assert!(read("我爱苹 果吗").holds(&read("苹果")));
        assert!(read("the Apple").ends_with(&read("apple")));
        assert!(!read("pineapple").ends_with(&read("apple")) && !read("").ends_with(&read("")));
        let words: Vec<String> = read("don't eat 豆")
            .words()
            .map(String::from_iter)
            .collect();
        assert_eq!(words, ["dont", "eat", "豆"]);
    }

    #[test]
    fn likeness_tells_a_repeated_line_from_another_one() {
        let pairs = |text: &str| Reading::of(text).pairs();
        let like = |a: &str, b: &str| pairs(a).likeness(&pairs(b));
        assert!(like("It grows on trees.", "I'd say it grows on trees") > 0.8);
        assert!(like("It grows on trees.", "It is often red.") < 0.4);
        assert!(like("长在树上的东西", "这是长在树上的") > 0.6);
        assert!(like("长在树上", "可以榨成汁") < 0.2);
        assert_eq!(like("Ah!", "ah"), 1.0);
        assert_eq!(like("", "abc"), 0.0);
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(one in "\\PC{0,40}", two in "\\PC{0,40}") {
            let (a, b) = (Reading::of(&one), Reading::of_looks(&two));
            let (pairs, others) = (a.pairs(), b.pairs());
            prop_assert!((0.0..=1.0).contains(&pairs.likeness(&others)));
            prop_assert!((0.0..=1.0).contains(&pairs.share_of(&others)));
            prop_assert_eq!(a.words().map(<[char]>::len).sum::<usize>(), a.letters().len());
            prop_assert!(a.is_empty() || a.holds(&a));
        }
    }
}
