//! The built-in tools about the game: dice, a look around, one's own chapters, the lore of the
//! world.

use rand::RngExt;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::names::{RECALL, SEARCH_LORE};
use super::prompts::Failure;
use super::{NoArguments, ToolCaller, ToolError, Toolbox};
use crate::knowledge::{FactBook, Knowledge};
use crate::memory::{AnswerWords, Lens, LookupVectors, Lore, Meaning, Vectors, Witnessed};

/// The maximum number of dice in one roll, and of sides of a die.
const MAX_DICE: u32 = 100;
const MAX_SIDES: u32 = 1_000;
/// The maximum number of results of one search.
const MAX_FOUND: usize = 5;

pub(super) fn register(tools: &mut Toolbox) {
    tools
        .add_pure("roll_dice", "Rolls dice and returns each of them and their sum. Use it where chance decides; never make a result up.", roll_dice)
        .add_pure("look_around", "Returns where you are, what can be seen there, who else is there and where one can go.", look_around)
        .add_pure(RECALL, "Searches your own past and returns what you witnessed, with day, place and who said it, best first; what you can still read here is left out.", recall)
        .add_pure(SEARCH_LORE, "Looks something up in what is known of the world, as far as it is open to you.", search_lore);
}

#[derive(Deserialize, JsonSchema)]
struct Roll {
    /// How many dice; one where left out.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 100))]
    dice: u32,
    /// How many sides each has; six where left out.
    #[serde(default = "six")]
    #[schemars(range(min = 2, max = 1000))]
    sides: u32,
    /// Added to the sum.
    #[serde(default)]
    #[schemars(range(min = -1000, max = 1000))]
    plus: i32,
}

fn one() -> u32 {
    1
}

fn six() -> u32 {
    6
}

fn roll_dice(caller: &ToolCaller<'_>, roll: Roll) -> Result<Value, ToolError> {
    let possible = (1..=MAX_DICE).contains(&roll.dice)
        && (2..=MAX_SIDES).contains(&roll.sides)
        && roll.plus.unsigned_abs() <= MAX_SIDES;
    if !possible {
        let failure = Failure::Dice {
            most_dice: MAX_DICE,
            most_sides: MAX_SIDES,
        };
        let words = format!(
            "roll 1 to {MAX_DICE} dice of 2 to {MAX_SIDES} sides, and add {MAX_SIDES} at most"
        );
        return Err(ToolError::new(words).with_prompt(&failure));
    }
    let mut stream = caller.stream("dice");
    let dice: Vec<_> = (0..roll.dice)
        .map(|_| stream.random_range(1..=roll.sides))
        .collect();
    let sum = dice.iter().sum::<u32>() as i32 + roll.plus;
    Ok(json!({"dice": dice, "plus": roll.plus, "sum": sum}))
}

fn look_around(caller: &ToolCaller<'_>, _: NoArguments) -> Result<Value, ToolError> {
    Ok(json!({
        "place": caller.place_name(),
        "seen": caller.place_look(),
        "present": caller.present(),
        "ways": caller.exits(),
    }))
}

#[derive(Deserialize, JsonSchema)]
struct Search {
    /// What you want to know, in a few words.
    question: String,
}

fn recall(caller: &ToolCaller<'_>, search: Search) -> Result<Value, ToolError> {
    let past = caller
        .context()
        .zip(caller.chapters())
        .zip(caller.own::<Witnessed>());
    let found = past.and_then(|((context, chapters), witnessed)| {
        let places = |id| caller.place_with_id(id);
        let question = (search.question.as_str(), meaning(caller, &search));
        let lens = Lens {
            places: &places,
            ..Lens::of(caller.data::<AnswerWords>()?)
        };
        Some(witnessed.recall((context, chapters), lens, question, MAX_FOUND))
    });
    Ok(json!({"found": found.unwrap_or_default()}))
}

/// The question of a search, if there are vectors.
fn meaning<'w>(caller: &ToolCaller<'w>, search: &Search) -> Option<Meaning<'w>> {
    let vectors = caller.data::<LookupVectors>()?;
    vectors.meaning(&search.question, caller.data::<Vectors>()?)
}

