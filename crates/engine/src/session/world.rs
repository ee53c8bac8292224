//! The world that a story begins or goes on with, of the data that it was played with.

use bevy_ecs::prelude::*;

use super::{Game, SessionError};
use crate::cast::WorldTurn;
use crate::engine::Setup;
use crate::journal::{GameSetup, JournalHeader, Line, Recording, game_setups};
use crate::save::{Meta, SaveError, Slot, StoredSnapshot, state_hashes};

/// A world with its cast before its first turn.
pub(super) fn new_world(game: &dyn Game, seed: u64) -> Result<Setup, SessionError> {
    let mut setup = game.set_up(seed).map_err(SessionError::World)?;
    game.populate(&mut setup).map_err(SessionError::World)?;
    Ok(setup)
}

/// The data with which a story was played, as its journal keeps them.
pub(super) struct EmbeddedData(Vec<(Option<u64>, GameSetup)>);

impl EmbeddedData {
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
        let kept = setups.find_map(|(_, setup)| today.embedded(setup, data));
        kept.map(PlayedGame::Embedded)
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
    Embedded(Box<dyn Game>),
}

impl PlayedGame<'_> {
    pub(super) fn get(&self) -> &dyn Game {
        match self {
            Self::Today(game) => *game,
            Self::Embedded(game) => &**game,
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

/// The world of a snapshot, with the data that it was saved with: those that the journal keeps, if
/// the game has others today.
pub(super) fn loaded(
    slot: &Slot,
    stored: &StoredSnapshot,
    recording: &Recording,
    head: &JournalHeader,
    (game, kept): (&dyn Game, &EmbeddedData),
    force: bool,
) -> Result<(Setup, Meta), SessionError> {
    let snapshot = slot.explain(stored.head())?;
    let seed = recording.seed_at(snapshot.turn, head.seed);
    if snapshot.seed != seed {
        return Err(SessionError::OtherSeed {
            snapshot: snapshot.seed,
            journal: seed,
        });
    }
    let restored = |game: &dyn Game| {
        let mut setup = game.set_up(head.seed).map_err(SessionError::World)?;
        let saved = slot.explain(stored.restore(&mut setup.world, None))?;
        Ok::<_, SessionError>((setup, saved))
    };
    if force {
        return restored(game);
    }
    if let Some(played) = kept.game(game, &snapshot.data) {
        let (mut setup, saved) = restored(played.get())?;
        check_state(&mut setup.world, recording)?;
        return Ok((setup, saved));
    }
    let other_data = || slot.explain(Err(other_data(&snapshot.data, game)));
    let Ok((mut setup, _)) = restored(game) else {
        return Ok(other_data()?);
    };
    check_state(&mut setup.world, recording)?;
    match game.adapt(&mut setup.world) {
        Err(Some(error)) => Err(SessionError::Unfit(error)),
        // Without the data that it was saved with, the changes are unknown.
        Ok(_) | Err(None) => Ok(other_data()?),
    }
}

/// Compares a loaded world with the hashes that the journal recorded for its turn.
fn check_state(world: &mut World, recording: &Recording) -> Result<(), SessionError> {
    let turn = world.resource::<WorldTurn>().0;
    let Some(meeting) = recording.meeting(turn) else {
        let last = recording.last_turn();
        return match turn {
            0 => Ok(()),
            // What the turn led to was lost, but the snapshot was recorded with its digest.
            turn if recording.has_snapshot(turn) => Ok(()),
            _ => Err(SaveError::JournalBehind { turn, last }.into()),
        };
    };
    let hashes = state_hashes(world);
    let mut places = meeting.hashes.keys().chain(hashes.keys());
    match places.find(|place| meeting.hashes.get(*place) != hashes.get(*place)) {
        Some(place) => Err(SessionError::OtherState {
            turn,
            place: place.to_string(),
        }),
        None => Ok(()),
    }
}
