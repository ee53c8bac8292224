//! `serve`: pages of the worlds of a store, whichever worker plays them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use bevy_ecs::prelude::World;
use tokio::runtime::Handle;

use super::host::{about, print_address, print_invitation, teacher};
use super::saves::library_error;
use crate::cast::{CastList, EntityName, Kind};
use crate::cli::args::ServeArgs;
use crate::cli::commands::{cluster, play, sent};
use crate::cli::prelude::*;
use crate::cli::process::told_to_end;
use crate::cli::saved::{Played, Saved};
use crate::cluster::{
    Phase, SeatAnswer, Store, StoreError, WorldLead, WorldState, answer_at_seat, give_seat, states,
    world_state,
};
use crate::mind::{Mind, Prompt, ScriptMind};
use crate::page::{
    Figure, Invitation, Library, LibraryError, Seat, Server, Story, StoryEntry, TableRules, Teach,
};
use crate::save::SlotName;
use crate::session::Game;
use crate::story::{self, About, RunState, StoryView};

/// How often a store that does not answer is asked again.
const PAUSE: Duration = Duration::from_millis(500);

/// Serves pages until it is told to end.
pub(in crate::cli) fn serve(app: &App, args: &ServeArgs) -> Result<()> {
    let store = cluster::store(args.store.store.as_ref())?;
    let root = cluster::scratch(app, "serve");
    let mut own = app.clone();
    own.settings.saves.value.clone_from(&root);
    let runtime = play::runtime()?;
    let library = Arc::new(StoreLibrary {
        app: own,
        store: store.clone(),
        root: root.clone(),
        runtime: runtime.handle().clone(),
        open: Mutex::default(),
    });
    let address = SocketAddr::new(args.server.listen, args.server.port);
    let server = Server::new(address, library, app.language, false);
    let server = runtime.block_on(server).or_fail(ErrorKind::Other)?;
    cluster::monitor(&runtime, &store, args.metrics)?;
    // Who reads the address may press Ctrl-C at once.
    let ended = runtime.block_on(async { told_to_end() });
    let ended = ended.or_fail(ErrorKind::Other)?;
    print_address(app, &server.access().host_address());
    runtime.spawn(server.run());
    runtime.block_on(ended);
    runtime.shutdown_background();
    let _ = fs::remove_dir_all(root);
    Ok(())
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
            open.get(world.as_str())
                .and_then(|story| story.list().pop())
                .unwrap_or_else(|| StoryEntry {
                    slot: world.to_string(),
                    title: world.to_string(),
                    turn: state.turn,
                    state: run_state(state.phase),
                    ..StoryEntry::default()
                })
        });
        entries.collect()
    }

    fn figures(&self) -> std::result::Result<Vec<Figure>, LibraryError> {
        cluster::figures(&*self.store)
    }

    fn open(&self, slot: &str) -> Result<Option<Story>, LibraryError> {
        let mut open = lock(&self.open);
        if let Some(story) = open.get(slot) {
            return Ok(Some(story.clone()));
        }
        let Ok(world) = slot.parse::<SlotName>() else {
            return Ok(None);
        };
        let state = world_state(&*self.store, &world).map_err(|error| error.text())?;
        if state.is_none() {
            return Ok(None);
        }
        let story = self.begin(&world).map_err(library_error)?;
        open.insert(slot.to_owned(), story.clone());
        Ok(Some(story))
    }

    fn note(&self, invitation: Invitation) {
        print_invitation(&self.app, &invitation);
    }
}

impl StoreLibrary {
    /// Shows a world as it goes on.
    fn begin(&self, world: &SlotName) -> Result<Story> {
        let (app, name) = (&self.app, world.as_str());
        let _ = fs::remove_dir_all(self.root.join(name));
        let mut lead = WorldLead::of(self.store.clone(), world, &self.root)?;
        let saved = Saved::as_stored(app, name)?;
        let view = Arc::new(StoryView::new(About {
            is_elsewhere: true,
            ..about(app, &saved, name)?
        }));
        let begun = saved.world(false)?.world;
        view.expect(&begun);
        let game: Arc<dyn Game> = match saved.played {
            Played::World(campaign) => Arc::new(*campaign),
            Played::Undercover(game) => Arc::new(*game),
            Played::Team(team) => Arc::new(*team),
        };
        let answered = sent::minds_of(app, &saved.slot, sent::aliases(&begun))?;
        let teach = teacher(&begun);
        let table = Table::new(self, world, &begun, &*teach)?;
        table.seats.values().for_each(|seat| seat.tell(&view));
        let story = Story {
            view: view.clone(),
            control: None,
            slot: saved.slot,
            game: game.clone(),
            answered: Arc::new(Mutex::new(answered)),
            seats: table.seats.clone(),
            teach,
            desk: None,
        };
        let run = view.clone();
        lead.note_state = Box::new(move |state| note(&run, state));
        lead.note_open = Box::new(move |prompt| table.ask(prompt));
        let runtime = self.runtime.clone();
        thread::spawn(move || {
            let read = story::read_along(saved.story, Box::new(lead), &*game, &view);
            if let Err(error) = runtime.block_on(read) {
                view.set_run(RunState::Failed, Some(error.text()));
            }
        });
        Ok(story)
    }
}

