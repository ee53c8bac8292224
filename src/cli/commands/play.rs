//! What `run`, `resume` and `replay` share: showing a run as it goes on, stopping it, ending it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bevy_ecs::prelude::*;
use playhouse::cast::{StableId, WorldTurn};
use playhouse::engine::{CancellationToken, Engine, SpendLimits, Stop};
use playhouse::event::{Feed, Record, View};
use playhouse::mind::human::HumanMind;
use playhouse::mind::{Cost, Language, MindInfo, Minds};
use playhouse::rpg::world_file::WorldFile;
use playhouse::tool::servers::ToolServers;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::cli::app::App;
use crate::cli::args::OnServerError;
use crate::cli::error::{Failure, Fault, engine_failure};
use crate::cli::output::{Ink, Page, Paragraph};
use crate::cli::progress::Progress;
use crate::cli::seat::SeatConsole;
use crate::cli::story::{Roster, Story, Tells};
use crate::cli::words::Words;
use crate::cli::{loader, tables};

/// After so many failed calls in a row a server is taken for broken.
const GIVE_UP_AFTER: u32 = 3;
/// The exit code after a second Ctrl-C, as shells expect it.
const INTERRUPTED: i32 = 130;

/// The runtime on which calls wait.
pub(super) fn runtime() -> Result<Runtime, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    runtime.map_err(|error| Failure::new(Fault::Other, error))
}

/// Sets an engine up as the settings say.
pub(super) fn prepare(app: &App, engine: &mut Engine) {
    let settings = &app.settings;
    let stops = settings.on_server_error.value == OnServerError::Stop;
    engine.settings.give_up_after = stops.then_some(GIVE_UP_AFTER);
    engine.settings.stop_on_first_refusal = stops;
    engine.settings.caps = SpendLimits {
        calls: settings.max_calls.value,
        tokens: settings.max_tokens.value,
        cost: settings.max_cost.value.map(Cost::from_units),
    };
}

/// Refuses a cap on cost where the price is not known.
pub(super) fn check_price(app: &App, info: &MindInfo) -> Result<(), Failure> {
    if app.settings.max_cost.value.is_none() || info.price.is_some() {
        return Ok(());
    }
    let failure = Failure::new(Fault::Usage, app.words.no_price(&info.alias));
    Err(failure.try_this(app.words.give_price()))
}

/// The number of the actor whom a person wants to play, if one does.
pub(super) fn seat(
    app: &App,
    world: &mut World,
    actor: Option<&str>,
) -> Result<Option<StableId>, Failure> {
    let found = actor.map(|actor| loader::actor(app, world, actor));
    found.transpose()
}

/// The minds, with a person on the terminal at the seat of this actor.
pub(super) fn seated(app: &App, minds: Minds, actor: Option<&str>) -> Minds {
    let Some(actor) = actor else {
        return minds;
    };
    let page = match app.settings.json {
        true => app.shared_err(),
        false => app.shared_out(),
    };
    let person = HumanMind::new(SeatConsole(page), app.settings.language.value);
    minds.with_seat(actor, Arc::new(person))
}

/// Writes what a reader should know before the story: the world's title, and who plays.
pub(super) fn open(app: &App, world: &WorldFile, introduction: Option<&str>) {
    let title = [
        Paragraph::of(Ink::Bold, &world.name),
        Paragraph::default().plain(&world.title),
    ];
    introduce(app, &title, introduction);
}

/// Writes what is played, and who plays it.
pub(super) fn introduce(app: &App, title: &[Paragraph], introduction: Option<&str>) {
    if app.settings.quiet {
        return;
    }
    let introduction = introduction.map(|text| Paragraph::of(Ink::Dim, text));
    if app.settings.json {
        // Standard output holds records alone.
        let mut err = app.err();
        return introduction.iter().for_each(|text| err.paragraph(text));
    }
    let mut out = app.out();
    for paragraph in title.iter().chain(&introduction) {
        out.paragraph(paragraph);
    }
    out.flush();
}

/// A run that is shown as it goes on.
pub(super) struct Show<'a> {
    app: &'a App,
    story: Option<Arc<Mutex<Box<dyn Tells>>>>,
    /// Whether the reader may know of everybody; a seat may not.
    sees_all: bool,
}

impl<'a> Show<'a> {
    /// Shows the story that this engine plays: to a seat what its actor learns, else everything.
    pub(super) fn of(
        app: &'a App,
        engine: &mut Engine,
        language: Language,
        seat: Option<StableId>,
    ) -> Self {
        Self::told_by(app, engine, seat, |world| {
            // The story is told in the language of its world.
            let story = Story::new(app.shared_out(), Words(language), Roster::of(world));
            Box::new(story)
        })
    }

    /// Shows what this engine plays as somebody tells it who is made when people read along.
    pub(super) fn told_by(
        app: &'a App,
        engine: &mut Engine,
        seat: Option<StableId>,
        teller: impl FnOnce(&mut World) -> Box<dyn Tells>,
    ) -> Self {
        let brake = engine.brake();
        let mut story = None;
        if app.settings.quiet {
            // Nobody wants to see it.
        } else if app.settings.json {
            engine.add_feed(feed(seat, json_sink(app.shared_out(), brake)));
        } else {
            let told = Arc::new(Mutex::new(teller(&mut engine.world)));
            story = Some(told.clone());
            let sink = move |record: &Record| {
                if !lock(&told).tell(record) {
                    brake.pull();
                }
            };
            engine.add_feed(feed(seat, sink));
        }
        Self {
            app,
            story,
            sees_all: seat.is_none(),
        }
    }

