//! The folder of a saved story: `saves/SLOT/` with snapshot, journal, readable contexts and lock.
//!
//! Every file is opened through a [`Folder`], which follows no links.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bevy_ecs::prelude::*;

use super::buffers::Buffers;
use super::error::SaveError;
use super::head::{SaveHead, read_head, read_language};
use super::limits::{BATCH, EXPERIMENT, MAX_BYTES};
use super::slot_name::SlotName;
use super::snapshot::{Meta, write_to};
use super::story::{StoredSnapshot, StoredStory};
use crate::cast::WorldTurn;
use crate::files::{
    Durability, FileAction, FileError, Folder, MAX_SAVED_VALUES, OpenMode, count_values,
    has_more_values,
};
use crate::journal::{
    BranchedFrom, Journal, JournalHeader, JournalLines, Line, Reading, SnapshotRecord,
};
use crate::message::{Digest, Language};

const WORLD: &str = "world.json";
const JOURNAL: &str = "journal.jsonl";
const EVENTS: &str = "events.jsonl";
const CONTEXTS: &str = "contexts";
const LOCK: &str = "lock";
const SETTINGS: &str = "settings.json";
/// Larger settings are refused, in bytes.
const MAX_SETTINGS: u64 = 64 * 1024;
/// The language of a snapshot stands within so many bytes.
const MAX_OPENING: u64 = 64 * 1024;

/// A folder with one of these files is a save, a batch or an experiment.
const OURS: [&str; 5] = [WORLD, JOURNAL, LOCK, BATCH, EXPERIMENT];

/// Where a slot branched from another.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct BranchPoint {
    /// The name of the other slot.
    pub slot: String,
    pub turn: u64,
    /// The name of the world that both are of.
    pub world: String,
}

/// The files of a slot that tell its story, as bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackedSlot {
    pub journal: Vec<u8>,
    pub world: Option<Vec<u8>>,
    pub settings: Option<Vec<u8>>,
}

/// A saved story on disk, for reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    name: SlotName,
    root: PathBuf,
    folder: PathBuf,
}

impl Slot {
    /// The name of the file of a slot's settings.
    pub const SETTINGS: &'static str = SETTINGS;

    pub fn find(root: &Path, name: &str) -> Result<Self, SaveError> {
        let slot = Self::at(root, name.parse()?);
        if !slot.folder.is_dir() {
            return Err(slot.missing());
        }
        Ok(slot)
    }

    /// Creates a new slot with a journal, a snapshot and settings, whole or not at all, and locks
    /// it. The folder of all saves is created if it is missing.
    ///
    /// # Errors
    /// The name is invalid or taken, or the file system refuses.
    pub fn create(
        root: &Path,
        name: &str,
        journal: &[Line],
        world: &[u8],
        settings: Option<&[u8]>,
    ) -> Result<LockedSlot, SaveError> {
        let journal = Journal::encode(journal);
        // Nothing has happened yet.
        let log = EventsFile::default().close(&[], Digest::of(world));
        let files = [
            (JOURNAL, Some(&*journal)),
            (WORLD, Some(world)),
            (EVENTS, Some(log.as_bytes())),
            (SETTINGS, settings),
        ];
        Self::build(root, name, &files)
    }

    /// As [`Self::create`], from the bytes of another slot's files, which are judged when they are
    /// read. It is not locked.
    pub fn unpack(root: &Path, name: &str, files: &PackedSlot) -> Result<Self, SaveError> {
        let files = [
            (JOURNAL, Some(&*files.journal)),
            (WORLD, files.world.as_deref()),
            (SETTINGS, files.settings.as_deref()),
        ];
        Ok(Self::build(root, name, &files)?.slot)
    }

    /// The bytes of its files, for [`Self::unpack`].
    pub fn pack(&self) -> Result<PackedSlot, SaveError> {
        // The snapshot first: a running story records the next one in the journal before.
        let (world, settings) = (self.read_world()?, self.read_settings()?);
        let mut bytes = Vec::new();
        let read = journal(&self.open()?, OpenMode::Read)?.read_to_end(&mut bytes);
        read.map_err(|source| FileError::io(&self.journal_file(), FileAction::Read, source))?;
        Ok(PackedSlot {
            journal: bytes,
            world,
            settings,
        })
    }

