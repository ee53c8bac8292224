//! Many games by the same rules, each in a slot of its own, so that a tournament can be stopped and
//! continued like any story.
//!
//! A tournament is a folder in the saves folder: `tournament.json` says what is played, and
//! `games/` contains a slot for each game that was started. Each game has its own seed and is
//! independent of the others, so the results do not depend on their order or on how many are played
//! at a time.

use std::io;
use std::path::{Path, PathBuf};

use playhouse_engine::files::{Durability, FileError, Folder};
use playhouse_engine::locale::{Localize, UiText, text};
use playhouse_engine::mind::Minds;
use playhouse_engine::save::{Listed, SaveError, Slot, SlotName, TOURNAMENT, list};
use playhouse_engine::session::{Session, SessionError};
use playhouse_engine::world_data::{DataFolder, Lexicon, WordPair};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::figures::{FiguresError, GameFigures, figures_like};
use super::game::{Match, MatchError, WordSource};
use super::rules::Rules;

/// The version of `tournament.json`.
const FORMAT: u32 = 1;
/// Larger files are refused, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// The folder of its games.
const GAMES: &str = "games";
/// How many games a tournament has; their slots sort in their order.
const MAX_GAMES: u32 = 99_999;

/// Why a tournament can't be created or continued.
#[derive(Debug, Error, Localize)]
pub enum TournamentError {
    /// Its folder can't be used.
    Save(#[from] SaveError),
    /// Its games can't be set up.
    Match(#[from] MatchError),
    /// One of its games can't be played.
    Session(#[from] SessionError),
    /// `tournament.json` can't be read.
    #[text(undercover_tournament_unreadable)]
    Unreadable { path: PathBuf, reason: UiText },
    /// It has no games, or too many.
    #[text(undercover_tournament_games, max = MAX_GAMES)]
    Games { games: u32 },
    /// The prompts have changed, so that later games can't be compared with earlier ones.
    #[text(undercover_other_data)]
    OtherData { path: PathBuf },
}

/// The contents of `tournament.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TournamentFile {
    format: u32,
    /// The fingerprint of everything that minds read.
    data: String,
    /// The seed of the first game; each further game has the next one.
    seed: u64,
    games: u32,
    rules: Rules,
    pairs: Vec<WordPair>,
}

/// Many games by the same rules.
pub struct Tournament {
    name: SlotName,
    folder: PathBuf,
    file: TournamentFile,
    game: Match,
}

/// A game of a tournament.
pub enum OpenedGame {
    Over,
    /// It can be started or continued.
    Playable(Box<Session>),
}

impl Tournament {
    /// Creates a tournament with a number of games, the first with this seed.
    ///
    /// # Errors
    /// The name is invalid or taken, the folder can't be written, or there are more than 99,999
    /// games.
    pub fn create(
        root: &Path,
        name: &str,
        game: Match,
        seed: u64,
        games: u32,
    ) -> Result<Self, TournamentError> {
        check_games(games)?;
        let name: SlotName = name.parse()?;
        let folder = root.join(name.as_str());
        let file = TournamentFile {
            format: FORMAT,
            data: game.fingerprint().to_owned(),
            seed,
            games,
            rules: game.rules().clone(),
            pairs: game.lexicon().pairs,
        };
        let path = folder.join(TOURNAMENT);
        let text =
            serde_json::to_vec_pretty(&file).map_err(|error| unreadable(&path, error.text()))?;
        let saves = Folder::open_or_create(root).map_err(SaveError::from)?;
        let built = saves.build(name.as_str(), |folder| {
            folder.replace(TOURNAMENT, &text, Durability::Synced)
        });
        built.map_err(|error: FileError| match error.io_kind() {
            Some(io::ErrorKind::AlreadyExists) => SaveError::SlotExists(name.to_string()),
            _ => error.into(),
        })?;
        Ok(Self {
            name,
            folder,
            file,
            game,
        })
    }

    /// Whether there is a tournament of this name in a saves folder.
    pub fn exists(root: &Path, name: &str) -> bool {
        let name = name.parse::<SlotName>();
        name.is_ok_and(|name| root.join(name.as_str()).join(TOURNAMENT).is_file())
    }

    /// The slots of the games of a tournament that were started, as a list of saves.
    ///
    /// # Errors
    /// The tournament's folder can't be read.
    pub fn slots_in(root: &Path, name: &SlotName) -> Result<Vec<Listed>, SaveError> {
        read(root, name)?;
        list(&root.join(name.as_str()).join(GAMES))
    }

    /// Opens the tournament of this name.
    ///
    /// # Errors
    /// There is none, it can't be read, or the prompts have changed since it was created.
    pub fn find(root: &Path, name: &str, data: &DataFolder) -> Result<Self, TournamentError> {
        let name: SlotName = name.parse()?;
        let folder = root.join(name.as_str());
        let path = folder.join(TOURNAMENT);
        let text = read(root, &name)?;
        let file: TournamentFile =
            serde_json::from_slice(&text).map_err(|error| unreadable(&path, error.text()))?;
        if file.format != FORMAT {
            let reason = text!(
                undercover_tournament_format,
                found = file.format,
                known = FORMAT
            );
            return Err(unreadable(&path, reason));
        }
        check_games(file.games)?;
        let lexicon = Lexicon {
            pairs: file.pairs.clone(),
        };
        let game = Match::new(data, file.rules.clone(), WordSource::Custom(lexicon))?;
        if game.fingerprint() != file.data {
            return Err(TournamentError::OtherData { path });
        }
        Ok(Self {
            name,
            folder,
            file,
            game,
        })
    }

    pub fn name(&self) -> &SlotName {
        &self.name
    }

    /// The game that is played.
    pub fn game(&self) -> &Match {
        &self.game
    }

    /// The number of games.
    pub fn games(&self) -> u32 {
        self.file.games
    }

    /// The folder with the slots of its games.
    pub fn slots(&self) -> PathBuf {
        self.folder.join(GAMES)
    }

    /// The seed of a game, counted from 0.
    pub fn seed(&self, game: u32) -> u64 {
        self.file.seed.wrapping_add(u64::from(game))
    }

    pub fn pair(&self, game: u32) -> Option<&WordPair> {
        self.game.pair(self.seed(game))
    }

    /// Opens a game, counted from 0, where it stopped or at its beginning.
    ///
    /// # Errors
    /// Its slot is in use, or can't be read or written.
    pub fn open_game(&self, game: u32, minds: Minds) -> Result<OpenedGame, TournamentError> {
        let (root, name) = (self.slots(), slot_name(game));
        let Ok(slot) = Slot::find(&root, &name) else {
            return self.start(game, minds);
        };
        match slot.read(false) {
            Ok(story) if !story.is_new() => {}
            // The program ended before anything was played.
            Ok(_) | Err(SaveError::NoHead { .. }) => {
                slot.remove()?;
                return self.start(game, minds);
            }
            Err(error) => return Err(error.into()),
        }
        if slot.head()?.is_some_and(|head| head.ending.is_some()) {
            return Ok(OpenedGame::Over);
        }
        let session = Session::resume(&root, &name, &self.game, minds, false)?;
        Ok(OpenedGame::Playable(Box::new(session)))
    }

    fn start(&self, game: u32, minds: Minds) -> Result<OpenedGame, TournamentError> {
        let (root, name) = (self.slots(), slot_name(game));
        let session = Session::start(&root, &name, &self.game, self.seed(game), minds)?;
        Ok(OpenedGame::Playable(Box::new(session)))
    }

    /// The figures of a game, counted from 0; `None` if it was never started.
    ///
    /// # Errors
    /// As [`figures_of`](super::figures_of).
    pub async fn figures(&self, game: u32) -> Result<Option<GameFigures>, FiguresError> {
        match Slot::find(&self.slots(), &slot_name(game)) {
            Ok(slot) => figures_like(&slot, &self.game).await.map(Some),
            Err(_) => Ok(None),
        }
    }
}

/// The bytes of `tournament.json`. Nothing in a tournament's folder may be a link.
fn read(root: &Path, name: &SlotName) -> Result<Vec<u8>, SaveError> {
    let missing = || SaveError::NoSuchSlot {
        name: name.to_string(),
        root: root.to_owned(),
    };
    let folder = Folder::open(root)?
        .folder(name.as_str())?
        .ok_or_else(missing)?;
    folder.check_entries()?;
    folder.read(TOURNAMENT, MAX_BYTES)?.ok_or_else(missing)
}

fn check_games(games: u32) -> Result<(), TournamentError> {
    if (1..=MAX_GAMES).contains(&games) {
        Ok(())
    } else {
        Err(TournamentError::Games { games })
    }
}

/// The name of the slot of a game, counted from 0. Names sort in the order of the games.
fn slot_name(game: u32) -> String {
    format!("{:05}", u64::from(game) + 1)
}

fn unreadable(path: &Path, reason: UiText) -> TournamentError {
    let path = path.to_owned();
    TournamentError::Unreadable { path, reason }
}
