//! How a story that is shown goes on.

use super::saves::library_error;
use crate::cast::WorldTurn;
use crate::cli::prelude::*;
use crate::cli::servers::ToolServers;
use crate::groupchat::team::TeamFile;
use crate::mind::Minds;
use crate::page::Story;
use crate::save::{SaveError, Slot, StoredStory};
use crate::session::{EventLog, Session};
use crate::story;

use crate::cli::commands::edited::EditedGame;
use crate::cli::commands::play;
use crate::cli::loader;
/// A story that was opened.
pub(super) struct Opened {
    pub(super) story: Story,
    pub(super) course: Course,
    /// Reads the data of its world again when they change.
    pub(super) edited: Option<EditedGame>,
    /// The team whose run it is.
    pub(super) team: Option<TeamFile>,
}

/// How a story goes on.
pub(super) enum Course {
    Begun(Box<Session>, ToolServers),
    /// What was played is read first.
    Saved(Box<SavedCourse>),
}

/// A save that is to be read, and played on with its minds if they can be had.
pub(super) struct SavedCourse {
    pub(super) app: App,
    pub(super) stored: StoredStory,
    pub(super) minds: Result<Option<Minds>, UiText>,
}

impl SavedCourse {
    /// Lets a view read what was played, and continues it. `None` if it is only shown; then the
    /// view says why.
    pub(super) async fn begin(self, story: &Story) -> Option<(Session, ToolServers)> {
        let Self { app, stored, minds } = self;
        let Story { view, slot, .. } = story;
        let game = &*story.game;
        // A long story is shown before it can go on.
        let (mut shown, mut logged) = (0, None);
        if let Ok(Some(log)) = EventLog::of(slot, &stored) {
            view.fill(log.records().inspect(|_| shown += 1));
            logged = Some(log.turn);
        }
        // What is read again to go on is not held twice.
        drop(stored);
        // Nobody else must play it while the rest is read.
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
        let read = if until.is_some() && until == logged {
            Ok(())
        } else {
            match played_on(slot, shown) {
                Ok(stored) => story::read(slot, stored, game, until, view, begin).await,
                Err(error) => Err(error.into()),
            }
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

/// A save that may have been played on elsewhere since it was opened, with those records of its log
/// that are not shown yet.
fn played_on(slot: &Slot, shown: usize) -> Result<(StoredStory, Option<EventLog>), SaveError> {
    let stored = slot.read(false)?.without_questions();
    let mut log = EventLog::of(slot, &stored)?;
    if let Some(log) = &mut log {
        log.shown = shown;
    }
    Ok((stored, log))
}