    /// Creates a new slot that branches from this one, whole or not at all, and locks it. Its
    /// journal begins with the first `count` lines of this one's, which close a turn, but has its
    /// own header; `own` follows. It has the same settings, and no snapshot until it is played.
    pub fn create_branch(
        &self,
        root: &Path,
        name: &str,
        header: JournalHeader,
        count: usize,
        own: impl IntoIterator<Item = Line>,
    ) -> Result<LockedSlot, SaveError> {
        let shared = self.read_journal()?.into_iter().take(count).skip(1);
        let lines: Vec<_> = std::iter::once(Line::Header(header))
            .chain(shared)
            .chain(own)
            .collect();
        let settings = self.read_settings()?;
        let journal = Journal::encode(&lines);
        let files = [(JOURNAL, Some(&*journal)), (SETTINGS, settings.as_deref())];
        Self::build(root, name, &files)
    }

    /// It is locked before it gets its name, so that nobody else takes it for abandoned.
    fn build(
        root: &Path,
        name: &str,
        files: &[(&str, Option<&[u8]>)],
    ) -> Result<LockedSlot, SaveError> {
        let slot = Self::at(root, name.parse()?);
        let mut lock = None;
        let built = Folder::open_or_create(root)?.build(name, |folder| {
            for (file, bytes) in files {
                let durability = match *file {
                    EVENTS => Durability::Unsynced,
                    _ => Durability::Synced,
                };
                if let Some(bytes) = bytes {
                    folder.replace(file, bytes, durability)?;
                }
            }
            // Elsewhere a folder with an open file can't be renamed.
            if cfg!(unix) {
                lock = Some(slot.lock_in(folder)?);
            }
            Ok::<_, SaveError>(())
        });
        built.map_err(|error| match &error {
            SaveError::File(file) if file.io_kind() == Some(io::ErrorKind::AlreadyExists) => {
                SaveError::SlotExists(name.to_owned())
            }
            _ => error,
        })?;
        match lock {
            Some(lock) => slot.locked_with(lock),
            None => slot.lock(),
        }
    }

    fn at(root: &Path, name: SlotName) -> Self {
        Self {
            folder: root.join(name.as_str()),
            root: root.to_owned(),
            name,
        }
    }

    /// Where it branched from another slot.
    pub fn branch_point(&self) -> Option<BranchPoint> {
        let header = self.journal_header()?;
        let BranchedFrom { from, turn } = header.branched?;
        Some(BranchPoint {
            slot: from,
            turn,
            world: header.world,
        })
    }

    /// The header of its journal, of which nothing else is read.
    pub fn journal_header(&self) -> Option<JournalHeader> {
        let file = journal(&self.open().ok()?, OpenMode::Read).ok()?;
        Journal::header_of(&file, &self.journal_file())
    }

    fn missing(&self) -> SaveError {
        SaveError::NoSuchSlot {
            name: self.name.to_string(),
            root: self.root.clone(),
        }
    }

    /// Opens its folder, in which there is nothing but regular files and folders.
    fn open(&self) -> Result<Folder, SaveError> {
        let folder = Folder::open(&self.root)?
            .folder(self.name.as_str())?
            .ok_or_else(|| self.missing())?;
        folder.check_entries()?;
        Ok(folder)
    }

    /// Locks the slot for this process until the [`LockedSlot`] is dropped.
    pub fn lock(self) -> Result<LockedSlot, SaveError> {
        let folder = self.open()?;
        let lock = self.lock_in(&folder)?;
        // Whoever had locked it may have put another in its place.
        if !folder.is_at(&self.folder) {
            return Err(SaveError::SlotBusy(self.name.to_string()));
        }
        self.locked_with(lock)
    }

