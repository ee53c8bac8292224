//! The findings of a survey.

use playhouse_engine::locale::UiText;
use serde::Serialize;
use serde_json::Value;

/// What was found out about one thing.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Finding {
    /// What it is about, such as `streaming`.
    pub topic: &'static str,
    /// What was found out, any JSON.
    pub value: Value,
    #[schemars(with = "String")]
    pub text: UiText,
}

impl Finding {
    pub(super) fn new(topic: &'static str, value: impl Into<Value>, text: UiText) -> Self {
        let value = value.into();
        Self { topic, value, text }
    }

    /// What it is about, for people.
    pub fn about(&self) -> UiText {
        about(self.topic)
    }
}

/// What a topic is called.
pub(super) fn about(topic: &str) -> UiText {
    UiText::find(&format!("mind_survey_about_{topic}")).unwrap_or_default()
}
