//! Where data comes from: a folder on disk, or the built-in defaults.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::SystemTime;

use include_dir::{Dir, DirEntry, include_dir};

use super::file_text::{BUILT_IN, file_text};
use super::problem::Problem;
use crate::files::{self, FileProblem};
use crate::locale::{Localize, UiText};

/// The whole of `data/`, so that an installed program works anywhere.
static DEFAULTS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../data");

/// Larger files are refused, in bytes.
pub const MAX_BYTES: u64 = 16 * 1024 * 1024;

const MAX_DEPTH: usize = 16;

/// Why data can't be read. Names of files are those of [`DataFolder::name_of`].
#[derive(Debug, thiserror::Error, Localize)]
pub enum DataError {
    /// The path of the data folder is not a folder.
    #[text(world_data_choose_folder, path)]
    NoFolder(PathBuf),
    #[text(world_data_in_file, file = file_text(file), problem)]
    InFile(String, #[source] DataFault),
}

/// What is wrong with a file or folder of a data folder.
#[derive(Debug, thiserror::Error, Localize)]
pub enum DataFault {
    /// The path, or a link in it, is outside the data folder.
    #[text(world_data_outside)]
    Outside,
    #[text(world_data_missing)]
    Missing,
    /// It is larger than any data file may be, or no regular file.
    Unusable(#[source] FileProblem),
    #[text(world_data_not_utf8)]
    NotText,
    #[text(world_data_unreadable, source)]
    Unreadable(#[source] std::io::Error),
}

impl DataFault {
    fn of(self, file: impl Into<String>) -> DataError {
        DataError::InFile(file.into(), self)
    }
}

impl From<DataError> for Problem {
    fn from(error: DataError) -> Self {
        let (file, message) = match &error {
            DataError::NoFolder(path) => (path.display().to_string(), error.text()),
            DataError::InFile(file, fault) => (file.clone(), fault.text()),
        };
        Self::of_file(file, message, UiText::default())
    }
}

/// A data folder. Paths in it are written with `/` and never lead outside it.
///
/// In `worlds`, `prompts` and the other folders of the built-in defaults, a folder lies over the
/// defaults file by file: what it does not have is built in. So a writer who changes one prompt
/// or adds one world need not copy the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataFolder {
    root: Option<PathBuf>,
    /// The folder as it was named.
    given: PathBuf,
    /// Files that lie over all others, by path.
    kept: Arc<BTreeMap<String, String>>,
}

impl DataFolder {
    pub fn embedded() -> Self {
        Self::default()
    }

    /// The built-in defaults with these texts, by path, over them, such as a journal embeds.
    /// No file is opened.
    pub fn of_texts(texts: BTreeMap<String, String>) -> Self {
        Self {
            kept: Arc::new(texts),
            ..Self::default()
        }
    }

    /// The folder with another text at a path.
    #[must_use]
    pub fn with_text(mut self, path: &str, text: &str) -> Self {
        Arc::make_mut(&mut self.kept).insert(path.to_owned(), text.to_owned());
        self
    }

    pub fn at(root: impl AsRef<Path>) -> Result<Self, DataError> {
        let missing = |_| DataError::NoFolder(root.as_ref().to_owned());
        let path = fs::canonicalize(root.as_ref()).map_err(missing)?;
        if !path.is_dir() {
            return Err(DataError::NoFolder(path));
        }
        Ok(Self {
            root: Some(path),
            given: root.as_ref().to_owned(),
            ..Self::default()
        })
    }

    /// The given folder; else `data` in the working directory, if it contains one of the folders of
    /// the defaults, such as `worlds`; else the defaults.
    pub fn find(given: Option<&Path>) -> Result<Self, DataError> {
        if let Some(given) = given {
            return Self::at(given);
        }
        let default = Path::new("data");
        if DEFAULTS.dirs().any(|dir| default.join(dir.path()).is_dir()) {
            Self::at(default)
        } else {
            Ok(Self::embedded())
        }
    }

    /// The path of the folder; `None` for the built-in defaults.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// The name of a file of this folder for messages.
    pub fn name_of(&self, path: &str) -> String {
        if self.kept.contains_key(path) {
            return path.to_owned();
        }
        let is_default = built_in(path).is_some() && has_defaults(path);
        match &self.root {
            Some(root) if !is_default || root.join(path).exists() => {
                self.given.join(path).display().to_string()
            }
            _ => format!("{BUILT_IN}{path}"),
        }
    }

