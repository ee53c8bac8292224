//! Where a person reads and types.

use std::io::{self, BufRead, Write};

/// A person's screen and keyboard.
pub trait Console: Send {
    /// Shows lines of text.
    ///
    /// # Errors
    /// Nobody can read it.
    fn show(&mut self, text: &str) -> io::Result<()>;

    /// Shows options, of which the next line that is read may choose by number, from 1.
    ///
    /// # Errors
    /// Nobody can read it.
    fn menu(&mut self, options: &[String]) -> io::Result<()> {
        for (number, option) in (1..).zip(options) {
            self.show(&format!("  {number}) {option}"))?;
        }
        Ok(())
    }

    /// Says that the next line may be words of one's own in place of an option.
    fn allow_words(&mut self) {}

    /// Shows a prompt and waits for a line; `None` if the input ended.
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

/// A line without its end; `None` if the input ended. Bytes that are not text are replaced.
fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    io::Read::take(reader, LONGEST).read_until(b'\n', &mut line)?;
    let text = String::from_utf8_lossy(&line);
    Ok((!line.is_empty()).then(|| text.trim_end_matches(['\n', '\r']).to_owned()))
}
