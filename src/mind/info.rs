//! What is known of a mind before it is asked.

use std::sync::Arc;

use crate::message::Price;

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
