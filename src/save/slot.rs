//! The folder of one saved story: `saves/SLOT/` with snapshot, journal, buffers and lock.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bevy_ecs::prelude::*;

use super::buffers::Buffers;
use super::error::{SaveError, io_error};
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
    /// The name can't be a slot's, or there is none.
    pub fn find(root: &Path, name: &str) -> Result<Self, SaveError> {
        let slot = Self::at(root, name.parse()?);
        match slot.folder.is_dir() {
            true => Ok(slot),
            false => Err(SaveError::NoSuchSlot {
                name: name.to_owned(),
                root: root.to_owned(),
            }),
        }
    }

    /// Makes the folder of a new slot, and holds it. The folder of all saves is made where it is
    /// missing.
    ///
    /// # Errors
    /// The name can't be a slot's or is taken, or the file system refuses.
    pub fn create(root: &Path, name: &str) -> Result<LockedSlot, SaveError> {
        let slot = Self::at(root, name.parse()?);
        fs::create_dir_all(root).map_err(|source| io_error(root, "make it", source))?;
        match make_folder(&slot.folder) {
            Ok(()) => slot.hold(),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(SaveError::SlotExists(name.to_owned()))
            }
            Err(source) => Err(io_error(&slot.folder, "make it", source)),
        }
    }

    fn at(root: &Path, name: SlotName) -> Self {
        Self {
            folder: root.join(name.as_str()),
            name,
        }
    }

    /// Takes the slot for this process, for as long as the [`LockedSlot`] lives.
    ///
    /// # Errors
    /// Another process holds it, or the file system refuses.
    pub fn hold(self) -> Result<LockedSlot, SaveError> {
        let path = self.folder.join("lock");
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|source| io_error(&path, "open it", source))?;
        match file.try_lock() {
            Ok(()) => Ok(LockedSlot {
                slot: self,
                buffers: Buffers::default(),
                _lock: file,
            }),
            Err(TryLockError::WouldBlock) => Err(SaveError::SlotBusy(self.name.to_string())),
            Err(TryLockError::Error(source)) => Err(io_error(&path, "lock it", source)),
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

    /// The bytes of its snapshot; nothing where none was ever written.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn read_world(&self) -> Result<Option<Vec<u8>>, SaveError> {
        let path = self.world_file();
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(io_error(&path, "read it", source)),
        }
    }

    /// What its snapshot says about itself; nothing where none was ever written.
    ///
    /// # Errors
    /// The snapshot can't be read or understood.
    pub fn head(&self) -> Result<Option<SaveHead>, SaveError> {
        let text = self.read_world()?;
        let head = text.map(|text| self.explain(read_head(&text)));
        head.transpose()
    }

    /// The lines of its journal, without a torn last one.
    ///
    /// # Errors
    /// The journal can't be read.
    pub fn read_journal(&self) -> Result<Vec<Line>, JournalError> {
        Journal::read(&self.journal_file())
    }

    /// The same outcome, whose error names the snapshot's file.
    pub(crate) fn explain<T>(&self, outcome: Result<T, SaveError>) -> Result<T, SaveError> {
        outcome.map_err(|source| SaveError::InFile {
            path: self.world_file(),
            source: Box::new(source),
        })
    }
}

/// A slot that this process holds, for writing. Dropping it lets others take it.
#[derive(Debug)]
pub struct LockedSlot {
    slot: Slot,
    buffers: Buffers,
    /// Locked for as long as it is open; the system unlocks it however the process ends.
    _lock: File,
}

impl LockedSlot {
    /// The slot.
    pub fn slot(&self) -> &Slot {
        &self.slot
    }

    /// Writes the snapshot of a world that rests, and the readable contexts that changed. The last
    /// snapshot stays whole until the new one is safe on disk.
    ///
    /// # Errors
    /// The world does not rest, or the file system refuses.
    pub fn save(&mut self, world: &World, meta: &Meta) -> Result<(), SaveError> {
        let bytes = snapshot(world, meta)?;
        replace(&self.slot.world_file(), &bytes, Durability::Synced)?;
        let folder = self.slot.contexts_folder();
        fs::create_dir_all(&folder).map_err(|source| io_error(&folder, "make it", source))?;
        self.buffers.write(world, &folder)
    }
}

/// A slot as a list of saves shows it.
#[derive(Debug)]
pub struct Listed {
    /// The slot.
    pub slot: Slot,
    /// What its snapshot says; nothing where none was ever written; an error where it can't be read.
    pub head: Result<Option<SaveHead>, SaveError>,
    /// When it was last written to.
    pub changed: Option<SystemTime>,
    /// Bytes of its snapshot and journal together.
    pub size: u64,
}

/// All slots, by name. Folders whose names can't be a slot's are passed over.
///
/// # Errors
/// The folder of all saves can't be read. Where it is missing, there are no saves.
pub fn list(root: &Path) -> Result<Vec<Listed>, SaveError> {
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(io_error(root, "read it", source)),
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut slots: Vec<_> = names
        .filter_map(|name| Slot::find(root, &name).ok())
        .collect();
    slots.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(slots.into_iter().map(listed).collect())
}

fn listed(slot: Slot) -> Listed {
    let files = [slot.world_file(), slot.journal_file()];
    let files = files.map(|path| fs::metadata(path).ok());
    let known = || files.iter().flatten();
    Listed {
        head: slot.head(),
        changed: known().filter_map(|file| file.modified().ok()).max(),
        size: known().map(fs::Metadata::len).sum(),
        slot,
    }
}