    pub fn read_text(&self, path: &str) -> Result<String, DataError> {
        let not_text = |_| DataFault::NotText.of(self.name_of(path));
        String::from_utf8(self.read(path)?).map_err(not_text)
    }

    pub fn read(&self, path: &str) -> Result<Vec<u8>, DataError> {
        let parts = inner(path)?;
        if let Some(text) = self.kept.get(path) {
            return Ok(text.clone().into_bytes());
        }
        let missing = || DataFault::Missing.of(self.name_of(path));
        let on_disk = match &self.root {
            Some(root) => within(root, path)?,
            None => None,
        };
        let Some(path_on_disk) = on_disk else {
            let default = built_in(&parts.join("/"))
                .and_then(DirEntry::as_file)
                .filter(|_| self.root.is_none() || has_defaults(path));
            return Ok(default.ok_or_else(missing)?.contents().to_vec());
        };
        files::read(&path_on_disk, MAX_BYTES).map_err(|error| match error.problem {
            FileProblem::Io { source, .. } => DataFault::Unreadable(source).of(self.name_of(path)),
            problem => DataFault::Unusable(problem).of(self.name_of(path)),
        })
    }

    /// Those of these files that are not as they are built in, by path, if they are text.
    pub fn own_texts<P: AsRef<str>>(
        &self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<BTreeMap<String, String>, DataError> {
        let mut own = BTreeMap::new();
        for path in paths {
            let path = path.as_ref();
            let bytes = self.read(path)?;
            let default = built_in(path).and_then(DirEntry::as_file);
            if default.is_none_or(|default| default.contents() != bytes) {
                own.insert(path.to_owned(), self.read_text(path)?);
            }
        }
        Ok(own)
    }

    /// Whether everything in a folder is as it is built in, which tests have checked.
    pub(super) fn is_built_in(&self, folder: &str) -> bool {
        let mut kept = self.kept.keys().map(Path::new);
        self.root.is_none() && !kept.any(|path| path.starts_with(folder))
    }

    /// The names of the files and folders in a folder, sorted; empty if it is missing. Hidden ones,
    /// and names that are not UTF-8, are skipped.
    pub fn list(&self, path: &str) -> Result<Vec<String>, DataError> {
        let entries = self.entries(path)?;
        Ok(entries.into_iter().map(|(name, _)| name).collect())
    }

    /// The paths of all files in a folder and its subfolders, sorted. Linked folders are skipped,
    /// so that no circle of links is followed.
    pub fn files(&self, path: &str) -> Result<Vec<String>, DataError> {
        let mut files = Vec::new();
        self.gather(path, 0, &mut files)?;
        files.sort();
        Ok(files)
    }

    /// A digest of files, in any order: BLAKE3 over each path and content, in hex.
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

    /// When these files were last written and how long they are, as far as they are on disk: if it
    /// is the same as before, so are they.
    pub fn stamps<P: AsRef<str>>(
        &self,
        paths: impl IntoIterator<Item = P>,
    ) -> Vec<(String, SystemTime, u64)> {
        let stamp = |path: P| {
            let path = path.as_ref();
            let found = fs::metadata(self.root.as_ref()?.join(path)).ok()?;
            Some((path.to_owned(), found.modified().ok()?, found.len()))
        };
        paths.into_iter().filter_map(stamp).collect()
    }

    fn gather(&self, path: &str, depth: usize, files: &mut Vec<String>) -> Result<(), DataError> {
        if depth > MAX_DEPTH {
            return Ok(());
        }
        for (name, is_folder) in self.entries(path)? {
            let path = if path.is_empty() {
                name
            } else {
                format!("{path}/{name}")
            };
            if is_folder {
                if !self.is_link(&path) {
                    self.gather(&path, depth + 1, files)?;
                }
            } else {
                files.push(path);
            }
        }
        Ok(())
    }

    fn is_link(&self, path: &str) -> bool {
        let root = self.root.as_ref();
        root.is_some_and(|root| root.join(path).is_symlink())
    }

    /// The names in a folder and whether they are folders.
    fn entries(&self, path: &str) -> Result<Vec<(String, bool)>, DataError> {
        let parts = inner(path)?;
        let defaults = match parts.as_slice() {
            [] if self.root.is_none() => DEFAULTS.entries(),
            [_, ..] if self.root.is_none() || has_defaults(path) => {
                let folder = built_in(&parts.join("/")).and_then(DirEntry::as_dir);
                folder.map_or(&[][..], |folder| folder.entries())
            }
            _ => &[],
        };
        let mut entries: BTreeMap<_, _> = defaults.iter().filter_map(embedded_entry).collect();
        entries.extend(self.kept_entries(path));
        if let Some(root) = &self.root {
            entries.extend(self.entries_on_disk(root, path)?);
        }
        entries.retain(|name, _| !name.starts_with('.'));
        Ok(entries.into_iter().collect())
    }

    /// The names that kept texts have in a folder.
    fn kept_entries(&self, folder: &str) -> impl Iterator<Item = (String, bool)> {
        let inside = self.kept.keys().filter_map(move |path| match folder {
            "" => Some(path.as_str()),
            folder => path.strip_prefix(folder)?.strip_prefix('/'),
        });
        inside.map(|rest| match rest.split_once('/') {
            Some((name, _)) => (name.to_owned(), true),
            None => (rest.to_owned(), false),
        })
    }

    fn entries_on_disk(&self, root: &Path, path: &str) -> Result<Vec<(String, bool)>, DataError> {
        let path_on_disk = within(root, path)?;
        let Some(path_on_disk) = path_on_disk.filter(|path| path.is_dir()) else {
            return Ok(Vec::new());
        };
        let unreadable = |why| DataFault::Unreadable(why).of(self.name_of(path));
        let mut entries = Vec::new();
        for entry in fs::read_dir(path_on_disk).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            if let Ok(name) = entry.file_name().into_string() {
                entries.push((name, entry.path().is_dir()));
            }
        }
        Ok(entries)
    }
}

fn has_defaults(path: &str) -> bool {
    let top = path.split('/').next().unwrap_or_default();
    built_in(top).is_some_and(|entry| entry.as_dir().is_some())
}

/// The file or folder of the defaults at a path. `Dir` itself compares a path with those of all
/// entries, which takes longer than to read them.
fn built_in(path: &str) -> Option<&'static DirEntry<'static>> {
    static BY_PATH: LazyLock<BTreeMap<String, &DirEntry<'_>>> = LazyLock::new(|| {
        let mut by_path = BTreeMap::new();
        let mut folders = vec![&DEFAULTS];
        while let Some(folder) = folders.pop() {
            for entry in folder.entries() {
                folders.extend(entry.as_dir());
                let parts = entry.path().iter().map(|part| part.to_string_lossy());
                by_path.insert(parts.collect::<Vec<_>>().join("/"), entry);
            }
        }
        by_path
    });
    BY_PATH.get(path).copied()
}

