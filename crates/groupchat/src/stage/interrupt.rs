//! A new task, or a reset, while a run is unfinished: what was said stays, and the user is asked at
//! once instead of the next speaker.

use bevy_ecs::prelude::*;
use playhouse_engine::engine::Inputs;

use super::chat::{Chat, FinishedTurn, Phase};
use super::step::ChatStep;
use super::teams::Teams;
use crate::message::ChatMessage;
use crate::team::{ParticipantKind, Selection, TeamFile};

/// The input that tells a world that the user has something to say.
pub(crate) const INTERRUPT: &str = "interrupt";

/// The input that tells a world whether a run goes on where a participant can't answer.
pub(crate) const FALLS_BACK: &str = "falls_back";

/// Takes what the user has put in since the last turn.
pub(crate) fn take_inputs(world: &mut World) {
    let Some(Inputs(inputs)) = world.get_resource() else {
        return;
    };
    let is_interrupted = inputs.iter().any(|input| input == INTERRUPT);
    let mut told = inputs.iter().rev();
    let falls_back = told.find_map(|input| input.get(FALLS_BACK)?.as_bool());
    let outermost = world.resource::<Teams>().outermost.clone();
    if let Some(falls_back) = falls_back {
        for team in outermost.nested() {
            if let Some(mut chat) = Chat::of_mut(world, &team.name) {
                chat.falls_back = falls_back;
            }
        }
    }
    if is_interrupted {
        interrupt(world, &outermost);
    }
}

/// Interrupts the run of the outermost team.
fn interrupt(world: &mut World, outermost: &TeamFile) {
    // Innermost teams first, so that what they said reaches the outermost.
    for outer in outermost.nested().into_iter().rev() {
        for participant in &outer.participants {
            let inner = participant.inner_team();
            let Some(mut chat) = inner.and_then(|inner| Chat::of_mut(world, inner)) else {
                continue;
            };
            if chat.phase == Phase::Waiting {
                continue;
            }
            let said = chat.abandon();
            // Of a society, only a summary would have been heard.
            if participant.kind != ParticipantKind::Team || said.is_empty() {
                continue;
            }
            let is_outermost = outer.name == outermost.name;
            if let Some(mut chat) = Chat::of_mut(world, &outer.name) {
                if is_outermost {
                    let turn = FinishedTurn::of(said);
                    chat.finished_turns.insert(participant.name.clone(), turn);
                } else {
                    chat.report.extend(said);
                }
            }
        }
    }
    if let Some(mut chat) = Chat::of_mut(world, &outermost.name) {
        chat.interrupted = chat.phase != Phase::Waiting;
    }
}

impl Chat {
    /// Gives up the run of an inner team. Returns what was said in it.
    fn abandon(&mut self) -> Vec<ChatMessage> {
        self.phase = Phase::Waiting;
        self.termination = None;
        self.forget_turns();
        std::mem::take(&mut self.report)
    }

    /// Forgets the turns that are in progress.
    pub(super) fn forget_turns(&mut self) {
        self.speaking.clear();
        self.finished_turns.clear();
        self.inner_talks.clear();
        self.code_turns.clear();
        self.code_events.clear();
        self.folding.clear();
    }
}

impl ChatStep<'_, '_, '_> {
    /// Leaves an unfinished run, so that the user is asked next. Turns that are finished are
    /// delivered; others that were selected in a graph are selected again.
    pub(super) fn leave_run(&mut self) {
        self.chat.interrupted = false;
        let mut turns = std::mem::take(&mut self.chat.finished_turns);
        let mut unfinished = Vec::new();
        for name in std::mem::take(&mut self.chat.speaking) {
            match turns.remove(&name).filter(|turn| turn.error.is_none()) {
                Some(turn) => self.deliver_turn(name, turn),
                None => unfinished.push(name),
            }
        }
        if matches!(self.team.selection, Selection::Graph(_)) {
            self.chat.graph_flow.put_back(unfinished);
        }
        self.chat.forget_turns();
        self.chat.termination = None;
        self.chat.phase = Phase::Waiting;
    }
}
