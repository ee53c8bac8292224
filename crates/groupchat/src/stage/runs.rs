//! Beginning and resetting runs. Tasks are answers of the user, so that they are recorded and
//! replayed like all other answers.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::CastList;
use playhouse_engine::event::AnsweredBy;
use playhouse_engine::exchange::Ask;
use playhouse_engine::locale::text;

use super::chat::{Chat, Phase};
use super::deliver::Delivery;
use super::events::EarlierMessage;
use super::forget;
use super::ledger::TaskLedger;
use super::step::ChatStep;
use super::user_input::{CONTROLLER, UserInput};
use crate::message::{ChatContent, ChatMessage};
use crate::perspective::spoken;
use crate::team::{Selection, TeamFile};
use crate::termination::TerminationState;

impl ChatStep<'_, '_, '_> {
    /// The outermost team asks its user for a task. Inner teams wait for theirs.
    pub(super) fn ask_user(&mut self) {
        if self.params.teams.outer(&self.team.name).is_some() {
            return;
        }
        let Some(user) = self.entity(&self.team.user) else {
            return;
        };
        let factory = self.params.teams.factory.clone();
        let ask = Ask::new("chat.task", "", factory, UserInput::default());
        self.ask(user, ask.repairs(0).max_tokens(8_192));
        self.chat.phase = Phase::AskedUser;
    }

    pub(super) fn take_user_input(&mut self, user: Entity, input: UserInput, by: AnsweredBy) {
        self.chat.phase = Phase::Waiting;
        if let AnsweredBy::Fallback(reason) = by {
            self.edit_context(user, forget::remove_last_answer);
            return self.fail(&reason);
        }
        if input.reset {
            return self.reset();
        }
        let is_answer = input.messages.is_empty();
        if !is_answer {
            // It said what is in the messages, not their JSON.
            self.edit_context(user, forget::remove_last_answer);
        }
        self.begin(input.into_messages(&self.team.user), is_answer);
    }

    /// Begins a run with these messages; without any, the conversation continues. `is_answer`:
    /// whether their sources have them in their contexts already.
    pub(super) fn begin(&mut self, messages: Vec<ChatMessage>, is_answer: bool) {
        let chat = &mut *self.chat;
        chat.runs += 1;
        chat.turns = 0;
        chat.stop = None;
        chat.failed = false;
        chat.external = false;
        chat.elapsed_ms = 0;
        chat.failed_picks = 0;
        chat.report.clear();
        chat.unchecked.clear();
        chat.termination = self.team.condition().map(TerminationState::new);
        if !messages.is_empty() {
            chat.delta.clear();
            chat.ledger = TaskLedger::default();
            chat.goal = goal(&messages);
        }
        for message in std::mem::take(&mut self.chat.earlier) {
            let excluded: Vec<Entity> = self.entity(CONTROLLER).into_iter().collect();
            let event = EarlierMessage { message };
            let events = &mut self.params.events;
            events.broadcast_to_stage(self.stage, event, &excluded);
        }
        for message in messages {
            if let ChatContent::Handoff { target, .. } = &message.content
                && self.team.selection == Selection::Swarm
                && self.team.participant(target).is_none()
            {
                return self.fail(&text!(groupchat_fail_task_target, name = target));
            }
            // A participant who gives the task has had its turn.
            if self.team.participant(&message.source).is_some() {
                self.chat.current = Some(message.source.clone());
            }
            let how = Delivery {
                is_answer,
                ..Delivery::default()
            };
            self.deliver(message, how);
        }
        self.finish_or_select();
    }

    /// Everybody forgets the conversation, inner teams included.
    fn reset(&mut self) {
        self.chat.forget();
        // At the next meeting.
        for team in self.team.nested() {
            let team = team.clone();
            let forget = move |world: &mut World| reset_team(world, &team);
            self.params.events.defer(forget);
        }
        let outside = [self.team.user.clone(), CONTROLLER.to_owned()];
        self.params.events.defer(move |world| {
            for name in &outside {
                if let Some(entity) = world.resource::<CastList>().by_name(name) {
                    forget::archive(world, entity);
                }
            }
        });
    }
}

/// Makes everybody in one team forget the conversation.
pub(super) fn reset_team(world: &mut World, team: &TeamFile) {
    for name in team.names().into_iter().chain([team.name.as_str()]) {
        let Some(entity) = world.resource::<CastList>().by_name(name) else {
            continue;
        };
        forget::archive(world, entity);
        if let Some(mut chat) = world.get_mut::<Chat>(entity) {
            chat.forget();
        }
    }
}

/// A task as text: its words, or what each of several says.
fn goal(task: &[ChatMessage]) -> String {
    match task {
        [only] => only.to_model_text(),
        several => {
            let said = several.iter().filter(|message| !message.is_event());
            let lines = said.map(|said| spoken(&said.source, &said.to_model_text()));
            lines.collect::<Vec<_>>().join("\n")
        }
    }
}
