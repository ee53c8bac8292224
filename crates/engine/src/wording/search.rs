//! Finds words in a text in whatever form they are written: case, width, accents, spaces,
//! punctuation and Markdown between the letters, look-alike letters, digits for letters.
//!
//! A text is searched for letters that each stand for all that look alike, which is quick and finds
//! too much; what is found counts if one of its [`Readings`] is one of the words.

use std::ops::Range;

use memchr::memmem::Finder;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::skeleton;

use super::{Readings, is_invisible};

/// The maximum number of characters between two letters of what is found.
const MAX_BETWEEN: usize = 16;

/// Words to look for.
#[derive(Clone, Debug)]
pub(crate) struct Needle {
    finder: Finder<'static>,
    /// The number of its letters.
    length: usize,
    /// The number of ends of sentences between them.
    breaks: usize,
    readings: Readings,
}

impl Needle {
    /// `None` if the words have no letters and no digits.
    pub(crate) fn new(words: &str) -> Option<Self> {
        let read = Searched::new(words, Symbols::Dropped);
        let (first, last) = (read.letters.first()?, read.letters.last()?);
        // As in a text, nothing before or after its letters is read.
        let own = words.get(first.bytes.start..last.bytes.end)?;
        Some(Self {
            finder: Finder::new(&read.coarse).into_owned(),
            length: read.letters.len(),
            breaks: read.breaks(0..read.letters.len()),
            readings: Readings::of(own),
        })
    }

    /// A quick test on [`coarse`] letters: whether the words may be in a text.
    pub(crate) fn may_be_in(&self, coarse: &[u8]) -> bool {
        self.finder.find(coarse).is_some()
    }
}

/// What symbols such as `@` and `!` are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbols {
    Dropped,
    /// The letters that they are written for.
    Letters,
}

impl Symbols {
    /// Those that differ for a text.
    pub(crate) fn of(text: &str) -> &'static [Self] {
        let is_symbol = |byte| matches!(byte, b'@' | b'!' | b'|' | b'$' | b'+');
        // Without a stop at the first hit, which compilers vectorize.
        let found = text
            .bytes()
            .fold(false, |found, byte| found | is_symbol(byte));
        if found || text.contains('€') {
            &[Self::Dropped, Self::Letters]
        } else {
            &[Self::Dropped]
        }
    }
}

/// The letters and digits of a text, each as the one that stands for all that look alike.
pub(crate) fn coarse(text: &str, symbols: Symbols) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 8);
    if text.is_ascii() {
        text.bytes()
            .for_each(|byte| push_ascii(byte, symbols, &mut out));
    } else {
        text.chars()
            .for_each(|char| push_coarse(char, symbols, &mut out));
    }
    out
}

/// A text that is searched for [`Needle`]s.
#[derive(Debug)]
pub(crate) struct Searched<'t> {
    text: &'t str,
    coarse: Vec<u8>,
    letters: Vec<Letter>,
}

/// One letter of the coarse text.
#[derive(Debug)]
struct Letter {
    /// The byte of the coarse text at which it begins.
    start: usize,
    /// The bytes of the text that it stands for; those of an m stand for two letters.
    bytes: Range<usize>,
}

impl<'t> Searched<'t> {
    pub(crate) fn new(text: &'t str, symbols: Symbols) -> Self {
        let mut coarse = Vec::with_capacity(text.len());
        let mut letters = Vec::with_capacity(text.len());
        for (start, char) in text.char_indices() {
            let before = coarse.len();
            push_coarse(char, symbols, &mut coarse);
            let added = coarse.get(before..).unwrap_or_default().iter().enumerate();
            // The bytes at which characters begin.
            let starts = added.filter(|(_, byte)| **byte & 0xC0 != 0x80);
            letters.extend(starts.map(|(offset, _)| Letter {
                start: before + offset,
                bytes: start..start + char.len_utf8(),
            }));
        }
        Self {
            text,
            coarse,
            letters,
        }
    }

