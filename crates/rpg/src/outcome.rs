//! What became of a story: its ending, goals, choices and fights, and who learned what.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, EntityName, Kind};
use playhouse_engine::event::Phrasebook;
use playhouse_engine::knowledge::{FactBook, Knowledge};
use serde::Serialize;

use super::components::RpgWorld;
use crate::drama::{FightResult, GoalState, Goals, History, StoryData};
use crate::scenes::choose::label_of;

#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct StoryOutcome {
    /// The title of the ending that was reached.
    pub ending: Option<String>,
    /// All goals, character by character.
    pub goals: Vec<GoalOutcome>,
    /// The facts that characters learned.
    pub learned: Vec<FactOutcome>,
    /// What was decided, oldest first.
    pub choices: Vec<ChoiceOutcome>,
    /// The fights that were fought, oldest first.
    pub fights: Vec<FightOutcome>,
}

#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct GoalOutcome {
    pub who: String,
    /// The goal, as its owner puts it.
    pub words: String,
    pub state: GoalState,
}

#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct FactOutcome {
    pub fact: String,
    /// What it is about.
    pub title: String,
    pub who: Vec<String>,
}

/// An option that was chosen.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ChoiceOutcome {
    pub who: String,
    pub scene: String,
    pub option: String,
    pub label: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct FightOutcome {
    pub stage: String,
    /// From the party's point of view.
    pub result: FightResult,
}

impl StoryOutcome {
    /// What became of a campaign; `None` if this world is not a campaign.
    pub fn of(world: &World) -> Option<Self> {
        let file = &world.get_resource::<RpgWorld>()?.0;
        let story = world.get_resource::<StoryData>()?;
        let history = world.get_resource::<History>()?;
        let list = world.get_resource::<CastList>()?;
        let ending = history.ending.as_deref().and_then(|id| story.ending(id));
        let goals = file.actors.iter().flat_map(|actor| {
            let entity = list.by_name(&actor.name);
            let states = entity.and_then(|entity| world.get::<Goals>(entity));
            let states = states.into_iter().flat_map(|states| &states.0);
            actor.goals.iter().zip(states).map(|(goal, state)| {
                let (who, words) = (actor.name.clone(), goal.words.clone());
                let state = *state;
                GoalOutcome { who, words, state }
            })
        });
        let words = (world.get_resource::<Phrasebook>()?, story);
        let choices = history.choices.iter();
        let choices = choices.map(|(scene, option, who)| ChoiceOutcome {
            who: who.to_string(),
            scene: scene.to_string(),
            option: option.to_string(),
            label: label_of(words, scene, option),
        });
        let fights = history.fights.iter().map(|(stage, result)| FightOutcome {
            stage: stage.to_string(),
            result: *result,
        });
        Some(Self {
            ending: ending.map(|ending| ending.title.clone()),
            goals: goals.collect(),
            learned: learned(world, list),
            choices: choices.collect(),
            fights: fights.collect(),
        })
    }
}

/// The facts of the world file that characters did not know at the start.
fn learned(world: &World, list: &CastList) -> Vec<FactOutcome> {
    let is_actor = |entity| world.get::<Kind>(entity) == Some(&Kind::Actor);
    let characters = list.all().filter(|(_, entity)| is_actor(*entity));
    let minds = characters.filter_map(|(_, entity)| {
        let name = world.get::<EntityName>(entity)?.to_string();
        Some((name, world.get::<Knowledge>(entity)?))
    });
    let minds: Vec<_> = minds.collect();
    let book = world.get_resource::<FactBook>().into_iter();
    let learned = book.flat_map(FactBook::all).map(|fact| {
        let learned =
            |mind: &Knowledge| mind.get(&fact.id).is_some_and(|known| !known.by.is_empty());
        let who = minds.iter().filter(|(_, mind)| learned(mind));
        FactOutcome {
            fact: fact.id.clone(),
            title: fact.title.clone(),
            who: who.map(|(name, _)| name.clone()).collect(),
        }
    });
    learned.filter(|fact| !fact.who.is_empty()).collect()
}
