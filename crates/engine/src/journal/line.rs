//! The lines of a journal.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::locale::{StoredText, UiText};
use crate::message::{Block, Cost, Digest, FinishReason, PromptBytes, TokenUsage, Vector};

/// The version of the journal's format.
pub const FORMAT: u32 = 1;

/// The first line: what the run started from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalHeader {
    pub format: u32,
    pub engine: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub world: String,
    /// The fingerprint of the world's data.
    pub data: String,
    pub seed: u64,
    /// From which story it branched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branched: Option<BranchedFrom>,
}

/// From which story another one branched. Both journals say the same up to that turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BranchedFrom {
    /// The slot of the other story.
    pub from: String,
    /// The last turn that both have.
    pub turn: u64,
}

impl JournalHeader {
    /// The header of a journal that this version writes.
    pub fn new(world: impl Into<String>, data: impl Into<String>, seed: u64) -> Self {
        Self {
            format: FORMAT,
            engine: env!("CARGO_PKG_VERSION").into(),
            world: world.into(),
            data: data.into(),
            seed,
            branched: None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum AskEnding {
    /// A mind answered, and the answer passed its check.
    Answered {
        text: String,
        /// The mind's thinking, if it showed any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thinking: Option<String>,
        finish: FinishReason,
    },
    /// There was no usable answer; the ask's own fallback was used.
    #[serde(with = "stored_reason")]
    Failed { reason: UiText },
}

/// The English and, if it has one, the key.
mod stored_reason {
    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct StoredReason {
        reason: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<StoredText>,
    }

    pub(super) fn serialize<S: Serializer>(text: &UiText, to: S) -> Result<S::Ok, S::Error> {
        let reason = StoredReason {
            reason: text.to_string(),
            text: StoredText::of(text),
        };
        reason.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<UiText, D::Error> {
        let StoredReason { reason, text } = StoredReason::deserialize(from)?;
        let text = text.and_then(StoredText::into_text);
        Ok(text.unwrap_or_else(|| UiText::verbatim(reason)))
    }
}

/// An answer that failed its check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RefusedAnswer {
    pub answer: String,
    /// What the mind was told about it; empty if it was not asked again.
    pub complaint: String,
    /// The time of all attempts until it came, in milliseconds, for people.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub ms: u64,
}

/// One round of tool calls: the mind's message and the results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolRoundRecord {
    /// The mind's message: thinking and text, if any, and its calls.
    pub said: Vec<Block>,
    /// The results in the order of the calls, before any guard. Empty in a line that was written
    /// before tools began to run that reach outside.
    pub results: Vec<ToolResultRecord>,
    /// The tokens of the call to the mind.
    pub usage: TokenUsage,
    /// The number of answers refused before this round.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused_before: u32,
    /// The time of all attempts until the mind's message came, in milliseconds, for people.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub ms: u64,
}

/// The result of a tool call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolResultRecord {
    /// The result or the error.
    pub text: String,
    /// Whether the tool failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// What the tool reported about its own work, any JSON; empty for most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<serde_json::Value>,
    /// What the tool spent on requests to minds; zero for most.
    #[serde(default, skip_serializing_if = "ToolSpent::is_nothing")]
    pub spent: ToolSpent,
}

/// A memory that was recalled for an ask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecalledMemory {
    /// The id of its message in the entity's conversation.
    pub message: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<Arc<str>>,
    /// Where the entity was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Arc<str>>,
    /// The title of its chapter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chapter: Option<String>,
    /// What the mind read of it.
    pub text: String,
    /// Whether it bears on the answer: both name somebody else, or a place. An estimate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub used: bool,
}

/// What a tool spent on requests to minds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolSpent {
    /// The number of requests that reached a mind.
    pub calls: u64,
    pub usage: TokenUsage,
    pub cost: Cost,
    /// The number of requests whose price is unknown.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub unpriced: u64,
}

