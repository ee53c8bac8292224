//! What one remembers of a fight, or of days at home.

use crate::mind::improviser::Writer;
use crate::mind::improviser::wording::{bare, fragment};
use crate::mind::{Language, Notes};

/// How many lines of others a summary of a day recalls.
const RECALLED: usize = 3;

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

fn day<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    let most = match writer.language() {
        Language::En => 60,
        Language::Zh => 24,
    };
    let mut texts = vec![writer.line("day.open")];
    for line in voices(notes) {
        writer.set("speaker", line.text("who"));
        writer.set("said", fragment(line.text("text"), most));
        texts.push(writer.line("day.said"));
    }
    texts.push(writer.line("day.close"));
    writer.paragraph(&texts)
}

/// The last line of each of the last speakers, in the order in which they were said.
fn voices(notes: Notes<'_>) -> Vec<Notes<'_>> {
    let me = notes.text("me");
    let mut voices: Vec<Notes<'_>> = Vec::new();
    for line in notes.list("said").rev() {
        let who = line.text("who");
        let is_known = voices.iter().any(|voice| voice.text("who") == who);
        let says = line.text("text").chars().any(char::is_alphanumeric);
        if who != me && !who.is_empty() && !is_known && says {
            voices.push(line);
        }
    }
    voices.truncate(RECALLED);
    voices.reverse();
    voices
}
