//! The writer's view: the mistakes in a world's files, its scenes, and what rehearsals come to.

use playhouse_engine::locale::{Language, UiText};
use playhouse_engine::world_data::Problem;
use serde::Serialize;
use serde_json::{Value, json};

use super::library::LibraryError;

/// The files of the world of a story, which its writer may be editing. All functions may read files
/// and be slow.
pub trait Desk: Send + Sync {
    /// The files as they are now.
    fn draft(&self) -> Draft;

    /// What comes of it if the improviser plays the world many times.
    ///
    /// # Errors
    /// The files have mistakes.
    fn rehearse(&self, language: Language) -> Result<Rehearsed, LibraryError>;

    /// Finds a story in which a scene opens.
    ///
    /// # Errors
    /// The files have mistakes, or no rehearsal comes to the scene.
    fn opening(&self, scene: &str) -> Result<Opening, LibraryError>;
}

/// What a world is at the moment.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Everything that is wrong, and what is likely not what was meant.
    pub problems: Vec<Problem>,
    /// Its scenes when it last had no mistakes.
    pub scenes: Vec<DraftScene>,
}

impl Draft {
    pub(super) fn json(&self, language: Language) -> Value {
        let problem = |problem: &Problem| {
            let text = problem.in_language(language);
            json!({"severity": problem.severity, "file": problem.file, "line": problem.line, "text": text})
        };
        let problems: Vec<_> = self.problems.iter().map(problem).collect();
        json!({"problems": problems, "scenes": self.scenes})
    }
}

/// A scene, and where it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DraftScene {
    pub scene: String,
    pub file: String,
    pub line: usize,
}

/// What many stories came to.
#[derive(Clone, Debug, Serialize)]
pub struct Rehearsed {
    pub runs: u32,
    pub tables: Vec<Table>,
    /// Expectations of the writer that were not met.
    pub unmet: Vec<String>,
}

/// A table, in the language of its reader.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    pub title: String,
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<String>>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Column {
    pub name: String,
    /// Whether it has numbers.
    pub number: bool,
}

/// Where a scene opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    pub seed: u64,
    /// The turn in which it does.
    pub turn: u64,
}

impl From<(UiText, UiText)> for LibraryError {
    fn from((text, help): (UiText, UiText)) -> Self {
        Self {
            text,
            help: Some(help),
        }
    }
}
