//! Setting a table up: players take their seats and get their cards.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{
    CastError, CastList, Kind, SpawnSpec, StableId, WorldSeed, set_system_message, spawn,
};
use playhouse_engine::event::{PhraseError, Phrasebook, Prompt};
use playhouse_engine::locale::Localize;
use playhouse_engine::message::Text;
use playhouse_engine::mind::MindAlias;
use playhouse_engine::world_data::{Word, WordPair};
use rand::Rng;
use rand::seq::SliceRandom;
use serde::Serialize;
use thiserror::Error;

use super::current_table::{NextStep, rng};
use super::ids::{PlayerId, PlayerRole};
use super::prompt_data::NumberedName;
use super::rules::{Rules, Ties};
use super::secret::{Card, PrivateRecord};
use super::table::{Seat, Table};

/// What everybody knows before the game: who plays, and by which rules.
#[derive(Serialize, Prompt)]
#[prompt("undercover/system/rules")]
pub(super) struct RulesData<'a> {
    table: &'a str,
    players: Vec<NumberedName<'a>>,
    undercover: usize,
    blank: usize,
    ties: Ties,
    reveal: bool,
    max_rounds: u32,
    most_chars: usize,
}

#[derive(Serialize, Prompt)]
#[prompt("undercover/system/table")]
pub(super) struct TableData<'a> {
    name: &'a str,
}

#[derive(Serialize, Prompt)]
#[prompt("undercover/system/player")]
pub(super) struct PlayerData<'a> {
    name: &'a str,
    number: u32,
}

/// Why a table can't be set up.
#[derive(Debug, Error, Localize)]
pub enum TableError {
    Cast(#[from] CastError),
    /// A system message can't be made.
    Prompt(#[from] PhraseError),
}

/// Sets a table up: it spawns the stage and its players, each with a card that it has not seen yet.
/// The rules are not checked; use [`Rules::check`] for that. Returns the stage.
pub fn set_up_table(
    world: &mut World,
    rules: &Rules,
    pair: &WordPair,
) -> Result<Entity, TableError> {
    world.insert_resource(rules.clone());
    let phrases = world.resource::<Phrasebook>().clone();
    let system = SystemMessages::new(&phrases, rules)?;
    let spec = |name: &str, kind, identity, stage: Option<&str>| SpawnSpec {
        name: name.into(),
        kind,
        rules: Some(system.rules.clone()),
        identity,
        stage: stage.map(Into::into),
    };
    let name = rules.table.as_str();
    let stage = spawn(world, spec(name, Kind::Stage, system.table()?, None))?;
    let mut players = Vec::new();
    for (name, number) in rules.players.iter().zip(1..) {
        let identity = system.player(name, number)?;
        let spec = spec(name, Kind::Actor, identity, Some(&rules.table));
        players.push((spawn(world, spec)?, PlayerId(number)));
    }
    let table = Table::new(rules.players.iter().cloned());
    world.entity_mut(stage).insert((table, NextStep::Idle));
    let cards = deal(world, rules, pair);
    for ((player, id), card) in players.into_iter().zip(cards) {
        let components = (Seat(id), card, PrivateRecord::default());
        world.entity_mut(player).insert(components);
    }
    for (name, model) in &rules.models {
        if let Some(player) = world.resource::<CastList>().by_name(name) {
            let alias = MindAlias(model.as_str().into());
            world.entity_mut(player).insert(alias);
        }
    }
    Ok(stage)
}

/// The texts by which everybody knows the game.
struct SystemMessages<'a> {
    phrases: &'a Phrasebook,
    table: &'a str,
    rules: Arc<Text>,
}

impl<'a> SystemMessages<'a> {
    fn new(phrases: &'a Phrasebook, rules: &'a Rules) -> Result<Self, PhraseError> {
        let text = phrases.fill(&rules_data(rules))?;
        Ok(Self {
            phrases,
            table: &rules.table,
            rules: Arc::new(Text::from(format!("{text}\n\n"))),
        })
    }

    fn table(&self) -> Result<String, PhraseError> {
        let name = self.table;
        self.phrases.fill(&TableData { name })
    }

    fn player(&self, name: &str, number: u32) -> Result<String, PhraseError> {
        self.phrases.fill(&PlayerData { name, number })
    }
}

/// Gives the table and its players the system messages of prompts that have changed.
pub(super) fn update_system_messages(world: &mut World) -> Result<(), PhraseError> {
    let phrases = world.resource::<Phrasebook>().clone();
    let rules = world.resource::<Rules>().clone();
    let system = SystemMessages::new(&phrases, &rules)?;
    let players = rules.players.iter().zip(1..);
    let mut texts = vec![(&rules.table, system.table()?)];
    for (name, number) in players {
        texts.push((name, system.player(name, number)?));
    }
    for (name, identity) in texts {
        if let Some(entity) = world.resource::<CastList>().by_name(name) {
            set_system_message(world, entity, Some(&system.rules), &identity);
        }
    }
    Ok(())
}

fn rules_data(rules: &Rules) -> RulesData<'_> {
    let players = rules.players.iter().zip(1..);
    RulesData {
        table: &rules.table,
        players: players
            .map(|(name, id)| NumberedName { id, name })
            .collect(),
        undercover: rules.undercover,
        blank: rules.blank,
        ties: rules.ties,
        reveal: rules.reveal,
        max_rounds: rules.max_rounds,
        most_chars: rules.description_chars,
    }
}

/// A card for each player, by number. The seed decides on the roles, and on the common word of the
/// pair.
fn deal(world: &World, rules: &Rules, pair: &WordPair) -> Vec<Card> {
    let seed = *world.resource::<WorldSeed>();
    let mut roles = vec![PlayerRole::Undercover; rules.undercover];
    roles.resize(rules.undercover + rules.blank, PlayerRole::Blank);
    roles.resize(rules.players.len(), PlayerRole::Civilian);
    roles.shuffle(&mut rng(seed, StableId(0), "roles", 0));
    let [mut common, mut other]: [&Word; 2] = pair.words();
    if rng(seed, StableId(0), "sides", 0).next_u32() % 2 == 1 {
        std::mem::swap(&mut common, &mut other);
    }
    let card = |role| match role {
        PlayerRole::Civilian => Card::new(role, common),
        PlayerRole::Undercover | PlayerRole::Blank => Card::new(role, other),
    };
    roles.into_iter().map(card).collect()
}

/// One of several pairs, chosen by a seed.
pub(super) fn pick(pairs: &[WordPair], seed: u64) -> Option<&WordPair> {
    let mut rng = rng(WorldSeed(seed), StableId(0), "pair", 0);
    let index = rng.next_u32() as usize % pairs.len().max(1);
    pairs.get(index)
}