    fn lock_in(&self, folder: &Folder) -> Result<File, SaveError> {
        let path = self.folder.join(LOCK);
        let failed = |source| FileError::io(&path, FileAction::Lock, source);
        let lock = folder
            .file(LOCK, OpenMode::Lock)?
            .ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        match lock.try_lock() {
            Ok(()) => Ok(lock),
            Err(TryLockError::WouldBlock) => Err(SaveError::SlotBusy(self.name.to_string())),
            Err(TryLockError::Error(source)) => Err(failed(source).into()),
        }
    }

    fn locked_with(self, lock: File) -> Result<LockedSlot, SaveError> {
        let folder = self.open()?;
        folder.remove_unfinished()?;
        if let Some(contexts) = folder.folder(CONTEXTS)? {
            contexts.remove_unfinished()?;
        }
        Ok(LockedSlot {
            slot: self,
            folder,
            buffers: Buffers::default(),
            events: None,
            recorded: BTreeSet::new(),
            _lock: lock,
        })
    }

    /// Removes the slot with everything in it, unless what is in it is nothing that only a save
    /// has.
    pub fn remove(self) -> Result<(), SaveError> {
        if !self.is_ours()? {
            let path = self.folder;
            return Err(SaveError::NotASlot { path });
        }
        let (root, name) = (self.root.clone(), self.name.to_string());
        let _locked = self.lock()?;
        Ok(Folder::open(&root)?.remove_folder(&name)?)
    }

    pub fn name(&self) -> &SlotName {
        &self.name
    }

