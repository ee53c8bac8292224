//! Reading a save into a world that has its plugins and no cast yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy_ecs::prelude::*;

use super::dto::{ArrivalDto, ChapterDto, ChaptersDto, ContextDto, EntityDto, Members, WorldDto};
use super::entry_runs::{self, RunDto};
use super::error::SaveError;
use super::json::parse;
use super::limits::{MAX_COUNTER, MAX_ENTRIES, MAX_ID};
use super::migrate::{self, MIGRATIONS, Migration};
use super::registry::SaveRegistry;
use super::snapshot::Meta;
use crate::cast::{
    CastList, Clock, Dead, EntityName, Kind, MeetingClock, OnStage, Place, StableId, WorldSeed,
    WorldTurn, check_name,
};
use crate::context::{AgentContext, Chapter, ChapterId, Chapters, HeldMessage};
use crate::event::EventTypes;
use crate::message::Body;

/// What a save must fit.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// The fingerprint of the data that it must be made from; any where absent, at the player's risk.
    pub data: Option<&'a str>,
    /// What brings older saves up to date.
    pub migrations: &'a [Migration],
}

impl Default for Expected<'_> {
    /// Any data, and the migrations that this program knows.
    fn default() -> Self {
        Self {
            data: None,
            migrations: MIGRATIONS,
        }
    }
}

impl<'a> Expected<'a> {
    /// A save of this data.
    pub fn of_data(data: &'a str) -> Self {
        Self {
            data: Some(data),
            ..Self::default()
        }
    }
}

/// Reads a save into a world that was set up like the one it was made from, but without a cast.
/// Returns what the save says about itself.
///
/// # Errors
/// Whatever does not fit, by its place in the save. The world may then hold a part of the save; throw
/// it away.
pub fn restore(world: &mut World, text: &[u8], expected: &Expected) -> Result<Meta, SaveError> {
    let present = world.get_resource_or_init::<CastList>().all().count();
    if present > 0 {
        return Err(SaveError::CastPresent(present));
    }
    match parse::<WorldDto>(text) {
        Ok(save) if migrate::needs_none(save.format) => fill(world, save, expected),
        // An older or newer save may fit by chance or not at all; its version decides.
        outcome => match migrate::migrated(text, expected.migrations)? {
            Some(text) => fill(world, parse(&text)?, expected),
            None => fill(world, outcome?, expected),
        },
    }
}

fn fill(world: &mut World, save: WorldDto, expected: &Expected) -> Result<Meta, SaveError> {
    check_data(&save, expected)?;
    check_counter("turn", save.turn)?;
    check_entities(&save)?;
    check_events(world, &save)?;
    check_entries(&save)?;
    let bodies = save.messages.with_openings(save.openings)?;
    let mut remembered = contexts_by_entity(&save.agents_context, &save.entities)?;
    let mut closed = chapters_by_entity(&save.chapters, &save.entities)?;
    world.insert_resource(WorldSeed(save.seed));
    world.insert_resource(save.language);
    world.insert_resource(WorldTurn(save.turn));
    world.insert_resource(MeetingClock(save.meeting));
    let registry = world.get_resource_or_init::<SaveRegistry>().clone();
    for (index, entity) in save.entities.iter().enumerate() {
        let name: Arc<str> = entity.name.as_ref().into();
        let context = match remembered.remove(&entity.id) {
            Some((at, context)) => Some(read_context(at, context, &name, &bodies)?),
            None => None,
        };
        let chapters = match closed.remove(&entity.id) {
            Some((at, chapters)) => read_chapters(at, chapters, &bodies)?,
            None => Chapters::default(),
        };
        enter(world, &registry, index, entity, name, context, chapters)?;
    }
    take_places(world, &save.arrivals)?;
    read_resources(world, &registry, &save.resources)?;
    world.resource_mut::<CastList>().resume_after(save.last_id);
    Ok(Meta {
        world: save.world.into_owned(),
        data: save.data.into_owned(),
    })
}

