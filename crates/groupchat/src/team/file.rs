//! Team files.

use std::collections::BTreeSet;

use playhouse_engine::message::Language;
use serde::{Deserialize, Serialize};

use super::participant::Participant;
use super::selection::{Selection, Transitions};
use crate::termination::Termination;

/// A team as its file describes it. Everything but the name and the participants has a default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename = "Team")]
#[must_use]
pub struct TeamFile {
    /// The name; unique among participants and teams.
    pub name: String,
    pub language: Language,
    /// A one-line description, for lists and for models that select speakers.
    pub title: String,
    /// The beginning of every system message; shared, so that prompts can share it too.
    pub rules: String,
    /// The name of the user, who gives the tasks.
    pub user: String,
    /// What the names of participants may be.
    pub naming: Naming,
    /// The participants, in order.
    pub participants: Vec<Participant>,
    /// Inner teams, which speak through a participant of this team.
    pub teams: Vec<TeamFile>,
    /// Teams that participants may call as tools.
    pub team_tools: Vec<ToolTeam>,
    /// How the next speaker is selected.
    pub selection: Selection,
    /// Who may speak after whom.
    pub transitions: Transitions,
    /// A run ends when one of these is met.
    pub termination: Vec<Termination>,
    /// The maximum number of turns in a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// When conversations are folded into summaries; never if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fold: Option<Fold>,
    /// The model that answers for the team itself: it selects, plans and concludes.
    pub model: String,
    /// Whether selections of speakers are reported as events.
    pub emit_team_events: bool,
    /// Whether participants may whisper to some of the others.
    pub whispers: bool,
    /// What participants see who join later.
    pub newcomers: HistoryVisibility,
    /// Texts that no message may contain; guards mask them.
    pub secrets: Vec<String>,
    /// Whether the controller may stop it, speak, and let others join and leave during a run.
    pub open: bool,
}

impl Default for TeamFile {
    fn default() -> Self {
        Self {
            name: String::new(),
            language: Language::default(),
            title: String::new(),
            rules: String::new(),
            user: "user".into(),
            naming: Naming::default(),
            participants: Vec::new(),
            teams: Vec::new(),
            team_tools: Vec::new(),
            selection: Selection::default(),
            transitions: Transitions::default(),
            termination: Vec::new(),
            max_turns: None,
            fold: None,
            model: String::new(),
            emit_team_events: false,
            whispers: false,
            newcomers: HistoryVisibility::default(),
            secrets: Vec::new(),
            open: false,
        }
    }
}

/// What the names of a team's participants may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Naming {
    /// Any name of one line, with spaces too.
    #[default]
    Any,
    /// Identifiers, as AutoGen requires: letters of any language, digits and `_`, and no digit
    /// first.
    Identifiers,
}

impl Naming {
    pub(super) fn allows(self, name: &str) -> bool {
        let mut rest = name.chars();
        let is_letter = |first: char| first.is_alphabetic() || first == '_';
        let is_inner = |inner: char| inner.is_alphanumeric() || inner == '_';
        self == Self::Any || (rest.next().is_some_and(is_letter) && rest.all(is_inner))
    }
}

/// A team that participants may call as a tool. Each call runs it in a new world.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolTeam {
    /// The name of the tool, for the `tools` of participants.
    pub name: String,
    /// The description of the tool for models; the title of the team if empty.
    pub about: String,
    /// Whether only the last message is returned; otherwise all are.
    pub return_value_as_last_message: bool,
    pub team: TeamFile,
}

impl ToolTeam {
    /// The description of the tool for models.
    pub(crate) fn description(&self) -> &str {
        if self.about.is_empty() {
            &self.team.title
        } else {
            &self.about
        }
    }
}

/// When and how the conversation of a participant, or of the team's own model, is folded into a
/// summary: before it is asked, by its own model. What was folded can still be looked up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fold {
    /// The most estimated tokens that a conversation has before it is folded.
    pub tokens: u64,
    /// How many of the last messages stay as they are.
    pub keep: usize,
    /// How to sum up; a default instruction if empty.
    pub instruction: String,
}

