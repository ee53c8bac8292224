//! Where data comes from: a folder on disk, or the defaults inside the program.

use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use include_dir::{Dir, DirEntry, include_dir};

use super::problem::Problem;

/// The whole of `data/`, so that an installed program works anywhere.
static DEFAULTS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/data");

/// Larger files are refused, in bytes.
const LARGEST: u64 = 16 * 1024 * 1024;

/// Folders within folders are followed so far.
const DEEPEST: usize = 16;

/// Why data could not be had. Paths are those asked for, within the data folder.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The folder that was asked for is not one.
    #[error("{} is not a folder; name one that holds worlds/ or prompts/", .0.display())]
    NoFolder(PathBuf),
    /// The path, or a link on it, leads out of the folder.
    #[error("{0} leads out of the data folder; name files within it, without `..`")]
    Outside(String),
    /// There is no such file or folder.
    #[error("{0} is not there")]
    Missing(String),
    /// The file is too large to be what it should be.
    #[error("{0} has more than {LARGEST} bytes; make it smaller")]
    TooLarge(String),
    /// The file is not text.
    #[error("{0} is not text; save it as UTF-8")]
    NotText(String),
    /// The system could not read it.
    #[error("{0} can't be read: {1}")]
    Unreadable(String, #[source] std::io::Error),
}

impl From<DataError> for Problem {
    fn from(error: DataError) -> Self {
        let (file, wrong) = match &error {
            DataError::NoFolder(path) => (path.display().to_string(), "is not a folder".into()),
            DataError::Outside(file) => (file.clone(), "leads out of the data folder".into()),
            DataError::Missing(file) => (file.clone(), "is not there".into()),
            DataError::TooLarge(file) => (file.clone(), format!("has more than {LARGEST} bytes")),
            DataError::NotText(file) => (file.clone(), "is not text; save it as UTF-8".into()),
            DataError::Unreadable(file, why) => (file.clone(), format!("can't be read: {why}")),
        };
        Self::of_file(file, wrong, "")
    }
}

/// A folder of data. Paths in it are written with `/`, and never lead out of it.
///
/// A top folder (`worlds`, `prompts`) that is not there is taken from the defaults inside the
/// program: who changes prompts need not copy the worlds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFolder {
    root: Option<PathBuf>,
}

impl DataFolder {
    /// The defaults inside the program.
    pub fn embedded() -> Self {
        Self { root: None }
    }

    /// The folder at `root`.
    pub fn at(root: impl AsRef<Path>) -> Result<Self, DataError> {
        let missing = |_| DataError::NoFolder(root.as_ref().to_owned());
        let real = fs::canonicalize(root.as_ref()).map_err(missing)?;
        match real.is_dir() {
            true => Ok(Self { root: Some(real) }),
            false => Err(DataError::NoFolder(real)),
        }
    }

    /// The folder given; else `data` in the folder the program runs in, if it holds worlds or
    /// prompts; else the defaults.
    pub fn find(given: Option<&Path>) -> Result<Self, DataError> {
        if let Some(given) = given {
            return Self::at(given);
        }
        let here = Path::new("data");
        match here.join("worlds").is_dir() || here.join("prompts").is_dir() {
            true => Self::at(here),
            false => Ok(Self::embedded()),
        }
    }

    /// Where the folder is, where it is not the defaults inside the program.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// How messages call a file of this folder.
    pub fn name_of(&self, path: &str) -> String {
        match self.root_for(path) {
            Some(root) => root.join(path).display().to_string(),
            None => format!("(built in) {path}"),
        }
    }

    /// The text of a file.
    pub fn read_text(&self, path: &str) -> Result<String, DataError> {
        let not_text = |_| DataError::NotText(self.name_of(path));
        String::from_utf8(self.read(path)?).map_err(not_text)
    }

