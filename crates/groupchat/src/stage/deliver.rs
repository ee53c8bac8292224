//! Delivering messages to those who hear them.

use bevy_ecs::prelude::*;
use playhouse_engine::event::AgentEvent;
use playhouse_engine::exchange::prompts::Remark;
use playhouse_engine::locale::UiText;
use serde_json::Value;
use thiserror::Error;

use super::events::{HandoffContext, OwnMessage, ParticipantEvent, PublicMessage, Whisper};
use super::step::ChatStep;
use super::user_input::CONTROLLER;
use crate::message::{ChatContent, ChatMessage, EPOCH, value_text};
use crate::perspective::spoken;
use crate::prompts::ChatPrompt;

#[derive(Clone, Copy, Default)]
pub(super) struct Delivery<'a> {
    /// Who hears it; everybody on the stage if empty.
    pub(super) listeners: &'a [String],
    /// Whose turn it is part of, if any.
    pub(super) speaker: Option<&'a str>,
    /// Whether its source has it in its context already, since it was its mind's answer.
    pub(super) is_answer: bool,
}

/// A guard blocked a message, and why.
#[derive(Debug, Error)]
#[error("{0}")]
struct Blocked(UiText);

impl ChatStep<'_, '_, '_> {
    /// Delivers a message or an event that is nobody's turn.
    pub(super) fn post(&mut self, message: ChatMessage) {
        self.deliver(message, Delivery::default());
    }

    /// Delivers a message or an event.
    pub(super) fn deliver(&mut self, mut message: ChatMessage, how: Delivery<'_>) {
        self.stamp(&mut message);
        self.add_handoff_text(&mut message);
        let original = message.clone();
        let source = self.entity_here(&message.source);
        let is_heard = !message.is_event() && !is_blank(&message);
        let kind = self.send(message, how.listeners);
        match self.as_delivered(kind, original) {
            Ok(message) => {
                self.deliver_handoff_context(kind, &message);
                if let Some(source) = source.filter(|_| is_heard && !how.is_answer) {
                    let event = OwnMessage {
                        message: message.clone(),
                    };
                    self.params.events.notify_entities(&[source], event);
                }
                self.keep(message, how);
            }
            Err(blocked) => {
                let reason = &blocked.to_string();
                let text = self.prompt(&Remark::Withheld { reason });
                let notice = ChatMessage::text(self.team.name.as_str(), text);
                let how = Delivery {
                    listeners: &[],
                    ..how
                };
                self.deliver(notice, how);
            }
        }
    }

    /// Gives a handoff that says nothing the text of the team file, or a default text.
    fn add_handoff_text(&mut self, message: &mut ChatMessage) {
        let ChatContent::Handoff {
            content, target, ..
        } = &mut message.content
        else {
            return;
        };
        if !content.trim().is_empty() {
            return;
        }
        let participant = self.team.participant(&message.source);
        let mut handoffs = participant.into_iter().flat_map(|from| &from.handoffs);
        let handoff = handoffs.find(|handoff| handoff.target == *target);
        *content = match handoff {
            Some(handoff) if !handoff.message.trim().is_empty() => handoff.message.clone(),
            _ => {
                let target = target.as_str();
                self.prompt(&ChatPrompt::Handoff { target })
            }
        };
    }

    /// Writes the event of a message, and returns its type.
    fn send(&mut self, message: ChatMessage, listeners: &[String]) -> &'static str {
        let stage = self.stage;
        if message.is_event() {
            let event = ParticipantEvent { message };
            self.params.events.think(stage, event);
            ParticipantEvent::TYPE
        } else if is_blank(&message) {
            // Servers refuse messages without text, so nobody is told.
            self.params.events.think(stage, PublicMessage { message });
            PublicMessage::TYPE
        } else if listeners.is_empty() {
            let source = self.entity_here(&message.source);
            let excluded: Vec<Entity> = source.into_iter().chain(self.entity(CONTROLLER)).collect();
            let event = PublicMessage { message };
            let events = &mut self.params.events;
            events.broadcast_to_stage(stage, event, &excluded);
            PublicMessage::TYPE
        } else {
            let listeners: Vec<Entity> = listeners
                .iter()
                .filter_map(|name| self.entity_here(name))
                .collect();
            let event = Whisper { message };
            self.params.events.notify_entities(&listeners, event);
            Whisper::TYPE
        }
    }

    /// The message as the guards changed it.
    fn as_delivered(&self, kind: &str, message: ChatMessage) -> Result<ChatMessage, Blocked> {
        let Some(event) = self.params.events.last_of(kind) else {
            return Ok(message);
        };
        if event.blocked {
            let reason = event.guarded.last().map(|act| act.reason.clone());
            return Err(Blocked(reason.unwrap_or_default()));
        }
        if event.guarded.is_empty() {
            return Ok(message);
        }
        let guarded = event.data.get("message").cloned().unwrap_or_default();
        Ok(ChatMessage::load(guarded).unwrap_or(message))
    }

    /// Tells the target of a handoff, and nobody else, what it should know, before the message,
    /// whose event is of type `kind`.
    fn deliver_handoff_context(&mut self, kind: &str, message: &ChatMessage) {
        let ChatContent::Handoff {
            target, context, ..
        } = &message.content
        else {
            return;
        };
        let lines: Vec<String> = match context {
            Value::Null => Vec::new(),
            Value::Array(items) => items.iter().map(context_text).collect(),
            other => vec![context_text(other)],
        };
        if let Some(entity) = self.entity_here(target)
            && !lines.is_empty()
        {
            let event = HandoffContext {
                actor: message.source.clone(),
                target: target.clone(),
                message: lines.join("\n"),
            };
            let events = &mut self.params.events;
            events.notify_entities_before(kind, &[entity], event);
        }
    }

    /// Keeps a message for the termination condition, for the selection of the next speaker, and
    /// for inner and outer teams.
    fn keep(&mut self, message: ChatMessage, how: Delivery<'_>) {
        let is_public = how.listeners.is_empty();
        if !message.is_event() && is_public && !is_blank(&message) {
            for participant in &self.team.participants {
                let name = participant.name.as_str();
                if participant.inner_team().is_some() && Some(name) != how.speaker {
                    let unheard = self.chat.unheard.entry(name.to_owned()).or_default();
                    unheard.push(message.clone());
                }
            }
        }
        if how.speaker.is_some() && self.params.teams.outer(&self.team.name).is_some() {
            self.chat.report.push(message.clone());
        }
        if !message.is_event() {
            self.chat.last_speaker = Some(message.source.clone());
            self.chat.delta.push(message.clone());
        }
        self.chat.unchecked.push(message);
    }

    /// Adds an id and the logical time to a message.
    fn stamp(&mut self, message: &mut ChatMessage) {
        self.chat.messages += 1;
        if message.id.is_empty() {
            message.id = format!("{}-{}", self.team.name, self.chat.messages);
        }
        if message.created_at == EPOCH {
            message.created_at = logical_time(self.chat.messages);
        }
    }
}