impl Default for Fold {
    fn default() -> Self {
        Self {
            tokens: 8_000,
            keep: 4,
            instruction: String::new(),
        }
    }
}

/// How much of the conversation so far participants see who join later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Newcomers", expecting = "enum Newcomers")]
pub enum HistoryVisibility {
    /// What is said from then on.
    #[default]
    Nothing,
    /// The last messages that everybody heard, up to this number.
    Last(usize),
    /// All messages that everybody heard.
    Everything,
}

impl TeamFile {
    /// A team of these participants, who speak in turn.
    pub fn new(
        name: impl Into<String>,
        participants: impl IntoIterator<Item = Participant>,
    ) -> Self {
        Self {
            name: name.into(),
            participants: participants.into_iter().collect(),
            ..Self::default()
        }
    }

    /// A team of one: each task is a single turn.
    pub fn solo(participant: Participant) -> Self {
        let name = format!("solo-{}", participant.name);
        Self::new(name, [participant]).with_max_turns(1)
    }

    /// Sets how the next speaker is selected.
    pub fn with_selection(mut self, selection: Selection) -> Self {
        self.selection = selection;
        self
    }

    pub fn with_termination(mut self, condition: Termination) -> Self {
        self.termination.push(condition);
        self
    }

    /// Sets the maximum number of turns in a run.
    pub fn with_max_turns(mut self, turns: u32) -> Self {
        self.max_turns = Some(turns);
        self
    }

    pub fn with_team(mut self, team: Self) -> Self {
        self.teams.push(team);
        self
    }

    pub fn participant(&self, name: &str) -> Option<&Participant> {
        self.participants
            .iter()
            .find(|participant| participant.name == name)
    }

    /// The names of all participants, in order.
    pub fn names(&self) -> Vec<&str> {
        let participants = self.participants.iter();
        participants
            .map(|participant| participant.name.as_str())
            .collect()
    }

    /// This team and all inner teams, to any depth.
    pub fn nested(&self) -> Vec<&Self> {
        let inner = self.teams.iter().flat_map(Self::nested);
        std::iter::once(self).chain(inner).collect()
    }

    /// The teams that participants of this team or of an inner one may call as tools.
    pub fn tool_teams(&self) -> impl Iterator<Item = &ToolTeam> {
        self.nested().into_iter().flat_map(|team| &team.team_tools)
    }

    /// This team, and those that are called as tools, to any depth. Each has a world of its own.
    pub(crate) fn with_tool_teams(&self) -> Vec<&Self> {
        let tools = self.tool_teams();
        let called = tools.flat_map(|tool| tool.team.with_tool_teams());
        std::iter::once(self).chain(called).collect()
    }

    /// The models that this team, its inner teams, and teams called as tools name.
    pub fn models(&self) -> BTreeSet<&str> {
        let mut models = BTreeSet::new();
        for team in self.nested() {
            models.insert(team.model.as_str());
            let participants = team.participants.iter();
            models.extend(participants.map(|participant| participant.model.as_str()));
            models.extend(team.team_tools.iter().flat_map(|tool| tool.team.models()));
        }
        models.remove("");
        models
    }

    /// The condition on which a run ends, if there is any.
    pub(crate) fn condition(&self) -> Option<Termination> {
        match self.termination.as_slice() {
            [] => None,
            [condition] => Some(condition.clone()),
            several => Some(Termination::Any(several.to_vec())),
        }
    }

    /// Whether the controller, such as a clock, is asked on each turn.
    pub(crate) fn needs_control(&self) -> bool {
        let mut conditions = self.termination.iter().flat_map(Termination::nested);
        self.open
            || conditions.any(|condition| {
                matches!(
                    condition,
                    Termination::External
                        | Termination::Timeout {
                            seconds: Some(_),
                            ..
                        }
                )
            })
    }
}
