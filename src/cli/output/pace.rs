//! Rows that are told at reading speed.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::cells;
use crate::cli::keys::{self, Key};
use crate::cli::process::was_interrupted;
use crate::cli::say::say;
use crate::cli::status_line::StatusLine;
use crate::engine::CancellationToken;
use crate::locale::Language;

/// Two cells are a Chinese character, of which people read half as many again as words.
const CELLS_OF_WORD: f64 = 3.0;

/// How soon keys and Ctrl-C are noticed.
const STEP: Duration = Duration::from_millis(20);
/// The words a minute by which a key changes the speed.
const SPEED_STEP: u32 = 40;

/// A writer that waits after each row for as long as people read it, in a thread of its own. After
/// Ctrl-C, or when the reader stops it by a key, it writes nothing more.
pub(crate) struct Paced {
    rows: Sender<Row>,
    /// What was not written yet of a row.
    row: Vec<u8>,
    reading: Arc<Reading>,
}

struct Row {
    text: String,
    /// Whether a paragraph ends with it.
    is_last: bool,
    turn: u64,
}

/// How far a reader has come.
pub(crate) struct Reading {
    takes_keys: bool,
    state: Mutex<State>,
    told: Condvar,
}

#[derive(Default)]
struct State {
    /// How many rows are not told yet.
    rows: usize,
    words_a_minute: u32,
    /// The turn in which the next row is written.
    turn: u64,
    /// The turn of the first row that was not told any more.
    unread: Option<u64>,
    /// Whether the reader stopped, or nobody reads any more.
    is_over: bool,
    is_lost: bool,
    /// The runs that stop with the reader.
    runs: Vec<CancellationToken>,
}

impl Paced {
    /// Writes to `out`, which shares its terminal with the status line. Keys are read if
    /// `takes_keys`.
    pub(crate) fn new(
        out: impl Write + Send + 'static,
        words_a_minute: u32,
        status: StatusLine,
        (takes_keys, language): (bool, Language),
    ) -> Self {
        let (rows, told) = channel();
        let reading = Arc::new(Reading::new(words_a_minute, takes_keys));
        let mut teller = Teller {
            out,
            status,
            reading: reading.clone(),
            language,
            hurries: 0,
            is_paused: false,
        };
        thread::spawn(move || teller.tell_all(&told));
        Self {
            rows,
            row: Vec::new(),
            reading,
        }
    }

    /// What waits until everything is told.
    pub(crate) fn reading(&self) -> Arc<Reading> {
        self.reading.clone()
    }

    fn tell(&self, row: Vec<u8>, is_last: bool) {
        let mut state = self.reading.state();
        state.rows += 1;
        // The thread reads as long as there is a writer.
        let _ = self.rows.send(Row {
            text: String::from_utf8_lossy(&row).into_owned(),
            is_last,
            turn: state.turn,
        });
    }
}

impl Write for Paced {
    /// Takes rows; what is written at once is a paragraph.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.row.extend_from_slice(bytes);
        while let Some(end) = self.row.iter().position(|byte| *byte == b'\n') {
            let row = self.row.drain(..=end).collect();
            self.tell(row, self.row.is_empty());
        }
        if self.reading.state().is_lost {
            Err(io::ErrorKind::BrokenPipe.into())
        } else {
            Ok(bytes.len())
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let begun = std::mem::take(&mut self.row);
        if !begun.is_empty() {
            self.tell(begun, true);
        }
        Ok(())
    }
}

