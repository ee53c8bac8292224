//! What a writer writes of a team.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::graph_file::GraphFile;
use crate::context::View;
use crate::groupchat::termination::Rule;
use crate::message::Language;
use crate::tool::schema_for;

/// A value that is written bare where it is given.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A team as its file says it; what is absent has its default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename = "Team")]
pub struct TeamFile {
    /// The name; unique among participants and teams.
    pub name: String,
    /// The language of all that it says and is told.
    pub language: Language,
    /// One line about it, for lists and for those who choose it as a participant.
    pub title: String,
    /// What everybody reads first; the same for all, so that prompts share it.
    pub rules: String,
    /// Who gives the tasks.
    pub user: String,
    /// Who takes part, in order.
    pub participants: Vec<Participant>,
    /// Teams that are participants of this one, or play inside one.
    pub teams: Vec<TeamFile>,
    /// Teams that participants may call as tools.
    pub team_tools: Vec<ToolTeam>,
    /// Who speaks next.
    pub selection: Selection,
    /// Who may speak after whom.
    pub transitions: Transitions,
    /// When a run ends: where one of these fires.
    pub termination: Vec<Rule>,
    /// The most turns of a run.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// The model that answers for the team itself: who selects, plans, sums up.
    pub model: String,
    /// Whether the choice of speakers is told as events.
    pub emit_team_events: bool,
    /// Whether participants may whisper to some of the others.
    pub whispers: bool,
    /// How much somebody sees who joins later.
    pub newcomers: Newcomers,
    /// Texts that no message may carry; guards mask them.
    pub secrets: Vec<String>,
    /// Whether people outside may stop it, speak, and let others join and leave while it runs.
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
            participants: Vec::new(),
            teams: Vec::new(),
            team_tools: Vec::new(),
            selection: Selection::default(),
            transitions: Transitions::default(),
            termination: Vec::new(),
            max_turns: None,
            model: String::new(),
            emit_team_events: false,
            whispers: false,
            newcomers: Newcomers::default(),
            secrets: Vec::new(),
            open: false,
        }
    }
}

/// A team that participants may call as a tool: each call gives it a task, and its result is what comes of it.
/// It plays in a world of its own, and remembers nothing between two calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolTeam {
    /// The name of the tool, as `tools` of participants give it.
    pub name: String,
    /// What minds are told of it; the title of the team where empty.
    pub about: String,
    /// Whether its last message alone is returned, else all of them.
    pub return_value_as_last_message: bool,
    /// The team.
    pub team: TeamFile,
}

impl ToolTeam {
    /// What minds are told of it.
    pub fn description(&self) -> &str {
        match self.about.is_empty() {
            true => &self.team.title,
            false => &self.about,
        }
    }
}

/// Somebody who takes part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Participant {
    /// The name, in any language.
    pub name: String,
    /// What it is good for; those who select read it.
    pub description: String,
    /// What opens its conversation.
    pub system_message: String,
    /// The model that answers for it; the run's own where empty.
    pub model: String,
    /// What it is.
    pub kind: Kind,
    /// To whom it may give the word.
    pub handoffs: Vec<Handoff>,
    /// How much of its conversation each request shows.
    pub view: View,
    /// What it always remembers; shown at each turn and not kept in its conversation.
    pub memory: Vec<String>,
    /// Whether its words are also told piece by piece.
    pub stream: bool,
    /// Skills, for those who assign work by them.
    pub skills: Vec<String>,
    /// To whom it speaks.
    pub audience: Audience,
    /// Whether it stands ready and joins later.
    pub absent: bool,
    /// Types of messages that it may answer with as JSON; plain text where empty.
    pub produces: Vec<String>,
    /// The most tokens of an answer.
    pub max_tokens: u32,
    /// What it may call before it answers, by the names of the toolbox. With tools it hands over by a
    /// tool too.
    pub tools: Vec<String>,
    /// Rounds of tool calls in one turn.
    pub max_tool_iterations: u32,
    /// Whether it puts what tools returned into words of its own; else they are its answer as they are.
    /// Where it is absent, only those do whose answers have a form.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub reflect_on_tool_use: Option<bool>,
    /// How each result stands in such an answer: `{tool_name}`, `{arguments}`, `{result}` and
    /// `{is_error}` are filled in.
    pub tool_call_summary_format: String,
    /// A function of the library's user that does so instead.
    pub tool_call_summary: String,
    /// The form of its answers, where they are JSON. What comes in another form is text.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
}

