//! Reading a save into a world that has its plugins and no cast yet.

use std::collections::BTreeSet;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use indexmap::IndexSet;

use super::bodies::once;
use super::dto::{ArrivalDto, ChapterDto, ChaptersDto, ContextDto, EntityDto, Members, WorldDto};
use super::entries::{EntryDto, messages};
use super::error::SaveError;
use super::head::check_version;
use super::json;
use super::limits::{FORMAT, MAX_COUNTER, MAX_ID};
use super::registry::SaveRegistry;
use super::snapshot::Meta;
use crate::cast::{
    CastList, Clock, Dead, EntityName, Kind, MeetingClock, OnStage, Place, StableId, WorldSeed,
    WorldTurn, check_name,
};
use crate::context::{AgentContext, Chapter, ChapterId, Chapters};
use crate::event::EventTypes;
use crate::locale::{Argument, UiText, text};
use crate::message::Body;

/// Reads a save into a world that was set up like the one it was made from, but without a cast. Its
/// data must have this fingerprint; with `None` they may be any, at the player's risk.
///
/// # Errors
/// The first problem and its place in the save. The world may then contain a part of the save, so
/// drop it.
pub fn restore(world: &mut World, text: &[u8], data: Option<&str>) -> Result<Meta, SaveError> {
    let present = world.get_resource_or_init::<CastList>().everybody().len();
    if present > 0 {
        return Err(SaveError::CastPresent(present));
    }
    let save = json::parse::<WorldDto>(text);
    // One of another version may be readable by chance.
    if !save.as_ref().is_ok_and(|save| save.format == FORMAT) {
        check_version(text)?;
    }
    fill(world, save?, data)
}

