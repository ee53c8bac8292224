//! What a stage tells of a fight: how it began, what turned it, how it ended.

use std::cmp::Reverse;

use crate::mind::improviser::Writer;
use crate::mind::improviser::wording::{cap, semicolon};
use crate::mind::{Language, Notes};

/// At most this many actions of a fight are told.
const TOLD: usize = 5;
/// At most this many of them in one sentence.
const IN_SENTENCE: usize = 2;

/// Tells a fight.
pub(super) fn account<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    let fighters = notes.list("standing");
    let (heroes, foes): (Vec<_>, Vec<_>) =
        fighters.partition(|fighter| fighter.text("camp") == "hero");
    let names = |fighters: &[Notes<'a>]| -> Vec<_> {
        fighters.iter().map(|fighter| fighter.name()).collect()
    };
    writer.set_list("heroes", &names(&heroes));
    writer.set_list("foes", &names(&foes));
    let outcome = notes.object("outcome");
    writer.flag("won", outcome.text("result") == "won");
    writer.flag("lost", outcome.text("result") == "lost");
    writer.flag("many", foes.len() > 1);

    let deeds: Vec<_> = notes.list("deeds").collect();
    let mut turning: Vec<_> = deeds.iter().enumerate().collect();
    turning.retain(|(_, deed)| weight(**deed) > 0);
    turning.sort_by_key(|(at, deed)| (Reverse(weight(**deed)), *at));
    turning.truncate(TOLD);
    turning.sort_by_key(|(at, _)| *at);
    let clauses = turning.iter().map(|(_, deed)| tell(**deed, writer));
    let clauses: Vec<_> = clauses.collect();

    let mut texts = vec![writer.line("account.open")];
    texts.extend(sentences(writer.language(), &clauses));
    texts.push(writer.line("account.close"));
    writer.paragraph(&texts)
}

/// How much an action turned the fight; 0 if it is not told.
fn weight(deed: Notes<'_>) -> i64 {
    match deed.text("kind") {
        "flee" | "yield" => 1000,
        _ if deed.flag("fell") => 1000,
        "attack" if deed.flag("hit") => 10 + deed.number("amount"),
        "heal" => deed.number("amount"),
        _ => 0,
    }
}

/// One deed as a clause without final punctuation.
fn tell<'a>(deed: Notes<'a>, writer: &mut Writer<'a>) -> String {
    let (by, target) = (deed.text("by"), deed.text("target"));
    writer.set("by", by);
    writer.set("target", target);
    writer.set("card", deed.text("card"));
    writer.flag("self", by == target);
    writer.clause(match deed.text("kind") {
        "flee" => "deed.flee",
        "yield" => "deed.yield",
        "heal" => "deed.heal",
        _ if deed.flag("fell") => "deed.fell",
        _ => "deed.hit",
    })
}

/// Clauses gathered into sentences.
fn sentences(language: Language, clauses: &[String]) -> Vec<String> {
    let stop = match language {
        Language::En => ".",
        Language::Zh => "。",
    };
    let sentences = clauses.chunks(IN_SENTENCE);
    let sentences = sentences.map(|part| cap(&part.join(semicolon(language))) + stop);
    sentences.collect()
}
