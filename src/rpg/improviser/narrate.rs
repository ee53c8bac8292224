//! What a stage tells of a round: every deed by name, in a handful of sentences.

use super::fighter::Fighter;
use crate::mind::improviser::Writer;
use crate::mind::improviser::wording::{cap, semicolon};
use crate::mind::{Language, Notes};

/// The deeds of a round go into at most this many sentences.
const SENTENCES: usize = 3;

/// Tells a round.
pub(super) fn round<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    let fighters: Vec<_> = notes.list("standing").collect();
    let standing: Vec<_> = fighters
        .iter()
        .filter(|fighter| fighter.number("hp") > 0)
        .collect();
    let standing_fighters = standing.iter().map(|notes| Fighter::of(**notes));
    let weakest = standing_fighters.filter(|fighter| fighter.health() < 60);
    let weakest = weakest.min_by_key(Fighter::health);
    writer.set(
        "weakest",
        weakest.map(|fighter| fighter.name).unwrap_or_default(),
    );
    let number = notes.number("round");
    writer.flag("early", number <= 1);
    writer.flag("late", number >= 3);
    let mut camps = standing.iter().map(|fighter| fighter.text("camp"));
    let first = camps.next();
    let is_over = camps.all(|camp| Some(camp) == first);
    writer.flag("over", is_over && !fighters.is_empty());

    let deeds: Vec<_> = notes.list("deeds").collect();
    let clauses: Vec<_> = deeds
        .iter()
        .map(|deed| tell(*deed, &fighters, writer))
        .collect();
    let mut texts = Vec::new();
    if clauses.len() <= SENTENCES {
        texts.push(writer.line("round.open"));
    }
    texts.extend(sentences(writer.language(), &clauses));
    texts.push(writer.line("round.close"));
    writer.paragraph(&texts)
}

/// One deed as a clause without final punctuation.
fn tell<'a>(deed: Notes<'a>, fighters: &[Notes<'a>], writer: &mut Writer<'a>) -> String {
    let (by, target) = (deed.text("by"), deed.text("target"));
    let card = match deed.text("card") {
        "" => deed.text("skill"),
        card => card,
    };
    writer.set("by", by);
    writer.set("target", target);
    writer.set("card", card);
    writer.flag("self", by == target);
    let fighter = fighters.iter().find(|fighter| fighter.name() == target);
    let share = fighter.map_or(25, |fighter| {
        deed.number("amount") * 100 / fighter.number("max_hp").max(1)
    });
    writer.flag("light", share < 12);
    writer.flag("heavy", share >= 35);
    writer.clause(match deed.text("kind") {
        "heal" => "deed.heal",
        "guard" => "deed.guard",
        _ if !deed.flag("hit") => "deed.miss",
        _ if deed.flag("fell") => "deed.fell",
        "weaken" => "deed.weaken",
        "strengthen" => "deed.strengthen",
        _ => "deed.hit",
    })
}

/// Clauses gathered into a few sentences of about equal length.
fn sentences(language: Language, clauses: &[String]) -> Vec<String> {
    let stop = match language {
        Language::En => ".",
        Language::Zh => "。",
    };
    let told: Vec<_> = clauses.iter().filter(|clause| !clause.is_empty()).collect();
    let each = told.len().div_ceil(SENTENCES).max(1);
    let sentences = told.chunks(each).map(|part| {
        let part: Vec<_> = part.iter().map(|clause| clause.as_str()).collect();
        cap(&part.join(semicolon(language))) + stop
    });
    sentences.collect()
}
