//! What became of the world: a picture of everybody, taken while it rests between two steps.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::change_detection::Tick;
use bevy_ecs::prelude::*;
use playhouse_engine::cast::{
    Appearance, CastList, Dead, EntityName, Exits, Faction, Kind, OnStage, StableId,
};
use playhouse_engine::context::{AgentContext, Chapters};
use playhouse_engine::exchange::{Ledger, Spent};
use playhouse_engine::knowledge::{Fact, FactBook, Knowledge, Today};
use playhouse_engine::message::Digest;
use playhouse_engine::mind::MindAlias;
use playhouse_rpg::components::{CurrentFight, Fighter, Health, RpgWorld, goals_of};
use playhouse_rpg::drama::{
    Belongings, Bond, Bonds, GoalState, Hidden, History, Promise, Promises, Qualities, Scene,
    StoryData,
};
use playhouse_rpg::{Hand, HeldCard, budget, doing, open_scene};
use serde::Serialize;

/// A component that is copied only when it changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept<T> {
    changed: Option<Tick>,
    pub(super) value: Arc<T>,
}

impl<T: Component + Clone + Default> Kept<T> {
    fn of(entity: EntityRef<'_>, last: Option<&Self>) -> Self {
        let changed = entity.get_change_ticks::<T>().map(|ticks| ticks.changed);
        if let Some(last) = last
            && last.changed == changed
        {
            return last.clone();
        }
        let value = entity.get::<T>().cloned().unwrap_or_default();
        Self {
            changed,
            value: Arc::new(value),
        }
    }
}

/// Somebody or something that has a name.
#[derive(Clone, Debug)]
pub(super) struct Being {
    pub(super) id: u32,
    pub(super) name: Arc<str>,
    pub(super) kind: Kind,
    pub(super) faction: Option<Arc<str>>,
    pub(super) place: Option<u32>,
    pub(super) is_dead: bool,
    pub(super) health: Option<Health>,
    pub(super) mind: Option<Arc<str>>,
    pub(super) look: Option<Arc<str>>,
    pub(super) skills: Vec<Arc<str>>,
    /// The cards that it has drawn.
    pub(super) hand: Vec<HeldCard>,
    pub(super) bonds: Vec<(Arc<str>, Bond)>,
    /// The words of each goal, and whether it was reached.
    pub(super) goals: Vec<(String, GoalState)>,
    pub(super) promises: Vec<Promise>,
    pub(super) items: Vec<Arc<str>>,
    pub(super) exits: Vec<u32>,
    /// What is going on there, if it is a stage.
    pub(super) doing: &'static str,
    /// The scene that is open there.
    pub(super) scene: Option<Arc<str>>,
    pub(super) spent: Spent,
    pub(super) knowledge: Kept<Knowledge>,
    pub(super) context: Kept<AgentContext>,
    pub(super) chapters: Kept<Chapters>,
}

/// An item and where it is.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ItemState {
    pub(super) name: String,
    pub(super) look: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) holder: Option<u32>,
    pub(super) hidden: bool,
}

/// A quality of the world and its value.
#[derive(Clone, Debug, Serialize)]
pub(super) struct QualityState {
    #[serde(rename = "quality")]
    pub(super) id: String,
    pub(super) title: String,
    pub(super) value: i32,
    pub(super) max: i32,
    pub(super) hidden: bool,
}

/// A scene of the world file.
#[derive(Clone, Debug, Serialize)]
pub(super) struct SceneState {
    #[serde(rename = "scene")]
    pub(super) id: String,
    pub(super) at: String,
    /// How often it was played.
    pub(super) played: usize,
    /// What may be chosen after it: the ids with their labels.
    pub(super) options: Vec<(String, String)>,
}

/// A picture of the world.
#[derive(Clone, Debug, Default)]
pub(super) struct WorldState {
    pub(super) day: u32,
    /// In order of their numbers.
    pub(super) beings: Vec<Being>,
    pub(super) items: Vec<ItemState>,
    pub(super) qualities: Vec<QualityState>,
    pub(super) scenes: Vec<SceneState>,
    pub(super) facts: Vec<Arc<Fact>>,
    /// The tokens of a prompt within which the past is archived, in a campaign.
    pub(super) budget: Option<u64>,
    /// By the id of an event, what it taught to whom.
    pub(super) taught: Arc<BTreeMap<Arc<str>, Taught>>,
}

/// The facts that an event taught, each with those who learned it.
pub(super) type Taught = BTreeMap<Arc<str>, Vec<u32>>;

