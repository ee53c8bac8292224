//! The JSON of messages: the members of the head beside those of the content, which `type` names.

use std::collections::BTreeMap;

use playhouse_engine::locale::{Localize, UiText};
use playhouse_interop::{ALIASES, CHAT_TYPES};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::{ChatContent, ChatMessage, EPOCH, RequestUsage, null_as_default};

/// Why JSON is not a message.
#[derive(Debug, Error, PartialEq, Eq, Localize)]
pub enum MessageError {
    /// The value is not an object.
    #[text(groupchat_message_not_an_object)]
    NotAnObject,
    /// A member is missing or has a wrong type: what is wrong, and where.
    Malformed(UiText),
}

/// The members that every message has.
#[derive(Deserialize)]
struct Head {
    #[serde(rename = "type")]
    type_name: String,
    #[serde(default, deserialize_with = "null_as_default")]
    id: String,
    source: String,
    models_usage: Option<RequestUsage>,
    #[serde(default, deserialize_with = "null_as_default")]
    metadata: BTreeMap<String, String>,
    created_at: Option<String>,
}

impl Head {
    const MEMBERS: [&str; 6] = [
        "type", "id", "source", "models_usage", "metadata", "created_at",
    ];
}

impl ChatMessage {
    pub fn dump(&self) -> Value {
        let mut members = members_of(&self.content);
        members.insert("type".into(), self.type_name().into());
        members.insert("id".into(), self.id.as_str().into());
        members.insert("source".into(), self.source.as_str().into());
        members.insert("models_usage".into(), json!(self.models_usage));
        members.insert("metadata".into(), json!(self.metadata));
        members.insert("created_at".into(), self.created_at.as_str().into());
        Value::Object(members)
    }

    /// Reads a message. Unknown members of a built-in type are dropped; a type that is not built in
    /// is kept as [`ChatContent::Custom`]. Use a [`MessageFactory`](super::MessageFactory) for
    /// untrusted input.
    pub fn load(value: Value) -> Result<Self, MessageError> {
        if !value.is_object() {
            return Err(MessageError::NotAnObject);
        }
        let head: Head = read(&value)?;
        let members = match value {
            Value::Object(members) => members.into_iter(),
            _ => Map::new().into_iter(),
        };
        let members = members.filter(|(name, _)| !Head::MEMBERS.contains(&name.as_str()));
        Ok(Self {
            id: head.id,
            source: head.source,
            models_usage: head.models_usage,
            metadata: head.metadata,
            created_at: head.created_at.unwrap_or_else(|| EPOCH.to_owned()),
            content: content_of(head.type_name, members.collect())?,
        })
    }
}

fn members_of(content: &ChatContent) -> Map<String, Value> {
    if let ChatContent::Custom { members, .. } = content {
        return members.clone();
    }
    // An externally tagged enum: one member, named after the type.
    let tagged = serde_json::to_value(content).unwrap_or_default();
    let mut members = match tagged {
        Value::Object(tagged) => match tagged.into_iter().next() {
            Some((_, Value::Object(members))) => members,
            _ => Map::new(),
        },
        _ => Map::new(),
    };
    if matches!(content, ChatContent::UserInputRequested { .. }) {
        // AutoGen's events all have a `content`.
        members.insert("content".into(), "".into());
    }
    members
}

fn content_of(
    mut type_name: String,
    mut members: Map<String, Value>,
) -> Result<ChatContent, MessageError> {
    let alias = ALIASES.iter().find(|(alias, ..)| *alias == type_name);
    if let Some((_, aliased, member)) = alias {
        type_name = (*aliased).to_owned();
        if let Some(content) = members.remove(*member) {
            members.insert("content".into(), content);
        }
    }
    if !CHAT_TYPES.contains(&type_name.as_str()) {
        return Ok(ChatContent::Custom {
            name: type_name,
            members,
        });
    }
    let tagged = Map::from_iter([(type_name, Value::Object(members))]);
    read(&Value::Object(tagged))
}

fn read<T: DeserializeOwned>(value: &Value) -> Result<T, MessageError> {
    serde_path_to_error::deserialize(value).map_err(|error| MessageError::Malformed(error.text()))
}

/// Reads and writes contents that are a single member, `content`.
pub(super) mod content_member {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Members<T> {
        content: T,
    }

    pub(in super::super) fn serialize<T: Serialize, S: Serializer>(
        content: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        Members { content }.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        Members::deserialize(deserializer).map(|members| members.content)
    }
}

impl Serialize for ChatMessage {
    /// As [`Self::dump`], so that the members are in the same order everywhere.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.dump().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ChatMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::load(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