    /// Whether nothing is in its folder, or something that only a save has.
    pub(super) fn is_ours(&self) -> Result<bool, SaveError> {
        let names = self.open()?.names()?;
        let is_ours = |name: &String| OURS.contains(&name.as_str());
        Ok(names.is_empty() || names.iter().any(is_ours))
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn world_file(&self) -> PathBuf {
        self.folder.join(WORLD)
    }

    pub fn journal_file(&self) -> PathBuf {
        self.folder.join(JOURNAL)
    }

    pub fn settings_file(&self) -> PathBuf {
        self.folder.join(SETTINGS)
    }

    /// With what a program plays it, in a form of the program's own; `None` if it keeps nothing.
    pub fn read_settings(&self) -> Result<Option<Vec<u8>>, SaveError> {
        Ok(self.open()?.read(SETTINGS, MAX_SETTINGS)?)
    }

    /// Keeps with what a program plays it.
    pub fn write_settings(&self, settings: &[u8]) -> Result<(), SaveError> {
        Ok(self
            .open()?
            .replace(SETTINGS, settings, Durability::Synced)?)
    }

    /// Takes its settings away; returns where they are now.
    pub fn set_settings_aside(&self) -> Result<PathBuf, SaveError> {
        let folder = self.open()?;
        let aside = format!("damaged-{SETTINGS}");
        folder.rename(SETTINGS, &aside)?;
        Ok(self.folder.join(aside))
    }

    /// The bytes of its snapshot; `None` if there is none yet. They are not compared with the
    /// journal, as [`Self::read`] does.
    pub fn read_world(&self) -> Result<Option<Vec<u8>>, SaveError> {
        Ok(self.open()?.read(WORLD, MAX_BYTES)?)
    }

    /// The lines of its log of events, if it is of this snapshot. See `docs/save-format.md`.
    pub fn read_events(&self, world: &StoredSnapshot) -> Result<Option<Vec<u8>>, SaveError> {
        read_log(&self.open()?, world)
    }

    /// The log of events, unchecked, for a glance; empty if there is none.
    pub(crate) fn glance_at_events(&self) -> Vec<u8> {
        let log = self.open().ok();
        let log = log.and_then(|folder| folder.read(EVENTS, MAX_BYTES).ok()?);
        log.unwrap_or_default()
    }

    /// When it was last written to, and the size of its snapshot and journal in bytes.
    pub fn written(&self) -> (Option<SystemTime>, u64) {
        let files = [self.world_file(), self.journal_file()];
        let metadata = files.map(|path| fs::symlink_metadata(path).ok());
        let existing = || metadata.iter().flatten();
        let changed = existing().filter_map(|file| file.modified().ok()).max();
        (changed, existing().map(fs::Metadata::len).sum())
    }

    /// The header of its snapshot; `None` if there is none yet.
    pub fn head(&self) -> Result<Option<SaveHead>, SaveError> {
        let text = self.read_world()?;
        text.map(|text| self.explain(read_head(&text))).transpose()
    }

    /// The language of its snapshot, of which only the beginning is read.
    pub fn language(&self) -> Option<Language> {
        let file = self.open().ok()?.file(WORLD, OpenMode::Read).ok()??;
        read_language(file.take(MAX_OPENING))
    }

    /// The lines of its journal, without an incomplete last one.
    pub fn read_journal(&self) -> Result<Vec<Line>, SaveError> {
        let file = journal(&self.open()?, OpenMode::Read)?;
        Ok(Journal::read_as(
            Reading::Whole,
            &file,
            &self.journal_file(),
        )?)
    }

    /// Its story: journal and snapshot, checked for damage. With `force`, the snapshot may be
    /// another than the journal records.
    pub fn read(&self, force: bool) -> Result<StoredStory, SaveError> {
        self.read_as(Reading::Whole, force)
    }

    /// As [`Self::read`], to go on with it: without the questions before its last snapshot, which
    /// take as much memory as all else and are never compared again.
    pub fn read_to_go_on(&self, force: bool) -> Result<StoredStory, SaveError> {
        self.read_as(Reading::ToGoOn, force)
    }

    fn read_as(&self, reading: Reading, force: bool) -> Result<StoredStory, SaveError> {
        // The snapshot first: a running story records the next one in the journal before.
        let folder = self.open()?;
        let world = stored_snapshot(&folder)?;
        let file = journal(&folder, OpenMode::Read)?;
        let lines = Journal::read_as(reading, &file, &self.journal_file())?;
        self.checked(lines, world, force)
    }

    fn checked(
        &self,
        lines: Vec<Line>,
        world: Option<StoredSnapshot>,
        force: bool,
    ) -> Result<StoredStory, SaveError> {
        let story = StoredStory::of(lines, world).ok_or_else(|| SaveError::NoHead {
            path: self.journal_file(),
        })?;
        if !force {
            story.check_snapshot(&self.world_file())?;
        }
        Ok(story)
    }

    /// Whatever can be read of its journal.
    pub(super) fn salvage_journal(&self) -> Result<JournalLines, SaveError> {
        let file = journal(&self.open()?, OpenMode::Read)?;
        Ok(Journal::salvage(&file, &self.journal_file())?)
    }

    /// Adds the snapshot's file to an error.
    pub fn explain<T>(&self, result: Result<T, SaveError>) -> Result<T, SaveError> {
        result.map_err(|error| error.in_file(self.world_file()))
    }
}

fn journal(folder: &Folder, access: OpenMode) -> Result<File, SaveError> {
    let file = folder.file(JOURNAL, access)?;
    file.ok_or_else(|| SaveError::NoHead {
        path: folder.path().join(JOURNAL),
    })
}

fn stored_snapshot(folder: &Folder) -> Result<Option<StoredSnapshot>, FileError> {
    let file = folder.file(WORLD, OpenMode::Read)?;
    let stored = file.map(|file| StoredSnapshot::of(file, folder.path().join(WORLD)));
    stored.transpose()
}

/// The log of events of this snapshot.
fn read_log(folder: &Folder, world: &StoredSnapshot) -> Result<Option<Vec<u8>>, SaveError> {
    let log = folder.read(EVENTS, MAX_BYTES)?;
    let readable = log.filter(|log| !has_more_values(log, MAX_SAVED_VALUES));
    Ok(readable.filter(|log| is_log_of(log, world.digest)))
}

/// Whether a log ends with this snapshot, and was not changed.
fn is_log_of(log: &[u8], snapshot: Digest) -> bool {
    let ends = log.iter().rev().skip(1);
    let last = ends.take_while(|byte| **byte != b'\n').count() + 1;
    let (lines, last) = log.split_at(log.len().saturating_sub(last));
    last == log_end(snapshot, Digest::of(lines)).as_bytes()
}

/// The version of the log of events. One of another version is not used.
const EVENTS_FORMAT: u32 = 1;

/// The line of a log after those of a run up to a snapshot, with a digest of all before it.
fn log_end(snapshot: Digest, lines: Digest) -> String {
    format!("{{\"snapshot\":[\"{snapshot}\",\"{lines}\",{EVENTS_FORMAT}]}}\n")
}

/// What is known of a log of events, to which lines are added without reading it again.
#[derive(Debug, Default)]
struct EventsFile {
    hasher: blake3::Hasher,
    length: u64,
    values: usize,
}

impl EventsFile {
    fn add(&mut self, lines: &[u8]) {
        self.hasher.update(lines);
        self.length += lines.len() as u64;
        self.values += count_values(lines);
    }