impl ToolSpent {
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// A round of tool calls of an ask without an outcome yet, or just the answers that were refused so
/// far. Resuming continues from it, so that no mind and no tool is called again. Once there is an
/// outcome, only that counts. Members that an [`Outcome`] has, too, are as there, so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenRound {
    pub entity: Arc<str>,
    pub id: u32,
    pub number: u32,
    pub hash: Digest,
    /// The round; an empty one if it is only about refused answers.
    pub round: ToolRoundRecord,
    /// All answers that were refused so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedAnswer>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub folded: u32,
    pub calls: u64,
    pub retries: u32,
    pub usage: TokenUsage,
    /// `None` if a call reported no usage.
    pub estimated: Option<u64>,
    pub cost: Cost,
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub unpriced: u64,
    pub ms: u64,
}

impl OpenRound {
    /// Whether it was written before its tools began to run. The round itself follows, unless the
    /// program ended while they ran.
    pub(crate) fn is_attempt(&self) -> bool {
        self.round.results.is_empty() && !self.has_no_round()
    }

    /// Whether it is only about refused answers.
    pub(crate) fn has_no_round(&self) -> bool {
        self.round.said.is_empty()
    }
}

/// A request that costs money is about to be sent, or has failed. What follows of the same ask says
/// what became of it; if nothing does, the program ended before, and it may have been paid for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sent {
    pub entity: Arc<str>,
    pub id: u32,
    pub number: u32,
    /// The most tokens that it can take, of prompt and answer together.
    pub tokens: u64,
    /// The most that it can cost.
    pub cost: Cost,
    /// Whether it has failed since, and is not paid for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

/// A tool that an ask waits for has spent this on its own minds. The `round` with its result has
/// everything that it spent; without one, it was stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolPayment {
    pub entity: Arc<str>,
    pub id: u32,
    pub number: u32,
    pub spent: ToolSpent,
    /// The most that a request takes that is about to be sent.
    #[serde(default, skip_serializing_if = "ToolSpent::is_nothing")]
    pub sent: ToolSpent,
    /// The same, of one that was sent and has been answered or has failed.
    #[serde(default, skip_serializing_if = "ToolSpent::is_nothing")]
    pub answered: ToolSpent,
}

/// The outcome of one ask, with the usage of all its attempts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    pub entity: Arc<str>,
    /// Its number in the cast, which no later entity of the same name gets.
    pub id: u32,
    /// The number of the ask among all of the entity, from 1.
    pub number: u32,
    pub purpose: String,
    /// A hash of the request: history, question and schema.
    pub hash: Digest,
    /// The full question, for people and for showing differences.
    pub asked: String,
    /// The memories that came with the question, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recalled: Vec<RecalledMemory>,
    pub ending: AskEnding,
    /// The answers before it that failed their check.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedAnswer>,
    /// The rounds of tool calls before it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<ToolRoundRecord>,
    /// How many of the oldest messages were folded because the prompt was too long.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub folded: u32,
    /// The number of requests that reached a mind.
    pub calls: u64,
    /// The number of attempts that the transport repeated.
    pub retries: u32,
    pub usage: TokenUsage,
    #[serde(default, skip_serializing_if = "PromptBytes::is_nothing")]
    pub prompt_bytes: PromptBytes,
    /// The estimated prompt tokens of all attempts, uncorrected; 0 if the provider reported no
    /// usage, so that `usage` is an estimate itself.
    pub estimated: u64,
    pub cost: Cost,
    /// The number of requests whose price is unknown.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub unpriced: u64,
    /// Who runs the mind.
    pub provider: Arc<str>,
    pub model: Arc<str>,
    /// The time of all attempts in milliseconds, for people.
    pub ms: u64,
    /// When the answer came, in milliseconds since 1970, for people; 0 if the run dates none.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub at: u64,
}

impl Outcome {
    /// Whether no mind gave an answer, so that the ask's fallback is used.
    pub fn is_default(&self) -> bool {
        matches!(self.ending, AskEnding::Failed { .. })
    }

