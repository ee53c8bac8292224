//! What minds answer in a group chat.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::exchange::{Reply, Violation, json_in};
use crate::groupchat::message::{ChatMessage, MessageFactory};
use crate::groupchat::names::mentions;

/// What the user wants of a team: words, or an order in JSON. Everything from outside comes in so, and is
/// recorded like every answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UserInput {
    /// Words of the user.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub words: String,
    /// Messages of anybody.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Value>")]
    pub messages: Vec<ChatMessage>,
    /// Whether everybody forgets what was said.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reset: bool,
    /// Whether the conversation goes on without a new task.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub go_on: bool,
}

impl UserInput {
    /// A task in words.
    pub fn task(words: impl Into<String>) -> Self {
        Self {
            words: words.into(),
            ..Self::default()
        }
    }

    /// A task of several messages.
    pub fn of(messages: Vec<ChatMessage>) -> Self {
        Self {
            messages,
            ..Self::default()
        }
    }

    /// Going on where the conversation stopped.
    pub fn continue_() -> Self {
        Self {
            go_on: true,
            ..Self::default()
        }
    }

    /// Everybody forgets.
    pub fn reset() -> Self {
        Self {
            reset: true,
            ..Self::default()
        }
    }

    /// The order as a mind says it: words bare, anything else as JSON.
    pub fn to_answer(&self) -> String {
        match self.words.is_empty() || self.words.trim_start().starts_with('{') {
            true => serde_json::to_string(self).unwrap_or_default(),
            false => self.words.clone(),
        }
    }
}

impl Reply for UserInput {
    type Constraints = MessageFactory;
    const NAME: &'static str = "order";
    const IS_PROSE: bool = true;

    fn read(raw: &str) -> Result<Self, Vec<Violation>> {
        let raw = raw.trim();
        match raw.starts_with('{') {
            true => serde_json::from_str(raw)
                .map_err(|error| vec![Violation::new("", format!("this is no order: {error}"))]),
            false => Ok(Self::task(raw)),
        }
    }

    fn check(&self, factory: &MessageFactory) -> Vec<Violation> {
        let messages = self.messages.iter().enumerate();
        let wrong = messages.filter_map(|(at, message)| {
            let problem = factory.create(message.to_json()).err()?;
            Some(Violation::new(
                format!("messages[{at}]"),
                problem.to_string(),
            ))
        });
        wrong.collect()
    }

    fn to_text(&self) -> String {
        self.to_answer()
    }
}

/// What happened outside since somebody last looked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ControlMessage {
    /// Whether the conversation should end.
    pub stop: bool,
    /// Milliseconds since the run began.
    pub elapsed_ms: u64,
    /// Participants that join.
    pub join: Vec<String>,
    /// Participants that leave.
    pub leave: Vec<String>,
    /// Messages from outside, heard by all.
    #[schemars(with = "Vec<Value>")]
    pub say: Vec<ChatMessage>,
}

impl Reply for ControlMessage {
    type Constraints = ();
    const NAME: &'static str = "bell";
}

/// Somebody's name, in whatever words a mind put it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pick(pub String);

/// Who may be picked.
#[derive(Clone, Debug, Default)]
pub struct PickConstraints {
    /// All participants: a name that may not be picked is told apart from none.
    pub all: Vec<String>,
    /// Those who may be picked.
    pub candidates: Vec<String>,
}

impl Pick {
    /// The one participant that is named; where several are, the one named most often must stand out.
    pub fn named<'f>(&self, facts: &'f PickConstraints) -> Option<&'f str> {
        match self.found(facts).into_iter().collect::<Vec<_>>().as_slice() {
            [(name, _)] => Some(name),
            _ => None,
        }
    }

    fn found<'f>(&self, facts: &'f PickConstraints) -> BTreeMap<&'f str, usize> {
        let all: Vec<&str> = facts.all.iter().map(String::as_str).collect();
        mentions(&self.0, &all)
    }
}

impl Reply for Pick {
    type Constraints = PickConstraints;
    const NAME: &'static str = "pick";
    const IS_PROSE: bool = true;

