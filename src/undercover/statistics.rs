//! Statistics over many games, with confidence intervals.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::json;

use super::figures::{GameFigures, PlayerFigures};
use super::ids::{Role, Side};

/// The quantile of the normal distribution for intervals of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// A share. Its JSON contains the value and the interval too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// The number of hits.
    pub hits: u64,
    /// The total number.
    pub of: u64,
}

impl Share {
    /// Counts one case.
    pub fn count(&mut self, hit: bool) {
        self.hits += u64::from(hit);
        self.of += 1;
    }

    /// The share, from 0 to 1; `None` if nothing was counted.
    pub fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.hits as f64 / self.of as f64)
    }

    /// The interval in which the true share lies with 95 % confidence, by Wilson's score (1927).
    pub fn interval(self) -> Option<(f64, f64)> {
        let (share, n) = (self.value()?, self.of as f64);
        let square = Z * Z / n;
        let middle = share + square / 2.0;
        let spread = Z * (share * (1.0 - share) / n + square / (4.0 * n)).sqrt();
        let bound = |sum: f64| (sum / (1.0 + square)).clamp(0.0, 1.0);
        Some((bound(middle - spread), bound(middle + spread)))
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (low, high) = self.interval().unzip();
        let (hits, of, share) = (self.hits, self.of, self.value());
        json!({"hits": hits, "of": of, "share": share, "low": low, "high": high})
            .serialize(serializer)
    }
}

/// The mean of numbers. Its JSON contains the count, the mean and its margin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    /// The number of numbers.
    pub of: u64,
    sum: f64,
    squares: f64,
}

impl Mean {
    /// Adds a number.
    pub fn add(&mut self, number: f64) {
        self.of += 1;
        self.sum += number;
        self.squares += number * number;
    }

    /// The mean; `None` of no numbers.
    pub fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.sum / self.of as f64)
    }

    /// Half the width of the 95 % interval around the mean; `None` of fewer than two numbers.
    pub fn margin(self) -> Option<f64> {
        let n = self.of as f64;
        let mean = self.value().filter(|_| self.of > 1)?;
        let variance = ((self.squares - n * mean * mean) / (n - 1.0)).max(0.0);
        Some(Z * (variance / n).sqrt())
    }
}

impl Serialize for Mean {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json!({"of": self.of, "mean": self.value(), "margin": self.margin()}).serialize(serializer)
    }
}

/// What happened in a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ModelStatistics {
    /// The number of seats that it had in all games.
    pub seats: u64,
    /// Games that it won as a civilian.
    pub won_as_civilian: Share,
    /// Games that it won as an undercover player.
    pub won_as_undercover: Share,
    /// Games in which it was undercover and guessed so.
    #[serde(rename = "found_itself")]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
    #[serde(rename = "found_itself")]
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
    /// The statistics of some games.
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
                    Role::Civilian => statistics.civilians_left.hits += 1,
                    Role::Undercover => statistics.undercover_left.hits += 1,
                    Role::Blank => {}
                }
            }
        }
    }

    fn add_player(&mut self, player: &PlayerFigures, winner: Side) {
        let model = self.by_model.entry(player.model.clone()).or_default();
        model.seats += 1;
        match player.role {
            Role::Civilian => model.won_as_civilian.count(winner == Side::Civilian),
            Role::Undercover => {
                model.won_as_undercover.count(winner == Side::Undercover);
                model
                    .guessed_own_role
                    .count(player.guessed_own_role.is_some());
                self.guessed_own_role
                    .count(player.guessed_own_role.is_some());
            }
            Role::Blank => self.blank_survived.count(player.out_in.is_none()),
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
        let all = (civilians, undercover);
        for round in &mut self.by_round {
            civilians -= round.civilians_left.hits;
            undercover -= round.undercover_left.hits;
            round.civilians_left = Share {
                hits: civilians,
                of: all.0,
            };
            round.undercover_left = Share {
                hits: undercover,
                of: all.1,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::figures::RoundVotes;
    use super::*;
    use crate::exchange::Spent;

    #[test]
    fn wilsons_interval_is_the_published_one() {
        // Newcombe (1998), table I: method 3 for 81 of 263, 15 of 148, 0 of 20 and 1 of 29.
        for (hits, of, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let (a, b) = Share { hits, of }.interval().unwrap();
            assert!(
                (a - low).abs() < 5e-5 && (b - high).abs() < 5e-5,
                "{hits}/{of}: {a} {b}"
            );
        }
        assert_eq!(Share::default().interval(), None);
    }

    #[test]
    fn a_mean_knows_its_margin() {
        let mut mean = Mean::default();
        assert_eq!((mean.value(), mean.margin()), (None, None));
        for number in [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0] {
            mean.add(number);
        }
        assert_eq!(mean.value(), Some(5.0));
        // The spread of these is 2.138; over the root of 8 and times 1.96.
        assert!((mean.margin().unwrap() - 1.4816).abs() < 1e-3);
    }

    fn player(role: Role, out_in: Option<u32>) -> PlayerFigures {
        PlayerFigures {
            name: "x".into(),
            role,
            model: "m".into(),
            out_in,
            guessed_own_role: (role == Role::Undercover).then_some(2),
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

    fn game(winner: Option<Side>, rounds: u32, out: &[(Role, u32)]) -> GameFigures {
        let mut players = vec![player(Role::Civilian, None), player(Role::Civilian, None)];
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
                &[(Role::Civilian, 1), (Role::Undercover, 2)],
            ),
            game(Some(Side::Civilian), 1, &[(Role::Undercover, 1)]),
            game(None, 5, &[]),
        ];
        let all = Statistics::of(&games);
        assert_eq!((all.games, all.unfinished), (2, 1));
        assert_eq!(all.civilians_won, Share { hits: 2, of: 2 });
        assert_eq!(all.by_round.len(), 2);
        let [first, second] = [all.by_round[0], all.by_round[1]];
        assert_eq!((first.games, second.games), (2, 1));
        assert_eq!(first.civilians_left, Share { hits: 4, of: 5 });
        assert_eq!(first.undercover_left, Share { hits: 1, of: 2 });
        assert_eq!(second.undercover_left, Share { hits: 0, of: 2 });
        assert_eq!(first.votes_on_undercover, Share { hits: 2, of: 8 });
        assert_eq!(all.by_model["m"].seats, 7);
        assert_eq!(all.guessed_own_role, Share { hits: 2, of: 2 });
        assert_eq!(all.calls.value(), Some(10.5));
    }

    proptest! {
        #[test]
        fn an_interval_holds_its_share(hits in 0u64..500, more in 0u64..500) {
            let share = Share { hits, of: hits + more };
            if let Some((low, high)) = share.interval() {
                let value = share.value().unwrap();
                prop_assert!(0.0 <= low && low <= value + 1e-12 && value <= high + 1e-12 && high <= 1.0);
            }
        }
    }
}