    /// The bytes of a file.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, DataError> {
        let parts = inner(path)?;
        let missing = || DataError::Missing(self.name_of(path));
        let Some(root) = self.root_for(path) else {
            let file = DEFAULTS.get_file(parts.join("/")).ok_or_else(missing)?;
            return Ok(file.contents().to_vec());
        };
        let real = within(root, path)?.ok_or_else(missing)?;
        let unreadable = |why| DataError::Unreadable(self.name_of(path), why);
        let file = fs::File::open(real).map_err(unreadable)?;
        let mut bytes = Vec::new();
        file.take(LARGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        match bytes.len() as u64 > LARGEST {
            true => Err(DataError::TooLarge(self.name_of(path))),
            false => Ok(bytes),
        }
    }

    /// The names of the files and folders in a folder, sorted; none if it is not there.
    /// Hidden ones, and names that are not UTF-8, are passed over.
    pub fn list(&self, path: &str) -> Result<Vec<String>, DataError> {
        let entries = self.entries(path)?;
        Ok(entries.into_iter().map(|(name, _)| name).collect())
    }

    /// The paths of all files in a folder and the folders in it, sorted.
    pub fn files(&self, path: &str) -> Result<Vec<String>, DataError> {
        let mut files = Vec::new();
        self.gather(path, 0, &mut files)?;
        files.sort();
        Ok(files)
    }

