//! A world of a store as an engine follows it, while a worker plays it.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use playhouse_engine::engine::{Lead, NextLines};
use playhouse_engine::journal::{JournalReader, Line};
use playhouse_engine::mind::Prompt;
use playhouse_engine::save::{PackedSlot, Slot, SlotName};

use crate::state::world_state;
use crate::{Phase, Position, Store, StoreError, WorldState};

/// How often it is looked whether there is more.
const LOOK: Duration = Duration::from_millis(300);

/// The journal of a world, with a copy in a slot that grows with it.
pub struct WorldLead {
    store: Arc<dyn Store>,
    slot: Slot,
    at: Position,
    reader: JournalReader,
    /// Told how far the world is, now and then; whether more may come. At first, it may as long as
    /// workers are to play.
    pub note_state: Box<dyn FnMut(&WorldState) -> bool + Send>,
    /// Told of asks of which nothing is recorded yet.
    pub note_open: Box<dyn FnMut(&Prompt<'_>) + Send>,
}

impl WorldLead {
    /// That of a world, with its slot in a folder, which has what was played so far.
    ///
    /// # Errors
    /// There is no such world, the store does not answer, or the slot can't be made.
    pub fn of(store: Arc<dyn Store>, world: &SlotName, root: &Path) -> Result<Self, StoreError> {
        let state = world_state(&*store, world)?;
        let state = state.ok_or_else(|| StoreError::missing(world))?;
        let (journal, at) = store.read(world, Position::default())?;
        let files = PackedSlot {
            journal,
            world: None,
            settings: state.settings.map(String::into_bytes),
        };
        let slot = Slot::unpack(root, world.as_str(), &files).map_err(StoreError::damaged)?;
        let mut reader = JournalReader::new(slot.journal_file());
        // The engine has them.
        reader.next_lines().map_err(StoreError::damaged)?;
        Ok(Self {
            store,
            slot,
            at,
            reader,
            note_state: Box::new(|state| state.phase.is_open() || state.phase == Phase::Waiting),
            note_open: Box::new(|_| ()),
        })
    }

    /// The copy, for whoever reads it.
    pub fn slot(&self) -> &Slot {
        &self.slot
    }

    /// What came since the last look; `None` if no more will come.
    fn look(&mut self) -> Result<Option<Vec<Line>>, StoreError> {
        // The state first, so that nothing comes after the last look.
        let world = self.slot.name();
        let state = world_state(&*self.store, world)?;
        let state = state.ok_or_else(|| StoreError::missing(world))?;
        let (more, now) = self.store.read(world, self.at)?;
        // How it ends is told once it has ended here.
        if more.is_empty() {
            return Ok((self.note_state)(&state).then(Vec::new));
        }
        if state.phase.is_open() {
            (self.note_state)(&state);
        }
        let path = self.slot.journal_file();
        let file = OpenOptions::new().append(true).open(path);
        let written = file.and_then(|mut file| file.write_all(&more));
        written.map_err(StoreError::damaged)?;
        self.at = now;
        let lines = self.reader.next_lines();
        lines.map(Some).map_err(StoreError::damaged)
    }
}

impl Lead for WorldLead {
    fn note_open(&mut self, prompt: &Prompt<'_>) {
        (self.note_open)(prompt);
    }

    fn next(&mut self) -> NextLines<'_> {
        Box::pin(async {
            loop {
                match self.look() {
                    Ok(Some(lines)) if lines.is_empty() => {}
                    Ok(lines) => return lines,
                    Err(error) => {
                        tracing::warn!("{error}");
                        if !error.may_pass() {
                            return None;
                        }
                    }
                }
                tokio::time::sleep(LOOK).await;
            }
        })
    }
}
