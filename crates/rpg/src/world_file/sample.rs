//! A small world to start from.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use playhouse_engine::locale::Localize;
use playhouse_engine::mind::Language;
use thiserror::Error;

use super::load::FILE;

/// Why no new world could be written.
#[derive(Debug, Error, Localize)]
pub enum NewWorldError {
    #[text(rpg_new_world_exists, path)]
    Exists(PathBuf),
    #[text(rpg_new_world_unwritable, path, source)]
    Unwritable(PathBuf, #[source] std::io::Error),
}

/// Writes a small world with comments for its author into `folder`, which is created if needed, and
/// returns the path of its file. Nothing is overwritten.
///
/// # Errors
/// There is a world already, or the file can't be written.
pub fn new_world(folder: &Path, language: Language) -> Result<PathBuf, NewWorldError> {
    let path = folder.join(FILE);
    let failed = |why: std::io::Error| match why.kind() {
        std::io::ErrorKind::AlreadyExists => NewWorldError::Exists(path.clone()),
        _ => NewWorldError::Unwritable(path.clone(), why),
    };
    fs::create_dir_all(folder).map_err(failed)?;
    let mut file = fs::File::create_new(&path).map_err(failed)?;
    file.write_all(sample(language).as_bytes())
        .map_err(failed)?;
    file.sync_all().map_err(failed)?;
    Ok(path)
}

fn sample(language: Language) -> &'static str {
    match language {
        Language::En => include_str!("sample.en.ron"),
        Language::Zh => include_str!("sample.zh.ron"),
    }
}

#[cfg(test)]
mod tests {
    use crate::world_file::WorldFile;
    use playhouse_engine::world_data::DataFolder;

    use super::*;

    #[test]
    fn a_new_world_passes_its_check_without_warnings() {
        for language in [Language::En, Language::Zh] {
            let dir = tempfile::tempdir().expect("a folder");
            let folder = dir.path().join("mine");
            new_world(&folder, language).expect("is written");
            let data = DataFolder::at(&folder).expect("is a folder");
            let (world, warnings) = WorldFile::load_file(&data, FILE).expect("is right");
            assert!(warnings.is_empty(), "{warnings}");
            assert_eq!(world.language, language);
        }
    }

    #[test]
    fn a_world_that_is_there_is_left_alone() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = new_world(dir.path(), Language::En).expect("is written");
        let before = fs::read(&path).expect("is there");
        let again = new_world(dir.path(), Language::Zh);
        assert!(matches!(again, Err(NewWorldError::Exists(_))));
        assert_eq!(fs::read(&path).expect("is there"), before);
    }
}
