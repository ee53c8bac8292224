//! Writing a world that is at rest.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, IntoInnerError, Write};

use bevy_ecs::prelude::*;
use serde::Serialize;

use super::bodies::BodyTable;
use super::dto::{
    ArrivalDto, ChapterDto, ChaptersDto, ContextDto, Each, EntityDto, Members, WorldDto,
};
use super::entries::EntryDto;
use super::error::SaveError;
use super::json;
use super::limits::{FORMAT, MAX_BYTES};
use super::registry::{SaveRegistry, Written};
use super::unsaved::warn_of_unsaved;
use crate::cast::{
    CastList, Clock, Dead, EntityName, Gone, Kind, MeetingClock, Occupants, Place, StableId,
    WorldSeed, WorldTurn,
};
use crate::context::{AgentContext, Chapter, Chapters, Entry, StoredMessage};
use crate::event::{DeferredCommands, EventQueue};
use crate::exchange::{OpenAsks, UntakenAnswers};
use crate::files::MAX_SAVED_VALUES;
use crate::locale::{UiText, text};
use crate::message::{Digest, Message};

/// What a save says about the world it was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    /// The world's name, for people.
    pub world: String,
    /// The fingerprint of the world's data.
    pub data: String,
}

/// The fingerprint of the data to which a world was fitted while it was played, in the place of
/// that of the data with which it was set up.
#[derive(Resource, Clone, Debug)]
pub struct FittedTo(pub String);

/// A world as `world.json`. Equal worlds give equal bytes.
///
/// # Errors
/// The world is not at rest, an entity is incomplete, a value is nested too deeply, or there are
/// more messages than a save may hold.
pub fn snapshot(world: &World, meta: &Meta) -> Result<Vec<u8>, SaveError> {
    // Memory never fails.
    let (bytes, values) = write(world, meta, Vec::new())?.unwrap_or_default();
    check_readable(bytes.len() as u64, values)?;
    Ok(bytes)
}

/// Writes what [`snapshot`] makes to a file, without ever holding all of it, and returns its
/// digest, or why the file failed.
pub(super) fn write_to(
    file: &File,
    world: &World,
    meta: &Meta,
) -> Result<io::Result<Digest>, SaveError> {
    let digesting = Digesting {
        file,
        hasher: blake3::Hasher::new(),
        length: 0,
    };
    let buffered = BufWriter::with_capacity(BUFFER, digesting);
    let written = write(world, meta, buffered)?.and_then(|(out, values)| {
        let out = out.into_inner().map_err(IntoInnerError::into_error)?;
        Ok((out, values))
    });
    let (out, values) = match written {
        Ok(written) => written,
        Err(error) => return Ok(Err(error)),
    };
    check_readable(out.length, values)?;
    Ok(Ok(out.hasher.finalize().into()))
}

/// How much is digested and written at a time, in bytes.
const BUFFER: usize = 1 << 17;

struct Digesting<'f> {
    file: &'f File,
    hasher: blake3::Hasher,
    length: u64,
}

impl Write for Digesting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_all(bytes)?;
        self.hasher.update(bytes);
        self.length += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a world to an output. Returns it and how many values it has, or why it failed.
fn write<W: Write>(
    world: &World,
    meta: &Meta,
    mut out: W,
) -> Result<io::Result<(W, usize)>, SaveError> {
    check_rest(world)?;
    warn_of_unsaved(world);
    let cast = cast_in_order(world)?;
    let registry = world
        .get_resource::<SaveRegistry>()
        .cloned()
        .unwrap_or_default();
    let bodies = bodies_of(&cast)?;
    let meeting = world.get_resource::<MeetingClock>();
    let cast_list = world.get_resource::<CastList>();
    let save = WorldDto {
        format: FORMAT,
        engine: env!("CARGO_PKG_VERSION").into(),
        world: meta.world.as_str().into(),
        data: world
            .get_resource::<FittedTo>()
            .map_or(meta.data.as_str(), |fitted| &fitted.0)
            .into(),
        language: resource(world),
        seed: resource::<WorldSeed>(world).0,
        turn: resource::<WorldTurn>(world).0,
        meeting: meeting.map(|clock| clock.0).unwrap_or_default(),
        last_id: cast_list.map_or(0, CastList::last_id),
        resources: resources(world, &registry)?,
        entities: entities(&cast, &registry)?,
        arrivals: arrivals(world, &cast),
        messages: &bodies,
        prefixes: bodies.prefixes(),
        agents_context: Each(|| cast.iter().filter_map(|member| context(member, &bodies))),
        chapters: Each(|| cast.iter().filter_map(|member| chapters(member, &bodies))),
    };
    let values = json::write(&save, &mut out)?;
    Ok(values.map(|values| (out, values)))
}

