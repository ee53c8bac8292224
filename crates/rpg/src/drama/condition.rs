//! Conditions on the state of a story.

use std::fmt::Display;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, EntityName, WorldSeed, is_dead, stage_of};
use playhouse_engine::knowledge::{FactBook, Knowledge, Today};
use playhouse_engine::world_data::prose;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::judgement::Judgements;
use super::occasion::{AttemptEnd, Occasion};
use super::quality::Qualities;
use super::state::{
    Belongings, Bonds, FightResult, GoalState, Goals, Hidden, History, PromiseState, Promises,
};

use crate::campaign_phase::round_of;
use crate::components::RpgWorld;
use crate::everybody::party;
use crate::talk::Talk;

/// What a name in conditions and effects may be besides a name: any hero.
pub const PARTY: &str = "party";

/// What must hold for a scene, an option or an ending. A name is that of an agent, a stage, an
/// actor or a foe, or `party` for any hero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Condition {
    /// It always holds; what a missing condition is.
    #[default]
    Always,
    /// It never holds.
    Never,
    /// An actor knows a fact: `Knows("Odile Marsh", "the-order")`.
    Knows(String, String),
    /// An actor holds an item, or it lies on a stage for all to see: `Holds("party", "the log")`.
    /// Wherever an actor is named, `party` is any of those who travel (`faction: Hero`).
    Holds(String, String),
    /// A living actor is at a place: `At("Edda Hollis", "Customs Stair")`.
    At(String, String),
    /// All of these are alive and at the same place: `Together(["Odile Marsh", "Brant Hollis"])`.
    Together(Vec<String>),
    /// Somebody is alive: `Alive("Brant Hollis")`.
    Alive(String),
    /// A quality is at least this high: `Quality("lamp", 2)`.
    Quality(String, i32),
    /// A bond is at least this strong: `Bond("Edda Hollis", "Brant Hollis", 1)`.
    Bond(String, String, i32),
    /// It is this day or later, from 1: `Day(2)`.
    Day(u32),
    /// It is this part of a day or of a journey: `Now(Morning)`. At home, `Morning` is the first
    /// round of a day and `Afternoon` every later one; `Hour` names a round.
    Now(Occasion),
    /// It is this round of talk of a day at home, from 1.
    Round(u32),
    /// It is the round of a day at home with this name: `Hour("after the soup")`.
    Hour(String),
    /// What an actor tried last in this round of talk ended like this: `Attempted("Bruno Kell",
    /// Failed)`.
    Attempted(String, AttemptEnd),
    /// A dungeon, or `stay`, won a vote: `Voted("The Mill")`.
    Voted(String),
    /// A fight on a stage ended like this: `Fought("The Captain's Bench", Won)`.
    Fought(String, FightResult),
    /// An actor has fallen at least once.
    Fell(String),
    /// A scene was played: `Happened("the-shoe")`.
    Happened(String),
    /// An option of a scene was chosen: `Chose("the-log", "burn")`.
    Chose(String, String),
    /// An actor was told a fact by another, for the first time or again: `Told("Pell Gantry",
    /// "Brant Hollis", "the-lamp")`.
    Told(String, String, String),
    /// An actor has made another a promise that is not broken: `Promised("Jory Teasel", "Odile
    /// Marsh")`.
    Promised(String, String),
    /// An actor has made another a promise that is in a state: `Promise("Jory Teasel", "Odile
    /// Marsh", Kept)`.
    Promise(String, String, PromiseState),
    /// A goal of an actor, by number from 0, is in a state: `Goal("Brant Hollis", 0, Met)`.
    Goal(String, usize, GoalState),
    /// It holds in this percentage of stories, by the seed and the place in the file, from
    /// beginning to end: `Chance(50)`.
    Chance(u32),
    /// A mind has found that something is so: `Judged(claim: "Brant has told Odile what the
    /// tinderbox is for")`. It is asked once all other conditions leave it to this one.
    Judged {
        /// What must be so, as a sentence.
        #[serde(deserialize_with = "prose")]
        claim: String,
        /// Words of events that show it to a mind that can't read, with `…` for anything between
        /// them: `"Brant Hollis says to Odile Marsh…tinderbox"`. Without any it is a no to it.
        #[serde(default)]
        signs: Vec<String>,
    },
    /// All of them hold: `All([…])`.
    All(Vec<Self>),
    /// One of these holds: `Any([…])`.
    Any(Vec<Self>),
    /// It does not hold: `Not(…)`.
    Not(Box<Self>),
}

