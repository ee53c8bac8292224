//! Reading a save into a world that has its plugins and no cast yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy_ecs::prelude::*;

use super::body_lines::cut_out;
use super::dto::{
    ArrivalDto, Bodies, ChapterDto, ChaptersDto, ContextDto, EntityDto, WorldDto, parse, text_of,
};
use super::entry_runs::{MOST_HELD, RunDto, check_runs, unrolled};
use super::{MIGRATIONS, Meta, Migration, SaveError, SaveRegistry, migrate};
use crate::cast::{
    CastList, Clock, Dead, EntityName, Kind, MeetingClock, OnStage, Place, StableId, WorldSeed,
    WorldTurn, check_name,
};
use crate::context::{AgentContext, Chapter, ChapterId, Chapters, HeldMessage};
use crate::event::EventTypes;
use crate::message::{Body, Text};

/// Counters above this are refused, so that a story can go on counting.
const LARGEST: u64 = 1 << 52;

/// The same for numbers of 32 bits.
pub(super) const LARGEST_NUMBER: u32 = u32::MAX / 2;

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
    if let Some((bodies, rest)) = cut_out(text_of(text)?)
        && let Ok(form) = serde_json::from_str::<WorldDto>(&rest)
        && migrate::needs_none(form.format)
    {
        let messages = bodies;
        return fill(world, WorldDto { messages, ..form }, expected);
    }
    match parse::<WorldDto>(text) {
        Ok(form) if migrate::needs_none(form.format) => fill(world, form, expected),
        // An older or newer save may fit by chance or not at all; its version decides.
        outcome => match migrate::migrated(text, expected.migrations)? {
            Some(text) => fill(world, parse(&text)?, expected),
            None => fill(world, outcome?, expected),
        },
    }
}

