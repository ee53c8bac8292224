//! The writer to standard output, or to standard error.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use super::flow::Flow;
use super::pace::{Paced, Reading};
use super::wrap::wrap;
use super::{Names, Paragraph, Style, clean, escape_json};
use crate::cli::status_line::StatusLine;
use crate::locale::Language;

/// Standard output or standard error: how wide it is, whether it shows colour, and whether anybody
/// still reads it.
#[must_use]
pub(crate) struct Output {
    out: Box<dyn Write + Send + Sync>,
    width: usize,
    colour: bool,
    is_terminal: bool,
    /// The status line on the same terminal.
    status: StatusLine,
    /// The row in which pieces of text go on.
    flow: Flow,
    /// Whether the last row was empty; paragraphs never make two empty rows.
    blank: bool,
    lost: Option<io::Error>,
    /// Its reader, if rows are told at reading speed.
    reading: Option<Arc<Reading>>,
    /// Whether what is written is left out.
    is_muted: bool,
    /// The numbers of those whom records name.
    names: Names,
}

impl Output {
    pub(crate) fn new(out: impl Write + Send + Sync + 'static, width: usize, colour: bool) -> Self {
        Self {
            out: Box::new(out),
            width,
            colour,
            is_terminal: false,
            status: StatusLine::default(),
            flow: Flow::default(),
            blank: true,
            lost: None,
            reading: None,
            is_muted: false,
            names: Names::default(),
        }
    }

    /// The same output, whose rows are told at reading speed, through `out`. Keys are explained in
    /// this language, if there are any.
    pub(crate) fn paced(
        mut self,
        out: impl Write + Send + 'static,
        words_a_minute: u32,
        keys: (bool, Language),
    ) -> Self {
        // The status line is suspended while a row is told.
        let status = std::mem::take(&mut self.status);
        let paced = Paced::new(out, words_a_minute, status, keys);
        self.reading = Some(paced.reading());
        self.out = Box::new(paced);
        self
    }

    /// Its reader, if rows are told at reading speed.
    pub(crate) fn reading(&self) -> Option<&Reading> {
        self.reading.as_deref()
    }

    /// Leaves out what is written from now on, or no longer.
    pub(crate) fn mute(&mut self, is_muted: bool) {
        self.is_muted = is_muted;
        self.blank = true;
    }

    pub(crate) fn is_muted(&self) -> bool {
        self.is_muted
    }

    /// The same output, which is a terminal.
    pub(crate) fn on_terminal(mut self, is_terminal: bool) -> Self {
        self.is_terminal = is_terminal;
        self
    }

    /// The same output, sharing its terminal with this status line.
    pub(crate) fn beside(mut self, status: StatusLine) -> Self {
        self.status = status;
        self
    }

    /// The cells of a row.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Writes a paragraph, wrapped.
    pub(crate) fn paragraph(&mut self, paragraph: &Paragraph) {
        let mut text = String::new();
        for row in rows(paragraph, self.width, self.colour) {
            if !(row.is_empty() && self.blank) {
                self.blank = row.is_empty();
                text += &(row + "\n");
            }
        }
        self.write(&text);
    }

    /// Writes a text and a line end, cleaned but not wrapped.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        self.row(&clean(text.as_ref()));
    }

    /// Writes the beginning of a row in which a person will type.
    pub(crate) fn prompt(&mut self, text: &str) {
        self.write(&clean(text));
        self.flush();
    }

    /// Writes a piece of text, cleaned. On a terminal rows break between words.
    pub(crate) fn raw(&mut self, text: &str) {
        let lines: Vec<_> = text.split('\n').map(clean).collect();
        let text = lines.join("\n");
        if self.is_terminal {
            let text = self.flow.lay(&text, self.width);
            return self.put(&text);
        }
        self.put(&text);
    }

    /// The numbers of those whom records name.
    pub(crate) fn names(&mut self) -> &mut Names {
        &mut self.names
    }

    /// Writes a JSON value in one row, with numbers beside the names of entities.
    pub(crate) fn json(&mut self, value: &impl serde::Serialize) {
        // What we write as JSON has string keys and no failing parts.
        let mut json = serde_json::to_value(value).unwrap_or_default();
        self.names.beside(&mut json);
        self.row(&escape_json(&json.to_string()));
    }

    /// Writes a JSON value over several rows.
    pub(crate) fn pretty_json(&mut self, value: &impl serde::Serialize) {
        let json = serde_json::to_string_pretty(value).unwrap_or_default();
        self.row(&escape_json(&json));
    }

    /// Writes bytes and a line end: as they are for other programs, cleaned on a terminal.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        if self.is_terminal {
            return self.row(&escape_json(&String::from_utf8_lossy(bytes)));
        }
        self.blank = false;
        if self.lost.is_none() {
            let written = self.out.write_all(bytes);
            self.lost = written.and_then(|()| self.out.write_all(b"\n")).err();
        }
    }

    /// Shows an address as a QR code for phones, if somebody sees it: light on dark, as most
    /// terminals are.
    pub(crate) fn qr_code(&mut self, address: &str) {
        use qrcode::render::unicode::Dense1x2::{Dark, Light};
        let code = qrcode::QrCode::new(address).ok();
        if let Some(code) = code.filter(|_| self.is_terminal) {
            let drawn = code.render().dark_color(Light).light_color(Dark).build();
            drawn.lines().for_each(|row| self.row(row));
        }
    }

    /// Makes what was written visible.
    pub(crate) fn flush(&mut self) {
        if self.lost.is_none() {
            self.lost = self.status.suspend(|| self.out.flush()).err();
        }
    }

    /// Whether nothing can be written any more.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.is_some()
    }

    /// Why nothing can be written any more; `None` if the reader only closed the pipe.
    pub(crate) fn failure(&self) -> Option<&io::Error> {
        let is_failure = |error: &&io::Error| error.kind() != io::ErrorKind::BrokenPipe;
        self.lost.as_ref().filter(is_failure)
    }

    fn row(&mut self, text: &str) {
        self.blank = text.is_empty();
        self.write(&format!("{text}\n"));
    }

    fn write(&mut self, text: &str) {
        let kept = self.flow.end_word(self.width);
        self.flow = Flow::default();
        self.put(&(kept + text));
    }

    fn put(&mut self, text: &str) {
        if self.lost.is_none() && !self.is_muted {
            let out = &mut self.out;
            self.lost = self.status.suspend(|| out.write_all(text.as_bytes())).err();
        }
    }
}

/// Waits until all that was written is told at reading speed. Others may write meanwhile.
pub(crate) fn wait_until_told(out: &Mutex<Output>) {
    let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
    out.flush();
    let reading = out.reading.clone();
    drop(out);
    if let Some(reading) = reading {
        reading.wait();
    }
}

/// The rows of a paragraph as a terminal shows them.
pub(crate) fn rows(paragraph: &Paragraph, width: usize, colour: bool) -> Vec<String> {
    let styled = |(style, text): &(Style, String)| match style.code() {
        code if colour && !code.is_empty() => format!("\x1b[{code}m{text}\x1b[0m"),
        _ => text.clone(),
    };
    let rows = wrap(paragraph, width);
    rows.iter()
        .map(|row| row.iter().map(styled).collect())
        .collect()
}