/// Refuses to write what could not be read back.
fn check_readable(bytes: u64, values: usize) -> Result<(), SaveError> {
    if bytes > MAX_BYTES {
        let problem = text!(save_too_many_bytes, bytes, max = MAX_BYTES);
        return Err(SaveError::TooMuch(problem));
    }
    if values > MAX_SAVED_VALUES {
        let problem = text!(save_too_many_values, max = MAX_SAVED_VALUES);
        return Err(SaveError::TooMuch(problem));
    }
    Ok(())
}

fn resource<R: Resource + Copy + Default>(world: &World) -> R {
    world.get_resource::<R>().copied().unwrap_or_default()
}

fn check_rest(world: &World) -> Result<(), SaveError> {
    let open = world.get_resource::<OpenAsks>().map_or(0, OpenAsks::len);
    let undelivered = world
        .get_resource::<EventQueue>()
        .map_or(0, |events| events.0.len());
    let untaken = world
        .get_resource::<UntakenAnswers>()
        .map_or(0, |untaken| untaken.0.len());
    let has_commands = world
        .get_resource::<DeferredCommands>()
        .is_some_and(|commands| !commands.is_empty());
    let reason = match (open, undelivered, untaken, has_commands) {
        (0, 0, 0, false) => return Ok(()),
        (0, 0, 0, true) => text!(save_not_at_rest_commands),
        (0, 0, count, _) => text!(save_not_at_rest_answers, count),
        (0, count, ..) => text!(save_not_at_rest_events, count),
        (count, ..) => text!(save_not_at_rest_asks, count),
    };
    Err(SaveError::NotAtRest(reason))
}

/// An entity of the story with the components that every such entity has.
struct Member<'w> {
    id: StableId,
    name: &'w EntityName,
    kind: Kind,
    entity: EntityRef<'w>,
}

fn cast_in_order(world: &World) -> Result<Vec<Member<'_>>, SaveError> {
    let cast_list = world.get_resource::<CastList>().into_iter();
    cast_list
        .flat_map(CastList::everybody)
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

fn resources(world: &World, registry: &SaveRegistry) -> Result<Members, SaveError> {
    let values = registry
        .resources
        .iter()
        .filter_map(|(name, io)| Some((*name, (io.write)(world)?)));
    members(values, |name| UiText::verbatim(format!("resources.{name}")))
}

fn members(
    values: impl Iterator<Item = (&'static str, Written)>,
    location_of: impl Fn(&'static str) -> UiText,
) -> Result<Members, SaveError> {
    let members = values.map(|(name, value)| match value {
        Ok(value) => Ok((name.to_owned(), value)),
        Err(error) => Err(SaveError::Unwritable {
            location: location_of(name),
            problem: json::problem_of(&error),
        }),
    });
    members.collect::<Result<_, _>>().map(Members)
}

fn entities<'w>(
    cast: &[Member<'w>],
    registry: &SaveRegistry,
) -> Result<Vec<EntityDto<'w>>, SaveError> {
    let entity = |member: &Member<'w>| {
        let values = registry
            .components
            .iter()
            .filter_map(|(name, io)| Some((*name, (io.write)(member.entity)?)));
        Ok(EntityDto {
            id: member.id.0,
            name: member.name.0.as_ref().into(),
            kind: member.kind,
            place: member.entity.contains::<Place>(),
            dead: member.entity.contains::<Dead>(),
            gone: member.entity.get::<Gone>().copied(),
            clock: member.entity.get::<Clock>().copied(),
            components: members(values, |component| {
                let entity = member.name.0.as_ref();
                text!(save_component_of, component, entity)
            })?,
        })
    };
    cast.iter().map(entity).collect()
}

