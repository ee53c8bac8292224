//! Writing a world that rests.

use bevy_ecs::prelude::*;

use super::body_table::BodyTable;
use super::entry_runs::{MOST_HELD, RunWriter};
use super::json_writer::JsonWriter;
use super::{FORMAT, SaveError, SaveRegistry};
use crate::cast::{
    CastList, Clock, Dead, EntityName, Kind, MeetingClock, Occupants, Place, StableId, WorldSeed,
    WorldTurn,
};
use crate::context::{AgentContext, Chapter, Chapters, HeldMessage};
use crate::event::{DeferredCommands, EventQueue};
use crate::exchange::{OpenAsks, UntakenAnswers};
use crate::message::{Language, Tags};

/// What a save says about the world it was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    /// The world's name, for people.
    pub world: String,
    /// The fingerprint of the world's data.
    pub data: String,
}

/// Writes a world as `world.json`. Equal worlds give equal bytes.
///
/// # Errors
/// The world does not rest, an entity is incomplete, a value is nested too deeply, or more is remembered than
/// a save holds.
pub fn snapshot(world: &World, meta: &Meta) -> Result<Vec<u8>, SaveError> {
    check_rest(world)?;
    let cast = cast_in_order(world)?;
    let mut json = JsonWriter::with_room(expected_size(&cast));
    json.push(b'{');
    write_head(world, meta, &mut json);
    write_resources(world, &mut json);
    write_entities(world, &cast, &mut json);
    write_arrivals(world, &cast, &mut json);
    let held = write_memories(&cast, &mut json);
    if held > MOST_HELD {
        return Err(SaveError::TooMuchHeld(held));
    }
    json.push(b'\n');
    json.push(b'}');
    json.push(b'\n');
    json.finish().map_err(SaveError::TooDeep)
}

/// One walk over all contexts and chapters writes what they hold, and the bodies that they point to.
/// Returns how many messages they hold.
fn write_memories(cast: &[Member], json: &mut JsonWriter) -> u64 {
    json.line_member("messages");
    json.push(b'[');
    let mut holders = JsonWriter::default();
    let mut bodies = BodyTable::new(json);
    let in_contexts = write_contexts(cast, &mut bodies, &mut holders);
    let in_chapters = write_chapters(cast, &mut bodies, &mut holders);
    let openings = bodies.into_openings();
    json.push(b']');
    json.line_member("openings");
    json.push(b'[');
    for shared_prefix in openings {
        json.line();
        json.string(shared_prefix);
    }
    json.push(b']');
    json.append(holders);
    in_contexts + in_chapters
}

fn check_rest(world: &World) -> Result<(), SaveError> {
    let open = world.get_resource::<OpenAsks>().map_or(0, OpenAsks::len);
    let told = world
        .get_resource::<EventQueue>()
        .map_or(0, |told| told.0.len());
    let untaken = world
        .get_resource::<UntakenAnswers>()
        .map_or(0, |untaken| untaken.0.len());
    let crossing = world
        .get_resource::<DeferredCommands>()
        .is_some_and(|later| !later.is_empty());
    let unrest = match (open, told, untaken, crossing) {
        (0, 0, 0, false) => return Ok(()),
        (0, 0, 0, true) => "something waits for the meeting".to_owned(),
        (0, 0, untaken, _) => format!("{untaken} answers are not taken"),
        (0, told, ..) => format!("{told} events are not delivered"),
        (open, ..) => format!("{open} asks are open"),
    };
    Err(SaveError::NotAtRest(unrest))
}

/// One entity of the story and what every such entity has.
struct Member<'w> {
    id: StableId,
    name: &'w EntityName,
    kind: Kind,
    entity: EntityRef<'w>,
}

fn cast_in_order(world: &World) -> Result<Vec<Member<'_>>, SaveError> {
    let everybody = world.get_resource::<CastList>().into_iter();
    let everybody = everybody.flat_map(|list| list.all());
    everybody
        .map(|(id, entity)| {
            let incomplete = |missing| SaveError::Incomplete { id: id.0, missing };
            let entity = world
                .get_entity(entity)
                .map_err(|_| incomplete("existence"))?;
            Ok(Member {
                id,
                name: entity.get().ok_or_else(|| incomplete("EntityName"))?,
                kind: *entity.get().ok_or_else(|| incomplete("Kind"))?,
                entity,
            })
        })
        .collect()
}

/// Room for a few lines of text a message, so that the snapshot is not moved while it grows. Room
/// that is not used costs nothing.
fn expected_size(cast: &[Member]) -> usize {
    let contexts = cast
        .iter()
        .filter_map(|member| member.entity.get::<AgentContext>());
    let messages: usize = contexts.map(AgentContext::len).sum();
    (messages * 450).min(1 << 26)
}

fn write_head(world: &World, meta: &Meta, json: &mut JsonWriter) {
    let seed = world
        .get_resource::<WorldSeed>()
        .copied()
        .unwrap_or_default();
    let turn = world
        .get_resource::<WorldTurn>()
        .copied()
        .unwrap_or_default();
    let language = world
        .get_resource::<Language>()
        .copied()
        .unwrap_or_default();
    let meeting = world.get_resource::<MeetingClock>();
    let last_id = world
        .get_resource::<CastList>()
        .map_or(0, CastList::last_id);
    json.line_member("format");
    json.number(FORMAT);
    json.line_member("engine");
    json.string(env!("CARGO_PKG_VERSION"));
    json.line_member("world");
    json.string(&meta.world);
    json.line_member("data");
    json.string(&meta.data);
    json.line_member("language");
    json.value(&language);
    json.line_member("seed");
    json.number(seed.0);
    json.line_member("turn");
    json.number(turn.0);
    json.line_member("meeting");
    json.value(&meeting.map(|clock| clock.0).unwrap_or_default());
    json.line_member("last_id");
    json.number(last_id);
}

