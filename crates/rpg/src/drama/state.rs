//! The state of a story: who has which item, bonds between characters, what happened.
//!
//! It refers to entities by name, as world files do.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::knowledge::Knowledge;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::condition::Condition;
use crate::events::PromiseKept;

/// On characters and stages: the names of the items that they hold. An item is in one place only:
/// [`move_item`] takes it from its holder before it gives it to another.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Belongings(pub BTreeSet<Arc<str>>);

/// On stages: the items that lie hidden there, each with the id of the fact by which one knows of
/// it; empty if it is unknown. Those who know that fact see the item.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hidden(pub BTreeMap<Arc<str>, Arc<str>>);

impl Hidden {
    /// Whether an item is hidden from somebody who knows this.
    pub fn hides(&self, item: &str, knowledge: Option<&Knowledge>) -> bool {
        let fact = self.0.get(item);
        fact.is_some_and(|fact| !knowledge.is_some_and(|knowledge| knowledge.knows(fact)))
    }
}

/// Who holds an item, or where it lies; `None` if it is nowhere or destroyed.
pub fn holder_of(world: &mut World, item: &str) -> Option<Entity> {
    let mut holders = world.query::<(Entity, &Belongings)>();
    let mut holders = holders.iter(world);
    let holder = holders.find(|(_, belongings)| belongings.0.contains(item));
    holder.map(|(entity, _)| entity)
}

/// Moves an item to another holder, or out of the world. Returns whether it was anywhere.
pub fn move_item(world: &mut World, item: &str, to: Option<Entity>) -> bool {
    let from = holder_of(world, item);
    if let Some(mut belongings) = from.and_then(|from| world.get_mut::<Belongings>(from)) {
        belongings.0.remove(item);
    }
    if let Some(mut hidden) = from.and_then(|from| world.get_mut::<Hidden>(from)) {
        hidden.0.remove(item);
    }
    if let Some(to) = to {
        let mut to = world.entity_mut(to);
        let mut belongings = to.entry::<Belongings>().or_default();
        belongings.get_mut().0.insert(item.into());
    }
    from.is_some()
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bond {
    /// What the other is to it; empty if nobody in particular.
    pub word: Arc<str>,
    /// From -3, hatred, to 3, love.
    pub value: i32,
}

/// The bonds of a character, by the name of the other.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bonds(pub BTreeMap<Arc<str>, Bond>);

impl Bonds {
    /// The value of the bond to somebody; 0 without one.
    pub fn value(&self, to: &str) -> i32 {
        self.0.get(to).map_or(0, |bond| bond.value)
    }

    /// Changes a bond, within its bounds; returns whether it changed.
    pub fn change(&mut self, to: &str, by: i32) -> bool {
        let bond = self.0.entry(to.into()).or_default();
        let before = bond.value;
        bond.value = bond.value.saturating_add(by).clamp(-3, 3);
        bond.value != before
    }
}

/// Changes the bond from one entity to the name of another; returns whether it changed.
pub fn change_bond(world: &mut World, from: Entity, to: &str, by: i32) -> bool {
    let mut from = world.entity_mut(from);
    from.entry::<Bonds>().or_default().get_mut().change(to, by)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PromiseState {
    /// Neither kept nor broken yet.
    #[default]
    #[serde(alias = "Open")]
    Open,
    /// It was kept.
    #[serde(alias = "Kept")]
    Kept,
    /// It was broken.
    #[serde(alias = "Broken")]
    Broken,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Promise {
    pub to: Arc<str>,
    /// What was promised, in the words of the one who did.
    pub words: Arc<str>,
    pub state: PromiseState,
    /// It is kept as soon as this holds; only somebody can say so if it is `Always`.
    #[serde(skip_serializing_if = "Condition::is_always")]
    pub kept: Condition,
    /// The day on which it was made.
    pub day: u32,
    /// The turn of the world in whose talk it was made; `None` if no talk made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<u64>,
    /// Who heard it being made, by name.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub heard: BTreeSet<Arc<str>>,
}

impl Promise {
    pub(crate) fn kept_by(&self, actor: &str) -> PromiseKept {
        PromiseKept {
            actor: actor.to_owned(),
            to: self.to.to_string(),
            words: self.words.to_string(),
        }
    }

    /// Whether it is kept by what somebody has, as this tells.
    pub(crate) fn is_of_gift(&self, has: impl Fn(&str, &str) -> bool) -> bool {
        matches!(&self.kept, Condition::Holds(to, item) if **to == *self.to && has(to, item))
    }

    /// The day on which it was made, if that was before today: what it says of time counts from
    /// that day.
    pub(crate) fn said_on(&self, today: u32) -> Option<u32> {
        (self.day < today).then_some(self.day)
    }

    /// Whether somebody may say that it is kept: it was made to that one, is neither kept nor
    /// broken, and was not made in the talk of this turn.
    pub(crate) fn is_owed_to(&self, name: &str, turn: u64) -> bool {
        *self.to == *name && self.state == PromiseState::Open && self.made != Some(turn)
    }

    pub(crate) fn is_known_to(&self, name: &str) -> bool {
        self.heard.contains(name)
    }
}

/// The promises of a character, oldest first.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Promises(pub Vec<Promise>);

impl Promises {
    /// Those that are neither kept nor broken.
    pub fn open(&self) -> impl Iterator<Item = &Promise> {
        let promises = self.0.iter();
        promises.filter(|promise| promise.state == PromiseState::Open)
    }
}

/// Whether a goal was reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GoalState {
    /// Neither met nor lost yet.
    #[default]
    #[serde(alias = "Open")]
    Open,
    /// It was reached.
    #[serde(alias = "Met")]
    Met,
    /// It can no longer be reached.
    #[serde(alias = "Lost")]
    Lost,
}

/// The states of the goals of a character, in the order of the world file.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Goals(pub Vec<GoalState>);

/// How a fight ended, from the party's point of view.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FightResult {
    /// No foe is standing.
    #[serde(alias = "Won")]
    Won,
    /// No hero is standing.
    #[serde(alias = "Lost")]
    Lost,
    /// The rounds ran out.
    #[default]
    #[serde(alias = "Drawn")]
    Drawn,
}

/// What happened. It changes at meetings only.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct History {
    /// The scenes that were played, oldest first, with their day.
    pub scenes: Vec<(Arc<str>, u32)>,
    /// The choices that were made: scene, option, who.
    pub choices: Vec<(Arc<str>, Arc<str>, Arc<str>)>,
    /// The fights that were fought: stage and result.
    pub fights: Vec<(Arc<str>, FightResult)>,
    /// What was voted for the next journey, oldest first: the winner, a dungeon or `stay`, and the
    /// day.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<(Arc<str>, u32)>,
    /// The uses of items that were made, oldest first: the item, and which of its uses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<(Arc<str>, u32)>,
    /// Who fell, in a fight or otherwise, by name.
    pub fallen: BTreeSet<Arc<str>>,
    /// The id of the ending that was reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<Arc<str>>,
}

