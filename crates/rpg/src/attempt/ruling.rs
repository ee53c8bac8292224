//! What the referee answers, and what the dice make of it.

use playhouse_engine::exchange::{Reply, Violation};
use playhouse_engine::message::cut;
use playhouse_engine::reading::letters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::prose::faults;
use super::stakes::{Stakes, ids};
use crate::drama::AttemptEnd;

/// The maximum number of characters of a made fact.
pub(super) const FACT_CHARS: usize = 200;
/// The maximum number of characters of an outcome; what is beyond is cut.
pub(super) const OUTCOME_CHARS: usize = 300;
/// What an ability adds to the chance of full success, in percent.
const ABILITY: u32 = 15;
/// The share of attempts that come off at a cost, in percent.
const AT_A_COST: u32 = 25;
/// What an answer says if no ability helps.
const NO_ABILITY: &str = "none";

/// How hard something is, and in how many percent of attempts it comes off fully, without an
/// ability.
const DIFFICULTIES: [(&str, u32); 4] =
    [("easy", 65), ("fair", 45), ("hard", 25), ("desperate", 10)];
const FAIR: u32 = 45;

fn difficulties() -> Vec<String> {
    DIFFICULTIES.map(|(name, _)| name.to_owned()).to_vec()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttemptResult {
    Full,
    AtACost,
    Not,
}

impl AttemptResult {
    pub(super) fn end(self) -> AttemptEnd {
        match self {
            Self::Full | Self::AtACost => AttemptEnd::Succeeded,
            Self::Not => AttemptEnd::Failed,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::AtACost => "cost",
            Self::Not => "not",
        }
    }
}

/// A referee's judgement of an attempt. Whatever is missing means the least: not possible, no
/// ability, fair, nothing won, no cost. Whatever was not offered is refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(transform = crate::decision::without_words)]
pub(crate) struct Ruling {
    /// Whether it can be done at all.
    pub(super) possible: bool,
    /// The ability that helps, or `none`.
    pub(super) ability: String,
    /// How hard it is: easy, fair, hard or desperate.
    pub(super) difficulty: String,
    /// What it wins.
    pub(super) prize: String,
    /// What it costs if it comes off at a cost.
    pub(super) cost: String,
    /// What is true from then on, in one sentence, if the prize is `fact`.
    pub(super) fact: String,
    /// What everybody here sees if it comes off fully.
    pub(super) fully: String,
    /// What everybody here sees if it comes off at the cost.
    pub(super) at_cost: String,
    /// What everybody here sees if it does not come off.
    pub(super) not: String,
}

impl Ruling {
    /// The highest rolls, from 0 to 99, with which it comes off fully and at a cost.
    fn chances(&self, stakes: &Stakes) -> (u32, u32) {
        let helps = stakes.abilities.contains(&self.ability);
        let mut difficulties = DIFFICULTIES.into_iter();
        let named = difficulties.find(|(name, _)| *name == self.difficulty);
        let chance = named.map_or(FAIR, |(_, chance)| chance);
        let full = chance + if helps { ABILITY } else { 0 };
        (full, full + AT_A_COST)
    }

    /// How it ends with a roll from 0 to 99.
    pub(super) fn outcome(&self, stakes: &Stakes, roll: u32) -> AttemptResult {
        let (full, at_a_cost) = self.chances(stakes);
        if !self.possible || roll >= at_a_cost {
            AttemptResult::Not
        } else if roll >= full {
            AttemptResult::AtACost
        } else {
            AttemptResult::Full
        }
    }

    /// What everybody sees of an outcome.
    pub(super) fn text(&self, outcome: AttemptResult) -> String {
        let text = match outcome {
            AttemptResult::Full => &self.fully,
            AttemptResult::AtACost => &self.at_cost,
            AttemptResult::Not => &self.not,
        };
        cut(text, OUTCOME_CHARS)
    }
}

impl Reply for Ruling {
    type Constraints = Stakes;
    const NAME: &'static str = "ruling";
    const IS_TOLD: bool = true;
    const MAY_BE_LEFT_OUT: &'static [&'static str] = &[
        "ability", "difficulty", "prize", "cost", "fully", "at_cost", "not",
    ];
    const OTHER_WORDS: &'static [(&'static str, &'static str)] = &[
        ("simple", "easy"),
        ("very easy", "easy"),
        ("trivial", "easy"),
        ("medium", "fair"),
        ("moderate", "fair"),
        ("normal", "fair"),
        ("average", "fair"),
        ("difficult", "hard"),
        ("very hard", "desperate"),
        ("challenging", "hard"),
        ("容易", "easy"),
        ("简单", "easy"),
        ("中等", "fair"),
        ("较难", "hard"),
        ("一般", "fair"),
        ("难", "hard"),
        ("困难", "hard"),
        ("极难", "desperate"),
        ("无", NO_ABILITY),
    ];

    fn constrain_schema(_schema: &Value, stakes: &Stakes) -> Option<Value> {
        let text = |most: usize| json!({"type": "string", "maxLength": most});
        let mut schema = json!({
            "type": "object",
            "properties": {
                "possible": {"type": "boolean"},
                "difficulty": {"type": "string", "enum": difficulties()},
                "prize": {"type": "string", "enum": ids(&stakes.prizes)},
                "cost": {"type": "string", "enum": ids(&stakes.costs)},
                "fact": text(FACT_CHARS),
                "fully": text(OUTCOME_CHARS),
                "at_cost": text(OUTCOME_CHARS),
                "not": text(OUTCOME_CHARS),
            },
            "required": ["possible", "difficulty", "prize", "cost", "fully", "at_cost", "not"],
            "additionalProperties": false,
        });
        if !stakes.abilities.is_empty() {
            let mut abilities = stakes.abilities.clone();
            abilities.push(NO_ABILITY.to_owned());
            schema["properties"]["ability"] = json!({"type": "string", "enum": abilities});
            if let Some(required) = schema["required"].as_array_mut() {
                required.push("ability".into());
            }
        }
        Some(schema)
    }

    /// Dots stand for nothing that anybody sees.
    fn settled(mut self, _: &Stakes) -> Self {
        let Self {
            fact,
            fully,
            at_cost,
            not,
            ..
        } = &mut self;
        for text in [fact, fully, at_cost, not] {
            if letters(text) == 0 {
                text.clear();
            }
        }
        self
    }

    fn check(&self, stakes: &Stakes) -> Vec<Violation> {
        let mut violations = faults(self, stakes);
        if self.possible {
            let mut abilities = stakes.abilities.clone();
            abilities.push(NO_ABILITY.to_owned());
            let named = [
                ("ability", &self.ability, abilities),
                ("difficulty", &self.difficulty, difficulties()),
                ("prize", &self.prize, ids(&stakes.prizes)),
                ("cost", &self.cost, ids(&stakes.costs)),
            ];
            for (path, name, offered) in named.iter().filter(|(_, name, _)| !name.is_empty()) {
                violations.extend(Violation::unless_offered(*path, name, offered));
            }
        }
        violations
    }
}