    fn read(raw: &str) -> Result<Self, Vec<Violation>> {
        Ok(Self(raw.trim().to_owned()))
    }

    fn check(&self, facts: &PickConstraints) -> Vec<Violation> {
        let candidates = facts.candidates.join(", ");
        let found = self.found(facts);
        let told =
            json!({"candidates": facts.candidates, "found": found.keys().collect::<Vec<_>>()});
        let broken = match found.keys().collect::<Vec<_>>().as_slice() {
            [] => Violation::new(
                "",
                format!("no name was found; choose one of: {candidates}"),
            )
            .said("chat/rules/pick_none", told),
            [one] if facts.candidates.iter().any(|name| name == **one) => return Vec::new(),
            [one] => Violation::new(
                "",
                format!("{one} may not speak now; choose one of: {candidates}"),
            )
            .said("chat/rules/pick_illegal", told),
            _ => Violation::new(
                "",
                format!("several names were found; choose exactly one of: {candidates}"),
            )
            .said("chat/rules/pick_several", told),
        };
        vec![broken]
    }

    fn to_text(&self) -> String {
        self.0.clone()
    }
}

/// What somebody says who may give the word to others or whisper.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Say {
    /// The words.
    pub message: String,
    /// To whom the word goes; nobody in particular where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<String>,
    /// Who alone hears it; everybody where empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub whisper_to: Vec<String>,
}

/// What somebody may do beside speaking.
#[derive(Clone, Debug, Default)]
pub struct SayConstraints {
    /// To whom it may give the word.
    pub targets: Vec<String>,
    /// To whom it may whisper.
    pub ears: Vec<String>,
}

impl Reply for Say {
    type Constraints = SayConstraints;
    const NAME: &'static str = "say";

    fn constrain_schema(_schema: &Value, facts: &SayConstraints) -> Option<Value> {
        let mut properties = json!({"message": {"type": "string"}});
        if !facts.targets.is_empty() {
            properties["handoff"] = json!({"type": "string", "enum": facts.targets});
        }
        if !facts.ears.is_empty() {
            let ear = json!({"type": "string", "enum": facts.ears});
            properties["whisper_to"] = json!({"type": "array", "items": ear});
        }
        Some(json!({
            "type": "object", "properties": properties, "required": ["message"],
            "additionalProperties": false,
        }))
    }

    /// Words without JSON are words to all.
    fn read(raw: &str) -> Result<Self, Vec<Violation>> {
        let read = json_in(raw).and_then(|json| serde_json::from_str(json).ok());
        Ok(read.unwrap_or_else(|| Self {
            message: raw.trim().to_owned(),
            ..Self::default()
        }))
    }

    fn check(&self, facts: &SayConstraints) -> Vec<Violation> {
        let mut broken = Vec::new();
        if self.message.trim().is_empty() && self.handoff.is_none() {
            broken.push(
                Violation::new(
                    "message",
                    "the answer is empty; write the text that was asked for",
                )
                .said("rules/empty", json!({})),
            );
        }
        let named = self
            .handoff
            .iter()
            .map(|name| ("handoff", name, &facts.targets));
        let ears = self.whisper_to.iter();
        let ears = ears.map(|name| ("whisper_to", name, &facts.ears));
        for (path, name, legal) in named.chain(ears) {
            if !legal.contains(name) {
                let rule = format!(
                    "'{name}' is not possible here; choose one of: {}",
                    legal.join(", ")
                );
                let facts = json!({"candidates": legal, "found": [name]});
                broken.push(Violation::new(path, rule).said("chat/rules/pick_illegal", facts));
            }
        }
        broken
    }
}

/// Whether code may be run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// Whether it may.
    pub approved: bool,
    /// Why.
    #[serde(default)]
    pub reason: String,
}

impl Reply for Approval {
    type Constraints = ();
    const NAME: &'static str = "approval";
}

/// An answer in JSON of the form that its sender was set up with; text where it is of another form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Shaped(pub(super) Value);

/// What an answer of a given form must hold to.
#[derive(Clone, Debug, Default)]
pub(super) struct ShapedConstraints {
    /// Its JSON schema.
    pub(super) schema: Arc<Value>,
    /// Whether what tools returned may take the place of words.
    pub(super) or_tools: bool,
}

