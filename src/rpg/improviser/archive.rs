//! What one remembers of a fight, or of days at home.

use super::telling::about;
use crate::mind::Notes;
use crate::mind::improviser::Writer;
use crate::mind::improviser::wording::bare;

/// How much of each kind a summary of a day recalls.
const LEARNED: usize = 2;
const FELT: usize = 1;

/// Sums up what is over. What must not be lost is in the record.
pub(super) fn summary<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    let me = notes.text("me");
    let others = notes.texts("with").into_iter();
    let others: Vec<_> = others.filter(|name| *name != me).collect();
    writer.set_list("with", &others);
    writer.flag("alone", others.is_empty());
    match notes.text("what") {
        "day" => day(notes, writer),
        _ => fight(notes, writer),
    }
}

fn fight<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    let foes = notes.names("foes");
    let fallen = notes.texts("fallen");
    let result = notes.text("result");
    writer.set_list("foes", &foes);
    writer.set_any("foe", &foes);
    writer.set_list("fallen", &fallen);
    let gains: Vec<_> = notes.texts("gains").into_iter().map(bare).collect();
    writer.set_list("gains", &gains);
    writer.flag("won", result == "won");
    writer.flag("lost", result == "lost");
    let parts = [
        ("fight.open", !foes.is_empty()),
        ("fight.result", !result.is_empty()),
        ("fight.fallen", !fallen.is_empty()),
        ("fight.gains", !gains.is_empty()),
        ("fight.close", true),
    ];
    let parts = parts.into_iter().filter(|(_, is_told)| *is_told);
    writer.lines(&parts.map(|(symbol, _)| symbol).collect::<Vec<_>>())
}

/// What one learned and came to feel, as the record tells it.
fn day<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
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
    let all: Vec<_> = notes.list(list).collect();
    let first = all.len().saturating_sub(most);
    all.into_iter().skip(first)
}
