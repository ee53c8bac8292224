//! Statistics over many games, with confidence intervals.

use std::collections::BTreeMap;

use playhouse_engine::statistics::{Mean, Share};
use schemars::JsonSchema;
use serde::Serialize;

use super::figures::{GameFigures, PlayerFigures};
use super::ids::{PlayerRole, Side};

/// What happened in a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct RoundStatistics {
    /// Which round, from 1.
    pub round: u32,
    /// The number of games that reached it.
    pub games: u64,
    /// Civilians who were still in the game after it, of all civilians.
    pub civilians_left: Share,
    /// The same for undercover players.
    pub undercover_left: Share,
    /// Votes against undercover players, of all votes.
    pub votes_on_undercover: Share,
}

/// The statistics of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ModelStatistics {
    /// The number of seats that it had in all games.
    pub seats: u64,
    /// Games that it won as a civilian.
    pub won_as_civilian: Share,
    /// Games that it won as an undercover player.
    pub won_as_undercover: Share,
    /// Games in which it was undercover and guessed so.
    pub guessed_own_role: Share,
    /// Word slips of a seat in a game.
    pub word_slips: Mean,
    /// Repeated lines of a seat in a game.
    pub repeats: Mean,
    /// Default descriptions and abstentions of a seat in a game.
    pub stand_ins: Mean,
    /// Calls of a seat in a game.
    pub calls: Mean,
    /// Tokens of a seat in a game, of prompts and answers.
    pub tokens: Mean,
    /// Cost of a seat in a game, in the unit of the price.
    pub cost: Mean,
}

/// The statistics of many games.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Statistics {
    /// The number of finished games.
    pub games: u64,
    /// The number of unfinished games, which are not counted anywhere else.
    pub unfinished: u64,
    /// Games that the civilians won.
    pub civilians_won: Share,
    /// Games that the undercover players won.
    pub undercover_won: Share,
    /// Blank players who were still in the game at the end.
    pub blank_survived: Share,
    /// Undercover players who guessed their own role.
    pub guessed_own_role: Share,
    /// Rounds in a game.
    pub rounds: Mean,
    /// Refused descriptions in a game that said the word.
    pub word_slips: Mean,
    /// Refused descriptions in a game that repeated an earlier one.
    pub repeats: Mean,
    /// Default descriptions in a game.
    pub neutral_lines: Mean,
    /// Abstentions in a game.
    pub abstentions: Mean,
    /// Calls of a game.
    pub calls: Mean,
    /// Tokens of a game's prompts.
    pub tokens_in: Mean,
    /// Tokens of a game's answers.
    pub tokens_out: Mean,
    /// Cost of a game, in the unit of the price.
    pub cost: Mean,
    /// What happened in each round.
    pub by_round: Vec<RoundStatistics>,
    /// The statistics of each model.
    pub by_model: BTreeMap<String, ModelStatistics>,
}

