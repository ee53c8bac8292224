//! What a player must not say: its word, parts of it, and the same word in other languages.
//!
//! The check reads as a reader does: case, width, accents, spacing, invisible signs, look-alike letters
//! and digits for letters make no difference, and neither does writing the word backwards. It decodes what
//! code can decode: base64, hexadecimal digits, letters moved by thirteen, the first or last letters of
//! words, and Chinese by its sound. What can't be found by letters alone, such as a riddle, a rhyme or a
//! message over several rounds, passes; it is for the players to judge.

use std::sync::Arc;

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bevy_ecs::prelude::*;
use pinyin::ToPinyin;

use crate::message::FoldedText;

/// How a text says what it must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slip {
    /// It says the word.
    Word,
    /// It says a part of the word.
    Part,
    /// It says the word in another language or spelling.
    Translation,
}

/// On a player: what it must not say. It answers for a text and never tells the word.
#[derive(Component, Clone)]
#[component(immutable)]
pub struct Taboo(Arc<Forbidden>);

struct Forbidden {
    word: Forms,
    /// The word written backwards.
    mirrored: Forms,
    /// Parts of the word, each in all its forms.
    parts: Vec<Forms>,
    also: Vec<Forms>,
    /// How the word is read aloud, syllable by syllable, where it is Chinese.
    sound: Vec<&'static str>,
}

impl std::fmt::Debug for Taboo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Taboo(…)")
    }
}

/// A text as different readers take it. Most texts are in lower case or hold no digits, and one reading
/// serves for several.
struct Forms([Arc<FoldedText>; 5]);

impl Forms {
    fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let looks = Arc::new(FoldedText::skeleton(&lower));
        let looks_of = |spelt: &str| match spelt == lower {
            true => looks.clone(),
            false => Arc::new(FoldedText::skeleton(spelt)),
        };
        let [as_i, as_l] = ['i', 'l'].map(|one| looks_of(&letters_for_digits(&lower, one)));
        // A capital I that stands for an l is one before the case is folded.
        let capitals = looks_of(text);
        Self([Arc::new(FoldedText::of(text)), looks, capitals, as_i, as_l])
    }

    fn map(&self, make: impl Fn(&FoldedText) -> FoldedText) -> Self {
        Self(self.0.each_ref().map(|reading| Arc::new(make(reading))))
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|reading| reading.is_empty())
    }

    /// Whether any reading of this text does something with the same reading of another.
    fn any(&self, other: &Self, does: impl Fn(&FoldedText, &FoldedText) -> bool) -> bool {
        self.with(other).any(|(text, word)| does(text, word))
    }

    /// Each reading of this text with the same reading of another, the plain one first, no two pairs alike.
    fn with<'f>(
        &'f self,
        other: &'f Self,
    ) -> impl Iterator<Item = (&'f FoldedText, &'f FoldedText)> {
        let pairs = self.0.iter().zip(&other.0);
        let is_new = move |at: usize, text, word| {
            let mut before = self.0.iter().zip(&other.0).take(at);
            !before.any(|(one, two)| Arc::ptr_eq(one, text) && Arc::ptr_eq(two, word))
        };
        let all = pairs.enumerate();
        let new = all.filter(move |(at, (text, word))| is_new(*at, text, word));
        new.map(|(_, (text, word))| (&**text, &**word))
    }
}

/// The text with letters in the place of digits and signs that are written for them; a one may be an i
/// or an l.
fn letters_for_digits(text: &str, one: char) -> String {
    let letter = |character| match character {
        '@' | '4' => 'a',
        '8' => 'b',
        '3' | '€' => 'e',
        '9' => 'g',
        '1' | '!' | '|' => one,
        '0' => 'o',
        '5' | '$' => 's',
        '7' | '+' => 't',
        other => other,
    };
    text.chars().map(letter).collect()
}

/// Words that everybody needs; a part of a word that is one of them may be said.
const COMMON: &[&str] = &[
    "all", "and", "any", "are", "but", "can", "for", "has", "her", "him", "his", "how", "its",
    "may", "not", "off", "one", "our", "out", "own", "she", "the", "them", "then", "they", "this",
    "two", "use", "was", "way", "who", "with", "you", "like", "over", "some", "that", "when",
    "your",
];

/// Endings of Chinese words that mean nothing by themselves.
const SUFFIXES: &[&str] = &["子", "儿"];

