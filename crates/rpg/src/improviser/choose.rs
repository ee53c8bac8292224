//! What an actor decides and votes for, and the thought behind it.

use playhouse_engine::mind::improviser::Writer;
use playhouse_engine::mind::{Notes, Prompt};
use serde_json::{Value, json};

use super::temperament::{Temperament, feelings};
use super::voice::{called_by_bond, voice_line};
use crate::world_file::STAY;

/// In how many of a hundred choices something is said, and in how many of these in words of one's
/// own.
const SAYS: usize = 25;
const OWN_WORDS: usize = 20;

/// In how many of a hundred votes an actor would rather stay.
const STAYS: usize = 25;

/// An option; `None` if there is none.
pub(super) fn choose<'a>(prompt: &Prompt<'a>, writer: &mut Writer<'a>) -> Option<Value> {
    let notes = Notes::of(prompt);
    let temperament = Temperament::of(prompt);
    let feelings = feelings(notes);
    let options: Vec<_> = notes.list("options").collect();
    let weights = options.iter().map(|option| {
        // The only chance is seldom let pass.
        let divisor = if option.flag("is_pass") { 3 } else { 1 };
        temperament.weight(*option, &feelings) / divisor
    });
    let weights: Vec<_> = weights.collect();
    let index = writer.rng().weighted(weights.iter().copied())?;
    let option = options.get(index)?;
    let symbol = reason(notes, *option, &feelings, writer);
    let mut decision = json!({"mind": writer.line(symbol), "option": option.text("id")});
    if !option.flag("worded") && writer.rng().happens(SAYS) {
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
    notes: Notes<'a>,
    option: Notes<'a>,
    feelings: &[(&'a str, i64)],
    writer: &mut Writer<'a>,
) -> &'static str {
    let leads = option.object("leads_to");
    let others = leads.object("others");
    let done = |sign: i64| {
        let mut names = feelings.iter().map(|(name, _)| *name);
        names.find(|name| others.number(name).signum() == sign)
    };
    let (name, symbol) = match (leads.number("goals"), done(1), done(-1)) {
        (1.., ..) => return "choose.goal",
        (..=-1, ..) => return "choose.though",
        (_, Some(name), _) => (name, "choose.friend"),
        (_, None, Some(name)) => (name, "choose.against"),
        _ => return "choose.plain",
    };
    writer.set("target", called_by_bond(notes, name));
    symbol
}

/// A vote and a reason for it.
pub(super) fn vote<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> Value {
    let dungeons = notes.names("options");
    let stays = writer.rng().happens(STAYS);
    let dungeon = writer.rng().pick(&dungeons).copied();
    let (option, symbol) = match dungeon.filter(|_| !stays) {
        Some(dungeon) => {
            writer.set("journey", dungeon);
            (dungeon, "vote.go")
        }
        None => (STAY, "vote.stay"),
    };
    let say = writer.line(symbol);
    json!({"mind": writer.line("mind.vote"), "vote": option, "say": say})
}
