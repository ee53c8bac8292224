//! A store in a folder, for one machine.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use playhouse_engine::save::SlotName;

use crate::store::{decoded, encoded, whole_lines, world_of};
use crate::{Claimed, Lease, Owner, Position, Record, Store, StoreError};

/// How often a process looks whether another left work.
const LOOK: Duration = Duration::from_millis(50);
/// How names of files begin that are not whole yet.
const NEW: &str = ".new-";

/// Worlds in a folder: `journals/`, `owners/`, `snapshots/`, `records/`, `queue/`, with a file for
/// each. Processes exclude each other by locks of files, which the system takes from the dead, so
/// no time is involved.
#[derive(Debug)]
pub struct FolderStore {
    root: PathBuf,
}

/// A kind of files: the name of its folder.
type Part = &'static str;
const JOURNALS: Part = "journals";
const OWNERS: Part = "owners";
const SNAPSHOTS: Part = "snapshots";
const RECORDS: Part = "records";
const QUEUE: Part = "queue";
const LOCKS: Part = "locks";

impl FolderStore {
    /// The store in this folder, which is created if it is missing.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn open(root: &Path) -> Result<Self, StoreError> {
        for part in [JOURNALS, OWNERS, SNAPSHOTS, RECORDS, QUEUE, LOCKS] {
            fs::create_dir_all(root.join(part)).map_err(failed)?;
        }
        let root = root.to_owned();
        Ok(Self { root })
    }

    fn path(&self, part: Part, name: &str) -> PathBuf {
        self.root.join(part).join(encoded(name))
    }

    /// Waits until no other thread or process is at this.
    fn lock(&self, part: Part, name: &str) -> Result<File, StoreError> {
        let path = self.path(LOCKS, &format!("{part}-{name}"));
        let file = OpenOptions::new().append(true).create(true).open(path);
        let file = file.map_err(failed)?;
        file.lock().map_err(failed)?;
        Ok(file)
    }

    /// The bytes of a file, if there is one.
    fn bytes(&self, part: Part, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        match fs::read(self.path(part, name)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// Puts a whole file in the place of another.
    fn replace(&self, part: Part, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let folder = self.root.join(part);
        // Whoever calls has the lock of this file.
        let new = folder.join(format!("{NEW}{}", encoded(name)));
        let write = || {
            let mut file = File::create(&new)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&new, self.path(part, name))?;
            File::open(&folder)?.sync_all()
        };
        write().map_err(failed)
    }

    /// Its names, without those of files that are not whole.
    fn names(&self, part: Part) -> Result<Vec<String>, StoreError> {
        let entries = fs::read_dir(self.root.join(part)).map_err(failed)?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<_> = names.filter(|name| !name.starts_with(NEW)).collect();
        names.sort();
        Ok(names)
    }

    fn journal(&self, world: &SlotName) -> Result<File, StoreError> {
        let path = self.path(JOURNALS, world.as_str());
        let opened = OpenOptions::new().read(true).write(true).open(path);
        opened.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => StoreError::missing(world),
            _ => failed(error),
        })
    }

    /// The first work that nobody does.
    fn free(&self) -> Result<Option<FolderLease>, StoreError> {
        for name in self.names(QUEUE)? {
            let path = self.root.join(QUEUE).join(&name);
            let Ok(file) = File::open(&path) else {
                continue;
            };
            match file.try_lock() {
                // Whoever did it may have finished it.
                Ok(()) if path.exists() => {
                    let world = world_of(&name)?;
                    return Ok(Some(FolderLease { world, path, file }));
                }
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        Ok(None)
    }
}

impl Store for FolderStore {
    fn create(&self, world: &SlotName, journal: &[u8]) -> Result<(), StoreError> {
        let _lock = self.lock(JOURNALS, world.as_str())?;
        match self.bytes(JOURNALS, world.as_str())? {
            Some(old) if !old.starts_with(journal) => {
                let world = world.to_string();
                Err(StoreError::Exists { world })
            }
            Some(_) => Ok(()),
            None => self.replace(JOURNALS, world.as_str(), journal),
        }
    }

    fn claim(&self, world: &SlotName, owner: &Owner) -> Result<Claimed, StoreError> {
        let _lock = self.lock(JOURNALS, world.as_str())?;
        let mut file = self.journal(world)?;
        let owner = owner.as_str().as_bytes();
        self.replace(OWNERS, world.as_str(), owner)?;
        let mut journal = Vec::new();
        file.read_to_end(&mut journal).map_err(failed)?;
        // Its end may be torn.
        journal.truncate(whole_lines(&journal));
        let at = Position(journal.len() as u64);
        Ok(Claimed { journal, at })
    }

    fn append(
        &self,
        world: &SlotName,
        owner: &Owner,
        at: Position,
        lines: &[u8],
    ) -> Result<Position, StoreError> {
        let _lock = self.lock(JOURNALS, world.as_str())?;
        let owns = self.bytes(OWNERS, world.as_str())?;
        if owns.as_deref() != Some(owner.as_str().as_bytes()) {
            return Err(StoreError::Stale);
        }
        let mut file = self.journal(world)?;
        let mut write = || {
            // What is beyond is a torn append, or the same one.
            file.set_len(at.0)?;
            file.seek(SeekFrom::Start(at.0))?;
            file.write_all(lines)?;
            file.sync_data()
        };
        write().map_err(failed)?;
        Ok(Position(at.0 + lines.len() as u64))
    }

    fn read(&self, world: &SlotName, after: Position) -> Result<(Vec<u8>, Position), StoreError> {
        let mut file = self.journal(world)?;
        let mut bytes = Vec::new();
        let read = file
            .seek(SeekFrom::Start(after.0))
            .and_then(|_| file.read_to_end(&mut bytes));
        read.map_err(failed)?;
        bytes.truncate(whole_lines(&bytes));
        let now = Position(after.0 + bytes.len() as u64);
        Ok((bytes, now))
    }

    fn save(&self, world: &SlotName, snapshot: &[u8]) -> Result<(), StoreError> {
        let _lock = self.lock(SNAPSHOTS, world.as_str())?;
        self.replace(SNAPSHOTS, world.as_str(), snapshot)
    }

    fn snapshot(&self, world: &SlotName) -> Result<Option<Vec<u8>>, StoreError> {
        self.bytes(SNAPSHOTS, world.as_str())
    }

    fn record(&self, name: &str) -> Result<Option<Record>, StoreError> {
        let Some(bytes) = self.bytes(RECORDS, name)? else {
            return Ok(None);
        };
        let (revision, value) = bytes
            .split_first_chunk()
            .ok_or_else(|| StoreError::damaged(name))?;
        Ok(Some(Record {
            value: value.to_vec(),
            revision: u64::from_le_bytes(*revision),
        }))
    }

    fn write(&self, name: &str, value: &[u8], revision: u64) -> Result<u64, StoreError> {
        let _lock = self.lock(RECORDS, name)?;
        let now = self.record(name)?.map_or(0, |record| record.revision);
        if now != revision {
            return Err(StoreError::Stale);
        }
        let next = revision + 1;
        let bytes = [&next.to_le_bytes(), value].concat();
        self.replace(RECORDS, name, &bytes)?;
        Ok(next)
    }

    fn records(&self) -> Result<BTreeMap<String, Record>, StoreError> {
        let names = self.names(RECORDS)?;
        let names = names.iter().filter_map(|name| decoded(name));
        names
            .filter_map(|name| Some(self.record(&name).transpose()?.map(|record| (name, record))))
            .collect()
    }

    fn remove(&self, world: &SlotName, records: &[String]) -> Result<(), StoreError> {
        let parts = [QUEUE, JOURNALS, OWNERS, SNAPSHOTS].map(|part| (part, world.as_str()));
        let records = records.iter().map(|name| (RECORDS, &**name));
        for (part, name) in records.chain(parts) {
            let _lock = self.lock(part, name)?;
            remove(&self.path(part, name))?;
        }
        Ok(())
    }

    fn enqueue(&self, world: &SlotName) -> Result<(), StoreError> {
        let path = self.path(QUEUE, world.as_str());
        let opened = OpenOptions::new().append(true).create(true).open(path);
        opened.map(drop).map_err(failed)
    }

    fn take(&self, within: Duration) -> Result<Option<(SlotName, Box<dyn Lease>)>, StoreError> {
        let looks = within.as_millis() / LOOK.as_millis();
        for _ in 0..=looks {
            if let Some(lease) = self.free()? {
                return Ok(Some((lease.world.clone(), Box::new(lease))));
            }
            std::thread::sleep(LOOK.min(within));
        }
        Ok(None)
    }
}

/// Work whose file this process has locked.
#[derive(Debug)]
struct FolderLease {
    world: SlotName,
    path: PathBuf,
    file: File,
}

impl Lease for FolderLease {
    fn keep(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn give_back(&self, _after: Duration) -> Result<(), StoreError> {
        self.file.unlock().map_err(failed)
    }

    fn finish(&self) -> Result<(), StoreError> {
        remove(&self.path)
    }
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
        _ => Ok(()),
    }
}

fn failed(error: io::Error) -> StoreError {
    let is_full = matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    );
    let reason = error.to_string();
    if is_full {
        StoreError::Full { reason }
    } else {
        StoreError::Unavailable { reason }
    }
}
