//! The events on a team's stage.

use playhouse_engine::event::{AgentEvent, EventData, EventType, PhraseError, Phrasebook};
use playhouse_engine::session::TOLD;
use serde::{Deserialize, Serialize};

use crate::message::ChatMessage;
use crate::prompts::ChatPrompt;

/// Every event type of a team.
pub const EVENTS: &[EventType] = &[
    EventType::without_phrase::<PublicMessage>(),
    EventType::without_phrase::<Whisper>(),
    EventType::without_phrase::<EarlierMessage>(),
    EventType::without_phrase::<ParticipantEvent>(),
    EventType::without_phrase::<InnerMessage>(),
    EventType::without_phrase::<HandoffContext>(),
    EventType::without_phrase::<OwnMessage>(),
    TOLD,
];

macro_rules! message_events {
    ($($(#[$doc:meta])*
        $name:ident { $($field:ident: $type:ty)? } = $event:literal, $style:ident $(, $private:ident)?)*) => {
        $($(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, AgentEvent)]
        #[event($event, style = $style, speaker = self.message.source,
            spoken = self.message.text_mut(), words = self.message.content.text(),
            media = self.message.media(), text = told
            $(, $private)?)]
        pub(crate) struct $name {
            $(pub(crate) $field: $type,)?
            pub(crate) message: ChatMessage,
        }

        impl $name {
            fn told(&self, phrases: &Phrasebook, _: &EventData) -> Result<String, PhraseError> {
                phrases.fill(&ChatPrompt::Said {
                    actor: &self.message.source,
                    message: self.message.to_model_text(),
                })
            }
        })*
    };
}

message_events! {
    /// A message that everybody on the stage hears.
    PublicMessage {} = "chat_said", Speech
    /// A message that only some on the stage hear.
    Whisper {} = "chat_whispered", Whisper, private
    /// A message from before a participant joined, which alone hears it.
    EarlierMessage {} = "chat_recalled", Hidden, private
    /// What a participant did on the way to a message; recorded, but not heard.
    ParticipantEvent {} = "chat_noted", Hidden, private
    /// A message of a team that was called as a tool, whose path is `team`; recorded, but not
    /// heard.
    InnerMessage { team: String } = "chat_inside", Hidden, private
}

/// A message in the name of an entity whose mind was not asked for it, which gets it as its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("chat_own", style = Hidden, speaker = self.message.source, private, own, text = told)]
pub(crate) struct OwnMessage {
    pub(super) message: ChatMessage,
}

impl OwnMessage {
    fn told(&self, _: &Phrasebook, _: &EventData) -> Result<String, PhraseError> {
        Ok(self.message.to_model_text())
    }
}

/// What the target of a handoff should know; only the target hears it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "chat_handed", style = Whisper, speaker = actor, spoken = message, private, text = told,
    words = message, target = target
)]
pub(super) struct HandoffContext {
    pub(super) actor: String,
    pub(super) target: String,
    /// What it should know.
    pub(super) message: String,
}

impl HandoffContext {
    fn told(&self, phrases: &Phrasebook, _: &EventData) -> Result<String, PhraseError> {
        phrases.fill(&ChatPrompt::HandoffContext {
            actor: &self.actor,
            target: &self.target,
            message: &self.message,
        })
    }
}