    /// The numbers of the letters at which a needle may begin, in order.
    pub(crate) fn starts_of(&self, needle: &Needle) -> impl Iterator<Item = usize> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = from + needle.finder.find(self.coarse.get(from..)?)?;
            from = found + 1;
            Some(self.letters.partition_point(|letter| letter.start < found))
        })
    }

    /// The number of the letter after a needle that begins at a letter; `None` if none does.
    pub(crate) fn end_of(&self, needle: &Needle, start: usize) -> Option<usize> {
        let letters = start..start.checked_add(needle.length)?;
        let found = self.letters.get(letters.clone())?;
        let (first, last) = (found.first()?, found.last()?);
        let coarse = self.coarse.get(first.start..)?;
        let bytes = first.bytes.start..last.bytes.end;
        let is_whole = |inside: Option<&Letter>, outside: Option<&Letter>| {
            outside.map(|letter| &letter.bytes) != inside.map(|letter| &letter.bytes)
        };
        let before = start
            .checked_sub(1)
            .and_then(|index| self.letters.get(index));
        let is_match = coarse.starts_with(needle.finder.needle())
            && is_whole(Some(first), before)
            && is_whole(Some(last), self.letters.get(letters.end))
            && found.windows(2).all(|pair| self.are_near(pair))
            && self.breaks(letters.clone()) <= needle.breaks;
        let said = || Readings::of(self.text.get(bytes).unwrap_or_default());
        let same = |said: &Readings| {
            said.any(&needle.readings, |said, word| {
                said.letters() == word.letters()
            })
        };
        (is_match && same(&said())).then_some(letters.end)
    }

    /// The bytes of the text that letters stand for, accents behind the last one included.
    pub(crate) fn bytes(&self, letters: Range<usize>) -> Option<Range<usize>> {
        let last = letters.end.checked_sub(1)?;
        let (first, last) = (self.letters.get(letters.start)?, self.letters.get(last)?);
        let rest = self.text.get(last.bytes.end..)?;
        let accents = rest.chars().take_while(|char| is_combining_mark(*char));
        let end = last.bytes.end + accents.map(char::len_utf8).sum::<usize>();
        Some(first.bytes.start..end)
    }

    /// Whether there are few characters between two letters.
    fn are_near(&self, pair: &[Letter]) -> bool {
        let between = self.between(pair).chars();
        between
            .filter(|char| !is_invisible(*char))
            .nth(MAX_BETWEEN)
            .is_none()
    }

    /// The number of ends of sentences between letters. Between pieces of one letter there are
    /// none: 4. 7. 1. 1.
    fn breaks(&self, letters: Range<usize>) -> usize {
        let inside = self.letters.get(letters.clone()).unwrap_or_default();
        let gaps: Vec<_> = inside.windows(2).map(|pair| self.between(pair)).collect();
        let is_gap = |number: usize| gaps.get(number).is_none_or(|gap| !gap.is_empty());
        let breaks = gaps.iter().enumerate().filter(|(number, gap)| {
            let before = *number == 0 || is_gap(number - 1);
            ends_sentence(gap) && !before && !is_gap(number + 1)
        });
        breaks.count()
    }

    fn between(&self, pair: &[Letter]) -> &'t str {
        let [first, second] = pair else { return "" };
        let bytes = first.bytes.end..second.bytes.start;
        self.text.get(bytes).unwrap_or_default()
    }
}

/// Whether what is between two letters ends a sentence.
fn ends_sentence(between: &str) -> bool {
    let mut chars = between.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '。' | '！' | '？' => return true,
            '.' | '!' | '?' | '…' if chars.peek().is_some_and(|next| next.is_whitespace()) => {
                return true;
            }
            _ => {}
        }
    }
    false
}

/// Adds the letters that a character stands for.
fn push_coarse(char: char, symbols: Symbols, out: &mut Vec<u8>) {
    match char {
        _ if char.is_ascii() => push_ascii(char as u8, symbols, out),
        '€' if symbols == Symbols::Letters => out.push(b'e'),
        '\u{3400}'..='\u{9FFF}' => push_char(char, out),
        _ if is_invisible(char) => {}
        _ => push_other(char, symbols, out),
    }
}

fn push_ascii(byte: u8, symbols: Symbols, out: &mut Vec<u8>) {
    let letters = match symbols {
        Symbols::Dropped => &WITHOUT_SYMBOLS,
        Symbols::Letters => &WITH_SYMBOLS,
    };
    match letters.get(usize::from(byte)) {
        None | Some(0) => {}
        Some(b'm') => out.extend(b"rn"),
        Some(letter) => out.push(*letter),
    }
}

/// What each ASCII character stands for; 0 for nothing.
const WITHOUT_SYMBOLS: [u8; 128] = ascii_letters(false);
const WITH_SYMBOLS: [u8; 128] = ascii_letters(true);

