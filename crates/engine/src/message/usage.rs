//! What one call of a model used: tokens, money, and why the model stopped.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tokens of one call, in the same form for every provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// Whether a server that reports this can't have read a prompt of so many estimated tokens: the
    /// estimate is never wrong by such a factor. With cached tokens, which some servers don't count
    /// in, it is unknown.
    pub fn shows_unread(self, estimate: u64) -> bool {
        const LEAST: u64 = 200;
        const FACTOR: u64 = 4;
        let is_told = self.input > 0 && self.cached == 0;
        is_told && estimate >= LEAST && self.input.saturating_mul(FACTOR) < estimate
    }

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

/// Bytes of prompts, by whether the provider has already seen them at the beginning of the entity's
/// previous prompt. `sent` is the sum of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PromptBytes {
    pub sent: u64,
    /// Those that repeat the beginning of the last prompt.
    pub repeated: u64,
    /// Those of an entity's first prompt.
    pub first: u64,
    /// Messages that are new since.
    pub new: u64,
    /// The question, calls of tools and corrections.
    pub asked: u64,
    /// Memories that came with the question.
    pub recalled: u64,
    /// Messages after a chapter that replaced others.
    pub archived: u64,
    /// Messages after a gap caused by a window or a view.
    pub folded: u64,
}

impl PromptBytes {
    /// The share that repeats the last prompt, 0 to 1.
    pub fn repeated_share(&self) -> f64 {
        self.repeated as f64 / self.sent.max(1) as f64
    }

    pub fn is_nothing(&self) -> bool {
        self.sent == 0
    }
}

impl std::ops::AddAssign for PromptBytes {
    fn add_assign(&mut self, other: Self) {
        for (sum, more) in [
            (&mut self.sent, other.sent),
            (&mut self.repeated, other.repeated),
            (&mut self.first, other.first),
            (&mut self.new, other.new),
            (&mut self.asked, other.asked),
            (&mut self.recalled, other.recalled),
            (&mut self.archived, other.archived),
            (&mut self.folded, other.folded),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The answer is complete.
    Stop,
    /// The answer reached the limit of output tokens.
    Length,
    /// The model wants tools to be called.
    ToolCalls,
    /// The provider withheld the answer.
    ContentFilter,
    /// The provider gave no reason, or one we do not know.
    Unknown,
}

/// Money in billionths of the price list's unit, so that sums are exact.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Cost(pub u64);

impl Cost {
    /// From units of money, such as dollars; negative amounts and NaN become zero.
    pub fn from_units(units: f64) -> Self {
        Self((units * 1e9).round() as u64)
    }

    /// In units of money, such as dollars.
    pub fn units(self) -> f64 {
        self.0 as f64 / 1e9
    }

    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.4}", self.units())
    }
}

/// Prices in units of money per million tokens, with the date when they were read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Per million prompt tokens that were not cached.
    #[serde(default = "missing")]
    pub input: f64,
    /// Per million prompt tokens read from the provider's cache.
    #[serde(default = "missing")]
    pub cached: f64,
    /// Per million answer tokens, reasoning included.
    #[serde(default = "missing")]
    pub output: f64,
    /// The unit, such as `USD`.
    #[serde(default)]
    pub currency: String,
    /// The day the price was read, such as `2026-11-01`.
    #[serde(default)]
    pub date: String,
    /// The provider's page that states it; empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
}

/// What a file lacks of a price, so that all of it can be told at once.
fn missing() -> f64 {
    f64::NAN
}

impl Price {
    pub fn of(&self, usage: TokenUsage) -> Cost {
        let fresh = usage.input.saturating_sub(usage.cached);
        let part = |tokens: u64, price: f64| Cost::from_units(tokens as f64 * price / 1e6);
        part(fresh, self.input)
            .plus(part(usage.cached.min(usage.input), self.cached))
            .plus(part(usage.output, self.output))
    }
}
