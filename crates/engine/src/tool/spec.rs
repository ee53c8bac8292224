//! What a mind is told of a tool.

use serde_json::Value;
use thiserror::Error;

use crate::locale::Localize;
use crate::message::{Digest, Text, tokens};

/// The longest name that every provider accepts, in characters.
const MAX_NAME: usize = 64;

/// A name that some provider would refuse.
#[derive(Clone, Debug, Error, PartialEq, Eq, Localize)]
#[text(tool_bad_name, name, max = MAX_NAME)]
pub struct ToolNameError(pub String);

/// What a mind is told of a tool: its name, what it is for, and the JSON schema of its arguments.
/// What requests need of it is rendered once.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    name: Box<str>,
    description: Text,
    schema: Box<str>,
    digest: Digest,
    tokens: u32,
}

impl ToolSpec {
    /// A tool of this name; `schema` describes an object, the arguments.
    ///
    /// # Errors
    /// The name is not one that every provider accepts.
    pub fn new(
        name: &str,
        description: impl Into<Box<str>>,
        schema: &Value,
    ) -> Result<Self, ToolNameError> {
        if !is_legal(name) {
            return Err(ToolNameError(name.to_owned()));
        }
        let (description, schema) = (Text::from(description), schema.to_string());
        // Neither name nor schema contain line ends, so the parts are unambiguous.
        let whole = format!("{name}\n{schema}\n{}", description.as_str());
        Ok(Self {
            // The members around them cost about eight tokens in OpenAI's form.
            tokens: tokens::estimate(&whole) + 8,
            name: name.into(),
            description,
            schema: schema.into(),
            digest: Digest::of(whole.as_bytes()),
        })
    }

    /// The name by which minds call it; it needs no escaping in JSON.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is for and when to call it, in the language of the world.
    pub fn description(&self) -> &Text {
        &self.description
    }

    /// The JSON schema of its arguments, as JSON text.
    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// The estimated tokens of all of it, uncorrected.
    pub fn tokens(&self) -> u32 {
        self.tokens
    }

    /// A digest of all of it, for hashes of requests.
    pub fn digest(&self) -> Digest {
        self.digest
    }
}

/// Whether every provider accepts this name. OpenAI and Anthropic accept `[A-Za-z0-9_-]{1,64}`;
/// Gemini wants a letter or `_` first.
pub fn is_legal(name: &str) -> bool {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let later = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.starts_with(first) && name.chars().all(later) && name.len() <= MAX_NAME
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_are_those_that_every_provider_accepts() {
        let named = |name: &str| ToolSpec::new(name, "", &json!({}));
        for name in ["roll_dice", "a", "_x-1", &"a".repeat(64)] {
            assert!(named(name).is_ok(), "{name}");
        }
        for name in ["", "1a", "-a", "a.b", "骰子", "a b", &"a".repeat(65)] {
            assert_eq!(named(name), Err(ToolNameError(name.into())));
        }
    }

    #[test]
    fn every_part_changes_the_digest() {
        let digest = |name: &str, words: &str, schema: Value| {
            ToolSpec::new(name, words, &schema).unwrap().digest()
        };
        let first = digest("roll", "Rolls dice.", json!({"type": "object"}));
        let same = digest("roll", "Rolls dice.", json!({"type": "object"}));
        assert_eq!(first, same);
        let schema = json!({"type": "object", "properties": {}});
        for different in [
            digest("rolls", "Rolls dice.", json!({"type": "object"})),
            digest("roll", "Rolls a die.", json!({"type": "object"})),
            digest("roll", "Rolls dice.", schema),
        ] {
            assert_ne!(first, different);
        }
    }
}