fn fill(world: &mut World, mut save: WorldDto, data: Option<&str>) -> Result<Meta, SaveError> {
    check_data(&save, data)?;
    check_counter("turn", save.turn)?;
    check_entities(&save)?;
    share_tags(&mut save);
    let prefixes = std::mem::take(&mut save.prefixes);
    let bodies = std::mem::take(&mut save.messages).after(prefixes)?;
    check_events(world, &bodies)?;
    world.insert_resource(WorldSeed(save.seed));
    world.insert_resource(save.language);
    world.insert_resource(WorldTurn(save.turn));
    world.insert_resource(MeetingClock(save.meeting));
    let registry = world.get_resource_or_init::<SaveRegistry>().clone();
    for (index, entity) in save.entities.iter().enumerate() {
        spawn(world, &registry, index, entity)?;
    }
    for (index, context) in save.agents_context.iter().enumerate() {
        let path = format!("agents_context[{index}]");
        read_context(world, &path, context, &bodies)?;
    }
    // Each is dropped once it is read: they are large.
    for (index, chapters) in std::mem::take(&mut save.chapters).into_iter().enumerate() {
        read_chapters(world, &format!("chapters[{index}]"), &chapters, &bodies)?;
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

/// Lets equal tags share their memory.
fn share_tags(save: &mut WorldDto) {
    let contexts = save.agents_context.iter_mut();
    let contexts = contexts.map(|context| &mut context.messages);
    let chapters = save.chapters.iter_mut().flat_map(|saved| &mut saved.closed);
    let chapters = chapters.map(|chapter| &mut chapter.messages);
    let mut known = IndexSet::new();
    for EntryDto(.., tags) in contexts.chain(chapters).flatten() {
        *tags = once(&mut known, tags.clone());
    }
}

// --- checks ---

fn check_data(save: &WorldDto, expected: Option<&str>) -> Result<(), SaveError> {
    match expected {
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
        if entity.gone.is_none() && !names.insert(name.as_ref()) {
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

fn check_events(world: &mut World, bodies: &[Body]) -> Result<(), SaveError> {
    let types = world.get_resource_or_init::<EventTypes>();
    let mut events = bodies.iter().map(Body::event_type).zip(0..);
    let unknown = events.find_map(|(event, body)| Some((event.filter(|e| !types.knows(e))?, body)));
    let Some((event, body)) = unknown else {
        return Ok(());
    };
    let known: Vec<_> = types.names().collect();
    Err(SaveError::UnknownEvent {
        location: format!("messages[{body}].metadata.event"),
        event: event.to_owned(),
        known: known.join(", "),
    })
}

// --- contexts ---

/// The entity to which a part of the save belongs. It must not have such a part yet.
fn owner<'w>(
    world: &'w mut World,
    path: &str,
    id: u32,
    has_one: impl Fn(&EntityWorldMut) -> bool,
) -> Result<EntityWorldMut<'w>, SaveError> {
    let wrong = |problem| SaveError::wrong(format!("{path}.entity"), problem);
    let found = world.resource::<CastList>().ever(StableId(id));
    let entity = found.ok_or_else(|| wrong(text!(save_no_such_entity, id)))?;
    let entity = world.entity_mut(entity);
    if has_one(&entity) {
        return Err(wrong(text!(save_entity_twice, id)));
    }
    Ok(entity)
}

fn read_context(
    world: &mut World,
    path: &str,
    context: &ContextDto,
    bodies: &[Body],
) -> Result<(), SaveError> {
    let has_one = |entity: &EntityWorldMut| entity.contains::<AgentContext>();
    let mut entity = owner(world, path, context.entity, has_one)?;
    check_number(&format!("{path}.last_id"), context.last_id)?;
    let messages = messages(&format!("{path}.messages"), &context.messages, bodies)?;
    let name = entity.get::<EntityName>().map(|name| name.0.clone());
    let (last_id, revisions) = (context.last_id, context.revisions);
    let restored = AgentContext::restore(name.unwrap_or_default(), messages, last_id, revisions);
    entity.insert(restored.map_err(|problem| SaveError::wrong(path, problem))?);
    Ok(())
}

fn read_chapters(
    world: &mut World,
    path: &str,
    saved: &ChaptersDto,
    bodies: &[Body],
) -> Result<(), SaveError> {
    let has_one = |entity: &EntityWorldMut| {
        let chapters = entity.get::<Chapters>();
        chapters.is_some_and(|chapters| *chapters != Chapters::default())
    };
    let mut entity = owner(world, path, saved.entity, has_one)?;
    let mut chapters = Chapters::default();
    let mut ids = BTreeSet::new();
    for (number, closed) in saved.closed.iter().enumerate() {
        let path = format!("{path}.closed[{number}]");
        let chapter = read_chapter(&path, closed, bodies)?;
        if !ids.insert(&closed.id) {
            let problem = text!(save_chapter_twice, id = &*chapter.id.0);
            return Err(SaveError::wrong(format!("{path}.id"), problem));
        }
        chapters.close(chapter);
    }
    for note in &saved.open_notes {
        chapters.restore_note(note.clone().into_owned());
    }
    entity.insert(chapters);
    Ok(())
}

fn read_chapter(path: &str, chapter: &ChapterDto, bodies: &[Body]) -> Result<Chapter, SaveError> {
    let (index, count) = (chapter.summary, bodies.len());
    let summary = bodies.get(index as usize).cloned().ok_or_else(|| {
        SaveError::out_of_range(format!("{path}.summary"), index, count, "messages")
    })?;
    Ok(Chapter {
        id: ChapterId(chapter.id.as_ref().into()),
        title: chapter.title.to_string(),
        turn: chapter.turn,
        messages: messages(&format!("{path}.messages"), &chapter.messages, bodies)?,
        summing_up: messages(&format!("{path}.summing_up"), &chapter.summing_up, bodies)?,
        summary,
        record: chapter.record.clone().map(std::borrow::Cow::into_owned),
    })
}

// --- the cast ---

fn spawn(
    world: &mut World,
    registry: &SaveRegistry,
    index: usize,
    dto: &EntityDto,
) -> Result<(), SaveError> {
    let name = EntityName(Arc::from(&*dto.name));
    let mut entity = world.spawn((dto.kind, Chapters::default()));
    if let Some(how) = dto.gone {
        entity.insert(how);
    }
    entity.insert((StableId(dto.id), name));
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
        let Some(io) = registry.components.get(name.as_str()) else {
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
        let Some(io) = registry.resources.get(name.as_str()) else {
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
