//! The figures of a game, computed from its journal: the game is replayed with the journal as its
//! only mind, and the refused descriptions are checked again.

use std::collections::BTreeMap;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, Kind, all_of};
use playhouse_engine::exchange::{Reply, Spent, ends_with_refusal};
use playhouse_engine::journal::{AskEnding, GameSetup, Line, Outcome};
use playhouse_engine::locale::Localize;
use playhouse_engine::save::{SaveError, Slot};
use playhouse_engine::session::{SessionError, replay};
use playhouse_engine::world_data::DataFolder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::description::{DescriptionReply, DescriptionRules, is_repeat, is_slip};
use super::game::{GAME, Match, MatchError};
use super::ids::{PlayerId, PlayerRole, Side};
use super::secret::{Moderator, with_moderator};
use super::table::{Description, Player, Table};
use super::taboo::Taboo;

/// Why the figures of a journal can't be computed.
#[derive(Debug, Error, Localize)]
pub enum FiguresError {
    Save(#[from] SaveError),
    /// The journal belongs to another game.
    #[text(undercover_other_game, slot)]
    OtherGame(String),
    /// The game can't be set up again.
    Match(#[from] MatchError),
    /// The replay differs from the journal.
    Replay(#[from] SessionError),
    /// The world of the game has no table.
    #[text(undercover_no_table, slot)]
    NoTable(String),
}

/// The figures of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GameFigures {
    /// The slot that holds the game.
    pub slot: String,
    pub seed: u64,
    /// Who has won; `None` if the game is not over.
    pub winner: Option<Side>,
    /// The last round that was played.
    pub rounds: u32,
    /// The players, sorted by number.
    pub players: Vec<PlayerFigures>,
    /// The votes of each round.
    pub votes: Vec<RoundVotes>,
}

/// The figures of a player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlayerFigures {
    pub name: String,
    pub role: PlayerRole,
    /// The model that played it.
    pub model: String,
    /// The round in which it was voted out; `None` if it was not.
    pub out_in: Option<u32>,
    /// The first round in which it wrote that it takes itself for undercover.
    pub guessed_own_role: Option<u32>,
    /// The number of refused descriptions that said the word, a part or a translation of it.
    pub word_slips: u32,
    /// The number of refused descriptions that repeated an earlier one.
    pub repeats: u32,
    /// The number of answers that were refused for other reasons.
    pub other_refusals: u32,
    /// The number of descriptions that are default answers.
    pub neutral_lines: u32,
    /// The number of votes that are abstentions, because no answer was valid.
    pub abstentions: u32,
    pub spent: Spent,
}

/// The votes of a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoundVotes {
    /// Which round, from 1.
    pub round: u32,
    /// The number of votes in the first vote of the round, without abstentions.
    pub cast: u32,
    /// The number of those against undercover players.
    pub on_undercover: u32,
}

/// Computes the figures of a slot's game from its journal.
pub async fn figures_of(slot: &Slot, data: &DataFolder) -> Result<GameFigures, FiguresError> {
    compute(slot, |setup| Match::from_setup(data, setup)).await
}

/// As [`figures_of`], with the prompts of another game, so that they are not read again.
pub async fn figures_like(slot: &Slot, other: &Match) -> Result<GameFigures, FiguresError> {
    compute(slot, |setup| other.with_setup(setup)).await
}

async fn compute(
    slot: &Slot,
    game_of: impl FnOnce(&GameSetup) -> Result<Match, MatchError>,
) -> Result<GameFigures, FiguresError> {
    let lines = slot.read_journal()?;
    let setup = lines.iter().find_map(|line| match line {
        Line::Game(setup) if setup.name == GAME => Some(setup),
        _ => None,
    });
    let name = || slot.name().to_string();
    let setup = setup.ok_or_else(|| FiguresError::OtherGame(name()))?;
    let game = game_of(setup)?;
    let seed = lines.iter().find_map(|line| match line {
        Line::Header(head) => Some(head.seed),
        _ => None,
    });
    let mut world = replay(slot, &game, None).await?.engine.world;
    let stages = all_of(&world, Kind::Stage).into_iter();
    let mut tables = stages.filter_map(|stage| Some((stage, world.get::<Table>(stage)?.clone())));
    let (stage, table) = tables.next().ok_or_else(|| FiguresError::NoTable(name()))?;
    drop(tables);
    let players = players(&mut world, stage, &table, &game);
    let mut figures = GameFigures {
        slot: name(),
        seed: seed.unwrap_or_default(),
        winner: table.winner,
        rounds: table.round,
        votes: votes(&table, &players),
        players,
    };
    for line in &lines {
        if let Line::Outcome(outcome) = line
            && let Some(player) = figures.player_mut(&outcome.entity)
        {
            player.add_outcome(outcome);
        }
    }
    add_refusals(&mut figures, &lines, &world, &table, &game);
    Ok(figures)
}

