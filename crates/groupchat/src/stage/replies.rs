//! The answers of participants.

use std::sync::Arc;

use playhouse_engine::event::Prompt;
use playhouse_engine::exchange::prompts::Rule;
use playhouse_engine::exchange::{Reply, Violation};
use playhouse_engine::locale::Translations;
use playhouse_engine::reading::names::{REASON, WORDS};
use playhouse_engine::reading::{OtherNames, find_json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use thiserror::Error;

use crate::message::{ChatContent, ChatMessage, FactoryError, MessageFactory, value_text};
use crate::prompts::PickRule;

/// The maximum number of characters that are read of an answer. Guards cut what others hear to
/// less.
const MAX_CHARS: usize = 1_000_000;

fn empty_answer(path: &str) -> Violation {
    let rule = "the answer is empty; write the text that was asked for";
    Violation::new(path, rule).with_prompt(&Rule::Empty)
}

/// Plain text for everybody.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct TextReply(pub(super) String);

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TextConstraints {
    /// Whether the answer may be empty, since results of tools take its place.
    pub(super) may_be_empty: bool,
}

impl Reply for TextReply {
    type Constraints = TextConstraints;
    const NAME: &'static str = "words";
    const IS_PROSE: bool = true;

    fn read(raw: &str) -> Result<Self, Vec<Violation>> {
        Ok(Self(raw.trim().to_owned()))
    }

    fn to_text(&self) -> String {
        self.0.clone()
    }

    fn check(&self, constraints: &TextConstraints) -> Vec<Violation> {
        if self.0.is_empty() && !constraints.may_be_empty {
            return vec![empty_answer("")];
        }
        let too_long = Violation::too_long("", &self.0, MAX_CHARS);
        too_long.into_iter().collect()
    }
}

/// A value of the participant's output type; if it does not fit the type, it is used as text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct StructuredReply(pub(super) Value);

#[derive(Clone, Debug, Default)]
pub(super) struct StructuredConstraints {
    /// The JSON schema of the output type.
    pub(super) schema: Arc<Value>,
    /// Whether the answer may be empty, since results of tools take its place.
    pub(super) may_be_empty: bool,
}

impl Reply for StructuredReply {
    type Constraints = StructuredConstraints;
    const NAME: &'static str = "shaped";
    const OWN_SCHEMA: bool = true;
    const BARE_MEMBER: Option<&'static str> = Some("");

    fn constrain_schema(_schema: &Value, constraints: &StructuredConstraints) -> Option<Value> {
        Some((*constraints.schema).clone())
    }

    fn check(&self, constraints: &StructuredConstraints) -> Vec<Violation> {
        let is_empty = self.0.as_str().is_some_and(str::is_empty);
        if is_empty && !constraints.may_be_empty {
            vec![empty_answer("")]
        } else {
            Vec::new()
        }
    }

    fn to_text(&self) -> String {
        value_text(&self.0)
    }
}

/// Why a message in JSON can't be used.
#[derive(Debug, Error, Serialize, Prompt)]
#[serde(tag = "kind", content = "what", rename_all = "snake_case")]
#[prompt("chat/rules/message")]
pub(super) enum MessageFault {
    /// The type, and what else the participant produces.
    #[error("'{0}' is no type of message that you send; send one of: TextMessage, {1}")]
    NotSent(String, String),
    #[error("this is no order: {0}")]
    Order(Translations),
    /// What can't be made of it.
    #[error("{0}")]
    Factory(Translations),
}

impl From<FactoryError> for MessageFault {
    fn from(error: FactoryError) -> Self {
        Self::Factory((&error).into())
    }
}

impl MessageFault {
    pub(super) fn at(&self, path: impl Into<String>) -> Violation {
        Violation::new(path, self.to_string()).with_prompt(self)
    }
}

/// A message in JSON, of a type that the participant produces, or plain text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct MessageReply(#[schemars(with = "Value")] pub(super) ChatMessage);

#[derive(Clone, Debug, Default)]
pub(super) struct MessageConstraints {
    pub(super) factory: MessageFactory,
    /// The types that the participant produces.
    pub(super) types: Vec<String>,
}

impl Reply for MessageReply {
    type Constraints = MessageConstraints;
    const NAME: &'static str = "chat_message";
    const IS_PROSE: bool = true;

    fn read(raw: &str) -> Result<Self, Vec<Violation>> {
        let json = find_json(raw).ok().map(|found| found.value);
        let message = json
            .and_then(|mut json| {
                let members = json.as_object_mut()?;
                members.entry("source").or_insert("".into());
                if members.contains_key("target") {
                    members.entry("type").or_insert("HandoffMessage".into());
                }
                ChatMessage::load(json).ok()
            })
            .unwrap_or_else(|| ChatMessage::text("", raw.trim()));
        Ok(Self(message))
    }

    fn check(&self, constraints: &MessageConstraints) -> Vec<Violation> {
        let name = self.0.type_name();
        if let ChatContent::Text(text) = &self.0.content {
            let is_empty = text.trim().is_empty();
            return is_empty.then(|| empty_answer("")).into_iter().collect();
        }
        let fault = if constraints.types.iter().any(|known| known == name) {
            let created = constraints.factory.create(self.0.dump());
            created.err().map(MessageFault::from)
        } else {
            let types = constraints.types.join(", ");
            Some(MessageFault::NotSent(name.into(), types))
        };
        fault.map(|fault| fault.at("")).into_iter().collect()
    }

    fn to_text(&self) -> String {
        self.0.dump().to_string()
    }
}

// The names and comments of the following types are part of requests, as their JSON schema.

/// What somebody says who may hand over to others or whisper. AutoGen's `HandoffMessage` is read
/// too.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Say {
    /// The words.
    pub(super) message: String,
    /// To whom the word goes; nobody in particular where absent.
    #[serde(alias = "target", skip_serializing_if = "Option::is_none")]
    pub(super) handoff: Option<String>,
    /// What that one alone should know.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub(super) context: Value,
    /// Who alone hears it; everybody where empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) whisper_to: Vec<String>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct SayConstraints {
    /// To whom the participant may hand over.
    pub(super) targets: Vec<String>,
    /// To whom it may whisper.
    pub(super) listeners: Vec<String>,
}

