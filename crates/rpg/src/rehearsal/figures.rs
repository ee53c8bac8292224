//! The figures of one run.

use std::collections::{BTreeMap, BTreeSet};

use playhouse_engine::exchange::Spent;
use playhouse_engine::locale::UiText;
use playhouse_engine::statistics::Share;
use ron::error::SpannedError;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::clauses::Wording;
use super::consistency::FalseText;
use crate::components::FightResult;
use crate::drama::{GoalState, Missing, Occasion, PlotPoint};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    /// The story came to its end, in these words.
    Finished(String),
    /// It came to none, for this reason.
    Failed(
        #[schemars(with = "String")]
        #[serde(deserialize_with = "in_english")]
        UiText,
    ),
}

/// A reason that was written is kept in English alone.
fn in_english<'de, D: Deserializer<'de>>(from: D) -> Result<UiText, D::Error> {
    String::deserialize(from).map(UiText::verbatim)
}

impl Default for RunEnd {
    fn default() -> Self {
        Self::Failed(UiText::default())
    }
}

impl RunEnd {
    /// Why it came to no end; `None` if it did.
    pub fn failure(&self) -> Option<&UiText> {
        match self {
            Self::Finished(_) => None,
            Self::Failed(reason) => Some(reason),
        }
    }
}

/// Something that happened in the course of a story.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    Scene {
        id: String,
        day: u32,
    },
    Choice {
        scene: String,
        option: String,
        who: String,
    },
    /// The votes for the next journey were counted.
    Vote {
        /// The dungeon that won, or `stay`.
        result: String,
    },
    /// A fight was fought to its end.
    Fight {
        stage: String,
        /// How it ended for the party.
        result: FightResult,
        rounds: u32,
        fallen: u32,
    },
}

/// A fact that a character learned in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LearnedFact {
    pub fact: String,
    pub who: String,
    /// From whom; `None` if from nobody.
    pub from: Option<String>,
    pub day: u32,
}

/// A goal of a character at the end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GoalFigures {
    pub who: String,
    /// Which of its goals, from 0.
    pub number: usize,
    pub state: GoalState,
}

/// A bond at the end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BondFigures {
    pub from: String,
    pub to: String,
    /// From -3 to 3.
    pub value: i32,
}

/// A place at some time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Spot {
    pub day: u32,
    pub occasion: Occasion,
    /// The round of talk of a day at home, from 1; 0 anywhere else.
    pub round: u32,
    /// The name of this round, if it has one.
    pub hour: String,
    pub place: String,
}

/// Who was at a place, and which scenes began there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpotSeen {
    pub people: BTreeSet<String>,
    pub scenes: BTreeSet<String>,
}

/// What is noted of a run for the figures of all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunNotes {
    /// What was missing of each scene, option and ending that was asked about.
    pub missing: BTreeMap<PlotPoint, Missing>,
    /// Who was where and when, and which scenes began there.
    pub spots: BTreeMap<Spot, SpotSeen>,
    /// The facts that somebody who knew them was together with somebody who did not.
    pub near_told: BTreeSet<String>,
    /// The texts that were not true when they were told, if that is looked at.
    pub false_texts: Vec<FalseText>,
}

/// What runs came to as one line, for another machine.
///
/// # Errors
/// None that figures can cause.
pub fn write_runs(runs: &[RunFigures]) -> ron::Result<String> {
    let runs: Vec<_> = runs.iter().map(|run| (run, &run.notes)).collect();
    ron::to_string(&runs)
}

/// The runs of such a line. Why one failed is known in English alone.
pub fn read_runs(line: &str) -> Result<Vec<RunFigures>, SpannedError> {
    let runs: Vec<(RunFigures, RunNotes)> = ron::from_str(line)?;
    let runs = runs.into_iter();
    let runs = runs.map(|(run, notes)| RunFigures { notes, ..run });
    Ok(runs.collect())
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunFigures {
    /// The seed by which it can be played again.
    pub seed: u64,
    pub end: RunEnd,
    /// The id of the ending that was reached.
    pub ending: Option<String>,
    /// Whether the condition that was looked for came to hold; `None` if none was.
    pub found: Option<bool>,
    /// The turn in which it first did.
    pub found_in: Option<u64>,
    pub turns: u64,
    pub days: u32,
    pub course: Vec<Moment>,
    /// The heroes who fell, and how often.
    pub falls: BTreeMap<String, u32>,
    /// What only sums of runs show.
    #[serde(skip)]
    pub notes: RunNotes,
    /// How often an effect could not apply: by scene and option, with the effect.
    pub skipped: BTreeMap<String, u32>,
    pub learned: Vec<LearnedFact>,
    /// Who held each item at the end, or on which stage it lay; `None` if it was gone.
    pub holders: BTreeMap<String, Option<String>>,
    pub goals: Vec<GoalFigures>,
    pub bonds: Vec<BondFigures>,
    pub qualities: BTreeMap<String, i32>,
    /// Whether memories came to minds by themselves, so that prompts had their usual length.
    pub has_memories: bool,
    /// What was spent on each purpose. Tokens are estimated.
    pub spent: BTreeMap<String, Spent>,
    /// The prompt tokens that a provider would be expected to read from its cache.
    pub cached_tokens: u64,
    /// The share of clauses that had been worded before, by kind of text.
    pub repeated: BTreeMap<Wording, Share>,
}