fn write_resources(world: &World, json: &mut JsonWriter) {
    json.line_member("resources");
    json.push(b'{');
    for (name, io) in registry(world).resources {
        json.raw(|out| write_member(name, out, |out| (io.write)(world, out)));
    }
    json.push(b'}');
}

fn registry(world: &World) -> SaveRegistry {
    let registry = world.get_resource::<SaveRegistry>();
    registry.cloned().unwrap_or_default()
}

/// Appends `"name":value` with the comma before it; false where there is no value.
fn write_member(name: &str, out: &mut Vec<u8>, value: impl FnOnce(&mut Vec<u8>) -> bool) -> bool {
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
    // Writing to a vector can't fail.
    let _ = serde_json::to_writer(&mut *out, name);
    out.push(b':');
    value(out)
}

fn write_entities(world: &World, cast: &[Member], json: &mut JsonWriter) {
    let components = registry(world).components;
    json.line_member("entities");
    json.push(b'[');
    for member in cast {
        json.line();
        json.push(b'{');
        json.member("id");
        json.number(member.id.0);
        json.member("name");
        json.string(&member.name.0);
        json.member("kind");
        json.value(&member.kind);
        for (name, marked) in [
            ("place", member.entity.contains::<Place>()),
            ("dead", member.entity.contains::<Dead>()),
        ] {
            if marked {
                json.member(name);
                json.value(&true);
            }
        }
        if let Some(clock) = member.entity.get::<Clock>() {
            json.member("clock");
            json.value(clock);
        }
        json.member("components");
        json.push(b'{');
        for (name, io) in &components {
            json.raw(|out| write_member(name, out, |out| (io.write)(member.entity, out)));
        }
        json.push(b'}');
        json.push(b'}');
    }
    json.push(b']');
}

fn write_arrivals(world: &World, cast: &[Member], json: &mut JsonWriter) {
    json.line_member("arrivals");
    json.push(b'[');
    for member in cast {
        let Some(occupants) = member.entity.get::<Occupants>() else {
            continue;
        };
        json.line();
        json.push(b'{');
        json.member("stage");
        json.number(member.id.0);
        json.member("actors");
        json.push(b'[');
        for occupant in occupants.in_order() {
            if let Some(id) = world.get::<StableId>(*occupant) {
                json.element();
                json.number(id.0);
            }
        }
        json.push(b']');
        json.push(b'}');
    }
    json.push(b']');
}

fn write_contexts<'w>(
    cast: &[Member<'w>],
    bodies: &mut BodyTable<'w, '_>,
    json: &mut JsonWriter,
) -> u64 {
    let held_by = |member: &Member<'w>| Some((member.id, member.entity.get::<AgentContext>()?));
    let untagged = Tags::new();
    let mut held = 0;
    json.line_member("agents_context");
    json.push(b'[');
    for (id, context) in cast.iter().filter_map(held_by) {
        json.line();
        json.push(b'{');
        json.member("entity");
        json.number(id.0);
        json.member("last_id");
        json.number(context.last_id());
        json.member("revisions");
        json.number(context.revisions());
        json.member("messages");
        json.push(b'[');
        let mut runs = RunWriter::new(json);
        for entry in context.entries() {
            let index = bodies.index_of(entry.body());
            let tags = context.tags(entry.id()).unwrap_or(&untagged);
            runs.add(entry.id(), entry.role(), index, tags);
        }
        held += runs.finish();
        json.push(b']');
        json.push(b'}');
    }
    json.push(b']');
    held
}

fn write_chapters<'w>(
    cast: &[Member<'w>],
    bodies: &mut BodyTable<'w, '_>,
    json: &mut JsonWriter,
) -> u64 {
    let mut held = 0;
    json.line_member("chapters");
    json.push(b'[');
    for member in cast {
        let chapters = member.entity.get::<Chapters>();
        let closed = chapters.map(Chapters::all).unwrap_or_default();
        if closed.is_empty() {
            continue;
        }
        json.line();
        json.push(b'{');
        json.member("entity");
        json.number(member.id.0);
        json.member("closed");
        json.push(b'[');
        for chapter in closed {
            json.line();
            held += write_chapter(chapter, bodies, json);
        }
        json.push(b']');
        json.push(b'}');
    }
    json.push(b']');
    held
}

fn write_chapter<'w>(
    chapter: &'w Chapter,
    bodies: &mut BodyTable<'w, '_>,
    json: &mut JsonWriter,
) -> u64 {
    json.push(b'{');
    json.member("id");
    json.string(&chapter.id.0);
    json.member("title");
    json.string(&chapter.title);
    json.member("turn");
    json.number(chapter.turn);
    json.member("messages");
    let cut = write_held(&chapter.messages, bodies, json);
    json.member("summing_up");
    let summing_up = write_held(&chapter.summing_up, bodies, json);
    json.member("summary");
    json.number(bodies.index_of(&chapter.summary));
    json.push(b'}');
    cut + summing_up
}

fn write_held<'w>(
    held: &'w [HeldMessage],
    bodies: &mut BodyTable<'w, '_>,
    json: &mut JsonWriter,
) -> u64 {
    json.push(b'[');
    let mut runs = RunWriter::new(json);
    for HeldMessage { id, message } in held {
        let index = bodies.index_of(&message.body);
        runs.add(*id, message.role, index, &message.tags);
    }
    let held = runs.finish();
    json.push(b']');
    held
}