    /// Adds lines up to a snapshot, and returns the line after them.
    fn close(&mut self, lines: &[u8], snapshot: Digest) -> String {
        self.add(lines);
        let end = log_end(snapshot, self.hasher.finalize().into());
        self.add(end.as_bytes());
        end
    }
}

/// A slot that this process has locked for writing. Dropping it unlocks it.
#[derive(Debug)]
pub struct LockedSlot {
    slot: Slot,
    folder: Folder,
    buffers: Buffers,
    /// The log of events, unless it has a gap.
    events: Option<EventsFile>,
    /// The snapshots that its journal knows.
    recorded: BTreeSet<SnapshotRecord>,
    /// Locked while it is open. The system unlocks it however the process ends.
    _lock: File,
}

impl LockedSlot {
    pub fn slot(&self) -> &Slot {
        &self.slot
    }

    /// Opens its journal for appending, and reads its story as [`Slot::read_to_go_on`] does. An
    /// incomplete last line of the journal is cut off, and a log of events of another snapshot
    /// removed.
    pub fn open_story(&mut self, force: bool) -> Result<(Journal, StoredStory), SaveError> {
        let world = stored_snapshot(&self.folder)?;
        let mut events = EventsFile::default();
        // Before the journal, so that memory never has both.
        if let Some(world) = &world
            && let Some(log) = read_log(&self.folder, world)?
        {
            events.add(&log);
        }
        let file = journal(&self.folder, OpenMode::Append)?;
        let (journal, lines) = Journal::open(file, &self.slot.journal_file())?;
        let story = self.slot.checked(lines, world, force)?;
        self.recorded = story.snapshots().collect();
        if events.length == 0 {
            self.folder.remove_file(EVENTS)?;
        }
        let has_gap = story.world.is_some() && events.length == 0;
        self.events = (!has_gap).then_some(events);
        Ok((journal, story))
    }

    /// Adds lines to the log of events, which is of this snapshot now. One that becomes too long is
    /// removed: the journal alone is enough.
    fn log(&mut self, lines: &[u8], snapshot: Digest) -> Result<(), SaveError> {
        let Some(events) = &mut self.events else {
            return Ok(());
        };
        let is_new = events.length == 0;
        let end = events.close(lines, snapshot);
        if events.length > MAX_BYTES || events.values > MAX_SAVED_VALUES {
            self.events = None;
            return Ok(self.folder.remove_file(EVENTS)?);
        }
        let add = |mut file: &File| {
            file.write_all(lines)?;
            file.write_all(end.as_bytes())
        };
        if is_new {
            let new = self.folder.new_file(EVENTS)?;
            add(new.writer()).map_err(|error| new.refused(error))?;
            return Ok(new.place(Durability::Unsynced)?);
        }
        let failed =
            |source| FileError::io(&self.slot.folder.join(EVENTS), FileAction::Write, source);
        let file = self.folder.file(EVENTS, OpenMode::Append)?;
        let file = file.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        Ok(add(&file).map_err(failed)?)
    }

