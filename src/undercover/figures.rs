//! The figures of a game, from its journal: the game is played again with the journal as its only mind,
//! and what was refused on the way is judged again.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::game::{GAME, Match, MatchError};
use super::saying::{REPEAT, Said, Saying, SayingRules, is_slip};
use super::secret::{Moderator, Role, moderated};
use super::table::{PlayerId, Side, Table};
use super::taboo::Taboo;
use crate::cast::{CastList, Kind, all_of};
use crate::exchange::{Reply, Spent};
use crate::journal::{Ending, GameSetup, JournalError, Line, Outcome};
use crate::save::Slot;
use crate::session::{SessionError, replay};
use crate::world_data::DataFolder;

/// Why a journal gives no figures.
#[derive(Debug, Error)]
pub enum FiguresError {
    /// The journal can't be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The journal is of another game.
    #[error("the journal of '{0}' is of no game of who is the undercover")]
    OtherGame(String),
    /// The game can't be set up again.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// The game does not play as it was recorded.
    #[error(transparent)]
    Replay(#[from] SessionError),
    /// The world of the game has no table.
    #[error("the game of '{0}' has no table")]
    NoTable(String),
}

/// The figures of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameFigures {
    /// The slot that holds the game.
    pub slot: String,
    /// The seed.
    pub seed: u64,
    /// Who has won; nothing where the game is not over.
    pub winner: Option<Side>,
    /// The last round that was played.
    pub rounds: u32,
    /// The players, by number.
    pub players: Vec<PlayerFigures>,
    /// The votes of each round.
    pub votes: Vec<RoundVotes>,
}

/// What one player did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerFigures {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// The model that played it.
    pub model: String,
    /// In which round it was voted out; nothing where it was not.
    pub out_in: Option<u32>,
    /// In which round it first put down of itself that it is undercover.
    pub found_itself: Option<u32>,
    /// How often a description said the word, a part or a translation of it, and was caught.
    pub word_slips: u32,
    /// How often a description repeated an earlier one, and was caught.
    pub repeats: u32,
    /// How often an answer was refused for another reason.
    pub other_refusals: u32,
    /// How often code described in its place.
    pub neutral_lines: u32,
    /// How often it abstained, because no vote passed.
    pub abstentions: u32,
    /// What it spent.
    pub spent: Spent,
}

/// The votes of a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundVotes {
    /// Which, from 1.
    pub round: u32,
    /// Votes for anybody, in the first vote of the round.
    pub cast: u32,
    /// Those of them that were for somebody undercover.
    pub on_undercover: u32,
}

/// Computes the figures of a slot's game from its journal alone.
///
/// # Errors
/// The journal can't be read, is of another game, or does not play as it was recorded.
pub async fn figures_of(slot: &Slot, data: &DataFolder) -> Result<GameFigures, FiguresError> {
    compute(slot, |setup| Match::of_setup(data, setup)).await
}

/// The same of a game with the prompts of another one, which need not be read again.
pub(super) async fn figures_like(slot: &Slot, other: &Match) -> Result<GameFigures, FiguresError> {
    compute(slot, |setup| other.another(setup)).await
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
        if let Line::Outcome(outcome) = line {
            let who = figures
                .players
                .iter()
                .position(|player| *player.name == *outcome.entity);
            if let Some(player) = who.and_then(|at| figures.players.get_mut(at)) {
                book(player, outcome);
            }
        }
    }
    judge_again(&mut figures, &lines, &world, &table, &game);
    Ok(figures)
}

fn players(world: &mut World, stage: Entity, table: &Table, game: &Match) -> Vec<PlayerFigures> {
    let all: Vec<_> = table
        .players
        .iter()
        .filter_map(|player| {
            let entity = world.resource::<CastList>().by_name(&player.name)?;
            Some((player, entity))
        })
        .collect();
    let read = |moderator: &Moderator<'_, '_>| {
        let cards = moderator.unmask(stage);
        let of = |(player, entity): &(&super::table::Player, Entity)| {
            let card = cards.iter().find(|card| card.player_id == player.id)?;
            let out = table
                .eliminations
                .iter()
                .find(|out| out.player_id == player.id);
            Some(PlayerFigures {
                name: player.name.clone(),
                role: card.role,
                model: game
                    .rules()
                    .models
                    .get(&player.name)
                    .cloned()
                    .unwrap_or_default(),
                out_in: out.map(|out| out.round),
                found_itself: moderator.found_itself(*entity),
                word_slips: 0,
                repeats: 0,
                other_refusals: 0,
                neutral_lines: 0,
                abstentions: 0,
                spent: Spent::default(),
            })
        };
        all.iter().filter_map(of).collect()
    };
    moderated(world, read).unwrap_or_default()
}