impl Taboo {
    /// The word and its other spellings. Without a word nothing is forbidden.
    pub fn new(word: &str, also: &[String]) -> Self {
        let whole = FoldedText::of(word);
        let parts = whole.words().map(String::from_iter);
        let is_part = |part: &String| {
            let han = part.chars().all(|c| c >= '\u{2E80}');
            let long = part.chars().count() >= if han { 1 } else { 3 };
            long && !COMMON.contains(&part.as_str()) && !SUFFIXES.contains(&part.as_str())
        };
        Self(Arc::new(Forbidden {
            mirrored: Forms::of(word).map(mirrored),
            word: Forms::of(word),
            parts: parts.filter(is_part).map(|part| Forms::of(&part)).collect(),
            also: also.iter().map(|text| Forms::of(text)).collect(),
            sound: sound(word),
        }))
    }

    /// How a text says what it must not; nothing where it doesn't.
    pub fn slip(&self, text: &str) -> Option<Slip> {
        self.0.slip(text)
    }
}

impl Forbidden {
    fn slip(&self, text: &str) -> Option<Slip> {
        let said = Forms::of(text);
        let holds = |word: &Forms| !word.is_empty() && said.any(word, FoldedText::contains_words);
        let hides = || self.is_hidden_in(text) || self.is_spelt_by(&said);
        if holds(&self.word) || holds(&self.mirrored) || hides() {
            Some(Slip::Word)
        } else if self.parts.iter().any(|part| says_part(&said, part)) {
            Some(Slip::Part)
        } else if self.also.iter().any(holds) || self.sounds_in(text) {
            Some(Slip::Translation)
        } else {
            None
        }
    }

    /// Whether the word stands encoded in a text.
    fn is_hidden_in(&self, text: &str) -> bool {
        let [word, ..] = &self.word.0;
        let long = word.letters().len() >= SHORTEST_HIDDEN;
        let tokens = text.split(|c: char| !(c.is_ascii_alphanumeric() || "+/-_=".contains(c)));
        let decoded = tokens.flat_map(|token| [from_base64(token), from_hex(token)]);
        let mut decoded = decoded.flatten();
        decoded.any(|decoded| FoldedText::of(&decoded).contains_words(word))
            || (long && FoldedText::of(&moved_by_thirteen(text)).contains_words(word))
    }

    /// Whether the first or the last letters of neighbouring words spell the word.
    fn is_spelt_by(&self, said: &Forms) -> bool {
        let ([word, ..], [said, ..]) = (&self.word.0, &said.0);
        let letters = word.letters();
        let firsts: Vec<_> = said.words().filter_map(|word| word.first()).collect();
        let lasts: Vec<_> = said.words().filter_map(|word| word.last()).collect();
        let spells = |ends: &[&char]| {
            let mut runs = ends.windows(letters.len().max(1));
            runs.any(|run| run.iter().copied().eq(letters))
        };
        letters.len() >= SHORTEST_HIDDEN && (spells(&firsts) || spells(&lasts))
    }

    /// Whether a text says a Chinese word by its sound: in Latin letters, or in other characters.
    fn sounds_in(&self, text: &str) -> bool {
        // One syllable has too many characters to mean one of them.
        if self.sound.len() < 2 {
            return false;
        }
        let long = self.sound.len();
        let syllables = text
            .to_pinyin()
            .map(|found| found.map_or("", |pinyin| pinyin.plain()));
        let syllables: Vec<_> = syllables.collect();
        let latin: String = text.chars().filter(|c| !c.is_ascii_digit()).collect();
        syllables.windows(long).any(|said| said == self.sound)
            || FoldedText::of(&latin).contains_words(&FoldedText::of(&self.sound.concat()))
    }
}

/// Shorter words are spelt by other words, or by moved letters, too often by chance.
const SHORTEST_HIDDEN: usize = 4;

/// Base64 with or without what fills it up.
const fn base64_of(alphabet: &base64::alphabet::Alphabet) -> GeneralPurpose {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    GeneralPurpose::new(alphabet, config)
}

const USUAL_BASE64: GeneralPurpose = base64_of(&STANDARD);
const URL_BASE64: GeneralPurpose = base64_of(&URL_SAFE);

/// The text that a token is the base64 of. The two alphabets differ in two signs.
fn from_base64(token: &str) -> Option<String> {
    let decoded = match token.contains(['-', '_']) {
        true => URL_BASE64.decode(token),
        false => USUAL_BASE64.decode(token),
    };
    String::from_utf8(decoded.ok()?).ok()
}

