//! What readers of a story see of its campaign.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, StableId};
use playhouse_story::Picture;
use serde::Serialize;

use super::archive::budget;
use super::combat::Hand;
use super::components::{CurrentFight, Fighter, Health, RpgWorld, goals_of};
use super::doing::{doing, open_scene};
use super::drama::{
    Belongings, Bond, Bonds, GoalState, Hidden, History, Item, Promise, Promises, Qualities,
    Quality, Scene, StoryData,
};

/// What a campaign adds to the picture of its world.
#[derive(Debug, Default)]
pub struct CampaignPicture {
    pub items: Vec<ItemPicture>,
    pub qualities: Vec<QualityPicture>,
    pub scenes: Vec<ScenePicture>,
    /// The tokens of a prompt within which the past is archived.
    pub budget: Option<u64>,
}

/// What a campaign adds to the picture of an entity.
#[derive(Debug, Default)]
pub struct BeingPicture {
    pub health: Option<Health>,
    pub skills: Vec<Arc<str>>,
    pub hand: Hand,
    pub bonds: Vec<(Arc<str>, Bond)>,
    /// The words of each goal, and whether it was reached.
    pub goals: Vec<(String, GoalState)>,
    pub promises: Vec<Promise>,
    pub items: Vec<Arc<str>>,
    /// What is going on there, if it is a stage.
    pub doing: &'static str,
    /// The scene that is open there.
    pub scene: Option<Arc<str>>,
}

/// An item and where it is.
#[derive(Clone, Debug, Serialize)]
pub struct ItemPicture {
    pub name: String,
    pub look: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<u32>,
    pub hidden: bool,
}

/// A quality of the world and its value.
#[derive(Clone, Debug, Serialize)]
pub struct QualityPicture {
    #[serde(rename = "quality")]
    pub id: String,
    pub title: String,
    pub value: i32,
    pub max: i32,
    pub hidden: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct ScenePicture {
    #[serde(rename = "scene")]
    pub id: String,
    pub at: String,
    pub played: usize,
    /// What may be chosen after it: the ids with their labels.
    pub options: Vec<(String, String)>,
}

impl Picture for CampaignPicture {
    type Being = BeingPicture;

    fn of(world: &World) -> Self {
        let budget = world.get_resource::<RpgWorld>().map(budget);
        let Some(story) = world.get_resource::<StoryData>() else {
            return Self {
                budget,
                ..Self::default()
            };
        };
        Self {
            items: story
                .items
                .iter()
                .map(|item| item_of(world, item))
                .collect(),
            qualities: story
                .qualities
                .iter()
                .map(|quality| quality_of(world, quality))
                .collect(),
            scenes: story
                .scenes
                .iter()
                .map(|scene| scene_of(world, scene))
                .collect(),
            budget,
        }
    }

    fn being(world: &World, entity: EntityRef<'_>) -> BeingPicture {
        BeingPicture {
            health: entity.get::<Health>().copied(),
            skills: all(entity.get(), |fighter: &Fighter| fighter.skills.clone()),
            hand: entity.get::<Hand>().cloned().unwrap_or_default(),
            bonds: all(entity.get(), |bonds: &Bonds| {
                let bonds = bonds.0.iter();
                bonds.map(|(to, bond)| (to.clone(), bond.clone())).collect()
            }),
            goals: goals_of(world, entity),
            promises: all(entity.get(), |promises: &Promises| promises.0.clone()),
            items: all(entity.get(), |items: &Belongings| {
                items.0.iter().cloned().collect()
            }),
            doing: match entity.get::<CurrentFight>() {
                Some(fight) if fight.end.is_none() => "fight",
                _ => doing(entity),
            },
            scene: open_scene(entity),
        }
    }
}

fn item_of(world: &World, item: &Item) -> ItemPicture {
    let cast = || world.resource::<CastList>().all();
    let has = |items: &Belongings| items.0.contains(item.name.as_str());
    let holder = cast().find(|(_, entity)| world.get(*entity).is_some_and(has));
    let hides = |hidden: &Hidden| hidden.0.contains_key(item.name.as_str());
    ItemPicture {
        name: item.name.clone(),
        look: item.look.clone(),
        holder: holder.map(|(StableId(id), _)| id),
        hidden: cast().any(|(_, entity)| world.get(entity).is_some_and(hides)),
    }
}

fn quality_of(world: &World, quality: &Quality) -> QualityPicture {
    let values = world.get_resource::<Qualities>();
    QualityPicture {
        id: quality.id.clone(),
        title: quality.shown().to_owned(),
        value: values.map_or(0, |values| values.value(&quality.id)),
        max: quality.max,
        hidden: quality.hidden,
    }
}

fn scene_of(world: &World, scene: &Scene) -> ScenePicture {
    let history = world.get_resource::<History>();
    let options = scene.options().iter();
    ScenePicture {
        id: scene.id.clone(),
        at: scene.at.clone(),
        played: history.map_or(0, |history| history.times(&scene.id)),
        options: options
            .map(|option| (option.id.clone(), option.label.clone()))
            .collect(),
    }
}

fn all<C, T>(component: Option<&C>, of: impl FnOnce(&C) -> Vec<T>) -> Vec<T> {
    component.map(of).unwrap_or_default()
}
