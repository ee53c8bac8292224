//! Lines that a writer gave to an actor, and what it calls others.

use playhouse_engine::mind::Notes;
use playhouse_engine::mind::improviser::Writer;

/// What one calls somebody by one's bond; the name itself if there is no word for it.
pub(super) fn called_by_bond<'a>(notes: Notes<'a>, name: &'a str) -> &'a str {
    match notes.object("speaker").object("calls").text(name) {
        "" => name,
        called => called,
    }
}

/// A line of one's own that one has not said, as far as one remembers.
pub(super) fn voice_line<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> Option<&'a str> {
    let new = unsaid(notes, writer);
    writer.rng().pick(&new).copied()
}

/// The lines of one's own that one may say today and has not said: on each day others, since days
/// are forgotten.
pub(super) fn unsaid<'a>(notes: Notes<'a>, writer: &Writer<'a>) -> Vec<&'a str> {
    const DAYS: usize = 3;
    let lines = notes.object("speaker").texts("lines");
    let day = notes.number("day").unsigned_abs() as usize;
    let of_today = lines
        .iter()
        .enumerate()
        .filter(|(number, _)| day == 0 || number % DAYS == day % DAYS);
    let new = of_today.filter(|(_, line)| writer.repeats(line) == 0 && writer.would_say(line));
    new.map(|(_, line)| *line).collect()
}
