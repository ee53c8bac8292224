//! Sessions that continue: a new story, and a resumed one.

use std::path::Path;

use bevy_ecs::prelude::*;

use super::event_log::EventLogger;
use super::rewind::catch_up_logged;
use super::world::{EmbeddedData, loaded, new_world, other_data};
use super::{Game, SessionError};
use crate::cast::WorldTurn;
use crate::engine::{Engine, EngineError, Setup};
use crate::journal::{Journal, JournalHeader, Line, Recording, SnapshotRecord, game_input};
use crate::locale::UiText;
use crate::message::Digest;
use crate::mind::Minds;
use crate::save::{LockedSlot, Meta, Slot, snapshot};

/// A story that is saved while it is played. Dropping it frees its slot for others.
///
/// ```
/// use std::sync::Arc;
///
/// use playhouse_engine::prelude::*;
/// use playhouse_engine::save::Meta;
/// use playhouse_engine::session::{Game, Session, SetupError};
///
/// struct Mill;
///
/// impl Game for Mill {
///     fn meta(&self) -> Meta {
///         Meta { world: "Mill".into(), data: "1".into() }
///     }
///     fn set_up(&self, seed: u64) -> Result<Setup, SetupError> {
///         Ok(Setup::new(seed)) // and its systems, and what is saved
///     }
///     fn populate(&self, setup: &mut Setup) -> Result<(), SetupError> {
///         setup.spawn_stage("Mill", "You are a mill.")?;
///         Ok(())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let saves = tempfile::tempdir()?;
/// let minds = || Minds::all(Arc::new(ScriptMind::by_rule(|_| ScriptLine::say("Hm."))));
/// let mut session = Session::start(saves.path(), "mill", &Mill, 7, minds())?;
/// session.engine.run(Some(2)).await?;
/// drop(session);
///
/// let mut session = Session::resume(saves.path(), "mill", &Mill, minds(), false)?;
/// assert_eq!(session.engine.run(Some(3)).await?, Stop::TurnReached(3));
/// # Ok(())
/// # }
/// ```
pub struct Session {
    /// The engine, to run. Settings and feeds may be changed before.
    pub engine: Engine,
    /// What has changed in the game's data since it was saved, which its world takes over.
    pub changes: Vec<UiText>,
    slot: Slot,
    /// Whether it was begun here.
    is_new: bool,
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
        Self::start_with(root, name, game, seed, minds, None)
    }

    /// As [`Self::start`], with [settings](Slot::read_settings) that are in the slot from the
    /// beginning, so that nothing is lost whenever the program ends.
    pub fn start_with(
        root: &Path,
        name: &str,
        game: &dyn Game,
        seed: u64,
        minds: Minds,
        settings: Option<&[u8]>,
    ) -> Result<Self, SessionError> {
        let meta = game.meta();
        let setup = new_world(game, seed)?;
        let mut lines = vec![Line::Header(JournalHeader::new(
            &meta.world, &meta.data, seed,
        ))];
        lines.extend(game.game_setup(seed).map(Line::Game));
        let bytes = snapshot(&setup.world, &meta)?;
        lines.push(Line::Snapshot(SnapshotRecord {
            turn: 0,
            digest: Digest::of(&bytes),
        }));
        let mut locked = Slot::create(root, name, &lines, &bytes, settings)?;
        locked.write_contexts(&setup.world)?;
        let (journal, _) = locked.open_story(false)?;
        let session = Self::open(locked, meta, setup, minds, journal)?;
        Ok(Self {
            is_new: true,
            ..session
        })
    }

    /// Continues a story where it stopped, however it stopped: from the last snapshot and the
    /// outcomes that the journal holds beyond it. If these end whole turns, or without a snapshot,
    /// it [catches up](super::catch_up). `force` accepts other data than the save was made from,
    /// and a state that differs from the journal, at the player's risk.
    pub fn resume(
        root: &Path,
        name: &str,
        game: &dyn Game,
        minds: Minds,
        force: bool,
    ) -> Result<Self, SessionError> {
        let mut locked = Slot::find(root, name)?.lock()?;
        let slot = locked.slot().clone();
        let (mut journal, mut story) = locked.open_story(force)?;
        let is_saved = story.world.is_some();
        // What happened before a snapshot that is to be written.
        let mut unsaved = None;
        if !(is_saved && force) {
            unsaved = catch_up_logged(&slot, &mut story, game)?;
        }
        let saved = match unsaved {
            Some(_) => Some(story.last_turn()),
            None => story.saved_turn(),
        };
        let head = story.header;
        let kept = EmbeddedData::of(&story.lines);
        let recording = Recording::after(saved, story.lines);
        let (mut setup, meta) = match story.world {
            None if force => (new_world(game, head.seed)?, game.meta()),
            // What was recorded is played again from the beginning.
            None => {
                let first = kept
                    .game(game, &head.data)
                    .ok_or_else(|| other_data(&head.data, game))?;
                (new_world(first.get(), head.seed)?, first.get().meta())
            }
            Some(stored) => loaded(&slot, &stored, &recording, &head, (game, &kept), force)?,
        };
        let mut changes = None;
        if !force {
            changes = changed_data(&mut setup, &meta, (game, &kept))?;
        }
        if let Some(events) = unsaved {
            locked.save(&setup.world, &meta, &mut journal, &events)?;
        }
        let mut session = Self::open(locked, meta, setup, minds, journal)?;
        session.engine.play_back(recording);
        if let Some(changes) = changes {
            session.changes = changes;
            let told = game.game_setup(head.seed).map(|setup| game_input(&setup));
            told.into_iter()
                .for_each(|input| session.engine.tell_next(input));
        }
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
        let events = EventLogger::of(&mut engine);
        let turn_of = |world: &World| world.resource::<WorldTurn>().0;
        let mut last = turn_of(&engine.world);
        engine.on_turn(move |world, journal, stop| {
            let turn = turn_of(world);
            let saved = if stop.is_some() || turn >= next_snapshot(last) {
                last = turn;
                locked.save(world, &meta, journal, &events.take())
            } else {
                locked.write_contexts(world)
            };
            saved.map_err(EngineError::Snapshot)
        });
        Ok(Self {
            engine,
            changes: Vec::new(),
            slot,
            is_new: false,
        })
    }

    /// Gives up a story that can't be played. If it was begun here, and nothing of it was played,
    /// its slot is removed.
    pub fn give_up(self) -> Result<(), SessionError> {
        let Self {
            engine,
            slot,
            is_new,
            ..
        } = self;
        let is_unplayed = engine.world.resource::<WorldTurn>().0 == 0;
        // Unlocks the slot.
        drop(engine);
        if is_new && is_unplayed {
            slot.remove()?;
        }
        Ok(())
    }

    /// The slot that is written to.
    pub fn slot(&self) -> &Slot {
        &self.slot
    }
}

/// The turn of the snapshot after that of a turn, unless the run stops before. A snapshot holds the
/// whole past, so with one for every turn, turns would become slower as the story grows. What was
/// played since is in the journal: at most a sixteenth of the turns.
fn next_snapshot(last: u64) -> u64 {
    last + (last / 16).max(1)
}

/// What has changed in the data of a game since a world was saved; `None` if nothing has, or the
/// world will take it over from its journal.
fn changed_data(
    setup: &mut Setup,
    saved: &Meta,
    (game, kept): (&dyn Game, &EmbeddedData),
) -> Result<Option<Vec<UiText>>, SessionError> {
    let today = game.meta().data;
    let turn = setup.world.resource::<WorldTurn>().0;
    let is_known = match kept.ahead_of(turn) {
        Some(ahead) => game.embedded(ahead, &today).is_some(),
        None => saved.data == today,
    };
    if is_known {
        return Ok(None);
    }
    match game.adapt(&mut setup.world) {
        Ok(changes) => Ok(Some(changes)),
        Err(Some(error)) => Err(SessionError::Unfit(error)),
        Err(None) => Err(other_data(&saved.data, game).into()),
    }
}
