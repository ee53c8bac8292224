//! What became of the world: a picture of everybody, taken while it rests between two steps.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::change_detection::Tick;
use bevy_ecs::prelude::*;
use playhouse_engine::cast::{
    Appearance, CastList, Dead, EntityName, Exits, Faction, Gone, Kind, OnStage, StableId,
};
use playhouse_engine::context::{AgentContext, Chapters};
use playhouse_engine::engine::StoryEnd;
use playhouse_engine::exchange::{Ledger, Spent};
use playhouse_engine::knowledge::{Fact, FactBook, Knowledge, Today};
use playhouse_engine::memory::AnswerWords;
use playhouse_engine::mind::MindAlias;

use super::picture::Pictures;

/// A value of the world that is copied only when it changed.
#[derive(Clone, Debug, Default)]
pub struct Cached<T> {
    changed: Option<Tick>,
    pub value: Arc<T>,
}

impl<T: Clone + Default> Cached<T> {
    fn new(changed: Option<Tick>, value: Option<&T>, last: Option<&Self>) -> Self {
        if let Some(last) = last
            && last.changed == changed
        {
            return last.clone();
        }
        Self {
            changed,
            value: Arc::new(value.cloned().unwrap_or_default()),
        }
    }
}

impl<T: Resource + Clone + Default> Cached<T> {
    fn of_resource(world: &World, last: &Self) -> Self {
        let changed = world.get_resource_change_ticks::<T>();
        let changed = changed.map(|ticks| ticks.changed);
        Self::new(changed, world.get_resource(), Some(last))
    }
}

impl<T: Component + Clone + Default> Cached<T> {
    fn of(entity: EntityRef<'_>, last: Option<&Self>) -> Self {
        let changed = entity.get_change_ticks::<T>().map(|ticks| ticks.changed);
        Self::new(changed, entity.get(), last)
    }
}

/// An entity that has a name.
pub struct Being {
    pub id: u32,
    pub name: Arc<str>,
    pub kind: Kind,
    pub faction: Option<Arc<str>>,
    pub place: Option<u32>,
    pub is_dead: bool,
    /// How it left the story.
    pub gone: Option<Gone>,
    /// The name of the model that it prefers.
    pub mind: Option<Arc<str>>,
    pub look: Option<Arc<str>>,
    /// The places that can be reached from it, if it is a stage.
    pub exits: Vec<u32>,
    pub spent: Spent,
    pub knowledge: Cached<Knowledge>,
    pub context: Cached<AgentContext>,
    pub chapters: Cached<Chapters>,
}

/// A picture of the world.
#[derive(Default)]
pub struct WorldState {
    pub day: u32,
    pub is_over: bool,
    /// In order of their numbers, with those who have left the story.
    pub beings: Vec<Being>,
    pub facts: Cached<FactBook>,
    pub words: Cached<AnswerWords>,
    /// By the id of an event, what it taught to whom.
    pub taught: Arc<BTreeMap<Arc<str>, Taught>>,
    pub games: Pictures,
}

/// The facts that an event taught, each with those who learned it.
pub type Taught = BTreeMap<Arc<str>, Vec<u32>>;

impl WorldState {
    /// A picture of the world. What has not changed since the last one is shared with it.
    pub fn of(world: &World, last: &Self) -> Self {
        let cast = world.resource::<CastList>().everybody();
        let beings: Vec<_> = cast
            .into_iter()
            .filter_map(|(id, entity)| {
                let entity = world.get_entity(entity).ok()?;
                Being::of(world, id, entity, last.being(id.0))
            })
            .collect();
        Self {
            day: world.get_resource::<Today>().map_or(0, |today| today.0),
            is_over: world.contains_resource::<StoryEnd>(),
            facts: Cached::of_resource(world, &last.facts),
            words: Cached::of_resource(world, &last.words),
            taught: taught(&beings, last),
            games: Pictures::of(world),
            beings,
        }
    }

    pub fn being(&self, id: u32) -> Option<&Being> {
        let found = self.beings.binary_search_by_key(&id, |being| being.id);
        self.beings.get(found.ok()?)
    }

    /// The entity of this name that is in the story, or that left it last.
    pub fn named(&self, name: &str) -> Option<&Being> {
        let named = self.beings.iter().filter(|being| *being.name == *name);
        named.max_by_key(|being| being.gone.is_none())
    }

    pub fn fact(&self, id: &str) -> Option<&Arc<Fact>> {
        self.facts.value.get(id)
    }
}

impl Being {
    fn of(world: &World, id: StableId, entity: EntityRef<'_>, last: Option<&Self>) -> Option<Self> {
        let stage = entity.get::<OnStage>();
        let place = stage.and_then(|stage| world.get::<StableId>(stage.0));
        let exits = entity.get::<Exits>().into_iter().flat_map(|exits| &exits.0);
        Some(Self {
            id: id.0,
            name: entity.get::<EntityName>()?.0.clone(),
            kind: *entity.get::<Kind>()?,
            faction: entity.get::<Faction>().map(|faction| faction.0.clone()),
            place: place.map(|place| place.0),
            is_dead: entity.contains::<Dead>(),
            gone: entity.get::<Gone>().copied(),
            mind: entity.get::<MindAlias>().map(|mind| mind.0.clone()),
            look: entity.get::<Appearance>().map(|look| look.0.clone()),
            exits: exits.map(|id| id.0).collect(),
            spent: entity
                .get::<Ledger>()
                .map(Ledger::total)
                .unwrap_or_default(),
            knowledge: Cached::of(entity, last.map(|last| &last.knowledge)),
            context: Cached::of(entity, last.map(|last| &last.context)),
            chapters: Cached::of(entity, last.map(|last| &last.chapters)),
        })
    }
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
