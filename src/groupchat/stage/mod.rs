//! A conversation on its stage: the systems that choose, ask, listen and tell.
//!
//! [`Chat`] says where a conversation stands; one system, [`play`], moves it on at each step of its
//! stage. `choose.rs` finds who speaks next, `speak.rs` asks and listens, `orders.rs` takes in what comes
//! from outside, `code.rs` lets code run, `orchestrate.rs` keeps the ledger. One turn of the conversation is one turn of the
//! world, so that a save stands between any two messages. Start reading at [`Phase`].

mod chat;
mod choose;
mod code;
pub mod events;
mod ledger;
mod orchestrate;
mod replies;
mod speak;
mod tell;
mod tools;
mod user_input;

pub(super) use chat::Uttered;
pub use chat::{Chat, Phase, Teams};
pub use ledger::{Analysis, Assignment, Complexity, Ledger, Progress, Subtask};
pub use replies::{Approval, ControlMessage, Pick, Say, UserInput};
pub(super) use tools::{register_handoffs, round_events, transfer_tool};

use std::sync::Arc;

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;

use super::team::TeamFile;
use super::termination::Stop;
use crate::cast::{CastList, CurrentStage, EntityName, OnStage, StageRng};
use crate::context::AgentContext;
use crate::engine::{AskCount, Setup, StepSet};
use crate::event::EventWriter;
use crate::exchange::{Answers, Prose};
use crate::message::Language;
use replies::{Produced, Shaped, Words};

/// The name of whoever is asked what happened outside.
pub const CONTROL_MESSAGE: &str = "(bell)";

/// Adds the systems, events and saved parts of conversations.
pub(super) fn plugin(setup: &mut Setup) {
    events::register(&mut setup.world);
    setup.saves().component::<Chat>("chat");
    setup.step.add_systems(play.in_set(StepSet::Rules));
}

/// Answers of all kinds that a conversation asks for.
#[derive(SystemParam)]
struct Replies<'w, 's> {
    orders: Answers<'w, 's, UserInput>,
    bells: Answers<'w, 's, ControlMessage>,
    picks: Answers<'w, 's, Pick>,
    words: Answers<'w, 's, Words>,
    prose: Answers<'w, 's, Prose>,
    says: Answers<'w, 's, Say>,
    produced: Answers<'w, 's, Produced>,
    shaped: Answers<'w, 's, Shaped>,
    approvals: Answers<'w, 's, Approval>,
    analyses: Answers<'w, 's, Analysis>,
    progress: Answers<'w, 's, Progress>,
}

/// All that a step of a conversation looks at and changes.
#[derive(SystemParam)]
pub struct ChatParams<'w, 's> {
    here: Res<'w, CurrentStage>,
    teams: Res<'w, Teams>,
    language: Res<'w, Language>,
    list: Res<'w, CastList>,
    chance: StageRng<'w, 's>,
    chats: Query<'w, 's, &'static mut Chat>,
    contexts: Query<'w, 's, &'static mut AgentContext>,
    names: Query<'w, 's, &'static EntityName>,
    asked: Query<'w, 's, &'static AskCount>,
    on_stage: Query<'w, 's, &'static OnStage>,
    replies: Replies<'w, 's>,
    tell: EventWriter<'w, 's>,
    commands: Commands<'w, 's>,
}

/// The conversation that steps.
struct At<'a> {
    stage: Entity,
    team: &'a TeamFile,
    chat: &'a mut Chat,
}

/// Moves the conversation of the stage that steps on.
pub fn play(mut board: ChatParams) {
    let CurrentStage::Place(stage) = *board.here else {
        return;
    };
    let Ok(mut held) = board.chats.get_mut(stage) else {
        return;
    };
    let mut chat = std::mem::take(&mut *held);
    let team = board.names.get(stage).ok();
    let team: Option<Arc<TeamFile>> = team.and_then(|name| board.teams.team(&name.0)).cloned();
    if let Some(team) = team {
        board.step(&mut At {
            stage,
            team: &team,
            chat: &mut chat,
        });
    }
    if let Ok(mut held) = board.chats.get_mut(stage) {
        *held = chat;
    }
}

impl ChatParams<'_, '_> {
    fn step(&mut self, at: &mut At) {
        match at.chat.phase {
            Phase::Waiting => self.ask_order(at),
            Phase::Ordered => self.take_order(at),
            Phase::Begin => {
                let given = std::mem::take(&mut at.chat.given);
                self.begin(at, given);
            }
            Phase::Choose => match at.team.needs_watch() {
                true => self.ask_bell(at),
                false => self.choose(at),
            },
            Phase::ControlMessage => self.take_bell(at),
            Phase::Picking => self.take_pick(at),
            Phase::Speaking => self.listen(at),
            Phase::Analysing => self.take_analysis(at),
            Phase::Judging => self.take_progress(at),
            Phase::Concluding => self.take_conclusion(at),
        }
    }

    /// Ends the run for a reason.
    fn finish(&mut self, at: &mut At, stop: Stop) {
        at.chat.stop = Some(stop);
        at.chat.phase = Phase::Waiting;
        at.chat.watch = None;
        at.chat.speaking.clear();
        at.chat.spoken.clear();
        at.chat.overheard.clear();
        at.chat.coding.clear();
        at.chat.coded.clear();
        self.report(at);
    }

    /// Ends the run because something failed.
    fn fail(&mut self, at: &mut At, reason: impl Into<String>) {
        at.chat.failed = true;
        let stop = Stop {
            content: reason.into(),
            source: "Error".into(),
        };
        self.finish(at, stop);
    }

    /// The participants that are there, in order.
    fn present<'t>(&self, at: &At<'t>) -> Vec<&'t str> {
        let is_there = |name: &&str| {
            let stands = self.list.by_name(name);
            let stands = stands.and_then(|entity| self.on_stage.get(entity).ok());
            // A team that takes part is a stage of its own.
            let is_team = at
                .team
                .participant(name)
                .is_some_and(|one| one.kind == super::team::Kind::Team);
            is_team || stands.is_some_and(|on| on.0 == at.stage)
        };
        at.team.names().into_iter().filter(is_there).collect()
    }

    fn entity(&self, name: &str) -> Option<Entity> {
        self.list.by_name(name)
    }

    fn name(&self, entity: Entity) -> String {
        let name = self.names.get(entity);
        name.map(ToString::to_string).unwrap_or_default()
    }

    /// Words in the language of the world that are not worth a phrase of their own.
    fn words(&self, en: impl Into<String>, zh: impl Into<String>) -> String {
        match *self.language {
            Language::En => en.into(),
            Language::Zh => zh.into(),
        }
    }

    /// A phrase of the world's language; a missing one stops the run as a mistake of the game.
    fn say(&mut self, phrase: &str, facts: &serde_json::Value) -> String {
        match self.tell.phrases().say(phrase, facts) {
            Ok(words) => words,
            Err(reason) => {
                self.tell.fault(crate::event::Fault::Game(reason.into()));
                String::new()
            }
        }
    }
}
