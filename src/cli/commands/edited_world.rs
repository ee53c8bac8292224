//! A world to which something is added: its files keep their comments and layout.

use crate::cli::prelude::*;
use std::path::{Path, PathBuf};

use playhouse_engine::files::{Durability, FileError, Folder};

use crate::cli::loader::print_problems;
use crate::rpg::world_file::{WorldFile, files_of, sources};
use crate::world_data::{DataFolder, Problems, Source};

const WORLD: &str = "world.ron";

pub(super) struct EditedWorld {
    /// The folder of the files; `None` if they are those of this program.
    root: Option<PathBuf>,
    /// Where its files are in it, and their texts when it was opened.
    before: Vec<(String, String)>,
    pub(super) source: Source,
}

impl EditedWorld {
    /// The world in this folder, and what it is.
    pub(super) fn open(app: &App, folder: &Path) -> Result<(Self, WorldFile)> {
        let world = Self::read(&DataFolder::at(folder).or_fail(ErrorKind::World)?, WORLD)?;
        let file = world.checked(app)?;
        Ok((world, file))
    }

    /// The world whose `world.ron` is at this path.
    pub(super) fn read(data: &DataFolder, path: &str) -> Result<Self> {
        let paths = files_of(data, path).or_fail(ErrorKind::World)?;
        let sources = sources(data, path).or_fail(ErrorKind::World)?;
        let texts = sources.iter().map(|source| source.text().to_owned());
        Ok(Self {
            root: data.root().map(Path::to_owned),
            before: paths.into_iter().zip(texts).collect(),
            source: Source::joined(sources),
        })
    }

    /// A world that is not there yet.
    pub(super) fn new(folder: &Path, text: &str) -> Self {
        Self {
            root: Some(folder.to_owned()),
            before: vec![(WORLD.to_owned(), String::new())],
            source: Source::new(folder.join(WORLD).display().to_string(), text),
        }
    }

    pub(super) fn is_on_disk(&self) -> bool {
        self.root.is_some()
    }

    /// What it is now.
    pub(super) fn checked(&self, app: &App) -> Result<WorldFile> {
        let (file, _) = WorldFile::of_source(self.source.clone())
            .map_err(|problems| refused(app, self.source.file(), &problems))?;
        Ok(file)
    }

    pub(super) fn add(&mut self, list: &str, item: &str) -> Result<()> {
        self.source = self.source.with_item(list, None, item).ok_or_else(|| {
            let message = text!(cli_import_no_place, path = list);
            CommandError::new(ErrorKind::World, message).at(self.source.file())
        })?;
        Ok(())
    }

    /// The files that have another text now: path, name, and both texts.
    pub(super) fn changes(&self) -> impl Iterator<Item = (&str, Source, &str)> {
        let files = self.source.clone().into_files().into_iter();
        let pairs = self.before.iter().zip(files);
        let all = pairs.map(|((path, before), file)| (&**path, file, &**before));
        all.filter(|(_, file, before)| file.text() != *before)
    }

    /// Writes it, unless it has mistakes now: then its files stay as they were.
    pub(super) fn save(&self, app: &App) -> Result<()> {
        self.checked(app)?;
        self.write().or_fail(ErrorKind::World)
    }

    /// Writes the files that have another text now.
    pub(super) fn write(&self) -> Result<(), FileError> {
        let Some(root) = &self.root else {
            return Ok(());
        };
        for (path, file, _) in self.changes() {
            let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
            let folder = Folder::open_or_create(&root.join(parent))?;
            folder.replace(name, file.text().as_bytes(), Durability::Synced)?;
        }
        Ok(())
    }
}

/// Prints the mistakes of a world that can't be used.
pub(super) fn refused(app: &App, world: &str, problems: &Problems) -> CommandError {
    print_problems(app, problems);
    let count = problems.error_count();
    CommandError::new(ErrorKind::World, text!(cli_world_errors, world, count))
}
