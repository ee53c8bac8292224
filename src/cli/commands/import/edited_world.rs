//! A world to which something is added: its file keeps its comments and layout.

use crate::cli::prelude::*;
use std::path::{Path, PathBuf};

use playhouse_engine::files::{self, Durability, Folder};

use super::WORLD;
use crate::cli::loader::print_problems;
use crate::rpg::world_file::WorldFile;
use crate::world_data::{MAX_BYTES, Source};

pub(super) struct EditedWorld {
    folder: PathBuf,
    source: Source,
    /// As it was when it was opened.
    pub(super) file: WorldFile,
}

impl EditedWorld {
    /// The world in this folder.
    pub(super) fn open(app: &App, folder: &Path) -> Result<Self> {
        let path = folder.join(WORLD);
        let text = files::read_text(&path, MAX_BYTES).or_fail(ErrorKind::World)?;
        let source = Source::new(path.display().to_string(), &text);
        Ok(Self {
            folder: folder.to_owned(),
            file: checked(app, &source)?,
            source,
        })
    }

    /// Adds an item to the list at a path.
    pub(super) fn add(&mut self, list: &str, item: &str) -> Result<()> {
        self.source = self.source.with_item(list, None, item).ok_or_else(|| {
            let message = text!(cli_import_no_place, path = list);
            CommandError::new(ErrorKind::World, message).at(self.source.file())
        })?;
        Ok(())
    }

    /// Writes it, unless it has mistakes now: then the file stays as it was.
    pub(super) fn save(self, app: &App) -> Result<()> {
        checked(app, &self.source)?;
        let folder = Folder::open(&self.folder).or_fail(ErrorKind::World)?;
        let text = self.source.text().as_bytes();
        let written = folder.replace(WORLD, text, Durability::Synced);
        written.or_fail(ErrorKind::World)
    }
}

fn checked(app: &App, source: &Source) -> Result<WorldFile> {
    let name = source.file();
    match WorldFile::parse(name, source.text()) {
        Ok((file, _)) => Ok(file),
        Err(problems) => {
            print_problems(app, &problems);
            let count = problems.error_count();
            let message = text!(cli_world_errors, world = name, count);
            Err(CommandError::new(ErrorKind::World, message))
        }
    }
}
