//! The one writer to an output of the program.

use std::io::{self, Write};

use super::wrap::Row;
use super::{Ink, Paragraph, clean, escape_json, wrap};
use crate::cli::progress::StatusLine;

/// An output: how wide it is, whether it shows colour, and whether anybody still reads it.
pub(crate) struct Page {
    out: Box<dyn Write + Send + Sync>,
    width: usize,
    colour: bool,
    /// What stands in the way of text on the same terminal.
    status: Option<StatusLine>,
    /// Whether the last row was empty; two are never written in a row of paragraphs.
    blank: bool,
    lost: Option<io::Error>,
}

impl Page {
    /// An output.
    pub(crate) fn new(out: impl Write + Send + Sync + 'static, width: usize, colour: bool) -> Self {
        Self {
            out: Box::new(out),
            width,
            colour,
            status: None,
            blank: true,
            lost: None,
        }
    }

    /// The same output, which wipes this status line away before it writes.
    #[must_use]
    pub(crate) fn wiping(mut self, status: StatusLine) -> Self {
        self.status = Some(status);
        self
    }

    /// Writes a paragraph, wrapped.
    pub(crate) fn paragraph(&mut self, paragraph: &Paragraph) {
        for row in wrap(paragraph, self.width) {
            let painted = self.painted(&row);
            if !(painted.is_empty() && self.blank) {
                self.row(&painted);
            }
        }
    }

    /// Writes one text as it is, cleaned but not wrapped, and ends the row.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        let text = clean(text.as_ref()).into_owned();
        self.row(&text);
    }

    /// Writes the beginning of a row that somebody will type in.
    pub(crate) fn prompt(&mut self, text: &str) {
        if let Some(status) = &self.status {
            status.wipe();
        }
        if self.lost.is_none() {
            self.lost = write!(self.out, "{}", clean(text)).err();
        }
        self.flush();
    }

    /// Writes text as it is, cleaned but not wrapped, with no line ends but its own.
    pub(crate) fn raw(&mut self, text: &str) {
        let lines: Vec<_> = text.split('\n').map(clean).collect();
        if let Some(status) = &self.status {
            status.wipe();
        }
        if self.lost.is_none() {
            self.lost = write!(self.out, "{}", lines.join("\n")).err();
        }
    }

    /// Writes one JSON value a row.
    pub(crate) fn json(&mut self, value: &impl serde::Serialize) {
        // What we write as JSON has string keys and no failing parts.
        let json = serde_json::to_string(value).unwrap_or_default();
        self.row(&escape_json(&json));
    }

    /// Writes a JSON value over several rows.
    pub(crate) fn pretty_json(&mut self, value: &impl serde::Serialize) {
        let json = serde_json::to_string_pretty(value).unwrap_or_default();
        self.row(&escape_json(&json));
    }

    /// Makes what was written visible.
    pub(crate) fn flush(&mut self) {
        if self.lost.is_none() {
            self.lost = self.out.flush().err();
        }
    }

    /// Whether nothing can be written any more.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.is_some()
    }

    /// Why nothing can be written any more; nothing where the reader just went away.
    pub(crate) fn failure(&self) -> Option<&io::Error> {
        let broken = |error: &&io::Error| error.kind() != io::ErrorKind::BrokenPipe;
        self.lost.as_ref().filter(broken)
    }

    fn row(&mut self, text: &str) {
        if self.lost.is_some() {
            return;
        }
        if let Some(status) = &self.status {
            status.wipe();
        }
        self.blank = text.is_empty();
        self.lost = writeln!(self.out, "{text}").err();
    }

    fn painted(&self, row: &Row) -> String {
        let mut out = String::new();
        for (ink, text) in row {
            match ink.code() {
                code if self.colour && !code.is_empty() && *ink != Ink::Plain => {
                    out.push_str("\x1b[");
                    out.push_str(code);
                    out.push('m');
                    out.push_str(text);
                    out.push_str("\x1b[0m");
                }
                _ => out.push_str(text),
            }
        }
        out
    }
}
