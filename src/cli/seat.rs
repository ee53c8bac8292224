//! The terminal as a person's seat.

use std::io::{self, BufRead, Read};
use std::sync::{Arc, Mutex, PoisonError};

use crate::mind::human::Console;

use super::output::{Output, Paragraph};

/// The longest line that is read, in bytes.
const LONGEST: u64 = 64 * 1024;

/// Standard input, and an output that others write to as well.
pub(crate) struct SeatConsole(pub(crate) Arc<Mutex<Output>>);

impl SeatConsole {
    fn write(&self, write: impl FnOnce(&mut Output)) -> io::Result<()> {
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        write(&mut out);
        out.flush();
        if out.is_lost() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(())
    }
}

impl Console for SeatConsole {
    fn show(&mut self, text: &str) -> io::Result<()> {
        self.write(|out| {
            for line in text.lines() {
                let indent = line.len() - line.trim_start_matches(' ').len();
                let paragraph = Paragraph::indented(indent.min(8), indent.min(8) + 3);
                out.paragraph(&paragraph.plain(line.trim_start()));
            }
        })
    }

    fn read(&mut self, prompt: &str) -> io::Result<Option<String>> {
        self.write(|out| out.prompt(prompt))?;
        let mut line = Vec::new();
        // Others may write while somebody types.
        io::stdin()
            .lock()
            .take(LONGEST)
            .read_until(b'\n', &mut line)?;
        let text = String::from_utf8_lossy(&line);
        Ok((!line.is_empty()).then(|| text.trim_end_matches(['\n', '\r']).to_owned()))
    }
}
