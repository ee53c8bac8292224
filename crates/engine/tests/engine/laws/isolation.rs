//! Law 2: a prompt sees one mind.

use std::collections::BTreeMap;
use std::sync::Arc;

use playhouse_engine::mind::{ScriptLine, ScriptMind};
use serde_json::json;

use super::game::{Game, by_entity, deed, hash_of};

/// Plays with answers that depend on who is asked and how often alone; at its first ask the second
/// actor whispers a secret to the third.
async fn prompts(game: &Game, whispered: &'static str) -> BTreeMap<String, Vec<String>> {
    let mind = ScriptMind::by_rule(move |prompt| {
        if &**prompt.entity == "Actor2" && prompt.number == 1 {
            let whisper = json!({"act": "whisper", "target": "Actor3", "words": whispered});
            return ScriptLine::say(whisper.to_string());
        }
        let choice = hash_of(&(prompt.entity, prompt.number));
        let words = format!("{} {}", prompt.entity, prompt.number);
        ScriptLine::say(deed(prompt, choice, &words))
    });
    let mind = Arc::new(mind.listening());
    game.engine(mind.clone()).run(Some(4)).await.unwrap();
    by_entity(mind.heard())
}

fn differing(
    left: &BTreeMap<String, Vec<String>>,
    right: &BTreeMap<String, Vec<String>>,
) -> Vec<String> {
    assert!(left.keys().eq(right.keys()) && left.len() > 10);
    let pairs = left.iter().zip(right.values());
    let differing = pairs.filter(|((_, left), right)| left != right);
    differing.map(|((name, _), _)| name.clone()).collect()
}

#[tokio::test]
async fn what_one_is_reaches_no_other_prompt() {
    let game = Game::default();
    let other = Game {
        secret: "You killed the old miller.",
        ..game.clone()
    };
    let (left, right) = (prompts(&game, "x").await, prompts(&other, "x").await);
    assert_eq!(differing(&left, &right), ["Actor1"]);
}

#[tokio::test]
async fn a_whisper_reaches_the_prompts_of_its_two_alone() {
    let game = Game::default();
    let left = prompts(&game, "the key is under the stair").await;
    let right = prompts(&game, "the mayor is a fraud").await;
    assert_eq!(differing(&left, &right), ["Actor2", "Actor3"]);
}