    /// Whether a mind was asked, and none of its answers could be used.
    pub fn has_no_usable_answer(&self) -> bool {
        self.is_default() && !self.refused.is_empty()
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn is_nothing(number: &u64) -> bool {
    *number == 0
}

/// A meeting of the whole world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meeting {
    /// The number of meetings so far, including this one.
    pub turn: u64,
    /// The state hash of each place, by name.
    pub hashes: BTreeMap<Arc<str>, Digest>,
}

/// A snapshot that was written after this line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnapshotRecord {
    /// The number of meetings that its world has had.
    pub turn: u64,
    pub digest: Digest,
}

/// The run was stopped from outside the story.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stopped {
    pub turn: u64,
    pub reason: String,
}

impl Stopped {
    /// The reason of a run in which only people at seats had anything to do.
    pub(crate) const SEATS_AWAITED: &str = "SeatsAwaited";

    /// Whether only people at seats had anything to do.
    pub fn awaits_seats(&self) -> bool {
        self.reason == Self::SEATS_AWAITED
    }
}

/// What the world was told from outside between two turns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The number of meetings before it.
    pub turn: u64,
    /// What was told, in the game's own format.
    pub value: serde_json::Value,
}

/// An ask that a branch asks again, or answers differently: the outcome in its story is not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retake {
    pub by: String,
    /// The name of the branch, from which minds that depend only on dice get different ones.
    pub branch: String,
    pub entity: Arc<str>,
    pub id: u32,
    pub number: u32,
}

impl Retake {
    /// The ask with this outcome, asked again in a branch.
    pub(crate) fn of(outcome: &Outcome, branch: &str, by: &str) -> Self {
        Self {
            by: by.to_owned(),
            branch: branch.to_owned(),
            entity: outcome.entity.clone(),
            id: outcome.id,
            number: outcome.number,
        }
    }
}

/// Vectors of texts that entities witnessed, which came before a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextVectors {
    /// The number of meetings before it.
    pub turn: u64,
    /// The model that made them. Those of another no longer count.
    pub model: Arc<str>,
    /// By the digest of the text.
    pub vectors: BTreeMap<Digest, Arc<Vector>>,
    #[serde(default)]
    pub tokens: u64,
    #[serde(default)]
    pub cost: Cost,
}

/// The vector of a search: what an ask is about, what a tool searches for, or what
/// the answer looks up. It came before the outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionVector {
    pub entity: Arc<str>,
    pub id: u32,
    pub number: u32,
    /// The digest of the text. For another one the vector does not count.
    pub text: Digest,
    pub vector: Arc<Vector>,
    /// The tokens of all texts of its request, at the first of them.
    #[serde(default)]
    pub tokens: u64,
    #[serde(default)]
    pub cost: Cost,
}

/// The game of a journal, if the world's name alone is not enough to set it up again. Snapshots
/// have it too, so that a damaged journal can be repaired.
#[derive(Resource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GameSetup {
    /// The game, such as `undercover`.
    pub name: String,
    /// Its setup, any JSON of this game.
    pub setup: serde_json::Value,
}

impl GameSetup {
    /// The setup, if it is one of this game that can be read.
    pub fn read<'s, T: Deserialize<'s>>(&'s self, game: &str) -> Option<T> {
        (self.name == game).then(|| T::deserialize(&self.setup).ok())?
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    #[serde(rename = "head")]
    Header(JournalHeader),
    Sent(Sent),
    /// Seldom, and large.
    Paid(Box<ToolPayment>),
    /// A round of tool calls of an ask that has no outcome yet, or answers of it that were refused.
    Round(Arc<OpenRound>),
    /// The second line, for games that need it.
    Game(GameSetup),
    Outcome(Arc<Outcome>),
    Meeting(Meeting),
    Snapshot(SnapshotRecord),
    Stopped(Stopped),
    /// An input between two turns.
    Input(Input),
    /// An ask that is answered again.
    Retake(Retake),
    /// Vectors of what was witnessed.
    Vectors(Arc<TextVectors>),
    /// The vector of a search.
    Question(QuestionVector),
    /// An outcome of the story from which this one branched. It counts only if the very same
    /// request is made here, too, and is then recorded as an outcome.
    Spare(Arc<Outcome>),
    /// An answer that was held for a decision. It is paid for, and used if the run was broken off
    /// before anybody decided and the very same request is made again.
    Held(Arc<Outcome>),
}
