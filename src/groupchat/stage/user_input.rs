//! What comes from outside: tasks of the user, and whatever happens while a run is under way. Both are
//! answers, so that they are recorded and replayed like all others.

use bevy_ecs::prelude::*;

use super::{At, CONTROL_MESSAGE, Chat, ChatParams, ControlMessage, Phase, UserInput};
use crate::cast::{CastList, OnStage, Place};
use crate::context::AgentContext;
use crate::event::By;
use crate::exchange::Ask;
use crate::groupchat::message::{ChatMessage, Content};
use crate::groupchat::perspective::words;
use crate::groupchat::team::{Newcomers, Selection};
use crate::groupchat::termination::Termination;
use crate::message::Role;

impl ChatParams<'_, '_> {
    /// The outermost team asks its user what to do; a team inside waits to be asked.
    pub(super) fn ask_order(&mut self, at: &mut At) {
        if self.teams.around(&at.team.name).is_some() {
            return;
        }
        let Some(user) = self.entity(&at.team.user) else {
            return;
        };
        let factory = self.teams.factory.clone();
        let ask = Ask::new("chat.task", "", factory, UserInput::default());
        self.commands
            .entity(user)
            .insert(ask.repairs(0).max_tokens(8_192));
        at.chat.phase = Phase::Ordered;
    }

    pub(super) fn take_order(&mut self, at: &mut At) {
        let Some((user, order, by)) = self.replies.orders.take().into_iter().next() else {
            return;
        };
        at.chat.phase = Phase::Waiting;
        if let By::Fallback(reason) = by {
            self.forget_last(user);
            return self.fail(at, reason);
        }
        if order.reset {
            return self.reset(at);
        }
        let mut messages = order.messages;
        if !order.words.is_empty() {
            messages.insert(0, ChatMessage::text(at.team.user.as_str(), order.words));
        }
        self.begin(at, messages);
    }

    /// A run begins with these messages.
    pub(super) fn begin(&mut self, at: &mut At, messages: Vec<ChatMessage>) {
        let chat = &mut *at.chat;
        chat.runs += 1;
        chat.turns = 0;
        chat.stop = None;
        chat.failed = false;
        chat.external = false;
        chat.elapsed_ms = 0;
        chat.nobody = 0;
        chat.report.clear();
        chat.unseen.clear();
        chat.watch = at.team.rule().map(Termination::new);
        if !messages.is_empty() {
            chat.delta.clear();
            chat.ledger = Default::default();
        }
        let known = at.team.names();
        let names: Vec<String> = known.iter().map(ToString::to_string).collect();
        for message in messages {
            if let Content::Handoff { target, .. } = &message.content
                && at.team.selection == Selection::Swarm
                && !names.contains(target)
            {
                let reason = self.words(
                    format!("the task goes to '{target}', who takes no part"),
                    format!("任务交给了“{target}”，但没有这个参与者"),
                );
                return self.fail(at, reason);
            }
            // Whoever opens a conversation has had the word.
            if names.contains(&message.source) {
                at.chat.current = Some(message.source.clone());
            }
            self.said(at, message, &[], None);
        }
        self.go_on(at);
    }

    /// Everybody forgets what was said; teams inside too.
    fn reset(&mut self, at: &mut At) {
        let (runs, messages) = (at.chat.runs, at.chat.messages);
        *at.chat = Chat {
            runs,
            messages,
            ..Chat::default()
        };
        let mut all: Vec<String> = at.team.names().iter().map(ToString::to_string).collect();
        all.push(at.team.user.clone());
        all.push(CONTROL_MESSAGE.to_owned());
        let mut entities: Vec<Entity> = all.iter().filter_map(|name| self.entity(name)).collect();
        entities.push(at.stage);
        for entity in entities {
            if let Ok(mut context) = self.contexts.get_mut(entity) {
                forget(&mut context);
            }
        }
        let inside = at.team.all();
        for team in inside.into_iter().skip(1) {
            let name = team.name.clone();
            let names: Vec<String> = team.names().iter().map(ToString::to_string).collect();
            self.tell.defer(move |world| {
                for name in names.iter().chain([&name]) {
                    let Some(entity) = world.resource::<CastList>().by_name(name) else {
                        continue;
                    };
                    if let Some(mut context) = world.get_mut::<AgentContext>(entity) {
                        forget(&mut context);
                    }
                    if let Some(mut chat) = world.get_mut::<Chat>(entity) {
                        *chat = Chat::default();
                    }
                }
            });
        }
    }

