//! A folder that the program writes to.

use std::collections::hash_map::RandomState;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::access::OpenMode;
use super::error::{FileAction, FileError, FileKind, FileProblem};
use super::read::bounded;
use super::system::{Handle, has_other_names};

/// How names of files and folders begin that are not whole yet.
const NEW: &str = ".new-";
/// After this time an unfinished folder is abandoned.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// Whether a file must survive a crash of the machine too, not only of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Synced before it replaces the old file.
    Synced,
    /// Not synced; for files that can be created again.
    Unsynced,
}

/// An open folder with files and folders of ours. Links in it are never followed, so that files of
/// other people are safe from its maker. All names are those of direct entries.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    handle: Handle,
}

impl Folder {
    /// The folder at this path, which a user named: links are followed.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let handle = Handle::of(path);
        Ok(Self {
            handle: handle.map_err(|source| FileError::io(path, FileAction::Open, source))?,
            path: path.to_owned(),
        })
    }

    /// As [`Self::open`], for a folder that is created if it is missing.
    pub fn open_or_create(path: &Path) -> Result<Self, FileError> {
        let created = fs::create_dir_all(path);
        created.map_err(|source| FileError::io(path, FileAction::Create, source))?;
        Self::open(path)
    }

    /// Its path, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A folder in it; `None` if there is nothing of this name.
    pub fn folder(&self, name: &str) -> Result<Option<Self>, FileError> {
        match self.handle.folder(name) {
            Ok(handle) => Ok(Some(Self {
                path: self.path.join(name),
                handle,
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.refusal(name, FileKind::Folder, FileAction::Open, error)),
        }
    }

    /// A folder in it, which is created if it is missing.
    pub fn folder_or_new(&self, name: &str) -> Result<Self, FileError> {
        if let Some(folder) = self.folder(name)? {
            return Ok(folder);
        }
        self.make_folder(name)
    }

    pub(crate) fn make_folder(&self, name: &str) -> Result<Self, FileError> {
        let path = self.path.join(name);
        let failed = |source| FileError::io(&path, FileAction::Create, source);
        self.handle.make_folder(name).map_err(failed)?;
        let handle = self.handle.folder(name).map_err(failed)?;
        Ok(Self { path, handle })
    }

    /// Opens a regular file in it; `None` if there is nothing of this name.
    pub(crate) fn file(&self, name: &str, access: OpenMode) -> Result<Option<File>, FileError> {
        let action = FileAction::Open;
        let file = match self.handle.open(name, access) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.refusal(name, FileKind::File, action, error)),
        };
        let failed = |source| FileError::io(&self.path.join(name), action, source);
        match file.metadata().map_err(failed)?.file_type().into() {
            FileKind::File => {}
            kind => return Err(self.error(name, FileProblem::Foreign(kind))),
        }
        if access == OpenMode::Append && has_other_names(&file).map_err(failed)? {
            return Err(self.error(name, FileProblem::HardLinks));
        }
        Ok(Some(file))
    }

    /// The bytes of a file in it; `None` if there is nothing of this name.
    pub fn read(&self, name: &str, max: u64) -> Result<Option<Vec<u8>>, FileError> {
        let file = self.file(name, OpenMode::Read)?;
        file.map(|file| bounded(&file, &self.path.join(name), max))
            .transpose()
    }

    /// Replaces a whole file. If anything fails, the old file is unchanged.
    pub fn replace(
        &self,
        name: &str,
        bytes: &[u8],
        durability: Durability,
    ) -> Result<(), FileError> {
        let new = self.new_file(name)?;
        new.writer().write_all(bytes).map_err(|e| new.refused(e))?;
        new.place(durability)
    }

    /// A file that is to replace the one of this name.
    pub(crate) fn new_file<'f>(&'f self, name: &'f str) -> Result<NewFile<'f>, FileError> {
        let new = new_name();
        let failed = |source| FileError::io(&self.path.join(name), FileAction::Create, source);
        let file = self.handle.open(&new, OpenMode::New).map_err(failed)?;
        let place = Place {
            folder: self,
            name,
            new,
        };
        Ok(NewFile { file, place })
    }

    /// Makes a folder in it as a whole: it gets its name when everything is in it. If that fails,
    /// nothing is left.
    ///
    /// # Errors
    /// There is something of this name ([`io::ErrorKind::AlreadyExists`]), or what `fill` returns.
    pub fn build<E: From<FileError>>(
        &self,
        name: &str,
        fill: impl FnOnce(&Self) -> Result<(), E>,
    ) -> Result<(), E> {
        let path = self.path.join(name);
        let taken = || {
            FileError::io(
                &path,
                FileAction::Create,
                io::ErrorKind::AlreadyExists.into(),
            )
        };
        if fs::symlink_metadata(&path).is_ok() {
            return Err(taken().into());
        }
        self.remove_abandoned()?;
        let new = new_name();
        let folder = self.make_folder(&new)?;
        let filled = fill(&folder);
        drop(folder);
        let placed = filled.and_then(|()| {
            let renamed = self.handle.rename(&new, name);
            renamed.map_err(|source| match source.kind() {
                io::ErrorKind::DirectoryNotEmpty => taken().into(),
                _ => FileError::io(&path, FileAction::Create, source).into(),
            })
        });
        if placed.is_err() {
            let _ = fs::remove_dir_all(self.path.join(&new));
            return placed;
        }
        let synced = self.handle.sync();
        Ok(synced.map_err(|source| FileError::io(&path, FileAction::SyncFolder, source))?)
    }

    /// Gives a file in it another name.
    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), FileError> {
        let renamed = self.handle.rename(from, to);
        renamed.map_err(|source| FileError::io(&self.path.join(to), FileAction::Replace, source))
    }

    /// Removes a folder in it with everything in it. It loses its name first, so that nothing is
    /// left under that if the program is killed.
    pub(crate) fn remove_folder(&self, name: &str) -> Result<(), FileError> {
        let new = new_name();
        let aside = self.handle.rename(name, &new).map_or(name, |()| &new);
        let path = self.path.join(aside);
        fs::remove_dir_all(&path).map_err(|source| FileError::io(&path, FileAction::Remove, source))
    }

    /// Whether it is what is at this path now.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        self.handle.is_at(path)
    }

    pub(crate) fn remove_file(&self, name: &str) -> Result<(), FileError> {
        match self.handle.remove_file(name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let path = self.path.join(name);
                Err(FileError::io(&path, FileAction::Remove, error))
            }
            _ => Ok(()),
        }
    }

    /// Removes what a killed process left of files that it was writing. No other process may write.
    pub(crate) fn remove_unfinished(&self) -> Result<(), FileError> {
        for (name, kind) in self.entries()? {
            if kind == FileKind::File && name.starts_with(NEW) {
                self.remove_file(&name)?;
            }
        }
        Ok(())
    }

    /// Removes what killed processes left of folders that they were building, if that is allowed.
    fn remove_abandoned(&self) -> Result<(), FileError> {
        for (name, kind) in self.entries()? {
            let path = self.path.join(&name);
            let changed = fs::symlink_metadata(&path).and_then(|metadata| metadata.modified());
            let age = changed.ok().and_then(|changed| changed.elapsed().ok());
            let is_old = age.is_some_and(|age| age > ABANDONED);
            if kind == FileKind::Folder && name.starts_with(NEW) && is_old {
                let _ = fs::remove_dir_all(&path);
            }
        }
        Ok(())
    }

    /// Refuses links and whatever else is neither a regular file nor a folder, by its name.
    pub fn check_entries(&self) -> Result<(), FileError> {
        for (name, kind) in self.entries()? {
            if let FileKind::Link | FileKind::Special = kind {
                return Err(self.error(&name, FileProblem::Foreign(kind)));
            }
        }
        Ok(())
    }

    /// The names of what is in it, sorted.
    pub(crate) fn names(&self) -> Result<Vec<String>, FileError> {
        Ok(self.entries()?.into_iter().map(|(name, _)| name).collect())
    }

    fn entries(&self) -> Result<Vec<(String, FileKind)>, FileError> {
        let failed = |source| FileError::io(&self.path, FileAction::Read, source);
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?.into();
            entries.push((entry.file_name().to_string_lossy().into_owned(), kind));
        }
        entries.sort();
        Ok(entries)
    }

    /// Why an entry can't be opened: because it is something else, or for what the system said.
    fn refusal(
        &self,
        name: &str,
        expected: FileKind,
        action: FileAction,
        source: io::Error,
    ) -> FileError {
        let path = self.path.join(name);
        match fs::symlink_metadata(&path).map(|found| found.file_type().into()) {
            Ok(kind) if kind != expected => FileError::new(&path, FileProblem::Foreign(kind)),
            _ => FileError::io(&path, action, source),
        }
    }

    fn error(&self, name: &str, problem: FileProblem) -> FileError {
        FileError::new(&self.path.join(name), problem)
    }
}

