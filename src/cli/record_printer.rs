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

/// Prints only how a story ended: its last two turns in which something was told.
pub(crate) struct LastTurns {
    printer: Box<dyn RecordPrinter>,
    turns: [Vec<Record>; 2],
}

impl LastTurns {
    pub(crate) fn of(printer: Box<dyn RecordPrinter>) -> Self {
        let turns = Default::default();
        Self { printer, turns }
    }
}

impl RecordPrinter for LastTurns {
    fn print(&mut self, record: &Record) -> bool {
        let [before, last] = &mut self.turns;
        let is_over = matches!(last.last(), Some(Record::Turn { .. }));
        let is_turn = matches!(record, Record::Turn { .. });
        if is_over && !is_turn {
            *before = std::mem::take(last);
        }
        if !(is_turn && last.is_empty()) {
            last.push(record.clone());
        }
        true
    }

    fn finish(&mut self) {
        for record in self.turns.iter().flatten() {
            self.printer.print(record);
        }
        self.printer.finish();
    }
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

pub(crate) fn numbered_event(event: &EventRecord) -> EventRecord {
    EventRecord {
        turn: turn_number(event.turn),
        ..event.clone()
    }
}