// --- checks ---

fn check_data(save: &WorldDto, expected: &Expected) -> Result<(), SaveError> {
    match expected.data {
        Some(data) if data != save.data => Err(SaveError::OtherData {
            saved: save.data.to_string(),
            expected: data.to_owned(),
        }),
        _ => Ok(()),
    }
}

fn check_counter(at: &str, number: u64) -> Result<(), SaveError> {
    if number > MAX_COUNTER {
        return Err(SaveError::too_large(at, number));
    }
    Ok(())
}

fn check_number(at: &str, number: u32) -> Result<(), SaveError> {
    if number > MAX_ID {
        return Err(SaveError::too_large(at, number.into()));
    }
    Ok(())
}

fn check_clock(at: &str, clock: &Clock) -> Result<(), SaveError> {
    check_counter(&format!("{at}.time"), clock.time)?;
    check_number(&format!("{at}.last_number"), clock.last_number)
}

fn check_entities(save: &WorldDto) -> Result<(), SaveError> {
    check_clock("meeting", &save.meeting)?;
    check_number("last_id", save.last_id)?;
    let mut names = BTreeSet::new();
    let mut before = 0;
    for (index, entity) in save.entities.iter().enumerate() {
        let at = |member: &str| format!("entities[{index}].{member}");
        let (id, name) = (entity.id, &entity.name);
        if id <= before {
            let problem = format!("{id} stands after {before}; numbers rise, from 1 on");
            return Err(SaveError::wrong(at("id"), problem));
        }
        before = id;
        if id > save.last_id {
            let problem = format!("{id} is above last_id, which is {}", save.last_id);
            return Err(SaveError::wrong(at("id"), problem));
        }
        if let Some(problem) = check_name(name) {
            return Err(SaveError::wrong(at("name"), problem));
        }
        if !names.insert(name.as_ref()) {
            let problem = format!("there is another '{name}' before this; names are unique");
            return Err(SaveError::wrong(at("name"), problem));
        }
        if let Some(clock) = &entity.clock {
            check_clock(&at("clock"), clock)?;
        }
    }
    Ok(())
}

fn check_events(world: &mut World, save: &WorldDto) -> Result<(), SaveError> {
    let types = world.get_resource_or_init::<EventTypes>();
    let unknown = save.messages.events.iter();
    let Some((event, message)) = unknown
        .filter(|(event, _)| !types.knows(event))
        .min_by_key(|(_, message)| **message)
    else {
        return Ok(());
    };
    let known: Vec<_> = types.names().collect();
    Err(SaveError::UnknownEvent {
        at: format!("messages[{message}].metadata.event"),
        event: event.clone(),
        entity: holder_of(save, *message).unwrap_or_default(),
        known: known.join(", "),
    })
}

/// The name of the first entity that remembers a body.
fn holder_of(save: &WorldDto, body: u32) -> Option<String> {
    let holds = |runs: &[RunDto]| runs.iter().any(|run| run.holds(body));
    let mut contexts = save.agents_context.iter();
    let in_context = contexts.find(|context| holds(&context.messages));
    let in_chapter = || {
        let mut chapters = save.chapters.iter();
        chapters.find(|chapters| {
            let mut closed = chapters.closed.iter();
            closed.any(|chapter| {
                chapter.summary == body || holds(&chapter.messages) || holds(&chapter.summing_up)
            })
        })
    };
    let id = match in_context {
        Some(context) => context.entity,
        None => in_chapter()?.entity,
    };
    let entity = save.entities.iter().find(|entity| entity.id == id)?;
    Some(entity.name.to_string())
}