fn is_blank(message: &ChatMessage) -> bool {
    message.to_model_text().trim().is_empty()
}

/// An item of a handoff's context as text: a message, model messages in AutoGen's form, or other
/// JSON as it is.
fn context_text(item: &Value) -> String {
    let parts = || {
        item.get("content")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let joined = |lines: Vec<String>| lines.join("\n");
    match item.get("type").and_then(Value::as_str) {
        Some("AssistantMessage") => {
            let thought = item.get("thought").filter(|thought| !thought.is_null());
            let text = item.get("content").filter(|content| content.is_string());
            let texts = thought.into_iter().chain(text).map(value_text);
            joined(texts.chain(parts().map(call_text)).collect())
        }
        Some("FunctionExecutionResultMessage") => joined(parts().map(result_text).collect()),
        _ => match ChatMessage::load(item.clone()) {
            Ok(message) => spoken(&message.source, &message.to_model_text()),
            Err(_) => value_text(item),
        },
    }
}

fn call_text(call: &Value) -> String {
    match (&call["name"], &call["arguments"]) {
        (Value::String(name), Value::String(arguments)) => format!("{name}({arguments})"),
        _ => value_text(call),
    }
}

fn result_text(result: &Value) -> String {
    match (&result["name"], &result["content"]) {
        (Value::String(name), Value::String(content)) => format!("{name} → {content}"),
        _ => value_text(result),
    }
}

/// The time of the message of this number: one second after the one before, since a world has no
/// wall clock.
fn logical_time(number: u64) -> String {
    let days = number / 86_400;
    let (hours, minutes, seconds) = (number / 3_600 % 24, number / 60 % 60, number % 60);
    // After a month of messages, the day stays the same.
    let day = days.min(30) + 1;
    format!("1970-01-{day:02}T{hours:02}:{minutes:02}:{seconds:02}Z")
}
