//! The line at the bottom of a terminal that says what is going on.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use unicode_width::UnicodeWidthChar;

use super::env::{clock, since};
use super::output::clean;
use crate::secrets::redact;

/// The columns of the line in hundredths of the terminal's: when it becomes narrower, the line must
/// not wrap, or its first row would stay.
const SHARE: usize = 66;
/// A bar is drawn again after this many milliseconds, or when it is full.
const INTERVAL: u64 = 50;
/// The columns of a bar.
const BAR: u64 = 30;
const SPINNER: [char; 4] = ['|', '/', '-', '\\'];
/// To the first column, and everything behind it away.
const CLEAR: &str = "\r\x1b[K";

/// A line on standard error that disappears while other text is written. Clones are the same line.
/// The default is on no terminal and is never shown.
#[derive(Clone, Default)]
pub(crate) struct StatusLine(Option<Arc<Mutex<Line>>>);

struct Line {
    terminal: Box<dyn Write + Send>,
    /// How many columns the terminal has now.
    columns: fn() -> usize,
    /// What is shown; empty while the line is away.
    text: String,
    turns: usize,
    drawn: Option<Instant>,
    /// Whether what is shown stays until it is unpinned.
    is_pinned: bool,
}

impl Line {
    fn draw(&mut self, text: String) {
        self.text = text;
        self.redraw();
    }

    fn redraw(&mut self) {
        if !self.text.is_empty() {
            let most = (self.columns)() * SHARE / 100;
            self.put(&format!("{CLEAR}{}", clipped(&self.text, most)));
        }
    }

    fn clear(&mut self) {
        if !self.text.is_empty() {
            self.put(CLEAR);
        }
    }

    /// Nothing depends on the line: what can't be written is left out.
    fn put(&mut self, text: &str) {
        let written = self.terminal.write_all(text.as_bytes());
        let _ = written.and_then(|()| self.terminal.flush());
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.clear();
    }
}

impl StatusLine {
    /// A line on the terminal of standard error.
    pub(crate) fn stderr() -> Self {
        let columns = || {
            terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| width.0.into())
        };
        Self::on(io::stderr(), columns)
    }

    fn on(terminal: impl Write + Send + 'static, columns: fn() -> usize) -> Self {
        Self(Some(Arc::new(Mutex::new(Line {
            terminal: Box::new(terminal),
            columns,
            text: String::new(),
            turns: 0,
            drawn: None,
            is_pinned: false,
        }))))
    }

    fn line(&self) -> Option<MutexGuard<'_, Line>> {
        let line = self.0.as_ref()?;
        Some(line.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether there is a terminal that shows it.
    pub(crate) fn has_terminal(&self) -> bool {
        self.0.is_some()
    }

    /// Shows a text behind a spinner, which turns a little each time.
    pub(crate) fn show(&self, text: &str) {
        if let Some(mut line) = self.line().filter(|line| !line.is_pinned) {
            line.turns = (line.turns + 1) % SPINNER.len();
            let spinner = SPINNER.get(line.turns).copied().unwrap_or_default();
            line.draw(format!("{spinner} {}", clean(text)));
        }
    }

    /// Shows a text behind a bar of which this part is full.
    pub(crate) fn show_bar(&self, done: u64, total: u64, text: &str) {
        let Some(mut line) = self.line() else {
            return;
        };
        if done < total && line.drawn.is_some_and(|drawn| since(drawn) < INTERVAL) {
            return;
        }
        line.drawn = Some(clock());
        let full = (done.min(total) * BAR).checked_div(total).unwrap_or(BAR) as usize;
        let (full, rest) = ("█".repeat(full), "░".repeat(BAR as usize - full));
        line.draw(format!("{full}{rest} {}", clean(text)));
    }

    /// Shows a text until it is unpinned, whatever else there is to show.
    pub(crate) fn pin(&self, text: &str) {
        if let Some(mut line) = self.line() {
            line.is_pinned = true;
            line.draw(clean(text).into_owned());
        }
    }

    pub(crate) fn unpin(&self) {
        if let Some(mut line) = self.line().filter(|line| line.is_pinned) {
            line.is_pinned = false;
            line.clear();
            line.text.clear();
        }
    }

    /// Takes the line away, unless its text is pinned.
    pub(crate) fn hide(&self) {
        if let Some(mut line) = self.line().filter(|line| !line.is_pinned) {
            line.clear();
            line.text.clear();
        }
    }

    /// Writes something else to the terminal while the line is away.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        let mut line = self.line();
        if let Some(line) = &mut line {
            line.clear();
        }
        let written = write();
        if let Some(line) = &mut line {
            line.redraw();
        }
        written
    }
}

