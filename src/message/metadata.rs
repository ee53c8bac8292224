//! What a model's provider says about the making of an ai message.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Tokens of one call, in one form for all providers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Tokens of the prompt, cached ones included.
    #[serde(rename = "prompt_tokens", alias = "input_tokens", default)]
    pub input: u64,
    /// Tokens of the answer, reasoning included.
    #[serde(rename = "completion_tokens", alias = "output_tokens", default)]
    pub output: u64,
    /// Prompt tokens that the provider read from its cache.
    #[serde(rename = "cached_tokens", default)]
    pub cached: u64,
    /// Answer tokens spent on reasoning.
    #[serde(rename = "reasoning_tokens", default)]
    pub reasoning: u64,
}

impl TokenUsage {
    /// Tokens of prompt and answer together.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl std::ops::AddAssign for TokenUsage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached = self.cached.saturating_add(other.cached);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}

/// The `response_metadata` member of an ai message. Members we do not know, and known ones in a form
/// we do not know, are kept as they came.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ResponseMetadata(pub Map<String, Value>);

impl ResponseMetadata {
    /// Metadata as the engine writes it.
    pub fn new(provider: &str, model: &str, usage: TokenUsage) -> Self {
        let usage_value = serde_json::json!({
            "prompt_tokens": usage.input,
            "completion_tokens": usage.output,
            "total_tokens": usage.total(),
            "reasoning_tokens": usage.reasoning,
        });
        Self(Map::from_iter([
            ("token_usage".into(), usage_value),
            ("model_provider".into(), provider.into()),
            ("model_name".into(), model.into()),
            ("prompt_cache_hit_tokens".into(), usage.cached.into()),
        ]))
    }

    /// The provider, such as `deepseek`.
    pub fn model_provider(&self) -> Option<&str> {
        self.0.get("model_provider")?.as_str()
    }

    /// The model, such as `deepseek-chat`.
    pub fn model_name(&self) -> Option<&str> {
        self.0.get("model_name")?.as_str()
    }

    /// Prompt tokens that the provider read from its cache.
    pub fn prompt_cache_hit_tokens(&self) -> Option<u64> {
        self.0.get("prompt_cache_hit_tokens")?.as_u64()
    }

    /// Tokens of the call that made the message.
    pub fn token_usage(&self) -> Option<TokenUsage> {
        let mut usage: TokenUsage =
            serde_json::from_value(self.0.get("token_usage")?.clone()).ok()?;
        usage.cached = usage
            .cached
            .max(self.prompt_cache_hit_tokens().unwrap_or_default());
        Some(usage)
    }
}
