//! What a request says beside the conversation.

use std::sync::Arc;

use playhouse_engine::locale::Language;
use playhouse_engine::message::Digest;
use playhouse_engine::mind::{AnswerForm, Prompt};
use playhouse_engine::tool::ToolSpec;
use serde_json::{Map, Value};

use super::settings::ModelSettings;

/// What is the same in all requests for a model.
#[derive(Clone, Debug)]
pub(super) struct FixedParts {
    pub(super) model: ModelSettings,
    /// Members of the object that the API has for settings such as the temperature.
    pub(super) settings: Map<String, Value>,
    /// Members that the model file adds beside the messages.
    pub(super) extra: Map<String, Value>,
}

/// What differs from ask to ask.
#[derive(Clone, Debug)]
pub(super) struct AskParts {
    /// The maximum number of tokens of the answer.
    pub(super) max_tokens: u32,
    /// The schema of the reply, if it should be JSON.
    pub(super) schema: Option<ReplySchema>,
    /// The tools that the mind is told of.
    pub(super) tools: Vec<Arc<ToolSpec>>,
    /// Whether it may call them.
    pub(super) callable: bool,
    /// The same in all requests of an entity, for providers that find their cache by a key.
    pub(super) cache_key: Digest,
}

#[derive(Clone, Debug)]
pub(super) struct ReplySchema {
    /// The reply's name: up to 64 ASCII letters, digits, `_` and `-`.
    pub(super) name: String,
    /// The schema of all such replies.
    pub(super) stable: Arc<str>,
    /// The schema of what is legal in this ask.
    pub(super) constrained: String,
    pub(super) language: Language,
}

impl AskParts {
    pub(super) fn of(prompt: &Prompt<'_>, max_output: u32) -> Self {
        Self {
            max_tokens: prompt.max_tokens.min(max_output),
            schema: ReplySchema::of(prompt),
            tools: prompt.tools.specs.to_vec(),
            callable: prompt.tools.callable,
            cache_key: Digest::of(prompt.entity.as_bytes()),
        }
    }

    /// Whether the mind is told of tools that it may not call, because earlier requests had them.
    pub(super) fn forbids_tools(&self) -> bool {
        !self.tools.is_empty() && !self.callable
    }
}

impl ReplySchema {
    fn of(prompt: &Prompt<'_>) -> Option<Self> {
        let AnswerForm::Json {
            name,
            schema,
            constrained,
            ..
        } = prompt.form
        else {
            return None;
        };
        Some(Self {
            name: schema_name(name),
            stable: Arc::clone(schema),
            constrained: constrained.to_string(),
            language: prompt.language,
        })
    }
}

/// A name that OpenAI accepts for a schema: up to 64 letters, digits, `_` and `-`.
fn schema_name(name: &str) -> String {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name: String = name.chars().take(64).collect();
    if name.is_empty() {
        "reply".into()
    } else {
        name.replace(|c| !is_allowed(c), "_")
    }
}
