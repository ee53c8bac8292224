//! Players take their seats and get their cards.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use rand::Rng;
use rand::seq::SliceRandom;
use serde_json::json;

use super::at_table::{Next, stream};
use super::rules::Rules;
use super::secret::{Card, Confidences, Role};
use super::table::{PlayerId, Seat, Table};
use crate::cast::{Kind, SpawnSpec, StableId, WorldSeed, spawn};
use crate::event::Phrasebook;
use crate::message::Text;
use crate::mind::MindAlias;
use crate::world_data::{Word, WordPair};

/// Sets a table up: everybody sits, and each has a card that nobody has looked at yet. The rules are
/// taken as they are; [`Rules::check`] says whether they make a game.
///
/// # Errors
/// A name is refused, or a system message can't be made.
pub fn take_seats(world: &mut World, rules: &Rules, pair: &WordPair) -> Result<Entity, String> {
    world.insert_resource(rules.clone());
    let phrases = world.resource::<Phrasebook>().clone();
    let opening = format!(
        "{}\n\n",
        phrases.say("undercover/system/rules", &open_facts(rules))?
    );
    let opening: Arc<Text> = Arc::new(Text::from(opening));
    let mut enter = |name: &str, kind, identity, stage: Option<&str>| {
        let newcomer = SpawnSpec {
            name: name.into(),
            kind,
            rules: Some(opening.clone()),
            identity,
            stage: stage.map(Into::into),
        };
        spawn(world, newcomer).map_err(|error| error.to_string())
    };
    let identity = phrases.say("undercover/system/table", &json!({"name": rules.table}))?;
    let stage = enter(&rules.table, Kind::Stage, identity, None)?;
    let mut players = Vec::new();
    for (name, number) in rules.players.iter().zip(1..) {
        let facts = json!({"name": name, "number": number});
        let identity = phrases.say("undercover/system/player", &facts)?;
        let player = enter(name, Kind::Actor, identity, Some(&rules.table))?;
        players.push((player, PlayerId(number)));
    }
    let table = Table::of(rules.players.iter().cloned());
    world.entity_mut(stage).insert((table, Next::Rest));
    let cards = deal(world, rules, pair);
    for ((player, id), card) in players.into_iter().zip(cards) {
        world
            .entity_mut(player)
            .insert((Seat(id), card, Confidences::default()));
    }
    for (name, model) in &rules.models {
        let list = world.resource::<crate::cast::CastList>();
        if let Some(player) = list.by_name(name) {
            world
                .entity_mut(player)
                .insert(MindAlias(model.as_str().into()));
        }
    }
    Ok(stage)
}

/// What everybody knows before the game: who plays, and by which rules.
fn open_facts(rules: &Rules) -> serde_json::Value {
    let players = rules.players.iter().zip(1..);
    let players: Vec<_> = players
        .map(|(name, id)| json!({"id": id, "name": name}))
        .collect();
    json!({
        "table": rules.table,
        "players": players,
        "undercover": rules.undercover,
        "blank": rules.blank,
        "ties": rules.ties,
        "reveal": rules.reveal,
        "max_rounds": rules.max_rounds,
        "most_chars": rules.description_chars,
    })
}

/// A card for each player, by number. The dice say who is what, and which word of the pair is the
/// common one.
fn deal(world: &World, rules: &Rules, pair: &WordPair) -> Vec<Card> {
    let seed = *world.resource::<WorldSeed>();
    let mut roles: Vec<_> = [
        (Role::Undercover, rules.undercover),
        (Role::Blank, rules.blank),
    ]
    .into_iter()
    .flat_map(|(role, count)| std::iter::repeat_n(role, count))
    .collect();
    roles.resize(rules.players.len(), Role::Civilian);
    roles.shuffle(&mut stream(seed, StableId(0), "roles", 0));
    let swapped = stream(seed, StableId(0), "sides", 0).next_u32() % 2 == 1;
    let [mut common, mut odd]: [&Word; 2] = pair.words();
    if swapped {
        std::mem::swap(&mut common, &mut odd);
    }
    let card = |role| match role {
        Role::Civilian => Card::new(role, common),
        Role::Undercover | Role::Blank => Card::new(role, odd),
    };
    roles.into_iter().map(card).collect()
}

/// One of several pairs, by the dice of a seed.
pub(super) fn pick(pairs: &[WordPair], seed: u64) -> Option<&WordPair> {
    let mut stream = stream(WorldSeed(seed), StableId(0), "pair", 0);
    let at = stream.next_u32() as usize % pairs.len().max(1);
    pairs.get(at)
}
