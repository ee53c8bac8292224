//! Questions that are asked until the answer can be used.

use std::collections::BTreeSet;
use std::io;

use thiserror::Error;

use super::console::Console;
use super::question::{Question, SeatAnswer, is_back, is_number, is_undo, numbers};
use super::seat_form::{Filled, SeatField, SeatForm};
use crate::locale::{Language, UiText, text};

/// A dialogue with a person. Numbers in menus begin at 1.
pub struct Dialogue<'c> {
    console: &'c mut dyn Console,
    language: Language,
    /// Whether the person has typed a line.
    has_begun: bool,
    answers: usize,
    /// What the person has typed for the next question.
    pub ahead: Option<String>,
    /// What was filled in before, if it could not be used.
    before: Filled,
    /// What is filled in now.
    filled: Filled,
}

/// The person takes back what it typed in this dialogue.
#[derive(Debug, Error)]
#[error("what was typed is taken back")]
struct TakenBack;

/// Whether a dialogue ended because the person wants to begin it again.
pub(super) fn is_taken_back(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|error| error.is::<TakenBack>())
}

impl<'c> Dialogue<'c> {
    pub(super) fn new(console: &'c mut dyn Console, language: Language, before: Filled) -> Self {
        Self {
            console,
            language,
            has_begun: false,
            answers: 0,
            ahead: None,
            before,
            filled: Filled::default(),
        }
    }

    pub(super) fn filled(&self) -> &Filled {
        &self.filled
    }

    /// The words of a field in an answer that could not be used.
    pub fn typed(&self, field: &str) -> String {
        self.before.words_within(field).unwrap_or_default().into()
    }

    pub fn answers(&self) -> usize {
        self.answers
    }

    pub fn language(&self) -> Language {
        self.language
    }

    /// Whether the person has typed a line.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    pub fn show(&mut self, text: UiText) -> io::Result<()> {
        self.console.show(&text, self.language)
    }

    /// Says whose turn it is.
    pub(super) fn turn(&mut self, entity: &str) -> io::Result<()> {
        self.console.turn(entity, self.language)
    }

    /// Asks until the answer can be used.
    pub fn ask(&mut self, question: &Question) -> io::Result<SeatAnswer> {
        let mut question = question.clone();
        loop {
            let line = self.line(&question)?;
            let hint = match question.read(&line, self.language) {
                Ok(answer) => {
                    self.answers += 1;
                    return Ok(answer);
                }
                Err(hint) => hint,
            };
            // What may become a sentence; where a number is asked for, it would stand before it.
            let is_begun = question.takes_words && !is_number(&line) && !is_back(&line);
            let is_begun = is_begun && !hint.is_one_of(&["mind_seat_several"]);
            question.typed = Some(line).filter(|_| is_begun).unwrap_or_default();
            self.show(hint)?;
        }
    }

    /// Lets a form be filled in: as a whole where the console can show it, else by this walk
    /// through its prompts.
    pub fn fill(
        &mut self,
        form: &SeatForm,
        walk: impl FnOnce(&mut Self) -> io::Result<Filled>,
    ) -> io::Result<Filled> {
        let begun = SeatForm {
            filled: self.before.clone(),
            ..form.clone()
        };
        let filled = match self.console.fill(&begun, self.language)? {
            Some(filled) => {
                self.has_begun = true;
                filled
            }
            None => walk(self)?,
        };
        self.filled = filled.clone();
        Ok(filled)
    }

    /// The same, where each field is a prompt. “Back” leads to the field before.
    pub fn fill_by_field(&mut self, form: &SeatForm) -> io::Result<Filled> {
        self.fill(form, |dialogue| {
            loop {
                if let Some(filled) = dialogue.fields(&form.fields, false)? {
                    return Ok(filled);
                }
            }
        })
    }

    /// Asks field by field; `None` if the person goes back beyond the first of them.
    pub fn fields(&mut self, fields: &[SeatField], has_back: bool) -> io::Result<Option<Filled>> {
        let mut filled = vec![Filled::default()];
        while let Some(field) = fields.get(filled.len() - 1) {
            let before = filled.last().cloned().unwrap_or_default();
            let question = field.question.clone().typed(self.typed(field.name));
            let question = match has_back || filled.len() > 1 {
                true => question.with_back(),
                false => question,
            };
            match self.ask(&question)? {
                SeatAnswer::Words(words) => filled.push(before.with_words(field.name, words)),
                SeatAnswer::Skipped => filled.push(before),
                SeatAnswer::Option(index) => {
                    let Some(option) = field.question.options.get(index) else {
                        continue;
                    };
                    if let Some(own) = self.fields(&option.fields, true)? {
                        filled.push(before.with_option(field.name, option, own));
                    }
                }
                SeatAnswer::Back => {
                    filled.pop();
                    if filled.is_empty() {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(filled.pop())
    }

    /// A line that is not empty.
    pub fn text(&mut self, label: UiText) -> io::Result<String> {
        match self.ask(&Question::words(label))? {
            SeatAnswer::Words(words) => Ok(words),
            _ => Ok(String::new()),
        }
    }

    /// One of several, by number or name; the only one is shown. Returns its index.
    pub fn choice(&mut self, label: UiText, options: Vec<UiText>) -> io::Result<usize> {
        if let [only] = options.as_slice() {
            let what = only.clone();
            self.show(text!(mind_seat_only, label, what))?;
            return Ok(0);
        }
        match self.ask(&Question::options(label, options))? {
            SeatAnswer::Option(index) => Ok(index),
            _ => Ok(0),
        }
    }

    /// An order of several, by numbers or names, as indexes; all in their order if the line is
    /// empty.
    pub fn order(&mut self, label: UiText, options: Vec<UiText>) -> io::Result<Vec<usize>> {
        if options.len() == 1 {
            return Ok(vec![0]);
        }
        let question = Question::options(label, options).or(text!(mind_seat_as_listed));
        loop {
            let line = self.line(&question)?;
            if line.is_empty() {
                return Ok((0..question.options.len()).collect());
            }
            if let Some(chosen) = positions(&line, &question, self.language) {
                return Ok(chosen);
            }
            let numbers = numbers(question.options.iter().map(|option| option.number));
            self.show(text!(mind_seat_no_such_option, numbers))?;
        }
    }

    fn line(&mut self, question: &Question) -> io::Result<String> {
        if let Some(line) = self.ahead.take() {
            return Ok(line);
        }
        let line = self.console.ask(question, self.language)?;
        let line = line.ok_or(io::ErrorKind::UnexpectedEof)?;
        if self.has_begun && is_undo(&line) {
            return Err(io::Error::other(TakenBack));
        }
        self.has_begun = true;
        Ok(line.trim().to_owned())
    }
}

/// The options that a line lists, each once; `None` if one of them is none.
fn positions(line: &str, question: &Question, language: Language) -> Option<Vec<usize>> {
    let position = |text: &str| match question.read(text, language) {
        Ok(SeatAnswer::Option(index)) => Some(index),
        _ => None,
    };
    if let Some(whole) = position(line) {
        return Some(vec![whole]);
    }
    let parts = line.split([' ', ',', '，', '、']);
    let chosen: Option<Vec<_>> = parts
        .filter(|part| !part.is_empty())
        .map(position)
        .collect();
    let mut seen = BTreeSet::new();
    let mut chosen = chosen?;
    chosen.retain(|index| seen.insert(*index));
    Some(chosen)
}
