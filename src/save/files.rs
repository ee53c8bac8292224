//! Writes files of saves atomically.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::error::{FileAction, SaveError, io_error};

/// Whether a file must survive a crash of the machine too, not only of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// Synced before it replaces the old file.
    Synced,
    /// Not synced; for files that can be created again.
    Unsynced,
}

/// Replaces a whole file. If anything fails, the old file is unchanged.
pub(crate) fn replace(path: &Path, bytes: &[u8], durability: Durability) -> Result<(), SaveError> {
    let fail = |action| move |source| io_error(path, action, source);
    let new = beside(path);
    let written = write_new(&new, bytes, durability).map_err(fail(FileAction::Write));
    let replaced = written.and_then(|()| fs::rename(&new, path).map_err(fail(FileAction::Replace)));
    if replaced.is_err() {
        // Only the incomplete new file is removed.
        let _ = fs::remove_file(&new);
        return replaced;
    }
    match durability {
        Durability::Synced => sync_folder(path).map_err(fail(FileAction::SyncFolder)),
        Durability::Unsynced => Ok(()),
    }
}

fn write_new(path: &Path, bytes: &[u8], durability: Durability) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    match durability {
        Durability::Synced => file.sync_all(),
        Durability::Unsynced => Ok(()),
    }
}

/// The temporary name of a new file before it replaces the old one.
fn beside(path: &Path) -> std::path::PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    path.with_file_name(name)
}

/// Creates a folder that survives a crash. Its parent must exist.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir(path)?;
    sync_folder(path)
}

/// Makes a rename in a file's folder survive a crash, if the system supports it.
fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if cfg!(unix) => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("world.json");
        replace(&path, b"one", Durability::Synced).unwrap();
        replace(&path, b"two", Durability::Unsynced).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_leaves_the_old_file_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("world.json");
        replace(&path, b"old", Durability::Synced).unwrap();
        // The new file is written to a device that is always full.
        std::os::unix::fs::symlink("/dev/full", beside(&path)).unwrap();
        let error = replace(&path, b"new", Durability::Synced).unwrap_err();
        assert!(error.to_string().contains("can't write"), "{error}");
        assert!(error.to_string().contains("No space left"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        replace(&path, b"new", Durability::Synced).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_folder_that_is_gone_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gone").join("world.json");
        let error = replace(&path, b"x", Durability::Synced).unwrap_err();
        assert!(error.to_string().contains("gone"), "{error}");
    }
}