    /// Takes the last line of somebody out of its own conversation: a run that failed leaves none.
    pub(super) fn forget_last(&mut self, entity: Entity) {
        let Ok(mut context) = self.contexts.get_mut(entity) else {
            return;
        };
        let last = context.entries().last();
        if let Some(id) = last
            .filter(|last| last.role() == Role::Ai)
            .map(|last| last.id())
        {
            // The id was read just now.
            let _ = context.remove_message_range(id, id);
        }
    }

    /// Takes the last call of a tool and its result out of somebody's own conversation.
    pub(super) fn forget_round(&mut self, entity: Entity) {
        let Ok(mut context) = self.contexts.get_mut(entity) else {
            return;
        };
        let mut last = context.entries().iter().rev();
        let (returned, called) = (last.next(), last.next());
        if let (Some(returned), Some(called)) = (returned, called)
            && (returned.role(), called.role()) == (Role::Tool, Role::Ai)
        {
            let (first, last) = (called.id(), returned.id());
            // The ids were read just now.
            let _ = context.remove_message_range(first, last);
        }
    }

    // --- while a run is under way ---

    pub(super) fn ask_bell(&mut self, at: &mut At) {
        let Some(bell) = self.entity(CONTROL_MESSAGE) else {
            return self.choose(at);
        };
        let ask = Ask::new("chat.bell", "", (), ControlMessage::default()).repairs(0);
        self.commands.entity(bell).insert(ask);
        at.chat.phase = Phase::ControlMessage;
    }

    pub(super) fn take_bell(&mut self, at: &mut At) {
        let Some((_, bell, _)) = self.replies.bells.take().into_iter().next() else {
            return;
        };
        at.chat.elapsed_ms = bell.elapsed_ms;
        at.chat.external |= bell.stop;
        for message in bell.say {
            self.said(at, message, &[], None);
        }
        for name in &bell.leave {
            self.leave(at, name);
        }
        for name in &bell.join {
            self.join(at, name);
        }
        match self.check(at) {
            Some(stop) => self.finish(at, stop),
            // Who comes and goes does so when all rest.
            None if !bell.join.is_empty() || !bell.leave.is_empty() => {
                at.chat.phase = Phase::Choose;
            }
            None => self.choose(at),
        }
    }

    fn leave(&mut self, at: &At, name: &str) {
        let Some(entity) = self
            .entity(name)
            .filter(|_| at.team.participant(name).is_some())
        else {
            return tracing::warn!("'{name}' can't leave: it takes no part");
        };
        self.tell.defer(move |world| {
            if let Ok(mut entity) = world.get_entity_mut(entity) {
                entity.remove::<OnStage>();
                entity.insert(Place);
            }
        });
    }

    /// Somebody joins, and sees as much of what all heard as the team's rule says.
    fn join(&mut self, at: &At, name: &str) {
        let Some(entity) = self
            .entity(name)
            .filter(|_| at.team.participant(name).is_some())
        else {
            return tracing::warn!("'{name}' can't join: it is no participant of the team");
        };
        let most = match at.team.newcomers {
            Newcomers::Nothing => 0,
            Newcomers::Last(most) => most,
            Newcomers::Everything => usize::MAX,
        };
        let stage = at.stage;
        self.tell
            .defer(move |world| enter(world, entity, stage, most));
    }
}

fn enter(world: &mut World, entity: Entity, stage: Entity, most: usize) {
    if world.get::<OnStage>(entity).is_some() {
        return;
    }
    let heard = world
        .get::<AgentContext>(stage)
        .into_iter()
        .flat_map(|heard| {
            let told = heard.entries().iter();
            told.filter(|entry| entry.role() == Role::Human)
                .filter_map(|entry| {
                    let source = entry.body().sender()?.to_string();
                    Some(ChatMessage::text(source, words(entry.body())))
                })
        });
    let heard: Vec<ChatMessage> = heard.collect();
    let from = heard.len().saturating_sub(most);
    if let Ok(mut entity) = world.get_entity_mut(entity) {
        entity.remove::<Place>();
        entity.insert(OnStage(stage));
    }
    crate::event::write_events_at_meeting(world, |tell| {
        for message in heard.into_iter().skip(from) {
            tell.notify_entities(&[entity], super::events::Recalled { message });
        }
    });
}

/// Takes everything but the opening out of a conversation.
fn forget(context: &mut AgentContext) {
    let mut said = context
        .entries()
        .iter()
        .filter(|entry| entry.role() != Role::System);
    let first = said.next().map(|entry| entry.id());
    let last = said.next_back().map(|entry| entry.id()).or(first);
    if let (Some(first), Some(last)) = (first, last) {
        // The ids were read just now.
        let _ = context.remove_message_range(first, last);
    }
}
