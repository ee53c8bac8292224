//! The table that steps, and its players.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use playhouse_engine::cast::{Dead, EntityName, StableId, StageQuery, WorldSeed};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};

use super::ballot::Candidates;
use super::ids::PlayerId;
use super::rules::Rules;
use super::table::{Seat, Table};

/// What a table does in its next step.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum NextStep {
    /// Nothing, until answers come or the world meets.
    #[default]
    Idle,
    Describe,
    Vote,
    /// The votes are counted.
    Check,
    /// Those who heard the last description write down their beliefs; then the next player
    /// describes.
    ReflectOnLine,
    /// All players write down their beliefs; then long conversations are summarized.
    ReflectOnRound,
    /// Players whose conversations have grown too long summarize them.
    Summarize,
}

#[derive(SystemParam)]
pub(super) struct CurrentTable<'w, 's> {
    occupants: StageQuery<'w, 's, (&'static Seat, &'static EntityName, Has<Dead>)>,
    tables: Query<'w, 's, (&'static StableId, &'static mut Table, &'static mut NextStep)>,
    seed: Res<'w, WorldSeed>,
    rules: Res<'w, Rules>,
}

/// A player who is still in the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LivingPlayer {
    pub(super) entity: Entity,
    pub(super) id: PlayerId,
    pub(super) name: String,
}

impl CurrentTable<'_, '_> {
    /// The stage; `None` if it is not a table.
    pub(super) fn stage(&self) -> Option<Entity> {
        let stage = self.occupants.stage();
        stage.filter(|stage| self.tables.contains(*stage))
    }

    /// The table here, if this is its next step, which begins.
    pub(super) fn begin(&mut self, next: NextStep) -> Option<Entity> {
        let stage = self.stage()?;
        let (.., mut current) = self.tables.get_mut(stage).ok()?;
        (*current == next).then(|| *current = NextStep::Idle)?;
        Some(stage)
    }

    pub(super) fn table(&self, stage: Entity) -> Option<&Table> {
        self.tables.get(stage).ok().map(|(_, table, _)| table)
    }

    /// Changes the state of a table.
    pub(super) fn update(&mut self, stage: Entity, update: impl FnOnce(&mut Table)) {
        if let Ok((_, mut table, _)) = self.tables.get_mut(stage) {
            update(&mut table);
        }
    }

    pub(super) fn set_next(&mut self, stage: Entity, next: NextStep) {
        if let Ok((.., mut current)) = self.tables.get_mut(stage) {
            *current = next;
        }
    }

    pub(super) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// A random stream of a table for one purpose in this round.
    pub(super) fn rng(&self, stage: Entity, purpose: &str) -> ChaCha8Rng {
        match self.tables.get(stage) {
            Ok((id, table, _)) => rng(*self.seed, *id, purpose, table.round),
            Err(_) => rng(*self.seed, StableId(0), purpose, 0),
        }
    }

    /// The players who are still in the game, sorted by number.
    pub(super) fn living(&self) -> Vec<LivingPlayer> {
        let players = self.occupants.entities().into_iter().filter_map(|entity| {
            let (seat, name, dead) = self.occupants.get(entity)?;
            let player = LivingPlayer {
                entity,
                id: seat.0,
                name: name.to_string(),
            };
            (!dead).then_some(player)
        });
        let mut living: Vec<_> = players.collect();
        living.sort_by_key(|player| player.id);
        living
    }

    /// The entity of a player who is still in the game.
    pub(super) fn entity_of(&self, id: PlayerId) -> Option<Entity> {
        let player = self.living().into_iter().find(|player| player.id == id)?;
        Some(player.entity)
    }

    pub(super) fn id_of(&self, player: Entity) -> Option<PlayerId> {
        self.occupants.get(player).map(|(seat, ..)| seat.0)
    }
}

/// All of some players but one.
pub(super) fn others(players: &[LivingPlayer], without: PlayerId) -> Candidates {
    let others = players
        .iter()
        .filter(|player| player.id != without)
        .map(|player| (player.id, player.name.clone()));
    Candidates(others.collect())
}

/// A random stream of a table for one purpose in one round. It needs no saving and does not depend
/// on timing.
pub(super) fn rng(seed: WorldSeed, table: StableId, purpose: &str, round: u32) -> ChaCha8Rng {
    let parts: [&[u8]; 4] = [
        b"undercover",
        &table.0.to_le_bytes(),
        purpose.as_bytes(),
        &round.to_le_bytes(),
    ];
    ChaCha8Rng::from_seed(seed.mixed(&parts))
}
