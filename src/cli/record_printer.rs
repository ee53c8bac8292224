//! What prints the records of a run for people.

use crate::cast::turn_number;
use crate::event::{EventRecord, Record};

/// Prints what happens, record by record.
pub(crate) trait RecordPrinter: Send {
    /// Prints a record. False if nobody reads any more.
    fn print(&mut self, record: &Record) -> bool;

    /// Prints what was kept back, and explains the marks that were used.
    fn finish(&mut self);
}

/// A record for programs. It has the number of the turn in which it was made, and that of a turn
/// that is over is the same.
pub(crate) fn numbered(record: &Record) -> Record {
    match record.clone() {
        Record::Event(event) => Record::Event(numbered_event(&event)),
        Record::Answer(mut answer) => {
            answer.turn = turn_number(answer.turn);
            Record::Answer(answer)
        }
        record => record,
    }
}

/// As [`numbered`], for an event.
pub(crate) fn numbered_event(event: &EventRecord) -> EventRecord {
    EventRecord {
        turn: turn_number(event.turn),
        ..event.clone()
    }
}
