//! Where a person reads and types.

use std::io::{self, BufRead, Write};

use crate::locale::{Language, UiText};

/// A person's screen and keyboard. The language is that of the interface; one that is shown to
/// others, too, may keep the texts and render them for each.
pub trait Console: Send {
    /// Shows lines of text.
    ///
    /// # Errors
    /// Nobody can read it.
    fn show(&mut self, text: &UiText, language: Language) -> io::Result<()>;

    /// Shows options, of which the next line that is read may choose by number, from 1.
    ///
    /// # Errors
    /// Nobody can read it.
    fn menu(&mut self, options: &[UiText], language: Language) -> io::Result<()> {
        for (number, option) in (1..).zip(options) {
            let option = option.in_language(language);
            let row = UiText::verbatim(format!("  {number}) {option}"));
            self.show(&row, language)?;
        }
        Ok(())
    }

    /// Says that the next line may be words of one's own in place of an option.
    fn allow_words(&mut self) {}

    /// Shows a label, which may be empty, and waits for a line; `None` if the input ended.
    ///
    /// # Errors
    /// The input is broken.
    fn read(&mut self, label: &UiText, language: Language) -> io::Result<Option<String>>;
}

/// What stands before a line that is typed after a label.
pub fn prompt(label: &UiText, language: Language) -> String {
    match label.in_language(language).as_str() {
        "" => "> ".to_owned(),
        label => format!("{label} > "),
    }
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
    fn show(&mut self, text: &UiText, language: Language) -> io::Result<()> {
        writeln!(self.writer, "{}", text.in_language(language))
    }

    fn read(&mut self, label: &UiText, language: Language) -> io::Result<Option<String>> {
        write!(self.writer, "{}", prompt(label, language))?;
        self.writer.flush()?;
        read_line(&mut self.reader)
    }
}

/// The longest line that is taken, in bytes.
const LONGEST: u64 = 64 * 1024;

/// A line without its end; `None` if the input ended. Bytes that are not text are replaced.
fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    io::Read::take(reader, LONGEST).read_until(b'\n', &mut line)?;
    let text = String::from_utf8_lossy(&line);
    Ok((!line.is_empty()).then(|| text.trim_end_matches(['\n', '\r']).to_owned()))
}