fn fill(world: &mut World, form: WorldDto, expected: &Expected) -> Result<Meta, SaveError> {
    check_data(&form, expected)?;
    check_counter("turn", form.turn)?;
    check_entities(&form)?;
    check_events(world, &form)?;
    check_held(&form)?;
    let bodies = with_openings(form.messages, form.openings)?;
    let mut remembered = contexts_by_entity(&form.agents_context, &form.entities)?;
    let mut closed = chapters_by_entity(&form.chapters, &form.entities)?;
    world.insert_resource(WorldSeed(form.seed));
    world.insert_resource(form.language);
    world.insert_resource(WorldTurn(form.turn));
    world.insert_resource(MeetingClock(form.meeting));
    let registry = world.get_resource_or_init::<SaveRegistry>().clone();
    for (index, entity) in form.entities.iter().enumerate() {
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
    take_places(world, &form.arrivals)?;
    read_resources(world, &registry, &form.resources.0)?;
    world.resource_mut::<CastList>().resume_after(form.last_id);
    Ok(Meta {
        world: form.world.into_owned(),
        data: form.data.into_owned(),
    })
}

// --- checks ---

fn check_data(form: &WorldDto, expected: &Expected) -> Result<(), SaveError> {
    match expected.data {
        Some(data) if data != form.data => Err(SaveError::OtherData {
            saved: form.data.to_string(),
            expected: data.to_owned(),
        }),
        _ => Ok(()),
    }
}

pub(super) fn too_large(at: &str, number: u64) -> SaveError {
    SaveError::wrong(at, format!("{number} is too large to count on from"))
}

fn check_counter(at: &str, number: u64) -> Result<(), SaveError> {
    match number > LARGEST {
        true => Err(too_large(at, number)),
        false => Ok(()),
    }
}

fn check_number(at: &str, number: u32) -> Result<(), SaveError> {
    match number > LARGEST_NUMBER {
        true => Err(too_large(at, number.into())),
        false => Ok(()),
    }
}

fn check_clock(at: &str, clock: &Clock) -> Result<(), SaveError> {
    check_counter(&format!("{at}.time"), clock.time)?;
    check_number(&format!("{at}.last_number"), clock.last_number)
}

fn check_entities(form: &WorldDto) -> Result<(), SaveError> {
    check_clock("meeting", &form.meeting)?;
    check_number("last_id", form.last_id)?;
    let mut names = BTreeSet::new();
    let mut before = 0;
    for (index, entity) in form.entities.iter().enumerate() {
        let at = |member: &str| format!("entities[{index}].{member}");
        let (id, name) = (entity.id, &entity.name);
        if id <= before {
            let problem = format!("{id} stands after {before}; numbers rise, from 1 on");
            return Err(SaveError::wrong(at("id"), problem));
        }
        before = id;
        if id > form.last_id {
            let problem = format!("{id} is above last_id, which is {}", form.last_id);
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

fn check_events(world: &mut World, form: &WorldDto) -> Result<(), SaveError> {
    let types = world.get_resource_or_init::<EventTypes>();
    let unknown = form.messages.events.iter();
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
        entity: holder_of(form, *message).unwrap_or_default(),
        known: known.join(", "),
    })
}

/// The name of the first entity that remembers a body.
fn holder_of(form: &WorldDto, body: u32) -> Option<String> {
    let holds = |runs: &[RunDto]| runs.iter().any(|run| run.holds(body));
    let mut contexts = form.agents_context.iter();
    let in_context = contexts.find(|context| holds(&context.messages));
    let in_chapter = || {
        let mut chapters = form.chapters.iter();
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
    let entity = form.entities.iter().find(|entity| entity.id == id)?;
    Some(entity.name.to_string())
}

/// What contexts and chapters hold, all together.
fn check_held(form: &WorldDto) -> Result<(), SaveError> {
    let bodies = form.messages.list.len();
    let mut held = 0;
    let mut check = |at: String, runs: &[RunDto]| {
        held += check_runs(&at, runs, bodies)?;
        match held > MOST_HELD {
            true => Err(SaveError::wrong(at, too_much(held))),
            false => Ok(()),
        }
    };
    for (index, context) in form.agents_context.iter().enumerate() {
        let at = format!("agents_context[{index}].messages");
        check(at, &context.messages)?;
    }
    for (index, chapters) in form.chapters.iter().enumerate() {
        for (number, closed) in chapters.closed.iter().enumerate() {
            let at = format!("chapters[{index}].closed[{number}]");
            check(format!("{at}.messages"), &closed.messages)?;
            check(format!("{at}.summing_up"), &closed.summing_up)?;
        }
    }
    Ok(())
}

fn too_much(held: u64) -> String {
    format!("the lists up to here stand for {held} messages; a save holds {MOST_HELD}")
}

// --- what was said ---

fn with_openings(bodies: Bodies, openings: Vec<Box<str>>) -> Result<Vec<Body>, SaveError> {
    let openings: Vec<_> = openings
        .into_iter()
        .map(|text| Arc::new(Text::from(text)))
        .collect();
    let mut list = bodies.list;
    for (index, shared_prefix) in bodies.opened {
        let known = openings.get(shared_prefix as usize).ok_or_else(|| {
            let at = format!("messages[{index}].opening");
            out_of_range(at, shared_prefix, openings.len(), "openings")
        })?;
        if let Some(body) = list.get_mut(index as usize) {
            let bare = std::mem::replace(body, Body::text(""));
            *body = bare.after(known.clone());
        }
    }
    Ok(list)
}

pub(super) fn out_of_range(at: String, index: u32, length: usize, what: &str) -> SaveError {
    SaveError::wrong(
        at,
        format!("{index} is out of range; there are {length} {what}"),
    )
}

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
        if entities.binary_search_by_key(&id, |form| form.id).is_err() {
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
    by_entity(contexts, "agents_context", |form| form.entity, entities)
}

fn chapters_by_entity<'f, 'a>(
    chapters: &'f [ChaptersDto<'a>],
    entities: &[EntityDto],
) -> Result<BTreeMap<u32, (usize, &'f ChaptersDto<'a>)>, SaveError> {
    by_entity(chapters, "chapters", |form| form.entity, entities)
}

fn read_context(
    at: usize,
    form: &ContextDto,
    name: &Arc<str>,
    bodies: &[Body],
) -> Result<AgentContext, SaveError> {
    let at = format!("agents_context[{at}]");
    check_number(&format!("{at}.last_id"), form.last_id)?;
    let messages = unrolled(&form.messages, bodies);
    AgentContext::restore(name.clone(), messages, form.last_id, form.revisions)
        .map_err(|problem| SaveError::wrong(at, problem))
}

fn held(runs: &[RunDto], bodies: &[Body]) -> Vec<HeldMessage> {
    let messages = unrolled(runs, bodies);
    messages
        .map(|(id, message)| HeldMessage { id, message })
        .collect()
}

fn summary_of(at: &str, index: u32, bodies: &[Body]) -> Result<Body, SaveError> {
    let body = bodies.get(index as usize).cloned();
    body.ok_or_else(|| out_of_range(format!("{at}.summary"), index, bodies.len(), "messages"))
}

fn read_chapters(at: usize, form: &ChaptersDto, bodies: &[Body]) -> Result<Chapters, SaveError> {
    let mut chapters = Chapters::default();
    for (index, closed) in form.closed.iter().enumerate() {
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

fn read_chapter(at: &str, form: &ChapterDto, bodies: &[Body]) -> Result<Chapter, SaveError> {
    Ok(Chapter {
        id: ChapterId(form.id.as_ref().into()),
        title: form.title.to_string(),
        turn: form.turn,
        messages: held(&form.messages, bodies),
        summing_up: held(&form.summing_up, bodies),
        summary: summary_of(at, form.summary, bodies)?,
    })
}

// --- who is there ---

fn enter(
    world: &mut World,
    registry: &SaveRegistry,
    index: usize,
    form: &EntityDto,
    name: Arc<str>,
    context: Option<AgentContext>,
    chapters: Chapters,
) -> Result<(), SaveError> {
    let mut entity = world.spawn((StableId(form.id), EntityName(name), form.kind, chapters));
    if let Some(context) = context {
        entity.insert(context);
    }
    if let Some(clock) = form.clock {
        entity.insert(clock);
    }
    if form.place {
        entity.insert(Place);
    }
    if form.dead {
        entity.insert(Dead);
    }
    for (name, value) in &form.components.0 {
        let at = || format!("entities[{index}].components.{name}");
        let Some(io) = registry.components.get(name.as_ref()) else {
            let known = registry.components.keys().copied();
            return Err(unknown(at(), "component", known));
        };
        (io.read)(&mut entity, value.clone()).map_err(|problem| SaveError::wrong(at(), problem))?;
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
    resources: &[(std::borrow::Cow<str>, serde_json::Value)],
) -> Result<(), SaveError> {
    for (name, value) in resources {
        let at = || format!("resources.{name}");
        let Some(io) = registry.resources.get(name.as_ref()) else {
            let known = registry.resources.keys().copied();
            return Err(unknown(at(), "resource", known));
        };
        (io.read)(world, value.clone()).map_err(|problem| SaveError::wrong(at(), problem))?;
    }
    Ok(())
}
