//! Saves, found by the names of their slots, and the worlds they are of.

use std::path::Path;

use playhouse::engine::Setup;
use playhouse::groupchat::ChatGame;
use playhouse::journal::{Head, JournalError, Line, Recording};
use playhouse::rpg::Campaign;
use playhouse::save::{Expected, SaveError, SaveHead, Slot, SlotName, restore};
use playhouse::session::{Game, SessionError};
use playhouse::undercover::{GAME, Match, MatchError};

use super::app::App;
use super::error::{Failure, Fault, engine_failure};
use super::loader;

/// A save, and the world that it is of.
pub(crate) struct Saved {
    /// Where it is.
    pub(crate) slot: Slot,
    /// What it says about itself.
    pub(crate) head: SaveHead,
    /// What is played in it, as it is in the data folder now.
    pub(crate) played: Played,
}

/// What a save is of.
pub(crate) enum Played {
    /// A campaign in a world.
    World(Box<Campaign>),
    /// A conversation of a team.
    Team(Box<ChatGame>),
    /// A game of who is the undercover.
    Undercover(Box<Match>),
}

impl Played {
    /// As a session sees it.
    pub(crate) fn game(&self) -> &dyn Game {
        match self {
            Self::World(production) => &**production,
            Self::Team(team) => &**team,
            Self::Undercover(game) => &**game,
        }
    }

    /// What a save whose snapshot names this world is of.
    fn find(app: &App, slot: &Slot, name: &str) -> Result<Self, Failure> {
        if name == GAME
            && let Some(game) = undercover(app, slot)?
        {
            return Ok(Self::Undercover(Box::new(game)));
        }
        let is_team = name.starts_with("teams/") || name.ends_with(".ron");
        Ok(match is_team {
            true => {
                let name = name.strip_prefix("teams/").unwrap_or(name);
                Self::Team(Box::new(loader::team(app, name)?))
            }
            false => Self::World(Box::new(loader::world(app, name)?)),
        })
    }
}

/// The game of who is the undercover that a journal says it is of; nothing where a world of that name was
/// played.
fn undercover(app: &App, slot: &Slot) -> Result<Option<Match>, Failure> {
    let lines = slot.read_journal().map_err(journal_failure)?;
    let setup = lines.iter().find_map(|line| match line {
        Line::Game(setup) if setup.name == GAME => Some(setup),
        _ => None,
    });
    let game = setup.map(|setup| {
        Match::of_setup(&app.data()?, setup).map_err(|error| match_failure(app, error))
    });
    game.transpose()
}

impl Saved {
    /// The save in this slot.
    pub(crate) fn find(app: &App, name: &str) -> Result<Self, Failure> {
        let slot = Slot::find(&app.settings.saves.value, name).map_err(save_failure)?;
        let head = slot.head().map_err(save_failure)?.ok_or_else(|| {
            let what = app.words.not_whole(name);
            let failure = Failure::new(Fault::Save, what).at(slot.folder().display());
            failure.try_this(app.words.start_anew())
        })?;
        let played = Played::find(app, &slot, &head.world)?;
        Ok(Self { slot, head, played })
    }

    /// Its world at rest, as the last snapshot holds it. With `force`, of other data too.
    pub(crate) fn world(&self, force: bool) -> Result<Setup, Failure> {
        let text = self.slot.read_world().map_err(save_failure)?;
        let game = self.played.game();
        let setup = game.set_up(self.head.seed);
        let mut setup = setup.map_err(|reason| Failure::new(Fault::World, reason))?;
        let data = game.meta().data;
        let expected = match force {
            true => Expected::default(),
            false => Expected::of_data(&data),
        };
        let restored = restore(&mut setup.world, &text.unwrap_or_default(), &expected);
        restored.map_err(|error| save_failure(error).at(self.slot.world_file().display()))?;
        Ok(setup)
    }

    /// Its journal: the head, and what was recorded.
    pub(crate) fn journal(&self) -> Result<(Option<Head>, Recording), Failure> {
        let lines = self.slot.read_journal().map_err(journal_failure)?;
        let head = lines.iter().find_map(|line| match line {
            Line::Head(head) => Some(head.clone()),
            _ => None,
        });
        Ok((head, Recording::of(lines)))
    }
}

/// A name for a new slot after a world: the first that is free.
pub(crate) fn free_name(root: &Path, world: &str) -> String {
    let last = Path::new(world).file_name().and_then(|name| name.to_str());
    let base = last.filter(|name| name.parse::<SlotName>().is_ok());
    let base = base.unwrap_or("story");
    let names = std::iter::once(base.to_owned()).chain((2..).map(|n| format!("{base}-{n}")));
    let mut free = names.filter(|name| Slot::find(root, name).is_err());
    // Numbers do not end.
    free.next().unwrap_or_default()
}

/// Empties a slot that no process holds.
pub(crate) fn clear(root: &Path, name: &str) -> Result<(), Failure> {
    let slot = match Slot::find(root, name) {
        Ok(slot) => slot,
        Err(SaveError::NoSuchSlot { .. }) => return Ok(()),
        Err(error) => return Err(save_failure(error)),
    };
    let folder = slot.folder().to_owned();
    let held = slot.hold().map_err(save_failure)?;
    let removed = std::fs::remove_dir_all(&folder);
    drop(held);
    removed.map_err(|error| Failure::new(Fault::Save, error).at(folder.display()))
}

/// A failure of a save.
pub(crate) fn save_failure(error: SaveError) -> Failure {
    let fault = match error {
        SaveError::BadSlotName { .. } => Fault::Usage,
        _ => Fault::Save,
    };
    Failure::new(fault, error)
}

/// A failure of a journal.
pub(crate) fn journal_failure(error: JournalError) -> Failure {
    Failure::of(Fault::Save, &error)
}

/// A game that can't be set up. Mistakes in files are told first.
pub(crate) fn match_failure(app: &App, error: MatchError) -> Failure {
    match error {
        MatchError::Data(problems) => {
            let mut page = app.err();
            for problem in problems.iter() {
                page.line(app.words.problem(problem));
            }
            Failure::new(Fault::World, app.words.game_mistakes(problems.len()))
        }
        MatchError::Setup(_) => Failure::new(Fault::Save, error),
        error => Failure::new(Fault::Usage, error),
    }
}

/// A failure of a session.
pub(crate) fn session_failure(error: SessionError) -> Failure {
    match error {
        SessionError::Save(error) => save_failure(error),
        SessionError::Engine(error) => engine_failure(&error),
        SessionError::Journal(error) => journal_failure(error),
        SessionError::World(_) => Failure::new(Fault::World, error),
        error => Failure::of(Fault::Save, &error),
    }
}
