//! Rows that are told at reading speed.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::cells;
use crate::cli::process::was_interrupted;
use crate::cli::status_line::StatusLine;

/// Two cells are a Chinese character, of which people read half as many again as words.
const CELLS_OF_WORD: f64 = 3.0;

/// How soon Ctrl-C is noticed.
const STEP: Duration = Duration::from_millis(20);

/// A writer that waits after each row for as long as people read it. It writes in a thread of its
/// own, so the story does not wait for its reader. After Ctrl-C it writes nothing more.
pub(crate) struct Paced {
    rows: Sender<String>,
    /// What was not written yet of a row.
    row: Vec<u8>,
    waiting: Arc<Waiting>,
}

/// What a reader has still to come.
#[derive(Default)]
pub(crate) struct Waiting {
    state: Mutex<State>,
    told: Condvar,
}

#[derive(Default)]
struct State {
    /// How many rows are not told yet.
    rows: usize,
    /// Whether nobody reads any more.
    is_lost: bool,
}

impl Paced {
    /// Writes to `out`, which shares its terminal with the status line.
    pub(crate) fn new(
        out: impl Write + Send + 'static,
        words_a_minute: u32,
        status: StatusLine,
    ) -> Self {
        let (rows, told) = channel();
        let waiting = Arc::new(Waiting::default());
        let of_thread = waiting.clone();
        thread::spawn(move || tell(out, &told, words_a_minute, &status, &of_thread));
        Self {
            rows,
            row: Vec::new(),
            waiting,
        }
    }

    /// What waits until everything is told.
    pub(crate) fn waiting(&self) -> Arc<Waiting> {
        self.waiting.clone()
    }

    fn tell(&self, row: Vec<u8>) {
        self.waiting.state().rows += 1;
        // The thread reads as long as there is a writer.
        let _ = self.rows.send(String::from_utf8_lossy(&row).into_owned());
    }
}

impl Write for Paced {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.row.extend_from_slice(bytes);
        while let Some(end) = self.row.iter().position(|byte| *byte == b'\n') {
            let row = self.row.drain(..=end).collect();
            self.tell(row);
        }
        if self.waiting.state().is_lost {
            Err(io::ErrorKind::BrokenPipe.into())
        } else {
            Ok(bytes.len())
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let begun = std::mem::take(&mut self.row);
        if !begun.is_empty() {
            self.tell(begun);
        }
        Ok(())
    }
}

impl Waiting {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until everything is told, or dropped since Ctrl-C was pressed or nobody reads.
    pub(crate) fn wait(&self) {
        let told = self.told.wait_while(self.state(), |state| state.rows > 0);
        drop(told.unwrap_or_else(PoisonError::into_inner));
    }
}

/// Writes rows as they come. Those after an interrupt, or that nobody reads, are dropped.
fn tell(
    mut out: impl Write,
    rows: &Receiver<String>,
    words_a_minute: u32,
    status: &StatusLine,
    waiting: &Waiting,
) {
    for row in rows {
        if !waiting.state().is_lost && !was_interrupted() {
            let write = || out.write_all(row.as_bytes()).and_then(|()| out.flush());
            let is_lost = status.suspend(write).is_err();
            waiting.state().is_lost = is_lost;
            let mut left = reading_time(&row, words_a_minute);
            while !left.is_zero() && !is_lost && !was_interrupted() {
                thread::sleep(left.min(STEP));
                left = left.saturating_sub(STEP);
            }
        }
        waiting.state().rows -= 1;
        waiting.told.notify_all();
    }
}

/// How long people read a row, without its colours.
fn reading_time(row: &str, words_a_minute: u32) -> Duration {
    let mut words = 0.0;
    for part in row.split('\x1b') {
        // `[1m` of a colour; the first part has none.
        let text = part.strip_prefix('[').and_then(|rest| rest.split_once('m'));
        let text = text.map_or(part, |(_, text)| text);
        for word in text.split_whitespace() {
            let is_wide = |char: char| cells(char.encode_utf8(&mut [0; 4])) == 2;
            let wide = word.chars().filter(|char| is_wide(*char)).count();
            let narrow = word
                .chars()
                .any(|char| char.is_alphanumeric() && !is_wide(char));
            words += 2.0 * wide as f64 / CELLS_OF_WORD + f64::from(u8::from(narrow));
        }
    }
    Duration::from_secs_f64(60.0 * words / f64::from(words_a_minute.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_takes_as_long_as_its_words() {
        let seconds = |row: &str| reading_time(row, 240).as_secs_f64();
        assert_eq!(seconds("Four words of prose.\n"), 1.0);
        assert_eq!(
            seconds("\x1b[1mFour\x1b[0m \x1b[2mwords of prose.\x1b[0m\n"),
            1.0
        );
        assert_eq!(seconds("渡口的船沉了\n"), 1.0);
        assert_eq!(seconds("\n"), 0.0);
        assert_eq!(seconds("— · —\n"), 0.0);
        assert_eq!(reading_time("Four words of prose.", 480).as_millis(), 500);
    }

    #[test]
    fn all_rows_are_told_in_order_and_waited_for() {
        let out = Shared::default();
        let mut paced = Paced::new(out.clone(), 1_000_000, StatusLine::default());
        paced.write_all(b"one two\nthr").unwrap();
        paced.write_all(b"ee\n").unwrap();
        paced.waiting().wait();
        assert_eq!(*out.0.lock().unwrap(), b"one two\nthree\n");
    }

    #[test]
    fn whoever_stops_reading_ends_it() {
        let mut paced = Paced::new(Closed, 1, StatusLine::default());
        // It may be known at once.
        let _ = paced.write_all(b"a long wait\n");
        paced.waiting().wait();
        let error = paced.write_all(b"more\n").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        paced.waiting().wait();
    }

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
}
