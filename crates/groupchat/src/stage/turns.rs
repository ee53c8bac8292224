//! Letting the selected participants speak.

use playhouse_engine::event::AgentEvent;
use playhouse_engine::locale::text;
use playhouse_engine::message::Role;

use super::chat::{Chat, Phase};
use super::events::PublicMessage;
use super::runs::reset_team;
use super::step::ChatStep;
use crate::message::{ChatContent, ChatMessage};
use crate::perspective::text_without_speaker;
use crate::team::{Participant, ParticipantKind};

impl ChatStep<'_, '_, '_> {
    /// Lets these participants speak, all at the same time.
    pub(super) fn let_speak(&mut self, names: Vec<String>) {
        if names.is_empty() {
            return self.fail(&text!(groupchat_fail_nobody));
        }
        if self.team.emit_team_events {
            let event = ChatContent::SelectSpeaker(names.clone());
            self.post(ChatMessage::new(self.team.selection.manager(), event));
        }
        self.chat.forget_turns();
        self.chat.phase = Phase::Speaking;
        for name in &names {
            let Some(participant) = self.team.participant(name) else {
                continue;
            };
            match &participant.kind {
                ParticipantKind::Assistant | ParticipantKind::Person => {
                    if !self.fold_before_speaking(participant) {
                        self.ask_to_speak(participant);
                    }
                }
                ParticipantKind::Coder { .. } => self.begin_code_turn(participant),
                ParticipantKind::Team => self.begin_inner_run(participant, &participant.name),
                ParticipantKind::Society { team, .. } => self.begin_inner_run(participant, team),
            }
        }
        self.chat.speaking = names;
    }

    /// Gives an inner team the messages that it has not heard yet as its task. The team of a
    /// society starts over each time, and is told everything that was said before.
    fn begin_inner_run(&mut self, participant: &Participant, inner: &str) {
        let task = self
            .chat
            .unheard
            .remove(&participant.name)
            .unwrap_or_default();
        let society = match participant.kind {
            ParticipantKind::Society { .. } => self.params.teams.team(inner).cloned(),
            _ => None,
        };
        let earlier = match &society {
            Some(_) => self.heard_before(participant, task.len()),
            None => Vec::new(),
        };
        let inner = inner.to_owned();
        self.params.events.defer(move |world| {
            for team in society.iter().flat_map(|team| team.nested()) {
                reset_team(world, team);
            }
            if let Some(mut chat) = Chat::of_mut(world, &inner) {
                chat.earlier = earlier;
                chat.task = task;
                chat.phase = Phase::Begin;
            }
        });
    }

    /// What a participant said and heard, without the last `unheard` messages of others.
    fn heard_before(&self, participant: &Participant, unheard: usize) -> Vec<ChatMessage> {
        let entity = self.entity(&participant.name);
        let Some(context) = entity.and_then(|entity| self.context(entity)) else {
            return Vec::new();
        };
        let entries = context.entries().iter();
        let mut said: Vec<_> = entries
            .filter(|entry| match entry.role() {
                Role::Human => entry.body().event_type() == Some(PublicMessage::TYPE),
                Role::Ai => true,
                Role::System | Role::Tool => false,
            })
            .collect();
        let mut left = unheard;
        while left > 0 && said.pop_if(|last| last.role() == Role::Human).is_some() {
            left -= 1;
        }
        let messages = said.into_iter().filter_map(|entry| {
            let body = entry.body();
            let text = match entry.role() {
                Role::Human => text_without_speaker(body),
                _ => body.short_text().to_string(),
            };
            let sender = body.sender()?.to_string();
            (!text.trim().is_empty()).then(|| ChatMessage::text(sender, text))
        });
        messages.collect()
    }
}
