//! Playing a hand of cards by dialogue: in which order, at whom, and under which names.

use std::io;

use serde::Deserialize;
use serde_json::{Value, json};

use super::console::Dialogue;

/// The purpose of asks for a hand.
const PURPOSE: &str = "combat.draw";

/// A skill of the hand, as the notes of the ask tell it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Skill {
    skill: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    cost: i64,
    #[serde(default)]
    power: i64,
    #[serde(default)]
    about: String,
    legal: Vec<String>,
}

/// The hand in an ask's notes; nothing where the ask is about something else.
pub(super) fn skills(purpose: &str, notes: &Value) -> Option<Vec<Skill>> {
    let hand = notes.get("hand").filter(|_| purpose == PURPOSE)?;
    let hand = Vec::<Skill>::deserialize(hand).ok()?;
    (!hand.is_empty()).then_some(hand)
}

/// Asks how to play the hand.
pub(super) fn play(dialogue: &mut Dialogue<'_>, hand: &[Skill]) -> io::Result<Value> {
    let rows = hand.iter().map(|skill| {
        let Skill {
            skill,
            kind,
            cost,
            power,
            about,
            ..
        } = skill;
        dialogue.phrases.skill(skill, kind, *cost, *power, about)
    });
    let rows: Vec<_> = rows.collect();
    let label = dialogue.phrases.order_of_cards();
    let order = dialogue.order(&label, &rows, true)?;
    let mut cards = Vec::new();
    for skill in order.into_iter().filter_map(|at| hand.get(at)) {
        cards.push(card(dialogue, skill)?);
    }
    Ok(json!({ "cards": cards }))
}

fn card(dialogue: &mut Dialogue<'_>, skill: &Skill) -> io::Result<Value> {
    let name = &skill.skill;
    let label = dialogue.phrases.targets_of(name);
    let targets = dialogue.order(&label, &skill.legal, false)?;
    let targets: Vec<_> = targets
        .into_iter()
        .filter_map(|at| skill.legal.get(at))
        .collect();
    let label = dialogue.phrases.name_of_card();
    let called = dialogue.text_or(&label, name)?;
    let label = dialogue.phrases.look_of_card();
    let look = match skill.about.as_str() {
        "" => name,
        about => about,
    };
    let look = dialogue.text_or(&label, look)?;
    Ok(json!({"skill": name, "name": called, "description": look, "targets": targets}))
}
