//! A folder of media files.

use std::path::{Component, Path, PathBuf};

use playhouse_engine::files::{self, FileError, FileProblem};
use playhouse_engine::locale::Localize;

use super::media::{MediaError, MediaFiles};

/// A folder of media files. Nothing outside it is read, whatever a message says and wherever links
/// lead.
#[derive(Clone, Debug)]
pub struct MediaFolder {
    root: PathBuf,
}

impl MediaFolder {
    /// The folder at this path.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The canonical path of a file inside the folder.
    fn find(&self, path: &str) -> Result<PathBuf, MediaError> {
        let goes_down =
            |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if !Path::new(path).components().all(goes_down) {
            return Err(self.outside(path));
        }
        let real = |path: &Path| path.canonicalize();
        let root = real(&self.root).map_err(|error| self.unreadable(path, &error))?;
        let found = real(&root.join(path)).map_err(|error| self.unreadable(path, &error))?;
        if found.starts_with(&root) {
            Ok(found)
        } else {
            Err(self.outside(path))
        }
    }

    fn outside(&self, path: &str) -> MediaError {
        MediaError::Outside {
            path: path.into(),
            folder: self.root.display().to_string(),
        }
    }

    fn unreadable(&self, path: &str, error: &impl Localize) -> MediaError {
        MediaError::Unreadable {
            path: path.into(),
            folder: self.root.display().to_string(),
            reason: error.text(),
        }
    }
}

impl MediaFiles for MediaFolder {
    fn read(&self, path: &str, max: u64) -> Result<Vec<u8>, MediaError> {
        let found = self.find(path)?;
        let refused = |error: FileError, length| match error.problem {
            FileProblem::NotRegular(_) => MediaError::NotAFile { path: path.into() },
            FileProblem::TooLarge { max } => MediaError::TooLarge {
                path: path.into(),
                bytes: length,
                max,
            },
            problem => self.unreadable(path, &problem),
        };
        let file = files::open(&found).map_err(|error| refused(error, 0))?;
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        files::bounded(&file, &found, max).map_err(|error| refused(error, length))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "files of a test")]
    fn only_files_inside_the_folder_are_read_and_errors_name_them() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("world");
        fs::create_dir_all(root.join("art")).unwrap();
        fs::write(root.join("art/inn.png"), b"0123456789").unwrap();
        fs::write(dir.path().join("secret.png"), b"x").unwrap();
        std::os::unix::fs::symlink(dir.path().join("secret.png"), root.join("link.png")).unwrap();
        let folder = MediaFolder::new(&root);
        assert_eq!(folder.read("art/inn.png", 10), Ok(b"0123456789".to_vec()));
        assert_eq!(folder.read("./art/inn.png", 10).unwrap().len(), 10);
        for (path, max, problem) in [
            ("art/inn.png", 9, "too large: 10 bytes; the maximum is 9"),
            ("../secret.png", 10, "outside"),
            ("link.png", 10, "outside"),
            ("/etc/passwd", 10, "outside"),
            ("art", 10, "not a file"),
            ("art/none.png", 10, "can't be read"),
        ] {
            let error = folder.read(path, max).unwrap_err().to_string();
            assert!(error.contains(path) && error.contains(problem), "{error}");
        }
    }
}
