//! What one remembers of what is over.

use playhouse_engine::mind::Notes;
use playhouse_engine::mind::improviser::Writer;

use super::telling::about;

/// How much of each kind a summary recalls.
const LEARNED: usize = 2;
const FELT: usize = 1;

/// Sums up what is over: what one learned, the last fight and what one came to feel, as the record
/// tells it. What must not be lost is in the record.
pub(super) fn summary<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    let mut texts = Vec::new();
    for fact in latest(notes, "learned", LEARNED) {
        writer.set("title", about(fact.text("title"), writer.language()));
        writer.set("from", fact.text("from"));
        let symbol = match fact.text("from") {
            "" => "day.learned",
            _ => "day.told",
        };
        texts.push(writer.line(symbol));
    }
    if let Some(place) = notes.texts("fights").last() {
        writer.set("place", *place);
        texts.push(writer.line("day.fought"));
    }
    for felt in latest(notes, "felt", FELT) {
        writer.set("other", felt.text("about"));
        let is_warmer = felt.number("change") > 0;
        texts.push(writer.line(if is_warmer {
            "day.warmer"
        } else {
            "day.colder"
        }));
    }
    if texts.is_empty() {
        texts.push(writer.line("day.quiet"));
    }
    writer.paragraph(&texts)
}

/// The last few of a list, oldest first.
fn latest<'n>(
    notes: Notes<'n>,
    list: &str,
    most: usize,
) -> impl Iterator<Item = Notes<'n>> + use<'n> {
    let items: Vec<_> = notes.list(list).collect();
    let first = items.len().saturating_sub(most);
    items.into_iter().skip(first)
}