/// Checks what contexts and chapters remember, all together.
fn check_entries(save: &WorldDto) -> Result<(), SaveError> {
    let bodies = save.messages.list.len();
    let mut entries = 0;
    let mut check = |at: String, runs: &[RunDto]| {
        entry_runs::check(&at, runs, bodies)?;
        entries += entry_runs::count(runs);
        if entries > MAX_ENTRIES {
            let problem = format!(
                "the lists up to here stand for {entries} messages; a save holds {MAX_ENTRIES}"
            );
            return Err(SaveError::wrong(at, problem));
        }
        Ok(())
    };
    for (index, context) in save.agents_context.iter().enumerate() {
        let at = format!("agents_context[{index}].messages");
        check(at, &context.messages)?;
    }
    for (index, chapters) in save.chapters.iter().enumerate() {
        for (number, closed) in chapters.closed.iter().enumerate() {
            let at = format!("chapters[{index}].closed[{number}]");
            check(format!("{at}.messages"), &closed.messages)?;
            check(format!("{at}.summing_up"), &closed.summing_up)?;
        }
    }
    Ok(())
}

// --- what was said ---

/// Sorts parts of a save by their entity, each with its index. An entity has at most one.
fn by_entity<'f, T>(
    list: &'f [T],
    what: &str,
    entity_of: impl Fn(&T) -> u32,
    entities: &[EntityDto],
) -> Result<BTreeMap<u32, (usize, &'f T)>, SaveError> {
    let mut sorted = BTreeMap::new();
    for (index, part) in list.iter().enumerate() {
        let id = entity_of(part);
        let at = || format!("{what}[{index}].entity");
        if entities.binary_search_by_key(&id, |save| save.id).is_err() {
            let problem = format!("there is no entity of number {id}");
            return Err(SaveError::wrong(at(), problem));
        }
        if sorted.insert(id, (index, part)).is_some() {
            let problem = format!("entity {id} stands here twice");
            return Err(SaveError::wrong(at(), problem));
        }
    }
    Ok(sorted)
}

fn contexts_by_entity<'f>(
    contexts: &'f [ContextDto],
    entities: &[EntityDto],
) -> Result<BTreeMap<u32, (usize, &'f ContextDto)>, SaveError> {
    by_entity(contexts, "agents_context", |save| save.entity, entities)
}

fn chapters_by_entity<'f, 'a>(
    chapters: &'f [ChaptersDto<'a>],
    entities: &[EntityDto],
) -> Result<BTreeMap<u32, (usize, &'f ChaptersDto<'a>)>, SaveError> {
    by_entity(chapters, "chapters", |save| save.entity, entities)
}

fn read_context(
    at: usize,
    save: &ContextDto,
    name: &Arc<str>,
    bodies: &[Body],
) -> Result<AgentContext, SaveError> {
    let at = format!("agents_context[{at}]");
    check_number(&format!("{at}.last_id"), save.last_id)?;
    let messages = entry_runs::messages(&save.messages, bodies);
    AgentContext::restore(name.clone(), messages, save.last_id, save.revisions)
        .map_err(|problem| SaveError::wrong(at, problem))
}

fn held(runs: &[RunDto], bodies: &[Body]) -> Vec<HeldMessage> {
    let messages = entry_runs::messages(runs, bodies);
    messages
        .map(|(id, message)| HeldMessage { id, message })
        .collect()
}

fn summary_of(at: &str, index: u32, bodies: &[Body]) -> Result<Body, SaveError> {
    let body = bodies.get(index as usize).cloned();
    body.ok_or_else(|| {
        SaveError::out_of_range(format!("{at}.summary"), index, bodies.len(), "messages")
    })
}

fn read_chapters(at: usize, save: &ChaptersDto, bodies: &[Body]) -> Result<Chapters, SaveError> {
    let mut chapters = Chapters::default();
    for (index, closed) in save.closed.iter().enumerate() {
        let at = format!("chapters[{at}].closed[{index}]");
        let chapter = read_chapter(&at, closed, bodies)?;
        if chapters.get(&chapter.id).is_some() {
            let problem = format!("there is another chapter '{}' before this", chapter.id);
            return Err(SaveError::wrong(format!("{at}.id"), problem));
        }
        chapters.close(chapter);
    }
    Ok(chapters)
}

