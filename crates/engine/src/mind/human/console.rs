//! Where a person reads and types.

use std::io::{self, BufRead, Write};

use super::question::Question;
use super::seat_form::{Filled, SeatForm};
use crate::locale::{Language, UiText, text};

/// A person's screen and keyboard. The language is that of the interface; one that is shown to
/// others, too, may keep the texts and render them for each.
pub trait Console: Send {
    /// Shows lines of text.
    fn show(&mut self, text: &UiText, language: Language) -> io::Result<()>;

    /// Says whose turn it is, before the person is asked.
    fn turn(&mut self, entity: &str, language: Language) -> io::Result<()> {
        self.show(&UiText::verbatim("\n"), language)?;
        self.show(&text!(mind_seat_your_turn, entity), language)
    }

    /// Asks a question and waits for a line; `None` if the input ended.
    fn ask(&mut self, question: &Question, language: Language) -> io::Result<Option<String>> {
        for option in &question.options {
            let (number, label) = (option.number, option.label.in_language(language));
            let row = UiText::verbatim(format!("  {number}) {label}"));
            self.show(&row, language)?;
        }
        self.read(&question.prompt(language))
    }

    /// Shows a form and waits until it is filled in; `None` if it is asked prompt by prompt.
    fn fill(&mut self, _form: &SeatForm, _: Language) -> io::Result<Option<Filled>> {
        Ok(None)
    }

    /// Waits for a line behind this prompt; `None` if the input ended.
    fn read(&mut self, prompt: &str) -> io::Result<Option<String>>;
}

/// A console of a reader and a writer.
pub struct TextConsole<R, W> {
    reader: R,
    writer: W,
}

impl<R: BufRead + Send, W: Write + Send> TextConsole<R, W> {
    pub fn new(reader: R, writer: W) -> Self {
        Self { reader, writer }
    }
}

impl<R: BufRead + Send, W: Write + Send> Console for TextConsole<R, W> {
    fn show(&mut self, text: &UiText, language: Language) -> io::Result<()> {
        writeln!(self.writer, "{}", text.in_language(language))
    }

    fn read(&mut self, prompt: &str) -> io::Result<Option<String>> {
        write!(self.writer, "{prompt}")?;
        self.writer.flush()?;
        read_line(&mut self.reader)
    }
}

/// The longest line that is taken, in bytes.
const LONGEST: u64 = 64 * 1024;

/// A line without its end; `None` if the input ended. Bytes that are not text are replaced.
///
/// # Errors
/// The input is broken.
pub fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    io::Read::take(reader, LONGEST).read_until(b'\n', &mut line)?;
    let text = String::from_utf8_lossy(&line);
    Ok((!line.is_empty()).then(|| text.trim_end_matches(['\n', '\r']).to_owned()))
}
