//! The events of the game, as players learn of them.

use playhouse_engine::event::{AgentEvent, EventRecord, EventType, Recipients};
use playhouse_engine::locale::{UiText, text};
use playhouse_engine::message::Tags;
use playhouse_engine::session::TOLD;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ids::{PlayerId, PlayerRole, Side};

/// Every event type of the game.
pub const EVENTS: &[EventType] = &[
    EventType::of::<CardDealt>(),
    EventType::of::<RoundStarted>(),
    EventType::of::<Described>(),
    EventType::of::<VotesCast>(),
    EventType::of::<Verdict>(),
    EventType::of::<GameOver>(),
    TOLD,
];

/// The tag of the message that deals a card; its value is the word, empty for a blank player.
pub(super) const CARD: &str = "card";
/// The tag of the message that opens a round; its value is the number of the round.
const ROUND: &str = "round";

fn tag(key: &str, value: &str) -> Tags {
    // Only keys that are members of a message are refused, and those of this file are not.
    Tags::new().with_user(key, value).unwrap_or_default()
}

/// A player gets its card; nobody else learns of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "undercover_deal", style = Note, private, tags = message_tags,
    template = "undercover/events/deal", third_person = seen
)]
pub struct CardDealt {
    pub player: String,
    /// Its word; empty for a blank player.
    pub word: String,
}

impl CardDealt {
    fn seen(&self, _: &Recipients<'_>) -> Option<UiText> {
        let Self { player, word } = self;
        Some(if word.is_empty() {
            text!(story_gets_blank, player)
        } else {
            text!(story_gets_word, player, word)
        })
    }
}

impl CardDealt {
    fn message_tags(&self) -> Tags {
        tag(CARD, &self.word)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "undercover_round", style = Day, tags = message_tags, template = "undercover/events/round",
    heading = text!(story_round, round = self.round),
    board = json!({"order": order.iter().map(|player| &player.player).collect::<Vec<_>>()})
)]
pub struct RoundStarted {
    /// Which round, from 1.
    pub round: u32,
    /// The players in the order in which they will describe.
    pub order: Vec<NamedPlayer>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedPlayer {
    pub player_id: PlayerId,
    pub player: String,
}

impl RoundStarted {
    fn message_tags(&self) -> Tags {
        tag(ROUND, &self.round.to_string())
    }
}

/// A player has described its word.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "undercover_description", style = Speech, speaker = player, spoken = description,
    template = "undercover/events/description", words = description
)]
pub struct Described {
    pub round: u32,
    pub player_id: PlayerId,
    pub player: String,
    pub description: String,
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
    pub votes: u32,
}

/// All have voted; the votes are shown at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("undercover_votes", style = Choice, template = "undercover/events/votes")]
pub struct VotesCast {
    pub round: u32,
    pub run_off: bool,
    /// The votes, sorted by voter.
    pub votes: Vec<VoteCast>,
    /// The number of votes against each player who got any, most votes first.
    pub tally: Vec<VoteCount>,
}

/// The votes are counted: a player is voted out, or nobody.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("undercover_verdict", style = Deed, template = "undercover/events/verdict")]
pub struct Verdict {
    pub round: u32,
    /// Who is voted out; `None` for nobody.
    pub out: Option<VoteCount>,
    /// Its role, if the rules reveal it.
    pub role: Option<PlayerRole>,
    /// The names of those in a tie; empty if there was none.
    pub tied: Vec<String>,
}

/// Who is out after an event, and watches the rest of the game.
pub fn voted_out(event: &EventRecord) -> Option<String> {
    Some(event.read::<Verdict>()?.out?.player)
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "undercover_end", style = Ending, template = "undercover/events/end",
    heading = self.who_wins()
)]
pub struct GameOver {
    pub round: u32,
    pub winner: Side,
    /// Whether it ended because the rounds ran out.
    pub rounds_ran_out: bool,
    /// All cards, sorted by number.
    pub cards: Vec<RevealedCard>,
}

impl GameOver {
    pub fn who_wins(&self) -> UiText {
        let round = self.round;
        match (self.winner, self.rounds_ran_out) {
            (Side::Civilian, _) => text!(story_civilians_win, round),
            (Side::Undercover, false) => text!(story_undercover_win, round),
            (Side::Undercover, true) => text!(story_undercover_stay_hidden, round),
        }
    }
}
