//! The events of the game, as players learn of them.

use bevy_ecs::prelude::*;
use playhouse_engine::event::{AgentEvent, PromptSet, register_event};
use playhouse_engine::locale::{UiText, text};
use playhouse_engine::message::Tags;
use playhouse_engine::session::{add_told_template, register_told};
use serde::{Deserialize, Serialize};

use super::ids::{PlayerId, PlayerRole, Side};

/// Registers every type of this file.
pub(super) fn register(world: &mut World) {
    register_event::<CardDealt>(world);
    register_event::<RoundStarted>(world);
    register_event::<Described>(world);
    register_event::<VotesCast>(world);
    register_event::<Verdict>(world);
    register_event::<GameOver>(world);
    register_told(world);
}

/// Adds the template of every type of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    prompts.add_event::<CardDealt>();
    prompts.add_event::<RoundStarted>();
    prompts.add_event::<Described>();
    prompts.add_event::<VotesCast>();
    prompts.add_event::<Verdict>();
    prompts.add_event::<GameOver>();
    add_told_template(prompts);
}

/// The tag of the message that deals a card; its value is the word, empty for a blank player.
pub(super) const CARD: &str = "card";
/// The tag of the message that opens a round; its value is the number of the round.
const ROUND: &str = "round";

fn tag(key: &str, value: &str) -> Tags {
    // Only keys that are members of a message are refused, and those of this file are not.
    Tags::new().with_user(key, value).unwrap_or_default()
}

/// A player gets its card; nobody else learns of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CardDealt {
    pub player: String,
    /// Its word; empty for a blank player.
    pub word: String,
}

impl CardDealt {
    /// Who got what, told to somebody who watches.
    pub fn third_person(&self) -> UiText {
        let Self { player, word } = self;
        if word.is_empty() {
            text!(story_gets_blank, player)
        } else {
            text!(story_gets_word, player, word)
        }
    }
}

impl AgentEvent for CardDealt {
    const TYPE: &'static str = "undercover_deal";

    fn is_public(&self) -> bool {
        false
    }

    fn tags(&self) -> Tags {
        tag(CARD, &self.word)
    }

    fn template() -> String {
        "undercover/events/deal".into()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundStarted {
    /// Which round, from 1.
    pub round: u32,
    /// The players in the order in which they will describe.
    pub order: Vec<NamedPlayer>,
}

/// A player's number and name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedPlayer {
    pub player_id: PlayerId,
    pub player: String,
}

impl AgentEvent for RoundStarted {
    const TYPE: &'static str = "undercover_round";

    fn tags(&self) -> Tags {
        tag(ROUND, &self.round.to_string())
    }

    fn template() -> String {
        "undercover/events/round".into()
    }
}

/// A player has described its word.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Described {
    pub round: u32,
    pub player_id: PlayerId,
    pub player: String,
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

    fn template() -> String {
        "undercover/events/description".into()
    }
}

/// A vote, with names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VoteCast {
    pub voter_id: PlayerId,
    pub voter: String,
    /// Against whom, by number; `None` for an abstention.
    pub target_id: Option<PlayerId>,
    /// Against whom, by name; empty for an abstention.
    pub target: String,
}

/// The number of votes against a player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VoteCount {
    pub player_id: PlayerId,
    pub player: String,
    /// The number of votes.
    pub votes: u32,
}

/// All have voted; the votes are shown at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VotesCast {
    pub round: u32,
    /// Whether it was a run-off.
    pub run_off: bool,
    /// The votes, sorted by voter.
    pub votes: Vec<VoteCast>,
    /// The number of votes against each player who got any, most votes first.
    pub tally: Vec<VoteCount>,
}

impl AgentEvent for VotesCast {
    const TYPE: &'static str = "undercover_votes";

    fn template() -> String {
        "undercover/events/votes".into()
    }
}

/// The votes are counted: a player is voted out, or nobody.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    pub round: u32,
    /// Who is voted out; `None` for nobody.
    pub out: Option<VoteCount>,
    /// Its role, if the rules reveal it.
    pub role: Option<PlayerRole>,
    /// The names of those in a tie; empty if there was none.
    pub tied: Vec<String>,
}

impl AgentEvent for Verdict {
    const TYPE: &'static str = "undercover_verdict";

    fn template() -> String {
        "undercover/events/verdict".into()
    }
}

/// A player's card, shown when the game is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RevealedCard {
    pub player_id: PlayerId,
    pub player: String,
    pub role: PlayerRole,
    /// Its word; `None` for a blank player.
    pub word: Option<String>,
}

/// The game is over; all cards are shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GameOver {
    pub round: u32,
    pub winner: Side,
    /// Whether it ended because the rounds ran out.
    pub rounds_ran_out: bool,
    /// All cards, sorted by number.
    pub cards: Vec<RevealedCard>,
}

impl AgentEvent for GameOver {
    const TYPE: &'static str = "undercover_end";

    fn template() -> String {
        "undercover/events/end".into()
    }
}