/// The people who play characters of a world on pages of this server.
struct Table {
    store: Arc<dyn Store>,
    world: SlotName,
    runtime: Handle,
    seats: BTreeMap<String, Arc<Seat>>,
    minds: BTreeMap<String, Arc<dyn Mind>>,
    /// What they are asked, or have answered.
    asked: Arc<Mutex<BTreeSet<(String, u32)>>>,
}

impl Table {
    fn new(library: &StoreLibrary, world: &SlotName, begun: &World, teach: &Teach) -> Result<Self> {
        let (store, runtime) = (library.store.clone(), library.runtime.clone());
        let taken = world_state(&*store, world)?.unwrap_or_default().seats;
        let (mut seats, mut minds) = (BTreeMap::new(), BTreeMap::new());
        for (_, entity) in begun.resource::<CastList>().everybody() {
            let (Some(name), Some(Kind::Actor)) =
                (begun.get::<EntityName>(entity), begun.get(entity))
            else {
                continue;
            };
            let name = name.to_string();
            let is_taken = taken.contains(&name);
            let seat = Arc::new(Seat::new(TableRules::default(), is_taken));
            let elsewhere: Arc<dyn Mind> = Arc::new(ScriptMind::lines([]));
            let mind = seat.mind(elsewhere.clone(), elsewhere, library.app.language, teach);
            let told = (store.clone(), world.clone(), name.clone());
            runtime.spawn(tell_changes(seat.clone(), is_taken, told));
            minds.insert(name.clone(), mind);
            seats.insert(name, seat);
        }
        Ok(Self {
            store,
            world: world.clone(),
            runtime,
            seats,
            minds,
            asked: Arc::default(),
        })
    }

    /// Asks the person whose character is asked, if there is one, and sends the answer to the store
    /// for the worker.
    fn ask(&self, prompt: &Prompt<'_>) {
        let name = prompt.entity.to_string();
        let is_taken = self.seats.get(&name).is_some_and(|seat| seat.is_taken());
        let Some(mind) = self.minds.get(&name).filter(|_| is_taken) else {
            return;
        };
        let key = (name.clone(), prompt.number);
        if !lock(&self.asked).insert(key.clone()) {
            return;
        }
        let answering = mind.answer(prompt);
        let (store, world, asked) = (self.store.clone(), self.world.clone(), self.asked.clone());
        self.runtime.spawn(async move {
            let Ok(completion) = answering.await else {
                lock(&asked).remove(&key);
                return;
            };
            let answer = SeatAnswer {
                number: key.1,
                model: completion.model,
                text: completion.text,
            };
            insist(move || answer_at_seat(&*store, &world, &name, &answer)).await;
        });
    }
}

/// Tells the store who has a seat.
async fn tell_changes(
    seat: Arc<Seat>,
    mut is_taken: bool,
    (store, world, name): (Arc<dyn Store>, SlotName, String),
) {
    loop {
        seat.changes(is_taken).await;
        is_taken = !is_taken;
        let (store, world, name) = (store.clone(), world.clone(), name.clone());
        insist(move || give_seat(&*store, &world, &name, is_taken)).await;
    }
}

/// Asks the store until it answers.
async fn insist(ask: impl Fn() -> std::result::Result<(), StoreError> + Send + 'static) {
    let asked = tokio::task::spawn_blocking(move || {
        loop {
            match ask() {
                Err(error) if error.may_pass() => thread::sleep(PAUSE),
                asked => break asked,
            }
        }
    });
    if let Ok(Err(error)) = asked.await {
        tracing::warn!("{error}");
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
        Phase::Queued | Phase::Playing | Phase::Waiting => RunState::Playing,
        Phase::Ended => RunState::Finished,
        Phase::Paused | Phase::Cancelled => RunState::Stopped,
        Phase::Failed => RunState::Failed,
    }
}