impl Default for Participant {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            system_message: String::new(),
            model: String::new(),
            kind: Kind::default(),
            handoffs: Vec::new(),
            view: View::default(),
            memory: Vec::new(),
            stream: false,
            skills: Vec::new(),
            audience: Audience::default(),
            absent: false,
            produces: Vec::new(),
            max_tokens: 1024,
            tools: Vec::new(),
            max_tool_iterations: 1,
            reflect_on_tool_use: None,
            tool_call_summary_format: "{result}".into(),
            tool_call_summary: String::new(),
            output: None,
        }
    }
}

impl Participant {
    /// An assistant of this name.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// The same participant with what opens its conversation.
    #[must_use]
    pub fn told(mut self, system_message: impl Into<String>) -> Self {
        self.system_message = system_message.into();
        self
    }

    /// The same participant with what it is good for.
    #[must_use]
    pub fn described(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// The same participant, answering with values of this type, which messages carry under this name.
    #[must_use]
    pub fn answering<T: JsonSchema>(mut self, name: impl Into<String>) -> Self {
        self.output = Some(Output {
            name: name.into(),
            schema: schema_for::<T>().to_string(),
            format: String::new(),
        });
        self
    }

    /// Whether it puts what tools returned into words of its own.
    pub fn reflects(&self) -> bool {
        self.reflect_on_tool_use.unwrap_or(self.output.is_some())
    }

    /// The same participant, able to give the word to another.
    #[must_use]
    pub fn handing_to(mut self, target: impl Into<String>) -> Self {
        self.handoffs.push(Handoff {
            target: target.into(),
            message: String::new(),
        });
        self
    }
}

/// The form of somebody's answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    /// The name of the type, as messages carry it.
    pub name: String,
    /// The JSON schema of the type, as text.
    pub schema: String,
    /// How people read it, such as `{title}: {reward}`; as JSON where empty.
    pub format: String,
}

/// What a participant is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Kind {
    /// A mind that answers.
    #[default]
    Assistant,
    /// A person at a seat.
    Person,
    /// The team of this name plays in its place, and all of its messages are heard.
    Team,
    /// Runs the code in fenced blocks: rhai in a sandbox; python and sh, where whoever runs the program
    /// allows it, once an approver has said yes.
    Coder {
        /// Whether its own mind writes the code, and says what came of it; else the code is others'.
        #[serde(default)]
        writes: bool,
        /// Whose code is run, where it is others'; everybody's where empty.
        #[serde(default)]
        sources: Vec<String>,
        /// Who must say yes: a participant, or the user where empty.
        #[serde(default)]
        approver: String,
        /// How often its own mind may mend code that failed.
        #[serde(default)]
        retries: u32,
    },
    /// A team talks inside, and one answer of its own is heard.
    Society {
        /// The team's name.
        team: String,
        /// What it is asked to make of the talk; a phrase of the world's language where empty.
        #[serde(default)]
        instruction: String,
    },
}

/// Somebody to whom the word may go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handoff {
    /// Who.
    pub target: String,
    /// What is said then; a phrase that names the target where empty.
    #[serde(default)]
    pub message: String,
}

/// To whom a participant speaks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Audience {
    /// To all.
    #[default]
    All,
    /// To these alone.
    Only(Vec<String>),
}

