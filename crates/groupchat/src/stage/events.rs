//! The events on a team's stage.

use bevy_ecs::prelude::*;
use playhouse_engine::event::{AgentEvent, PhraseError, Phrasebook, register_event};
use playhouse_engine::message::Block;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::message::ChatMessage;
use crate::prompts::{HANDOFF_CONTEXT, HandoffContextPrompt, SAID, SaidPrompt};

/// Registers all event types of this file.
pub(super) fn register(world: &mut World) {
    register_event::<PublicMessage>(world);
    register_event::<Whisper>(world);
    register_event::<EarlierMessage>(world);
    register_event::<ParticipantEvent>(world);
    register_event::<InnerMessage>(world);
    register_event::<HandoffContext>(world);
    register_event::<OwnMessage>(world);
}

macro_rules! message_events {
    ($($(#[$doc:meta])*
        $name:ident { $($field:ident: $type:ty)? } = $event:literal, $public:literal)*) => {
        $($(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub(crate) struct $name {
            $(pub(crate) $field: $type,)?
            pub(crate) message: ChatMessage,
        }

        impl AgentEvent for $name {
            const TYPE: &'static str = $event;

            fn speaker(&self) -> Option<&str> {
                Some(&self.message.source)
            }

            fn spoken(&mut self) -> Option<&mut String> {
                self.message.text_mut()
            }

            fn is_public(&self) -> bool {
                $public
            }

            fn text(&self, phrases: &Phrasebook, _data: &Value) -> Result<String, PhraseError> {
                let said = SaidPrompt {
                    actor: &self.message.source,
                    message: self.message.to_model_text(),
                };
                phrases.render(&SAID, &said)
            }

            fn media(&self) -> Vec<Block> {
                self.message.media()
            }
        })*
    };
}

message_events! {
    /// A message that everybody on the stage hears.
    PublicMessage {} = "chat_said", true
    /// A message that only some on the stage hear.
    Whisper {} = "chat_whispered", false
    /// A message from before somebody joined; only the newcomer hears it.
    EarlierMessage {} = "chat_recalled", false
    /// What a participant did on the way to a message; recorded, but not heard.
    ParticipantEvent {} = "chat_noted", false
    /// A message of a team that was called as a tool, whose path is `team`; recorded, but not
    /// heard.
    InnerMessage { team: String } = "chat_inside", false
}

/// A message in the name of somebody whose mind was not asked for it, who gets it as its own words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct OwnMessage {
    pub(super) message: ChatMessage,
}

impl AgentEvent for OwnMessage {
    const TYPE: &'static str = "chat_own";

    fn speaker(&self) -> Option<&str> {
        Some(&self.message.source)
    }

    fn is_public(&self) -> bool {
        false
    }

    fn is_own(&self) -> bool {
        true
    }

    fn text(&self, _phrases: &Phrasebook, _data: &Value) -> Result<String, PhraseError> {
        Ok(self.message.to_model_text())
    }
}

/// What the target of a handoff should know; only the target hears it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct HandoffContext {
    /// Who hands over.
    pub(super) actor: String,
    /// To whom.
    pub(super) target: String,
    /// What it should know.
    pub(super) message: String,
}

impl AgentEvent for HandoffContext {
    const TYPE: &'static str = "chat_handed";

    fn speaker(&self) -> Option<&str> {
        Some(&self.actor)
    }

    fn spoken(&mut self) -> Option<&mut String> {
        Some(&mut self.message)
    }

    fn is_public(&self) -> bool {
        false
    }

    fn text(&self, phrases: &Phrasebook, _data: &Value) -> Result<String, PhraseError> {
        let context = HandoffContextPrompt {
            actor: &self.actor,
            target: &self.target,
            message: &self.message,
        };
        phrases.render(&HANDOFF_CONTEXT, &context)
    }
}