impl Reply for Shaped {
    type Constraints = ShapedConstraints;
    const NAME: &'static str = "shaped";
    const OWN_SCHEMA: bool = true;

    fn constrain_schema(_schema: &Value, facts: &ShapedConstraints) -> Option<Value> {
        Some((*facts.schema).clone())
    }

    fn read(raw: &str) -> Result<Self, Vec<Violation>> {
        let read = json_in(raw).and_then(|json| serde_json::from_str(json).ok());
        Ok(Self(read.unwrap_or_else(|| raw.trim().into())))
    }

    fn check(&self, facts: &ShapedConstraints) -> Vec<Violation> {
        let is_empty = self.0.as_str().is_some_and(str::is_empty);
        let rule = "the answer is empty; write the text that was asked for";
        let broken = Violation::new("", rule).said("rules/empty", json!({}));
        (is_empty && !facts.or_tools)
            .then_some(broken)
            .into_iter()
            .collect()
    }

    fn to_text(&self) -> String {
        match self.0.as_str() {
            Some(text) => text.to_owned(),
            None => self.0.to_string(),
        }
    }
}

/// Words to all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Words(pub(super) String);

/// What words must hold to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WordsConstraints {
    /// Whether what tools returned may take the place of words.
    pub(super) or_tools: bool,
}

/// The most characters that are read of an answer; guards cut what is told to less.
const LONGEST: usize = 1_000_000;

impl Reply for Words {
    type Constraints = WordsConstraints;
    const NAME: &'static str = "words";
    const IS_PROSE: bool = true;

    fn read(raw: &str) -> Result<Self, Vec<Violation>> {
        Ok(Self(raw.trim().to_owned()))
    }

    fn to_text(&self) -> String {
        self.0.clone()
    }

    fn check(&self, facts: &WordsConstraints) -> Vec<Violation> {
        let length = self.0.chars().count();
        let broken = match length {
            0 if !facts.or_tools => {
                let rule = "the answer is empty; write the text that was asked for";
                Violation::new("", rule).said("rules/empty", json!({}))
            }
            LONGEST.. => Violation::new(
                "",
                format!("at most {LONGEST} characters; this has {length}"),
            )
            .said("rules/too_long", json!({"most": LONGEST, "length": length})),
            _ => return Vec::new(),
        };
        vec![broken]
    }
}

/// A message in JSON, of a type that its sender produces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Produced(#[schemars(with = "Value")] pub ChatMessage);

/// What a message in JSON must hold to.
#[derive(Clone, Debug, Default)]
pub(super) struct ProducedConstraints {
    /// The known types.
    pub factory: MessageFactory,
    /// Those that its sender produces.
    pub types: Vec<String>,
}

impl Reply for Produced {
    type Constraints = ProducedConstraints;
    const NAME: &'static str = "chat_message";
    const IS_PROSE: bool = true;

    fn read(raw: &str) -> Result<Self, Vec<Violation>> {
        let json = json_in(raw).and_then(|json| serde_json::from_str::<Value>(json).ok());
        let read = json.and_then(|mut json| {
            json.as_object_mut()?.entry("source").or_insert("".into());
            ChatMessage::from_json(json).ok()
        });
        let message = read.unwrap_or_else(|| ChatMessage::text("", raw.trim()));
        Ok(Self(message))
    }

    fn check(&self, facts: &ProducedConstraints) -> Vec<Violation> {
        let name = self.0.type_name();
        if name == "TextMessage" {
            return Vec::new();
        }
        let problem = match facts.types.iter().any(|known| known == name) {
            true => facts
                .factory
                .create(self.0.to_json())
                .err()
                .map(|error| error.to_string()),
            false => Some(format!(
                "'{name}' is no type of message that you send; send one of: TextMessage, {}",
                facts.types.join(", ")
            )),
        };
        problem
            .map(|problem| Violation::new("", problem))
            .into_iter()
            .collect()
    }

    fn to_text(&self) -> String {
        self.0.to_json().to_string()
    }
}
