//! The table that steps, and who sits at it.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};

use super::ballot::Candidates;
use super::rules::Rules;
use super::table::{PlayerId, Seat, Table};
use crate::cast::{Dead, EntityName, StableId, StageQuery, WorldSeed};

/// What a table does in its next step.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Next {
    /// Nothing, until answers come or the world meets.
    #[default]
    Rest,
    /// The next player describes.
    Describe,
    /// All vote.
    Vote,
    /// The votes are counted.
    Check,
    /// Those who heard the last line put down what they believe; then the next player describes.
    ReflectOnLine,
    /// All put down what they believe; then what is too long is summed up.
    ReflectOnRound,
    /// Those whose memory has grown too long sum it up.
    SumUp,
}

/// The table that steps.
#[derive(SystemParam)]
pub struct AtTable<'w, 's> {
    company: StageQuery<'w, 's, (&'static Seat, &'static EntityName, Has<Dead>)>,
    tables: Query<'w, 's, (&'static StableId, &'static mut Table, &'static mut Next)>,
    seed: Res<'w, WorldSeed>,
    rules: Res<'w, Rules>,
}

/// Somebody at the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sitting {
    /// Its entity.
    pub entity: Entity,
    /// Its number.
    pub id: PlayerId,
    /// Its name.
    pub name: String,
}

impl AtTable<'_, '_> {
    /// The stage, where it is a table.
    pub fn stage(&self) -> Option<Entity> {
        let stage = self.company.stage();
        stage.filter(|stage| self.tables.contains(*stage))
    }

    /// The stage, where this is what its table does next.
    pub fn is_about_to(&self, next: Next) -> Option<Entity> {
        let stage = self.stage()?;
        let (.., now) = self.tables.get(stage).ok()?;
        (*now == next).then_some(stage)
    }

    /// The state of a table.
    pub fn table(&self, stage: Entity) -> Option<&Table> {
        self.tables.get(stage).ok().map(|(_, table, _)| table)
    }

    /// Changes the state of a table.
    pub fn change(&mut self, stage: Entity, act: impl FnOnce(&mut Table)) {
        if let Ok((_, mut table, _)) = self.tables.get_mut(stage) {
            act(&mut table);
        }
    }

    /// Says what a table does next.
    pub fn then(&mut self, stage: Entity, next: Next) {
        if let Ok((.., mut now)) = self.tables.get_mut(stage) {
            *now = next;
        }
    }

    /// How the game is set up.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// A random stream of a table for one purpose in this round.
    pub fn stream(&self, stage: Entity, purpose: &str) -> ChaCha8Rng {
        match self.tables.get(stage) {
            Ok((id, table, _)) => stream(*self.seed, *id, purpose, table.round),
            Err(_) => stream(*self.seed, StableId(0), purpose, 0),
        }
    }

    /// Those still in the game, by rising number.
    pub fn living(&self) -> Vec<Sitting> {
        let all = self.company.entities().into_iter();
        let living = all.filter_map(|entity| {
            let (seat, name, dead) = self.company.get(entity)?;
            let name = name.to_string();
            let id = seat.0;
            (!dead).then_some(Sitting { entity, id, name })
        });
        let mut living: Vec<_> = living.collect();
        living.sort_by_key(|sitting| sitting.id);
        living
    }

    /// Somebody who is still in the game.
    pub fn sitting(&self, id: PlayerId) -> Option<Sitting> {
        self.living().into_iter().find(|sitting| sitting.id == id)
    }

    /// The number of a player.
    pub fn id_of(&self, player: Entity) -> Option<PlayerId> {
        self.company.get(player).map(|(seat, ..)| seat.0)
    }
}

/// All of some players but one.
pub(super) fn others(all: &[Sitting], without: PlayerId) -> Candidates {
    let others = all.iter().filter(|other| other.id != without);
    Candidates(others.map(|other| (other.id, other.name.clone())).collect())
}

/// A random stream of a table for one purpose in one round: nothing to save, nothing that timing could
/// change.
pub(super) fn stream(seed: WorldSeed, table: StableId, purpose: &str, round: u32) -> ChaCha8Rng {
    let parts: [&[u8]; 4] = [
        b"undercover",
        &table.0.to_le_bytes(),
        purpose.as_bytes(),
        &round.to_le_bytes(),
    ];
    ChaCha8Rng::from_seed(seed.mixed(&parts))
}
