//! What a mind is told if a tool fails.

use serde_json::Value;
use thiserror::Error;

use super::prompts::Failure;
use crate::locale::{Localize, Translations, UiText};
use crate::world_data::{Prompt, phrase};

/// Why a tool failed, in words that tell the mind what would be right.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{words}")]
#[must_use]
pub struct ToolError {
    words: String,
    phrase: Option<(&'static str, Value)>,
    outage: Option<UiText>,
}

impl ToolError {
    /// A failure in these words.
    pub fn new(words: impl Into<String>) -> Self {
        Self {
            words: words.into(),
            phrase: None,
            outage: None,
        }
    }

    /// A failure that is told in the language of its reader.
    pub fn of(error: &impl Localize) -> Self {
        let text = Translations::from(error);
        Self::new(text.to_string()).with_prompt(&Failure::Failed { text })
    }

    /// The same failure in a template, which minds read instead if the phrasebook has it.
    pub fn with_prompt(mut self, prompt: &impl Prompt) -> Self {
        self.phrase = Some(phrase(prompt));
        self
    }

    /// The same failure, because a model that the tool asks can't answer, for this reason. A run
    /// stops there instead of telling the mind.
    pub fn with_outage(mut self, reason: UiText) -> Self {
        self.outage = Some(reason);
        self
    }

    /// Why a model that the tool asks can't answer, if that is why it failed.
    pub fn outage(&self) -> Option<&UiText> {
        self.outage.as_ref()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::text;
    use crate::testing::told;

    #[test]
    fn a_failure_is_told_in_both_languages() {
        let error = ToolError::of(&text!(tool_no_script_program));
        let [en, zh] = told(&error);
        assert_eq!(en, error.to_string());
        assert!(zh.contains("没有设置"), "{zh}");
    }
}
