//! The event types of the engine. Games register their own beside them.

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

pub use super::learning::{Learned, Masked};
use super::{AgentEvent, PromptSet, register_event};
use crate::context::{Common, Noting};
use crate::message::{Tag, Tags};

/// Registers every type of this file.
pub fn register(world: &mut World) {
    register_event::<Kickoff>(world);
    register_event::<Speak>(world);
    register_event::<Whisper>(world);
    register_event::<Announce>(world);
    register_event::<Mind>(world);
    register_event::<MemorySearch>(world);
    register_event::<Refusal>(world);
    register_event::<Leave>(world);
    register_event::<Arrive>(world);
    register_event::<Sighting>(world);
    register_event::<Death>(world);
    register_event::<Archive>(world);
    register_event::<Learned>(world);
    register_event::<Masked>(world);
}

macro_rules! events {
    ($($(#[$doc:meta])* $name:ident = $type:literal
        { $($(#[$field_attribute:meta])* $field:ident: $kind:ty,)* }
        $({ $($body:tt)* })?)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
            pub struct $name { $($(#[$field_attribute])* pub $field: $kind,)* }

            impl AgentEvent for $name {
                const TYPE: &'static str = $type;
                $($($body)*)?
            }
        )*

        /// Adds the template of every type of this file.
        pub fn add_templates(prompts: &mut PromptSet) {
            $(prompts.add_event::<$name>();)*
            prompts.add_event::<Learned>();
            prompts.add_event::<Masked>();
        }
    };
}

events! {
    /// An entity's story begins.
    Kickoff = "kickoff" {
        /// Who.
        actor: String,
        /// What it found.
        message: String,
    } {
        const IS_CUE: bool = false;
        const IS_MINOR: bool = true;
        fn speaker(&self) -> Option<&str> { Some(&self.actor) }
        fn spoken(&mut self) -> Option<&mut String> { Some(&mut self.message) }
    }

    /// Words said aloud to somebody on the same stage.
    Speak = "speak" {
        /// Who speaks.
        actor: String,
        /// To whom.
        target: String,
        /// The words.
        message: String,
        /// The ids of the facts that they tell on purpose.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tells: Vec<String>,
    } {
        fn tells(&self) -> &[String] { &self.tells }
        fn speaker(&self) -> Option<&str> { Some(&self.actor) }
        fn spoken(&mut self) -> Option<&mut String> { Some(&mut self.message) }
    }

    /// Words for one pair of ears.
    Whisper = "whisper" {
        /// Who whispers.
        actor: String,
        /// To whom.
        target: String,
        /// The words.
        message: String,
        /// The ids of the facts that they tell on purpose.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tells: Vec<String>,
    } {
        fn tells(&self) -> &[String] { &self.tells }
        fn speaker(&self) -> Option<&str> { Some(&self.actor) }
        fn spoken(&mut self) -> Option<&mut String> { Some(&mut self.message) }
        fn is_public(&self) -> bool { false }
    }

    /// Words for every stage.
    Announce = "announce" {
        /// Who announces.
        actor: String,
        /// From where; empty for a voice of the world.
        stage: String,
        /// The words.
        message: String,
        /// The ids of the facts that they tell on purpose.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tells: Vec<String>,
    } {
        fn tells(&self) -> &[String] { &self.tells }
        fn speaker(&self) -> Option<&str> { Some(&self.actor) }
        fn spoken(&mut self) -> Option<&mut String> { Some(&mut self.message) }
    }

    /// A private thought.
    Mind = "mind" {
        /// Who thinks.
        actor: String,
        /// The thought.
        message: String,
    } {
        fn speaker(&self) -> Option<&str> { Some(&self.actor) }
        fn is_public(&self) -> bool { false }
    }

    /// A search in one's own memory, and what it found.
    MemorySearch = "query" {
        /// Who searches.
        actor: String,
        /// For what.
        message: String,
        /// What was found; empty for nothing.
        found: Vec<String>,
    } {
        const IS_CUE: bool = false;
        const IS_MINOR: bool = true;
        fn speaker(&self) -> Option<&str> { Some(&self.actor) }
        fn is_public(&self) -> bool { false }
    }

    /// An action that the rules refused, told to its actor alone.
    Refusal = "refusal" {
        /// Whose action.
        actor: String,
        /// What was tried.
        action: String,
        /// Why not.
        reason: String,
    } {
        const IS_MINOR: bool = true;
        fn is_public(&self) -> bool { false }
    }

    /// Somebody leaves a stage.
    Leave = "leave" {
        /// Who.
        actor: String,
        /// From where.
        stage: String,
        /// To where.
        to: String,
    } {
        const IS_MINOR: bool = true;
        fn tags(&self) -> Tags { Tag::STAGE_TRANSITION.of(self.stage.as_str()).into() }
    }

    /// Somebody arrives on a stage.
    Arrive = "arrive" {
        /// Who.
        actor: String,
        /// Where.
        stage: String,
        /// From where; empty for a first appearance.
        from: String,
    } {
        const IS_MINOR: bool = true;
        fn tags(&self) -> Tags { Tag::STAGE_TRANSITION.of(self.stage.as_str()).into() }
    }

    /// Somebody's look, as others see it.
    Sighting = "appearance" {
        /// Who.
        actor: String,
        /// How it looks.
        look: String,
    } {
        const IS_MINOR: bool = true;
    }

    /// Somebody dies or falls.
    Death = "death" {
        /// Who.
        actor: String,
        /// By whose hand; empty for nobody's.
        by: String,
        /// Where.
        stage: String,
    } {
        fn happening(&self) -> Option<Noting> {
            let (who, by) = (self.actor.as_str().into(), self.by.as_str().into());
            Some(Common::Died { who, by }.into())
        }
    }

    /// A chapter was closed: its summary, for its owner alone.
    Archive = "archive" {
        /// Whose.
        actor: String,
        /// On which stage it ended.
        stage: String,
        /// The chapter's id.
        chapter: String,
        /// What code knows of it, in words; may be empty.
        #[serde(default)]
        record: String,
        /// The owner's own words; empty if it found none.
        message: String,
    } {
        const IS_CUE: bool = false;
        const IS_MINOR: bool = true;
        fn is_public(&self) -> bool { false }
        fn tags(&self) -> Tags {
            [Tag::ARCHIVE.of(self.stage.as_str()), Tag::CHAPTER.of(self.chapter.as_str())].into()
        }
    }
}