fn embedded_entry(entry: &DirEntry<'_>) -> Option<(String, bool)> {
    let name = entry.path().file_name()?.to_str()?.to_owned();
    Some((name, entry.as_dir().is_some()))
}

/// The components of a path that does not lead out.
fn inner(path: &str) -> Result<Vec<&str>, DataError> {
    let outside = || DataFault::Outside.of(path);
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

/// The canonical path; `None` if there is nothing.
fn within(root: &Path, path: &str) -> Result<Option<PathBuf>, DataError> {
    inner(path)?;
    match fs::canonicalize(root.join(path)) {
        Ok(path) if path.starts_with(root) => Ok(Some(path)),
        Ok(_) => Err(DataFault::Outside.of(path)),
        Err(why) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&why.kind()) => {
            Ok(None)
        }
        Err(why) => Err(DataFault::Unreadable(why).of(path)),
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
        let worlds = data.list("worlds").expect("lists");
        assert_eq!(worlds[..2], ["a", "b"]);
        assert_eq!(data.read_text("worlds/b/world.ron").expect("reads"), "two");
        let files = data.files("worlds").expect("lists");
        assert_eq!(files[..2], ["worlds/a/world.ron", "worlds/b/world.ron"]);
        assert_eq!(
            data.list("worlds/none").expect("lists"),
            Vec::<String>::new()
        );
        let missing = data.read("worlds/c/world.ron");
        assert!(matches!(
            missing,
            Err(DataError::InFile(_, DataFault::Missing))
        ));
    }

    #[test]
    fn no_path_leads_out() {
        let (dir, data) = folder(&[("worlds/a/world.ron", "one"), ("worlds/bad", "\u{1}")]);
        for path in [
            "../x", "worlds/../../x", "/etc/passwd", "worlds\\..\\x", "./worlds", "a\0b",
        ] {
            let error = data.read(path).expect_err("is refused");
            assert!(
                matches!(error, DataError::InFile(_, DataFault::Outside)),
                "{path}: {error}"
            );
            assert!(data.list(path).is_err(), "{path}");
            assert!(DataFolder::embedded().read(path).is_err(), "{path}");
        }
        #[cfg(unix)]
        {
            let (other, _) = folder(&[("secret", "x")]);
            std::os::unix::fs::symlink(other.path(), dir.path().join("worlds/out")).expect("links");
            let error = data.read("worlds/out/secret").expect_err("is refused");
            assert!(
                matches!(error, DataError::InFile(_, DataFault::Outside)),
                "{error}"
            );
        }
        drop(dir);
    }

    #[test]
    fn a_folder_lies_over_the_defaults_file_by_file() {
        let file = "prompts/en/asks/vote.j2";
        let (_dir, data) = folder(&[
            (file, "hello"),
            ("worlds/mine/world.ron", "mine"),
            ("teams", "a file where the defaults have a folder"),
        ]);
        let defaults = DataFolder::embedded();
        assert_eq!(data.read_text(file).expect("reads"), "hello");
        assert_ne!(defaults.read_text(file).expect("reads"), "hello");
        let other = "prompts/en/asks/vote_short.j2";
        assert_eq!(
            data.read(other).expect("reads"),
            defaults.read(other).expect("reads")
        );
        for folder in ["prompts", "prompts/en/asks", "teams"] {
            let (both, built_in) = (data.files(folder), defaults.files(folder));
            assert_eq!(both.expect("lists"), built_in.expect("lists"), "{folder}");
        }
        let worlds = data.list("worlds").expect("lists");
        assert_eq!(
            worlds.len(),
            1 + defaults.list("worlds").expect("lists").len()
        );
        assert!(worlds.contains(&"mine".to_owned()));
        assert!(!data.name_of(file).starts_with("built-in:"));
        assert!(data.name_of(other).starts_with("built-in:"));
        assert!(!data.name_of("worlds/nowhere").starts_with("built-in:"));
        // Files beside the folders of the defaults are the folder's own or nobody's.
        assert!(matches!(
            data.read("models.ron"),
            Err(DataError::InFile(_, DataFault::Missing))
        ));
        assert!(defaults.read("models.ron").is_ok());
    }

    #[test]
    fn the_fingerprint_depends_on_paths_and_bytes_but_not_on_order() {
        let (_dir, data) = folder(&[("w/a", "one"), ("w/b", "two"), ("w/c", "one")]);
        let print = |paths: &[&str]| data.fingerprint(paths).expect("reads");
        assert_eq!(print(&["w/a", "w/b"]), print(&["w/b", "w/a"]));
        assert_ne!(print(&["w/a"]), print(&["w/c"]));
        assert_ne!(print(&["w/a"]), print(&["w/b"]));
        assert!(data.fingerprint(["w/none"]).is_err());
    }

    #[test]
    fn kept_texts_lie_over_the_defaults_and_open_no_file() {
        let (prompt, world) = ("prompts/en/asks/vote.j2", "worlds/mine/world.ron");
        let (dir, data) = folder(&[(prompt, "hello"), (world, "mine")]);
        let same = "prompts/en/asks/vote_short.j2";
        let own = data.own_texts([prompt, same, world]).expect("reads");
        assert_eq!(own.keys().collect::<Vec<_>>(), [prompt, world]);
        let kept = DataFolder::of_texts(own);
        drop(dir);
        assert_eq!(kept.read_text(world).expect("reads"), "mine");
        let paths = [prompt, same, world];
        let defaults = DataFolder::embedded();
        assert_eq!(kept.read(same).ok(), defaults.read(same).ok());
        assert!(kept.fingerprint(paths).is_ok());
        assert!(
            kept.list("worlds")
                .expect("lists")
                .contains(&"mine".to_owned())
        );
        assert!(kept.read("../secret").is_err() && kept.read("/etc/passwd").is_err());
    }

    #[test]
    fn text_must_be_text() {
        let (dir, data) = folder(&[]);
        let mut file = fs::File::create(dir.path().join("x")).expect("a file");
        std::io::Write::write_all(&mut file, &[0xff, 0xfe]).expect("written");
        assert!(matches!(
            data.read_text("x"),
            Err(DataError::InFile(_, DataFault::NotText))
        ));
    }

    #[test]
    fn what_is_not_a_folder_is_refused() {
        assert!(matches!(
            DataFolder::at("/no/such/folder"),
            Err(DataError::NoFolder(_))
        ));
    }
}