/// The beginning of a text, of this many columns at most.
fn clipped(text: &str, most: usize) -> &str {
    let mut columns = 0;
    let end = text.char_indices().find(|(_, letter)| {
        columns += letter.width().unwrap_or(0);
        columns > most
    });
    end.and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// Standard error for logs, beside the status line, without anything that controls a terminal.
#[derive(Clone)]
pub(crate) struct LogOutput {
    pub(crate) status: StatusLine,
    /// What makes a log harmless.
    pub(crate) clean: fn(&str) -> Cow<'_, str>,
}

impl Write for LogOutput {
    /// Writes a whole log.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A whole event is written at once, so no secret is cut.
        let log = String::from_utf8_lossy(bytes);
        let log = redact(&log);
        let log = (self.clean)(&log);
        self.status
            .suspend(|| io::stderr().lock().write_all(log.as_bytes()))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;

    #[derive(Clone, Default)]
    struct Screen(Arc<Mutex<Vec<u8>>>);

    impl Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("free").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Screen {
        fn lines(&self) -> Vec<String> {
            let text = String::from_utf8(self.0.lock().expect("free").clone()).expect("text");
            text.split(CLEAR).skip(1).map(str::to_owned).collect()
        }
    }

    #[test]
    fn no_line_wraps_when_the_terminal_becomes_narrower_by_a_third() {
        let screen = Screen::default();
        let status = StatusLine::on(screen.clone(), || 60);
        status.show(&"long ".repeat(40));
        status.show(&"很长的文字".repeat(40));
        status.show_bar(3, 10, &"很长的文字".repeat(40));
        status.show("short");
        let lines = screen.lines();
        assert_eq!(lines.len(), 4);
        assert!(lines.iter().all(|line| line.width() <= 40), "{lines:?}");
        assert!(
            lines[..3].iter().all(|line| line.width() >= 38),
            "{lines:?}"
        );
        assert_eq!(lines[3], "\\ short", "nothing fills it up");
    }

    #[test]
    fn it_is_away_while_other_text_is_written() {
        let screen = Screen::default();
        let mut other = screen.clone();
        let status = StatusLine::on(screen.clone(), || 60);
        status
            .suspend(|| other.write_all(b"first\n"))
            .expect("written");
        status.show("thinks");
        status
            .suspend(|| other.write_all(b"second\n"))
            .expect("written");
        status.hide();
        status.hide();
        assert_eq!(screen.lines(), ["/ thinks", "second\n", "/ thinks", ""]);
    }

    #[test]
    fn a_pinned_text_stays() {
        let screen = Screen::default();
        let status = StatusLine::on(screen.clone(), || 60);
        status.pin("paused");
        status.show("thinks");
        status.hide();
        status.unpin();
        status.unpin();
        assert_eq!(screen.lines(), ["paused", ""]);
    }

    #[test]
    fn a_bar_is_drawn_now_and_then_and_when_it_is_full() {
        let screen = Screen::default();
        let status = StatusLine::on(screen.clone(), || 100);
        (0..=1_000).for_each(|done| status.show_bar(done, 1_000, "played"));
        let lines = screen.lines();
        assert!((2..100).contains(&lines.len()), "{}", lines.len());
        assert_eq!(
            lines.last().map(String::as_str),
            Some(&*format!("{} played", "█".repeat(30)))
        );
    }
}
