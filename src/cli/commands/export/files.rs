//! The files of an export: one for each character, with a safe name.

use crate::cli::prelude::*;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::save::file_name;

use super::data::cant_write;

/// Files that grow line by line, in a folder.
pub(super) struct LineFiles {
    folder: PathBuf,
    files: BTreeMap<String, LineFile>,
}

struct LineFile {
    who: String,
    lines: usize,
    out: BufWriter<File>,
}

impl LineFiles {
    /// Makes nothing yet: a save that can't be read leaves no folder.
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            files: BTreeMap::new(),
        }
    }

    /// Adds a line to the file of this name, which is about somebody.
    pub(super) fn add(&mut self, name: String, who: &str, line: &str) -> Result<()> {
        let path = self.folder.join(&name);
        let failed = |error: std::io::Error| cant_write(&path, error);
        let file = match self.files.entry(name) {
            std::collections::btree_map::Entry::Occupied(file) => file.into_mut(),
            std::collections::btree_map::Entry::Vacant(place) => {
                std::fs::create_dir_all(&self.folder).map_err(failed)?;
                place.insert(LineFile {
                    who: who.to_owned(),
                    lines: 0,
                    out: BufWriter::new(File::create(&path).map_err(failed)?),
                })
            }
        };
        file.lines += 1;
        writeln!(file.out, "{line}").map_err(failed)
    }

    /// Writes what is left, and says what was written.
    pub(super) fn finish(self, app: &App) -> Result<()> {
        if self.files.is_empty() {
            return Ok(());
        }
        let mut written = Vec::with_capacity(self.files.len());
        for (name, mut file) in self.files {
            let path = self.folder.join(&name);
            file.out.flush().map_err(|error| cant_write(&path, error))?;
            written.push((path.display().to_string(), file.who, file.lines));
        }
        let columns = columns!(app.language, < cli_export_file, < cli_name, > cli_export_lines);
        let json = |(file, who, lines): &(String, String, usize)| {
            json!(Printed::PersonFile {
                file,
                name: who,
                lines: *lines
            })
        };
        app.list(columns, written, json, |(file, who, lines)| {
            [file, who, lines.to_string()]
        });
        Ok(())
    }
}

/// The name of somebody's file: no name leads out of the folder.
pub(super) fn file_of(name: &str, id: u32, ending: &str) -> String {
    let name = file_name(name, crate::cast::StableId(id));
    let stem = name.strip_suffix(".txt").unwrap_or(&name);
    format!("{stem}{ending}")
}
