//! Small worlds to start from, one for each kind of story.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use playhouse_engine::locale::Localize;
use playhouse_engine::mind::Language;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::load::FILE;

/// A kind of story.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorldKind {
    /// People, secrets and a decision; nobody fights.
    Talk,
    /// One of several has done it, by the seed, and an actor has to say who.
    Mystery,
    /// A party goes on a journey, and fights.
    #[default]
    Journey,
}

impl WorldKind {
    pub const ALL: [Self; 3] = [Self::Talk, Self::Mystery, Self::Journey];

    pub(super) fn sample(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Talk, Language::En) => include_str!("talk.en.ron"),
            (Self::Talk, Language::Zh) => include_str!("talk.zh.ron"),
            (Self::Mystery, Language::En) => include_str!("mystery.en.ron"),
            (Self::Mystery, Language::Zh) => include_str!("mystery.zh.ron"),
            (Self::Journey, Language::En) => include_str!("journey.en.ron"),
            (Self::Journey, Language::Zh) => include_str!("journey.zh.ron"),
        }
    }
}

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
pub fn new_world(
    folder: &Path,
    kind: WorldKind,
    language: Language,
) -> Result<PathBuf, NewWorldError> {
    let path = folder.join(FILE);
    let failed = |why: std::io::Error| match why.kind() {
        std::io::ErrorKind::AlreadyExists => NewWorldError::Exists(path.clone()),
        _ => NewWorldError::Unwritable(path.clone(), why),
    };
    fs::create_dir_all(folder).map_err(failed)?;
    let mut file = fs::File::create_new(&path).map_err(failed)?;
    file.write_all(kind.sample(language).as_bytes())
        .map_err(failed)?;
    file.sync_all().map_err(failed)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use crate::world_file::WorldFile;
    use playhouse_engine::world_data::DataFolder;

    use super::*;

    #[test]
    fn a_new_world_passes_its_check_without_warnings() {
        let languages = [Language::En, Language::Zh];
        let kinds = WorldKind::ALL.into_iter();
        for (kind, language) in kinds.flat_map(|kind| languages.map(|language| (kind, language))) {
            let dir = tempfile::tempdir().expect("a folder");
            let folder = dir.path().join("mine");
            new_world(&folder, kind, language).expect("is written");
            let data = DataFolder::at(&folder).expect("is a folder");
            let (world, warnings) = WorldFile::load_file(&data, FILE).expect("is right");
            assert!(warnings.is_empty(), "{kind:?}: {warnings}");
            assert_eq!(world.has_fights(), kind == WorldKind::Journey);
            assert_eq!(world.language, language);
        }
    }

    #[test]
    fn a_world_that_is_there_is_left_alone() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = new_world(dir.path(), WorldKind::Talk, Language::En).expect("is written");
        let before = fs::read(&path).expect("is there");
        let again = new_world(dir.path(), WorldKind::Journey, Language::Zh);
        assert!(matches!(again, Err(NewWorldError::Exists(_))));
        assert_eq!(fs::read(&path).expect("is there"), before);
    }
}
