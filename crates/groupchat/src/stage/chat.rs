//! The state of a conversation: a component of its stage.

use std::collections::{BTreeMap, BTreeSet};

use bevy_ecs::prelude::*;
use playhouse_engine::cast::CastList;
use playhouse_tools::code::Snippet;
use serde::{Deserialize, Serialize};

use super::events::InnerMessage;
use super::ledger::TaskLedger;
use crate::graph_flow::GraphFlow;
use crate::message::ChatMessage;
use crate::team::TeamFile;
use crate::termination::{StopReason, TerminationState};

/// What a conversation is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// No run is in progress. The outermost team asks its user for a task.
    #[default]
    Waiting,
    /// The user was asked for a task.
    AskedUser,
    /// The outer team has given a task.
    Begin,
    /// The next speaker is to be selected.
    Select,
    /// The controller of the run was asked.
    AskedControl,
    /// A model or a person was asked who speaks next.
    Picking,
    /// The selected speakers speak: participants, inner teams, or both.
    Speaking,
    /// The ledger's model analyses the task.
    Analysing,
    /// The ledger's model judges the progress.
    Judging,
    /// The ledger's model gives the final answer.
    Concluding,
    /// The team's own model sums up its conversation before it selects.
    Folding,
}

/// The state of a conversation. It is a component of the team's stage, and saved with it.
#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Chat {
    pub phase: Phase,
    /// The number of runs begun so far.
    pub runs: u32,
    /// The number of turns in this run.
    pub turns: u32,
    /// The task of this run as text.
    pub goal: String,
    /// Whether the user has a new task although the run is unfinished.
    pub(super) interrupted: bool,
    /// The source of the last message, which may be the user.
    pub last_speaker: Option<String>,
    /// The participant that had the last turn.
    pub current: Option<String>,
    /// The number of messages and events so far.
    pub messages: u64,
    /// The messages since a speaker was last selected.
    pub delta: Vec<ChatMessage>,
    /// The messages and events that the termination condition has not seen yet.
    pub(super) unchecked: Vec<ChatMessage>,
    /// The selected speakers, in order.
    pub speaking: Vec<String>,
    /// The turns of those selected speakers who wait for the others.
    pub(super) finished_turns: BTreeMap<String, FinishedTurn>,
    /// The turns of coders that are in progress.
    pub(super) code_turns: BTreeMap<String, CodeTurn>,
    /// The events of coders whose own model was asked for the last word on their code.
    pub(super) code_events: BTreeMap<String, Vec<ChatMessage>>,
    /// The participants that sum up their conversations before they speak.
    pub(super) folding: BTreeSet<String>,
    /// The notes of participants. They stay when everybody forgets the conversation.
    pub notes: BTreeMap<String, Vec<String>>,
    /// The finished talks of inner teams, by the participant who is to summarise them.
    pub(super) inner_talks: BTreeMap<String, Vec<ChatMessage>>,
    /// The messages that an inner team has not heard yet, by its participant.
    pub(crate) unheard: BTreeMap<String, Vec<ChatMessage>>,
    /// The state of the termination condition in this run.
    pub(super) termination: Option<TerminationState>,
    /// Wall-clock milliseconds since the run began, as the clock outside reported them.
    pub elapsed_ms: u64,
    /// Whether a stop was asked for from outside.
    pub external: bool,
    /// How often in a row a selector named nobody.
    pub(super) failed_picks: u32,
    pub(super) graph_flow: GraphFlow,
    pub(super) ledger: TaskLedger,
    /// The messages of this run for the outer team; empty for the outermost team.
    pub(super) report: Vec<ChatMessage>,
    /// The task from the outer team.
    pub(super) task: Vec<ChatMessage>,
    /// What was said in the outer team before that.
    pub(super) earlier: Vec<ChatMessage>,
    /// Why the last run ended; `None` during a run.
    pub stop: Option<StopReason>,
    /// Whether the last run ended with an error.
    pub failed: bool,
    /// Whether runs go on with a default answer where a participant can't answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub falls_back: bool,
}

impl Chat {
    /// That of the team with this name.
    pub(crate) fn of<'w>(world: &'w World, team: &str) -> Option<&'w Self> {
        world.get(world.resource::<CastList>().by_name(team)?)
    }

    pub(crate) fn of_mut<'w>(world: &'w mut World, team: &str) -> Option<Mut<'w, Self>> {
        let stage = world.resource::<CastList>().by_name(team)?;
        world.get_mut(stage)
    }

    /// Forgets the conversation. Its notes and settings stay, and so does the count of messages,
    /// from which ids are made.
    pub(super) fn forget(&mut self) {
        *self = Self {
            runs: self.runs,
            messages: self.messages,
            notes: std::mem::take(&mut self.notes),
            falls_back: self.falls_back,
            ..Self::default()
        };
    }

    /// Adapts a saved state to another version of its team.
    pub(crate) fn adapt(&mut self, team: &TeamFile, is_same_selection: bool) {
        let is_running = self.phase != Phase::Waiting;
        self.termination = match (self.termination.take(), team.condition()) {
            (Some(state), Some(condition)) => Some(state.adapted_to(&condition)),
            (None, Some(condition)) if is_running => Some(TerminationState::new(condition)),
            _ => None,
        };
        if !is_same_selection {
            // Its edges are numbered.
            self.graph_flow = GraphFlow::default();
            self.ledger = TaskLedger::default();
        }
    }
}

/// A message or event of a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Utterance {
    /// A message or an event of the participant.
    Own(ChatMessage),
    /// A message of a team that the participant called as a tool.
    Inner(InnerMessage),
}

impl Utterance {
    pub(crate) fn message_mut(&mut self) -> &mut ChatMessage {
        match self {
            Self::Own(message) | Self::Inner(InnerMessage { message, .. }) => message,
        }
    }
}

impl From<ChatMessage> for Utterance {
    fn from(message: ChatMessage) -> Self {
        Self::Own(message)
    }
}

/// The turn of a selected speaker, before it is delivered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct FinishedTurn {
    /// Messages and events, in order.
    pub(super) utterances: Vec<Utterance>,
    /// Whether code wrote its message, so that the speaker does not have it in its context.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) by_code: bool,
    /// Who hears them; everybody if empty.
    pub(super) listeners: Vec<String>,
    /// Why the speaker failed, if it did.
    pub(super) error: Option<String>,
}

impl FinishedTurn {
    /// A turn that everybody hears.
    pub(super) fn of(messages: impl IntoIterator<Item = ChatMessage>) -> Self {
        Self {
            utterances: messages.into_iter().map(Utterance::Own).collect(),
            ..Self::default()
        }
    }

    pub(super) fn by_code(messages: impl IntoIterator<Item = ChatMessage>) -> Self {
        Self {
            by_code: true,
            ..Self::of(messages)
        }
    }

    /// A turn in which the speaker failed.
    pub(super) fn failed(error: impl Into<String>) -> Self {
        Self {
            error: Some(error.into()),
            ..Self::default()
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct CodeTurn {
    pub(super) step: CodeStep,
    pub(super) snippets: Vec<Snippet>,
    /// How often its model has fixed the code.
    pub(super) attempt: u32,
    /// What it did so far.
    pub(super) events: Vec<ChatMessage>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) enum CodeStep {
    /// Its own model writes code.
    #[default]
    Writing,
    /// The code runs, unless it turns out to need approval.
    Running,
    /// The code needs approval; the approver is busy.
    NeedsApproval,
    AskedApprover(String),
    /// Its own model comments on the result.
    Reporting,
}