    /// Writes the snapshot of a world at rest, these lines of what happened since the last one, and
    /// the readable contexts that changed. The last snapshot stays until the new one is safe on
    /// disk, and recorded in the journal.
    ///
    /// # Errors
    /// The world is not at rest, or the file system refuses.
    pub fn save(
        &mut self,
        world: &World,
        meta: &Meta,
        journal: &mut Journal,
        events: &[u8],
    ) -> Result<(), SaveError> {
        let new = self.folder.new_file(WORLD)?;
        let written = write_to(new.writer(), world, meta)?;
        let record = SnapshotRecord {
            turn: world.get_resource::<WorldTurn>().map_or(0, |turn| turn.0),
            digest: written.map_err(|error| new.refused(error))?,
        };
        if self.recorded.insert(record) {
            journal.append(&[Line::Snapshot(record)])?;
        }
        new.place(Durability::Synced)?;
        journal.save(|| self.folder.read(WORLD, MAX_BYTES).ok()?);
        self.log(events, record.digest)?;
        self.write_contexts(world)
    }

    /// Writes the readable contexts that changed.
    pub fn write_contexts(&mut self, world: &World) -> Result<(), SaveError> {
        let contexts = self.folder.folder_or_new(CONTEXTS)?;
        Ok(self.buffers.write(world, &contexts)?)
    }

    /// Puts a journal of these lines in the place of the old one, and removes the snapshot unless
    /// it is kept. The old files are copied into a new folder of the slot, which is returned.
    pub(super) fn rewrite(&self, lines: &[Line], keeps_world: bool) -> Result<PathBuf, SaveError> {
        let mut names = (1..).map(|number: u32| format!("damaged-{number}"));
        let is_free = |name: &String| self.slot.folder.join(name).symlink_metadata().is_err();
        // There is always a next number.
        let name = names.find(is_free).unwrap_or_default();
        self.folder.build(&name, |aside| {
            for file in [JOURNAL, WORLD] {
                if let Some(bytes) = self.folder.read(file, MAX_BYTES)? {
                    aside.replace(file, &bytes, Durability::Synced)?;
                }
            }
            Ok::<_, FileError>(())
        })?;
        let journal = Journal::encode(lines);
        self.folder.replace(JOURNAL, &journal, Durability::Synced)?;
        if !keeps_world {
            self.folder.remove_file(WORLD)?;
        }
        Ok(self.slot.folder.join(name))
    }
}

/// The folders of saves by name, whatever is in them.
pub fn slots(root: &Path) -> Result<Vec<Slot>, SaveError> {
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(FileError::io(root, FileAction::Read, source).into()),
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut slots: Vec<_> = names
        .filter_map(|name| Slot::find(root, &name).ok())
        .collect();
    slots.sort_by(|a, b| a.name().cmp(b.name()));
    Ok(slots)
}

/// A slot in a list of saves.
#[derive(Debug)]
pub struct Listed {
    pub slot: Slot,
    /// The header of its snapshot; `None` if there is none yet.
    pub head: Result<Option<SaveHead>, SaveError>,
    /// Where it branched from another slot.
    pub branch: Option<BranchPoint>,
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
    let slots = slots(root)?;
    Ok(slots.into_iter().map(Listed::from).collect())
}

pub fn names(root: &Path) -> Result<Vec<SlotName>, SaveError> {
    let slots = slots(root)?.into_iter();
    Ok(slots.map(|slot| slot.name).collect())
}

impl From<Slot> for Listed {
    fn from(slot: Slot) -> Self {
        let (changed, size) = slot.written();
        Self {
            head: slot.head(),
            branch: slot.branch_point(),
            changed,
            size,
            slot,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_of_one_snapshot_and_without_changes() {
        let [one, two] = [b"one", b"two"].map(|world| Digest::of(world));
        let mut file = EventsFile::default();
        let mut closed =
            |lines: &str, world| [lines, &file.close(lines.as_bytes(), world)].concat();
        let first = closed("{\"turn\":1}\n", one).into_bytes();
        assert!(is_log_of(&first, one) && !is_log_of(&first, two));
        let both = [first, closed("{\"turn\":2}\n", two).into_bytes()].concat();
        assert!(is_log_of(&both, two) && !is_log_of(&both, one));
        for byte in 0..both.len() {
            let mut changed = both.clone();
            changed[byte] ^= 1;
            assert!(!is_log_of(&changed, two), "{byte}");
        }
        assert!(!is_log_of(&both[..both.len() - 1], two) && !is_log_of(b"", two));
    }
}
