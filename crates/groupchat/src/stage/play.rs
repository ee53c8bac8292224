//! The system that moves conversations on.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CurrentStage, EntityName};
use playhouse_engine::engine::{Inputs, MeetSet, Setup, StepSet};
use playhouse_engine::event::{AnsweredBy, register_events};
use playhouse_engine::exchange::{Answers, Reply};
use playhouse_engine::session::take_told;

use super::answers::ChatAnswers;
use super::chat::{Chat, Phase};
use super::events::EVENTS;
use super::interrupt;
use super::replies::TextReply;
use super::step::{ChatParams, ChatStep};

/// Adds the systems, events and saved components of conversations.
pub(crate) fn plugin(setup: &mut Setup) {
    register_events(&mut setup.world, EVENTS);
    setup.saves().component::<Chat>("chat");
    setup.step.add_systems(play.in_set(StepSet::Rules));
    let inputs = interrupt::take_inputs.run_if(resource_exists::<Inputs>);
    let inputs = (inputs, take_told).chain();
    setup.meet.add_systems(inputs.in_set(MeetSet::Rules));
}

/// Moves on the conversation of the current stage.
fn play(
    current_stage: Res<CurrentStage>,
    mut chats: Query<(&EntityName, &mut Chat)>,
    mut params: ChatParams,
    mut answers: ChatAnswers,
) {
    let CurrentStage::Place(stage) = *current_stage else {
        return;
    };
    let Ok((name, mut chat)) = chats.get_mut(stage) else {
        return;
    };
    let Some(team) = params.teams.team(&name.0).cloned() else {
        return;
    };
    let mut step = ChatStep {
        stage,
        team: &team,
        chat: &mut chat,
        params: &mut params,
    };
    step.advance(&mut answers);
}

impl ChatStep<'_, '_, '_> {
    fn advance(&mut self, answers: &mut ChatAnswers<'_, '_>) {
        if self.chat.interrupted {
            self.leave_run();
        }
        match self.chat.phase {
            Phase::Waiting => self.ask_user(),
            Phase::AskedUser => {
                if let Some((user, input, by)) = first(&mut answers.user_inputs) {
                    self.take_user_input(user, input, by);
                }
            }
            Phase::Begin => {
                let task = std::mem::take(&mut self.chat.task);
                self.begin(task, false);
            }
            Phase::Select if self.team.needs_control() => self.ask_control(),
            Phase::Select => self.select(),
            Phase::AskedControl => {
                if let Some((_, control, _)) = first(&mut answers.controls) {
                    self.take_control(control);
                }
            }
            Phase::Picking => {
                if let Some((entity, pick, by)) = first(&mut answers.picks) {
                    self.take_pick(entity, &pick, &by);
                }
            }
            Phase::Folding => {
                if let Some((stage, TextReply(summary), by)) = first(&mut answers.texts) {
                    self.take_summary(stage, &summary, &by);
                    self.select_now();
                }
            }
            Phase::Speaking => self.listen(answers),
            Phase::Analysing => {
                if let Some((_, analysis, by)) = first(&mut answers.analyses) {
                    self.take_analysis(&analysis, by);
                }
            }
            Phase::Judging => {
                if let Some((_, progress, by)) = first(&mut answers.progress) {
                    self.take_progress(progress, by);
                }
            }
            Phase::Concluding => {
                if let Some((_, conclusion, _)) = first(&mut answers.conclusions) {
                    self.take_conclusion(conclusion);
                }
            }
        }
    }
}

fn first<R: Reply>(answers: &mut Answers<'_, '_, R>) -> Option<(Entity, R, AnsweredBy)> {
    answers.take().into_iter().next()
}
