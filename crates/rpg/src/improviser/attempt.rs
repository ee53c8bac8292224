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
    let ids = |list: &str, kinds: &[&str], writer: &mut Writer<'a>| {
        let offers = notes
            .list(list)
            .filter(|offer| kinds.contains(&offer.text("kind")));
        let ids: Vec<_> = offers.map(|offer| offer.text("id")).collect();
        writer.rng().pick(&ids).copied()
    };
    let cost = ids("costs", &["nothing", "hurt", "wound"], writer).unwrap_or("nothing");
    // Whoever is seen to is helped by it; whoever looks for something finds what is hidden.
    let healed = notes
        .list("prizes")
        .find(|offer| offer.text("kind") == "heal" && what.contains(offer.text("name")));
    let prize = match healed {
        Some(healed) => healed.text("id"),
        None => match ids("prizes", &["item", "way"], writer) {
            Some(found) => found,
            None if fits && writer.rng().happens(MAKES_A_FACT) => "fact",
            None => "nothing",
        },
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
        "difficulty": difficulty,
        "prize": prize,
        "cost": cost,
        "fully": writer.line("attempt.full"),
        "at_cost": writer.line("attempt.cost"),
        "not": writer.line("attempt.not"),
    });
    if !abilities.is_empty() {
        ruling["ability"] = ability.unwrap_or("none").into();
    }
    if prize == "fact" {
        ruling["fact"] = writer.line("attempt.fact").into();
    }
    ruling
}
