//! What a stage tells of a round: every deed by name, in a handful of sentences.

use super::names::{Fact, Root};
use super::notes::{Deed, Fighter, Notes};
use super::writer::{Writer, cap, paragraph};
use crate::mind::Language;

/// Into how many sentences the deeds of a round go at most.
const SENTENCES: usize = 3;

/// Tells a round.
pub(super) fn round<'a>(notes: &'a Notes, writer: &mut Writer<'a>) -> String {
    let standing: Vec<_> = notes
        .standing
        .iter()
        .filter(|fighter| fighter.hp > 0)
        .collect();
    let weakest = standing.iter().filter(|fighter| fighter.health() < 60);
    let weakest = weakest.min_by_key(|fighter| fighter.health());
    writer.set(
        Fact::Weakest,
        weakest
            .map(|fighter| fighter.name.as_str())
            .unwrap_or_default(),
    );
    writer.flag(Fact::Early, notes.round <= 1);
    writer.flag(Fact::Late, notes.round >= 3);
    let camp = standing.first().map(|fighter| &fighter.camp);
    let over = standing.iter().all(|fighter| Some(&fighter.camp) == camp);
    writer.flag(Fact::Over, over && !notes.standing.is_empty());

    let clauses: Vec<_> = notes
        .deeds
        .iter()
        .map(|deed| tell(deed, notes, writer))
        .collect();
    let mut texts = Vec::new();
    if clauses.len() <= SENTENCES {
        texts.push(writer.line(Root::RoundOpen));
    }
    texts.extend(sentences(writer.language, &clauses));
    texts.push(writer.line(Root::RoundClose));
    paragraph(writer.language, &texts)
}

/// One deed as a clause without its final sign.
fn tell<'a>(deed: &'a Deed, notes: &'a Notes, writer: &mut Writer<'a>) -> String {
    let card = [&deed.card, &deed.skill]
        .into_iter()
        .find(|name| !name.is_empty());
    writer.set(Fact::By, deed.by.as_str());
    writer.set(Fact::Target, deed.target.as_str());
    writer.set(Fact::Card, card.map(String::as_str).unwrap_or_default());
    writer.flag(Fact::Itself, deed.by == deed.target);
    let of = notes
        .standing
        .iter()
        .find(|fighter| fighter.name == deed.target);
    let share = of.map_or(25, |fighter: &Fighter| {
        deed.amount * 100 / fighter.max_hp.max(1)
    });
    writer.flag(Fact::Light, share < 12);
    writer.flag(Fact::Heavy, share >= 35);
    writer.clause(match deed.kind.as_str() {
        "heal" => Root::DeedHeal,
        "guard" => Root::DeedGuard,
        _ if !deed.hit => Root::DeedMiss,
        _ if deed.fell => Root::DeedFell,
        "weaken" => Root::DeedWeaken,
        "strengthen" => Root::DeedStrengthen,
        _ => Root::DeedHit,
    })
}

/// Clauses gathered into a few sentences of about equal length.
fn sentences(language: Language, clauses: &[String]) -> Vec<String> {
    let (comma, stop) = match language {
        Language::En => ("; ", "."),
        Language::Zh => ("；", "。"),
    };
    let told: Vec<_> = clauses.iter().filter(|clause| !clause.is_empty()).collect();
    let each = told.len().div_ceil(SENTENCES).max(1);
    let sentences = told.chunks(each).map(|part| {
        let part: Vec<_> = part.iter().map(|clause| clause.as_str()).collect();
        cap(&part.join(comma)) + stop
    });
    sentences.collect()
}
