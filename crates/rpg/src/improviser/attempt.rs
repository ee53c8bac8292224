//! How a place judges what an actor tries.

use playhouse_engine::mind::improviser::Writer;
use playhouse_engine::mind::improviser::wording::bare;
use playhouse_engine::mind::{Language, Notes};
use serde_json::{Value, json};

/// In how many of a hundred attempts it can be done at all.
const POSSIBLE: usize = 90;
/// In how many of a hundred attempts that can be done something is true from then on.
const MAKES_A_FACT: usize = 40;

/// A judgement that any attempt of [`super::plan`] bears.
pub(super) fn ruling<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> Value {
    writer.set("by", notes.text("actor"));
    let what = bare(notes.text("what"));
    writer.set("what", what);
    // English names what was tried after "to"; others may have put it otherwise.
    let fits = writer.language() == Language::Zh || what.starts_with("to ");
    let abilities = notes.names("abilities");
    let ids = |list: &str, writer: &mut Writer<'a>| {
        // What is told fits anything that was tried, but a quality and a bond are about one thing.
        let offers = notes
            .list(list)
            .filter(|offer| !["quality", "bond"].contains(&offer.text("kind")));
        let ids: Vec<_> = offers.map(|offer| offer.text("id")).collect();
        writer.rng().pick(&ids).copied().unwrap_or("nothing")
    };
    let cost = ids("costs", writer);
    let prize = if fits && writer.rng().happens(MAKES_A_FACT) {
        "fact"
    } else {
        ids("prizes", writer)
    };
    let ability = writer
        .rng()
        .pick(&abilities)
        .copied()
        .filter(|_| writer.rng().happens(50));
    let difficulty = *writer
        .rng()
        .pick(&["easy", "fair", "hard"])
        .unwrap_or(&"fair");
    let mut ruling = json!({
        "possible": writer.rng().happens(POSSIBLE),
        "ability": ability.unwrap_or("none"),
        "difficulty": difficulty,
        "prize": prize,
        "cost": cost,
        "fully": writer.line("attempt.full"),
        "at_cost": writer.line("attempt.cost"),
        "not": writer.line("attempt.not"),
    });
    if prize == "fact" {
        ruling["fact"] = writer.line("attempt.fact").into();
    }
    ruling
}
