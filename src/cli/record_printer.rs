//! What prints the records of a run for people.

use crate::event::Record;

/// Prints what happens, record by record.
pub(crate) trait RecordPrinter: Send {
    /// Prints a record. False if nobody reads any more.
    fn print(&mut self, record: &Record) -> bool;

    /// Prints what was kept back, and explains the marks that were used.
    fn finish(&mut self);
}
