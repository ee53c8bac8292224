//! The state of the table: everything that every player may know, and nothing else.
//!
//! Players never speak to each other. All that passes between them is recorded here, and all of
//! them learn of it at once.

use std::cmp::Reverse;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use super::ids::{PlayerId, PlayerRole, Side};

/// On a player: its number.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[component(immutable)]
#[serde(transparent)]
pub struct Seat(pub PlayerId);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nobody has a word yet.
    #[default]
    Setup,
    /// The players describe their words, one after the other.
    Description,
    /// The players vote, all at once.
    Voting,
    /// The votes are counted, a player may be voted out, and a side may have won.
    Check,
    End,
}

/// What everybody knows of a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Player {
    pub id: PlayerId,
    pub name: String,
    /// Whether it is still in the game.
    pub alive: bool,
    /// Its descriptions, oldest first.
    pub description_history: Vec<String>,
}

/// A player's description in a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    pub player_id: PlayerId,
    pub description: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vote {
    pub voter_id: PlayerId,
    /// Against whom; `None` for an abstention.
    pub target_id: Option<PlayerId>,
}

/// A player who was voted out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Elimination {
    pub round: u32,
    pub player_id: PlayerId,
    /// Its role, if the rules reveal it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<PlayerRole>,
    /// The number of votes against it.
    pub votes: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// Which round, from 1.
    pub round: u32,
    /// The descriptions, in the order of speaking.
    pub descriptions: Vec<Description>,
    /// The votes of a tie that was followed by a run-off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tied_votes: Vec<Vote>,
    /// The votes that counted.
    pub votes: Vec<Vote>,
}

/// On a stage: the public state of its game.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub phase: Phase,
    /// Which round, from 1; 0 before the first.
    pub round: u32,
    /// All players, by number.
    pub players: Vec<Player>,
    /// The players of this round in the order of speaking.
    pub order: Vec<PlayerId>,
    /// The descriptions of this round so far.
    pub current_descriptions: Vec<Description>,
    /// The votes of this round, sorted by voter.
    pub current_votes: Vec<Vote>,
    /// The votes of this round if they ended in a tie that is followed by a run-off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tied_votes: Vec<Vote>,
    /// The players who were voted out, oldest first.
    pub eliminations: Vec<Elimination>,
    /// The rounds that are over.
    pub past_rounds: Vec<Round>,
    /// Who has won; `None` while the game is in progress.
    pub winner: Option<Side>,
}

impl Table {
    /// The table of a new game, with the names of its players in the order of their numbers.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        let players = names.into_iter().zip(1..).map(|(name, number)| Player {
            id: PlayerId(number),
            name,
            alive: true,
            description_history: Vec::new(),
        });
        Self {
            players: players.collect(),
            ..Self::default()
        }
    }

    pub fn player(&self, id: PlayerId) -> Option<&Player> {
        self.players.iter().find(|player| player.id == id)
    }

    /// A player's name, or its number if nobody has that number.
    pub fn name(&self, id: PlayerId) -> String {
        let player = self.player(id);
        player.map_or_else(|| id.to_string(), |player| player.name.clone())
    }

    /// The players who are still in the game, sorted by number.
    pub fn living(&self) -> impl Iterator<Item = &Player> {
        self.players.iter().filter(|player| player.alive)
    }

    /// Whether a player is still in the game.
    pub fn is_alive(&self, id: PlayerId) -> bool {
        self.player(id).is_some_and(|player| player.alive)
    }

    /// The next player to describe in this round; `None` when all have.
    pub fn next_speaker(&self) -> Option<PlayerId> {
        let has_spoken = |id: &PlayerId| {
            let mut descriptions = self.current_descriptions.iter();
            descriptions.any(|description| description.player_id == *id)
        };
        self.order.iter().copied().find(|id| !has_spoken(id))
    }

    /// All descriptions of the game, oldest first.
    pub fn descriptions(&self) -> impl Iterator<Item = &Description> {
        self.past_rounds
            .iter()
            .flat_map(|round| &round.descriptions)
            .chain(&self.current_descriptions)
    }

    pub(super) fn add_description(&mut self, id: PlayerId, description: String) {
        let player = self.players.iter_mut().find(|player| player.id == id);
        if let Some(player) = player {
            player.description_history.push(description.clone());
        }
        self.current_descriptions.push(Description {
            player_id: id,
            description,
        });
    }

    /// The number of votes against each player who got any, most votes first, then by number.
    pub fn tally(&self) -> Vec<(PlayerId, u32)> {
        tally(&self.current_votes)
    }

    /// The players with most votes: none, one, or several in a tie.
    pub fn leading(&self) -> Vec<PlayerId> {
        leading(&self.tally())
    }

    /// The players with most votes in the tie that is followed by a run-off.
    pub(super) fn tied(&self) -> Vec<PlayerId> {
        leading(&tally(&self.tied_votes))
    }

    /// Moves the round to the past rounds.
    pub(super) fn close_round(&mut self) {
        self.past_rounds.push(Round {
            round: self.round,
            descriptions: std::mem::take(&mut self.current_descriptions),
            tied_votes: std::mem::take(&mut self.tied_votes),
            votes: std::mem::take(&mut self.current_votes),
        });
        self.order.clear();
    }
}