/// A file that gets its name once it is whole. If it is dropped before, nothing is left of it.
pub(crate) struct NewFile<'f> {
    // Dropped first, since not every system removes open files.
    file: File,
    place: Place<'f>,
}

struct Place<'f> {
    folder: &'f Folder,
    name: &'f str,
    new: String,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        // Nothing has this name any more once the file is in its place.
        let _ = self.folder.handle.remove_file(&self.new);
    }
}

impl NewFile<'_> {
    pub(crate) fn writer(&self) -> &File {
        &self.file
    }

    /// Why it can't be written.
    pub(crate) fn refused(&self, source: io::Error) -> FileError {
        self.place.failed(FileAction::Write, source)
    }

    /// Puts it in the place of the old one.
    pub(crate) fn place(self, durability: Durability) -> Result<(), FileError> {
        let is_synced = durability == Durability::Synced;
        if is_synced {
            self.file.sync_all().map_err(|e| self.refused(e))?;
        }
        let Self { file, place } = self;
        drop(file);
        let Place { folder, name, new } = &place;
        let renamed = folder.handle.rename(new, name);
        renamed.map_err(|e| place.failed(FileAction::Replace, e))?;
        if is_synced {
            let synced = folder.handle.sync();
            synced.map_err(|e| place.failed(FileAction::SyncFolder, e))?;
        }
        Ok(())
    }
}