impl History {
    pub fn times(&self, scene: &str) -> usize {
        self.scenes.iter().filter(|(id, _)| **id == *scene).count()
    }

    /// Whether an option of a scene was chosen.
    pub fn chose(&self, scene: &str, option: &str) -> bool {
        let mut choices = self.choices.iter();
        choices.any(|(of, chosen, _)| **of == *scene && **chosen == *option)
    }

    /// Whether an item was put to one of its uses.
    pub fn used(&self, item: &str, number: usize) -> bool {
        let mut uses = self.uses.iter();
        uses.any(|(used, which)| **used == *item && *which as usize == number)
    }

    /// Whether a dungeon, or to stay, won a vote.
    pub fn voted(&self, winner: &str) -> bool {
        self.votes.iter().any(|(won, _)| **won == *winner)
    }

    /// Whether a fight on a stage ended like this.
    pub fn fought(&self, stage: &str, result: FightResult) -> bool {
        let mut fights = self.fights.iter();
        fights.any(|(place, ended)| **place == *stage && *ended == result)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::drama::{Qualities, Quality};

    proptest! {
        #[test]
        fn an_item_is_in_one_place_at_most(moves in prop::collection::vec(0..5usize, 0..40)) {
            let mut world = World::new();
            let holders: Vec<_> = (0..4).map(|_| world.spawn(Belongings::default()).id()).collect();
            for to in moves {
                move_item(&mut world, "log", holders.get(to).copied());
                let mut query = world.query::<&Belongings>();
                let held = query.iter(&world).filter(|held| held.0.contains("log")).count();
                prop_assert_eq!(held, usize::from(to < holders.len()));
            }
        }

        #[test]
        fn bonds_and_qualities_stay_in_bounds(steps in prop::collection::vec(-9..9i32, 0..40)) {
            let (mut bonds, mut qualities) = (Bonds::default(), Qualities::default());
            let lamp = Quality { id: "lamp".into(), max: 3, ..Quality::default() };
            for by in steps {
                bonds.change("Ann", by);
                qualities.change(&lamp, by);
                prop_assert!((-3..=3).contains(&bonds.value("Ann")));
                prop_assert!((0..=3).contains(&qualities.value("lamp")));
            }
        }
    }
}