fn tally(votes: &[Vote]) -> Vec<(PlayerId, u32)> {
    let mut tally: Vec<(PlayerId, u32)> = Vec::new();
    for target in votes.iter().filter_map(|vote| vote.target_id) {
        match tally.iter_mut().find(|(id, _)| *id == target) {
            Some((_, votes)) => *votes += 1,
            None => tally.push((target, 1)),
        }
    }
    tally.sort_by_key(|(id, votes)| (Reverse(*votes), *id));
    tally
}

fn leading(tally: &[(PlayerId, u32)]) -> Vec<PlayerId> {
    let most = tally.first().map(|(_, votes)| *votes);
    let leading = tally.iter().filter(|(_, votes)| Some(*votes) == most);
    leading.map(|(id, _)| *id).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn table() -> Table {
        let mut table = Table::new(["Ann", "Bob", "Cleo"].map(String::from));
        table.round = 1;
        table.order = vec![PlayerId(2), PlayerId(1), PlayerId(3)];
        table
    }

    #[test]
    fn the_state_has_the_documented_form() {
        let mut table = table();
        table.add_description(PlayerId(2), "It is round.".into());
        table.current_votes = vec![Vote {
            voter_id: PlayerId(1),
            target_id: Some(PlayerId(3)),
        }];
        let json = serde_json::to_value(&table).unwrap();
        assert_eq!(
            json["players"][1],
            json!({"id": 2, "name": "Bob", "alive": true, "description_history": ["It is round."]})
        );
        assert_eq!(
            json["current_descriptions"],
            json!([{"player_id": 2, "description": "It is round."}])
        );
        assert_eq!(
            json["current_votes"],
            json!([{"voter_id": 1, "target_id": 3}])
        );
        assert_eq!(json["phase"], "setup");
        assert_eq!(json["winner"], json!(null));
        assert_eq!(serde_json::from_value::<Table>(json).unwrap(), table);
    }

    #[test]
    fn speakers_come_in_their_order() {
        let mut table = table();
        assert_eq!(table.next_speaker(), Some(PlayerId(2)));
        table.add_description(PlayerId(2), "a".into());
        table.add_description(PlayerId(1), "b".into());
        assert_eq!(table.next_speaker(), Some(PlayerId(3)));
        table.add_description(PlayerId(3), "c".into());
        assert_eq!(table.next_speaker(), None);
        table.close_round();
        assert_eq!(table.descriptions().count(), 3);
    }

    #[test]
    fn votes_are_counted_and_abstentions_are_not() {
        let mut table = table();
        let vote = |voter, target: Option<u32>| Vote {
            voter_id: PlayerId(voter),
            target_id: target.map(PlayerId),
        };
        assert!(table.leading().is_empty());
        table.current_votes = vec![vote(1, Some(3)), vote(2, None), vote(3, Some(1))];
        assert_eq!(table.leading(), [PlayerId(1), PlayerId(3)]);
        table.current_votes[1].target_id = Some(PlayerId(3));
        assert_eq!(table.tally(), [(PlayerId(3), 2), (PlayerId(1), 1)]);
        assert_eq!(table.leading(), [PlayerId(3)]);
    }
}
