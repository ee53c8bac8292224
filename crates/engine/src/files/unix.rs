//! Files on Unix: opened relative to an open folder, never through a link.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat, renameat, unlinkat};

use super::access::OpenMode;

fn flags(access: OpenMode) -> OFlags {
    match access {
        OpenMode::Read => OFlags::RDONLY,
        OpenMode::Append => OFlags::RDWR | OFlags::APPEND,
        OpenMode::Lock => OFlags::WRONLY | OFlags::CREATE,
        OpenMode::New => OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL,
    }
}

/// Pipes don't wait for their other end, and no terminal becomes that of this process.
const NEVER_WAIT: OFlags = OFlags::CLOEXEC
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);

/// Opens whatever is at a path for reading. Links are followed.
pub(super) fn open_any(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | NEVER_WAIT;
    Ok(openat(CWD, path, flags, Mode::empty())?.into())
}

#[derive(Debug)]
pub(super) struct Handle(OwnedFd);

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

impl Handle {
    /// The folder at a path. Links are followed.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        Ok(Self(openat(CWD, path, FOLDER, Mode::empty())?))
    }

    pub(super) fn folder(&self, name: &str) -> io::Result<Self> {
        let flags = FOLDER | OFlags::NOFOLLOW;
        Ok(Self(openat(&self.0, name, flags, Mode::empty())?))
    }

    pub(super) fn open(&self, name: &str, access: OpenMode) -> io::Result<File> {
        let flags = flags(access) | NEVER_WAIT | OFlags::NOFOLLOW;
        let mode = Mode::from_raw_mode(0o666);
        Ok(openat(&self.0, name, flags, mode)?.into())
    }

    pub(super) fn make_folder(&self, name: &str) -> io::Result<()> {
        Ok(mkdirat(&self.0, name, Mode::from_raw_mode(0o777))?)
    }

    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(renameat(&self.0, from, &self.0, to)?)
    }

    pub(super) fn remove_file(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    pub(super) fn is_at(&self, path: &Path) -> bool {
        let found = rustix::fs::fstat(&self.0).and_then(|own| Ok((own, rustix::fs::stat(path)?)));
        found.is_ok_and(|(own, there)| (own.st_dev, own.st_ino) == (there.st_dev, there.st_ino))
    }

    /// Makes what was renamed or created in it survive a crash.
    pub(super) fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }
}

pub(super) fn has_other_names(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(file.metadata()?.nlink() > 1)
}