    /// A digest of files, whatever their order: blake3 over each path and content, in hex.
    pub fn fingerprint<P: AsRef<str>>(
        &self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<String, DataError> {
        let mut paths: Vec<_> = paths.into_iter().map(|p| p.as_ref().to_owned()).collect();
        paths.sort();
        paths.dedup();
        let mut hasher = blake3::Hasher::new();
        for path in paths {
            for part in [path.as_bytes(), &self.read(&path)?] {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
        }
        Ok(hasher.finalize().to_hex().to_string())
    }

    /// The folder on disk that holds `path`; `None` if the defaults do.
    fn root_for(&self, path: &str) -> Option<&Path> {
        let top = path.split('/').next().unwrap_or_default();
        let default = DEFAULTS.get_dir(top).is_some();
        let root = self.root.as_deref()?;
        (!default || root.join(top).is_dir()).then_some(root)
    }

    fn gather(&self, path: &str, depth: usize, files: &mut Vec<String>) -> Result<(), DataError> {
        if depth > DEEPEST {
            return Ok(());
        }
        for (name, is_folder) in self.entries(path)? {
            let path = if path.is_empty() {
                name
            } else {
                format!("{path}/{name}")
            };
            match is_folder {
                true => self.gather(&path, depth + 1, files)?,
                false => files.push(path),
            }
        }
        Ok(())
    }

    /// Names in a folder and whether they are folders.
    fn entries(&self, path: &str) -> Result<Vec<(String, bool)>, DataError> {
        let parts = inner(path)?;
        let mut entries = match self.root_for(path) {
            Some(root) => self.entries_on_disk(root, path)?,
            None => match DEFAULTS.get_dir(parts.join("/")) {
                Some(dir) => dir.entries().iter().filter_map(embedded_entry).collect(),
                None if parts.is_empty() => DEFAULTS
                    .entries()
                    .iter()
                    .filter_map(embedded_entry)
                    .collect(),
                None => Vec::new(),
            },
        };
        entries.retain(|(name, _)| !name.starts_with('.'));
        entries.sort();
        Ok(entries)
    }

    fn entries_on_disk(&self, root: &Path, path: &str) -> Result<Vec<(String, bool)>, DataError> {
        let Some(real) = within(root, path)? else {
            return Ok(Vec::new());
        };
        let unreadable = |why| DataError::Unreadable(self.name_of(path), why);
        let mut entries = Vec::new();
        for entry in fs::read_dir(real).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            if let Ok(name) = entry.file_name().into_string() {
                entries.push((name, entry.path().is_dir()));
            }
        }
        Ok(entries)
    }
}

fn embedded_entry(entry: &DirEntry<'_>) -> Option<(String, bool)> {
    let name = entry.path().file_name()?.to_str()?.to_owned();
    Some((name, entry.as_dir().is_some()))
}

/// The parts of a path that stays within.
fn inner(path: &str) -> Result<Vec<&str>, DataError> {
    let outside = || DataError::Outside(path.to_owned());
    if path.contains(['\\', '\0']) {
        return Err(outside());
    }
    let components = Path::new(path).components();
    let parts = components.map(|component| match component {
        Component::Normal(part) => part.to_str(),
        _ => None,
    });
    parts.collect::<Option<_>>().ok_or_else(outside)
}

/// Where a path really is; `None` if nothing is there.
fn within(root: &Path, path: &str) -> Result<Option<PathBuf>, DataError> {
    inner(path)?;
    match fs::canonicalize(root.join(path)) {
        Ok(real) if real.starts_with(root) => Ok(Some(real)),
        Ok(_) => Err(DataError::Outside(path.to_owned())),
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(why) => Err(DataError::Unreadable(path.to_owned(), why)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, DataFolder) {
        let dir = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            let mut file = fs::File::create(path).expect("a file");
            std::io::Write::write_all(&mut file, text.as_bytes()).expect("written");
        }
        let folder = DataFolder::at(dir.path()).expect("is a folder");
        (dir, folder)
    }

    #[test]
    fn files_are_read_and_listed_in_order() {
        let (_dir, data) = folder(&[
            ("worlds/b/world.ron", "two"),
            ("worlds/a/world.ron", "one"),
            ("worlds/.hidden", ""),
        ]);
        assert_eq!(data.list("worlds").expect("lists"), ["a", "b"]);
        assert_eq!(data.read_text("worlds/b/world.ron").expect("reads"), "two");
        assert_eq!(
            data.files("worlds").expect("lists"),
            ["worlds/a/world.ron", "worlds/b/world.ron"]
        );
        assert_eq!(
            data.list("worlds/none").expect("lists"),
            Vec::<String>::new()
        );
        let missing = data.read("worlds/c/world.ron");
        assert!(matches!(missing, Err(DataError::Missing(_))));
    }

    #[test]
    fn no_path_leads_out() {
        let (dir, data) = folder(&[("worlds/a/world.ron", "one"), ("worlds/bad", "\u{1}")]);
        for path in [
            "../x",
            "worlds/../../x",
            "/etc/passwd",
            "worlds\\..\\x",
            "./worlds",
            "a\0b",
        ] {
            let error = data.read(path).expect_err("is refused");
            assert!(matches!(error, DataError::Outside(_)), "{path}: {error}");
            assert!(data.list(path).is_err(), "{path}");
            assert!(DataFolder::embedded().read(path).is_err(), "{path}");
        }
        #[cfg(unix)]
        {
            let (other, _) = folder(&[("secret", "x")]);
            std::os::unix::fs::symlink(other.path(), dir.path().join("worlds/out")).expect("links");
            let error = data.read("worlds/out/secret").expect_err("is refused");
            assert!(matches!(error, DataError::Outside(_)), "{error}");
        }
        drop(dir);
    }

    #[test]
    fn a_top_folder_that_is_not_there_comes_from_the_defaults() {
        let (_dir, data) = folder(&[("prompts/en/x.j2", "hello")]);
        assert!(!data.list("worlds").expect("lists").is_empty());
        assert_eq!(data.list("prompts").expect("lists"), ["en"]);
        assert!(data.name_of("worlds/a").starts_with("(built in)"));
    }

    #[test]
    fn the_fingerprint_knows_paths_and_bytes_but_no_order() {
        let (_dir, data) = folder(&[("w/a", "one"), ("w/b", "two"), ("w/c", "one")]);
        let print = |paths: &[&str]| data.fingerprint(paths).expect("reads");
        assert_eq!(print(&["w/a", "w/b"]), print(&["w/b", "w/a"]));
        assert_ne!(print(&["w/a"]), print(&["w/c"]));
        assert_ne!(print(&["w/a"]), print(&["w/b"]));
        assert!(data.fingerprint(["w/none"]).is_err());
    }

    #[test]
    fn text_must_be_text() {
        let (dir, data) = folder(&[]);
        let mut file = fs::File::create(dir.path().join("x")).expect("a file");
        std::io::Write::write_all(&mut file, &[0xff, 0xfe]).expect("written");
        assert!(matches!(data.read_text("x"), Err(DataError::NotText(_))));
    }

    #[test]
    fn what_is_no_folder_is_refused() {
        assert!(matches!(
            DataFolder::at("/no/such/folder"),
            Err(DataError::NoFolder(_))
        ));
    }
}
