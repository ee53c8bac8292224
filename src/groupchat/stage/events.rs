//! What is told on a team's stage.

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::event::{AgentEvent, PhraseError, Phrasebook, register_event};
use crate::groupchat::message::ChatMessage;

/// Registers every type of this file.
pub(super) fn register(world: &mut World) {
    register_event::<Said>(world);
    register_event::<Whispered>(world);
    register_event::<Recalled>(world);
    register_event::<Noted>(world);
    register_event::<Handed>(world);
    register_event::<InnerMessage>(world);
}

macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident = $type:literal, $public:literal)*) => {
        $($(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub struct $name {
            /// The message.
            pub message: ChatMessage,
        }

        impl AgentEvent for $name {
            const TYPE: &'static str = $type;

            fn speaker(&self) -> Option<&str> {
                Some(&self.message.source)
            }

            fn spoken(&mut self) -> Option<&mut String> {
                self.message.words_mut()
            }

            fn is_public(&self) -> bool {
                $public
            }

            fn text(&self, phrases: &Phrasebook, _data: &Value) -> Result<String, PhraseError> {
                let facts = json!({
                    "actor": self.message.source, "message": self.message.to_model_text(),
                });
                phrases.say("chat/events/said", &facts)
            }
        })*
    };
}

messages! {
    /// A message that everybody on the stage hears.
    Said = "chat_said", true
    /// A message that some of those on the stage hear.
    Whispered = "chat_whispered", false
    /// A message from before somebody joined, told to it alone.
    Recalled = "chat_recalled", false
    /// Something that a participant did on the way; recorded, and heard by nobody.
    Noted = "chat_noted", false
}

/// A message of a team that was called as a tool; recorded, and heard by nobody.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InnerMessage {
    /// The team, behind the teams around it.
    pub team: String,
    /// The message.
    pub message: ChatMessage,
}

impl AgentEvent for InnerMessage {
    const TYPE: &'static str = "chat_inside";

    fn speaker(&self) -> Option<&str> {
        Some(&self.message.source)
    }

    fn spoken(&mut self) -> Option<&mut String> {
        self.message.words_mut()
    }

    fn is_public(&self) -> bool {
        false
    }

    fn text(&self, phrases: &Phrasebook, _data: &Value) -> Result<String, PhraseError> {
        let facts = json!({
            "actor": self.message.source, "message": self.message.to_model_text(),
        });
        phrases.say("chat/events/said", &facts)
    }
}

/// What the next one should know who was given the word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Handed {
    /// Who gave it.
    pub actor: String,
    /// To whom.
    pub target: String,
    /// What it should know.
    pub message: String,
}

impl AgentEvent for Handed {
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

    fn text(&self, phrases: &Phrasebook, data: &Value) -> Result<String, PhraseError> {
        phrases.say("chat/events/handed", data)
    }
}
