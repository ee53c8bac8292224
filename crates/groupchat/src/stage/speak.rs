//! Asking participants to speak.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::exchange::{Ask, Reply};
use playhouse_engine::message::{Body, Role};
use serde_json::Value;

use super::deliver::Delivery;
use super::replies::{
    MessageConstraints, MessageReply, Say, SayConstraints, StructuredConstraints, StructuredReply,
    TextConstraints, TextReply,
};
use super::step::ChatStep;
use super::tool_rounds::with_tools;
use crate::message::{ChatContent, ChatMessage, MemoryItem};
use crate::names::transfer_tool;
use crate::perspective::text_without_speaker;
use crate::prompts::{ChatPrompt, HeardLine, TurnNotes, notes};
use crate::team::{Participant, ParticipantKind};
use crate::termination::Termination;

/// The text of an answer that is never used: without an answer, the run fails.
pub(super) const NO_ANSWER: &str = "…";

/// Stands for what a view leaves out.
const GAP: &str = "…";

/// The maximum number of characters of the last message in the notes for grammars.
const NOTED_CHARS: usize = 240;

impl ChatStep<'_, '_, '_> {
    /// Asks a participant for its next message.
    pub(super) fn ask_to_speak(&mut self, participant: &Participant) {
        let Some(entity) = self.entity(&participant.name) else {
            return;
        };
        let memory = self.memory(participant);
        if !memory.is_empty() {
            let items = memory.iter().map(|text| MemoryItem {
                content: text.as_str().into(),
                mime_type: "text/plain".into(),
                metadata: None,
            });
            self.deliver_event(participant, ChatContent::MemoryQuery(items.collect()));
        }
        if participant.kind == ParticipantKind::Person {
            let request_id = format!("{}-{}", self.team.name, self.chat.messages + 1);
            self.deliver_event(participant, ChatContent::UserInputRequested { request_id });
        }
        let targets = handoffs_in_words(participant);
        let listeners = if self.team.whispers {
            self.possible_listeners(&participant.name)
        } else {
            Vec::new()
        };
        let question = self.question(participant, entity, &targets, &listeners);
        let notes = self.notes(participant, entity);
        let may_be_empty = !participant.tools.is_empty();
        if !participant.produces.is_empty() {
            let constraints = MessageConstraints {
                factory: self.params.teams.factory.clone(),
                types: participant.produces.clone(),
            };
            let fallback = MessageReply(ChatMessage::text("", NO_ANSWER));
            let ask = Ask::new("chat.speak", question, constraints, fallback);
            self.ask(entity, for_turn(ask, participant, notes));
        } else if let Some(output) = &participant.output {
            let schema = serde_json::from_str(&output.schema).unwrap_or_default();
            let constraints = StructuredConstraints {
                schema: Arc::new(schema),
                may_be_empty,
            };
            let fallback = StructuredReply(NO_ANSWER.into());
            let ask = Ask::new("chat.speak", question, constraints, fallback);
            self.ask(
                entity,
                with_tools(for_turn(ask, participant, notes), participant),
            );
        } else if targets.is_empty() && listeners.is_empty() {
            let constraints = TextConstraints { may_be_empty };
            let ask = text_ask(question, constraints, participant, notes);
            self.ask(entity, with_tools(streamed(ask, participant), participant));
        } else {
            let constraints = SayConstraints { targets, listeners };
            let fallback = Say {
                message: NO_ANSWER.into(),
                ..Say::default()
            };
            let ask = Ask::new("chat.say", question, constraints, fallback);
            self.ask(entity, for_turn(ask, participant, notes));
        }
    }

    fn deliver_event(&mut self, participant: &Participant, event: ChatContent) {
        let name = participant.name.as_str();
        let how = Delivery {
            speaker: Some(name),
            ..Delivery::default()
        };
        self.deliver(ChatMessage::new(name, event), how);
    }

    /// What is asked in addition to the conversation; usually nothing.
    fn question(
        &mut self,
        participant: &Participant,
        entity: Entity,
        targets: &[String],
        listeners: &[String],
    ) -> String {
        let mut parts = Vec::new();
        let memory = &self.memory(participant);
        if !memory.is_empty() {
            parts.push(self.prompt(&ChatPrompt::Memory { memory }));
        }
        if !targets.is_empty() || !listeners.is_empty() {
            parts.push(self.prompt(&ChatPrompt::Say {
                targets,
                ears: listeners,
            }));
        }
        if participant.output.is_some() {
            parts.push(self.prompt(&ChatPrompt::Structured));
        }
        // Many servers reject a conversation without messages, or one that does not end with
        // somebody else's.
        let is_others_turn = self.context(entity).is_some_and(|context| {
            let view = participant.view.of(context, &|_| Body::text(GAP));
            let shown = view.as_ref().unwrap_or(context).entries();
            let last = shown.last();
            last.is_some_and(|entry| entry.role() == Role::Human)
        });
        if parts.is_empty() && !is_others_turn {
            parts.push(self.prompt(&ChatPrompt::Continue));
        }
        parts.join("\n\n")
    }

    /// To whom a participant may whisper.
    fn possible_listeners(&self, speaker: &str) -> Vec<String> {
        let mut names: Vec<String> = self
            .present()
            .into_iter()
            .map(str::to_owned)
            .chain([self.team.user.clone()])
            .collect();
        names.retain(|name| name != speaker);
        names.dedup();
        names
    }

    /// What a participant's conversation says, for models that write by a grammar.
    pub(super) fn notes(&self, participant: &Participant, entity: Entity) -> Value {
        let mut conditions = self.team.termination.iter().flat_map(Termination::nested);
        let last_word = conditions.find_map(|condition| match condition {
            Termination::TextMention { text, .. }
                if participant.system_message.contains(text.as_str()) =>
            {
                Some(text.as_str())
            }
            _ => None,
        });
        let context = self.context(entity);
        let last = context
            .and_then(|context| context.entries().last())
            .filter(|entry| entry.role() == Role::Human)
            .map(|entry| {
                let text: String = text_without_speaker(entry.body())
                    .chars()
                    .take(NOTED_CHARS)
                    .collect();
                let speaker = entry.body().sender().map(ToString::to_string);
                HeardLine {
                    who: speaker.unwrap_or_default(),
                    text,
                }
            });
        // A task is not an opinion to answer.
        let last = last.filter(|line| line.who != self.team.user);
        // With tools it hands over by a tool.
        let handoffs = participant
            .handoffs
            .iter()
            .filter(|_| !participant.tools.is_empty());
        let transfers = handoffs.map(|handoff| transfer_tool(&handoff.target));
        notes(&TurnNotes {
            me: &participant.name,
            must: last_word.into_iter().collect(),
            said: last.into_iter().collect(),
            hand_on: transfers.collect(),
        })
    }
}

/// To whom a participant may hand over in its answer; with tools it hands over by a tool.
fn handoffs_in_words(participant: &Participant) -> Vec<String> {
    if participant.tools.is_empty() {
        let handoffs = participant.handoffs.iter();
        handoffs.map(|handoff| handoff.target.clone()).collect()
    } else {
        Vec::new()
    }
}

/// An ask for a participant's turn: its question is sent once and not remembered.
fn for_turn<R: Reply>(ask: Ask<R>, participant: &Participant, notes: Value) -> Ask<R> {
    ask.condensed("")
        .max_tokens(participant.max_tokens)
        .notes(notes)
}

/// An ask for a message in plain text.
pub(super) fn text_ask(
    question: String,
    constraints: TextConstraints,
    participant: &Participant,
    notes: Value,
) -> Ask<TextReply> {
    let fallback = TextReply(NO_ANSWER.into());
    let ask = Ask::new("chat.speak", question, constraints, fallback);
    for_turn(ask, participant, notes)
}

/// Streams the answer if the participant's messages are streamed.
pub(super) fn streamed(ask: Ask<TextReply>, participant: &Participant) -> Ask<TextReply> {
    if participant.stream {
        ask.streamed()
    } else {
        ask
    }
}
