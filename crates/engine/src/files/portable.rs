//! Files on other systems: links are refused by a look before a file is opened.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::access::OpenMode;

/// Opens the file at a path for reading. Links are followed.
pub(super) fn open_any(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[derive(Debug)]
pub(super) struct Handle(PathBuf);

impl Handle {
    /// The folder at a path. Links are followed.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        fs::read_dir(path)?;
        Ok(Self(path.to_owned()))
    }

    pub(super) fn folder(&self, name: &str) -> io::Result<Self> {
        Self::of(&self.not_a_link(name)?)
    }

    pub(super) fn open(&self, name: &str, access: OpenMode) -> io::Result<File> {
        let path = self.not_a_link(name)?;
        let mut options = OpenOptions::new();
        match access {
            OpenMode::Read => options.read(true),
            OpenMode::Append => options.read(true).append(true),
            OpenMode::Lock => options.write(true).create(true).truncate(false),
            OpenMode::New => options.write(true).create_new(true),
        };
        options.open(path)
    }

    pub(super) fn make_folder(&self, name: &str) -> io::Result<()> {
        fs::create_dir(self.0.join(name))
    }

    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    pub(super) fn remove_file(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    pub(super) fn is_at(&self, _path: &Path) -> bool {
        true
    }

    /// The system writes folders itself.
    pub(super) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn not_a_link(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.0.join(name);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => Err(io::Error::other("a link")),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(path),
        }
    }
}

/// Whether the file has other names, as far as the system says.
pub(super) fn has_other_names(_file: &File) -> io::Result<bool> {
    Ok(false)
}
