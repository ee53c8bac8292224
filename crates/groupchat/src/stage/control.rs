//! Control from outside during a run: stopping it, speaking, joining and leaving, and the clock.
//! All of this is an answer of the controller, so that it is recorded and replayed like all other
//! answers.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{OnStage, Place};
use playhouse_engine::context::AgentContext;
use playhouse_engine::event::write_events_at_meeting;
use playhouse_engine::exchange::Ask;
use playhouse_engine::message::Role;

use super::chat::Phase;
use super::events::{EarlierMessage, OwnMessage};
use super::step::ChatStep;
use super::user_input::{CONTROLLER, ControlMessage, warn_absent};
use crate::message::ChatMessage;
use crate::perspective::text_without_speaker;
use crate::team::HistoryVisibility;

impl ChatStep<'_, '_, '_> {
    /// Asks the controller what has happened; without one, the next speaker is selected at once.
    pub(super) fn ask_control(&mut self) {
        let Some(controller) = self.entity(CONTROLLER) else {
            return self.select();
        };
        let ask = Ask::new("chat.control", "", (), ControlMessage::default());
        self.ask(controller, ask.repairs(0));
        self.chat.phase = Phase::AskedControl;
    }

    pub(super) fn take_control(&mut self, control: ControlMessage) {
        self.chat.elapsed_ms = self.chat.elapsed_ms.saturating_add(control.elapsed_ms);
        self.chat.external |= control.stop;
        let present = self.present();
        for message in control.say {
            let source = &message.source;
            let is_here = present.contains(&source.as_str()) || control.join.contains(source);
            if is_here || self.team.participant(source).is_none() {
                self.post(message);
            } else {
                warn_absent(source);
            }
        }
        for name in &control.leave {
            self.leave(name);
        }
        for name in &control.join {
            self.join(name);
        }
        match self.check_termination() {
            Some(stop) => self.finish(stop),
            // They join and leave at the next meeting.
            None if !control.join.is_empty() || !control.leave.is_empty() => {
                self.chat.phase = Phase::Select;
            }
            None => self.select(),
        }
    }

    fn participant_entity(&self, name: &str) -> Option<Entity> {
        let participant = self.team.participant(name)?;
        self.entity(&participant.name)
    }

    fn leave(&mut self, name: &str) {
        let Some(entity) = self.participant_entity(name) else {
            return tracing::warn!("'{name}' can't leave: it is not a participant of the team");
        };
        self.params.events.defer(move |world| {
            if let Ok(mut entity) = world.get_entity_mut(entity) {
                entity.remove::<OnStage>();
                entity.insert(Place);
            }
        });
    }

    fn join(&mut self, name: &str) {
        let Some(entity) = self.participant_entity(name) else {
            return tracing::warn!("'{name}' can't join: it is not a participant of the team");
        };
        let max_messages = match self.team.newcomers {
            HistoryVisibility::Nothing => 0,
            HistoryVisibility::Last(messages) => messages,
            HistoryVisibility::Everything => usize::MAX,
        };
        let stage = self.stage;
        self.params
            .events
            .defer(move |world| enter(world, entity, stage, max_messages));
    }
}

/// Puts a participant on the stage and tells it the last messages that everybody heard.
fn enter(world: &mut World, entity: Entity, stage: Entity, max_messages: usize) {
    if world.get::<OnStage>(entity).is_some() {
        return;
    }
    let heard = world
        .get::<AgentContext>(stage)
        .map_or(Vec::new(), |heard| unknown_to(world, entity, heard));
    if let Ok(mut entity) = world.get_entity_mut(entity) {
        entity.remove::<Place>();
        entity.insert(OnStage(stage));
    }
    let skipped = heard.len().saturating_sub(max_messages);
    write_events_at_meeting(world, |events| {
        for (message, is_own) in heard.into_iter().skip(skipped) {
            if is_own {
                events.notify_entities(&[entity], OwnMessage { message });
            } else {
                events.notify_entities(&[entity], EarlierMessage { message });
            }
        }
    });
}

/// The messages in the context of a stage that an entity has not heard or said, and whether they
/// are its own.
fn unknown_to(world: &World, entity: Entity, heard: &AgentContext) -> Vec<(ChatMessage, bool)> {
    let context = world.get::<AgentContext>(entity);
    let known = context.map(AgentContext::entries).unwrap_or_default();
    let name = context.map(|context| context.name().clone());
    let messages = heard
        .entries()
        .iter()
        .filter(|entry| entry.role() == Role::Human);
    let unknown = messages.filter_map(|entry| {
        let body = entry.body();
        let speaker = body.sender()?;
        let text = text_without_speaker(body);
        let is_own = name.as_ref() == Some(speaker);
        let mut known = known.iter();
        let is_known = known.any(|known| {
            if is_own {
                known.role() == Role::Ai && *known.body().short_text() == *text
            } else {
                known.body().id() == body.id()
            }
        });
        let message = ChatMessage::text(speaker.to_string(), text);
        (!is_known).then_some((message, is_own))
    });
    unknown.collect()
}
