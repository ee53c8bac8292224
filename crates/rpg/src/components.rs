//! What the campaign adds to entities. Components refer to others by name, never by `Entity`.

use std::collections::BTreeSet;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::Senses;
use playhouse_engine::cast::{EntityName, Gone};
use playhouse_engine::engine::Setup;
use playhouse_engine::event::guard::FactPhrases;
use serde::{Deserialize, Serialize};

use super::world_file::{Stats, WorldFile};
pub use crate::drama::FightResult;
use crate::drama::{GoalState, Goals};

/// The world file that is played. Data, not state: it is not saved.
#[derive(Resource, Clone, Debug)]
pub struct RpgWorld(pub Arc<WorldFile>);

/// Puts the contents of a world file into the world, for systems and tools.
pub(crate) fn insert_data(world: &mut World, file: &Arc<WorldFile>) {
    world.insert_resource(RpgWorld(file.clone()));
    let cast = file.clone();
    world.insert_resource(Senses::new(move |name, sense| cast.has_sense(name, sense)));
    let book = file.fact_book();
    world.insert_resource(FactPhrases::new(&book));
    world.insert_resource(book);
    world.insert_resource(file.story_data());
}

/// The goals of a character: their words are in the world file, what became of them is state.
pub fn goals_of(world: &World, entity: EntityRef<'_>) -> Vec<(String, GoalState)> {
    let (Some(file), Some(name)) = (world.get_resource::<RpgWorld>(), entity.get::<EntityName>())
    else {
        return Vec::new();
    };
    let states = entity.get::<Goals>();
    let state = |index: usize| states?.0.get(index).copied();
    let goals = file.0.goals(&name.0).iter().enumerate();
    goals
        .map(|(index, goal)| (goal.words.clone(), state(index).unwrap_or_default()))
        .collect()
}

/// Hit points, always between 0 and the maximum.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "SavedHealth")]
pub struct Health {
    pub hp: i32,
    pub max: i32,
}

/// As a save has it, which may come from anybody.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedHealth {
    hp: i32,
    max: i32,
}

impl TryFrom<SavedHealth> for Health {
    type Error = String;

    fn try_from(SavedHealth { hp, max }: SavedHealth) -> Result<Self, String> {
        if max < 1 || !(0..=max).contains(&hp) {
            return Err(format!("{hp} of {max} hit points can't be"));
        }
        Ok(Self { hp, max })
    }
}

impl Health {
    pub fn full(max: i32) -> Self {
        Self { hp: max, max }
    }

    /// Removes hit points, at most those left; returns how many.
    pub(super) fn hurt(&mut self, amount: i32) -> i32 {
        let taken = amount.clamp(0, self.hp);
        self.hp -= taken;
        taken
    }

    /// Restores hit points, at most those missing; returns how many.
    pub(super) fn heal(&mut self, amount: i32) -> i32 {
        let given = amount.clamp(0, self.max - self.hp);
        self.hp += given;
        given
    }
}

#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fighter {
    pub stats: Stats,
    pub skills: Vec<Arc<str>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatusEffect {
    pub skill: Arc<str>,
    /// Added to attack while it lasts.
    pub attack: i32,
    /// Added to defense while it lasts.
    pub defense: i32,
    pub rounds: i32,
}

/// The status effects on a combatant, oldest first.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StatusEffects(pub Vec<StatusEffect>);

/// Marks somebody whom the party meets in a dungeon.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Foe {
    /// Whether it may be met again, and so remembers.
    pub returns: bool,
}

/// The home stage to which an actor returns from a journey, by name.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Residence(pub Arc<str>);

/// Marks somebody whom an effect has placed where it is; it doesn't leave to sleep.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed;

/// On somebody whom effects have sent to where it is, and who perceives nothing there yet: the
/// place that it has left, by name.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Arriving(pub Arc<str>);

#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HomeStage;

/// Marks those whose story has begun.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KickedOff;

/// The names of those whose appearance an actor knows.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Acquaintances(pub BTreeSet<Arc<str>>);

/// The last fight that an actor was in, as it knows it.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LastFight {
    pub place: Arc<str>,
    pub result: FightResult,
    pub foes: Vec<Arc<str>>,
}

/// How somebody left a fight before it was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Departure {
    Fell,
    /// It ran away, unhurt; heroes stay behind the party.
    Fled,
    Yielded,
}

impl Departure {
    pub(super) fn action(self) -> &'static str {
        match self {
            Self::Fell => "fall",
            Self::Fled => "flee",
            Self::Yielded => "yield",
        }
    }

    /// How a foe leaves the story with it.
    pub(super) fn gone(self) -> Gone {
        match self {
            Self::Fell => Gone::Fell,
            Self::Fled => Gone::Fled,
            Self::Yielded => Gone::Yielded,
        }
    }
}

/// On a hero who fell: attack and defense are lower until it heals.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wounded {
    /// The number of days at home until it has healed.
    pub days: u32,
}

/// On a foe that words or things may move: how firmly it still means to fight.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resolve {
    /// What is left; at 0 it yields.
    pub left: i32,
    /// What can't move it any more, by number in the world file: it has moved it, or held already
    /// when the fight began.
    pub moved: BTreeSet<usize>,
}

/// The names of foes who are never met again: they fell or yielded and don't return, or left.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FallenFoes(pub BTreeSet<Arc<str>>);

/// The dungeons to which the party will not go any more, by name.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClosedDungeons(pub BTreeSet<Arc<str>>);

/// On a dungeon stage: the fight that takes place there.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurrentFight {
    pub dungeon: Arc<str>,
    /// Which of its fights, from 0.
    pub fight: usize,
    /// How it ended; `None` while it is in progress.
    pub end: Option<FightResult>,
}

pub(super) fn plugin(setup: &mut Setup) {
    setup.world.init_resource::<FallenFoes>();
    setup.world.init_resource::<ClosedDungeons>();
    setup
        .saves()
        .resource::<ClosedDungeons>("closed_dungeons")
        .resource::<FallenFoes>("fallen_foes")
        .component::<Wounded>("wounded")
        .component::<Resolve>("resolve")
        .component::<Health>("health")
        .component::<Fighter>("fighter")
        .component::<StatusEffects>("effects")
        .component::<Foe>("foe")
        .component::<Residence>("residence")
        .component::<Placed>("placed")
        .component::<Arriving>("arriving")
        .component::<HomeStage>("home_stage")
        .component::<KickedOff>("kicked_off")
        .component::<Acquaintances>("acquaintances")
        .component::<LastFight>("last_fight")
        .component::<CurrentFight>("current_fight");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hit_points_of_a_save_are_between_nothing_and_the_most() {
        let read = |text: &str| serde_json::from_str::<Health>(text).ok();
        assert_eq!(
            read(r#"{"hp": 0, "max": 1}"#),
            Some(Health { hp: 0, max: 1 })
        );
        for forged in [(0, 0), (0, -12), (-1, 5), (6, 5)] {
            let text = format!(r#"{{"hp": {}, "max": {}}}"#, forged.0, forged.1);
            assert_eq!(read(&text), None, "{text}");
        }
    }
}