fn arrivals(world: &World, cast: &[Member]) -> Vec<ArrivalDto> {
    let arrival = |member: &Member| {
        let occupants = member.entity.get::<Occupants>()?.in_order().iter();
        let ids = occupants.filter_map(|occupant| world.get::<StableId>(*occupant));
        Some(ArrivalDto {
            stage: member.id.0,
            actors: ids.map(|id| id.0).collect(),
        })
    };
    cast.iter().filter_map(arrival).collect()
}

/// The bodies of all contexts, then those of all chapters.
fn bodies_of<'w>(cast: &[Member<'w>]) -> Result<BodyTable<'w>, SaveError> {
    let mut bodies = BodyTable::default();
    for context in cast
        .iter()
        .filter_map(|member| member.entity.get::<AgentContext>())
    {
        bodies.add_all(context.entries().iter().map(Entry::body))?;
    }
    let chapters = cast
        .iter()
        .filter_map(|member| member.entity.get::<Chapters>());
    for chapter in chapters.flat_map(Chapters::all) {
        for messages in [&chapter.messages, &chapter.summing_up] {
            bodies.add_all(messages.iter().map(|stored| &stored.message.body))?;
        }
        bodies.add(&chapter.summary);
    }
    Ok(bodies)
}

fn context(member: &Member, bodies: &BodyTable) -> Option<ContextDto<impl Serialize>> {
    let context = member.entity.get::<AgentContext>()?;
    let entry = |entry: &Entry| {
        let tags = context.tags(entry.id()).cloned().unwrap_or_default();
        EntryDto(
            entry.id(),
            entry.role(),
            bodies.index_of(entry.body()),
            tags,
        )
    };
    Some(ContextDto {
        entity: member.id.0,
        last_id: context.last_id(),
        revisions: context.revisions(),
        messages: Each(move || context.entries().iter().map(entry)),
    })
}

fn chapters<'w>(
    member: &Member<'w>,
    bodies: &BodyTable,
) -> Option<ChaptersDto<'w, impl Serialize>> {
    let chapters = member.entity.get::<Chapters>()?;
    let (closed, open) = (chapters.all(), chapters.open_notes());
    if closed.is_empty() && open.is_empty() {
        return None;
    }
    Some(ChaptersDto {
        entity: member.id.0,
        closed: Each(move || closed.iter().map(|chapter| closed_chapter(chapter, bodies))),
        open_notes: open.iter().map(Cow::Borrowed).collect(),
    })
}

fn closed_chapter<'w>(chapter: &'w Chapter, bodies: &BodyTable) -> ChapterDto<'w, impl Serialize> {
    let entry = |StoredMessage { id, message }: &StoredMessage| {
        let Message { role, body, tags } = message;
        EntryDto(*id, *role, bodies.index_of(body), tags.clone())
    };
    let entries = |messages: &'w [StoredMessage]| Each(move || messages.iter().map(entry));
    ChapterDto {
        id: chapter.id.0.as_ref().into(),
        title: chapter.title.as_str().into(),
        turn: chapter.turn,
        messages: entries(&chapter.messages),
        summing_up: entries(&chapter.summing_up),
        summary: bodies.index_of(&chapter.summary),
        record: chapter.record.as_ref().map(Cow::Borrowed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_that_would_not_be_read_back() {
        assert!(check_readable(MAX_BYTES, MAX_SAVED_VALUES).is_ok());
        for (bytes, values, problem) in [
            (0, MAX_SAVED_VALUES + 1, "more than 4194304 values"),
            (MAX_BYTES + 1, 0, "268435457"),
        ] {
            let error = check_readable(bytes, values).unwrap_err();
            assert!(error.to_string().contains(problem), "{error}");
        }
    }
}