/// Books what an outcome says by itself.
fn book(player: &mut PlayerFigures, outcome: &Outcome) {
    let failed = matches!(outcome.ending, Ending::Failed { .. });
    match outcome.purpose.as_str() {
        "undercover.describe" => player.neutral_lines += u32::from(failed),
        "undercover.vote" => {
            player.abstentions += u32::from(failed);
            player.other_refusals += outcome.refused.len() as u32;
        }
        _ => player.other_refusals += outcome.refused.len() as u32,
    }
    player.model = outcome.model.to_string();
    player.spent += Spent {
        asks: 1,
        calls: outcome.calls,
        retries: u64::from(outcome.retries),
        repairs: outcome.refused.len() as u64,
        fallbacks: u64::from(failed),
        usage: outcome.usage,
        cost: outcome.cost,
    };
}

/// The first vote of each round: in a run-off most have no choice.
fn votes(table: &Table, players: &[PlayerFigures]) -> Vec<RoundVotes> {
    let is_hidden = |id: PlayerId| {
        let name = table.name(id);
        let mut players = players.iter();
        players.any(|player| player.name == name && player.role == Role::Undercover)
    };
    let past = table.past_rounds.iter();
    let past = past.map(|round| (round.round, &round.tied_votes, &round.votes));
    let last = (table.round, &table.tied_votes, &table.current_votes);
    let rounds = past.chain([last]).map(|(round, tied, votes)| {
        let first = if tied.is_empty() { votes } else { tied };
        let targets = || first.iter().filter_map(|vote| vote.target_id);
        RoundVotes {
            round,
            cast: targets().count() as u32,
            on_undercover: targets().filter(|id| is_hidden(*id)).count() as u32,
        }
    });
    rounds.filter(|round| round.cast > 0).collect()
}

/// Finds out by which rule each refused description was refused.
fn judge_again(
    figures: &mut GameFigures,
    lines: &[Line],
    world: &World,
    table: &Table,
    game: &Match,
) {
    // Whoever describes does so once a round, from the first on.
    let mut described: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines {
        let Line::Outcome(outcome) = line else {
            continue;
        };
        if outcome.purpose != "undercover.describe" {
            continue;
        }
        let times = described.entry(&outcome.entity).or_default();
        let round = *times;
        *times += 1;
        if outcome.refused.is_empty() {
            continue;
        }
        let Some(limits) = limits_then(world, table, game, &outcome.entity, round) else {
            continue;
        };
        let player = figures.players.iter_mut();
        let Some(player) = player
            .into_iter()
            .find(|player| *player.name == *outcome.entity)
        else {
            continue;
        };
        for refused in &outcome.refused {
            let saying = Saying::read(&refused.answer).unwrap_or_default();
            let broken = saying.check(&limits);
            let phrases = || broken.iter().filter_map(|broken| broken.phrase.as_ref());
            if phrases().any(|(phrase, _)| is_slip(phrase)) {
                player.word_slips += 1;
            } else if phrases().any(|(phrase, _)| *phrase == REPEAT) {
                player.repeats += 1;
            } else {
                player.other_refusals += 1;
            }
        }
    }
}

/// What somebody's description was checked against in a round, counted from 0.
fn limits_then(
    world: &World,
    table: &Table,
    game: &Match,
    name: &str,
    round: usize,
) -> Option<SayingRules> {
    let player = table.players.iter().find(|player| player.name == name)?;
    let entity = world.resource::<CastList>().by_name(name)?;
    let past = table.past_rounds.iter().map(|past| &past.descriptions);
    let rounds: Vec<_> = past.chain([&table.current_descriptions]).collect();
    let before = rounds.iter().take(round).flat_map(|round| round.iter());
    let own_turn = |said: &&super::table::Description| said.player_id != player.id;
    let in_round = rounds.get(round)?.iter().take_while(own_turn);
    let said = before
        .chain(in_round)
        .map(|line| Arc::new(Said::of(&line.description)));
    Some(SayingRules {
        taboo: world.get::<Taboo>(entity)?.clone(),
        said: said.collect(),
        names: table
            .players
            .iter()
            .map(|player| player.name.clone())
            .collect(),
        most_chars: game.rules().description_chars,
    })
}
