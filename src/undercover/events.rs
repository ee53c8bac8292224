//! What happens at the table, as players learn of it.

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::secret::Role;
use super::table::{PlayerId, Side};
use crate::event::{AgentEvent, PhraseError, Phrasebook, register_event};
use crate::message::Tags;

/// Registers every type of this file.
pub fn register(world: &mut World) {
    register_event::<Deal>(world);
    register_event::<RoundBegins>(world);
    register_event::<Described>(world);
    register_event::<VotesCast>(world);
    register_event::<Verdict>(world);
    register_event::<GameOver>(world);
}

/// The tag of the message that deals a card; its value is the word, empty for a blank player.
pub const CARD: &str = "card";
/// The tag of the message that opens a round; its value is the round's number.
pub const ROUND: &str = "round";

fn tag(key: &str, value: impl Into<Value>) -> Tags {
    // The keys of this file are no members of a message.
    Tags::new().with_user(key, value).unwrap_or_default()
}

fn say(phrases: &Phrasebook, event: &str, data: &Value) -> Result<String, PhraseError> {
    let name = event.replacen('_', "/events/", 1);
    phrases.say(&name, data)
}

/// A player gets its card. Nobody else learns of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Deal {
    /// Who.
    pub player: String,
    /// Its word; empty for a blank player.
    pub word: String,
}

impl AgentEvent for Deal {
    const TYPE: &'static str = "undercover_deal";

    fn is_public(&self) -> bool {
        false
    }

    fn tags(&self) -> Tags {
        tag(CARD, self.word.as_str())
    }

    fn text(&self, phrases: &Phrasebook, data: &Value) -> Result<String, PhraseError> {
        say(phrases, Self::TYPE, data)
    }
}

/// A round begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundBegins {
    /// Which, from 1.
    pub round: u32,
    /// The living in the order in which they will describe.
    pub order: Vec<Seated>,
}

/// A player's number and name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seated {
    /// The number.
    pub player_id: PlayerId,
    /// The name.
    pub player: String,
}

impl AgentEvent for RoundBegins {
    const TYPE: &'static str = "undercover_round";

    fn tags(&self) -> Tags {
        tag(ROUND, self.round.to_string())
    }

    fn text(&self, phrases: &Phrasebook, data: &Value) -> Result<String, PhraseError> {
        say(phrases, Self::TYPE, data)
    }
}

/// Somebody has described its word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Described {
    /// In which round.
    pub round: u32,
    /// Who, by number.
    pub player_id: PlayerId,
    /// Who, by name.
    pub player: String,
    /// In these words.
    pub description: String,
}

impl AgentEvent for Described {
    const TYPE: &'static str = "undercover_description";

    fn speaker(&self) -> Option<&str> {
        Some(&self.player)
    }

    fn spoken(&mut self) -> Option<&mut String> {
        Some(&mut self.description)
    }

    fn text(&self, phrases: &Phrasebook, data: &Value) -> Result<String, PhraseError> {
        say(phrases, Self::TYPE, data)
    }
}

/// A vote, with names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VoteCast {
    /// Whose, by number.
    pub voter_id: PlayerId,
    /// Whose, by name.
    pub voter: String,
    /// Against whom, by number; nothing for an abstention.
    pub target_id: Option<PlayerId>,
    /// Against whom, by name; empty for an abstention.
    pub target: String,
}

/// How many votes somebody got.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// Who, by number.
    pub player_id: PlayerId,
    /// Who, by name.
    pub player: String,
    /// How many.
    pub votes: u32,
}

/// All have voted, and the votes are shown at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VotesCast {
    /// In which round.
    pub round: u32,
    /// Whether it was a run-off between those who were tied.
    pub run_off: bool,
    /// The votes, by rising voter.
    pub votes: Vec<VoteCast>,
    /// Votes against each of those who got any, the most first.
    pub tally: Vec<Counted>,
}

impl AgentEvent for VotesCast {
    const TYPE: &'static str = "undercover_votes";

    fn text(&self, phrases: &Phrasebook, data: &Value) -> Result<String, PhraseError> {
        say(phrases, Self::TYPE, data)
    }
}

/// The vote is counted: somebody goes, or nobody.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// In which round.
    pub round: u32,
    /// Who goes; nothing where nobody does.
    pub out: Option<Counted>,
    /// Its role, where the rules reveal it.
    pub role: Option<Role>,
    /// Those who were tied, by name; empty where nobody was.
    pub tied: Vec<String>,
}

impl AgentEvent for Verdict {
    const TYPE: &'static str = "undercover_verdict";

    fn text(&self, phrases: &Phrasebook, data: &Value) -> Result<String, PhraseError> {
        say(phrases, Self::TYPE, data)
    }
}

/// A player's card, turned over when the game is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unmasked {
    /// Who, by number.
    pub player_id: PlayerId,
    /// Who, by name.
    pub player: String,
    /// Its role.
    pub role: Role,
    /// Its word; nothing for a blank player.
    pub word: Option<String>,
}

/// The game is over, and all cards are turned over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameOver {
    /// In which round.
    pub round: u32,
    /// Who has won.
    pub winner: Side,
    /// Whether it is over because the rounds have run out.
    pub rounds_ran_out: bool,
    /// All cards, by number.
    pub cards: Vec<Unmasked>,
}

impl AgentEvent for GameOver {
    const TYPE: &'static str = "undercover_end";

    fn text(&self, phrases: &Phrasebook, data: &Value) -> Result<String, PhraseError> {
        say(phrases, Self::TYPE, data)
    }
}
