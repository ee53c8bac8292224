//! The event types of the engine. Games have their own beside them.

use serde::{Deserialize, Serialize};

pub use super::learning::{Learned, Masked};
use super::{AgentEvent, EventType, Recipients, Sight, subject};
use crate::context::{Common, Noting};
use crate::locale::{UiText, text};
use crate::message::{Tag, Tags};

pub const EVENTS: &[EventType] = &[
    EventType::of::<Kickoff>(),
    EventType::of::<Speak>(),
    EventType::of::<Whisper>(),
    EventType::of::<Announce>(),
    EventType::of::<Mind>(),
    EventType::of::<MemorySearch>(),
    EventType::of::<Leave>(),
    EventType::of::<Arrive>(),
    EventType::of::<Sighting>(),
    EventType::of::<Death>(),
    EventType::of::<Archive>(),
    EventType::of::<Learned>(),
    EventType::of::<Masked>(),
];

/// An entity's story begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "kickoff", style = Opening, no_trigger, not_recallable, speaker = actor, spoken = message,
    words = message, seen = message
)]
pub struct Kickoff {
    pub actor: String,
    /// What it found.
    pub message: String,
}

/// Words said aloud on a stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "speak", style = Speech, speaker = actor, spoken = message, tells = tells, words = message,
    target = target, heard = (message, tells)
)]
pub struct Speak {
    pub actor: String,
    /// To whom.
    pub target: String,
    pub message: String,
    /// The ids of the facts that they tell on purpose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tells: Vec<String>,
}

/// Words for one pair of ears.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "whisper", style = Whisper, speaker = actor, spoken = message, tells = tells, private,
    third_person = text!(story_whispered, actor, target, message), words = message, target = target,
    heard = (message, tells)
)]
pub struct Whisper {
    pub actor: String,
    /// To whom.
    pub target: String,
    pub message: String,
    /// The ids of the facts that they tell on purpose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tells: Vec<String>,
}

/// Words for every stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "announce", style = Announcement, speaker = actor, spoken = message, tells = tells,
    words = message, heard = (message, tells)
)]
pub struct Announce {
    pub actor: String,
    /// From where; empty for a voice of the world.
    pub stage: String,
    pub message: String,
    /// The ids of the facts that they tell on purpose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tells: Vec<String>,
}

/// A private thought.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("mind", style = Thought, speaker = actor, private, words = message)]
pub struct Mind {
    pub actor: String,
    pub message: String,
}

/// A search in one's own memory, and what it found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "query", style = Working, no_trigger, not_recallable, speaker = actor, private,
    third_person = seen, line = text!(story_searches, actor, message)
)]
pub struct MemorySearch {
    pub actor: String,
    pub message: String,
    /// What was found; empty for nothing.
    pub found: Vec<String>,
}

impl MemorySearch {
    fn seen(&self, _: &Recipients<'_>) -> Option<UiText> {
        let Self { actor, message, .. } = self;
        let found = if self.found.is_empty() {
            text!(story_nothing_found)
        } else {
            UiText::verbatim(self.found.join(" … "))
        };
        Some(text!(story_searched, actor, message, found))
    }
}

/// An actor leaves a stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "leave", style = Move, not_recallable, tags = message_tags,
    line = walk, target = to
)]
pub struct Leave {
    pub actor: String,
    /// Who goes along.
    #[serde(default)]
    pub along: Vec<String>,
    pub stage: String,
    pub to: String,
}

impl Leave {
    fn message_tags(&self) -> Tags {
        Tag::STAGE_TRANSITION.of(self.stage.as_str()).into()
    }

    fn walk(&self, to: &Recipients<'_>) -> Option<UiText> {
        Some(walk(
            [&self.stage, &self.to],
            (&self.actor, &self.along),
            to,
        ))
    }
}

/// That somebody walks from one stage to another, alone or with others.
fn walk([from, to]: [&str; 2], (actor, along): (&str, &[String]), told: &Recipients<'_>) -> UiText {
    if along.is_empty() {
        return text!(story_walks, actor, from, to);
    }
    let all = [&[actor.to_owned()][..], along].concat();
    let actors = subject(&all, told.language);
    text!(story_walk_together, actors, from, to)
}

/// An actor arrives on a stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("arrive", style = Move, doer = actor, along = along, not_recallable, tags = message_tags, line = walk)]
pub struct Arrive {
    pub actor: String,
    /// Who comes along.
    #[serde(default)]
    pub along: Vec<String>,
    pub stage: String,
    /// From where; empty for a first appearance.
    pub from: String,
}

impl Arrive {
    fn message_tags(&self) -> Tags {
        Tag::STAGE_TRANSITION.of(self.stage.as_str()).into()
    }

    fn walk(&self, told: &Recipients<'_>) -> Option<UiText> {
        let Self {
            actor,
            along,
            stage,
            from,
        } = self;
        Some(if from.is_empty() {
            text!(story_appears, actor)
        } else {
            walk([from, stage], (actor, along), told)
        })
    }
}

/// An actor's look, as others see it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "appearance", style = Look, not_recallable,
    third_person = text!(story_row, name = actor, what = look), sight = Sight { what: actor, look },
    seen = look
)]
pub struct Sighting {
    pub actor: String,
    pub look: String,
}

/// An actor dies or falls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("death", style = Fall, happening = noted, line = fall)]
pub struct Death {
    pub actor: String,
    /// The name of the killer; empty if there is none.
    pub by: String,
    pub stage: String,
}

impl Death {
    fn noted(&self) -> Option<Noting> {
        let (who, by) = (self.actor.as_str().into(), self.by.as_str().into());
        Some(Common::Died { who, by }.into())
    }

    fn fall(&self, _: &Recipients<'_>) -> Option<UiText> {
        let Self { actor, by, .. } = self;
        Some(if by.is_empty() {
            text!(story_falls, actor)
        } else {
            text!(story_falls_by, actor, by)
        })
    }
}

/// A chapter was closed: its summary, for its owner alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "archive", style = Memory, no_trigger, not_recallable, private, tags = message_tags,
    third_person = seen
)]
pub struct Archive {
    pub actor: String,
    /// On which stage it ended.
    pub stage: String,
    pub chapter: String,
    /// What code knows of it, in words; may be empty.
    #[serde(default)]
    pub record: String,
    /// The owner's own words; empty if it found none.
    pub message: String,
}

impl Archive {
    fn message_tags(&self) -> Tags {
        [
            Tag::ARCHIVE.of(self.stage.as_str()),
            Tag::CHAPTER.of(self.chapter.as_str()),
        ]
        .into()
    }

    fn seen(&self, _: &Recipients<'_>) -> Option<UiText> {
        let Self { actor, message, .. } = self;
        let message = if message.is_empty() {
            &self.record
        } else {
            message
        };
        let remembers = text!(story_remembers, actor);
        Some(text!(story_row, name = remembers, what = message))
    }
}
