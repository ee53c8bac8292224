//! Creates messages from JSON by their `type`.

use std::collections::BTreeMap;

use playhouse_engine::locale::{Localize, UiText};
use playhouse_engine::message::Digest;
use playhouse_interop::{ALIASES, CHAT_TYPES};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use super::json::MessageError;
use super::{ChatContent, ChatMessage};

/// Why a message can't be created, or a type can't be registered.
#[derive(Debug, Error, PartialEq, Eq, Localize)]
pub enum FactoryError {
    #[text(groupchat_message_no_type)]
    NoType { known: Vec<String> },
    /// A type that is not registered.
    #[text(groupchat_message_unknown_type)]
    UnknownType { name: String, known: Vec<String> },
    /// The JSON is not a message.
    Malformed(#[from] MessageError),
    /// The members don't fit the registered type.
    #[text(groupchat_message_members)]
    WrongMembers { name: String, problem: UiText },
    /// A type of this name is known already.
    #[text(groupchat_message_type_registered, name)]
    AlreadyRegistered(String),
}

type Check = fn(&Value) -> Result<(), serde_path_to_error::Error<serde_json::Error>>;

/// The known message types, by name. Structured messages are known by the name of their content's
/// type: `StructuredMessage[Quest]`.
#[derive(Clone, Debug)]
pub struct MessageFactory {
    checks: BTreeMap<String, Check>,
}

impl Default for MessageFactory {
    fn default() -> Self {
        let names = CHAT_TYPES
            .into_iter()
            .filter(|name| *name != STRUCTURED)
            .chain(ALIASES.map(|(alias, ..)| alias));
        // Built-in types are checked when they are read.
        let checks = names.map(|name| (name.to_owned(), (|_| Ok(())) as Check));
        Self {
            checks: checks.collect(),
        }
    }
}

impl MessageFactory {
    /// A factory that knows the built-in types.
    pub fn new() -> Self {
        Self::default()
    }

    fn known(&self) -> Vec<String> {
        self.checks.keys().cloned().collect()
    }

    /// Whether a type is known; that of structured messages is `StructuredMessage[Quest]`.
    pub fn is_registered(&self, name: &str) -> bool {
        self.checks.contains_key(name)
    }

    /// Registers a type whose members must deserialize as `T`. It is an event if its name ends in
    /// `Event`.
    ///
    /// # Errors
    /// The type is known already.
    pub fn register<T: DeserializeOwned>(&mut self, name: &str) -> Result<(), FactoryError> {
        if self.is_registered(name) {
            return Err(FactoryError::AlreadyRegistered(name.into()));
        }
        self.checks.insert(name.into(), check::<T>);
        Ok(())
    }

    /// Registers structured messages whose content is a `T`, by the name of its schema.
    ///
    /// # Errors
    /// The type is known already.
    pub fn register_structured<T: DeserializeOwned + JsonSchema>(
        &mut self,
    ) -> Result<(), FactoryError> {
        self.register::<T>(&structured_name(&T::schema_name()))
    }

    /// Creates a message. Unknown members of a built-in type are dropped. A message without id gets
    /// one that depends only on its JSON.
    pub fn create(&self, data: Value) -> Result<ChatMessage, FactoryError> {
        let Some(name) = data.get("type").and_then(Value::as_str) else {
            return Err(FactoryError::NoType {
                known: self.known(),
            });
        };
        let registered = if name == STRUCTURED {
            let content_type = data.get("content_type").and_then(Value::as_str);
            structured_name(content_type.unwrap_or_default())
        } else {
            name.to_owned()
        };
        let Some(check) = self.checks.get(&registered) else {
            return Err(FactoryError::UnknownType {
                name: registered,
                known: self.known(),
            });
        };
        let digest = Digest::of(data.to_string().as_bytes());
        let mut message = ChatMessage::load(data)?;
        let checked = match &message.content {
            ChatContent::Custom { members, .. } => check(&Value::Object(members.clone())),
            ChatContent::Structured(structured) => check(&structured.content),
            _ => Ok(()),
        };
        checked.map_err(|problem| FactoryError::WrongMembers {
            name: registered,
            problem: problem.text(),
        })?;
        if message.id.is_empty() {
            message.id = format!("m-{digest}");
        }
        Ok(message)
    }
}

const STRUCTURED: &str = "StructuredMessage";

fn structured_name(content_type: &str) -> String {
    format!("{STRUCTURED}[{content_type}]")
}

fn check<T: DeserializeOwned>(
    value: &Value,
) -> Result<(), serde_path_to_error::Error<serde_json::Error>> {
    serde_path_to_error::deserialize::<_, T>(value).map(|_| ())
}
