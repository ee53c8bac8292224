//! Ending a run.

use playhouse_engine::locale::{UiText, text};

use super::chat::{Chat, FinishedTurn, Phase};
use super::step::ChatStep;
use crate::team::ParticipantKind;
use crate::termination::{DeltaContext, StopReason};

impl ChatStep<'_, '_, '_> {
    /// Ends the run if its termination condition is met, otherwise moves on to the next selection.
    pub(super) fn finish_or_select(&mut self) {
        match self.check_termination() {
            Some(stop) => self.finish(stop),
            None => self.chat.phase = Phase::Select,
        }
    }

    /// Why the run ends now, after the messages since the last check.
    pub(super) fn check_termination(&mut self) -> Option<StopReason> {
        let delta = std::mem::take(&mut self.chat.unchecked);
        let context = DeltaContext {
            turns: self.chat.turns,
            elapsed_ms: self.chat.elapsed_ms,
            external: self.chat.external,
            functions: &self.params.teams.functions,
            language: *self.params.language,
        };
        let termination = self.chat.termination.as_mut();
        let stop = termination.and_then(|state| state.check(&delta, context).ok().flatten());
        stop.or_else(|| {
            let max = self.team.max_turns?;
            if self.chat.turns < max {
                return None;
            }
            let reason = self.translate(&text!(groupchat_stop_max_turns, max));
            Some(StopReason::new(reason, "MaxTurns"))
        })
    }

    pub(super) fn finish(&mut self, stop: StopReason) {
        self.chat.stop = Some(stop);
        self.chat.phase = Phase::Waiting;
        self.chat.termination = None;
        self.chat.forget_turns();
        self.report_to_outer_team();
    }

    /// Ends the run for a reason that is not a condition of the team file.
    pub(super) fn stop(&mut self, reason: &UiText, source: &str) {
        self.finish(StopReason::new(self.translate(reason), source));
    }

    /// Ends the run with an error.
    pub(super) fn fail(&mut self, reason: &UiText) {
        self.chat.failed = true;
        self.stop(reason, "Error");
    }

    /// Gives the messages of this run to the outer team, at the next meeting.
    fn report_to_outer_team(&mut self) {
        let Some(outer) = self.params.teams.outer(&self.team.name) else {
            return;
        };
        let inner = Some(self.team.name.as_str());
        let mut participants = outer.participants.iter();
        let Some(participant) = participants.find(|user| user.inner_team() == inner) else {
            return;
        };
        let (speaker, outer) = (participant.name.clone(), outer.name.clone());
        let is_summarised = participant.kind != ParticipantKind::Team;
        let messages = std::mem::take(&mut self.chat.report);
        let error = self.chat.failed.then(|| {
            let stop = self.chat.stop.as_ref();
            stop.map(|stop| stop.content.clone()).unwrap_or_default()
        });
        self.params.events.defer(move |world| {
            let Some(mut chat) = Chat::of_mut(world, &outer) else {
                return;
            };
            if is_summarised && error.is_none() {
                chat.inner_talks.insert(speaker, messages);
            } else {
                let turn = FinishedTurn {
                    error,
                    ..FinishedTurn::of(messages)
                };
                chat.finished_turns.insert(speaker, turn);
            }
        });
    }
}
