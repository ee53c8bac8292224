//! Letting the selected participants speak.

use super::chat::{Chat, Phase};
use super::step::ChatStep;
use crate::cast::CastList;
use crate::groupchat::message::{ChatMessage, Content};
use crate::groupchat::team::{Participant, ParticipantKind};
use crate::locale::text;

impl ChatStep<'_, '_, '_> {
    /// Lets these participants speak, all at the same time.
    pub(super) fn let_speak(&mut self, names: Vec<String>) {
        if names.is_empty() {
            return self.fail(&text!(groupchat_fail_nobody));
        }
        if self.team.emit_team_events {
            let event = Content::SelectSpeaker(names.clone());
            self.post(ChatMessage::new(self.team.selection.manager(), event));
        }
        self.clear_turns();
        self.chat.phase = Phase::Speaking;
        for name in &names {
            let Some(participant) = self.team.participant(name) else {
                continue;
            };
            match &participant.kind {
                ParticipantKind::Assistant | ParticipantKind::Person => {
                    self.ask_to_speak(participant);
                }
                ParticipantKind::Coder { .. } => self.begin_code_turn(participant),
                ParticipantKind::Team => self.begin_inner_run(participant, &participant.name),
                ParticipantKind::Society { team, .. } => self.begin_inner_run(participant, team),
            }
        }
        self.chat.speaking = names;
    }

    /// Gives an inner team the messages that it has not heard yet, as its task.
    fn begin_inner_run(&mut self, participant: &Participant, inner: &str) {
        let task = self.chat.unheard.remove(&participant.name);
        let inner = inner.to_owned();
        self.params.events.defer(move |world| {
            let stage = world.resource::<CastList>().by_name(&inner);
            let chat = stage.and_then(|stage| world.get_mut::<Chat>(stage));
            if let Some(mut chat) = chat {
                chat.task = task.unwrap_or_default();
                chat.phase = Phase::Begin;
            }
        });
    }
}