fn read_chapter(at: &str, save: &ChapterDto, bodies: &[Body]) -> Result<Chapter, SaveError> {
    Ok(Chapter {
        id: ChapterId(save.id.as_ref().into()),
        title: save.title.to_string(),
        turn: save.turn,
        messages: held(&save.messages, bodies),
        summing_up: held(&save.summing_up, bodies),
        summary: summary_of(at, save.summary, bodies)?,
    })
}

// --- who is there ---

fn enter(
    world: &mut World,
    registry: &SaveRegistry,
    index: usize,
    save: &EntityDto,
    name: Arc<str>,
    context: Option<AgentContext>,
    chapters: Chapters,
) -> Result<(), SaveError> {
    let mut entity = world.spawn((StableId(save.id), EntityName(name), save.kind, chapters));
    if let Some(context) = context {
        entity.insert(context);
    }
    if let Some(clock) = save.clock {
        entity.insert(clock);
    }
    if save.place {
        entity.insert(Place);
    }
    if save.dead {
        entity.insert(Dead);
    }
    for (name, value) in &save.components.0 {
        let at = || format!("entities[{index}].components.{name}");
        let Some(io) = registry.components.get(name.as_ref()) else {
            let known = registry.components.keys().copied();
            return Err(unknown(at(), "component", known));
        };
        (io.read)(&mut entity, value).map_err(|problem| SaveError::wrong(at(), problem))?;
    }
    Ok(())
}

fn unknown(at: String, what: &str, known: impl Iterator<Item = &'static str>) -> SaveError {
    let known: Vec<_> = known.collect();
    let problem = format!(
        "no such {what} is registered; known are {}; load the save with the game that registers it",
        known.join(", ")
    );
    SaveError::wrong(at, problem)
}

/// Actors take their places in order of arrival.
fn take_places(world: &mut World, arrivals: &[ArrivalDto]) -> Result<(), SaveError> {
    let mut before = 0;
    for (index, arrival) in arrivals.iter().enumerate() {
        let at = format!("arrivals[{index}]");
        let stage = StableId(arrival.stage);
        let found = world.resource::<CastList>().by_id(stage);
        let stage = found.filter(|stage| world.get::<Kind>(*stage) == Some(&Kind::Stage));
        let Some(stage) = stage else {
            let problem = format!("there is no stage of number {}", arrival.stage);
            return Err(SaveError::wrong(format!("{at}.stage"), problem));
        };
        if arrival.stage <= before {
            let problem = "stages stand in rising order, each once";
            return Err(SaveError::wrong(format!("{at}.stage"), problem));
        }
        before = arrival.stage;
        for (place, actor) in arrival.actors.iter().enumerate() {
            let at = || format!("{at}.actors[{place}]");
            take_place(world, stage, *actor).map_err(|problem| SaveError::wrong(at(), problem))?;
        }
    }
    Ok(())
}

fn take_place(world: &mut World, stage: Entity, actor: u32) -> Result<(), String> {
    let found = world.resource::<CastList>().by_id(StableId(actor));
    let actor = found
        .filter(|found| *found != stage)
        .ok_or_else(|| format!("there is no actor of number {actor}"))?;
    if world.get::<OnStage>(actor).is_some() {
        return Err("the actor stands on a stage already; it stands on one at a time".into());
    }
    world.entity_mut(actor).insert(OnStage(stage));
    Ok(())
}

fn read_resources(
    world: &mut World,
    registry: &SaveRegistry,
    resources: &Members,
) -> Result<(), SaveError> {
    for (name, value) in &resources.0 {
        let at = || format!("resources.{name}");
        let Some(io) = registry.resources.get(name.as_ref()) else {
            let known = registry.resources.keys().copied();
            return Err(unknown(at(), "resource", known));
        };
        (io.read)(world, value).map_err(|problem| SaveError::wrong(at(), problem))?;
    }
    Ok(())
}