/// Who speaks next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Selection {
    /// Each in turn.
    #[default]
    RoundRobin,
    /// The team's own mind picks.
    Selector {
        /// What it is asked; a phrase of the world's language where empty. May hold `{roles}`,
        /// `{participants}` and `{history}`.
        #[serde(default)]
        prompt: String,
        /// Whether somebody may speak twice in a row.
        #[serde(default)]
        repeats: bool,
        /// How often it may try.
        #[serde(default = "three")]
        attempts: u32,
        /// A function of the library's user that picks; where it picks nobody, the mind does.
        #[serde(default)]
        function: String,
        /// A function of the library's user that says who may be picked.
        #[serde(default)]
        candidates: String,
    },
    /// Whoever speaks says who goes on.
    Swarm,
    /// By lot.
    Random {
        /// Whether somebody may speak twice in a row.
        #[serde(default)]
        repeats: bool,
    },
    /// A person picks.
    Manual {
        /// Who; the user where empty.
        #[serde(default)]
        by: String,
    },
    /// A function of the library's user picks; nobody ends the run.
    Function(String),
    /// Along the edges of a graph.
    Graph(GraphFile),
    /// The team's own mind keeps a ledger: it analyses, assigns, watches progress and sums up.
    Ledger {
        /// After so many rounds without progress it plans anew.
        #[serde(default = "three")]
        max_stalls: u32,
        /// How often it may plan anew.
        #[serde(default = "three")]
        max_replans: u32,
    },
}

fn three() -> u32 {
    3
}

impl Selection {
    /// A selector as it is without options.
    pub fn selector() -> Self {
        Self::Selector {
            prompt: String::new(),
            repeats: false,
            attempts: 3,
            function: String::new(),
            candidates: String::new(),
        }
    }

    /// The name of the manager in AutoGen's saved states.
    pub fn manager(&self) -> &'static str {
        match self {
            Self::RoundRobin => "RoundRobinGroupChatManager",
            Self::Selector { .. } => "SelectorGroupChatManager",
            Self::Swarm => "SwarmGroupChatManager",
            Self::Graph(_) => "GraphManager",
            Self::Ledger { .. } => "MagenticOneOrchestrator",
            Self::Random { .. } | Self::Manual { .. } | Self::Function(_) => "GroupChatManager",
        }
    }
}

/// Who may speak after whom.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Transitions {
    /// Anybody after anybody.
    #[default]
    Free,
    /// After each, only these; after a participant that is not listed nobody, after others anybody.
    Allowed(IndexMap<String, Vec<String>>),
    /// After each, none of these.
    Disallowed(IndexMap<String, Vec<String>>),
}

impl Transitions {
    /// Anybody after anybody, but only these twice in a row.
    pub fn repeating(names: &[&str], repeaters: &[&str]) -> Self {
        let rows = names.iter().map(|name| {
            let others = names.iter().filter(|other| *other != name);
            let own = repeaters.contains(name).then_some(name);
            let row = others.chain(own).map(ToString::to_string);
            ((*name).to_owned(), row.collect())
        });
        Self::Allowed(rows.collect())
    }

    /// Who of these may speak after `speaker`.
    pub fn after<'a>(&self, speaker: Option<&str>, all: &[&'a str]) -> Vec<&'a str> {
        let listed = |map: &IndexMap<String, Vec<String>>, name: &str| {
            let list = speaker.and_then(|speaker| map.get(speaker));
            list.map(|list| list.iter().any(|other| other == name))
        };
        let is_member = speaker.is_some_and(|speaker| all.contains(&speaker));
        let may = |name: &&&str| match self {
            Self::Free => true,
            // A participant that the map leaves out is followed by nobody.
            Self::Allowed(map) => listed(map, name).unwrap_or(!is_member),
            Self::Disallowed(map) => !listed(map, name).unwrap_or(false),
        };
        all.iter().filter(may).copied().collect()
    }

    /// All names in it, with their paths.
    pub(super) fn names(&self) -> BTreeMap<String, Vec<&str>> {
        let map = match self {
            Self::Free => return BTreeMap::new(),
            Self::Allowed(map) | Self::Disallowed(map) => map,
        };
        map.iter()
            .map(|(from, to)| {
                let mut names = vec![from.as_str()];
                names.extend(to.iter().map(String::as_str));
                ("transitions".to_owned(), names)
            })
            .fold(BTreeMap::new(), |mut all, (path, names)| {
                all.entry(path).or_default().extend(names);
                all
            })
    }
}

