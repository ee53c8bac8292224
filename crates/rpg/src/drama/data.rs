//! What a world file says about items, bonds, qualities and goals.

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::held::Held;
use playhouse_engine::world_data::prose;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::condition::Condition;
use super::quality::Quality;
use super::scene::{Choice, ChoiceOption, Effect, Ending, Scene};
use super::state::{GoalState, Goals};

/// A thing that an actor holds, or that lies somewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Item {
    /// Its unique name.
    pub name: String,
    /// What texts call it besides its name: `刀` for `刻刀`. A rehearsal looks for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub called: Vec<String>,
    /// What it looks like.
    #[serde(deserialize_with = "prose")]
    pub look: String,
    /// Who holds it at the start, or on which stage it lies; nowhere yet if empty.
    pub at: String,
    /// Whether it lies hidden where it is at the start, if that is a stage, until it is found.
    pub hidden: bool,
    /// What is seen if whoever has it destroys it; nobody can if this is empty.
    #[serde(deserialize_with = "prose", skip_serializing_if = "String::is_empty")]
    pub destroyed: String,
    /// The ids of the facts that reading it teaches.
    pub teaches: Vec<String>,
    /// What it can be used for.
    pub uses: Vec<ItemUse>,
}

/// A use of an item by its holder, or by those on the stage where it lies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ItemUse {
    /// With whom or what, which has to be there: a character, the stage or another item; empty
    /// for none.
    pub with: String,
    /// When it can be used so.
    pub when: Condition,
    /// What everybody there sees of it.
    #[serde(deserialize_with = "prose")]
    pub seen: String,
    /// What it changes.
    pub effects: Vec<Effect>,
    /// Whether it can be used more than once.
    pub again: bool,
}

/// A bond from one character to another at the start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BondSpec {
    /// Whose feelings.
    pub from: String,
    /// For whom.
    pub to: String,
    /// What the other is to it, such as `grandson`.
    pub word: String,
    /// How it addresses the other, such as `Papa`; as everybody does if empty.
    pub called: String,
    /// From -3, hatred, to 3, love.
    pub value: i32,
    /// Whether it has never met the other, although both live at home: it knows the other by name
    /// alone, and sees it for the first time when they are at one place.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub never_met: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Goal {
    /// The goal, as the character would put it.
    pub words: String,
    /// When it is met.
    pub met: Condition,
    /// When it can't be met any more.
    pub lost: Condition,
    /// What the character says of it in the end, if it was met and if it was lost; may be empty.
    pub met_words: String,
    /// If it was lost.
    pub lost_words: String,
}

impl Goals {
    /// Those of these goals, in the order of the world file, that are neither met nor lost.
    pub fn open<'g>(&self, goals: &'g [Goal]) -> impl Iterator<Item = &'g Goal> {
        let states = goals.iter().zip(&self.0);
        let open = states.filter(|(_, state)| **state == GoalState::Open);
        open.map(|(goal, _)| goal)
    }
}

impl Default for Goal {
    fn default() -> Self {
        Self {
            words: String::new(),
            met: Condition::Never,
            lost: Condition::Never,
            met_words: String::new(),
            lost_words: String::new(),
        }
    }
}

/// The drama of a world file. Data, not state: it is not saved, and equal worlds share it.
#[derive(Resource, Clone, Debug, Default)]
pub struct StoryData(Arc<Drama>);

static HELD: Held<Drama> = Held::new();

impl From<Drama> for StoryData {
    fn from(drama: Drama) -> Self {
        Self(HELD.once(drama))
    }
}

impl Deref for StoryData {
    type Target = Drama;

    fn deref(&self) -> &Drama {
        &self.0
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drama {
    pub items: Vec<Item>,
    pub qualities: Vec<Quality>,
    pub scenes: Vec<Scene>,
    /// All endings; the last one always holds.
    pub endings: Vec<Ending>,
    /// The names of the items that an option or an ending is about.
    pub needed_items: BTreeSet<String>,
}

impl Drama {
    pub fn item(&self, name: &str) -> Option<&Item> {
        self.items.iter().find(|item| item.name == name)
    }

    pub fn quality(&self, id: &str) -> Option<&Quality> {
        self.qualities.iter().find(|quality| quality.id == id)
    }

    pub fn scene(&self, id: &str) -> Option<&Scene> {
        self.scenes.iter().find(|scene| scene.id == id)
    }

    /// A choice of a scene, by number from 0.
    pub fn choice(&self, scene: &str, number: usize) -> Option<&Choice> {
        self.scene(scene)?.choices().nth(number)
    }

    pub fn option(&self, scene: &str, option: &str) -> Option<&ChoiceOption> {
        let mut options = self.scene(scene)?.options();
        options.find(|offered| offered.id == option)
    }

    pub fn ending(&self, id: &str) -> Option<&Ending> {
        self.endings.iter().find(|ending| ending.id == id)
    }
}

/// All effects of scenes, of their options, and of uses of items, without their conditions.
pub(crate) fn effects_of<'a>(
    scenes: &'a [Scene],
    items: &'a [Item],
) -> impl Iterator<Item = &'a Effect> {
    let chosen = |scene: &'a Scene| scene.options().flat_map(|option| &option.effects);
    let of_scenes = scenes
        .iter()
        .flat_map(move |scene| chosen(scene).chain(&scene.effects));
    let uses = items.iter().flat_map(|item| &item.uses);
    let all = of_scenes.chain(uses.flat_map(|does| &does.effects));
    all.map(Effect::bare)
}