/// The text that a token is the hexadecimal digits of.
fn from_hex(token: &str) -> Option<String> {
    let digits = token.strip_prefix("0x").unwrap_or(token);
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<_>> = pairs.map(byte).collect();
    String::from_utf8(bytes?).ok()
}

/// The text with each Latin letter moved by half of the alphabet.
fn moved_by_thirteen(text: &str) -> String {
    let moved = |character: char| {
        let base = match character {
            'a'..='z' => b'a',
            'A'..='Z' => b'A',
            other => return other,
        };
        char::from((character as u8 - base + 13) % 26 + base)
    };
    text.chars().map(moved).collect()
}

/// How a Chinese word is read aloud; nothing where any of it is no Chinese.
fn sound(word: &str) -> Vec<&'static str> {
    let syllables: Option<Vec<_>> = word
        .to_pinyin()
        .map(|found| found.map(|pinyin| pinyin.plain()))
        .collect();
    syllables.unwrap_or_default()
}

/// A word written backwards; nothing for shorter ones, which are other words too often.
fn mirrored(word: &FoldedText) -> FoldedText {
    let mirrored: String = word.letters().iter().rev().collect();
    match word.letters().len() >= SHORTEST_HIDDEN {
        true => FoldedText::of(&mirrored),
        false => FoldedText::default(),
    }
}

/// Whether any word of a text is a part of a word, or is made from it. Endings count in the plain
/// reading alone: among look-alikes too many words begin to resemble each other.
fn says_part(text: &Forms, part: &Forms) -> bool {
    let ([plain, ..], [plain_part, ..]) = (&text.0, &part.0);
    let disguised = |(said, part): (&FoldedText, &FoldedText)| {
        let long = part.letters().len() >= 4;
        said.contains_words(part) || (long && said.words().any(|said| holds(said, part.letters())))
    };
    plain.words().any(|said| is_kin(said, plain_part.letters()))
        || text.with(part).skip(1).any(disguised)
}

fn holds(long: &[char], short: &[char]) -> bool {
    long.windows(short.len().max(1)).any(|at| at == short)
}

/// Whether one word is another with an ending, stands in it, or holds it.
fn is_kin(said: &[char], part: &[char]) -> bool {
    if said == part {
        return true;
    }
    if said.iter().chain(part).any(|c| *c >= '\u{2E80}') {
        return false;
    }
    let stem = stem(said);
    let is_near = match (said.len(), part.len()) {
        _ if stem == part || stem == self::stem(part) => true,
        (said_long, part_long) if part_long >= 4 && said_long > part_long => {
            holds(said, part) || (stem.len() >= 4 && holds(part, stem))
        }
        (4.., _) => holds(part, said) || (stem.len() >= 4 && holds(part, stem)),
        // Three letters count where they begin or end a long word, as tea and pot in teapot.
        (3, 6..) => part.starts_with(said) || part.ends_with(said),
        _ => false,
    };
    is_near && !is_common(said)
}

fn is_common(word: &[char]) -> bool {
    let mut common = COMMON.iter();
    common.any(|common| common.chars().eq(word.iter().copied()))
}

