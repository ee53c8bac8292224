//! Reading and listing worlds.

use playhouse_engine::mind::Language;
use playhouse_engine::world_data::{DataFolder, Problem, Problems, Source};
use serde::{Deserialize, Serialize};

use super::check;
use super::types::WorldFile;
use crate::drama::Condition;

/// The folder of the world that is played by default.
pub const DEFAULT_WORLD: &str = "drowned-assize";

/// The name of a world's file in its folder.
pub(super) const FILE: &str = "world.ron";

/// The longest condition that is not part of a file, in bytes.
const MAX_CONDITION_BYTES: usize = 16 * 1024;

/// A world that can be played, as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorldListing {
    /// The folder, by which the world is chosen.
    pub folder: String,
    pub name: String,
    pub title: String,
    pub language: Language,
}

/// The part of a world file that a list needs.
#[derive(Default, Deserialize)]
#[serde(default, rename = "World")]
struct Head {
    name: String,
    title: String,
    language: Language,
}

/// All worlds in `worlds/`, by folder, and what is wrong with those that can't be listed.
pub fn list_worlds(data: &DataFolder) -> (Vec<WorldListing>, Problems) {
    let mut problems = Problems::new();
    let folders = data.list("worlds").unwrap_or_else(|error| {
        problems.push(error.into());
        Vec::new()
    });
    let mut listed = Vec::new();
    for folder in folders {
        match head(data, &folder) {
            Ok(Some(head)) => listed.push(WorldListing {
                folder,
                name: head.name,
                title: head.title,
                language: head.language,
            }),
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
    }
    (listed, problems)
}

/// The head of a world; `None` if the folder holds none.
fn head(data: &DataFolder, folder: &str) -> Result<Option<Head>, Problem> {
    let folder = format!("worlds/{folder}");
    if !data.list(&folder)?.iter().any(|name| name == FILE) {
        return Ok(None);
    }
    let path = format!("{folder}/{FILE}");
    let text = data.read_text(&path)?;
    Source::new(data.name_of(&path), &text).read().map(Some)
}

impl WorldFile {
    /// Reads and checks the world in `worlds/<folder>`. The problems that come with it are
    /// warnings.
    ///
    /// # Errors
    /// All mistakes in the file.
    pub fn load(data: &DataFolder, folder: &str) -> Result<(Self, Problems), Problems> {
        Self::load_file(data, &format!("worlds/{folder}/{FILE}"))
    }

    /// Reads and checks the world file at `path` in `data`.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn load_file(data: &DataFolder, path: &str) -> Result<(Self, Problems), Problems> {
        let text = data.read_text(path).map_err(Problem::from)?;
        Self::parse(&data.name_of(path), &text)
    }

    /// Reads and checks a condition on this world that is not part of its file. `file` is its name
    /// in messages. The problems that come with it are warnings.
    ///
    /// # Errors
    /// All mistakes in it.
    pub fn read_condition(
        &self,
        file: &str,
        text: &str,
    ) -> Result<(Condition, Problems), Problems> {
        let mut problems = Problems::new();
        let source = Source::limited(file, text, MAX_CONDITION_BYTES);
        let condition: Condition = source.read()?;
        check::check_condition(&condition, source, self, &mut problems);
        problems.unless_errors(condition)
    }

    /// Reads the text of a world file to which actors may be added, without checking it.
    ///
    /// # Errors
    /// All mistakes of form.
    pub(crate) fn parse_without_actors(
        file: &str,
        text: &str,
    ) -> Result<(Self, Problems), Problems> {
        let (reading, problems) = Source::new(file, text).read_all::<Self>()?;
        problems.unless_errors(reading.value)
    }

    /// Reads and checks the text of a world file. `file` is its name in messages.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn parse(file: &str, text: &str) -> Result<(Self, Problems), Problems> {
        let source = Source::new(file, text);
        let (reading, mut problems) = source.read_all::<Self>()?;
        check::check(&reading, &mut problems);
        problems.unless_errors(reading.value)
    }
}
