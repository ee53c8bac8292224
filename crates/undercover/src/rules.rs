//! The rules of a game: who plays, how many players have which role, what happens in a tie.

use std::collections::{BTreeMap, BTreeSet};

use bevy_ecs::prelude::*;
use playhouse_engine::cast::check_name;
use playhouse_engine::locale::{Localize, UiText};
use playhouse_engine::message::Language;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What happens if several players have the most votes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ties {
    NobodyOut,
    /// One more vote between the tied; nobody is voted out if that ends in a tie too.
    #[default]
    RunOff,
    /// One of the tied is chosen at random.
    Draw,
}

/// The order in which players describe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeakingOrder {
    /// Shuffled in each round.
    #[default]
    Shuffled,
    ByNumber,
}

/// When players write down what they believe of everybody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reflect {
    #[default]
    Off,
    /// After the vote of each round.
    Round,
    /// After each description that they hear.
    Line,
}

/// The rules of a game. Data, not state: they never change during a game.
#[derive(Resource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// The language of the game.
    pub language: Language,
    /// The name of the table, which is the stage.
    pub table: String,
    /// The names of the players, in the order of their numbers.
    pub players: Vec<String>,
    /// The number of undercover players.
    pub undercover: usize,
    /// The number of blank players, who get no word.
    pub blank: usize,
    /// What happens in a tie.
    pub ties: Ties,
    /// The order in which players describe.
    pub order: SpeakingOrder,
    /// Whether the role of a player who is voted out is shown.
    pub reveal: bool,
    /// The maximum number of rounds; undercover players who stay hidden until then have won.
    pub max_rounds: u32,
    /// When players write down their beliefs.
    pub reflect: Reflect,
    /// The maximum number of characters of a description.
    pub description_chars: usize,
    /// The maximum number of tokens of an answer.
    pub reply_tokens: u32,
    /// The number of tokens of a conversation above which past rounds are summarized.
    pub context_tokens: u64,
    /// The models of players, by the player's name; others have the default model of the run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, String>,
}

/// Why no game can be played by these rules.
#[derive(Clone, Debug, Error, PartialEq, Eq, Localize)]
pub enum RulesError {
    #[text(undercover_too_few_players, players, least = MIN_PLAYERS)]
    TooFew(usize),
    #[text(undercover_nobody_undercover)]
    NobodyUndercover,
    /// The undercover players would have won before the first description.
    #[text(undercover_too_many)]
    TooMany {
        /// The number of undercover players.
        undercover: usize,
        /// The number of blank players.
        blank: usize,
        players: usize,
        /// The number of civilians that are left.
        civilians: usize,
    },
    #[text(cast_bad_name)]
    BadName {
        name: String,
        reason: UiText,
    },
    #[text(undercover_name_twice, name)]
    NameTwice(String),
    /// A model was chosen for a name that does not play.
    #[text(undercover_no_such_player)]
    NoSuchPlayer {
        name: String,
        /// The names of all players.
        players: Vec<String>,
    },
    ZeroLimit(RuleLimit),
}

/// A limit that the rules set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Localize)]
pub enum RuleLimit {
    #[text(undercover_no_rounds)]
    Rounds,
    #[text(undercover_no_description_chars)]
    DescriptionChars,
    #[text(undercover_no_reply_tokens)]
    ReplyTokens,
}

pub const MIN_PLAYERS: usize = 3;

impl Rules {
    /// The models that players have of their own.
    pub fn player_models(&self) -> BTreeSet<String> {
        self.models.values().cloned().collect()
    }

    /// The default rules for players of these names.
    pub fn new(language: Language, table: impl Into<String>, players: Vec<String>) -> Self {
        Self {
            language,
            table: table.into(),
            max_rounds: players.len() as u32 + 2,
            players,
            undercover: 1,
            blank: 0,
            ties: Ties::default(),
            order: SpeakingOrder::default(),
            reveal: true,
            reflect: Reflect::default(),
            description_chars: match language {
                Language::En => 160,
                Language::Zh => 60,
            },
            reply_tokens: 1_024,
            context_tokens: 12_000,
            models: BTreeMap::new(),
        }
    }

    /// Checks whether a game can be played by these rules.
    pub fn check(&self) -> Result<(), RulesError> {
        let players = self.players.len();
        if players < MIN_PLAYERS {
            return Err(RulesError::TooFew(players));
        }
        if self.undercover == 0 {
            return Err(RulesError::NobodyUndercover);
        }
        let others = self.undercover.saturating_add(self.blank);
        let civilians = players.saturating_sub(others);
        if civilians <= self.undercover {
            return Err(RulesError::TooMany {
                undercover: self.undercover,
                blank: self.blank,
                players,
                civilians,
            });
        }
        self.check_names()?;
        let limits = [
            (self.max_rounds as usize, RuleLimit::Rounds),
            (self.description_chars, RuleLimit::DescriptionChars),
            (self.reply_tokens as usize, RuleLimit::ReplyTokens),
        ];
        match limits.into_iter().find(|(limit, _)| *limit == 0) {
            Some((_, limit)) => Err(RulesError::ZeroLimit(limit)),
            None => Ok(()),
        }
    }

    fn check_names(&self) -> Result<(), RulesError> {
        let mut known = BTreeSet::new();
        for name in self.players.iter().chain([&self.table]) {
            if let Some(reason) = check_name(name) {
                let name = name.clone();
                return Err(RulesError::BadName { name, reason });
            }
            if !known.insert(name) {
                return Err(RulesError::NameTwice(name.clone()));
            }
        }
        let unknown = self.models.keys().find(|name| !self.players.contains(name));
        match unknown {
            Some(name) => Err(RulesError::NoSuchPlayer {
                name: name.clone(),
                players: self.players.clone(),
            }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(players: usize, undercover: usize, blank: usize) -> Rules {
        let names = (1..=players).map(|n| format!("P{n}")).collect();
        Rules {
            undercover,
            blank,
            ..Rules::new(Language::En, "Table", names)
        }
    }

    #[test]
    fn names_must_be_names_and_differ() {
        let mut bad = rules(4, 1, 0);
        bad.players[1] = "P1".into();
        assert_eq!(bad.check(), Err(RulesError::NameTwice("P1".into())));
        bad.players[1] = "a\nb".into();
        assert!(matches!(bad.check(), Err(RulesError::BadName { .. })));
        let mut bad = rules(4, 1, 0);
        bad.models.insert("Nobody".into(), "m".into());
        assert!(matches!(bad.check(), Err(RulesError::NoSuchPlayer { .. })));
        bad.models.clear();
        bad.max_rounds = 0;
        assert_eq!(bad.check(), Err(RulesError::ZeroLimit(RuleLimit::Rounds)));
    }

    #[test]
    fn one_civilian_is_not_several() {
        let told = |players| rules(players, 2, 0).check().unwrap_err().to_string();
        assert!(told(3).contains("only 1 civilian is left"), "{}", told(3));
        assert!(told(4).contains("only 2 civilians are left"), "{}", told(4));
    }
}