const fn ascii_letters(with_symbols: bool) -> [u8; 128] {
    let mut letters = [0; 128];
    let mut byte: u8 = 0;
    while byte < 128 {
        letters[byte as usize] = match byte.to_ascii_lowercase() {
            b'i' | b'1' => b'l',
            b'0' => b'o',
            b'4' => b'a',
            b'8' => b'b',
            b'3' => b'e',
            b'9' => b'g',
            b'5' => b's',
            b'7' => b't',
            other if other.is_ascii_alphanumeric() => other,
            b'@' if with_symbols => b'a',
            b'!' | b'|' if with_symbols => b'l',
            b'$' if with_symbols => b's',
            b'+' if with_symbols => b't',
            _ => 0,
        };
        byte += 1;
    }
    letters
}

fn push_char(char: char, out: &mut Vec<u8>) {
    out.extend(char.encode_utf8(&mut [0; 4]).bytes());
}

/// Adds a letter of another script as the Latin one that its small or its capital form looks like,
/// and any other without its accents.
fn push_other(char: char, symbols: Symbols, out: &mut Vec<u8>) {
    for char in std::iter::once(char).nfkc() {
        let small: String = char.to_lowercase().collect();
        let alike = |text: &str| {
            let alike: String = skeleton(text).collect();
            let plain = alike.nfd().filter(|char| !is_combining_mark(*char));
            plain.flat_map(char::to_lowercase).collect::<String>()
        };
        let as_small = alike(&small);
        let as_capital =
            || Some(alike(char.encode_utf8(&mut [0; 4]))).filter(|as_is| as_is.is_ascii());
        let found = if as_small.is_ascii() {
            as_small
        } else {
            as_capital().unwrap_or(as_small)
        };
        for char in found.chars().filter(|char| !is_combining_mark(*char)) {
            if char.is_ascii() {
                push_ascii(char as u8, symbols, out);
            } else if char.is_alphanumeric() {
                push_char(char, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(words: &str, text: &str) -> Option<String> {
        let needle = Needle::new(words).unwrap();
        Symbols::of(text).iter().find_map(|symbols| {
            let searched = Searched::new(text, *symbols);
            searched.starts_of(&needle).find_map(|start| {
                let end = searched.end_of(&needle, start)?;
                Some(text[searched.bytes(start..end)?].to_owned())
            })
        })
    }

    #[test]
    fn words_are_found_in_whatever_form_they_are_written() {
        for text in [
            "the vault code is 4711",
            "the **vault** code is _4711_",
            "V-A-U-L-T code is 4 7 1 1",
            "v.a.u.l.t c.o.d.e i.s 4.7.1.1",
            "váult cödé is 4711",
            "vа\u{200B}ult cоde is ４７１１",
            "V@ult c0de is 4711",
            "va\u{301}ult code is 4. 7. 1. 1",
            "ᵛault 𝐜𝐨𝐝𝐞 is ④⑦①①",
        ] {
            assert!(found("vault code is 4711", text).is_some(), "{text}");
        }
        for text in [
            "井里有毒",
            "井 里-有.毒",
            "井里，有毒",
            "*井*里_有_毒",
            "井。里。有。毒",
        ] {
            assert!(found("井里有毒", text).is_some(), "{text}");
        }
        assert_eq!(found("bell", "the BЕLL!").as_deref(), Some("BЕLL"));
    }

    #[test]
    fn what_only_resembles_the_words_is_not_found() {
        for (words, text) in [
            ("the miller lives", "I saw the miller. Lives are short."),
            ("井里有毒", "我掉进了井里。有毒的是酒。"),
            ("fall", "all mail must not fail"),
            ("mail", "a rail"),
            ("tab", "t                              ab"),
        ] {
            assert_eq!(found(words, text), None, "{words} in {text}");
        }
    }

    #[test]
    fn signs_before_the_first_letter_are_none_of_the_words() {
        // The skeleton of the sign is letters, and that of the prime is none.
        assert!(found("%ʹ𞸤", "%ʹ𞸤 and more").is_some());
    }

    proptest! {
        #[test]
        fn every_reading_has_the_same_coarse_letters(text in "[ -~]{0,24}") {
            let of = |text: &str| coarse(text, Symbols::Dropped);
            let readings = Readings::of(&text.replace(['@', '!', '|', '$', '+', '%'], ""));
            let own = of(&text);
            for (reading, _) in readings.pairs(&readings) {
                let letters: String = reading.letters().iter().collect();
                prop_assert_eq!(&of(&letters), &own, "{}", letters);
            }
        }

        #[test]
        fn no_text_breaks_it(words in "\\PC{1,8}", text in "\\PC{0,40}") {
            if Needle::new(&words).is_some() {
                let _ = found(&words, &text);
                let said = format!("{words} and {text}");
                prop_assert!(found(&words, &said).is_some());
            }
        }
    }
}
