//! Where a person reads and types.

use std::io::{self, BufRead, Write};

use super::phrases::SeatPhrases;

/// A person's screen and keyboard.
pub trait Console: Send {
    /// Shows lines of text.
    ///
    /// # Errors
    /// Nobody can read it.
    fn show(&mut self, text: &str) -> io::Result<()>;

    /// Shows a prompt and waits for a line; nothing where the input ended.
    ///
    /// # Errors
    /// The input is broken.
    fn read(&mut self, prompt: &str) -> io::Result<Option<String>>;
}

/// A console of a reader and a writer.
pub struct TextConsole<R, W> {
    reader: R,
    writer: W,
}

impl<R: BufRead + Send, W: Write + Send> TextConsole<R, W> {
    /// A console of these two.
    pub fn new(reader: R, writer: W) -> Self {
        Self { reader, writer }
    }
}

impl<R: BufRead + Send, W: Write + Send> Console for TextConsole<R, W> {
    fn show(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.writer, "{text}")
    }

    fn read(&mut self, prompt: &str) -> io::Result<Option<String>> {
        write!(self.writer, "{prompt}")?;
        self.writer.flush()?;
        read_line(&mut self.reader)
    }
}

/// The longest line that is taken, in bytes.
const LONGEST: u64 = 64 * 1024;

/// A line without its end; nothing where the input ended. Bytes that are no text are replaced.
pub(super) fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    io::Read::take(reader, LONGEST).read_until(b'\n', &mut line)?;
    let text = String::from_utf8_lossy(&line);
    Ok((!line.is_empty()).then(|| text.trim_end_matches(['\n', '\r']).to_owned()))
}

/// A dialogue with a person: questions that are asked until the answer can be used.
pub(super) struct Dialogue<'a> {
    console: &'a mut dyn Console,
    pub(super) phrases: SeatPhrases,
}

impl<'a> Dialogue<'a> {
    pub(super) fn new(console: &'a mut dyn Console, phrases: SeatPhrases) -> Self {
        Self { console, phrases }
    }

    pub(super) fn show(&mut self, text: &str) -> io::Result<()> {
        self.console.show(text)
    }

    /// A line, trimmed; the end of the input is an error.
    pub(super) fn line(&mut self, label: &str) -> io::Result<String> {
        let prompt = match label {
            "" => "> ".to_owned(),
            label => format!("{label} > "),
        };
        let line = self.console.read(&prompt)?;
        let line = line.ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(line.trim().to_owned())
    }

    /// A line that is not empty.
    pub(super) fn text(&mut self, label: &str) -> io::Result<String> {
        loop {
            let line = self.line(label)?;
            if !line.is_empty() {
                return Ok(line);
            }
            let hint = self.phrases.not_empty();
            self.show(&hint)?;
        }
    }

    /// A line, or this where it is empty.
    pub(super) fn text_or(&mut self, label: &str, default: &str) -> io::Result<String> {
        let line = self.line(&self.phrases.with_default(label, default))?;
        Ok(if line.is_empty() {
            default.to_owned()
        } else {
            line
        })
    }

    /// One of several, by number or name; the only one without a question. Returns its place.
    pub(super) fn choice(&mut self, label: &str, options: &[String]) -> io::Result<usize> {
        if options.len() == 1 {
            return Ok(0);
        }
        self.menu(options)?;
        loop {
            let line = self.line(label)?;
            match position(&line, options) {
                Some(at) => return Ok(at),
                None => self.no_such_option(options)?,
            }
        }
    }

    /// An order of several, by numbers or names; all in their order where the line is empty. Those
    /// left out come last if `all` must be there.
    pub(super) fn order(
        &mut self,
        label: &str,
        options: &[String],
        all: bool,
    ) -> io::Result<Vec<usize>> {
        if options.len() == 1 {
            return Ok(vec![0]);
        }
        self.menu(options)?;
        loop {
            let line = self.line(label)?;
            let parts = line.split([' ', ',', '，', '、']);
            let parts = parts.filter(|part| !part.is_empty());
            let whole = position(&line, options).map(|at| vec![at]);
            let chosen = whole.or_else(|| parts.map(|part| position(part, options)).collect());
            let Some(mut chosen) = chosen else {
                self.no_such_option(options)?;
                continue;
            };
            let mut seen = std::collections::BTreeSet::new();
            chosen.retain(|at| seen.insert(*at));
            if all || chosen.is_empty() {
                chosen.extend((0..options.len()).filter(|at| !seen.contains(at)));
            }
            return Ok(chosen);
        }
    }

    fn menu(&mut self, options: &[String]) -> io::Result<()> {
        for (number, option) in (1..).zip(options) {
            self.show(&format!("  {number}) {option}"))?;
        }
        Ok(())
    }

    fn no_such_option(&mut self, options: &[String]) -> io::Result<()> {
        let hint = self.phrases.no_such_option(options.len());
        self.show(&hint)
    }
}

/// The option that a number from 1 or a name means.
fn position(text: &str, options: &[String]) -> Option<usize> {
    let text = text.trim();
    let by_number = || {
        let number: usize = text.parse().ok()?;
        number.checked_sub(1).filter(|at| *at < options.len())
    };
    let by_name = || {
        let same = |option: &String| option.to_lowercase() == text.to_lowercase();
        options.iter().position(same)
    };
    by_number().or_else(by_name)
}
