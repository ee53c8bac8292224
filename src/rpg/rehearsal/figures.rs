//! What one run came to.

use std::collections::BTreeMap;

use serde::Serialize;

use super::clauses::Wording;
use crate::exchange::Spent;
use crate::locale::UiText;
use crate::rpg::components::FightResult;
use crate::statistics::Share;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    /// The story came to its end, in these words.
    Finished(String),
    /// It came to none, for this reason.
    Failed(UiText),
}

/// Something that happened in the course of a story.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// A fight was fought to its end.
    Fight {
        /// On which stage.
        stage: String,
        /// How it ended for the party.
        result: FightResult,
        /// After how many rounds.
        rounds: u32,
        /// The number of heroes who fell.
        fallen: u32,
    },
}

/// What one run came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunFigures {
    /// The seed by which it can be played again.
    pub seed: u64,
    /// How it ended.
    pub end: RunEnd,
    /// The number of turns.
    pub turns: u64,
    /// The number of days at home.
    pub days: u32,
    /// What happened, in order.
    pub course: Vec<Moment>,
    /// The heroes who fell, and how often.
    pub falls: BTreeMap<String, u32>,
    /// What was spent on each purpose. Tokens are estimated.
    pub spent: BTreeMap<String, Spent>,
    /// The prompt tokens that a provider would be expected to read from its cache.
    pub cached_tokens: u64,
    /// The share of clauses that had been worded before, by kind of text.
    pub repeated: BTreeMap<Wording, Share>,
}