impl Statistics {
    pub fn of<'a>(games: impl IntoIterator<Item = &'a GameFigures>) -> Self {
        let mut statistics = Self::default();
        for game in games {
            match game.winner {
                Some(winner) => statistics.add(game, winner),
                None => statistics.unfinished += 1,
            }
        }
        statistics.add_survivors();
        statistics
    }

    fn add(&mut self, game: &GameFigures, winner: Side) {
        self.games += 1;
        self.civilians_won.count(winner == Side::Civilian);
        self.undercover_won.count(winner == Side::Undercover);
        self.rounds.add(f64::from(game.rounds));
        let sum = |part: fn(&PlayerFigures) -> f64| game.players.iter().map(part).sum::<f64>();
        self.word_slips
            .add(sum(|player| f64::from(player.word_slips)));
        self.repeats.add(sum(|player| f64::from(player.repeats)));
        self.neutral_lines
            .add(sum(|player| f64::from(player.neutral_lines)));
        self.abstentions
            .add(sum(|player| f64::from(player.abstentions)));
        self.calls.add(sum(|player| player.spent.calls as f64));
        self.tokens_in
            .add(sum(|player| player.spent.usage.input as f64));
        self.tokens_out
            .add(sum(|player| player.spent.usage.output as f64));
        self.cost.add(sum(|player| player.spent.cost.units()));
        for player in &game.players {
            self.add_player(player, winner);
        }
        for round in 1..=game.rounds {
            let statistics = self.round(round);
            statistics.games += 1;
            let votes = game.votes.iter().find(|votes| votes.round == round);
            if let Some(votes) = votes {
                statistics.votes_on_undercover.hits += u64::from(votes.on_undercover);
                statistics.votes_on_undercover.of += u64::from(votes.cast);
            }
            let players = game.players.iter();
            for player in players.filter(|player| player.out_in == Some(round)) {
                // Losses are counted here, and converted to survivors at the end.
                match player.role {
                    PlayerRole::Civilian => statistics.civilians_left.hits += 1,
                    PlayerRole::Undercover => statistics.undercover_left.hits += 1,
                    PlayerRole::Blank => {}
                }
            }
        }
    }

    fn add_player(&mut self, player: &PlayerFigures, winner: Side) {
        let model = self.by_model.entry(player.model.clone()).or_default();
        model.seats += 1;
        match player.role {
            PlayerRole::Civilian => model.won_as_civilian.count(winner == Side::Civilian),
            PlayerRole::Undercover => {
                model.won_as_undercover.count(winner == Side::Undercover);
                model
                    .guessed_own_role
                    .count(player.guessed_own_role.is_some());
                self.guessed_own_role
                    .count(player.guessed_own_role.is_some());
            }
            PlayerRole::Blank => self.blank_survived.count(player.out_in.is_none()),
        }
        model.word_slips.add(f64::from(player.word_slips));
        model.repeats.add(f64::from(player.repeats));
        model
            .stand_ins
            .add(f64::from(player.neutral_lines + player.abstentions));
        model.calls.add(player.spent.calls as f64);
        model.tokens.add(player.spent.usage.total() as f64);
        model.cost.add(player.spent.cost.units());
    }

    /// The statistics of a round, counted from 1.
    fn round(&mut self, round: u32) -> &mut RoundStatistics {
        while self.by_round.len() < round as usize {
            let round = self.by_round.len() as u32 + 1;
            self.by_round.push(RoundStatistics {
                round,
                ..RoundStatistics::default()
            });
        }
        &mut self.by_round[round as usize - 1]
    }

    /// Converts the losses of each round to the players who are left after it.
    fn add_survivors(&mut self) {
        let seats = |part: fn(&ModelStatistics) -> Share| -> u64 {
            self.by_model.values().map(|model| part(model).of).sum()
        };
        let mut civilians = seats(|model| model.won_as_civilian);
        let mut undercover = seats(|model| model.won_as_undercover);
        let at_start = (civilians, undercover);
        for round in &mut self.by_round {
            civilians -= round.civilians_left.hits;
            undercover -= round.undercover_left.hits;
            round.civilians_left = Share {
                hits: civilians,
                of: at_start.0,
            };
            round.undercover_left = Share {
                hits: undercover,
                of: at_start.1,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::figures::RoundVotes;
    use super::*;
    use playhouse_engine::exchange::Spent;

    fn player(role: PlayerRole, out_in: Option<u32>) -> PlayerFigures {
        PlayerFigures {
            name: "x".into(),
            role,
            model: "m".into(),
            out_in,
            guessed_own_role: (role == PlayerRole::Undercover).then_some(2),
            word_slips: 1,
            repeats: 0,
            other_refusals: 0,
            neutral_lines: 0,
            abstentions: 1,
            spent: Spent {
                calls: 3,
                ..Spent::default()
            },
        }
    }

    fn game(winner: Option<Side>, rounds: u32, out: &[(PlayerRole, u32)]) -> GameFigures {
        let mut players = vec![
            player(PlayerRole::Civilian, None),
            player(PlayerRole::Civilian, None),
        ];
        players.extend(out.iter().map(|(role, round)| player(*role, Some(*round))));
        GameFigures {
            slot: "s".into(),
            seed: 1,
            winner,
            rounds,
            players,
            votes: vec![RoundVotes {
                round: 1,
                cast: 4,
                on_undercover: 1,
            }],
        }
    }

    #[test]
    fn games_are_added_up() {
        let games = [
            game(
                Some(Side::Civilian),
                2,
                &[(PlayerRole::Civilian, 1), (PlayerRole::Undercover, 2)],
            ),
            game(Some(Side::Civilian), 1, &[(PlayerRole::Undercover, 1)]),
            game(None, 5, &[]),
        ];
        let statistics = Statistics::of(&games);
        assert_eq!((statistics.games, statistics.unfinished), (2, 1));
        assert_eq!(statistics.civilians_won, Share { hits: 2, of: 2 });
        assert_eq!(statistics.by_round.len(), 2);
        let [first, second] = [statistics.by_round[0], statistics.by_round[1]];
        assert_eq!((first.games, second.games), (2, 1));
        assert_eq!(first.civilians_left, Share { hits: 4, of: 5 });
        assert_eq!(first.undercover_left, Share { hits: 1, of: 2 });
        assert_eq!(second.undercover_left, Share { hits: 0, of: 2 });
        assert_eq!(first.votes_on_undercover, Share { hits: 2, of: 8 });
        assert_eq!(statistics.by_model["m"].seats, 7);
        assert_eq!(statistics.guessed_own_role, Share { hits: 2, of: 2 });
        assert_eq!(statistics.calls.value(), Some(10.5));
    }
}
