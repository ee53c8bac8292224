//! Reading and listing worlds.

use playhouse_engine::locale::{UiText, text};
use playhouse_engine::mind::Language;
use playhouse_engine::world_data::{
    DataFolder, MAX_RON_BYTES, Problem, Problems, Source, read_ron,
};
use serde::{Deserialize, Serialize};

use super::check;
use super::types::WorldFile;
use crate::drama::Condition;

/// The folder of the world that is played by default.
pub const DEFAULT_WORLD: &str = "drowned-assize";

/// The name of a world's file in its folder.
pub(super) const FILE: &str = "world.ron";

/// How the names of its other files end.
const ENDING: &str = ".ron";

/// The most files of a world.
const MAX_FILES: usize = 200;

/// The longest condition that is not part of a file, in bytes.
const MAX_CONDITION_BYTES: usize = 16 * 1024;

/// A world that can be played, as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
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
    source_at(data, &format!("{folder}/{FILE}"))?
        .read()
        .map(Some)
}

/// The paths of the files of the world whose `world.ron` is at `path`, that one first.
pub fn files_of(data: &DataFolder, path: &str) -> Result<Vec<String>, Problems> {
    files_with(data, path, &source_at(data, path)?)
}

fn source_at(data: &DataFolder, path: &str) -> Result<Source, Problem> {
    let text = data.read_text(path)?;
    Ok(Source::new(data.name_of(path), &text))
}

/// The paths of the files of the world whose `world.ron` this is.
fn files_with(data: &DataFolder, path: &str, source: &Source) -> Result<Vec<String>, Problems> {
    let home = path.strip_suffix(FILE).unwrap_or_default();
    let mut paths = vec![path.to_owned()];
    let mut problems = Problems::new();
    // If it is no list of texts, reading the file says so.
    let list = source.value_at("files").unwrap_or("[]");
    let names = read_ron::<Vec<String>>(list, MAX_RON_BYTES).unwrap_or_default();
    for (number, name) in names.iter().enumerate() {
        let named = format!("{home}{name}");
        let more = match name.ends_with(ENDING) {
            true => data.read(&named).map(|_| vec![named]),
            false => data.files(&named),
        };
        let mut more = more.unwrap_or_default();
        more.retain(|path| path.ends_with(ENDING) && !paths.contains(path));
        if more.is_empty() {
            let message = text!(rpg_no_such_file, file = name);
            let help = text!(rpg_no_such_file_help);
            source.report(&mut problems, &format!("files[{number}]"), message, help);
        }
        paths.extend(more);
    }
    if paths.len() > MAX_FILES {
        let message = text!(rpg_too_many_files, max = MAX_FILES);
        source.report(&mut problems, "files", message, UiText::default());
    }
    problems.unless_errors(paths).map(|(paths, _)| paths)
}

/// The texts of the files of the world whose `world.ron` is at `path`, that one first.
pub fn sources(data: &DataFolder, path: &str) -> Result<Vec<Source>, Problems> {
    let first = source_at(data, path)?;
    let paths = files_with(data, path, &first)?;
    let mut problems = Problems::new();
    let mut bytes = first.text().len();
    let mut sources = vec![first];
    for path in paths.iter().skip(1) {
        let source = source_at(data, path)?;
        bytes += source.text().len();
        if bytes > MAX_RON_BYTES {
            let message = text!(rpg_files_too_long, max = MAX_RON_BYTES);
            source.report(&mut problems, "", message, UiText::default());
            break;
        }
        if source.value_at("files").is_some() {
            let message = text!(rpg_files_elsewhere);
            source.report(&mut problems, "files", message, UiText::default());
        }
        sources.push(source);
    }
    problems.unless_errors(sources).map(|(sources, _)| sources)
}

impl WorldFile {
    /// Reads and checks the world in `worlds/<folder>`. The problems that come with it are
    /// warnings.
    pub fn load(data: &DataFolder, folder: &str) -> Result<(Self, Problems), Problems> {
        Self::load_file(data, &format!("worlds/{folder}/{FILE}"))
    }

    /// Reads and checks the world file at `path` in `data`.
    pub fn load_file(data: &DataFolder, path: &str) -> Result<(Self, Problems), Problems> {
        Self::of_source(Source::joined(sources(data, path)?))
    }

    /// Reads and checks a condition on this world that is not part of its file. `file` is its name
    /// in messages. The problems that come with it are warnings.
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

    /// Reads a world file to which actors may be added, without checking it.
    pub(crate) fn unchecked(source: &Source) -> Result<(Self, Problems), Problems> {
        let (reading, problems) = source.read_all::<Self>()?;
        problems.unless_errors(reading.value)
    }

    /// Reads and checks the text of a world file. `file` is its name in messages.
    pub fn parse(file: &str, text: &str) -> Result<(Self, Problems), Problems> {
        Self::of_source(Source::new(file, text))
    }

    /// Reads and checks a world of one file or of several that were joined.
    pub fn of_source(source: Source) -> Result<(Self, Problems), Problems> {
        let (reading, mut problems) = source.read_joined::<Self>()?;
        check::check(&reading, &mut problems);
        problems.unless_errors(reading.value)
    }
}
