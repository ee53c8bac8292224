//! `serve`: pages of the worlds of a store, whichever worker plays them.

use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

use tokio::runtime::Handle;

use super::host::{about, print_address, teacher};
use super::saves::library_error;
use crate::cli::args::ServeArgs;
use crate::cli::commands::{cluster, play, sent};
use crate::cli::prelude::*;
use crate::cli::process::told_to_end;
use crate::cli::saved::{Played, Saved};
use crate::cluster::{Phase, Store, StoreError, WorldLead, WorldState, states, world_state};
use crate::page::{Library, LibraryError, Server, Story, StoryEntry};
use crate::save::SlotName;
use crate::session::Game;
use crate::story::{self, RunState, StoryView};

/// Serves pages until it is told to end.
pub(in crate::cli) fn serve(app: &App, args: &ServeArgs) -> Result<()> {
    let store = cluster::store(args.store.store.as_ref())?;
    let root = (app.settings.saves.value).join(format!(".serve-{}", std::process::id()));
    let mut own = app.clone();
    own.settings.saves.value.clone_from(&root);
    let runtime = play::runtime()?;
    let library = Arc::new(StoreLibrary {
        app: own,
        store,
        root: root.clone(),
        runtime: runtime.handle().clone(),
        open: Mutex::default(),
    });
    let address = SocketAddr::new(args.server.listen, args.server.port);
    let server = Server::new(address, library, app.language, false);
    let server = runtime.block_on(server).or_fail(ErrorKind::Other)?;
    print_address(app, &server.access().host_address());
    runtime.spawn(server.run());
    let ended = runtime.block_on(told_to_end());
    runtime.shutdown_background();
    let _ = fs::remove_dir_all(root);
    ended.or_fail(ErrorKind::Other)
}

/// The worlds of a store as pages see them.
struct StoreLibrary {
    /// Whose saves are copies of the worlds that are shown.
    app: App,
    store: Arc<dyn Store>,
    root: PathBuf,
    runtime: Handle,
    open: Mutex<BTreeMap<String, Story>>,
}

impl Library for StoreLibrary {
    fn list(&self) -> Vec<StoryEntry> {
        let states = states(&*self.store).unwrap_or_else(|error| {
            tracing::warn!("{error}");
            Vec::new()
        });
        let open = lock(&self.open);
        let entries = states.into_iter().map(|(world, state)| {
            let shown = open.get(world.as_str()).and_then(|story| story.list().pop());
            shown.unwrap_or_else(|| StoryEntry {
                slot: world.to_string(),
                turn: state.turn,
                state: run_state(state.phase),
                ..StoryEntry::default()
            })
        });
        entries.collect()
    }

    fn open(&self, slot: &str) -> Result<Option<Story>, LibraryError> {
        let mut open = lock(&self.open);
        if let Some(story) = open.get(slot) {
            return Ok(Some(story.clone()));
        }
        let Ok(world) = slot.parse::<SlotName>() else {
            return Ok(None);
        };
        match world_state(&*self.store, &world) {
            Ok(None) => return Ok(None),
            Ok(Some(_)) => {}
            Err(error) => return Err(error.text().into()),
        }
        let story = self.begin(&world).map_err(library_error)?;
        open.insert(slot.to_owned(), story.clone());
        Ok(Some(story))
    }
}

impl StoreLibrary {
    /// Shows a world as it goes on.
    fn begin(&self, world: &SlotName) -> Result<Story> {
        let (app, name) = (&self.app, world.as_str());
        let _ = fs::remove_dir_all(self.root.join(name));
        let lead = WorldLead::of(self.store.clone(), world, &self.root)?;
        let saved = Saved::as_stored(app, name)?;
        let view = Arc::new(StoryView::new(about(app, &saved, name)?));
        let begun = saved.world(false)?.world;
        view.expect(&begun);
        let game: Arc<dyn Game> = match saved.played {
            Played::World(campaign) => Arc::new(*campaign),
            Played::Undercover(game) => Arc::new(*game),
            Played::Team(_) => return Err(CommandError::usage(text!(cli_not_on_workers))),
        };
        let answered = sent::minds_of(app, &saved.slot, sent::aliases(&begun))?;
        let story = Story {
            view: view.clone(),
            control: None,
            slot: saved.slot,
            game: game.clone(),
            answered: Arc::new(Mutex::new(answered)),
            seats: BTreeMap::new(),
            teach: teacher(&begun),
            desk: None,
        };
        let run = view.clone();
        let lead = Box::new(lead.noting_state(move |state| note(&run, state)));
        let runtime = self.runtime.clone();
        thread::spawn(move || {
            let read = story::read_along(saved.story, lead, &*game, &view);
            if let Err(error) = runtime.block_on(read) {
                view.set_run(RunState::Failed, Some(error.text()));
            }
        });
        Ok(story)
    }
}

/// Shows how far a world is. More may come as long as it is not over.
fn note(view: &StoryView, state: &WorldState) -> bool {
    let note = (!state.note.is_empty()).then(|| UiText::verbatim(&state.note));
    view.set_run(run_state(state.phase), note);
    state.phase != Phase::Ended
}

fn run_state(phase: Phase) -> RunState {
    match phase {
        Phase::Queued | Phase::Playing => RunState::Playing,
        Phase::Ended => RunState::Finished,
        Phase::Paused | Phase::Cancelled => RunState::Stopped,
        Phase::Failed => RunState::Failed,
    }
}
