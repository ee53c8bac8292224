//! Writing a world that is at rest.

use std::borrow::Cow;

use bevy_ecs::prelude::*;

use super::bodies::BodyTable;
use super::dto::{ArrivalDto, ChapterDto, ChaptersDto, ContextDto, EntityDto, Members, WorldDto};
use super::entries::{EntryDto, check_size};
use super::error::SaveError;
use super::json;
use super::limits::{FORMAT, MAX_BYTES};
use super::registry::{SaveRegistry, Written};
use super::unsaved::warn_of_unsaved;
use crate::cast::{
    CastList, Clock, Dead, EntityName, Gone, Kind, MeetingClock, Occupants, Place, StableId,
    WorldSeed, WorldTurn,
};
use crate::context::{AgentContext, Chapter, Chapters, EntryId, StoredMessage};
use crate::event::{DeferredCommands, EventQueue};
use crate::exchange::{OpenAsks, UntakenAnswers};
use crate::files::{MAX_SAVED_VALUES, has_more_values};
use crate::locale::{UiText, text};
use crate::message::{Body, Role, Tags};

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

/// Writes a world as `world.json`. Equal worlds give equal bytes.
///
/// # Errors
/// The world is not at rest, an entity is incomplete, a value is nested too deeply, or there are
/// more messages than a save may hold.
pub fn snapshot(world: &World, meta: &Meta) -> Result<Vec<u8>, SaveError> {
    check_rest(world)?;
    warn_of_unsaved(world);
    let cast = cast_in_order(world)?;
    let registry = world
        .get_resource::<SaveRegistry>()
        .cloned()
        .unwrap_or_default();
    let mut bodies = BodyTable::default();
    let agents_context = cast
        .iter()
        .filter_map(|member| context(member, &mut bodies))
        .collect::<Result<_, _>>()?;
    let chapters = cast
        .iter()
        .filter_map(|member| chapters(member, &mut bodies))
        .collect::<Result<_, _>>()?;
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
        agents_context,
        chapters,
    };
    let bytes = json::write(&save, bodies.expected_len())?;
    check_readable(&bytes)?;
    Ok(bytes)
}

/// Refuses to write what could not be read back.
fn check_readable(bytes: &[u8]) -> Result<(), SaveError> {
    if bytes.len() as u64 > MAX_BYTES {
        let problem = text!(save_too_many_bytes, bytes = bytes.len(), max = MAX_BYTES);
        return Err(SaveError::TooMuch(problem));
    }
    if has_more_values(bytes, MAX_SAVED_VALUES) {
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

fn context<'w>(
    member: &Member<'w>,
    bodies: &mut BodyTable<'w>,
) -> Option<Result<ContextDto, SaveError>> {
    let context = member.entity.get::<AgentContext>()?;
    let entries = context.entries().iter().map(|entry| {
        let tags = context.tags(entry.id()).cloned().unwrap_or_default();
        (entry.id(), entry.role(), entry.body(), tags)
    });
    Some(entries_of(entries, bodies).map(|messages| ContextDto {
        entity: member.id.0,
        last_id: context.last_id(),
        revisions: context.revisions(),
        messages,
    }))
}

fn chapters<'w>(
    member: &Member<'w>,
    bodies: &mut BodyTable<'w>,
) -> Option<Result<ChaptersDto<'w>, SaveError>> {
    let chapters = member.entity.get::<Chapters>()?;
    let (closed, open) = (chapters.all(), chapters.open_notes());
    if closed.is_empty() && open.is_empty() {
        return None;
    }
    let closed: Result<_, _> = closed
        .iter()
        .map(|chapter| closed_chapter(chapter, bodies))
        .collect();
    Some(closed.map(|closed| ChaptersDto {
        entity: member.id.0,
        closed,
        open_notes: open.iter().map(Cow::Borrowed).collect(),
    }))
}

fn closed_chapter<'w>(
    chapter: &'w Chapter,
    bodies: &mut BodyTable<'w>,
) -> Result<ChapterDto<'w>, SaveError> {
    Ok(ChapterDto {
        id: chapter.id.0.as_ref().into(),
        title: chapter.title.as_str().into(),
        turn: chapter.turn,
        messages: entries_of(stored(&chapter.messages), bodies)?,
        summing_up: entries_of(stored(&chapter.summing_up), bodies)?,
        summary: bodies.index_of(&chapter.summary),
        record: chapter.record.as_ref().map(Cow::Borrowed),
    })
}

fn stored(messages: &[StoredMessage]) -> impl Iterator<Item = (EntryId, Role, &Body, Tags)> {
    messages.iter().map(|StoredMessage { id, message }| {
        (*id, message.role, &message.body, message.tags.clone())
    })
}

fn entries_of<'w>(
    messages: impl Iterator<Item = (EntryId, Role, &'w Body, Tags)>,
    bodies: &mut BodyTable<'w>,
) -> Result<Vec<EntryDto>, SaveError> {
    let mut bytes = 0;
    let entry = |(id, role, body, tags)| {
        let index = bodies.index_of(body);
        bytes += bodies.bytes_of(index);
        EntryDto(id, role, index, tags)
    };
    let entries = messages.map(entry).collect();
    check_size(bytes).map_err(SaveError::TooMuch)?;
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_that_would_not_be_read_back() {
        assert!(check_readable(&vec![b','; MAX_SAVED_VALUES]).is_ok());
        let error = check_readable(&vec![b','; MAX_SAVED_VALUES + 1]).unwrap_err();
        assert!(
            error.to_string().contains("more than 4194304 values"),
            "{error}"
        );
    }
}
