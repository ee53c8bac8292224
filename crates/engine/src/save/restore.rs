//! Reading a save into a world that has its plugins and no cast yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy_ecs::prelude::*;

use super::dto::{ArrivalDto, ChapterDto, ChaptersDto, ContextDto, EntityDto, Members, WorldDto};
use super::entry_runs::{self, RunDto};
use super::error::SaveError;
use super::json;
use super::limits::{FORMAT, MAX_COUNTER, MAX_ID};
use super::migrate::{self, MIGRATIONS, Migration};
use super::parts::Parts;
use super::registry::SaveRegistry;
use super::sizes::Sizes;
use super::snapshot::Meta;
use crate::cast::{
    CastList, Clock, Dead, EntityName, Kind, MeetingClock, OnStage, Place, StableId, WorldSeed,
    WorldTurn, check_name,
};
use crate::context::{AgentContext, Chapter, ChapterId, Chapters, StoredMessage};
use crate::event::EventTypes;
use crate::locale::{Argument, UiText, text};
use crate::message::Body;

/// What a save must match.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// The fingerprint of the data that it must be made from. `None` accepts any, at the player's
    /// risk.
    pub data: Option<&'a str>,
    /// The migrations for older saves.
    pub migrations: &'a [Migration],
}

impl Default for Expected<'_> {
    /// Any data, and the migrations of this program.
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
///
/// # Errors
/// The first problem and its place in the save. The world may then contain a part of the save, so
/// drop it.
pub fn restore(world: &mut World, text: &[u8], expected: &Expected) -> Result<Meta, SaveError> {
    let present = world.get_resource_or_init::<CastList>().all().count();
    if present > 0 {
        return Err(SaveError::CastPresent(present));
    }
    let checked = json::checked(text)?;
    let is_long = checked.len() >= json::LONG;
    let parts = if is_long { Parts::of(checked) } else { None };
    let save = match parts.as_ref().and_then(Parts::read) {
        Some(save) => Ok(save),
        None => json::parse_text::<WorldDto>(checked),
    };
    match save {
        Ok(save) if save.format == FORMAT => fill(world, save, expected),
        // A save of another version may be readable by chance or not at all, so check its version.
        outcome => match migrate::migrated(text, expected.migrations)? {
            Some(text) => fill(world, json::parse(&text)?, expected),
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
    let bodies = save.messages.with_prefixes(save.prefixes)?;
    check_sizes(&save.agents_context, &save.chapters, &bodies)?;
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
            Some((index, context)) => Some(read_context(index, context, &name, &bodies)?),
            None => None,
        };
        let chapters = match closed.remove(&entity.id) {
            Some((index, chapters)) => read_chapters(index, chapters, &bodies)?,
            None => Chapters::default(),
        };
        spawn(world, &registry, index, entity, name, context, chapters)?;
    }
    place_actors(world, &save.arrivals)?;
    read_resources(world, &registry, &save.resources)?;
    for run in &registry.after_load {
        run(world);
    }
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

fn check_counter(path: &str, number: u64) -> Result<(), SaveError> {
    if number > MAX_COUNTER {
        return Err(SaveError::too_large(path, number));
    }
    Ok(())
}

fn check_number(path: &str, number: u32) -> Result<(), SaveError> {
    if number > MAX_ID {
        return Err(SaveError::too_large(path, number.into()));
    }
    Ok(())
}

fn check_clock(path: &str, clock: &Clock) -> Result<(), SaveError> {
    check_counter(&format!("{path}.time"), clock.time)?;
    check_number(&format!("{path}.last_number"), clock.last_number)
}

fn check_entities(save: &WorldDto) -> Result<(), SaveError> {
    check_clock("meeting", &save.meeting)?;
    check_number("last_id", save.last_id)?;
    let mut names = BTreeSet::new();
    let mut before = 0;
    for (index, entity) in save.entities.iter().enumerate() {
        let path = |member: &str| format!("entities[{index}].{member}");
        let (id, name) = (entity.id, &entity.name);
        if id <= before {
            return Err(SaveError::wrong(
                path("id"),
                text!(save_id_order, id, before),
            ));
        }
        before = id;
        if id > save.last_id {
            let problem = text!(save_id_above_last, id, last = save.last_id);
            return Err(SaveError::wrong(path("id"), problem));
        }
        if let Some(problem) = check_name(name) {
            return Err(SaveError::wrong(path("name"), problem));
        }
        if !names.insert(name.as_ref()) {
            return Err(SaveError::wrong(
                path("name"),
                text!(save_name_twice, name = name.as_ref()),
            ));
        }
        if let Some(clock) = &entity.clock {
            check_clock(&path("clock"), clock)?;
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
        location: format!("messages[{message}].metadata.event"),
        event: event.clone(),
        entity: holder_of(save, *message).unwrap_or_default(),
        known: known.join(", "),
    })
}

/// The name of the first entity that remembers a body, if there is one.
fn holder_of(save: &WorldDto, body: u32) -> Option<String> {
    let contains = |runs: &[RunDto]| runs.iter().any(|run| run.contains(body));
    let mut contexts = save.agents_context.iter();
    let in_context = contexts.find(|context| contains(&context.messages));
    let in_chapter = || {
        let mut chapters = save.chapters.iter();
        chapters.find(|chapters| {
            let mut closed = chapters.closed.iter();
            closed.any(|chapter| {
                chapter.summary == body
                    || contains(&chapter.messages)
                    || contains(&chapter.summing_up)
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

/// Checks the entries of all contexts and chapters.
fn check_entries(save: &WorldDto) -> Result<(), SaveError> {
    let bodies = save.messages.list.len();
    lists(&save.agents_context, &save.chapters)
        .try_for_each(|(path, runs)| entry_runs::check(&path, runs, bodies))
}

/// Refuses contexts and chapters that hold too much.
fn check_sizes(
    contexts: &[ContextDto],
    chapters: &[ChaptersDto],
    bodies: &[Body],
) -> Result<(), SaveError> {
    let mut sizes = Sizes::of(bodies);
    lists(contexts, chapters).try_for_each(|(path, runs)| {
        let added = sizes.add(runs);
        added.map_err(|problem| SaveError::wrong(path, problem))
    })
}

/// The lists of entries of all contexts and chapters, each with its place.
fn lists<'f>(
    contexts: &'f [ContextDto],
    chapters: &'f [ChaptersDto],
) -> impl Iterator<Item = (String, &'f [RunDto])> {
    let contexts = contexts.iter().enumerate().map(|(index, context)| {
        let path = format!("agents_context[{index}].messages");
        (path, context.messages.as_slice())
    });
    let chapters = chapters.iter().enumerate().flat_map(|(index, chapters)| {
        let closed = chapters.closed.iter().enumerate();
        closed.flat_map(move |(number, closed)| {
            let path = format!("chapters[{index}].closed[{number}]");
            [
                (format!("{path}.messages"), closed.messages.as_slice()),
                (format!("{path}.summing_up"), closed.summing_up.as_slice()),
            ]
        })
    });
    contexts.chain(chapters)
}

// --- contexts ---

/// The parts of a list by their entity, each with its index. An entity has at most one.
fn by_entity<'f, T>(
    list: &'f [T],
    what: &str,
    entity_of: impl Fn(&T) -> u32,
    entities: &[EntityDto],
) -> Result<BTreeMap<u32, (usize, &'f T)>, SaveError> {
    let mut sorted = BTreeMap::new();
    for (index, part) in list.iter().enumerate() {
        let id = entity_of(part);
        let path = || format!("{what}[{index}].entity");
        if entities
            .binary_search_by_key(&id, |entity| entity.id)
            .is_err()
        {
            return Err(SaveError::wrong(path(), text!(save_no_such_entity, id)));
        }
        if sorted.insert(id, (index, part)).is_some() {
            return Err(SaveError::wrong(path(), text!(save_entity_twice, id)));
        }
    }
    Ok(sorted)
}

fn contexts_by_entity<'f>(
    contexts: &'f [ContextDto],
    entities: &[EntityDto],
) -> Result<BTreeMap<u32, (usize, &'f ContextDto)>, SaveError> {
    by_entity(contexts, "agents_context", |part| part.entity, entities)
}

fn chapters_by_entity<'f, 'a>(
    chapters: &'f [ChaptersDto<'a>],
    entities: &[EntityDto],
) -> Result<BTreeMap<u32, (usize, &'f ChaptersDto<'a>)>, SaveError> {
    by_entity(chapters, "chapters", |part| part.entity, entities)
}

fn read_context(
    index: usize,
    context: &ContextDto,
    name: &Arc<str>,
    bodies: &[Body],
) -> Result<AgentContext, SaveError> {
    let path = format!("agents_context[{index}]");
    check_number(&format!("{path}.last_id"), context.last_id)?;
    let messages = entry_runs::messages(&context.messages, bodies);
    AgentContext::restore(name.clone(), messages, context.last_id, context.revisions)
        .map_err(|problem| SaveError::wrong(path, problem))
}

fn messages(runs: &[RunDto], bodies: &[Body]) -> Vec<StoredMessage> {
    entry_runs::messages(runs, bodies)
        .map(|(id, message)| StoredMessage { id, message })
        .collect()
}

fn summary_of(path: &str, index: u32, bodies: &[Body]) -> Result<Body, SaveError> {
    let body = bodies.get(index as usize).cloned();
    body.ok_or_else(|| {
        SaveError::out_of_range(format!("{path}.summary"), index, bodies.len(), "messages")
    })
}

fn read_chapters(
    index: usize,
    chapters: &ChaptersDto,
    bodies: &[Body],
) -> Result<Chapters, SaveError> {
    let (closed, open) = (&chapters.closed, &chapters.open_notes);
    let mut chapters = Chapters::default();
    let mut ids = BTreeSet::new();
    for (number, closed) in closed.iter().enumerate() {
        let path = format!("chapters[{index}].closed[{number}]");
        let chapter = read_chapter(&path, closed, bodies)?;
        if !ids.insert(&closed.id) {
            let problem = text!(save_chapter_twice, id = &*chapter.id.0);
            return Err(SaveError::wrong(format!("{path}.id"), problem));
        }
        chapters.close(chapter);
    }
    for note in open {
        chapters.restore_note(note.clone().into_owned());
    }
    Ok(chapters)
}

fn read_chapter(path: &str, chapter: &ChapterDto, bodies: &[Body]) -> Result<Chapter, SaveError> {
    Ok(Chapter {
        id: ChapterId(chapter.id.as_ref().into()),
        title: chapter.title.to_string(),
        turn: chapter.turn,
        messages: messages(&chapter.messages, bodies),
        summing_up: messages(&chapter.summing_up, bodies),
        summary: summary_of(path, chapter.summary, bodies)?,
        record: chapter.record.clone().map(std::borrow::Cow::into_owned),
    })
}

// --- the cast ---

fn spawn(
    world: &mut World,
    registry: &SaveRegistry,
    index: usize,
    dto: &EntityDto,
    name: Arc<str>,
    context: Option<AgentContext>,
    chapters: Chapters,
) -> Result<(), SaveError> {
    let mut entity = world.spawn((StableId(dto.id), EntityName(name), dto.kind, chapters));
    if let Some(context) = context {
        entity.insert(context);
    }
    if let Some(clock) = dto.clock {
        entity.insert(clock);
    }
    if dto.place {
        entity.insert(Place);
    }
    if dto.dead {
        entity.insert(Dead);
    }
    for (name, value) in &dto.components.0 {
        let path = || format!("entities[{index}].components.{name}");
        let Some(io) = registry.components.get(name.as_ref()) else {
            let known = registry.components.keys().copied();
            let known = Argument::list(known);
            return Err(SaveError::wrong(
                path(),
                text!(save_unknown_component, known),
            ));
        };
        (io.read)(&mut entity, value)
            .map_err(|error| SaveError::unreadable_member(path(), &error))?;
    }
    Ok(())
}

/// Puts the actors on their stages in the order of their arrival.
fn place_actors(world: &mut World, arrivals: &[ArrivalDto]) -> Result<(), SaveError> {
    let mut before = 0;
    for (index, arrival) in arrivals.iter().enumerate() {
        let path = format!("arrivals[{index}]");
        let stage = StableId(arrival.stage);
        let found = world.resource::<CastList>().by_id(stage);
        let stage = found.filter(|stage| world.get::<Kind>(*stage) == Some(&Kind::Stage));
        let Some(stage) = stage else {
            let problem = text!(save_no_such_stage, id = arrival.stage);
            return Err(SaveError::wrong(format!("{path}.stage"), problem));
        };
        if arrival.stage <= before {
            let path = format!("{path}.stage");
            return Err(SaveError::wrong(path, text!(save_stage_order)));
        }
        before = arrival.stage;
        for (place, actor) in arrival.actors.iter().enumerate() {
            let path = || format!("{path}.actors[{place}]");
            place_actor(world, stage, *actor)
                .map_err(|problem| SaveError::wrong(path(), problem))?;
        }
    }
    Ok(())
}

fn place_actor(world: &mut World, stage: Entity, id: u32) -> Result<(), UiText> {
    let found = world.resource::<CastList>().by_id(StableId(id));
    let actor = found
        .filter(|found| *found != stage)
        .ok_or_else(|| text!(save_no_such_actor, id))?;
    if world.get::<OnStage>(actor).is_some() {
        return Err(text!(save_actor_on_stage));
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
        let path = || format!("resources.{name}");
        let Some(io) = registry.resources.get(name.as_ref()) else {
            let known = registry.resources.keys().copied();
            let known = Argument::list(known);
            return Err(SaveError::wrong(
                path(),
                text!(save_unknown_resource, known),
            ));
        };
        (io.read)(world, value).map_err(|error| SaveError::unreadable_member(path(), &error))?;
    }
    Ok(())
}
