//! What the journal's lines hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::message::{Digest, TokenUsage};
use crate::mind::{Cost, Finish};

/// The version of the journal's format.
pub const FORMAT: u32 = 1;

/// The first line: what the run was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// The version of the format.
    pub format: u32,
    /// The engine's version.
    pub engine: String,
    /// The fingerprint of the world's data.
    pub data: String,
    /// The seed.
    pub seed: u64,
}

/// How an ask ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// A mind answered, and the answer passed its check.
    Answered {
        /// The answer as it came.
        text: String,
        /// The mind's reasoning, where it showed any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thinking: Option<String>,
        /// Why the mind stopped.
        finish: Finish,
    },
    /// No usable answer came; the ask's own fallback stands.
    Failed {
        /// Why.
        reason: String,
    },
}

/// An answer that failed its check and was sent back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusedAnswer {
    /// The answer as it came.
    pub answer: String,
    /// What the mind was told about it; empty where it was not asked again.
    pub complaint: String,
}

/// The outcome of one ask, with the usage of all its attempts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Who was asked.
    pub entity: Arc<str>,
    /// Its number in the cast, which no later entity of the same name ever gets; 0 in journals that
    /// were written before it was noted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub id: u32,
    /// The number of the ask among all of the entity, from 1.
    pub number: u32,
    /// What it was asked for.
    pub purpose: String,
    /// The hash of all it was asked: its history, the question and the wanted form.
    pub hash: Digest,
    /// The question in full, for people and for naming differences.
    pub asked: String,
    /// How it ended.
    pub ending: Ending,
    /// Answers that failed their check before that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedAnswer>,
    /// How many of the oldest messages were folded away because the prompt was too long.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub folded: u32,
    /// Requests that reached a mind.
    pub calls: u64,
    /// Attempts that the transport repeated.
    pub retries: u32,
    /// Tokens of all attempts.
    pub usage: TokenUsage,
    /// The prompt tokens that we estimated for all attempts, uncorrected; 0 where the provider
    /// reported no usage, which is then an estimate itself.
    pub estimated: u64,
    /// Money for all attempts.
    pub cost: Cost,
    /// Who runs the mind.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Wall-clock milliseconds of all attempts; for people.
    pub ms: u64,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A meeting of the whole world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meeting {
    /// How many there have been with this one.
    pub turn: u64,
    /// The state hash of each place, by name.
    pub hashes: BTreeMap<Arc<str>, Digest>,
}

/// A stop of the run from outside the story.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stopped {
    /// The turn in which it stopped.
    pub turn: u64,
    /// Why, in words.
    pub reason: String,
}

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// The first line.
    Head(Head),
    /// The outcome of an ask.
    Outcome(Arc<Outcome>),
    /// A meeting.
    Meeting(Meeting),
    /// A stop.
    Stopped(Stopped),
}
