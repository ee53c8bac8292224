//! What the journal's lines hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::message::{Block, Cost, Digest, Finish, TokenUsage};

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

/// One round of tool calls: what the mind said and called, and what came back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolRoundRecord {
    /// The mind's message: reasoning and words, if any, and its calls.
    pub said: Vec<Block>,
    /// What each call returned, in the order of the calls, before any guard looked at it.
    pub results: Vec<ToolResultRecord>,
    /// The tokens of the call to the mind.
    pub usage: TokenUsage,
    /// How many answers to the ask had been refused before.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused_before: u32,
}

/// What one call of a tool returned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolResultRecord {
    /// The result, or why there is none.
    pub text: String,
    /// Whether the tool failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// What the tool told of its own work, in its own form; nothing for most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inside: Vec<serde_json::Value>,
    /// What the tool spent on calls of minds; nothing for most.
    #[serde(default, skip_serializing_if = "ToolSpent::is_nothing")]
    pub spent: ToolSpent,
}

/// What a tool spent on calls of minds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolSpent {
    /// Requests that reached a mind.
    pub calls: u64,
    /// Their tokens.
    pub usage: TokenUsage,
    /// Their price.
    pub cost: Cost,
}

impl ToolSpent {
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// A round of tool calls of an ask that is still open. Whoever resumes goes on from it, so that neither
/// a mind nor a tool is asked again; once the ask has its outcome, that counts alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenRound {
    /// Who was asked.
    pub entity: Arc<str>,
    /// Its number in the cast.
    pub id: u32,
    /// The number of the ask among all of the entity, from 1.
    pub number: u32,
    /// As in [`Outcome`].
    pub hash: Digest,
    /// The round.
    pub round: ToolRoundRecord,
    /// All answers to the ask that were refused so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedAnswer>,
    /// As in [`Outcome`], so far.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub folded: u32,
    /// As in [`Outcome`], so far.
    pub calls: u64,
    /// As in [`Outcome`], so far.
    pub retries: u32,
    /// As in [`Outcome`], so far.
    pub usage: TokenUsage,
    /// As in [`Outcome`], so far; nothing once it can't be compared.
    pub estimated: Option<u64>,
    /// As in [`Outcome`], so far.
    pub cost: Cost,
    /// As in [`Outcome`], so far.
    pub ms: u64,
}

/// The outcome of one ask, with the usage of all its attempts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// The rounds of tool calls before that, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<ToolRoundRecord>,
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
    pub provider: Arc<str>,
    /// The model.
    pub model: Arc<str>,
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

/// Which game a journal is of, where the world's name alone does not lead back to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameSetup {
    /// The game, such as `undercover`.
    pub name: String,
    /// How it was set up, in the game's own form.
    pub setup: serde_json::Value,
}

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// The first line.
    Head(Head),
    /// A round of tool calls of an ask that has no outcome yet.
    Round(Arc<OpenRound>),
    /// The second line, for games that need one.
    Game(GameSetup),
    /// The outcome of an ask.
    Outcome(Arc<Outcome>),
    /// A meeting.
    Meeting(Meeting),
    /// A stop.
    Stopped(Stopped),
}