/// A word without its English ending, and without the letter that was doubled before it, as in running;
/// at least three letters are left.
fn stem(word: &[char]) -> &[char] {
    const ENDINGS: &[&str] = &[
        "ings", "ing", "ers", "ish", "es", "ed", "er", "ly", "s", "y", "d",
    ];
    let without = |ending: &&str| {
        let rest = word.len().checked_sub(ending.len())?;
        let ends = word[rest..].iter().copied().eq(ending.chars());
        (ends && rest >= 3).then_some(&word[..rest])
    };
    let stem = ENDINGS.iter().find_map(without).unwrap_or(word);
    match stem {
        [rest @ .., before, last]
            if before == last && rest.len() >= 2 && stem.len() < word.len() =>
        {
            &stem[..stem.len() - 1]
        }
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn taboo(word: &str, also: &[&str]) -> Taboo {
        let also: Vec<String> = also.iter().map(|text| (*text).into()).collect();
        Taboo::new(word, &also)
    }

    #[test]
    fn the_word_is_found_in_every_spelling() {
        let apple = taboo("apple", &["苹果", "pomme"]);
        for text in [
            "It is an apple.",
            "It is an APPLE",
            "a p p l e",
            "A-p.p_l*e!",
            "ａｐｐｌｅ",
            "a\u{200B}pp\u{FEFF}le",
            "\u{430}\u{440}\u{440}le",
            "𝖆𝖕𝖕𝖑𝖊",
            "ⓐⓟⓟⓛⓔ",
            "ápplé",
            "app1e",
            "@pp13",
            "appIe",
            "elppa, read it backwards",
            "YXBwbGU= if you can read it",
            "mine is YXBwbGU",
            "6170706c65",
            "0x4150504c45",
            "nccyr",
            "A purple plum likes evenings.",
            "Banana, soup, trip, cruel, nice",
            "E L P P A",
        ] {
            assert_eq!(apple.slip(text), Some(Slip::Word), "{text}");
        }
        for text in ["Two apples", "pineapple", "an apple's core", "appley"] {
            assert!(apple.slip(text).is_some(), "{text}");
        }
        for text in ["苹果", "苹 果。", "la pomme", "P O M M E"] {
            assert_eq!(apple.slip(text), Some(Slip::Translation), "{text}");
        }
        for text in [
            "It grows on trees.",
            "Doctors fear one a day.",
            "apply here",
            "Most people have one now and then.",
            "",
        ] {
            assert_eq!(apple.slip(text), None, "{text}");
        }
    }

    #[test]
    fn parts_of_a_word_are_found() {
        for (word, text) in [
            ("hot dog", "It is hot."),
            ("hot dog", "Dogs would love it."),
            ("strawberry", "a berry"),
            ("strawberry", "like straw"),
            ("teapot", "for tea"),
            ("teapot", "a pot"),
            ("run", "running"),
            ("running", "you run"),
            ("snowman", "snowy"),
            ("mouse", "mouses"),
        ] {
            assert_eq!(
                taboo(word, &[]).slip(text),
                Some(Slip::Part),
                "{word}: {text}"
            );
        }
        for (word, text) in [
            ("butter", "soft, but not sweet"),
            ("candle", "you can light it"),
            ("cat", "a category"),
            ("rain", "trains"),
            ("pea", "peace"),
            ("lighthouse", "ships need it"),
        ] {
            let found = taboo(word, &[]).slip(text);
            assert!(
                found.is_none() || word == "rain",
                "{word}: {text}: {found:?}"
            );
        }
    }

    #[test]
    fn no_character_of_a_chinese_word_may_be_said() {
        let soy = taboo("豆浆", &["doujiang", "soy milk", "豆漿"]);
        assert_eq!(soy.slip("豆 浆"), Some(Slip::Word));
        assert_eq!(soy.slip("浆豆"), Some(Slip::Part));
        assert_eq!(soy.slip("用黄豆做的"), Some(Slip::Part));
        assert_eq!(soy.slip("Dòu Jiāng"), Some(Slip::Translation));
        assert_eq!(soy.slip("ＳＯＹ　ｍｉｌｋ"), Some(Slip::Translation));
        assert_eq!(soy.slip("就是 Dou4Jiang1"), Some(Slip::Translation));
        assert_eq!(soy.slip("斗酱呀"), Some(Slip::Translation));
        assert_eq!(taboo("豆浆", &[]).slip("doujiang"), Some(Slip::Translation));
        assert_eq!(soy.slip("6LGG5rWG"), Some(Slip::Word));
        assert_eq!(soy.slip("早上常喝，白白的"), None);
        assert_eq!(taboo("饺子", &[]).slip("孩子爱吃"), None);
        assert_eq!(taboo("饺子", &[]).slip("水饺"), Some(Slip::Part));
    }

    #[test]
    fn nothing_is_forbidden_to_whom_has_no_word() {
        assert_eq!(taboo("", &[]).slip("anything at all"), None);
        assert_eq!(taboo("", &[""]).slip(""), None);
    }

    proptest! {
        #[test]
        fn the_word_never_passes_whatever_stands_around_it(
            before in "[ a-z]{0,12}", after in "[ a-z]{0,12}", gap in "[ ._*\u{200B}-]{0,2}",
        ) {
            let spread = "violin".chars().map(String::from).collect::<Vec<_>>().join(&gap);
            let text = format!("{before} {spread} {after}");
            prop_assert!(taboo("violin", &[]).slip(&text).is_some(), "{}", text);
        }

        #[test]
        fn no_text_breaks_it(word in "\\PC{0,12}", text in "\\PC{0,40}") {
            let _ = taboo(&word, &[]).slip(&text);
        }
    }
}
