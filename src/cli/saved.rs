//! Saves by name, and the games that they are of.

use std::path::Path;

use crate::cast::WorldTurn;
use crate::engine::Setup;
use crate::groupchat::ChatGame;
use crate::journal::{JournalError, JournalHeader, Line, Recording};
use crate::locale::text;
use crate::rpg::Campaign;
use crate::save::{Expected, SaveError, SaveHead, Slot, SlotName, restore};
use crate::session::{Game, SessionError};
use crate::undercover::{GAME, Match, MatchError};
use bevy_ecs::prelude::*;

use super::app::App;
use super::args::PlayArgs;
use super::error::{CommandError, ErrorKind, engine_error};
use super::loader;

/// A save, and the game that it is of.
pub(crate) struct Saved {
    /// Where it is.
    pub(crate) slot: Slot,
    /// Its head.
    pub(crate) head: SaveHead,
    /// The game, as it is in the data folder now.
    pub(crate) played: Played,
}

/// The game of a save.
pub(crate) enum Played {
    /// A campaign in a world.
    World(Box<Campaign>),
    /// A conversation of a team.
    Team(Box<ChatGame>),
    /// A game of who is the undercover.
    Undercover(Box<Match>),
}

impl Played {
    /// For a session.
    pub(crate) fn game(&self) -> &dyn Game {
        match self {
            Self::World(campaign) => &**campaign,
            Self::Team(team) => &**team,
            Self::Undercover(game) => &**game,
        }
    }

    /// The game of a save whose snapshot names this world.
    fn find(app: &App, slot: &Slot, name: &str) -> Result<Self, CommandError> {
        if name == GAME
            && let Some(game) = undercover(app, slot)?
        {
            return Ok(Self::Undercover(Box::new(game)));
        }
        let is_team = name.starts_with("teams/") || name.ends_with(".ron");
        Ok(if is_team {
            let name = name.strip_prefix("teams/").unwrap_or(name);
            Self::Team(Box::new(loader::team(app, name)?))
        } else {
            Self::World(Box::new(loader::world(app, name)?))
        })
    }
}

/// The undercover game that a journal is of; `None` if a world of that name was played.
fn undercover(app: &App, slot: &Slot) -> Result<Option<Match>, CommandError> {
    let lines = slot.read_journal().map_err(journal_error)?;
    let setup = lines.iter().find_map(|line| match line {
        Line::Game(setup) if setup.name == GAME => Some(setup),
        _ => None,
    });
    let game = setup.map(|setup| {
        Match::from_setup(&app.data()?, setup).map_err(|error| match_error(app, error))
    });
    game.transpose()
}

impl Saved {
    /// The save in this slot.
    pub(crate) fn find(app: &App, name: &str) -> Result<Self, CommandError> {
        let slot = Slot::find(&app.settings.saves.value, name).map_err(save_error)?;
        let head = slot.head().map_err(save_error)?.ok_or_else(|| {
            let error = incomplete(name).at(slot.folder().display());
            error.help(text!(cli_save_incomplete_help, slot = name))
        })?;
        let played = Played::find(app, &slot, &head.world)?;
        Ok(Self { slot, head, played })
    }

    /// Its world by the last snapshot. With `force`, even if that is of other data.
    pub(crate) fn world(&self, force: bool) -> Result<Setup, CommandError> {
        let text = self.slot.read_world().map_err(save_error)?;
        let game = self.played.game();
        let mut setup = game.set_up(self.head.seed)?;
        let data = game.meta().data;
        let expected = if force {
            Expected::default()
        } else {
            Expected::of_data(&data)
        };
        let restored = restore(&mut setup.world, &text.unwrap_or_default(), &expected);
        restored.map_err(|error| save_error(error).at(self.slot.world_file().display()))?;
        Ok(setup)
    }

    /// Its journal: the head, and what was recorded.
    pub(crate) fn journal(&self) -> Result<(Option<JournalHeader>, Recording), CommandError> {
        let lines = self.slot.read_journal().map_err(journal_error)?;
        let head = lines.iter().find_map(|line| match line {
            Line::Header(head) => Some(head.clone()),
            _ => None,
        });
        Ok((head, Recording::of(lines)))
    }
}

/// Why a save without a snapshot can't be used.
pub(crate) fn incomplete(slot: &str) -> CommandError {
    CommandError::new(ErrorKind::Save, text!(cli_save_incomplete, slot))
}

/// Refuses to play up to a turn that has passed.
pub(crate) fn check_turn(world: &World, args: &PlayArgs, slot: &str) -> Result<(), CommandError> {
    let now = world.resource::<WorldTurn>().0;
    match args.until {
        Some(turn) if turn < now => {
            let message = text!(cli_turn_passed, turn, now);
            Err(CommandError::new(ErrorKind::Usage, message).at(slot))
        }
        _ => Ok(()),
    }
}

/// A free name for a new slot, after a world.
pub(crate) fn free_name(root: &Path, world: &str) -> String {
    let last = Path::new(world).file_name().and_then(|name| name.to_str());
    let base = last.filter(|name| name.parse::<SlotName>().is_ok());
    let base = base.unwrap_or("story");
    let names = std::iter::once(base.to_owned()).chain((2..).map(|n| format!("{base}-{n}")));
    let mut free = names.filter(|name| Slot::find(root, name).is_err());
    // There is always a next number.
    free.next().unwrap_or_default()
}

/// Empties a slot that no process has locked.
pub(crate) fn clear(root: &Path, name: &str) -> Result<(), CommandError> {
    let slot = match Slot::find(root, name) {
        Ok(slot) => slot,
        Err(SaveError::NoSuchSlot { .. }) => return Ok(()),
        Err(error) => return Err(save_error(error)),
    };
    let folder = slot.folder().to_owned();
    let lock = slot.lock().map_err(save_error)?;
    let removed = std::fs::remove_dir_all(&folder);
    drop(lock);
    removed.map_err(|error| CommandError::of(ErrorKind::Save, &error).at(folder.display()))
}

/// An error of a save.
pub(crate) fn save_error(error: SaveError) -> CommandError {
    let kind = match error {
        SaveError::BadSlotName { .. } => ErrorKind::Usage,
        _ => ErrorKind::Save,
    };
    CommandError::of(kind, &error)
}

/// An error of a journal.
pub(crate) fn journal_error(error: JournalError) -> CommandError {
    CommandError::of(ErrorKind::Save, &error)
}

/// Why a game of undercover can't be set up. Errors in files are printed.
pub(crate) fn match_error(app: &App, error: MatchError) -> CommandError {
    match error {
        MatchError::Data(problems) => {
            loader::print_problems(app, &problems);
            let message = text!(cli_game_errors, count = problems.error_count());
            CommandError::new(ErrorKind::World, message)
        }
        MatchError::Setup(_) => CommandError::of(ErrorKind::Save, &error),
        error => CommandError::of(ErrorKind::Usage, &error),
    }
}

/// An error of a session.
pub(crate) fn session_error(error: SessionError) -> CommandError {
    match error {
        SessionError::Save(error) => save_error(error),
        SessionError::Engine(error) => engine_error(&error),
        SessionError::World(_) => CommandError::of(ErrorKind::World, &error),
        error => CommandError::of(ErrorKind::Save, &error),
    }
}