/// What is [judged](Condition::Judged): the claim and its signs.
pub type Claim<'a> = (&'a str, &'a [String]);

/// The entities that a name in a condition or an effect means.
pub fn entities_of(world: &World, name: &str) -> Vec<Entity> {
    if name == PARTY {
        party(world)
    } else {
        by_name(world, name).into_iter().collect()
    }
}

impl Condition {
    /// Whether it holds now. To be asked at meetings, when every place rests. `key` names what it
    /// belongs to: a chance is decided once for each seed and key.
    pub fn holds(&self, world: &World, key: &dyn Display) -> bool {
        let any = |who: &str, test: &dyn Fn(Entity) -> bool| {
            entities_of(world, who).into_iter().any(test)
        };
        let part_holds =
            |(number, part): (usize, &Self)| part.holds(world, &format_args!("{key}/{number}"));
        let history = world.resource::<History>();
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Knows(who, fact) => any(who, &|entity| {
                let is_common = world.resource::<FactBook>().get(fact);
                let knowledge = world.get::<Knowledge>(entity);
                is_common.is_some_and(|fact| fact.is_common())
                    || knowledge.is_some_and(|knowledge| knowledge.knows(fact))
            }),
            Self::Holds(who, item) => any(who, &|entity| {
                let belongings = world.get::<Belongings>(entity);
                let hidden = world.get::<Hidden>(entity);
                let is_hidden = hidden.is_some_and(|hidden| hidden.0.contains_key(item.as_str()));
                !is_hidden && belongings.is_some_and(|held| held.0.contains(item.as_str()))
            }),
            Self::At(who, place) => any(who, &|entity| {
                !is_dead(world, entity) && stage_of(world, entity) == by_name(world, place)
            }),
            Self::Together(names) => {
                let mut places = names.iter().map(|name| {
                    let mut entities = entities_of(world, name).into_iter();
                    let entity = entities.find(|entity| !is_dead(world, *entity))?;
                    stage_of(world, entity)
                });
                match places.next() {
                    Some(Some(first)) => places.all(|place| place == Some(first)),
                    Some(None) => false,
                    None => true,
                }
            }
            Self::Alive(who) => any(who, &|entity| !is_dead(world, entity)),
            Self::Quality(id, least) => world.resource::<Qualities>().value(id) >= *least,
            Self::Bond(from, to, least) => any(from, &|entity| {
                let bonds = world.get::<Bonds>(entity);
                bonds.map_or(0, |bonds| bonds.value(to)) >= *least
            }),
            Self::Day(day) => world.resource::<Today>().0 >= *day,
            Self::Now(occasion) => world.resource::<Occasion>() == occasion,
            Self::Round(round) => round_of(world) == *round,
            Self::Hour(name) => {
                let hour = world.resource::<RpgWorld>().0.hour(round_of(world));
                !hour.is_empty() && hour == name
            }
            Self::Attempted(who, end) => any(who, &|entity| {
                let stage = stage_of(world, entity);
                let talk = stage.and_then(|stage| world.get::<Talk>(stage));
                let name = world.get::<EntityName>(entity);
                let tried = name.zip(talk).and_then(|(name, talk)| talk.tried(&name.0));
                tried == Some(*end)
            }),
            Self::Voted(winner) => history.voted(winner),
            Self::Fought(stage, result) => history.fought(stage, *result),
            Self::Fell(who) => any(who, &|entity| {
                let name = world.get::<EntityName>(entity);
                name.is_some_and(|name| history.fallen.contains(&name.0))
            }),
            Self::Happened(scene) => history.times(scene) > 0,
            Self::Chose(scene, option) => history.chose(scene, option),
            Self::Told(from, to, fact) => any(to, &|entity| {
                let knowledge = world.get::<Knowledge>(entity);
                let known = knowledge.and_then(|knowledge| knowledge.get(fact));
                let tellers = entities_of(world, from);
                known.is_some_and(|known| {
                    let mut told_by = known.told_by();
                    told_by.any(|name| by_name(world, name).is_some_and(|it| tellers.contains(&it)))
                })
            }),
            Self::Promised(from, to) => any(from, &|entity| {
                let states = promises(world, entity, to);
                states.contains(&PromiseState::Open) || states.contains(&PromiseState::Kept)
            }),
            Self::Promise(from, to, state) => {
                any(from, &|entity| promises(world, entity, to).contains(state))
            }
            Self::Goal(who, number, state) => any(who, &|entity| {
                let goals = world.get::<Goals>(entity);
                goals.is_some_and(|goals| goals.0.get(*number) == Some(state))
            }),
            Self::Chance(percent) => rolled(world, key) < *percent,
            Self::Judged { claim, .. } => world.resource::<Judgements>().holds(claim),
            Self::All(parts) => parts.iter().enumerate().all(part_holds),
            Self::Any(parts) => parts.iter().enumerate().any(part_holds),
            Self::Not(condition) => !condition.holds(world, key),
        }
    }

    pub(crate) fn is_always(&self) -> bool {
        *self == Self::Always
    }

    /// Whether it is about an occasion; how a fight ended that was not won is about the retreat.
    pub(super) fn names(&self, occasion: Occasion) -> bool {
        match self {
            Self::Now(named) => *named == occasion,
            Self::Fought(_, FightResult::Lost | FightResult::Drawn) => {
                occasion == Occasion::Retreat
            }
            _ => false,
        }
    }

    /// Whether it holds if nobody has judged yet what is [judged](Self::Judged) in it and was not
    /// found true: `None` if that depends on the judge. The claims on which it
    /// depends are added to `claims`.
    pub fn unjudged<'a>(
        &'a self,
        world: &World,
        key: &str,
        claims: &mut Vec<Claim<'a>>,
    ) -> Option<bool> {
        match self {
            Self::Judged { claim, signs } if !self.holds(world, &key) => {
                claims.push((claim, signs));
                None
            }
            Self::All(parts) => unjudged_parts(parts, world, key, claims, false),
            Self::Any(parts) => unjudged_parts(parts, world, key, claims, true),
            Self::Not(condition) => Some(!condition.unjudged(world, key, claims)?),
            _ => Some(self.holds(world, &key)),
        }
    }

    /// Whether anything in it is [judged](Self::Judged).
    pub fn is_judged(&self) -> bool {
        match self {
            Self::Judged { .. } => true,
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::is_judged),
            Self::Not(condition) => condition.is_judged(),
            _ => false,
        }
    }

    /// How many things it names: the more, the more specific is what it belongs to.
    pub fn specificity(&self) -> usize {
        match self {
            Self::Always | Self::Never => 0,
            Self::All(parts) => parts.iter().map(Self::specificity).sum(),
            Self::Any(parts) => {
                let least = parts.iter().map(Self::specificity).min();
                least.unwrap_or_default()
            }
            Self::Not(condition) => condition.specificity(),
            _ => 1,
        }
    }

    /// It and all conditions within it.
    pub fn parts(&self) -> Vec<&Self> {
        let mut parts = vec![self];
        match self {
            Self::All(within) | Self::Any(within) => {
                parts.extend(within.iter().flat_map(Self::parts));
            }
            Self::Not(condition) => parts.extend(condition.parts()),
            _ => {}
        }
        parts
    }
}

