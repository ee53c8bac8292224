//! Delivering messages to those who hear them.

use bevy_ecs::prelude::*;
use serde_json::Value;

use super::events::{HandoffContext, InnerMessage, ParticipantEvent, PublicMessage, Whisper};
use super::step::ChatStep;
use super::user_input::CONTROLLER;
use crate::groupchat::message::{ChatMessage, Content, EPOCH, value_text};
use crate::groupchat::prompts::WithheldPrompt;

impl ChatStep<'_, '_, '_> {
    /// Delivers a message or an event that is nobody's turn.
    pub(super) fn post(&mut self, message: ChatMessage) {
        self.deliver(message, &[], None);
    }

    /// Delivers a message or an event of the turn of `speaker` to these listeners, or to everybody
    /// on the stage if there are none.
    pub(super) fn deliver(
        &mut self,
        mut message: ChatMessage,
        listeners: &[String],
        speaker: Option<&str>,
    ) {
        self.stamp(&mut message);
        let original = message.clone();
        let source = self.entity_here(&message.source);
        let stage = self.stage;
        if message.is_event() {
            let event = ParticipantEvent { message };
            self.params.events.think(stage, event);
        } else if listeners.is_empty() {
            let excluded: Vec<Entity> = source.into_iter().chain(self.entity(CONTROLLER)).collect();
            let event = PublicMessage { message };
            let events = &mut self.params.events;
            events.broadcast_to_stage(stage, event, &excluded);
        } else {
            let listeners = listeners.iter();
            let listeners: Vec<Entity> = listeners
                .filter_map(|name| self.entity_here(name))
                .collect();
            let event = Whisper { message };
            self.params.events.notify_entities(&listeners, event);
        }
        match self.as_delivered(original) {
            Ok(message) => {
                self.deliver_handoff_context(&message);
                self.keep(message, listeners.is_empty(), speaker);
            }
            Err(reason) => {
                let text = self.prompt(&WithheldPrompt { reason: &reason });
                let notice = ChatMessage::text(self.team.name.as_str(), text);
                self.deliver(notice, &[], speaker);
            }
        }
    }

    /// Records a message of a team that was called as a tool. Nobody hears it.
    pub(super) fn record_inner(&mut self, message: InnerMessage) {
        self.params.events.think(self.stage, message);
    }

    /// The message as the guards changed it.
    ///
    /// # Errors
    /// Why a guard blocked it.
    fn as_delivered(&self, message: ChatMessage) -> Result<ChatMessage, String> {
        let Some(event) = self.params.events.last() else {
            return Ok(message);
        };
        if event.blocked {
            let reason = event.guarded.last().map(|act| act.reason.to_string());
            return Err(reason.unwrap_or_default());
        }
        if event.guarded.is_empty() {
            return Ok(message);
        }
        let guarded = event.data.get("message").cloned().unwrap_or_default();
        Ok(ChatMessage::from_json(guarded).unwrap_or(message))
    }

    /// Tells the target of a handoff, and nobody else, what it should know.
    fn deliver_handoff_context(&mut self, message: &ChatMessage) {
        let Content::Handoff {
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
            self.params.events.notify_entities(&[entity], event);
        }
    }

    /// Keeps a message for the termination condition, for the selection of the next speaker, and
    /// for inner and outer teams.
    fn keep(&mut self, message: ChatMessage, is_public: bool, speaker: Option<&str>) {
        if !message.is_event() && is_public {
            for participant in &self.team.participants {
                let name = participant.name.as_str();
                if participant.inner_team().is_some() && Some(name) != speaker {
                    let unheard = self.chat.unheard.entry(name.to_owned()).or_default();
                    unheard.push(message.clone());
                }
            }
        }
        if speaker.is_some() && self.params.teams.outer(&self.team.name).is_some() {
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
        _ => match ChatMessage::from_json(item.clone()) {
            Ok(message) => format!("{}: {}", message.source, message.to_model_text()),
            Err(_) => value_text(item),
        },
    }
}

/// `name(arguments)`.
fn call_text(call: &Value) -> String {
    match (&call["name"], &call["arguments"]) {
        (Value::String(name), Value::String(arguments)) => format!("{name}({arguments})"),
        _ => value_text(call),
    }
}

/// `name → result`.
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