impl Reading {
    fn new(words_a_minute: u32, takes_keys: bool) -> Self {
        let state = State {
            words_a_minute,
            ..State::default()
        };
        Self {
            takes_keys,
            state: Mutex::new(state),
            told: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until everything is told, or dropped since the reader stopped.
    pub(crate) fn wait(&self) {
        let told = self.told.wait_while(self.state(), |state| state.rows > 0);
        drop(told.unwrap_or_else(PoisonError::into_inner));
        keys::restore();
    }

    /// What is written from now on belongs to this turn.
    pub(crate) fn begin_turn(&self, turn: u64) {
        self.state().turn = turn;
    }

    /// Lets a run stop when the reader stops.
    pub(crate) fn stops(&self, run: CancellationToken) {
        self.state().runs.push(run);
    }

    /// The turn in which the reader stopped before the end; `None` if everything was told.
    pub(crate) fn unread(&self) -> Option<u64> {
        self.state().unread
    }

    pub(crate) fn takes_keys(&self) -> bool {
        self.takes_keys
    }

    /// The speed that the reader chose.
    pub(crate) fn words_a_minute(&self) -> u32 {
        self.state().words_a_minute
    }

    fn is_over(&self) -> bool {
        self.state().is_over || was_interrupted()
    }

    fn stop(&self) {
        let mut state = self.state();
        state.is_over = true;
        state.runs.iter().for_each(CancellationToken::cancel);
    }
}

/// Writes rows as they come.
struct Teller<W> {
    out: W,
    status: StatusLine,
    reading: Arc<Reading>,
    language: Language,
    /// How many paragraphs are told at once, the one that has begun included.
    hurries: usize,
    is_paused: bool,
}

impl<W: Write> Teller<W> {
    fn tell_all(&mut self, rows: &Receiver<Row>) {
        for row in rows {
            if self.reading.is_over() {
                self.reading.state().unread.get_or_insert(row.turn);
            } else {
                self.tell(&row);
            }
            self.reading.state().rows -= 1;
            self.reading.told.notify_all();
        }
    }

    fn tell(&mut self, row: &Row) {
        self.status.unpin();
        let out = &mut self.out;
        let write = || {
            out.write_all(row.text.as_bytes())
                .and_then(|()| out.flush())
        };
        if self.status.suspend(write).is_err() {
            let mut state = self.reading.state();
            state.is_lost = true;
            state.is_over = true;
            return;
        }
        self.wait(&row.text);
        if self.reading.is_over() {
            self.status.unpin();
        }
        if row.is_last && row.text != "\n" {
            self.hurries = self.hurries.saturating_sub(1);
        }
    }

    /// Waits until the row is read, or a key is pressed that shows the next one.
    fn wait(&mut self, row: &str) {
        let mut waited = Duration::ZERO;
        while !self.reading.is_over() && self.hurries == 0 {
            let time = reading_time(row, self.reading.words_a_minute());
            if waited >= time && !self.is_paused {
                break;
            }
            thread::sleep(
                time.saturating_sub(waited)
                    .clamp(Duration::from_millis(1), STEP),
            );
            waited += STEP;
            if self.reading.takes_keys {
                keys::pressed().into_iter().for_each(|key| self.press(key));
            }
        }
    }

    fn press(&mut self, key: Key) {
        match key {
            Key::Stop => self.reading.stop(),
            Key::Next => self.hurries += 1,
            Key::Faster => self.change_speed(|speed| speed.saturating_add(SPEED_STEP)),
            Key::Slower => self.change_speed(|speed| speed.saturating_sub(SPEED_STEP)),
            Key::Pause if !self.is_paused => {
                self.is_paused = true;
                self.status.pin(&say!(self.language, cli_pace_paused));
                return;
            }
            Key::Pause => self.status.unpin(),
        }
        self.is_paused = false;
    }

    fn change_speed(&mut self, change: impl Fn(u32) -> u32) {
        let mut state = self.reading.state();
        state.words_a_minute = change(state.words_a_minute).max(SPEED_STEP);
        let words = state.words_a_minute;
        self.status.pin(&say!(self.language, cli_pace_speed, words));
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

    fn paced(out: impl Write + Send + 'static, words_a_minute: u32) -> Paced {
        let asked = (false, Language::En);
        Paced::new(out, words_a_minute, StatusLine::default(), asked)
    }

    #[test]
    fn all_rows_are_told_in_order_and_waited_for() {
        let out = Shared::default();
        let mut paced = paced(out.clone(), 1_000_000);
        paced.write_all(b"one two\nthr").unwrap();
        paced.write_all(b"ee\n").unwrap();
        paced.reading().wait();
        assert_eq!(*out.0.lock().unwrap(), b"one two\nthree\n");
    }

    #[test]
    fn whoever_stops_reading_ends_it() {
        let mut paced = paced(Closed, 1);
        // It may be known at once.
        let _ = paced.write_all(b"a long wait\n");
        paced.reading().wait();
        let error = paced.write_all(b"more\n").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        paced.reading().wait();
    }

    #[test]
    fn a_reader_who_stops_is_told_where() {
        let mut paced = paced(Shared::default(), 1);
        let (reading, run) = (paced.reading(), CancellationToken::default());
        reading.stops(run.clone());
        for turn in 3..5 {
            reading.begin_turn(turn);
            paced.write_all(b"a long wait\n").unwrap();
        }
        reading.stop();
        reading.wait();
        assert!(run.is_cancelled());
        assert!(reading.unread().is_some_and(|turn| turn >= 3));
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