/// As [`Condition::unjudged`], for parts of which one that is `decisive` decides the whole.
fn unjudged_parts<'a>(
    parts: &'a [Condition],
    world: &World,
    key: &str,
    claims: &mut Vec<Claim<'a>>,
    decisive: bool,
) -> Option<bool> {
    let before = claims.len();
    let mut is_open = false;
    for (number, part) in parts.iter().enumerate() {
        match part.unjudged(world, &format!("{key}/{number}"), claims) {
            Some(held) if held == decisive => {
                claims.truncate(before);
                return Some(decisive);
            }
            Some(_) => {}
            None => is_open = true,
        }
    }
    (!is_open).then_some(!decisive)
}

fn by_name(world: &World, name: &str) -> Option<Entity> {
    world.resource::<CastList>().by_name(name)
}

/// The states of the promises of an actor to the one of this name.
fn promises(world: &World, from: Entity, to: &str) -> Vec<PromiseState> {
    let all = world
        .get::<Promises>(from)
        .map_or(&[][..], |promises| &promises.0);
    let promises = all.iter().filter(|promise| *promise.to == *to);
    promises.map(|promise| promise.state).collect()
}

/// A number from 0 to 99, the same for the same story and key.
fn rolled(world: &World, key: &dyn Display) -> u32 {
    let key = key.to_string();
    let seed = world.resource::<WorldSeed>();
    let [first, second, third, fourth, ..] = seed.mixed(&[b"chance", key.as_bytes()]);
    u32::from_be_bytes([first, second, third, fourth]) % 100
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drama::judgement::Finding;
    use playhouse_engine::cast::WorldTurn;

    fn judged(claim: &str) -> Condition {
        Condition::Judged {
            claim: claim.into(),
            signs: Vec::new(),
        }
    }

    /// A world in which `true` was found true.
    fn world() -> World {
        let mut world = World::new();
        let mut judgements = Judgements::default();
        judgements.found.insert("true".into(), Finding::default());
        world.insert_resource(judgements);
        world.init_resource::<History>();
        world.init_resource::<Today>();
        world
    }

    #[test]
    fn code_gates_before_anybody_is_asked() {
        use Condition::{All, Always, Any, Day, Never, Not};
        let world = world();
        let a = || judged("a");
        for (condition, expected, claims) in [
            (a(), None, vec!["a"]),
            (judged("true"), Some(true), vec![]),
            (Not(Box::new(a())), None, vec!["a"]),
            (Not(Box::new(judged("true"))), Some(false), vec![]),
            (All(vec![a(), Day(2)]), Some(false), vec![]),
            (All(vec![a(), Always, judged("b")]), None, vec!["a", "b"]),
            (Any(vec![a(), Always]), Some(true), vec![]),
            (Any(vec![Never, a()]), None, vec!["a"]),
            (
                Any(vec![All(vec![a(), Never]), judged("b")]),
                None,
                vec!["b"],
            ),
            (All(vec![]), Some(true), vec![]),
        ] {
            let mut found = Vec::new();
            let held = condition.unjudged(&world, "key", &mut found);
            let found: Vec<_> = found.into_iter().map(|(claim, _)| claim).collect();
            assert_eq!((held, found), (expected, claims), "{condition:?}");
        }
    }

    #[test]
    fn a_chance_is_decided_once_for_each_story_and_place_in_the_file() {
        let mut world = world();
        let mut held = Vec::new();
        for seed in 0..200 {
            world.insert_resource(WorldSeed(seed));
            world.insert_resource(WorldTurn(1));
            let chance = |world: &World, key: &str| Condition::Chance(50).holds(world, &key);
            let (here, there) = (chance(&world, "here"), chance(&world, "there"));
            for turn in 2..20 {
                world.insert_resource(WorldTurn(turn));
                assert_eq!(
                    chance(&world, "here"),
                    here,
                    "in turn {turn} of story {seed}"
                );
            }
            held.push((here, there));
        }
        let share = held.iter().filter(|(here, _)| *here).count();
        assert!((70..130).contains(&share), "{share} of 200");
        assert!(held.iter().any(|(here, there)| here != there));
    }

    #[test]
    fn what_nobody_has_judged_does_not_hold() {
        let world = world();
        assert!(!judged("a").holds(&world, &""));
        assert!(Condition::Not(Box::new(judged("a"))).holds(&world, &""));
        assert!(judged("true").holds(&world, &""));
    }
}