/// How much somebody sees who joins later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Newcomers {
    /// What is said from then on.
    #[default]
    Nothing,
    /// The last so many messages that everybody heard.
    Last(usize),
    /// All that everybody heard.
    Everything,
}

impl TeamFile {
    /// A team of these, taking turns.
    pub fn of(
        name: impl Into<String>,
        participants: impl IntoIterator<Item = Participant>,
    ) -> Self {
        Self {
            name: name.into(),
            participants: participants.into_iter().collect(),
            ..Self::default()
        }
    }

    /// One participant by itself: each task is one turn of its own.
    pub fn alone(participant: Participant) -> Self {
        let name = format!("solo-{}", participant.name);
        Self::of(name, [participant]).turns(1)
    }

    /// The same team, choosing speakers so.
    #[must_use]
    pub fn selecting(mut self, selection: Selection) -> Self {
        self.selection = selection;
        self
    }

    /// The same team, ending so.
    #[must_use]
    pub fn ending(mut self, rule: Rule) -> Self {
        self.termination.push(rule);
        self
    }

    /// The same team with at most so many turns a run.
    #[must_use]
    pub fn turns(mut self, most: u32) -> Self {
        self.max_turns = Some(most);
        self
    }

    /// The same team with one more team inside.
    #[must_use]
    pub fn with_team(mut self, team: Self) -> Self {
        self.teams.push(team);
        self
    }

    /// The participant of this name.
    pub fn participant(&self, name: &str) -> Option<&Participant> {
        self.participants.iter().find(|one| one.name == name)
    }

    /// The names of all participants, in order.
    pub fn names(&self) -> Vec<&str> {
        let names = self.participants.iter().map(|one| one.name.as_str());
        names.collect()
    }

    /// This team and all within it.
    pub fn all(&self) -> Vec<&Self> {
        let within = self.teams.iter().flat_map(Self::all);
        std::iter::once(self).chain(within).collect()
    }

    /// The teams that somebody in this team, or in one within it, may call as tools.
    pub fn tool_teams(&self) -> impl Iterator<Item = &ToolTeam> {
        let all = self.all().into_iter();
        all.flat_map(|team| &team.team_tools)
    }

    /// The models that it, all teams within it and those called as tools prefer.
    pub fn models(&self) -> BTreeSet<&str> {
        let mut models = BTreeSet::new();
        for team in self.all() {
            models.insert(team.model.as_str());
            models.extend(team.participants.iter().map(|one| one.model.as_str()));
            models.extend(team.team_tools.iter().flat_map(|tool| tool.team.models()));
        }
        models.remove("");
        models
    }

    /// When a run ends; nothing where no rule is given.
    pub fn rule(&self) -> Option<Rule> {
        match self.termination.as_slice() {
            [] => None,
            [one] => Some(one.clone()),
            many => Some(Rule::Any(many.to_vec())),
        }
    }

    /// Whether something outside must be asked at each turn: a clock, or people.
    pub fn needs_watch(&self) -> bool {
        let rules = self.termination.iter().flat_map(Rule::all);
        let outside = |rule: &Rule| {
            matches!(
                rule,
                Rule::External
                    | Rule::Timeout {
                        seconds: Some(_),
                        ..
                    }
            )
        };
        self.open || rules.into_iter().any(outside)
    }
}
