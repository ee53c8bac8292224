//! Sessions that continue: a new story, and a resumed one.

use std::path::Path;

use bevy_ecs::prelude::*;

use super::rewind::catch_up;
use super::world::{check_data, new_world};
use super::{Game, SessionError};
use crate::cast::WorldTurn;
use crate::engine::{Engine, EngineError, Setup};
use crate::journal::{Journal, JournalHeader, Line, Recording, SnapshotRecord};
use crate::message::Digest;
use crate::mind::Minds;
use crate::save::{
    Expected, LockedSlot, Meta, SaveError, Slot, read_head, restore, snapshot, state_hashes,
};

/// A story that is saved while it is played. Dropping it frees its slot for others.
pub struct Session {
    /// The engine, to run. Settings and feeds may be changed before.
    pub engine: Engine,
    slot: Slot,
}

impl Session {
    /// Starts a new story in a new slot, and saves it before its first turn.
    ///
    /// # Errors
    /// The world's data can't be used, the slot's name is bad or taken, or the file system refuses.
    pub fn start(
        root: &Path,
        name: &str,
        game: &dyn Game,
        seed: u64,
        minds: Minds,
    ) -> Result<Self, SessionError> {
        let meta = game.meta();
        let setup = new_world(game, seed)?;
        let mut lines = vec![Line::Header(JournalHeader::new(
            &meta.world,
            &meta.data,
            seed,
        ))];
        lines.extend(game.game_setup(seed).map(Line::Game));
        let bytes = snapshot(&setup.world, &meta)?;
        lines.push(Line::Snapshot(SnapshotRecord {
            turn: 0,
            digest: Digest::of(&bytes),
        }));
        let mut locked = Slot::create(root, name, &lines, &bytes)?;
        locked.write_contexts(&setup.world)?;
        let (journal, _) = locked.open_story(false)?;
        Self::open(locked, meta, setup, minds, journal)
    }

    /// Continues a story where it stopped, however it stopped: from the last snapshot and the
    /// outcomes that the journal holds beyond it. Without a snapshot, it [catches up](catch_up).
    /// `force` accepts other data than the save was made from, and a state that differs from the
    /// journal, at the player's risk.
    ///
    /// # Errors
    /// The slot is unknown or in use, or its files can't be read or don't belong together.
    pub fn resume(
        root: &Path,
        name: &str,
        game: &dyn Game,
        minds: Minds,
        force: bool,
    ) -> Result<Self, SessionError> {
        let mut locked = Slot::find(root, name)?.lock()?;
        let slot = locked.slot().clone();
        let (mut journal, story) = locked.open_story(force)?;
        let is_saved = story.world.is_some();
        let story = catch_up(story, game)?;
        let head = story.header;
        let recording = Recording::of(story.lines);
        let (setup, meta) = match story.world {
            // What was recorded is played again from the beginning.
            None => {
                check_data(&head, &game.meta(), force)?;
                (new_world(game, head.seed)?, game.meta())
            }
            Some(text) => loaded(&slot, &text, &recording, &head, game, force)?,
        };
        if !is_saved {
            locked.save(&setup.world, &meta, &mut journal)?;
        }
        let mut session = Self::open(locked, meta, setup, minds, journal)?;
        session.engine.play_back(recording);
        Ok(session)
    }

    fn open(
        mut locked: LockedSlot,
        meta: Meta,
        setup: Setup,
        minds: Minds,
        journal: Journal,
    ) -> Result<Self, SessionError> {
        let slot = locked.slot().clone();
        let mut engine = Engine::new(setup, minds, journal)?;
        engine.on_turn(move |world, journal| {
            let saved = locked.save(world, &meta, journal);
            saved.map_err(EngineError::Snapshot)
        });
        Ok(Self { engine, slot })
    }

    /// The slot that is written to.
    pub fn slot(&self) -> &Slot {
        &self.slot
    }
}

/// The world of a snapshot. If its data have changed since, the game fits it to them.
fn loaded(
    slot: &Slot,
    text: &[u8],
    recording: &Recording,
    head: &JournalHeader,
    game: &dyn Game,
    force: bool,
) -> Result<(Setup, Meta), SessionError> {
    let snapshot = slot.explain(read_head(text))?;
    let seed = recording.seed_at(snapshot.turn, head.seed);
    if snapshot.seed != seed {
        return Err(SessionError::OtherSeed {
            snapshot: snapshot.seed,
            journal: seed,
        });
    }
    let mut setup = game.set_up(head.seed).map_err(SessionError::World)?;
    let anything = Expected::default();
    if force {
        let saved = slot.explain(restore(&mut setup.world, text, &anything))?;
        return Ok((setup, saved));
    }
    let meta = game.meta();
    let restored = restore(&mut setup.world, text, &Expected::of_data(&meta.data));
    let Err(other_data @ SaveError::OtherData { .. }) = restored else {
        slot.explain(restored)?;
        check_state(&mut setup.world, recording)?;
        return Ok((setup, meta));
    };
    let mut setup = game.set_up(head.seed).map_err(SessionError::World)?;
    if restore(&mut setup.world, text, &anything).is_ok() {
        check_state(&mut setup.world, recording)?;
        match game.adapt(&mut setup.world) {
            Ok(()) => return Ok((setup, meta)),
            Err(Some(error)) => return Err(SessionError::Unfit(error)),
            Err(None) => {}
        }
    }
    Ok(slot.explain(Err(other_data))?)
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
