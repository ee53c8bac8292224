//! Where a conversation stands: components of its stage.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use super::code::Coding;
use super::events::InnerMessage;
use super::ledger::Ledger;
use crate::groupchat::flow::Flow;
use crate::groupchat::functions::Functions;
use crate::groupchat::message::{ChatMessage, MessageFactory};
use crate::groupchat::team::TeamFile;
use crate::groupchat::termination::{Stop, Termination};

/// What a conversation is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nothing is asked of the team; the outermost asks its user.
    #[default]
    Waiting,
    /// The user was asked.
    Ordered,
    /// A task came from the team around this one.
    Begin,
    /// Somebody is to be chosen.
    Choose,
    /// Those outside were asked whether anything happened.
    ControlMessage,
    /// A mind was asked who speaks next.
    Picking,
    /// Somebody speaks: minds, teams inside, or both.
    Speaking,
    /// The ledger's mind analyses the task.
    Analysing,
    /// The ledger's mind judges the progress.
    Judging,
    /// The ledger's mind sums up.
    Concluding,
}

/// Where one conversation stands. It stands on the team's stage, and is saved with it.
#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Chat {
    /// What it is doing.
    pub phase: Phase,
    /// How many runs were begun.
    pub runs: u32,
    /// How many turns this run has had.
    pub turns: u32,
    /// Who spoke last; the user included.
    pub last_speaker: Option<String>,
    /// Who had the word last; where a round goes on from.
    pub current: Option<String>,
    /// Messages so far; the number of the last.
    pub messages: u64,
    /// What was said since somebody was last chosen.
    pub delta: Vec<ChatMessage>,
    /// What was said, and not looked at by the conditions yet.
    pub(super) unseen: Vec<ChatMessage>,
    /// Who has the word, in order.
    pub speaking: Vec<String>,
    /// What those have said already who wait for the others.
    pub(super) spoken: BTreeMap<String, Spoken>,
    /// Where those stand who run code.
    pub(super) coding: BTreeMap<String, Coding>,
    /// What those did whose own mind now has the last word about their code.
    pub(super) coded: BTreeMap<String, Vec<ChatMessage>>,
    /// Those inside whose talk is over, and who are to sum it up.
    pub(super) overheard: BTreeMap<String, Vec<ChatMessage>>,
    /// What each team inside has not heard yet.
    pub(super) unheard: BTreeMap<String, Vec<ChatMessage>>,
    /// The watch on this run.
    pub(super) watch: Option<Termination>,
    /// Wall-clock milliseconds since the run began, as the bell told them.
    pub elapsed_ms: u64,
    /// Whether those outside asked it to end.
    pub external: bool,
    /// How often in a row a selecting mind named nobody.
    pub(super) nobody: u32,
    /// Where it stands in a graph.
    pub(super) flow: Flow,
    /// What a ledger holds.
    pub(super) ledger: Ledger,
    /// The messages of this run, for the team around this one; empty for the outermost.
    pub(super) report: Vec<ChatMessage>,
    /// The task that came from the team around this one.
    pub(super) given: Vec<ChatMessage>,
    /// Why the last run ended; nothing while one is under way.
    pub stop: Option<Stop>,
    /// Whether the last run ended because something failed.
    pub failed: bool,
}

/// Something that is to be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in super::super) enum Uttered {
    /// A message or an event of a participant.
    Said(ChatMessage),
    /// What a team said that was called as a tool.
    InnerMessage(InnerMessage),
}

impl Uttered {
    /// The message.
    pub(in super::super) fn message_mut(&mut self) -> &mut ChatMessage {
        match self {
            Self::Said(message) | Self::InnerMessage(InnerMessage { message, .. }) => message,
        }
    }
}

impl From<ChatMessage> for Uttered {
    fn from(message: ChatMessage) -> Self {
        Self::Said(message)
    }
}

/// What one of those who have the word has said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Spoken {
    /// Its messages and events, in order.
    pub(super) messages: Vec<Uttered>,
    /// Who alone hears them; everybody where empty.
    pub(super) ears: Vec<String>,
    /// Why there are none.
    pub(super) failed: Option<String>,
}

/// The teams of a world, by name. Data: it is there again when a world is loaded.
#[derive(Resource, Clone)]
pub struct Teams {
    /// The outermost team.
    pub root: Arc<TeamFile>,
    /// All teams, by name, and the one around each.
    pub(super) by_name: Arc<BTreeMap<String, (Arc<TeamFile>, Option<String>)>>,
    /// The functions of the library's user.
    pub functions: Functions,
    /// The message types that are known.
    pub factory: MessageFactory,
}

impl Teams {
    /// The teams of an outermost one.
    pub fn new(root: TeamFile, functions: Functions, factory: MessageFactory) -> Self {
        let mut by_name = BTreeMap::new();
        add(&root, None, &mut by_name);
        Self {
            root: Arc::new(root),
            by_name: Arc::new(by_name),
            functions,
            factory,
        }
    }

    /// The team of this name.
    pub fn team(&self, name: &str) -> Option<&Arc<TeamFile>> {
        self.by_name.get(name).map(|(team, _)| team)
    }

    /// The team around this one.
    pub fn around(&self, name: &str) -> Option<&str> {
        self.by_name.get(name)?.1.as_deref()
    }
}

fn add(
    team: &TeamFile,
    around: Option<&str>,
    all: &mut BTreeMap<String, (Arc<TeamFile>, Option<String>)>,
) {
    for inner in &team.teams {
        add(inner, Some(&team.name), all);
    }
    let around = around.map(str::to_owned);
    all.insert(team.name.clone(), (Arc::new(team.clone()), around));
}
