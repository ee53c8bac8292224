//! Beginning and resetting runs. Tasks are answers of the user, so that they are recorded and
//! replayed like all other answers.

use bevy_ecs::prelude::*;

use super::chat::{Chat, Phase};
use super::forget;
use super::ledger::Ledger;
use super::step::ChatStep;
use super::user_input::{CONTROLLER, UserInput};
use crate::cast::CastList;
use crate::context::AgentContext;
use crate::event::By;
use crate::exchange::Ask;
use crate::groupchat::message::{ChatMessage, Content};
use crate::groupchat::team::Selection;
use crate::groupchat::termination::TerminationState;
use crate::locale::text;

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

    pub(super) fn take_user_input(&mut self, user: Entity, input: UserInput, by: By) {
        self.chat.phase = Phase::Waiting;
        if let By::Fallback(reason) = by {
            self.edit_context(user, forget::remove_last_answer);
            return self.fail(&reason);
        }
        if input.reset {
            return self.reset();
        }
        let text = Some(input.words).filter(|text| !text.is_empty());
        let text = text.map(|text| ChatMessage::text(self.team.user.as_str(), text));
        self.begin(text.into_iter().chain(input.messages).collect());
    }

    /// Begins a run with these messages; without any, the conversation continues.
    pub(super) fn begin(&mut self, messages: Vec<ChatMessage>) {
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
            chat.ledger = Ledger::default();
        }
        for message in messages {
            if let Content::Handoff { target, .. } = &message.content
                && self.team.selection == Selection::Swarm
                && self.team.participant(target).is_none()
            {
                return self.fail(&text!(groupchat_fail_task_target, name = target));
            }
            // A participant who gives the task has had its turn.
            if self.team.participant(&message.source).is_some() {
                self.chat.current = Some(message.source.clone());
            }
            self.post(message);
        }
        self.finish_or_select();
    }

    /// Everybody forgets the conversation, inner teams included.
    fn reset(&mut self) {
        *self.chat = Chat {
            runs: self.chat.runs,
            messages: self.chat.messages,
            ..Chat::default()
        };
        let names = self.team.names().into_iter();
        let names = names.chain([self.team.user.as_str(), CONTROLLER]);
        let mut entities: Vec<Entity> = names.filter_map(|name| self.entity(name)).collect();
        entities.push(self.stage);
        for entity in entities {
            self.edit_context(entity, forget::clear);
        }
        // Those of inner teams, at the next meeting.
        for team in self.team.nested().into_iter().skip(1) {
            let names = team.names().into_iter().chain([team.name.as_str()]);
            let names: Vec<String> = names.map(str::to_owned).collect();
            self.params.events.defer(move |world| {
                for name in &names {
                    let Some(entity) = world.resource::<CastList>().by_name(name) else {
                        continue;
                    };
                    if let Some(mut context) = world.get_mut::<AgentContext>(entity) {
                        forget::clear(&mut context);
                    }
                    if let Some(mut chat) = world.get_mut::<Chat>(entity) {
                        *chat = Chat::default();
                    }
                }
            });
        }
    }
}
