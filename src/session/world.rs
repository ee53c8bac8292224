//! The world that a story begins or goes on with, of the data that it was played with.

use super::{Game, SessionError};
use crate::engine::Setup;
use crate::journal::{GameSetup, Line, game_setups};
use crate::save::SaveError;

/// A world with its cast before its first turn.
pub(super) fn new_world(game: &dyn Game, seed: u64) -> Result<Setup, SessionError> {
    let mut setup = game.set_up(seed).map_err(SessionError::World)?;
    game.populate(&mut setup).map_err(SessionError::World)?;
    Ok(setup)
}

/// The data with which a story was played, as its journal keeps them.
pub(super) struct KeptData(Vec<(Option<u64>, GameSetup)>);

impl KeptData {
    /// Those of a journal.
    pub(super) fn of(lines: &[Line]) -> Self {
        Self(game_setups(lines))
    }

    /// The game with this data: as it is today, or as the journal keeps it. The prompts of the
    /// program may be others.
    pub(super) fn game<'g>(&self, today: &'g dyn Game, data: &str) -> Option<PlayedGame<'g>> {
        if today.meta().data == data {
            return Some(PlayedGame::Today(today));
        }
        let mut setups = self.0.iter();
        let kept = setups.find_map(|(_, setup)| today.kept(setup, data));
        kept.map(PlayedGame::Kept)
    }

    /// As [`Self::game`], but exactly with this data.
    pub(super) fn exact_game<'g>(
        &self,
        today: &'g dyn Game,
        data: &str,
    ) -> Result<PlayedGame<'g>, SessionError> {
        let game = self.game(today, data);
        let exact = game.filter(|game| game.get().meta().data == data);
        exact.ok_or_else(|| other_data(data, today).into())
    }

    /// The setup that a world has yet to take over after this turn.
    pub(super) fn ahead_of(&self, turn: u64) -> Option<&GameSetup> {
        let is_later = |after: &Option<u64>| after.is_some_and(|after| after >= turn);
        let later = self.0.iter().rev().find(|(after, _)| is_later(after));
        later.map(|(_, setup)| setup)
    }
}

/// A game as it is today, or as a journal keeps it.
pub(super) enum PlayedGame<'g> {
    Today(&'g dyn Game),
    Kept(Box<dyn Game>),
}

impl PlayedGame<'_> {
    pub(super) fn get(&self) -> &dyn Game {
        match self {
            Self::Today(game) => *game,
            Self::Kept(game) => &**game,
        }
    }
}

/// Refuses a story of other data.
pub(super) fn other_data(saved: &str, game: &dyn Game) -> SaveError {
    SaveError::OtherData {
        saved: saved.to_owned(),
        expected: game.meta().data,
    }
}