impl Place<'_> {
    fn failed(&self, action: FileAction, source: io::Error) -> FileError {
        FileError::io(&self.folder.path.join(self.name), action, source)
    }
}

/// An unforeseeable temporary name. Names of files never reach a story.
fn new_name() -> String {
    let random = RandomState::new().build_hasher().finish();
    format!("{NEW}{random:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Folder) {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        (dir, folder)
    }

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let (dir, folder) = folder();
        folder.replace("a", b"one", Durability::Synced).unwrap();
        folder.replace("a", b"two", Durability::Unsynced).unwrap();
        let given_up = folder.new_file("a").unwrap();
        given_up.writer().write_all(b"three").unwrap();
        drop(given_up);
        assert_eq!(folder.read("a", 3).unwrap().unwrap(), b"two");
        assert!(folder.read("b", 3).unwrap().is_none());
        assert!(folder.folder("b").unwrap().is_none());
        let error = folder.read("a", 2).unwrap_err();
        assert!(error.to_string().contains("larger than 2"), "{error}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_is_built_as_a_whole_or_not_at_all() {
        let (dir, folder) = folder();
        let build = |name: &str, fails: bool| {
            folder.build(name, |new| {
                new.replace("a", b"x", Durability::Synced)?;
                let failed = || FileError::new(new.path(), FileProblem::NotText);
                if fails { Err(failed()) } else { Ok(()) }
            })
        };
        build("bad", true).unwrap_err();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        build("good", false).unwrap();
        let taken = build("good", false).unwrap_err();
        assert_eq!(taken.io_kind(), Some(io::ErrorKind::AlreadyExists));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        let good = folder.folder("good").unwrap().unwrap();
        assert_eq!(good.read("a", 1).unwrap().unwrap(), b"x");
    }

    #[cfg(unix)]
    #[test]
    fn what_a_killed_process_left_of_a_folder_is_removed_later() {
        let (dir, folder) = folder();
        let [left, begun] = [".new-left", ".new-begun"].map(|name| dir.path().join(name));
        for path in [&left, &begun] {
            fs::create_dir(path).unwrap();
            File::create(path.join("a")).unwrap();
        }
        let now = fs::metadata(&left).unwrap().modified().unwrap();
        let folder_left = File::open(&left).unwrap();
        folder_left.set_modified(now - 2 * ABANDONED).unwrap();
        folder.build("good", |_| Ok::<_, FileError>(())).unwrap();
        assert!(!left.exists() && begun.exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_neither_followed_nor_overwritten_through() {
        use std::os::unix::fs::symlink;
        let (dir, folder) = folder();
        let other = tempfile::tempdir().unwrap();
        let target = other.path().join("target");
        File::create(&target).unwrap().write_all(b"mine").unwrap();
        symlink(&target, dir.path().join("file")).unwrap();
        symlink(other.path(), dir.path().join("folder")).unwrap();
        fs::hard_link(&target, dir.path().join("hard")).unwrap();
        for access in [
            OpenMode::Read,
            OpenMode::Append,
            OpenMode::Lock,
            OpenMode::New,
        ] {
            let error = folder.file("file", access).unwrap_err();
            assert!(error.to_string().contains("a link"), "{error}");
        }
        let error = folder.file("hard", OpenMode::Append).unwrap_err();
        assert!(error.to_string().contains("hard link"), "{error}");
        let error = folder.folder_or_new("folder").unwrap_err();
        assert!(error.to_string().contains("a link"), "{error}");
        let error = folder.check_entries().unwrap_err();
        assert!(error.path.ends_with("file"), "{error}");
        folder.replace("file", b"ours", Durability::Synced).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"mine");
        assert_eq!(folder.read("file", 9).unwrap().unwrap(), b"ours");
    }

    #[test]
    fn unfinished_files_are_removed() {
        let (dir, folder) = folder();
        let left = dir.path().join(".new-left");
        File::create(&left).unwrap();
        folder.replace("a", b"x", Durability::Synced).unwrap();
        assert!(left.exists());
        folder.remove_unfinished().unwrap();
        assert!(!left.exists() && dir.path().join("a").exists());
    }

    #[test]
    fn a_folder_that_is_gone_is_named() {
        let (dir, _) = folder();
        let error = Folder::open(&dir.path().join("gone")).unwrap_err();
        assert!(error.to_string().contains("gone"), "{error}");
    }
}
