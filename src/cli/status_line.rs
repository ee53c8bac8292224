//! The line at the bottom of a terminal that says what is going on.

use std::io::{self, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output::clean;
use crate::secrets::redact;

/// A line on standard error that disappears while other text is written. Clones are the same line.
/// The default is on no terminal and is never shown.
#[derive(Clone)]
pub(crate) struct StatusLine(ProgressBar);

impl Default for StatusLine {
    fn default() -> Self {
        Self::on(ProgressDrawTarget::hidden())
    }
}

impl StatusLine {
    /// A line on the terminal of standard error.
    pub(crate) fn stderr() -> Self {
        Self::on(ProgressDrawTarget::stderr())
    }

    fn on(target: ProgressDrawTarget) -> Self {
        let bar = ProgressBar::with_draw_target(None, target);
        // Not shown before it has a text.
        bar.finish_and_clear();
        Self(bar)
    }

    /// Whether there is a terminal that shows it.
    pub(crate) fn has_terminal(&self) -> bool {
        !self.0.is_hidden()
    }

    /// Shows a text behind a spinner, which turns a little each time.
    pub(crate) fn show(&self, text: &str) {
        self.draw("{spinner} {wide_msg}", text);
        self.0.tick();
    }

    /// Shows a text behind a bar of which this part is full.
    pub(crate) fn show_bar(&self, done: u64, all: u64, text: &str) {
        self.draw("{bar:30} {wide_msg}", text);
        self.0.set_length(all);
        self.0.set_position(done);
    }

    fn draw(&self, template: &str, text: &str) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.0
                .set_style(style.progress_chars("█░").tick_chars("|/-\\ "));
        }
        self.0.set_message(clean(text).into_owned());
        if self.0.is_finished() {
            self.0.reset();
        }
    }

    /// Takes the line away.
    pub(crate) fn hide(&self) {
        self.0.finish_and_clear();
    }

    /// Writes something else to the terminal while the line is away.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.0.suspend(write)
    }
}

/// Standard error for logs, beside the status line.
#[derive(Clone)]
pub(crate) struct LogOutput(pub(crate) StatusLine);

impl Write for LogOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A whole event is written at once, so no secret is cut.
        let text = String::from_utf8_lossy(bytes);
        let written = self
            .0
            .suspend(|| io::stderr().lock().write_all(redact(&text).as_bytes()));
        written.map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}