impl WorldState {
    /// A picture of the world. What has not changed since the last one is shared with it.
    pub(super) fn of(world: &World, last: &Self) -> Self {
        let cast = world.resource::<CastList>();
        let beings = cast.all().filter_map(|(id, entity)| {
            let entity = world.get_entity(entity).ok()?;
            Being::of(world, id, entity, last.being(id.0))
        });
        let beings: Vec<_> = beings.collect();
        let story = world.get_resource::<StoryData>();
        let items = story.map(|story| &story.items[..]).unwrap_or_default();
        let holder = |name: &str| {
            let has = |being: &&Being| being.items.iter().any(|item| **item == *name);
            beings.iter().find(has).map(|being| being.id)
        };
        let list = world.get_resource::<CastList>();
        let hidden = list.into_iter().flat_map(CastList::all);
        let hidden = hidden.filter_map(|(_, entity)| world.get::<Hidden>(entity));
        let hidden: Vec<_> = hidden.collect();
        let is_hidden = |item: &str| hidden.iter().any(|hidden| hidden.0.contains_key(item));
        let items = items.iter().map(|item| ItemState {
            name: item.name.clone(),
            look: item.look.clone(),
            holder: holder(&item.name),
            hidden: is_hidden(&item.name),
        });
        let items = items.collect();
        let values = world.get_resource::<Qualities>();
        let qualities = story.map(|story| &story.qualities[..]).unwrap_or_default();
        let qualities = qualities.iter().map(|quality| QualityState {
            id: quality.id.clone(),
            title: quality.shown().to_owned(),
            value: values.map_or(0, |values| values.value(&quality.id)),
            max: quality.max,
            hidden: quality.hidden,
        });
        let qualities = qualities.collect();
        let history = world.get_resource::<History>();
        let scenes = story.map(|story| &story.scenes[..]).unwrap_or_default();
        let scenes = scenes.iter().map(|scene| SceneState {
            id: scene.id.clone(),
            at: scene.at.clone(),
            played: history.map_or(0, |history| history.times(&scene.id)),
            options: options_of(scene),
        });
        let scenes = scenes.collect();
        let facts = world.get_resource::<FactBook>();
        let facts = facts.map(|book| book.all().cloned().collect());
        Self {
            day: world.get_resource::<Today>().map_or(0, |today| today.0),
            budget: world.get_resource::<RpgWorld>().map(budget),
            taught: taught(&beings, last),
            items,
            qualities,
            scenes,
            facts: facts.unwrap_or_default(),
            beings,
        }
    }

    /// The entity of this number.
    pub(super) fn being(&self, id: u32) -> Option<&Being> {
        let found = self.beings.binary_search_by_key(&id, |being| being.id);
        self.beings.get(found.ok()?)
    }

    /// The entity of this name.
    pub(super) fn named(&self, name: &str) -> Option<&Being> {
        self.beings.iter().find(|being| *being.name == *name)
    }

    /// The fact of this id.
    pub(super) fn fact(&self, id: &str) -> Option<&Arc<Fact>> {
        self.facts.iter().find(|fact| fact.id == id)
    }
}

impl Being {
    fn of(world: &World, id: StableId, entity: EntityRef<'_>, last: Option<&Self>) -> Option<Self> {
        let name = entity.get::<EntityName>()?.0.clone();
        let stage = entity.get::<OnStage>();
        let place = stage.and_then(|stage| world.get::<StableId>(stage.0));
        let goals = goals_of(world, entity);
        Some(Self {
            id: id.0,
            kind: *entity.get::<Kind>()?,
            faction: entity.get::<Faction>().map(|faction| faction.0.clone()),
            place: place.map(|place| place.0),
            is_dead: entity.contains::<Dead>(),
            health: entity.get::<Health>().copied(),
            mind: entity.get::<MindAlias>().map(|mind| mind.0.clone()),
            look: entity.get::<Appearance>().map(|look| look.0.clone()),
            skills: all(entity.get::<Fighter>(), |fighter| fighter.skills.clone()),
            hand: all(entity.get::<Hand>(), |hand| hand.cards.clone()),
            bonds: all(entity.get::<Bonds>(), |bonds| {
                let bonds = bonds.0.iter();
                bonds.map(|(to, bond)| (to.clone(), bond.clone())).collect()
            }),
            goals,
            promises: all(entity.get::<Promises>(), |promises| promises.0.clone()),
            items: all(entity.get::<Belongings>(), |items| {
                items.0.iter().cloned().collect()
            }),
            exits: all(entity.get::<Exits>(), |exits| {
                exits.0.iter().map(|id| id.0).collect()
            }),
            doing: match entity.get::<CurrentFight>() {
                Some(fight) if fight.end.is_none() => "fight",
                _ => doing(entity),
            },
            scene: open_scene(entity),
            spent: entity
                .get::<Ledger>()
                .map(Ledger::total)
                .unwrap_or_default(),
            knowledge: Kept::of(entity, last.map(|last| &last.knowledge)),
            context: Kept::of(entity, last.map(|last| &last.context)),
            chapters: Kept::of(entity, last.map(|last| &last.chapters)),
            name,
        })
    }
}

/// What may be chosen after a scene.
fn options_of(scene: &Scene) -> Vec<(String, String)> {
    let options = scene.choice.iter().flat_map(|choice| &choice.options);
    let options = options.map(|option| (option.id.clone(), option.label.clone()));
    options.collect()
}

/// The hue of a name, 0 to 359.
pub(super) fn hue(name: &str) -> u16 {
    let digest = Digest::of(name.as_bytes());
    u16::from_le_bytes([digest.0[0], digest.0[1]]) % 360
}

/// What events taught, by what everybody knows.
fn taught(beings: &[Being], last: &WorldState) -> Arc<BTreeMap<Arc<str>, Taught>> {
    let known = beings.iter().map(|being| &being.knowledge.value);
    let before = last.beings.iter().map(|being| &being.knowledge.value);
    if beings.len() == last.beings.len() && known.zip(before).all(|(a, b)| Arc::ptr_eq(a, b)) {
        return last.taught.clone();
    }
    let mut taught = BTreeMap::<_, Taught>::new();
    for being in beings {
        for (fact, known) in being.knowledge.value.all() {
            if !known.event.is_empty() {
                let by_event = taught.entry(known.event.clone()).or_default();
                by_event.entry(fact.clone()).or_default().push(being.id);
            }
        }
    }
    Arc::new(taught)
}

fn all<C, T>(component: Option<&C>, of: impl FnOnce(&C) -> Vec<T>) -> Vec<T> {
    component.map(of).unwrap_or_default()
}
