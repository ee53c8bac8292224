//! The tools that come along: dice, a look around, one's own chapters, the lore of the world.

use rand::RngExt;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{LoreBook, NoArguments, ToolCaller, ToolError, Toolbox, recall};

/// The most dice in one roll, and the most sides of one.
const MOST_DICE: u32 = 100;
const MOST_SIDES: u32 = 1_000;
/// The most finds that one search tells.
const MOST_FOUND: usize = 5;

/// Adds them all.
pub(super) fn register(tools: &mut Toolbox) {
    tools
        .world("roll_dice", "Rolls dice and returns each of them and their sum. Use it where chance decides; never make a result up.", roll_dice)
        .world("look_around", "Returns where you are, what can be seen there, who else is there and where one can go.", look_around)
        .world("recall", "Searches your own memory of past chapters and returns what was summed up of them, newest first.", recall_chapters)
        .world("search_lore", "Looks something up in what is known of the world, as far as it is open to you.", search_lore);
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

fn roll_dice(asker: &ToolCaller<'_>, roll: Roll) -> Result<Value, ToolError> {
    let possible = (1..=MOST_DICE).contains(&roll.dice)
        && (2..=MOST_SIDES).contains(&roll.sides)
        && roll.plus.unsigned_abs() <= MOST_SIDES;
    if !possible {
        let facts = json!({"most_dice": MOST_DICE, "most_sides": MOST_SIDES});
        let words = format!(
            "roll 1 to {MOST_DICE} dice of 2 to {MOST_SIDES} sides, and add {MOST_SIDES} at most"
        );
        return Err(ToolError::new(words).said("tools/errors/dice", facts));
    }
    let mut stream = asker.stream("dice");
    let dice = (0..roll.dice).map(|_| stream.random_range(1..=roll.sides));
    let dice: Vec<_> = dice.collect();
    let sum = dice.iter().sum::<u32>() as i32 + roll.plus;
    Ok(json!({"dice": dice, "plus": roll.plus, "sum": sum}))
}

fn look_around(asker: &ToolCaller<'_>, _: NoArguments) -> Result<Value, ToolError> {
    Ok(json!({
        "place": asker.place_name(),
        "seen": asker.place_look(),
        "present": asker.present(),
        "ways": asker.exits(),
    }))
}

#[derive(Deserialize, JsonSchema)]
struct Search {
    /// What you want to know, in a few words.
    question: String,
}

fn recall_chapters(asker: &ToolCaller<'_>, search: Search) -> Result<Value, ToolError> {
    let chapters = asker.chapters().into_iter();
    let found = chapters.flat_map(|chapters| recall(chapters, &search.question));
    let found = found
        .take(MOST_FOUND)
        .map(|chapter| json!({"title": chapter.title, "summary": chapter.summary.full_text()}));
    Ok(json!({"found": found.collect::<Vec<_>>()}))
}

fn search_lore(asker: &ToolCaller<'_>, search: Search) -> Result<Value, ToolError> {
    let name = asker.name();
    let book = asker.data::<LoreBook>().into_iter();
    let found = book.flat_map(|book| book.find(&name, &search.question));
    let found = found
        .take(MOST_FOUND)
        .map(|lore| json!({"title": lore.title, "text": lore.text}));
    Ok(json!({"found": found.collect::<Vec<_>>()}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cast::{Appearance, Dead};
    use crate::testing::tiny;
    use crate::tool::Lore;

    fn call(asker: &ToolCaller<'_>, name: &str, arguments: Value) -> Value {
        let tools = Toolbox::standard();
        let output = tools.get(name).unwrap().look(asker, &arguments.to_string());
        match output.unwrap() {
            Ok(text) => serde_json::from_str(&text).unwrap(),
            Err(error) => error.to_string().into(),
        }
    }

    #[test]
    fn dice_belong_to_the_very_call() {
        let tiny = tiny();
        let world = &tiny.setup.world;
        let rolled = |who, ask, round, number| {
            let asker = ToolCaller::new(world, who, ask, round, number);
            call(&asker, "roll_dice", json!({"dice": 20, "plus": 3}))
        };
        let first = rolled(tiny.ann, 1, 0, 0);
        let dice: Vec<u64> = serde_json::from_value(first["dice"].clone()).unwrap();
        assert!(dice.len() == 20 && dice.iter().all(|die| (1..=6).contains(die)));
        assert_eq!(first["sum"], dice.iter().sum::<u64>() + 3);
        assert_eq!(first, rolled(tiny.ann, 1, 0, 0));
        for other in [
            rolled(tiny.bob, 1, 0, 0),
            rolled(tiny.ann, 2, 0, 0),
            rolled(tiny.ann, 1, 1, 0),
            rolled(tiny.ann, 1, 0, 1),
        ] {
            assert_ne!(first, other);
        }
    }

    #[test]
    fn impossible_dice_are_refused_with_what_is_possible() {
        let tiny = tiny();
        let asker = ToolCaller::new(&tiny.setup.world, tiny.ann, 1, 0, 0);
        for roll in [
            json!({"dice": 0}),
            json!({"dice": 101}),
            json!({"sides": 1}),
            json!({"sides": 2000}),
            json!({"plus": i32::MIN}),
        ] {
            let refusal = call(&asker, "roll_dice", roll);
            assert!(
                refusal.as_str().unwrap().contains("1 to 100 dice"),
                "{refusal}"
            );
        }
    }

    #[test]
    fn one_sees_ones_own_place_and_who_is_there() {
        let mut tiny = tiny();
        let (hall, bob) = (tiny.hall, tiny.bob);
        tiny.world()
            .entity_mut(hall)
            .insert(Appearance("A long table.".into()));
        tiny.world()
            .entity_mut(bob)
            .insert((Appearance("A tall man.".into()), Dead));
        let asker = ToolCaller::new(&tiny.setup.world, tiny.ann, 1, 0, 0);
        let seen = call(&asker, "look_around", json!({}));
        let expected = json!({
            "place": "Hall", "seen": "A long table.", "ways": [],
            "present": [{"name": "Bob", "look": "A tall man.", "dead": true}],
        });
        assert_eq!(seen, expected);
    }

    #[test]
    fn lore_is_told_to_those_who_may_know_it() {
        let mut tiny = tiny();
        let lore = Lore {
            title: "The Bell".into(),
            text: "It rings.".into(),
            only: Some(vec!["Ann".into()]),
            ..Lore::default()
        };
        tiny.world().insert_resource(LoreBook(vec![lore]));
        let found = |who| {
            let asker = ToolCaller::new(&tiny.setup.world, who, 1, 0, 0);
            call(&asker, "search_lore", json!({"question": "the bell?"}))
        };
        let expected = json!({"found": [{"title": "The Bell", "text": "It rings."}]});
        assert_eq!(found(tiny.ann), expected);
        assert_eq!(found(tiny.bob), json!({"found": []}));
    }
}