fn search_lore(caller: &ToolCaller<'_>, search: Search) -> Result<Value, ToolError> {
    let book = caller.data::<FactBook>().zip(caller.data::<Lore>());
    let found = book
        .map(|(book, lore)| {
            let question = (search.question.as_str(), meaning(caller, &search));
            lore.find(book, caller.own::<Knowledge>(), question, MAX_FOUND)
        })
        .unwrap_or_default()
        .into_iter()
        .map(|fact| json!({"title": fact.title, "text": fact.text}));
    Ok(json!({"found": found.collect::<Vec<_>>()}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cast::{Appearance, Dead};
    use crate::knowledge::Fact;
    use crate::testing::tiny;

    fn call(caller: &ToolCaller<'_>, name: &str, arguments: Value) -> Value {
        let tools = Toolbox::standard();
        let output = tools
            .get(name)
            .unwrap()
            .run_pure(caller, &arguments.to_string());
        match output.unwrap() {
            Ok(text) => serde_json::from_str(&text).unwrap(),
            Err(error) => error.to_string().into(),
        }
    }

    #[test]
    fn dice_depend_on_the_very_call() {
        let tiny = tiny();
        let world = &tiny.setup.world;
        let rolled = |who, ask, round, number| {
            let caller = ToolCaller::new(world, who, ask, round, number);
            call(&caller, "roll_dice", json!({"dice": 20, "plus": 3}))
        };
        let first = rolled(tiny.ann, 1, 0, 0);
        let dice: Vec<u64> = serde_json::from_value(first["dice"].clone()).unwrap();
        assert!(dice.len() == 20 && dice.iter().all(|die| (1..=6).contains(die)));
        assert_eq!(first["sum"], dice.iter().sum::<u64>() + 3);
        assert_eq!(first, rolled(tiny.ann, 1, 0, 0));
        for different in [
            rolled(tiny.bob, 1, 0, 0),
            rolled(tiny.ann, 2, 0, 0),
            rolled(tiny.ann, 1, 1, 0),
            rolled(tiny.ann, 1, 0, 1),
        ] {
            assert_ne!(first, different);
        }
    }

    #[test]
    fn impossible_dice_are_refused_with_the_limits() {
        let tiny = tiny();
        let caller = ToolCaller::new(&tiny.setup.world, tiny.ann, 1, 0, 0);
        for roll in [
            json!({"dice": 0}),
            json!({"dice": 101}),
            json!({"sides": 1}),
            json!({"sides": 2000}),
            json!({"plus": i32::MIN}),
        ] {
            let refusal = call(&caller, "roll_dice", roll);
            assert!(
                refusal.as_str().unwrap().contains("1 to 100 dice"),
                "{refusal}"
            );
        }
    }

    #[test]
    fn a_caller_sees_its_place_and_who_is_there() {
        let mut tiny = tiny();
        let (hall, bob) = (tiny.hall, tiny.bob);
        tiny.world()
            .entity_mut(hall)
            .insert(Appearance("A long table.".into()));
        tiny.world()
            .entity_mut(bob)
            .insert((Appearance("A tall man.".into()), Dead));
        let caller = ToolCaller::new(&tiny.setup.world, tiny.ann, 1, 0, 0);
        let seen = call(&caller, "look_around", json!({}));
        let expected = json!({
            "place": "Hall", "seen": "A long table.", "ways": [],
            "present": [{"name": "Bob", "look": "A tall man.", "dead": true}],
        });
        assert_eq!(seen, expected);
    }

    #[test]
    fn lore_is_found_by_those_who_may_know_it() {
        let mut tiny = tiny();
        let fact = Fact {
            id: "bell".into(),
            title: "The Bell".into(),
            text: "It rings.".into(),
            ..Fact::default()
        };
        let ann = tiny.ann;
        let knowledge = Knowledge::at_start(["bell"]);
        tiny.world().insert_resource(FactBook::new([fact]));
        tiny.world().entity_mut(ann).insert(knowledge);
        let found = |who| {
            let caller = ToolCaller::new(&tiny.setup.world, who, 1, 0, 0);
            call(&caller, "search_lore", json!({"question": "the bell?"}))
        };
        let expected = json!({"found": [{"title": "The Bell", "text": "It rings."}]});
        assert_eq!(found(tiny.ann), expected);
        assert_eq!(found(tiny.bob), json!({"found": []}));
    }
}
