//! The terminal as a person's seat.

use std::io::{self, BufRead, Read};
use std::sync::{Arc, Mutex, PoisonError};

use playhouse::mind::human::Console;

use super::output::{Page, Paragraph};

/// The longest line that is taken, in bytes.
const LONGEST: u64 = 64 * 1024;

/// Standard input, and a page that others write on too.
pub(crate) struct SeatConsole(pub(crate) Arc<Mutex<Page>>);

impl SeatConsole {
    fn write(&self, act: impl FnOnce(&mut Page)) -> io::Result<()> {
        let mut page = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        act(&mut page);
        page.flush();
        match page.is_lost() {
            true => Err(io::ErrorKind::BrokenPipe.into()),
            false => Ok(()),
        }
    }
}

impl Console for SeatConsole {
    fn show(&mut self, text: &str) -> io::Result<()> {
        self.write(|page| {
            for line in text.lines() {
                let indent = line.len() - line.trim_start_matches(' ').len();
                let paragraph = Paragraph::indented(indent.min(8), indent.min(8) + 3);
                page.paragraph(&paragraph.plain(line.trim_start()));
            }
        })
    }

    fn read(&mut self, prompt: &str) -> io::Result<Option<String>> {
        self.write(|page| page.prompt(prompt))?;
        let mut line = Vec::new();
        // The page is free while somebody types, so that others go on.
        io::stdin()
            .lock()
            .take(LONGEST)
            .read_until(b'\n', &mut line)?;
        let text = String::from_utf8_lossy(&line);
        Ok((!line.is_empty()).then(|| text.trim_end_matches(['\n', '\r']).to_owned()))
    }
}