impl Reply for Say {
    type Constraints = SayConstraints;
    const NAME: &'static str = "say";
    const OTHER_NAMES: OtherNames = &[
        ("message", WORDS),
        ("handoff", &["target", "to", "hand_over_to", "transfer_to"]),
    ];
    const MAY_BE_LEFT_OUT: &'static [&'static str] = &["message"];
    const BARE_MEMBER: Option<&'static str> = Some("message");
    const UNASKED: &'static [&'static str] = &["context", "handoff", "target"];

    fn constrain_schema(_schema: &Value, constraints: &SayConstraints) -> Option<Value> {
        let mut properties = json!({"message": {"type": "string"}});
        if !constraints.targets.is_empty() {
            properties["handoff"] = json!({"type": "string", "enum": constraints.targets});
        }
        if !constraints.listeners.is_empty() {
            let listener = json!({"type": "string", "enum": constraints.listeners});
            properties["whisper_to"] = json!({"type": "array", "items": listener});
        }
        Some(json!({
            "type": "object", "properties": properties, "required": ["message"],
            "additionalProperties": false,
        }))
    }

    fn check(&self, constraints: &SayConstraints) -> Vec<Violation> {
        let mut violations = Vec::new();
        if self.message.trim().is_empty() && self.handoff.is_none() {
            violations.push(empty_answer("message"));
        }
        let targets = self
            .handoff
            .iter()
            .map(|name| ("handoff", name, &constraints.targets));
        let listeners = self
            .whisper_to
            .iter()
            .map(|name| ("whisper_to", name, &constraints.listeners));
        for (path, name, candidates) in targets.chain(listeners) {
            if !candidates.contains(name) {
                let names = candidates.join(", ");
                let rule = format!("'{name}' is not possible here; choose one of: {names}");
                let found = &[name.as_str()];
                let broken = PickRule::Illegal { candidates, found };
                violations.push(Violation::new(path, rule).with_prompt(&broken));
            }
        }
        violations
    }
}

/// Whether code may be run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Approval {
    /// Whether it may.
    pub(crate) approved: bool,
    /// Why.
    #[serde(default)]
    pub(crate) reason: String,
}

impl Reply for Approval {
    type Constraints = ();
    const NAME: &'static str = "approval";
    const OTHER_NAMES: OtherNames = &[("reason", REASON)];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompts;
    use crate::stage::user_input::UserInput;
    use playhouse_engine::message::Language;
    use playhouse_engine::world_data::DataFolder;

    #[test]
    fn messages_that_cannot_be_used_are_refused_in_both_languages() {
        let phrases = [Language::En, Language::Zh]
            .map(|language| prompts::load(&DataFolder::embedded(), language).unwrap().0);
        let structured = r#"{"type": "StructuredMessage", "content_type": "Quest", "content": {}}"#;
        let reply = |types: &[&str]| {
            let constraints = MessageConstraints {
                types: types.iter().map(ToString::to_string).collect(),
                ..MessageConstraints::default()
            };
            MessageReply::read(structured).unwrap().check(&constraints)
        };
        for (broken, chinese) in [
            (reply(&["StopMessage"]), "你不发“"),
            (reply(&["StructuredMessage"]), "未知"),
            (
                UserInput::read("{").unwrap_err(),
                "这不是有效的指令：第 1 行",
            ),
        ] {
            let [violation] = broken.as_slice() else {
                panic!("{broken:?}");
            };
            assert_eq!(violation.words(&phrases[0]), violation.rule);
            let zh = violation.words(&phrases[1]);
            assert!(zh.contains(chinese), "{zh}");
        }
    }
}
