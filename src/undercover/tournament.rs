//! Many games by the same rules, each in a slot of its own, so that a tournament can be broken off and
//! gone on with like any story.
//!
//! A tournament is a folder beside the saves: `tournament.json` says what is played, and `games/` holds
//! a slot for each game that was begun. Every game has a seed of its own and knows nothing of the
//! others, so it makes no difference in which order they are played, or how many at a time.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::figures::{FiguresError, GameFigures, figures_like};
use super::game::{Match, MatchError};
use super::rules::Rules;
use crate::mind::Minds;
use crate::save::{
    Durability, FileAction, SaveError, Slot, SlotName, io_error, make_folder, replace,
};
use crate::session::{Session, SessionError};
use crate::world_data::{DataFolder, Lexicon, WordPair};

/// The version of `tournament.json`.
const FORMAT: u32 = 1;
/// The file that makes a folder a tournament.
const FILE: &str = "tournament.json";
/// The folder of its games.
const GAMES: &str = "games";

/// Why a tournament can't be begun or gone on with.
#[derive(Debug, Error)]
pub enum TournamentError {
    /// Its folder.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// Its games can't be set up.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// One of its games.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The file that says what is played can't be understood.
    #[error("{path}: the tournament can't be read: {reason}", path = .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// What minds read has changed since, so later games would not compare with earlier ones.
    #[error(
        "{path}: the prompts have changed since the tournament began; put them back, or begin a new one",
        path = .path.display()
    )]
    OtherData {
        /// The file that says what was played.
        path: PathBuf,
    },
}

/// What is played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    format: u32,
    /// The fingerprint of everything that minds read.
    data: String,
    /// The seed of the first game; every further one has the next.
    seed: u64,
    games: u32,
    rules: Rules,
    pairs: Vec<WordPair>,
}

/// Many games by the same rules.
pub struct Tournament {
    name: SlotName,
    folder: PathBuf,
    plan: Plan,
    game: Match,
}

/// A game of a tournament, as far as it was played.
pub enum Opened {
    /// It is over.
    Over,
    /// It is about to begin, or to go on.
    Playable(Box<Session>),
}

impl Tournament {
    /// A new tournament: so many games, the first with this seed.
    ///
    /// # Errors
    /// The name can't be a slot's or is taken, or the file system refuses.
    pub fn begin(
        root: &Path,
        name: &str,
        game: Match,
        seed: u64,
        games: u32,
    ) -> Result<Self, TournamentError> {
        let name: SlotName = name.parse()?;
        let folder = root.join(name.as_str());
        fs::create_dir_all(root).map_err(|source| io_error(root, FileAction::Create, source))?;
        make_folder(&folder).map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => SaveError::SlotExists(name.to_string()),
            _ => io_error(&folder, FileAction::Create, source),
        })?;
        let plan = Plan {
            format: FORMAT,
            data: game.fingerprint().to_owned(),
            seed,
            games,
            rules: game.rules().clone(),
            pairs: game.lexicon().pairs,
        };
        let path = folder.join(FILE);
        let text = serde_json::to_vec_pretty(&plan);
        let text = text.map_err(|error| unreadable(&path, error.to_string()))?;
        replace(&path, &text, Durability::Synced)?;
        Ok(Self {
            name,
            folder,
            plan,
            game,
        })
    }

    /// Whether a folder of saves holds a tournament of this name.
    pub fn is_in(root: &Path, name: &str) -> bool {
        let name = name.parse::<SlotName>();
        name.is_ok_and(|name| root.join(name.as_str()).join(FILE).is_file())
    }

    /// The tournament of this name.
    ///
    /// # Errors
    /// There is none, it can't be read, or the prompts have changed since it began.
    pub fn find(root: &Path, name: &str, data: &DataFolder) -> Result<Self, TournamentError> {
        let name: SlotName = name.parse()?;
        let folder = root.join(name.as_str());
        let path = folder.join(FILE);
        let text = fs::read(&path).map_err(|source| io_error(&path, FileAction::Read, source))?;
        let plan: Plan =
            serde_json::from_slice(&text).map_err(|error| unreadable(&path, error.to_string()))?;
        if plan.format != FORMAT {
            let reason = format!("its format is {}, not {FORMAT}", plan.format);
            return Err(unreadable(&path, reason));
        }
        let lexicon = Lexicon {
            pairs: plan.pairs.clone(),
        };
        let words = super::Words::These(lexicon);
        let game = Match::new(data, plan.rules.clone(), words)?;
        match game.fingerprint() == plan.data {
            true => Ok(Self {
                name,
                folder,
                plan,
                game,
            }),
            false => Err(TournamentError::OtherData { path }),
        }
    }

    /// Its name.
    pub fn name(&self) -> &SlotName {
        &self.name
    }

    /// The game that is played.
    pub fn game(&self) -> &Match {
        &self.game
    }

    /// How many games are played.
    pub fn games(&self) -> u32 {
        self.plan.games
    }

    /// The folder of the slots of its games.
    pub fn slots(&self) -> PathBuf {
        self.folder.join(GAMES)
    }

    /// The seed of a game, counted from 0.
    pub fn seed(&self, game: u32) -> u64 {
        self.plan.seed.wrapping_add(u64::from(game))
    }

    /// The pair of words of a game.
    pub fn pair(&self, game: u32) -> Option<&WordPair> {
        self.game.pair(self.seed(game))
    }

    /// Opens a game, counted from 0: where it stopped, or at its beginning.
    ///
    /// # Errors
    /// Its slot is in use or can't be read, or the file system refuses.
    pub fn open(&self, game: u32, minds: Minds) -> Result<Opened, TournamentError> {
        let (root, name) = (self.slots(), slot_name(game));
        let Ok(slot) = Slot::find(&root, &name) else {
            return self.start(game, minds);
        };
        match slot.head()? {
            Some(head) if head.finale.is_some() => Ok(Opened::Over),
            _ => match Session::resume(&root, &name, &self.game, minds.clone(), false) {
                Ok(session) => Ok(Opened::Playable(Box::new(session))),
                // The program ended while the slot was being made; nothing was played in it.
                Err(SessionError::NoHead { .. }) => {
                    let folder = slot.folder().to_owned();
                    let removed = fs::remove_dir_all(&folder);
                    removed.map_err(|source| io_error(&folder, FileAction::Remove, source))?;
                    self.start(game, minds)
                }
                Err(error) => Err(error.into()),
            },
        }
    }

    fn start(&self, game: u32, minds: Minds) -> Result<Opened, TournamentError> {
        let (root, name) = (self.slots(), slot_name(game));
        let session = Session::start(&root, &name, &self.game, self.seed(game), minds)?;
        Ok(Opened::Playable(Box::new(session)))
    }

    /// The figures of a game, computed from its journal; nothing where it was never begun.
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

/// The slot of a game, counted from 0; names are sorted as the games are.
fn slot_name(game: u32) -> String {
    format!("{:05}", u64::from(game) + 1)
}

fn unreadable(path: &Path, reason: String) -> TournamentError {
    let path = path.to_owned();
    TournamentError::Unreadable { path, reason }
}
