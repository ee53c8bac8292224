//! What somebody decides, and the thought behind it.

use playhouse_engine::mind::improviser::Writer;
use playhouse_engine::mind::{Notes, Prompt};
use serde_json::{Value, json};

use super::temperament::Temperament;
use super::voice::voice_line;

/// In how many of a hundred choices something is said, and in how many of these in words of one's
/// own.
const SAYS: usize = 25;
const OWN_WORDS: usize = 20;

/// An option; `None` if there is none.
pub(super) fn choose<'a>(prompt: &Prompt<'a>, writer: &mut Writer<'a>) -> Option<Value> {
    let notes = Notes::of(prompt);
    let temperament = Temperament::of(prompt);
    let feelings = notes.list("feelings");
    let feelings: Vec<_> = feelings
        .map(|felt| (felt.name(), felt.number("value")))
        .collect();
    let options: Vec<_> = notes.list("options").collect();
    let weights = options.iter();
    let weights: Vec<_> = weights
        .map(|option| {
            let weight = temperament.weight(*option, &feelings);
            // Hardly anybody lets the only chance pass.
            if option.flag("is_pass") {
                weight / 3
            } else {
                weight
            }
        })
        .collect();
    let index = writer.rng().weighted(weights.iter().copied())?;
    let option = options.get(index)?;
    let symbol = reason(*option, &feelings, writer);
    let mut decision = json!({"mind": writer.line(symbol), "option": option.text("id")});
    if writer.rng().happens(SAYS) {
        let own = voice_line(notes, writer);
        let said = match own.filter(|_| writer.rng().happens(OWN_WORDS)) {
            Some(line) => line.to_owned(),
            None => writer.line("choose.say"),
        };
        decision["say"] = said.into();
    }
    Some(decision)
}

/// The symbol of the thought behind an option: what speaks for it, or against it, most.
fn reason<'a>(
    option: Notes<'a>,
    feelings: &[(&'a str, i64)],
    writer: &mut Writer<'a>,
) -> &'static str {
    let leads = option.object("leads_to");
    let others = leads.object("others");
    let done = |good: bool| {
        let mut names = feelings.iter().map(|(name, _)| *name);
        names.find(|name| {
            let done = others.number(name);
            if good { done > 0 } else { done < 0 }
        })
    };
    match leads.number("goals") {
        1.. => return "choose.goal",
        ..=-1 => return "choose.though",
        _ => {}
    }
    if let Some(name) = done(true) {
        writer.set("target", name);
        return "choose.friend";
    }
    if let Some(name) = done(false) {
        writer.set("target", name);
        return "choose.against";
    }
    "choose.plain"
}
