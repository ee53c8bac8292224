//! What a writer writes: one world a folder, `worlds/<folder>/world.ron`.
//!
//! [`WorldFile`] is such a file; [`WorldFile::load`] reads it and finds every mistake in it at once,
//! each with its line, its field and what would be right. [`list_worlds`] shows what there is,
//! [`new_world`] writes a small world to start from. Start with [`WorldFile`]. This room reads
//! through `world_data/` and knows nothing of how a world is played.

mod check;
mod sample;
mod types;

pub use sample::{NewWorldError, new_world};
pub use types::{
    Actor, Dungeon, Faction, Fight, Foe, KnownTo, Limits, Lore, Pattern, Secret, Skill, SkillKind,
    Stage, StageKind, Stats, Step, WorldAgent, WorldFile,
};

use serde::{Deserialize, Serialize};

use crate::mind::Language;
use crate::world_data::{DataFolder, Problem, Problems, Source};

/// The folder of the world that is played when none is named.
pub const DEFAULT_WORLD: &str = "drowned-assize";

/// The name of a world's file in its folder.
const FILE: &str = "world.ron";

/// A world that can be played, as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// The folder, by which the world is chosen.
    pub folder: String,
    /// The world's name.
    pub name: String,
    /// One line about it.
    pub title: String,
    /// Its language.
    pub language: Language,
}

/// As much of a world file as a list needs.
#[derive(Default, Deserialize)]
#[serde(default, rename = "World")]
struct Head {
    name: String,
    title: String,
    language: Language,
}

/// All worlds in `worlds/`, in order of their folders, and what is wrong with those that can't be
/// listed.
pub fn list_worlds(data: &DataFolder) -> (Vec<Listing>, Problems) {
    let mut problems = Problems::new();
    let folders = data.list("worlds").unwrap_or_else(|error| {
        problems.push(error.into());
        Vec::new()
    });
    let mut listed = Vec::new();
    for folder in folders {
        match head(data, &folder) {
            Ok(Some(head)) => listed.push(Listing {
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
    let place = format!("worlds/{folder}");
    if !data.list(&place)?.iter().any(|name| name == FILE) {
        return Ok(None);
    }
    let path = format!("{place}/{FILE}");
    let text = data.read_text(&path)?;
    Source::new(data.name_of(&path), &text).read().map(Some)
}

impl WorldFile {
    /// Reads and checks the world in `worlds/<folder>`: the world and its warnings, or all that is
    /// wrong with it.
    pub fn load(data: &DataFolder, folder: &str) -> Result<(Self, Problems), Problems> {
        Self::load_file(data, &format!("worlds/{folder}/{FILE}"))
    }

    /// Reads and checks the world file at `path` in `data`.
    pub fn load_file(data: &DataFolder, path: &str) -> Result<(Self, Problems), Problems> {
        let text = data.read_text(path).map_err(Problem::from)?;
        Self::parse(&data.name_of(path), &text)
    }

    /// Reads and checks the text of a world file; `file` is what messages call it.
    pub fn parse(file: &str, text: &str) -> Result<(Self, Problems), Problems> {
        let mut problems = Problems::new();
        let source = Source::new(file, text);
        let Some(reading) = source.read_all::<Self>(&mut problems) else {
            problems.sort();
            return Err(problems);
        };
        check::check(&reading, &mut problems);
        problems.unless_errors(reading.value)
    }
}