fn players(world: &mut World, stage: Entity, table: &Table, game: &Match) -> Vec<PlayerFigures> {
    let list = world.resource::<CastList>();
    let players: Vec<_> = table
        .players
        .iter()
        .filter_map(|player| Some((player, list.by_name(&player.name)?)))
        .collect();
    let figures = |moderator: &Moderator<'_, '_>| {
        let cards = moderator.reveal(stage);
        let figures_of = |(player, entity): &(&Player, Entity)| {
            let card = cards.iter().find(|card| card.player_id == player.id)?;
            let mut eliminations = table.eliminations.iter();
            let out = eliminations.find(|out| out.player_id == player.id);
            let model = game.rules().models.get(&player.name);
            Some(PlayerFigures {
                name: player.name.clone(),
                role: card.role,
                model: model.cloned().unwrap_or_default(),
                out_in: out.map(|out| out.round),
                guessed_own_role: moderator.guessed_own_role(*entity),
                word_slips: 0,
                repeats: 0,
                other_refusals: 0,
                neutral_lines: 0,
                abstentions: 0,
                spent: Spent::default(),
            })
        };
        players.iter().filter_map(figures_of).collect()
    };
    with_moderator(world, figures).unwrap_or_default()
}

impl GameFigures {
    fn player_mut(&mut self, name: &str) -> Option<&mut PlayerFigures> {
        self.players.iter_mut().find(|player| player.name == name)
    }
}

impl PlayerFigures {
    /// Adds what an outcome says by itself.
    fn add_outcome(&mut self, outcome: &Outcome) {
        let failed = matches!(outcome.ending, AskEnding::Failed { .. });
        let refused = outcome.refused.len() as u32;
        match outcome.purpose.as_str() {
            "undercover.describe" => self.neutral_lines += u32::from(failed),
            "undercover.vote" => {
                self.abstentions += u32::from(failed);
                self.other_refusals += refused;
            }
            _ => self.other_refusals += refused,
        }
        self.model = outcome.model.to_string();
        self.spent += Spent {
            asks: 1,
            calls: outcome.calls,
            retries: u64::from(outcome.retries),
            repairs: u64::from(refused),
            fallbacks: u64::from(failed),
            refusals: u64::from(ends_with_refusal(outcome)),
            usage: outcome.usage,
            cost: outcome.cost,
            unpriced: outcome.unpriced,
        };
    }
}

/// The votes of each round. Of two votes the first counts, since in a run-off there is little
/// choice.
fn votes(table: &Table, players: &[PlayerFigures]) -> Vec<RoundVotes> {
    let is_undercover = |id: PlayerId| {
        let name = table.name(id);
        let mut players = players.iter();
        players.any(|player| player.name == name && player.role == PlayerRole::Undercover)
    };
    let past = table
        .past_rounds
        .iter()
        .map(|round| (round.round, &round.tied_votes, &round.votes));
    let last = (table.round, &table.tied_votes, &table.current_votes);
    let rounds = past.chain([last]).map(|(round, tied, votes)| {
        let first = if tied.is_empty() { votes } else { tied };
        let targets = || first.iter().filter_map(|vote| vote.target_id);
        RoundVotes {
            round,
            cast: targets().count() as u32,
            on_undercover: targets().filter(|id| is_undercover(*id)).count() as u32,
        }
    });
    rounds.filter(|round| round.cast > 0).collect()
}

/// Counts the refused descriptions by the rule that they broke.
fn add_refusals(
    figures: &mut GameFigures,
    lines: &[Line],
    world: &World,
    table: &Table,
    game: &Match,
) {
    // Everybody describes once a round, from the first on.
    let mut rounds: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines {
        let Line::Outcome(outcome) = line else {
            continue;
        };
        if outcome.purpose != "undercover.describe" {
            continue;
        }
        let next_round = rounds.entry(&outcome.entity).or_default();
        let round = *next_round;
        *next_round += 1;
        if outcome.refused.is_empty() {
            continue;
        }
        let Some(rules) = rules_in_round(world, table, game, &outcome.entity, round) else {
            continue;
        };
        let Some(player) = figures.player_mut(&outcome.entity) else {
            continue;
        };
        for refused in &outcome.refused {
            let reply = DescriptionReply::read(&refused.answer).unwrap_or_default();
            let violations = reply.check(&rules);
            if violations.iter().any(is_slip) {
                player.word_slips += 1;
            } else if violations.iter().any(is_repeat) {
                player.repeats += 1;
            } else {
                player.other_refusals += 1;
            }
        }
    }
}

/// What a player's description was checked against in a round, counted from 0.
fn rules_in_round(
    world: &World,
    table: &Table,
    game: &Match,
    name: &str,
    round: usize,
) -> Option<DescriptionRules> {
    let player = table.players.iter().find(|player| player.name == name)?;
    let entity = world.resource::<CastList>().by_name(name)?;
    let past = table.past_rounds.iter().map(|past| &past.descriptions);
    let rounds: Vec<_> = past.chain([&table.current_descriptions]).collect();
    let earlier = rounds.iter().take(round).flat_map(|round| round.iter());
    let is_by_other = |said: &&Description| said.player_id != player.id;
    let in_round = rounds.get(round)?.iter().take_while(is_by_other);
    let spoken = earlier.chain(in_round);
    let names = table.players.iter().map(|player| player.name.clone());
    Some(DescriptionRules {
        taboo: world.get::<Taboo>(entity)?.clone(),
        spoken: spoken.map(|said| said.description.clone()).collect(),
        names: names.collect(),
        max_chars: game.rules().description_chars,
    })
}
