//! A token estimate that needs no vocabulary, and how it learns from what providers report.
//!
//! [`estimate`] reads a text once. Each character belongs to a class, and its cost depends on its
//! class and on what came before it: the first letters of a word, a mark after a space, a frequent
//! ideograph after another. The costs are fitted to OpenAI's o200k on the texts in `tests/tokens/`
//! (story prose, dialogue, prompts, cards, JSON and world files in English and Chinese), with small
//! corrections for a few long technical documents and for whole worlds. The mean error on the
//! samples is 4 %; the largest is an estimate too high for a technical guide in Chinese, and
//! Chinese program documentation can exceed 15 %. The tests below measure it again.
//!
//! Other models split text differently, so each entity has a [`Correction`] beside its ledger.

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

/// Estimates how many tokens a model reads `text` as.
pub fn estimate(text: &str) -> u32 {
    let mut state = State::Start;
    let mut cost = 0;
    for character in text.chars() {
        let step = STEPS[state as usize][Class::of(character) as usize];
        state = step.next;
        cost += u64::from(step.cost);
    }
    u32::try_from(cost.div_ceil(TOKEN)).unwrap_or(u32::MAX)
}

const TOKEN: u64 = 64;

/// Defines an enum of plain variants and the list of all of them.
macro_rules! listed {
    ($(#[$doc:meta])* $name:ident { $($variant:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(u8)]
        enum $name { $($variant,)* }

        impl $name {
            const ALL: &[Self] = &[$(Self::$variant,)*];
        }
    };
}

listed! {
    Class {
        Lower, Upper, Accented, Digit, Space, Newline, Mark, WideMark, Ideograph, Frequent, Kana,
        Hangul, OtherLetter, Joiner, Rule, Symbol,
    }
}

listed! {
    /// What precedes the next character: its class, and in a word the position in the word.
    State {
        Start, Word1, Word2, Word3, WordLong, Upper, Name1, Name2, Name3, NameLong, Accented, Digit,
        Space, Newline, Mark, WideMark, Ideograph, Frequent, Kana, Hangul, OtherLetter, Joiner, Rule,
        Symbol,
    }
}

impl Class {
    fn of(character: char) -> Self {
        match u32::from(character) {
            code @ 0..0x80 => ASCII[code as usize],
            0x80..=0xBF | 0x2010..=0x206F => Self::WideMark,
            0xC0..=0x24F | 0x1E00..=0x1EFF => Self::Accented,
            0x200B..=0x200F | 0xFE00..=0xFE0F => Self::Joiner,
            0x250..=0x1FFF => Self::OtherLetter,
            0x2500..=0x257F => Self::Rule,
            0x2000..=0x2BFF => Self::Symbol,
            0x3000..=0x303F | 0xFF00..=0xFFEF => Self::WideMark,
            0x3040..=0x30FF => Self::Kana,
            code @ FIRST_IDEOGRAPH..=LAST_IDEOGRAPH if is_frequent(code) => Self::Frequent,
            0x3100..=0xA4CF | 0xF900..=0xFAFF => Self::Ideograph,
            0xAC00..=0xD7AF => Self::Hangul,
            0x1_0000.. => Self::Symbol,
            _ => Self::OtherLetter,
        }
    }

    const fn of_ascii(byte: u8) -> Self {
        match byte {
            b'a'..=b'z' => Self::Lower,
            b'A'..=b'Z' => Self::Upper,
            b'0'..=b'9' => Self::Digit,
            b' ' | b'\t' => Self::Space,
            b'\n' | b'\r' => Self::Newline,
            b'!'..=b'~' => Self::Mark,
            _ => Self::Symbol,
        }
    }
}

const ASCII: [Class; 128] = {
    let mut table = [Class::Symbol; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = Class::of_ascii(byte as u8);
        byte += 1;
    }
    table
};

/// The next state after a character, and its cost.
#[derive(Clone, Copy)]
struct Step {
    next: State,
    cost: u8,
}

const STEPS: [[Step; Class::ALL.len()]; State::ALL.len()] = {
    let nowhere = Step {
        next: State::Start,
        cost: 0,
    };
    let mut table = [[nowhere; Class::ALL.len()]; State::ALL.len()];
    let mut state = 0;
    while state < State::ALL.len() {
        let mut class = 0;
        while class < Class::ALL.len() {
            table[state][class] = step(State::ALL[state], Class::ALL[class]);
            class += 1;
        }
        state += 1;
    }
    table
};

/// The rules: what a character of `class` costs after `state`, in 64ths of a token.
const fn step(state: State, class: Class) -> Step {
    use State::*;
    let (next, cost) = match (class, state) {
        // A word: its first four letters cost, the rest hardly does.
        (Class::Lower, Word1) => (Word2, 16),
        (Class::Lower, Word2) => (Word3, 16),
        (Class::Lower, Word3) => (WordLong, 16),
        (Class::Lower, WordLong) => (WordLong, 1),
        // A capitalised word, most often a name: long ones fall into pieces.
        (Class::Lower, Upper) => (Name1, 0),
        (Class::Lower, Name1) => (Name2, 0),
        (Class::Lower, Name2) => (Name3, 0),
        (Class::Lower, Name3 | NameLong) => (NameLong, 31),
        (Class::Lower, Accented) => (Word1, 11),
        // A mark often shares a token with the word that it opens.
        (Class::Lower, Mark | WideMark) => (Word1, 25),
        (Class::Lower, _) => (Word1, 30),
        (Class::Upper, Upper) => (Upper, 21),
        (
            Class::Upper,
            Word1 | Word2 | Word3 | WordLong | Name1 | Name2 | Name3 | NameLong | Accented,
        ) => (Upper, 33),
        (Class::Upper, _) => (Upper, 57),
        (Class::Accented, _) => (Accented, 33),
        // A space belongs to the word after it, but not to digits.
        (Class::Digit, Digit) => (Digit, 24),
        (Class::Digit, Space) => (Digit, 123),
        (Class::Digit, _) => (Digit, 46),
        (Class::Space, Newline) => (Space, 43),
        (Class::Space, Space) => (Space, 3),
        (Class::Space, _) => (Space, 0),
        // A line end belongs to the mark before it.
        (Class::Newline, Newline) => (Newline, 3),
        (Class::Newline, Mark | WideMark | Space) => (Newline, 6),
        (Class::Newline, _) => (Newline, 20),
        (Class::Mark, Mark) => (Mark, 9),
        (Class::Mark, Space) => (Mark, 77),
        (Class::Mark, _) => (Mark, 47),
        (Class::WideMark, WideMark | Mark) => (WideMark, 10),
        (Class::WideMark, _) => (WideMark, 108),
        // Two frequent ideographs are most often one word.
        (Class::Frequent, Frequent) => (Frequent, 29),
        (Class::Frequent, Ideograph) => (Frequent, 57),
        (Class::Frequent, _) => (Frequent, 54),
        (Class::Ideograph, Ideograph) => (Ideograph, 67),
        (Class::Ideograph, Frequent) => (Ideograph, 64),
        (Class::Ideograph, _) => (Ideograph, 75),
        (Class::Kana, Kana) => (Kana, 41),
        (Class::Kana, _) => (Kana, 46),
        (Class::Hangul, Hangul) => (Hangul, 51),
        (Class::Hangul, _) => (Hangul, 60),
        (Class::OtherLetter, OtherLetter) => (OtherLetter, 13),
        (Class::OtherLetter, _) => (OtherLetter, 67),
        (Class::Joiner, _) => (Joiner, 54),
        (Class::Rule, Rule) => (Rule, 15),
        (Class::Rule, _) => (Rule, 67),
        (Class::Symbol, Symbol | Joiner) => (Symbol, 90),
        (Class::Symbol, _) => (Symbol, 116),
    };
    Step { next, cost }
}

/// The most frequent ideographs of modern Chinese, mostly parts of words of one token.
const FREQUENT: &str = "\
    的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年\
    过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心\
    她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间\
    由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给\
    世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变\
    四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社\
    便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北\
    边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运";

const FIRST_IDEOGRAPH: u32 = 0x4E00;
const LAST_IDEOGRAPH: u32 = 0x9FFF;

/// One bit for each ideograph.
const FREQUENT_BITS: [u64; 328] = {
    let bytes = FREQUENT.as_bytes();
    let mut bits = [0; 328];
    let mut byte = 0;
    // Every one of these is three bytes of UTF-8.
    while byte < bytes.len() {
        let code = ((bytes[byte] as u32 & 0x0F) << 12)
            | ((bytes[byte + 1] as u32 & 0x3F) << 6)
            | (bytes[byte + 2] as u32 & 0x3F);
        let offset = (code - FIRST_IDEOGRAPH) as usize;
        bits[offset / 64] |= 1 << (offset % 64);
        byte += 3;
    }
    bits
};

fn is_frequent(code: u32) -> bool {
    let offset = (code - FIRST_IDEOGRAPH) as usize;
    FREQUENT_BITS[offset / 64] >> (offset % 64) & 1 == 1
}

/// The ratio of an entity's reported token counts to the estimates.
///
/// Observations take effect when [`Self::settle`] is called, at a meeting; until then they are only
/// added up, so the order in which answers arrive doesn't matter. Counts are integers and saved.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Correction {
    settled: Sums,
    #[serde(skip_serializing_if = "Sums::is_empty")]
    pending: Sums,
}

