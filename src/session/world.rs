//! The world that a story begins with.

use super::{Game, SessionError};
use crate::engine::Setup;
use crate::journal::JournalHeader;
use crate::save::{Meta, SaveError};

/// A world with its cast before its first turn.
pub(super) fn new_world(game: &dyn Game, seed: u64) -> Result<Setup, SessionError> {
    let mut setup = game.set_up(seed).map_err(SessionError::World)?;
    game.populate(&mut setup).map_err(SessionError::World)?;
    Ok(setup)
}

/// Refuses a journal that was made from other data, unless forced.
pub(super) fn check_data(
    head: &JournalHeader,
    meta: &Meta,
    force: bool,
) -> Result<(), SessionError> {
    if head.data == meta.data || force {
        return Ok(());
    }
    Err(SessionError::Save(SaveError::OtherData {
        saved: head.data.clone(),
        expected: meta.data.clone(),
    }))
}
