//! What is known of a mind before it is asked, and what it costs.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::message::TokenUsage;

/// Money in billionths of the price list's unit, so that sums are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cost(pub u64);

impl Cost {
    /// From units of money, such as dollars; negative amounts and no-numbers are nothing.
    pub fn from_units(units: f64) -> Self {
        Self((units * 1e9).round() as u64)
    }

    /// In units of money, such as dollars.
    pub fn units(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The sum; it stops at the greatest amount.
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

/// Prices in units of money a million tokens, with the date they were read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// A million prompt tokens that no cache held.
    pub input: f64,
    /// A million prompt tokens read from the provider's cache.
    pub cached: f64,
    /// A million answer tokens, reasoning included.
    pub output: f64,
    /// The unit, such as `USD`.
    pub currency: String,
    /// The day the price was read, such as `2026-11-01`.
    pub date: String,
    /// The provider's page that tells it; empty where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
}

impl Price {
    /// The price of a call.
    pub fn of(&self, usage: TokenUsage) -> Cost {
        let fresh = usage.input.saturating_sub(usage.cached);
        let part = |tokens: u64, price: f64| Cost::from_units(tokens as f64 * price / 1e6);
        part(fresh, self.input)
            .plus(part(usage.cached.min(usage.input), self.cached))
            .plus(part(usage.output, self.output))
    }
}

/// What is known about a mind before it is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct MindInfo {
    /// The alias under which entities and commands choose it.
    pub alias: String,
    /// Who runs it: `improviser`, `openai`, `deepseek`, `local` …
    pub provider: Arc<str>,
    /// The model's name at its provider.
    pub model: Arc<str>,
    /// Tokens of prompt and answer together, where known.
    pub window: Option<u64>,
    /// The most tokens it is asked to answer with.
    pub max_output: u32,
    /// What it costs, where known; `None` for an unknown price, not for a free one.
    pub price: Option<Price>,
    /// How many calls may be under way at once.
    pub width: usize,
    /// Whether its provider caches prompts, so that one call is sent ahead of many that share rules.
    pub warms: bool,
    /// The most attempts of one call that its provider may bill; budgets and caps reserve the worst case of
    /// all of them.
    pub billed_attempts: u32,
    /// Whether tokens are estimated where it reports none. A desk of orders reads and writes none.
    pub metered: bool,
    /// Whether it takes tools in words alone: told at the end of the system message, called in its text.
    pub tools_in_words: bool,
}

impl MindInfo {
    /// No language at all: orders, calls that code chose. It counts no tokens.
    pub fn unmetered(alias: &str) -> Self {
        Self {
            metered: false,
            ..Self::embedded(alias)
        }
    }

    /// A mind inside this process: free, without limits.
    pub fn embedded(alias: &str) -> Self {
        Self {
            alias: alias.into(),
            provider: alias.into(),
            model: alias.into(),
            window: None,
            max_output: 1024,
            price: Some(Price {
                input: 0.0,
                cached: 0.0,
                output: 0.0,
                currency: "USD".into(),
                date: "always".into(),
                source: String::new(),
            }),
            width: 64,
            warms: false,
            billed_attempts: 1,
            metered: true,
            tools_in_words: false,
        }
    }
}
