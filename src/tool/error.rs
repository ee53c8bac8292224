//! What a mind is told if a tool fails.

use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

use crate::world_data::{Kinds, PromptTemplate};

/// Why a tool failed, in words that tell the mind what would be right.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{words}")]
pub struct ToolError {
    words: String,
    phrase: Option<(&'static str, Value)>,
}

impl ToolError {
    /// A failure in these words.
    pub fn new(words: impl Into<String>) -> Self {
        Self {
            words: words.into(),
            phrase: None,
        }
    }

    /// The same failure with a template, filled with `data`, that minds read instead if the
    /// phrasebook has it.
    #[must_use]
    pub fn with_template<D: Serialize>(mut self, template: &PromptTemplate<D>, data: &D) -> Self {
        self.phrase = Some(template.with_data(data));
        self
    }

    /// The same failure with a template of several kinds, one of which it is.
    #[must_use]
    pub fn with_kind(mut self, template: &PromptTemplate<Kinds>, kind: &impl Serialize) -> Self {
        self.phrase = Some(template.with_kind(kind));
        self
    }

    /// The name of the template and its data.
    pub fn phrase(&self) -> Option<&(&'static str, Value)> {
        self.phrase.as_ref()
    }
}

impl From<String> for ToolError {
    fn from(words: String) -> Self {
        Self::new(words)
    }
}

impl From<&str> for ToolError {
    fn from(words: &str) -> Self {
        Self::new(words)
    }
}
