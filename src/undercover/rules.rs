//! How a game is set up: who plays, how many of which role, and what happens in a tie.

use std::collections::{BTreeMap, BTreeSet};

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::cast::check_name;
use crate::locale::UiText;
use crate::message::Language;

/// What happens when several players have the most votes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ties {
    /// Nobody goes.
    NobodyOut,
    /// One more vote, between the tied; where that ends in a tie too, nobody goes.
    #[default]
    RunOff,
    /// The dice choose among the tied.
    Draw,
}

/// In which order the players of a round describe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeakingOrder {
    /// Shuffled anew for each round.
    #[default]
    Shuffled,
    /// By rising number.
    ByNumber,
}

/// When players put down what they believe of everybody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reflect {
    /// Never.
    #[default]
    Off,
    /// After the vote of each round.
    Round,
    /// After each line that they hear.
    Line,
}

/// How a game is set up. Data, not state: it never changes while a game is played.
#[derive(Resource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// The language of the game.
    pub language: Language,
    /// The name of the table, which is the stage.
    pub table: String,
    /// The players by name, in the order of their numbers.
    pub players: Vec<String>,
    /// How many of them are undercover.
    pub undercover: usize,
    /// How many of them get no word at all.
    pub blank: usize,
    /// What happens in a tie.
    pub ties: Ties,
    /// In which order players describe.
    pub order: SpeakingOrder,
    /// Whether the table learns the role of whoever is voted out.
    pub reveal: bool,
    /// After so many rounds the game is over, and those undercover have stayed hidden.
    pub max_rounds: u32,
    /// When players put down their beliefs.
    pub reflect: Reflect,
    /// The most characters of a description.
    pub description_chars: usize,
    /// The most tokens of an answer.
    pub reply_tokens: u32,
    /// Estimated tokens of a player's memory beyond which past rounds are summed up.
    pub context_tokens: u64,
    /// The model that a player prefers, by the player's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, String>,
}

/// Why no game can be played by these rules.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RulesError {
    /// Nobody can be found out among so few.
    #[error("{0} players are too few; at least {FEWEST} must sit at the table")]
    TooFew(usize),
    /// Nobody would be undercover.
    #[error("nobody is undercover; at least one player must be")]
    NobodyUndercover,
    /// The undercover would have won before the first word.
    #[error(
        "with {undercover} undercover and {blank} blank of {players} players {civilians} civilians are left; they must be more than those undercover: add players, or let fewer be undercover or blank"
    )]
    TooMany {
        /// How many are undercover.
        undercover: usize,
        /// How many get no word.
        blank: usize,
        /// How many play.
        players: usize,
        /// How many would be civilians.
        civilians: usize,
    },
    /// A name can't be a name.
    #[error("'{name}' can't be a name: {reason}")]
    BadName {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: UiText,
    },
    /// Two have one name.
    #[error("the name '{0}' is used twice; players and table need names of their own")]
    NameTwice(String),
    /// Somebody is named who does not play.
    #[error("no player is called '{name}'; there are: {players}")]
    NoSuchPlayer {
        /// The name.
        name: String,
        /// Who plays.
        players: String,
    },
    /// A limit that leaves no room for anything.
    #[error("{0} must be at least 1")]
    NoRoom(&'static str),
}

/// The fewest players among whom anybody can be found out.
pub const FEWEST: usize = 3;

impl Rules {
    /// The usual rules for players of these names.
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

    /// Whether a game can be played by these rules.
    ///
    /// # Errors
    /// The first thing that does not make sense.
    pub fn check(&self) -> Result<(), RulesError> {
        let players = self.players.len();
        if players < FEWEST {
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
            (self.max_rounds as usize, "the limit of rounds"),
            (self.description_chars, "the length of a description"),
            (self.reply_tokens as usize, "the length of an answer"),
        ];
        match limits.into_iter().find(|(limit, _)| *limit == 0) {
            Some((_, name)) => Err(RulesError::NoRoom(name)),
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
                players: self.players.join(", "),
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
    fn what_makes_no_game_is_refused() {
        let refused = |players, undercover, blank| rules(players, undercover, blank).check().err();
        assert_eq!(refused(6, 1, 0), None);
        assert_eq!(refused(6, 2, 1), None);
        assert_eq!(refused(2, 1, 0), Some(RulesError::TooFew(2)));
        assert_eq!(refused(6, 0, 0), Some(RulesError::NobodyUndercover));
        assert!(matches!(refused(6, 3, 0), Some(RulesError::TooMany { .. })));
        assert!(matches!(refused(6, 2, 2), Some(RulesError::TooMany { .. })));
        assert!(matches!(
            refused(6, usize::MAX, usize::MAX),
            Some(RulesError::TooMany { .. })
        ));
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
        assert_eq!(bad.check(), Err(RulesError::NoRoom("the limit of rounds")));
    }
}