/// Estimated and reported tokens of the same texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sums {
    estimated: u64,
    reported: u64,
}

impl Sums {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn add(&mut self, other: Self) {
        self.estimated = self.estimated.saturating_add(other.estimated);
        self.reported = self.reported.saturating_add(other.reported);
    }
}

impl Correction {
    /// Records the estimated and the reported tokens of a prompt. A count of 0 is ignored.
    pub fn observe(&mut self, estimated: u64, reported: u64) {
        if estimated > 0 && reported > 0 {
            self.pending.add(Sums {
                estimated,
                reported,
            });
        }
    }

    /// Whether there are observations that have not taken effect.
    pub fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Lets all observations take effect.
    pub fn settle(&mut self) {
        self.settled.add(std::mem::take(&mut self.pending));
    }

    /// The corrected estimate, rounded up, between half and three times the estimate; unchanged
    /// before any observation took effect.
    pub fn apply(&self, estimate: u64) -> u64 {
        let Sums {
            estimated,
            reported,
        } = self.settled;
        if estimated == 0 {
            return estimate;
        }
        let exact = (u128::from(estimate) * u128::from(reported)).div_ceil(u128::from(estimated));
        let corrected = u64::try_from(exact).unwrap_or(u64::MAX);
        corrected.clamp(estimate.div_ceil(2), estimate.saturating_mul(3))
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    /// All files in a folder of the checkout, sorted by name; empty if there is no such
    /// folder.
    fn files(folder: &Path) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(folder) else {
            return Vec::new();
        };
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let below = |path: PathBuf| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        };
        paths.into_iter().flat_map(below).collect()
    }

    fn texts(folder: &str) -> Vec<(String, String)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let read = |path: PathBuf| {
            Some((
                path.display().to_string(),
                std::fs::read_to_string(path).ok()?,
            ))
        };
        files(&folder).into_iter().filter_map(read).collect()
    }

    fn true_tokens(text: &str) -> u32 {
        tiktoken_rs::o200k_base_singleton()
            .encode_ordinary(text)
            .len() as u32
    }

    /// The error of the estimate in percent; positive if it is too high.
    fn error(text: &str) -> f64 {
        f64::from(estimate(text)) / f64::from(true_tokens(text)) * 100.0 - 100.0
    }

    #[test]
    fn every_sample_is_within_15_percent() {
        let samples = texts("tests/tokens");
        assert!(samples.len() >= 30, "samples are missing");
        let errors: Vec<_> = samples
            .iter()
            .map(|(name, text)| (name, error(text)))
            .collect();
        for (name, error) in &errors {
            assert!(error.abs() <= 15.0, "{name}: {error:+.1} %");
        }
        let sizes = || errors.iter().map(|(_, error)| error.abs());
        let mean = sizes().sum::<f64>() / errors.len() as f64;
        let worst = sizes().fold(0.0, f64::max);
        println!(
            "{} samples, mean error {mean:.1} %, worst {worst:.1} %",
            errors.len()
        );
        assert!(mean <= 6.0, "{mean:.1} %");
    }

    #[test]
    fn every_message_of_100_tokens_is_within_25_percent() {
        for (name, text) in texts("tests/tokens") {
            let long = |part: &&str| true_tokens(part) >= 100;
            for part in text.split('\n').filter(long) {
                let error = error(part);
                assert!(error.abs() <= 25.0, "{name}: {error:+.1} % on {part}");
            }
        }
    }

    /// Each world is one text: all files of its folder. So are the prompts of each language.
    #[test]
    fn shipped_worlds_and_prompts_are_within_15_percent() {
        for folder in ["../../data/worlds", "../../data/prompts"] {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            let Ok(entries) = std::fs::read_dir(root) else {
                continue;
            };
            for entry in entries {
                let name = format!("{folder}/{}", entry.unwrap().file_name().display());
                let text: String = texts(&name).into_iter().map(|(_, text)| text).collect();
                if true_tokens(&text) >= 100 {
                    println!("{name}: {:+.1} %", error(&text));
                    assert!(error(&text).abs() <= 15.0, "{name}: {:+.1} %", error(&text));
                }
            }
        }
    }

    #[test]
    fn nothing_costs_nothing_and_everything_costs_something() {
        assert_eq!(estimate(""), 0);
        for text in ["a", "。", "🎲", "\u{200B}", "\n", "7", "ß", "ж", "한"] {
            assert!(estimate(text) >= 1, "{text:?}");
        }
    }

    #[test]
    fn corrections_settle_in_any_order_of_arrival() {
        let observations = [(100, 130), (400, 410), (50, 90)];
        let settled = |order: [usize; 3]| {
            let mut correction = Correction::default();
            for index in order {
                correction.observe(observations[index].0, observations[index].1);
                assert_eq!(correction.apply(1000), 1000, "nothing has settled yet");
            }
            correction.settle();
            correction
        };
        assert_eq!(settled([0, 1, 2]), settled([2, 0, 1]));
        assert_eq!(settled([0, 1, 2]).apply(1000), 1146); // 1000 * 630 / 550, rounded up
    }

    #[test]
    fn a_correction_stays_between_half_and_three_times() {
        for (reported, corrected) in [(1, 51), (1_000_000, 303), (u64::MAX, 303)] {
            let mut correction = Correction::default();
            correction.observe(100, reported);
            correction.settle();
            assert_eq!(correction.apply(101), corrected);
            assert_eq!(correction.apply(0), 0);
            assert!(correction.apply(u64::MAX) > 0);
        }
        let mut untaught = Correction::default();
        untaught.observe(0, 500);
        untaught.observe(500, 0);
        untaught.settle();
        assert_eq!(untaught, Correction::default());
    }

    #[test]
    fn a_correction_is_saved_with_what_has_not_settled() {
        let mut correction = Correction::default();
        correction.observe(10, 12);
        correction.settle();
        correction.observe(20, 21);
        let json = serde_json::to_string(&correction).unwrap();
        assert_eq!(
            serde_json::from_str::<Correction>(&json).unwrap(),
            correction
        );
    }
}
