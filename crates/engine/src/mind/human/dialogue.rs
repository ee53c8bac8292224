//! Questions that are asked until the answer can be used.

use std::collections::BTreeSet;
use std::io;

use super::console::Console;
use crate::locale::{Language, UiText, text};

/// A dialogue with a person. Numbers in menus begin at 1.
pub struct Dialogue<'c> {
    console: &'c mut dyn Console,
    language: Language,
}

impl<'c> Dialogue<'c> {
    pub(super) fn new(console: &'c mut dyn Console, language: Language) -> Self {
        Self { console, language }
    }

    /// Shows a text.
    ///
    /// # Errors
    /// Nobody can read it.
    pub fn show(&mut self, text: UiText) -> io::Result<()> {
        self.console.show(&text, self.language)
    }

    /// A line, trimmed, after a label, which may be empty.
    ///
    /// # Errors
    /// The input ended or broke.
    pub fn line(&mut self, label: UiText) -> io::Result<String> {
        let line = self.console.read(&label, self.language)?;
        let line = line.ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(line.trim().to_owned())
    }

    /// A line that is not empty.
    ///
    /// # Errors
    /// The input ended or broke.
    pub fn text(&mut self, label: UiText) -> io::Result<String> {
        loop {
            let line = self.line(label.clone())?;
            if !line.is_empty() {
                return Ok(line);
            }
            self.show(text!(mind_seat_not_empty))?;
        }
    }

    /// A line, or the default if it is empty.
    ///
    /// # Errors
    /// The input ended or broke.
    pub fn text_or(&mut self, label: UiText, default: &str) -> io::Result<String> {
        let line = self.line(text!(mind_seat_with_default, label, default))?;
        Ok(if line.is_empty() {
            default.to_owned()
        } else {
            line
        })
    }

    /// One of several, by number or name; the only one without a question. Returns its index.
    ///
    /// # Errors
    /// The input ended or broke.
    pub fn choice(&mut self, label: UiText, options: &[UiText]) -> io::Result<usize> {
        if options.len() == 1 {
            return Ok(0);
        }
        self.console.menu(options, self.language)?;
        loop {
            let line = self.line(label.clone())?;
            match self.position(&line, options) {
                Some(index) => return Ok(index),
                None => self.no_such_option(options)?,
            }
        }
    }

    /// One of several, as [`choice`](Self::choice), or words of one's own: a sentence, or whatever
    /// stands in quotation marks. A single word that is not an option is taken for a slip.
    ///
    /// # Errors
    /// The input ended or broke.
    pub fn choice_or_words(&mut self, label: UiText, options: &[UiText]) -> io::Result<Chosen> {
        self.console.menu(options, self.language)?;
        self.console.allow_words();
        loop {
            let line = self.line(label.clone())?;
            if let Some(index) = self.position(&line, options) {
                return Ok(Chosen::Option(index));
            }
            if let Some(words) = own_words(&line) {
                return Ok(Chosen::Words(words.to_owned()));
            }
            self.show(text!(mind_seat_option_or_words, count = options.len()))?;
        }
    }

    /// An order of several, by numbers or names, as indexes; all in their order if the line is
    /// empty. Those left out come last if `needs_all`.
    ///
    /// # Errors
    /// The input ended or broke.
    pub fn order(
        &mut self,
        label: UiText,
        options: &[UiText],
        needs_all: bool,
    ) -> io::Result<Vec<usize>> {
        if options.len() == 1 {
            return Ok(vec![0]);
        }
        self.console.menu(options, self.language)?;
        loop {
            let line = self.line(label.clone())?;
            let parts = line.split([' ', ',', '，', '、']);
            let parts = parts.filter(|part| !part.is_empty());
            let whole = self.position(&line, options).map(|index| vec![index]);
            let chosen = whole.or_else(|| parts.map(|part| self.position(part, options)).collect());
            let Some(mut chosen) = chosen else {
                self.no_such_option(options)?;
                continue;
            };
            let mut seen = BTreeSet::new();
            chosen.retain(|index| seen.insert(*index));
            if needs_all || chosen.is_empty() {
                chosen.extend((0..options.len()).filter(|index| !seen.contains(index)));
            }
            return Ok(chosen);
        }
    }

    /// The option that a number from 1 or a name means.
    fn position(&self, text: &str, options: &[UiText]) -> Option<usize> {
        let by_number = || {
            let number: usize = text.trim().parse().ok()?;
            number.checked_sub(1).filter(|index| *index < options.len())
        };
        let names = options
            .iter()
            .map(|option| option.in_language(self.language));
        by_number().or_else(|| position_of_name(text, &names.collect::<Vec<_>>()))
    }

    fn no_such_option(&mut self, options: &[UiText]) -> io::Result<()> {
        self.show(text!(mind_seat_no_such_option, count = options.len()))
    }
}

/// What was chosen where words are a choice, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// The option at this place.
    Option(usize),
    Words(String),
}

/// The words of a line that is speech; `None` if it may be an option with a slip in it.
fn own_words(line: &str) -> Option<&str> {
    let is_quote = |letter: char| "\"“”「」『』«»".contains(letter);
    let words = line.trim().trim_matches(is_quote).trim();
    let is_quoted = line.starts_with(is_quote);
    let is_sentence = words.split_whitespace().count() > 1
        || words.ends_with(['.', '!', '?', '。', '！', '？', '…'])
        || words.chars().filter(|letter| !letter.is_ascii()).count() > 4;
    let is_number = words
        .chars()
        .all(|letter| letter.is_ascii_digit() || letter == ' ');
    (!words.is_empty() && !is_number && (is_quoted || is_sentence)).then_some(words)
}

/// The place of a name among several, also by a beginning that no other name has.
pub fn position_of_name(text: &str, names: &[String]) -> Option<usize> {
    let text = text.trim().to_lowercase();
    let names: Vec<_> = names.iter().map(|name| name.to_lowercase()).collect();
    let by_beginning = || {
        let mut found = (0..names.len()).filter(|index| {
            let name = names.get(*index);
            !text.is_empty() && name.is_some_and(|name| name.starts_with(&text))
        });
        let first = found.next()?;
        found.next().is_none().then_some(first)
    };
    let whole = names.iter().position(|name| *name == text);
    whole.or_else(by_beginning)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_speech_and_a_slip_is_not() {
        for (line, words) in [
            ("The lamp is out.", Some("The lamp is out.")),
            ("“Yes”", Some("Yes")),
            ("Never!", Some("Never!")),
            ("灯塔的灯灭了", Some("灯塔的灯灭了")),
            ("spek", None),
            ("12", None),
            ("1 2", None),
            ("等带", None),
            ("", None),
        ] {
            assert_eq!(own_words(line), words, "{line}");
        }
    }
}
