//! Many games of one kind, each in a slot of its own, so that they can be stopped and continued
//! like any story.
//!
//! A batch is a folder in the saves folder: `batch.json` says what is played, and `games/` contains
//! a slot for each game that was started. Each game has its own seed and is independent of the
//! others, so the results do not depend on their order or on how many are played at a time.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Game, Session, SessionError};
use crate::files::{Durability, FileError, Folder};
use crate::journal::GameSetup;
use crate::locale::{Localize, UiText, text};
use crate::mind::Minds;
use crate::save::{BATCH, EXPERIMENT, Listed, Meta, SaveError, Slot, SlotName, list, names};

/// The version of `batch.json`.
const FORMAT: u32 = 1;
/// Larger files are refused, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// The folder of its games.
const GAMES: &str = "games";
/// How many games a batch has; their slots sort in their order.
const MAX_GAMES: u32 = 99_999;

/// Why a batch can't be created or continued.
#[derive(Debug, Error, Localize)]
pub enum BatchError {
    /// Its folder can't be used.
    Save(#[from] SaveError),
    /// One of its games can't be played.
    Session(#[from] SessionError),
    /// `batch.json` can't be read.
    #[text(session_batch_unreadable)]
    Unreadable { path: PathBuf, reason: UiText },
    /// It has no games, or too many.
    #[text(session_batch_games, max = MAX_GAMES)]
    Games { games: u32 },
    /// The data have changed, so that later games can't be compared with earlier ones.
    #[text(session_batch_other_data)]
    OtherData { path: PathBuf },
}

/// What is played in a batch, as in `batch.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchPlan {
    /// The game's world, as saves name it.
    pub world: String,
    /// The fingerprint of everything that minds read.
    pub data: String,
    /// The seed of the first game; each further game has the next one.
    pub seed: u64,
    pub games: u32,
    /// What is needed to set its games up again; `None` if the world's name is enough.
    pub setup: Option<GameSetup>,
}

impl BatchPlan {
    /// This many games, the first with this seed.
    pub fn of(game: &dyn Game, seed: u64, games: u32) -> Self {
        let Meta { world, data } = game.meta();
        Self {
            world,
            data,
            seed,
            games,
            setup: game.batch_setup(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BatchFile {
    format: u32,
    plan: BatchPlan,
}

pub struct Batch {
    name: SlotName,
    folder: PathBuf,
    plan: BatchPlan,
}

pub enum OpenedGame {
    Over,
    /// It can be started or continued.
    Playable(Box<Session>),
}

impl Batch {
    /// Creates a batch.
    ///
    /// # Errors
    /// The name is invalid or taken, the folder can't be written, or there are more than 99,999
    /// games.
    pub fn create(root: &Path, name: &str, plan: BatchPlan) -> Result<Self, BatchError> {
        check_games(plan.games)?;
        let name: SlotName = name.parse()?;
        let folder = root.join(name.as_str());
        let (format, path) = (FORMAT, folder.join(BATCH));
        let file = BatchFile { format, plan };
        let text =
            serde_json::to_vec_pretty(&file).map_err(|error| unreadable(&path, error.text()))?;
        build(root, &name, BATCH, &text)?;
        let plan = file.plan;
        Ok(Self { name, folder, plan })
    }

    /// Whether there is a batch of this name in a saves folder.
    pub fn exists(root: &Path, name: &str) -> bool {
        let name = name.parse::<SlotName>();
        name.is_ok_and(|name| root.join(name.as_str()).join(BATCH).is_file())
    }

    pub fn find(root: &Path, name: &str) -> Result<Self, BatchError> {
        let name: SlotName = name.parse()?;
        let folder = root.join(name.as_str());
        let path = folder.join(BATCH);
        let file: BatchFile = serde_json::from_slice(&read(root, &name, BATCH)?)
            .map_err(|error| unreadable(&path, error.text()))?;
        if file.format != FORMAT {
            let (found, known) = (file.format, FORMAT);
            let reason = text!(session_batch_format, found, known);
            return Err(unreadable(&path, reason));
        }
        check_games(file.plan.games)?;
        let plan = file.plan;
        Ok(Self { name, folder, plan })
    }

    pub fn name(&self) -> &SlotName {
        &self.name
    }

    pub fn plan(&self) -> &BatchPlan {
        &self.plan
    }

    pub fn games_folder(&self) -> PathBuf {
        self.folder.join(GAMES)
    }

    /// The slots of the games that were started, as a list of saves.
    pub fn slots(&self) -> Result<Vec<Listed>, SaveError> {
        list(&self.games_folder())
    }

    /// Refuses a game of other data than the batch began with.
    pub fn check_data(&self, game: &dyn Game) -> Result<(), BatchError> {
        if game.meta().data == self.plan.data {
            return Ok(());
        }
        let path = self.folder.join(BATCH);
        Err(BatchError::OtherData { path })
    }

    /// The seed of a game, counted from 0.
    pub fn seed(&self, number: u32) -> u64 {
        self.plan.seed.wrapping_add(u64::from(number))
    }

    /// Opens a game, counted from 0, where it stopped or at its beginning.
    pub fn open_game(
        &self,
        number: u32,
        game: &dyn Game,
        minds: Minds,
    ) -> Result<OpenedGame, BatchError> {
        let (root, name) = (self.games_folder(), Self::slot_name(number));
        let start = |minds| Session::start(&root, &name, game, self.seed(number), minds);
        let Ok(slot) = Slot::find(&root, &name) else {
            return Ok(OpenedGame::Playable(Box::new(start(minds)?)));
        };
        match slot.read(false) {
            Ok(story) if !story.is_new() => {}
            // The program ended before anything was played.
            Ok(_) | Err(SaveError::NoHead { .. }) => {
                slot.remove()?;
                return Ok(OpenedGame::Playable(Box::new(start(minds)?)));
            }
            Err(error) => return Err(error.into()),
        }
        if slot.head()?.is_some_and(|head| head.ending.is_some()) {
            return Ok(OpenedGame::Over);
        }
        let session = Session::resume(&root, &name, game, minds, false)?;
        Ok(OpenedGame::Playable(Box::new(session)))
    }

    /// The name of the slot of a game, counted from 0. Names sort in the order of the games.
    pub fn slot_name(number: u32) -> String {
        format!("{:05}", u64::from(number) + 1)
    }

    /// The slot of a game, counted from 0; `None` if it was never started.
    pub fn slot(&self, number: u32) -> Option<Slot> {
        Slot::find(&self.games_folder(), &Self::slot_name(number)).ok()
    }
}

/// Creates the folder of an experiment, with a copy of its file; its batches are in it.
///
/// # Errors
/// The name is invalid or taken, or the folder can't be written.
pub fn create_experiment(root: &Path, name: &str, text: &str) -> Result<(), SaveError> {
    build(root, &name.parse()?, EXPERIMENT, text.as_bytes())
}

/// An experiment in the saves.
pub struct StoredExperiment {
    /// Its file, as it was when it began.
    pub text: String,
    /// The batches of its conditions, in the order of their names.
    pub batches: Vec<Batch>,
}

impl StoredExperiment {
    /// The experiment of this name; `None` if there is none.
    pub fn find(root: &Path, name: &str) -> Option<Result<Self, BatchError>> {
        let name = name.parse::<SlotName>().ok()?;
        let exists = root.join(name.as_str()).join(EXPERIMENT).is_file();
        exists.then(|| Self::read(root, &name))
    }

    fn read(root: &Path, name: &SlotName) -> Result<Self, BatchError> {
        let text = read(root, name, EXPERIMENT)?;
        let folder = root.join(name.as_str());
        let names = names(&folder)?.into_iter();
        let names = names.filter(|name| Batch::exists(&folder, name.as_str()));
        let batches = names.map(|name| Batch::find(&folder, name.as_str()));
        Ok(Self {
            text: String::from_utf8_lossy(&text).into_owned(),
            batches: batches.collect::<Result<_, _>>()?,
        })
    }
}

/// Creates a folder with one file, whole or not at all.
fn build(root: &Path, name: &SlotName, file: &str, text: &[u8]) -> Result<(), SaveError> {
    let built = Folder::open_or_create(root)?.build(name.as_str(), |folder| {
        folder.replace(file, text, Durability::Synced)
    });
    built.map_err(|error: FileError| match error.io_kind() {
        Some(io::ErrorKind::AlreadyExists) => SaveError::SlotExists(name.to_string()),
        _ => error.into(),
    })
}

/// The bytes of a file in a folder of the saves, in which nothing may be a link.
fn read(root: &Path, name: &SlotName, file: &str) -> Result<Vec<u8>, SaveError> {
    let missing = || SaveError::NoSuchSlot {
        name: name.to_string(),
        root: root.to_owned(),
    };
    let folder = Folder::open(root)?
        .folder(name.as_str())?
        .ok_or_else(missing)?;
    folder.check_entries()?;
    folder.read(file, MAX_BYTES)?.ok_or_else(missing)
}

fn check_games(games: u32) -> Result<(), BatchError> {
    if (1..=MAX_GAMES).contains(&games) {
        Ok(())
    } else {
        Err(BatchError::Games { games })
    }
}

fn unreadable(path: &Path, reason: UiText) -> BatchError {
    let path = path.to_owned();
    BatchError::Unreadable { path, reason }
}
