//! Participants of a team.

use playhouse_engine::context::View;
use playhouse_tools::schema_for;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[must_use]
pub struct Participant {
    /// The name, in any language.
    pub name: String,
    /// What it is good at; shown to models that select speakers.
    pub description: String,
    pub system_message: String,
    /// The model; the default model if empty.
    pub model: String,
    pub kind: ParticipantKind,
    /// To whom it may hand over.
    pub handoffs: Vec<Handoff>,
    /// The part of its conversation that each request contains.
    pub view: View,
    /// What it always remembers: added to each request, but not kept in its conversation.
    pub memory: Vec<String>,
    /// Whether its messages are streamed in chunks too.
    pub stream: bool,
    /// Its skills, for teams that assign work by skill.
    pub skills: Vec<String>,
    /// Who hears what it says.
    pub audience: Audience,
    /// Whether it is not in the team at the beginning, but may join later.
    pub absent: bool,
    /// The types of messages that it may answer with as JSON; if empty, it answers with plain text.
    pub produces: Vec<String>,
    /// The maximum number of tokens of an answer.
    pub max_tokens: u32,
    /// The names of the tools that it may call. With tools, it hands over by a tool too.
    pub tools: Vec<String>,
    /// The maximum number of rounds of tool calls in a turn.
    pub max_tool_iterations: u32,
    /// Whether its turn fails if it calls tools in the last round instead of answering.
    pub fail_at_max_tool_iterations: bool,
    /// Whether it answers in its own words after tools were called; otherwise their results are the
    /// answer. The default is true if it has an `output`, else false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reflect_on_tool_use: Option<bool>,
    /// The format of each result in an answer that consists of results, with the placeholders
    /// `{tool_name}`, `{arguments}`, `{result}` and `{is_error}`.
    pub tool_call_summary_format: String,
    /// The name of a function that formats results instead.
    pub tool_call_summary: String,
    /// The type of its answers, if they are JSON. An answer that does not fit becomes a text
    /// message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
}

impl Default for Participant {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            system_message: String::new(),
            model: String::new(),
            kind: ParticipantKind::default(),
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
            fail_at_max_tool_iterations: false,
            reflect_on_tool_use: None,
            tool_call_summary_format: "{result}".into(),
            tool_call_summary: String::new(),
            output: None,
        }
    }
}

impl Participant {
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    pub fn with_system_message(mut self, system_message: impl Into<String>) -> Self {
        self.system_message = system_message.into();
        self
    }

    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// Sets the type of its answers; messages carry the name of its schema.
    pub fn with_output<T: JsonSchema>(mut self) -> Self {
        self.output = Some(Output {
            name: T::schema_name().into_owned(),
            schema: schema_for::<T>().to_string(),
            format: String::new(),
        });
        self
    }

    /// Adds a participant to which it may hand over.
    pub fn with_handoff(mut self, target: impl Into<String>) -> Self {
        self.handoffs.push(Handoff {
            target: target.into(),
            message: String::new(),
        });
        self
    }

    /// The types of messages with which it may answer.
    pub fn produced_message_types(&self) -> Vec<&str> {
        let hands_over = !self.handoffs.is_empty() || self.kind == ParticipantKind::Person;
        let types = [
            ("TextMessage", true),
            ("ToolCallSummaryMessage", !self.tools.is_empty()),
            ("HandoffMessage", hands_over),
            ("StructuredMessage", self.output.is_some()),
        ]
        .into_iter()
        .filter(|(_, may_come)| *may_come);
        let produced = self.produces.iter().map(String::as_str);
        types.map(|(name, _)| name).chain(produced).collect()
    }

    /// Whether it answers in its own words after tools were called.
    pub(crate) fn reflects_on_tool_use(&self) -> bool {
        self.reflect_on_tool_use.unwrap_or(self.output.is_some())
    }

    /// The team that speaks through it, by name.
    pub(crate) fn inner_team(&self) -> Option<&str> {
        match &self.kind {
            ParticipantKind::Team => Some(&self.name),
            ParticipantKind::Society { team, .. } => Some(team),
            ParticipantKind::Assistant
            | ParticipantKind::Person
            | ParticipantKind::Coder { .. } => None,
        }
    }
}

/// The type of a participant's answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    /// The name of the type; the title of the schema if empty.
    pub name: String,
    /// The JSON schema of the type, as text.
    pub schema: String,
    /// How to format it for people, such as `{title}: {reward}`; JSON if empty.
    pub format: String,
}

impl Output {
    /// The name of the type whose schema was parsed.
    pub(crate) fn type_name<'a>(&'a self, schema: &'a Value) -> &'a str {
        match self.name.trim() {
            "" => schema["title"].as_str().unwrap_or_default(),
            name => name,
        }
    }
}

/// What kind of participant it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum ParticipantKind {
    #[default]
    Assistant,
    /// A person at a seat.
    Person,
    /// The team of the same name speaks in its place; all of its messages are heard.
    Team,
    /// Runs fenced code: Rhai in a sandbox; Python and sh if the program allows it and an approver
    /// agrees.
    Coder {
        /// Whether its own model writes the code and comments on the result; otherwise it runs the
        /// code of others.
        #[serde(default)]
        writes: bool,
        /// Whose code it runs, if it runs that of others; everybody's if empty.
        #[serde(default)]
        sources: Vec<String>,
        /// Who must approve: a participant, or the user if empty.
        #[serde(default)]
        approver: String,
        /// How often its own model may fix code that failed.
        #[serde(default)]
        retries: u32,
    },
    /// A team talks in its place, and a summary of the talk is heard.
    Society {
        team: String,
        /// How to summarise the talk; a default instruction if empty.
        #[serde(default)]
        instruction: String,
    },
}

/// A participant to which another may hand over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handoff {
    pub target: String,
    /// The text of the handoff message; a default text if empty.
    #[serde(default)]
    pub message: String,
}

/// Who hears what a participant says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Audience {
    #[default]
    All,
    Only(Vec<String>),
}
