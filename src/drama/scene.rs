//! Scenes, their choices, and endings.

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use super::condition::Condition;
use super::occasion::Occasion;
use super::state::History;
use crate::world_data::{one_or_more, prose};

/// A writer's unit of drama: where and when it opens, what is told at its beginning, how long
/// people talk, and at most one choice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scene {
    /// Unique among scenes.
    pub id: String,
    /// The stage on which it is played.
    pub at: String,
    /// When it may open.
    pub when: Condition,
    /// Whether it may be played again.
    pub again: bool,
    /// What everybody there is told at its beginning.
    #[serde(deserialize_with = "prose")]
    pub opening: String,
    /// The maximum number of turns of talk; `None` for as many as in any talk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// What must be decided after the talk.
    pub choice: Option<Choice>,
    /// What changes after it, whatever was decided.
    pub effects: Vec<Effect>,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            id: String::new(),
            at: String::new(),
            when: Condition::Always,
            again: false,
            opening: String::new(),
            turns: None,
            choice: None,
            effects: Vec::new(),
        }
    }
}

/// A decision that a scene leads to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Choice {
    /// Who decides: one name, or several, of which the first who is there and alive does. If nobody
    /// is, nothing is decided.
    #[serde(deserialize_with = "one_or_more")]
    pub who: Vec<String>,
    /// The question.
    #[serde(deserialize_with = "prose")]
    pub question: String,
    /// What may be chosen.
    pub options: Vec<ChoiceOption>,
}

/// One option of a choice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChoiceOption {
    /// Unique in its scene.
    pub id: String,
    /// What one does, as whoever decides reads it.
    pub label: String,
    /// When it is offered.
    pub when: Condition,
    /// What the others there see.
    #[serde(deserialize_with = "prose")]
    pub seen: String,
    /// What it changes.
    pub effects: Vec<Effect>,
}

/// What a choice changes. One that can't apply, because an item is gone or somebody dead, is
/// skipped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Effect {
    /// Somebody learns a fact: `Teach("Odile Marsh", "the-order")`; `party` teaches every hero.
    Teach(String, String),
    /// Somebody tells somebody a fact: `Tells("Pell Gantry", "Brant Hollis", "the-lamp")`.
    Tells(String, String, String),
    /// Everybody at the place of the scene learns a fact.
    Reveal(String),
    /// Somebody gets an item: `Give("the log", "Odile Marsh")`.
    Give(String, String),
    /// An item is put on a stage: `Put("the log", "The Lamp and Ledger")`.
    Put(String, String),
    /// An item is gone for good.
    Destroy(String),
    /// A quality changes: `Add("lamp", 1)`.
    Add(String, i32),
    /// A bond changes: `Bond("Odile Marsh", "Brant Hollis", -2)`.
    Bond(String, String, i32),
    /// Somebody makes a promise: `Promise("Jory Teasel", "Odile Marsh", "I'll hang it back.")`.
    Promise(String, String, String),
    /// Somebody breaks its promises to somebody.
    Break(String, String),
    /// Somebody keeps its promises to somebody.
    Keep(String, String),
    /// Somebody goes to another stage.
    Move(String, String),
    /// Somebody loses hit points, all but the last.
    Hurt(String, i32),
    /// Somebody gets hit points back.
    Heal(String, i32),
    /// Somebody is wounded for so many days: `Wound("Jory Teasel", 2)`.
    Wound(String, u32),
    /// Somebody dies.
    Kill(String),
    /// Somebody comes back to life, at a stage.
    Revive(String, String),
    /// Somebody joins the party.
    Join(String),
    /// Somebody leaves the party.
    Leave(String),
    /// A way opens between two stages.
    OpenWay(String, String),
    /// A way between two stages closes.
    CloseWay(String, String),
    /// The party will not go to a dungeon any more.
    CloseDungeon(String),
    /// Everybody at the place of the scene is told something.
    Tell(String),
    /// Everybody in the world is told something.
    Announce(String),
    /// The story ends now, with this ending.
    End(String),
}

/// Whether a scene with this condition opens on an occasion: those of a day at home and of a camp
/// are meant unless another is named, since only what names an occasion was written for it.
fn suits(occasion: Occasion, when: &Condition) -> bool {
    match occasion {
        Occasion::Morning | Occasion::Afternoon | Occasion::Camp => true,
        Occasion::Travel | Occasion::Retreat | Occasion::Return => {
            when.parts().iter().any(|part| part.names(occasion))
        }
    }
}

/// How a story may end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ending {
    /// Unique among endings.
    pub id: String,
    /// Its title, the last words of the story.
    pub title: String,
    /// When it holds. The last ending always does.
    pub when: Condition,
    /// Whether it ends the story as soon as it holds. Otherwise it is looked at when the course is
    /// over.
    pub early: bool,
    /// What the world agents are told to tell at the end.
    #[serde(deserialize_with = "prose")]
    pub closing: String,
}

/// The scene that opens on a stage now: the most specific, then the least often played, then the
/// first in the file.
pub fn next_scene<'a>(world: &World, scenes: &'a [Scene], stage: &str) -> Option<&'a Scene> {
    let history = world.resource::<History>();
    let occasion = *world.resource::<Occasion>();
    let may_open = |scene: &&Scene| {
        scene.at == stage
            && suits(occasion, &scene.when)
            && (scene.again || history.times(&scene.id) == 0)
            && scene.when.holds(world, &scene.id)
    };
    let open = scenes
        .iter()
        .enumerate()
        .filter(|(_, scene)| may_open(scene));
    let best = open.min_by_key(|(number, scene)| {
        let specificity = std::cmp::Reverse(scene.when.specificity());
        (specificity, history.times(&scene.id), *number)
    });
    best.map(|(_, scene)| scene)
}