    /// Plays until something stops the run, and stops the servers of tools.
    pub(super) fn play(
        &self,
        runtime: Runtime,
        engine: &mut Engine,
        servers: ToolServers,
        until: Option<u64>,
    ) -> Result<Stop, Failure> {
        let progress = Progress::new(self.app.status.clone(), self.app.words);
        let signals = progress.clone();
        engine.on_signal(move |signal| signals.note(signal));
        runtime.spawn(progress.keep_drawing());
        runtime.spawn(heed_interrupts(
            engine.brake(),
            self.app.err(),
            self.app.words,
        ));
        let stop = runtime.block_on(async {
            let stop = engine.run(until).await;
            servers.close().await;
            stop
        });
        // A person may still be about to type; nobody waits for that.
        runtime.shutdown_background();
        self.app.status.wipe();
        self.finish();
        stop.map_err(|error| engine_failure(&error))
    }

    /// Shows what was kept back until its turn was over.
    pub(super) fn finish(&self) {
        if let Some(story) = &self.story {
            lock(story).finish();
        }
    }

    /// Tells how the run ended and what it spent. `slot` is where it is saved.
    pub(super) fn close(
        &self,
        engine: &Engine,
        stop: &Stop,
        slot: Option<&str>,
    ) -> Result<(), Failure> {
        if self.app.out().is_lost() {
            // Whoever read along has gone away.
            return Ok(());
        }
        let turn = engine.world.resource::<WorldTurn>().0;
        let words = self.app.words;
        if self.app.settings.json {
            let end = json!({"record": "end", "stop": name_of(stop), "turn": turn, "slot": slot});
            let mut parts = vec![end, tables::totals_json(engine.totals())];
            if self.sees_all {
                parts.push(tables::entities_json(&engine.world));
            }
            self.app.out().json(&joined(parts));
        } else if !self.app.settings.quiet {
            let mut err = self.app.err();
            if self.sees_all {
                tables::write_entities(&mut err, words, &engine.world);
            }
            tables::write_totals(&mut err, words, engine.totals());
        }
        self.tell_end(stop, turn, slot)
    }

    /// The last words; some ends are failures.
    fn tell_end(&self, stop: &Stop, turn: u64, slot: Option<&str>) -> Result<(), Failure> {
        let words = self.app.words;
        let resume = slot.map(|slot| words.how_to_resume(slot));
        let fail = |fault, what| {
            let failure = Failure::new(fault, what);
            Err(match &resume {
                Some(resume) => failure.try_this(resume),
                None => failure,
            })
        };
        let what = match stop {
            Stop::CapReached(why) => {
                let why = words.error_text(why);
                return fail(Fault::Budget, words.cap_reached(&why));
            }
            Stop::ServerDown(why) => {
                let why = why.in_language(words.0);
                return fail(Fault::Server, words.server_down(&why));
            }
            Stop::Finished(_) => words.finished(),
            Stop::TurnReached(turn) => words.turn_reached(*turn),
            Stop::Braked => words.braked(),
            Stop::EndOfRecording => words.end_of_recording(turn),
            Stop::Idle => words.idle(),
        };
        if self.app.settings.quiet || self.app.settings.json {
            return Ok(());
        }
        let mut err = self.app.err();
        err.line(what);
        let goes_on = matches!(stop, Stop::TurnReached(_) | Stop::Braked);
        match (slot, resume) {
            (_, Some(resume)) if goes_on => err.line(resume),
            (Some(slot), _) => err.line(words.saved_in(slot)),
            (None, _) => {}
        }
        Ok(())
    }
}

/// One object with the members of all.
fn joined(parts: Vec<Value>) -> Value {
    let members = parts.into_iter().filter_map(|part| match part {
        Value::Object(members) => Some(members),
        _ => None,
    });
    Value::Object(members.flatten().collect())
}

fn feed(seat: Option<StableId>, sink: impl FnMut(&Record) + Send + Sync + 'static) -> Feed {
    match seat.map_or(View::Observer, View::Seat) {
        View::Seat(seat) => Feed::seat(seat, sink),
        View::Observer => Feed::observer(sink),
    }
}

fn json_sink(
    page: Arc<Mutex<Page>>,
    brake: CancellationToken,
) -> impl FnMut(&Record) + Send + Sync {
    move |record| {
        let mut page = lock(&page);
        page.json(record);
        page.flush();
        if page.is_lost() {
            brake.pull();
        }
    }
}

/// The first Ctrl-C stops the run between two commits, the second leaves at once.
pub(super) async fn heed_interrupts(brake: CancellationToken, mut err: Page, words: Words) {
    if tokio::signal::ctrl_c().await.is_err() {
        return;
    }
    brake.pull();
    err.line(words.stopping());
    if tokio::signal::ctrl_c().await.is_ok() {
        // The journal holds all that counts; nothing is to be tidied up.
        std::process::exit(INTERRUPTED);
    }
}

fn name_of(stop: &Stop) -> &'static str {
    match stop {
        Stop::Finished(_) => "finished",
        Stop::TurnReached(_) => "turn_reached",
        Stop::Braked => "braked",
        Stop::CapReached(_) => "cap_reached",
        Stop::ServerDown(_) => "server_down",
        Stop::EndOfRecording => "end_of_recording",
        Stop::Idle => "idle",
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
