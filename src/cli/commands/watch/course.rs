//! How a story that is shown goes on.

use super::saves::library_error;
use crate::cast::WorldTurn;
use crate::cli::prelude::*;
use crate::cli::servers::ToolServers;
use crate::groupchat::team::TeamFile;
use crate::journal::Line;
use crate::mind::Minds;
use crate::page::Story;
use crate::session::{EventLog, Session};
use crate::story;

use crate::cli::commands::edited::EditedGame;
use crate::cli::commands::play;
use crate::cli::loader;
pub(super) struct Opened {
    pub(super) story: Story,
    pub(super) course: Course,
    /// Reads the data of its world again when they change.
    pub(super) edited: Option<EditedGame>,
    /// The team whose run it is.
    pub(super) team: Option<TeamFile>,
}

pub(super) enum Course {
    Begun(Box<Session>, ToolServers),
    /// What was played is read first.
    Saved(Box<SavedCourse>),
}

/// A save that is to be read, and played on with its minds if they can be had.
pub(super) struct SavedCourse {
    pub(super) app: App,
    pub(super) minds: Result<Option<Minds>, UiText>,
}

impl SavedCourse {
    /// Continues a story, and lets a view read what was played. `None` if it is only shown; then
    /// the view says why.
    pub(super) async fn begin(self, story: &Story) -> Option<(Session, ToolServers)> {
        let Self { app, minds } = self;
        let Story { view, slot, .. } = story;
        let game = &*story.game;
        // Nobody else must play it while it is read.
        let resumed = minds.and_then(|minds| {
            let (root, name) = (&app.settings.saves.value, slot.name().as_str());
            let resumed = minds.map(|minds| Session::resume(root, name, game, minds, false));
            resumed.transpose().map_err(|error| error.text())
        });
        let until = match &resumed {
            Ok(Some(session)) => Some(session.engine.world.resource::<WorldTurn>().0),
            _ => None,
        };
        let begin = |token| {
            if let Some(control) = &story.control {
                control.begin(token);
            }
        };
        let stored = slot.read_to_go_on(false).and_then(|mut stored| {
            if until.is_some() && until == stored.saved_turn() {
                // The log tells the rest, and is large.
                let is_told = |line: &Line| matches!(line, Line::Outcome(_) | Line::Snapshot(_));
                stored.lines.retain(is_told);
                stored.lines.shrink_to_fit();
            }
            let log = EventLog::of(slot, &stored)?;
            if log.is_none() {
                stored = slot.read_to_go_on(false)?;
            }
            Ok((stored, log))
        });
        let read = match stored {
            Ok(stored) => story::read(slot, stored, game, until, view, begin).await,
            Err(error) => Err(error.into()),
        };
        let resumed = match read {
            Ok(()) => resumed,
            Err(error) => Err(error.text()),
        };
        let reason = match resumed {
            Ok(None) => None,
            Ok(Some(mut session)) => {
                play::say_changes(&app, &session.changes);
                play::prepare(&app, &mut session.engine);
                match loader::connected(&app, session).await {
                    Ok(connected) => return Some(connected),
                    Err(error) => Some(library_error(error).text),
                }
            }
            Err(reason) => Some(reason),
        };
        if let Some(reason) = &reason {
            tracing::warn!("{reason}");
        }
        view.only_shown(reason);
        None
    }
}
