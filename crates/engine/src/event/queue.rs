//! What systems have queued: events of this step, and changes for the next meeting.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde_json::Value;

use super::AudienceRule;
use super::guard::GuardAct;
use crate::cast::{EntityName, Sense, StableId};
use crate::context::{AgentContext, ChapterRecord, Entry, EntryId, Happening, Noting};
use crate::message::{Block, Role, Tags};

/// An event before its delivery: its words and audience are fixed, its body is not made yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PendingEvent {
    pub kind: &'static str,
    pub speaker: Option<Arc<str>>,
    /// The name of the place to which it belongs, if it is told at a meeting and belongs to one.
    pub place: Option<Arc<str>>,
    /// The sense that its receivers lack, so that only the rest of it is told.
    pub without: Option<Sense>,
    pub data: Value,
    /// The words that its receivers will read.
    pub text: String,
    /// The words for each of those who did it and are among the receivers, by name.
    pub own_texts: Vec<(Arc<str>, String)>,
    /// The short form that minds are sent instead.
    pub short: Option<String>,
    /// Images, audio and video that they get after the words.
    pub media: Vec<Block>,
    /// Tags for the receivers' messages.
    pub tags: Tags,
    /// What its receivers note.
    pub happening: Option<Noting>,
    /// What the actor notes instead, and its name.
    pub own_happening: Option<(Arc<str>, Happening)>,
    /// Who gets it, in a stable order.
    pub audience: Vec<Entity>,
    /// The rule by which the audience was made.
    pub rule: AudienceRule,
    /// What guards did before it was sent.
    pub guarded: Vec<GuardAct>,
    /// Whether everybody in the audience may repeat it.
    pub public: bool,
    /// Whether its receivers said it themselves.
    pub own: bool,
    /// The ids of the facts that it tells: its receivers know them from then on.
    pub tells: Vec<Arc<str>>,
    /// Whether a guard stopped it: it is recorded, but not delivered.
    pub blocked: bool,
    /// The range of its one receiver's context that the message replaces.
    pub chapter_close: Option<Box<ChapterClose>>,
}

/// A range of a context that becomes a chapter, replaced by its summary.
#[derive(Clone, Debug, PartialEq)]
pub struct ChapterClose {
    /// The first message of the range.
    pub begin: EntryId,
    /// The last message of the range.
    pub end: EntryId,
    /// The request for the summary and its answer, which move to the chapter too.
    pub summing_up: Option<(EntryId, EntryId)>,
    /// What the chapter was about, such as a fight on a stage.
    pub title: String,
    /// What code knows of it; `None` in games without records.
    pub record: Option<ChapterRecord>,
}

impl ChapterClose {
    /// All that an entity remembers beside its own rules, as a chapter; `None` if that is nothing.
    pub fn of_past(context: &AgentContext, title: impl Into<String>) -> Option<Self> {
        let mut past = context.entries().iter();
        let begin = past.find(|entry| entry.role() != Role::System)?.id();
        Some(Self {
            begin,
            end: past.last().map_or(begin, Entry::id),
            summing_up: None,
            title: title.into(),
            record: None,
        })
    }
}

/// The events of this step that are not delivered yet, in order.
#[derive(Resource, Debug, Default)]
pub struct EventQueue(pub Vec<PendingEvent>);

/// The name of the place to which everything belongs that happens at a meeting now, if to one.
#[derive(Resource, Debug, Default)]
pub struct MeetingPlace(pub Option<Arc<str>>);

/// Changes the world at a meeting; what is told meanwhile belongs to this place, if to one.
pub fn change_at<T>(
    world: &mut World,
    place: Option<Entity>,
    change: impl FnOnce(&mut World) -> T,
) -> T {
    let place = place.and_then(|place| Some(world.get::<EntityName>(place)?.0.clone()));
    let before = std::mem::replace(&mut world.resource_mut::<MeetingPlace>().0, place);
    let changed = change(world);
    world.resource_mut::<MeetingPlace>().0 = before;
    changed
}

/// A change to the world that crosses stages.
pub type DeferredCommand = Box<dyn FnOnce(&mut World) + Send + Sync>;

/// Changes that cross stages. They run at the meeting, in order of place; within a place in the
/// order in which they were queued.
#[derive(Resource, Default)]
pub struct DeferredCommands(Vec<(StableId, DeferredCommand)>);

impl DeferredCommands {
    /// Queues a change for a place.
    pub(super) fn push(&mut self, place: StableId, command: DeferredCommand) {
        self.0.push((place, command));
    }

    /// Takes all changes, in order.
    pub fn take(&mut self) -> Vec<DeferredCommand> {
        let mut commands = std::mem::take(&mut self.0);
        commands.sort_by_key(|(place, _)| *place);
        commands.into_iter().map(|(_, command)| command).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
