//! What is known about a mind before it is asked.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::message::Price;

/// What is known about a mind before it is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct MindInfo {
    /// The alias by which entities and commands choose it.
    pub alias: String,
    /// Who runs it: `improviser`, `openai`, `deepseek`, `local` …
    pub provider: Arc<str>,
    /// The model's name at its provider.
    pub model: Arc<str>,
    /// The context window in tokens, prompt and answer together; `None` if unknown.
    pub window: Option<u64>,
    /// The maximum number of tokens of an answer.
    pub max_output: u32,
    /// How many it may think before an answer, beside those of the answer.
    pub thought_tokens: u32,
    /// What it costs; `None` if unknown, not if it is free.
    pub price: Option<Price>,
    /// How many calls may run at once.
    pub width: usize,
    /// Whether its provider caches prompts, so that one call is sent ahead of many that share
    /// rules.
    pub caches_prompts: bool,
    /// How many attempts of one call its provider may bill. Budgets reserve the worst case of all
    /// of them.
    pub billed_attempts: u32,
    /// Whether its tokens are estimated if it reports none. Code that answers itself uses none.
    pub metered: bool,
    /// Whether tools are described in the prompt and called in text, see [`super::PromptedTools`].
    pub prompted_tools: bool,
    /// How long a run waits for it while its server can't answer.
    pub patience: Duration,
    /// How many of its asks may end without a usable answer.
    pub max_defaults: MaxDefaults,
}

/// How many asks of a model may end without a usable answer. With one more the run stops, since a
/// story of default answers is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MaxDefaults {
    /// The number of asks in a row with which a run stops.
    pub in_a_row: u32,
    /// The number among the last thirty with which it stops.
    pub of_thirty: u32,
}

impl Default for MaxDefaults {
    fn default() -> Self {
        Self {
            in_a_row: 5,
            of_thirty: 10,
        }
    }
}

impl MaxDefaults {
    /// As many as there are.
    pub const UNLIMITED: Self = Self {
        in_a_row: u32::MAX,
        of_thirty: u32::MAX,
    };
}

impl MindInfo {
    /// Code or a person who answers. They use no tokens.
    pub fn unmetered(alias: &str) -> Self {
        Self {
            metered: false,
            ..Self::embedded(alias)
        }
    }

    /// A mind inside this process: free and without limits.
    pub fn embedded(alias: &str) -> Self {
        Self {
            alias: alias.into(),
            provider: alias.into(),
            model: alias.into(),
            window: None,
            max_output: 1024,
            thought_tokens: 0,
            price: Some(Price {
                input: 0.0,
                cached: 0.0,
                output: 0.0,
                currency: "USD".into(),
                date: "always".into(),
                source: String::new(),
            }),
            width: 64,
            caches_prompts: false,
            billed_attempts: 1,
            metered: true,
            prompted_tools: false,
            patience: Duration::ZERO,
            max_defaults: MaxDefaults::UNLIMITED,
        }
    }
}
