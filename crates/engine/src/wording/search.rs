//! Finds words in a text whatever their case, width and accents, in simplified or traditional
//! characters, and whatever spaces, punctuation and Markdown are between their letters.

use std::cell::OnceCell;
use std::ops::Range;

use memchr::memmem::Finder;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::is_invisible;
use super::traditional::simplified;

/// The maximum number of characters between two letters of what is found.
const MAX_BETWEEN: usize = 16;

/// Words to look for.
#[derive(Clone, Debug)]
pub(crate) struct Needle {
    finder: Finder<'static>,
    length: usize,
    /// The number of ends of sentences between them.
    breaks: usize,
}

impl Needle {
    /// `None` if the words have no letters and no digits.
    pub(crate) fn new(words: &str) -> Option<Self> {
        let read = Searched::new(words);
        let length = read.letters().len();
        (length > 0).then(|| Self {
            finder: Finder::new(&read.folded).into_owned(),
            length,
            breaks: read.breaks(0..length),
        })
    }
}

/// The letters and digits of a text without case, width and accents, each with the bytes of the
/// character that stands for it: ﬁ stands for two.
fn each_letter(text: &str, mut act: impl FnMut(char, Range<usize>)) {
    for (start, char) in text.char_indices() {
        let bytes = start..start + char.len_utf8();
        if char.is_ascii_alphanumeric() {
            act(char.to_ascii_lowercase(), bytes);
        } else if char.is_alphanumeric() && !is_invisible(char) {
            // A sign such as ™ separates words, although it is made of letters.
            let plain = std::iter::once(char).nfkd().flat_map(char::to_lowercase);
            let is_letter = |char: &char| char.is_alphanumeric() && !is_combining_mark(*char);
            plain
                .filter(is_letter)
                .for_each(|letter| act(simplified(letter), bytes.clone()));
        }
    }
}

/// A text that is searched for [`Needle`]s.
#[derive(Debug)]
pub(crate) struct Searched<'t> {
    text: &'t str,
    folded: String,
    /// Made when something may be found, which is rare.
    letters: OnceCell<Vec<Letter>>,
}

/// One letter of the folded text.
#[derive(Debug)]
struct Letter {
    /// The byte of the folded text at which it begins.
    start: usize,
    /// The bytes of the character of the text that it comes from.
    bytes: Range<usize>,
}

impl<'t> Searched<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let mut folded = String::with_capacity(text.len());
        each_letter(text, |letter, _| folded.push(letter));
        Self {
            text,
            folded,
            letters: OnceCell::new(),
        }
    }

    fn letters(&self) -> &[Letter] {
        self.letters.get_or_init(|| {
            let (mut letters, mut start) = (Vec::with_capacity(self.folded.len()), 0);
            each_letter(self.text, |letter, bytes| {
                letters.push(Letter { start, bytes });
                start += letter.len_utf8();
            });
            letters
        })
    }

    /// The numbers of the letters at which a needle may begin, in order.
    pub(crate) fn starts_of(&self, needle: &Needle) -> impl Iterator<Item = usize> {
        let found = needle.finder.find_iter(self.folded.as_bytes());
        found.map(|found| {
            self.letters()
                .partition_point(|letter| letter.start < found)
        })
    }

    /// The number of the letter after a needle that begins at a letter; `None` if none does.
    pub(crate) fn end_of(&self, needle: &Needle, start: usize) -> Option<usize> {
        let letters = start..start.checked_add(needle.length)?;
        let found = self.letters().get(letters.clone())?;
        let folded = self.folded.as_bytes().get(found.first()?.start..)?;
        let is_match = folded.starts_with(needle.finder.needle())
            && found.windows(2).all(|pair| self.are_near(pair))
            && self.breaks(letters.clone()) <= needle.breaks;
        is_match.then_some(letters.end)
    }

    /// The bytes of the text that letters stand for, accents behind the last one included.
    pub(crate) fn bytes(&self, letters: Range<usize>) -> Option<Range<usize>> {
        let last = letters.end.checked_sub(1)?;
        let (first, last) = (
            self.letters().get(letters.start)?,
            self.letters().get(last)?,
        );
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

    /// The number of ends of sentences between letters.
    fn breaks(&self, letters: Range<usize>) -> usize {
        let inside = self.letters().get(letters).unwrap_or_default();
        let ends = |pair: &&[Letter]| ends_sentence(self.between(pair));
        inside.windows(2).filter(ends).count()
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(words: &str, text: &str) -> Option<String> {
        let needle = Needle::new(words).unwrap();
        let searched = Searched::new(text);
        searched.starts_of(&needle).find_map(|start| {
            let end = searched.end_of(&needle, start)?;
            Some(text[searched.bytes(start..end)?].to_owned())
        })
    }

    #[test]
    fn case_width_accents_and_what_is_between_letters_make_no_difference() {
        for text in [
            "the vault code is 4711",
            "the **vault** code is _4711_",
            "V-A-U-L-T code is 4 7 1 1",
            "v.a.u.l.t c.o.d.e i.s 4.7.1.1",
            "váult cödé is 4711",
            "va\u{200B}ult code is ４７１１",
            "va\u{301}ult code is 4711",
            "ᵛault 𝐜𝐨𝐝𝐞 is ④⑦①①",
            "the vault—code–is…4711",
            "the vault™code―is₨4711",
        ] {
            assert!(found("vault code is 4711", text).is_some(), "{text}");
        }
        for text in [
            "井里有毒",
            "井 里-有.毒",
            "井里，有毒",
            "*井*里_有_毒",
            "井——里…有·毒",
            "井裡有毒",
        ] {
            assert!(found("井里有毒", text).is_some(), "{text}");
        }
        assert_eq!(found("bell", "the BÉLL!").as_deref(), Some("BÉLL"));
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

    proptest! {
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
