//! The one place that writes files of saves: whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::error::{SaveError, io_error};

/// Whether a file must survive a crash of the machine, not only of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// Synced before it takes the old file's place.
    Synced,
    /// Left to the system; for what can be made again.
    Unsynced,
}

/// Replaces a file as a whole. Where anything fails, the old file stays as it was.
pub(crate) fn replace(path: &Path, bytes: &[u8], durability: Durability) -> Result<(), SaveError> {
    let fail = |action| move |source| io_error(path, action, source);
    let new = beside(path);
    let written = write_new(&new, bytes, durability).map_err(fail("write it"));
    let replaced = written.and_then(|()| fs::rename(&new, path).map_err(fail("replace it")));
    if replaced.is_err() {
        // What is left of the new file is of no use; the old one is whole either way.
        let _ = fs::remove_file(&new);
        return replaced;
    }
    match durability {
        Durability::Synced => sync_folder(path).map_err(fail("sync its folder")),
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

/// The name under which a new file is written before it takes the old one's place.
fn beside(path: &Path) -> std::path::PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    path.with_file_name(name)
}

/// Makes a new folder that survives a crash. Its parent must exist.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir(path)?;
    sync_folder(path)
}

/// Makes a rename in a file's folder survive a crash, where the system can.
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
        // A device that is always full stands where the new file is written.
        std::os::unix::fs::symlink("/dev/full", beside(&path)).unwrap();
        let error = replace(&path, b"new", Durability::Synced).unwrap_err();
        assert!(error.to_string().contains("can't write it"), "{error}");
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
