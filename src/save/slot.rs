//! The folder of a saved story: `saves/SLOT/` with snapshot, journal, readable contexts and lock.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bevy_ecs::prelude::*;

use super::buffers::Buffers;
use super::error::{FileAction, SaveError, io_error};
use super::files::{Durability, make_folder, replace};
use super::head::{SaveHead, read_head};
use super::slot_name::SlotName;
use super::snapshot::{Meta, snapshot};
use crate::journal::{Journal, JournalError, Line};

/// A saved story on disk, for reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    name: SlotName,
    folder: PathBuf,
}

impl Slot {
    /// The slot of this name.
    ///
    /// # Errors
    /// The name is invalid, or there is no such slot.
    pub fn find(root: &Path, name: &str) -> Result<Self, SaveError> {
        let slot = Self::at(root, name.parse()?);
        if !slot.folder.is_dir() {
            return Err(SaveError::NoSuchSlot {
                name: name.to_owned(),
                root: root.to_owned(),
            });
        }
        Ok(slot)
    }

    /// Creates the folder of a new slot and locks it. The folder of all saves is created if it is
    /// missing.
    ///
    /// # Errors
    /// The name is invalid or taken, or the file system refuses.
    pub fn create(root: &Path, name: &str) -> Result<LockedSlot, SaveError> {
        let slot = Self::at(root, name.parse()?);
        fs::create_dir_all(root).map_err(|source| io_error(root, FileAction::Create, source))?;
        match make_folder(&slot.folder) {
            Ok(()) => slot.lock(),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(SaveError::SlotExists(name.to_owned()))
            }
            Err(source) => Err(io_error(&slot.folder, FileAction::Create, source)),
        }
    }

    fn at(root: &Path, name: SlotName) -> Self {
        Self {
            folder: root.join(name.as_str()),
            name,
        }
    }

    /// Locks the slot for this process until the [`LockedSlot`] is dropped.
    ///
    /// # Errors
    /// Another process has locked it, or the file system refuses.
    pub fn lock(self) -> Result<LockedSlot, SaveError> {
        let path = self.folder.join("lock");
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|source| io_error(&path, FileAction::Open, source))?;
        match file.try_lock() {
            Ok(()) => Ok(LockedSlot {
                slot: self,
                buffers: Buffers::default(),
                _lock: file,
            }),
            Err(TryLockError::WouldBlock) => Err(SaveError::SlotBusy(self.name.to_string())),
            Err(TryLockError::Error(source)) => Err(io_error(&path, FileAction::Lock, source)),
        }
    }

    /// Its name.
    pub fn name(&self) -> &SlotName {
        &self.name
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its snapshot's file.
    pub fn world_file(&self) -> PathBuf {
        self.folder.join("world.json")
    }

    /// Its journal's file.
    pub fn journal_file(&self) -> PathBuf {
        self.folder.join("journal.jsonl")
    }

    /// The folder of its readable contexts.
    pub fn contexts_folder(&self) -> PathBuf {
        self.folder.join("contexts")
    }

    /// The bytes of its snapshot; `None` if there is none yet.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn read_world(&self) -> Result<Option<Vec<u8>>, SaveError> {
        let path = self.world_file();
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(io_error(&path, FileAction::Read, source)),
        }
    }

    /// The header of its snapshot; `None` if there is none yet.
    ///
    /// # Errors
    /// The snapshot can't be read.
    pub fn head(&self) -> Result<Option<SaveHead>, SaveError> {
        let text = self.read_world()?;
        let head = text.map(|text| self.explain(read_head(&text)));
        head.transpose()
    }

    /// The lines of its journal, without an incomplete last one.
    ///
    /// # Errors
    /// The journal can't be read.
    pub fn read_journal(&self) -> Result<Vec<Line>, JournalError> {
        Journal::read(&self.journal_file())
    }

    /// Adds the snapshot's file to an error.
    pub(crate) fn explain<T>(&self, result: Result<T, SaveError>) -> Result<T, SaveError> {
        result.map_err(|source| SaveError::InFile {
            path: self.world_file(),
            source: Box::new(source),
        })
    }
}

/// A slot that this process has locked for writing. Dropping it unlocks it.
#[derive(Debug)]
pub struct LockedSlot {
    slot: Slot,
    buffers: Buffers,
    /// Locked while it is open. The system unlocks it however the process ends.
    _lock: File,
}

impl LockedSlot {
    /// The slot.
    pub fn slot(&self) -> &Slot {
        &self.slot
    }

    /// Writes the snapshot of a world at rest, and the readable contexts that changed. The last
    /// snapshot stays until the new one is safe on disk.
    ///
    /// # Errors
    /// The world is not at rest, or the file system refuses.
    pub fn save(&mut self, world: &World, meta: &Meta) -> Result<(), SaveError> {
        let bytes = snapshot(world, meta)?;
        replace(&self.slot.world_file(), &bytes, Durability::Synced)?;
        let folder = self.slot.contexts_folder();
        fs::create_dir_all(&folder)
            .map_err(|source| io_error(&folder, FileAction::Create, source))?;
        self.buffers.write(world, &folder)
    }
}

/// A slot in a list of saves.
#[derive(Debug)]
pub struct Listed {
    /// The slot.
    pub slot: Slot,
    /// The header of its snapshot; `None` if there is none yet.
    pub head: Result<Option<SaveHead>, SaveError>,
    /// When it was last written to.
    pub changed: Option<SystemTime>,
    /// The size of its snapshot and journal in bytes.
    pub size: u64,
}

/// All slots, by name. Other folders are skipped.
///
/// # Errors
/// The folder of all saves can't be read. If it is missing, there are no saves.
pub fn list(root: &Path) -> Result<Vec<Listed>, SaveError> {
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(io_error(root, FileAction::Read, source)),
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut slots: Vec<_> = names
        .filter_map(|name| Slot::find(root, &name).ok())
        .collect();
    slots.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(slots.into_iter().map(listed).collect())
}

fn listed(slot: Slot) -> Listed {
    let files = [slot.world_file(), slot.journal_file()];
    let metadata = files.map(|path| fs::metadata(path).ok());
    let existing = || metadata.iter().flatten();
    Listed {
        head: slot.head(),
        changed: existing().filter_map(|file| file.modified().ok()).max(),
        size: existing().map(fs::Metadata::len).sum(),
        slot,
    }
}
