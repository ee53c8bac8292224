//! What all commands that play share: printing a run as it takes place, stopping it, and reporting
//! how it ended.

use crate::cli::prelude::*;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::thread;

use crate::cast::{
    self, Appearance, CastList, EntityName, StableId, WorldTurn, stage_of, turn_number,
};
use crate::cli::servers::ToolServers;
use crate::engine::{CancellationToken, Engine, EngineError, SpendLimits, Stop};
use crate::event::{AnsweredBy, EventRecord, Feed, Phrasebook, Recipient, Record, Sight, Watching};
use crate::exchange::spent_by_purpose;
use crate::groupchat::Chat;
use crate::knowledge::FactBook;
use crate::mind::human::HumanMind;
use crate::mind::{Cost, Minds, unix_time};
use crate::rpg::StoryOutcome;
use crate::rpg::world_file::WorldFile;
use crate::session::Session;
use crate::{rpg, undercover};
use bevy_ecs::prelude::World;
use tokio::runtime::Runtime;

use crate::cli::args::OnServerError;
use crate::cli::env::random_seed;
use crate::cli::keys;
use crate::cli::output::{Reading, cells, wait_until_told};
use crate::cli::printed::{DefaultsOf, SpentParts};
use crate::cli::process::{self, INTERRUPTED, note_interrupt, told_to_end};
use crate::cli::progress::Progress;
use crate::cli::provenance::Provenance;
use crate::cli::record_printer::{RecordPrinter, numbered};
use crate::cli::seat::{SeatConsole, SeatGame, TerminalSeat};
use crate::cli::settings::IMPROVISER;
use crate::cli::shell::shell_quoted;
use crate::cli::status_line::StatusLine;
use crate::cli::story::{Roster, StoryPrinter, write_outcome};
use crate::cli::{loader, tables, watchers};

/// Without a terminal, progress is reported in this many lines.
const PROGRESS_LINES: u32 = 10;
/// How many of these are played at a time: as many as was said, or one per core.
pub(super) fn jobs(jobs: Option<u32>, of: u32) -> u32 {
    let cores = || thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    jobs.unwrap_or_else(cores).min(of).max(1)
}

/// Prints how many of all are played: a bar on a terminal, else a line now and then.
pub(super) fn show_progress(app: &App, done: u32, total: u32, text: &str) {
    if app.status.has_terminal() {
        return app.status.show_bar(done.into(), total.into(), text);
    }
    let step = total.div_ceil(PROGRESS_LINES).max(1);
    if app.prints_text() && (done.is_multiple_of(step) || done == total) {
        app.err().line(text);
    }
}

/// The seed of a new story: the given one, else that of the environment, else one that is drawn.
pub(super) fn seed(app: &App, given: Option<u64>) -> Result<u64> {
    if let Some(seed) = given {
        return Ok(seed);
    }
    let Some(seed) = &app.settings.seed.value else {
        return Ok(random_seed());
    };
    seed.parse().map_err(|_| {
        let message = text!(cli_usage_bad_value, option = "PLAYHOUSE_SEED", value = seed);
        CommandError::usage(message)
    })
}

/// Says by which seed a new story begins, where it is kept, and with what it is played, before
/// anything else is told.
pub(super) fn announce(app: &App, slot: &str, seed: u64, provenance: &Provenance) {
    if app.settings.json {
        app.out().json(&Printed::Start {
            slot,
            seed,
            provenance,
        });
    } else {
        show_seed(app, seed);
    }
}

/// Says by which seed a new story begins.
pub(super) fn show_seed(app: &App, seed: u64) {
    if !app.settings.quiet {
        app.err().line(say!(app.language, cli_seed, seed));
    }
}

/// Says what a story takes over of data that have changed since it was saved.
pub(super) fn say_changes(app: &App, changes: &[UiText]) {
    if changes.is_empty() {
        return;
    }
    if app.settings.json {
        let changes = changes.iter().map(ToString::to_string).collect();
        app.out().json(&Printed::DataChanged { changes });
    } else if !app.settings.quiet {
        let mut err = app.err();
        err.line(say!(app.language, cli_data_changed));
        for change in changes {
            err.paragraph(&Paragraph::indented(2, 4).plain(change.in_language(app.language)));
        }
    }
}

/// How many pipes take as many files as a runtime.
const RUNTIME_PIPES: usize = 4;

/// How many threads are needed beside a worker for each processor: for a story, its log and files.
const OTHER_THREADS: usize = 4;

pub(super) fn runtime() -> Result<Runtime> {
    checked_runtime().map_err(|error| {
        CommandError::new(
            ErrorKind::Other,
            text!(cli_cant_begin, error = error.to_string()),
        )
    })
}

fn checked_runtime() -> io::Result<Runtime> {
    // Tokio ends the program if there are too few files for it to open, or too few threads.
    let files: io::Result<Vec<_>> = (0..RUNTIME_PIPES).map(|_| io::pipe()).collect();
    drop(files?);
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let idle = |_| thread::Builder::new().spawn(thread::park);
    let threads: io::Result<Vec<_>> = (0..workers + OTHER_THREADS).map(idle).collect();
    for idle in threads? {
        idle.thread().unpark();
        let _ = idle.join();
    }
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.enable_all().build()
}

/// Applies the settings to an engine.
pub(super) fn prepare(app: &App, engine: &mut Engine) {
    let settings = &app.settings;
    engine.settings.falls_back = settings.on_server_error.value == OnServerError::FallBack;
    engine.settings.max_defaults = settings.max_defaults.value;
    engine.settings.limits = limits(app);
    // Readers of a team's conversation learn when something was said.
    let mut teams = engine.world.query::<&Chat>();
    let is_team = teams.iter(&engine.world).next().is_some();
    engine.settings.clock = if is_team { Some(unix_time) } else { None };
}

/// The most that the command may spend.
pub(super) fn limits(app: &App) -> SpendLimits {
    let settings = &app.settings;
    SpendLimits {
        calls: settings.max_calls.value,
        tokens: settings.max_tokens.value,
        cost: settings.max_cost.value.map(Cost::from_units),
    }
}

/// Says which servers a run waits for, if nothing else of it is shown.
pub(super) fn tell_waits(app: &App, engine: &mut Engine) {
    let progress = Progress::new(StatusLine::default(), app.shared_err(), app.language);
    engine.on_signal(move |signal| progress.note(signal));
}

/// The id of the actor whom a person plays, if one does.
pub(super) fn seat(world: &mut World, actor: Option<&str>) -> Result<Option<StableId>> {
    actor.map(|actor| loader::actor(world, actor)).transpose()
}

/// The minds, with the person at the terminal in this seat, who is asked in these words.
pub(super) fn seated(
    app: &App,
    minds: Minds,
    seat: &Arc<TerminalSeat>,
    phrases: &Phrasebook,
) -> Minds {
    let out = if app.settings.json {
        app.shared_err()
    } else {
        app.shared_out()
    };
    let console = SeatConsole::at_seat(out, seat.clone());
    let person = HumanMind::taught(console, app.language, |lessons| {
        lessons.phrases(phrases.clone());
        rpg::seat::teach(lessons);
        undercover::seat::teach(lessons);
    });
    minds.with_seat(seat.name(), Arc::new(person))
}

/// The person at the terminal, who may play an actor.
#[derive(Default)]
pub(super) struct Player {
    actor: Option<(StableId, Arc<TerminalSeat>)>,
    /// The words in which it is asked.
    phrases: Phrasebook,
}

impl Player {
    /// The person who plays the actor of the settings, in this slot.
    pub(super) fn find(app: &App, world: &mut World, game: SeatGame, slot: &str) -> Result<Self> {
        let Some(actor) = &app.settings.seat.value else {
            return Ok(Self::default());
        };
        let id = loader::actor(world, actor)?;
        let save = (slot, app.in_command(slot));
        let seat = TerminalSeat::new(actor, game, save, app.language);
        Ok(Self {
            actor: Some((id, Arc::new(seat))),
            phrases: world.resource::<Phrasebook>().clone(),
        })
    }

    pub(super) fn id(&self) -> Option<StableId> {
        self.actor.as_ref().map(|(id, _)| *id)
    }

    pub(super) fn seated(&self, app: &App, minds: Minds) -> Minds {
        match &self.actor {
            Some((_, seat)) => seated(app, minds, seat, &self.phrases),
            None => minds,
        }
    }

    /// Plays a story that was opened and prints it, until something stops it.
    pub(super) fn play<'a>(
        &self,
        app: &'a App,
        mut session: Session,
        until: Option<u64>,
        introduce: impl FnOnce(),
        view: impl FnOnce(&mut Engine) -> RunView<'a>,
    ) -> Result<Left> {
        let slot = session.slot().name().to_string();
        prepare(app, &mut session.engine);
        let seat = self.actor.as_ref().map(|(_, seat)| seat);
        if let Some(seat) = seat {
            TerminalSeat::watch(std::slice::from_ref(seat), &mut session.engine);
        }
        let runtime = runtime()?;
        let (mut session, servers) = runtime.block_on(loader::connected(app, session))?;
        let engine = &mut session.engine;
        say_changes(app, &session.changes);
        begin_turn(&app.out(), engine.world.resource::<WorldTurn>().0);
        show_keys(app);
        introduce();
        let view = view(engine);
        let stop = view.play(runtime, engine, servers, until)?;
        if seat.is_some_and(|seat| seat.wants_undo()) {
            return Ok(Left::ToUndo(slot));
        }
        view.report(engine, &stop, Some(&slot))?;
        Ok(Left::Reported)
    }
}

/// How the person at the terminal left a run.
#[must_use]
pub(super) enum Left {
    /// How it ended was told.
    Reported,
    /// To take back its last answer in the story of this slot.
    ToUndo(String),
}

/// Lets records have the numbers of those in this world beside their names.
pub(super) fn learn_names(app: &App, world: &World) {
    let mut out = app.out();
    for (id, entity) in world.resource::<CastList>().all() {
        if let Some(name) = world.get::<EntityName>(entity) {
            out.names().add(&name.0, id.0);
        }
    }
}

/// Prints the world's title, and who plays.
pub(super) fn introduce_world(app: &App, world: &WorldFile, introduction: Option<&str>) {
    let name = Paragraph::of(Style::Bold, &world.name);
    let premise = world.premise().map(|text| Paragraph::default().plain(text));
    let mut title: Vec<_> = std::iter::once(name).chain(premise).collect();
    if app.settings.seat.value.is_none() {
        let legend = say!(world.language, story_legend);
        title.push(Paragraph::of(Style::Dim, legend));
    }
    introduce(app, &title, introduction);
}

/// Prints what is played, and who plays it.
pub(super) fn introduce(app: &App, title: &[Paragraph], introduction: Option<&str>) {
    if app.settings.quiet {
        return;
    }
    let introduction = introduction.map(|text| Paragraph::of(Style::Dim, text));
    if app.settings.json {
        // Standard output has only records.
        let mut err = app.err();
        return introduction.iter().for_each(|text| err.paragraph(text));
    }
    let mut out = app.out();
    for paragraph in title.iter().chain(&introduction) {
        out.paragraph(paragraph);
    }
    out.flush();
}

/// Default answers by whose they would have been: how many, and the reason of the last.
type Defaults = Arc<Mutex<BTreeMap<Arc<str>, (u32, UiText)>>>;

/// A run that is printed as it takes place.
pub(super) struct RunView<'a> {
    app: &'a App,
    printer: Option<Arc<Mutex<Box<dyn RecordPrinter>>>>,
    /// For whom the program answered in this run, how often, and why last.
    defaults: Defaults,
    /// Whether the reader may know about everybody; a person at a seat may not.
    sees_all: bool,
    /// Whether the report says what to try next, instead of what was spent.
    is_first: bool,
}

impl<'a> RunView<'a> {
    /// Prints the campaign of this engine: for a seat, what its actor learns; else everything.
    pub(super) fn new(
        app: &'a App,
        engine: &mut Engine,
        language: Language,
        seat: Option<StableId>,
    ) -> Self {
        Self::with_printer(app, engine, seat, |world| {
            story_printer(app, language, seat, world)
        })
    }

    /// One that prints nothing by itself.
    pub(super) fn printed_elsewhere(app: &'a App) -> Self {
        Self {
            app,
            printer: None,
            defaults: Defaults::default(),
            sees_all: true,
            is_first: false,
        }
    }

    /// Prints what this engine plays with a printer, which is made only if it is needed.
    pub(super) fn with_printer(
        app: &'a App,
        engine: &mut Engine,
        seat: Option<StableId>,
        make_printer: impl FnOnce(&mut World) -> Box<dyn RecordPrinter>,
    ) -> Self {
        let token = engine.cancellation_token();
        let mut view = Self {
            sees_all: seat.is_none(),
            ..Self::printed_elsewhere(app)
        };
        if app.settings.quiet {
            return view;
        }
        let seat = seat.and_then(|seat| sitter(&engine.world, seat));
        if view.sees_all {
            let defaults = view.defaults.clone();
            engine.add_feed(Feed::observer(move |record| {
                note_default(&defaults, record)
            }));
        }
        if app.settings.json {
            learn_names(app, &engine.world);
            engine.add_feed(feed(seat, json_sink(app.shared_out(), token)));
            return view;
        }
        let printer = Arc::new(Mutex::new(make_printer(&mut engine.world)));
        view.printer = Some(printer.clone());
        let (out, language) = (app.shared_out(), app.language);
        let sitting = seat.clone();
        let sink = move |record: &Record| {
            if !lock(&printer).print(record) {
                token.cancel();
            }
            let (Some(seat), Record::Event(event)) = (&sitting, record) else {
                return;
            };
            // A person is told when it can only watch.
            let note = match watched_by(&seat.name, event) {
                Some(Watching::Everything) => say!(language, cli_seat_out),
                Some(Watching::Place(_)) => say!(language, cli_seat_fallen),
                _ => return,
            };
            lock(&out).paragraph(&Paragraph::of(Style::Warn, note));
        };
        engine.add_feed(feed(seat, sink));
        note_turns(app, engine);
        view
    }

    /// The same run, whose player may not know the program yet.
    pub(super) fn of_newcomer(mut self, is_newcomer: bool) -> Self {
        self.is_first = is_newcomer;
        self
    }

    /// Plays until something stops the run, and stops the servers of tools.
    pub(super) fn play(
        &self,
        runtime: Runtime,
        engine: &mut Engine,
        servers: ToolServers,
        until: Option<u64>,
    ) -> Result<Stop> {
        let (status, err) = (self.app.status.clone(), self.app.shared_err());
        let progress = Progress::new(status, err, self.app.language);
        let signals = progress.clone();
        engine.on_signal(move |signal| signals.note(signal));
        runtime.spawn(progress.keep_drawing());
        stop_by_signals(self.app, &runtime, engine.cancellation_token());
        let is_paced = self.app.out().reading().is_some();
        let stop = runtime.block_on(async {
            let stop = match is_paced {
                true => self.play_at_pace(engine, until).await,
                false => engine.run(until).await,
            };
            servers.close().await;
            stop
        });
        self.app.status.hide();
        // Ctrl-C ends a story that is told at reading speed, too.
        self.finish();
        // Doesn't wait for a person who could still type something.
        runtime.shutdown_background();
        stop.map_err(CommandError::from)
    }

    /// Plays turn by turn, each when the one before it is told.
    async fn play_at_pace(
        &self,
        engine: &mut Engine,
        until: Option<u64>,
    ) -> Result<Stop, EngineError> {
        loop {
            let next = turn_number(engine.world.resource::<WorldTurn>().0);
            let next = until.map_or(next, |until| until.min(next));
            let stop = engine.run(Some(next)).await?;
            let Stop::TurnReached(turn) = stop else {
                return Ok(stop);
            };
            if until.is_some_and(|until| turn >= until) {
                return Ok(stop);
            }
            wait_until_told(&self.app.shared_out());
            if engine.cancellation_token().is_cancelled() {
                return Ok(Stop::Cancelled);
            }
        }
    }

    /// Prints what is still buffered, and waits until it is told.
    pub(super) fn finish(&self) {
        if let Some(printer) = &self.printer {
            lock(printer).finish();
        }
        wait_until_told(&self.app.shared_out());
    }

    /// Prints how the run ended and what it spent. `slot` is where it is saved.
    pub(super) fn report(&self, engine: &Engine, stop: &Stop, slot: Option<&str>) -> Result<()> {
        if self.app.out().is_lost() {
            // Nobody reads the output any more.
            return Ok(());
        }
        let turn = engine.world.resource::<WorldTurn>().0;
        let language = self.app.language;
        // What is open is told again from its beginning.
        let unread = unread(self.app).filter(|unread| *unread <= turn);
        let outcome = self.outcome(engine, stop);
        self.tell_outcome(engine, stop);
        if self.app.settings.json {
            if let Some(outcome) = outcome {
                self.app.out().json(&Printed::Outcome { outcome });
            }
            let totals = engine.totals();
            let latency = |(name, share)| (name, totals.latency(share).as_millis() as u64);
            self.app.out().json(&Printed::End {
                stop: name_of(stop),
                turn,
                slot,
                spent: totals.spent,
                repeated_share: totals.repeated_share(),
                latency_ms: [("p50", 0.5), ("p95", 0.95)].map(latency).into(),
                parts: self.sees_all.then(|| SpentParts {
                    defaults: self.defaults_of(),
                    by_entity: tables::spent_by_entity(&engine.world).into_iter().collect(),
                    by_purpose: spent_by_purpose(&engine.world),
                }),
            });
        }
        // The improviser costs nothing, and its tokens tell nobody anything but in detail.
        let settings = &self.app.settings;
        let is_free =
            settings.model.value == IMPROVISER && engine.totals().spent.cost == Cost::default();
        let tells_spent = !self.is_first && (!is_free || settings.verbose);
        if self.app.prints_text() && tells_spent {
            let mut err = self.app.err();
            if self.sees_all {
                tables::write_entities(&mut err, language, &engine.world);
            }
            tables::write_totals(&mut err, language, engine.totals());
        }
        self.tell_defaults(slot);
        if let Some((unread, slot)) = unread.zip(slot) {
            tell_unread(self.app, unread, slot, !matches!(stop, Stop::Finished(_)));
            return stopped(self.app, stop, Some(slot));
        }
        self.report_end(stop, turn, slot)?;
        // A player would learn what its character does not know.
        let is_told = self.is_first && self.sees_all && self.app.prints_text();
        if let Some(slot) = slot.filter(|_| is_told) {
            self.say_what_to_try(&engine.world, slot);
        }
        Ok(())
    }

    fn defaults_of(&self) -> Vec<DefaultsOf> {
        let defaults = lock(&self.defaults);
        let rows = defaults.iter().map(|(who, (count, reason))| DefaultsOf {
            entity: who.to_string(),
            count: *count,
            reason: reason.to_string(),
        });
        rows.collect()
    }

    /// Says for whom the program answered, and why.
    fn tell_defaults(&self, slot: Option<&str>) {
        let defaults = lock(&self.defaults);
        if defaults.is_empty() || !self.app.prints_text() {
            return;
        }
        let language = self.app.language;
        let count = defaults.values().map(|(count, _)| count).sum::<u32>();
        let mut err = self.app.err();
        let heading = say!(language, cli_defaults, count);
        err.paragraph(&Paragraph::of(Style::Warn, heading));
        for (who, (count, reason)) in &*defaults {
            let row = say!(
                language,
                cli_defaults_of,
                who = &**who,
                count = *count,
                reason
            );
            err.paragraph(&Paragraph::indented(2, 4).plain(row));
        }
        if let Some(slot) = slot {
            let slot = self.app.in_command(slot);
            err.line(say!(language, cli_retry_with, slot));
        }
    }

    /// What became of a story that is over, if the reader may know about everybody.
    fn outcome(&self, engine: &Engine, stop: &Stop) -> Option<StoryOutcome> {
        let is_over = matches!(stop, Stop::Finished(_)) && unread(self.app).is_none();
        StoryOutcome::of(&engine.world).filter(|_| self.sees_all && is_over)
    }

    /// Prints what became of a story that is over.
    pub(super) fn tell_outcome(&self, engine: &Engine, stop: &Stop) {
        if let Some(outcome) = self
            .outcome(engine, stop)
            .filter(|_| self.app.prints_text())
        {
            let mut out = self.app.out();
            // In the language of the story, which it ends.
            let language = engine.world.resource::<Language>();
            write_outcome(&mut out, *language, &outcome);
            out.flush();
        }
    }

    /// Prints a few commands that show more of a story.
    fn say_what_to_try(&self, world: &World, slot: &str) {
        let language = self.app.language;
        let facts = world.get_resource::<FactBook>();
        let secret = facts.and_then(|facts| facts.all().find(|fact| !fact.is_common()));
        let save = self.app.in_command(slot);
        let mut tries = vec![(
            format!("playhouse show {save}"),
            say!(language, cli_try_show),
        )];
        if let Some(secret) = secret {
            let command = format!("playhouse ask {save} who {}", secret.id);
            tries.push((command, say!(language, cli_try_who)));
        }
        tries.push((
            format!("playhouse watch {save}"),
            say!(language, cli_try_watch),
        ));
        let mut err = self.app.err();
        err.line(say!(language, cli_try_next));
        let widest =
            |of: fn(&(String, String)) -> &String| tries.iter().map(|row| cells(of(row))).max();
        let column = widest(|(command, _)| command).unwrap_or_default() + 4;
        let about = widest(|(_, about)| about).unwrap_or_default();
        // Commands stay whole; where there is no room beside them, the rest stands below.
        let column = if column + about <= err.width() {
            column
        } else {
            6
        };
        for (command, about) in tries {
            err.paragraph(&Paragraph::labelled(&command, 2, column).plain(about));
        }
    }

    /// Some ends are errors.
    fn report_end(&self, stop: &Stop, turn: u64, slot: Option<&str>) -> Result<()> {
        // A player may know the program no better than when it began.
        if let (Stop::Finished(_), false, Some(slot)) = (stop, self.sees_all, slot) {
            if self.app.prints_text() {
                tell_over(self.app, slot);
            }
            return Ok(());
        }
        let text = match stop {
            Stop::LimitReached(_) | Stop::ServerDown(_) | Stop::NoUsableAnswers(_) => {
                return stopped(self.app, stop, slot);
            }
            Stop::Finished(_) => text!(cli_end_finished),
            Stop::TurnReached(turn) => text!(cli_end_turn, turn),
            Stop::Cancelled => text!(cli_end_stopped),
            Stop::EndOfRecording => text!(cli_end_recording, turn),
            Stop::SeatsAwaited(names) => text!(cli_end_seats, names),
            Stop::Idle => text!(cli_end_idle),
        };
        if !self.app.prints_text() {
            return Ok(());
        }
        let language = self.app.language;
        let mut err = self.app.err();
        err.line(text.in_language(language));
        if let Some(slot) = slot {
            let can_continue = matches!(stop, Stop::TurnReached(_) | Stop::Cancelled);
            err.line(if can_continue {
                say!(language, cli_continue_with, slot = paced(self.app, slot))
            } else {
                say!(language, cli_saved_as, slot)
            });
        }
        Ok(())
    }
}

/// The error of a run that a limit or a model stopped, if one did.
pub(super) fn stopped(app: &App, stop: &Stop, slot: Option<&str>) -> Result<()> {
    let error = match stop {
        Stop::LimitReached(reason) => {
            CommandError::new(ErrorKind::Limit, text!(cli_end_limit, reason))
        }
        Stop::ServerDown(reason) => {
            CommandError::new(ErrorKind::Server, text!(cli_end_server, reason))
        }
        Stop::NoUsableAnswers(reason) => {
            CommandError::new(ErrorKind::Server, text!(cli_end_useless, reason))
        }
        _ => return Ok(()),
    };
    Err(match slot.map(|slot| app.in_command(slot)) {
        Some(slot) if error.kind == ErrorKind::Limit => {
            error.help(text!(cli_continue_limited, slot))
        }
        Some(slot) => error.help(text!(cli_continue_with, slot)),
        None => error,
    })
}

/// Prints the campaign of this world, in its own language.
pub(super) fn story_printer(
    app: &App,
    language: Language,
    seat: Option<StableId>,
    world: &mut World,
) -> Box<dyn RecordPrinter> {
    let roster = Roster::of(world);
    let printer = StoryPrinter::new(app.shared_out(), language, roster).with_ids(app.settings.ids);
    let seat = seat.and_then(|seat| sitter(world, seat));
    let turn = world.resource::<WorldTurn>().0;
    let place = seat
        .as_ref()
        .filter(|_| turn == 0)
        .and_then(|seat| world.resource::<CastList>().by_name(&seat.name))
        .and_then(|actor| stage_of(world, actor));
    let look = place.and_then(|place| Some((cast::name_of(world, place), world.get(place)?)));
    // The first question at a seat says it.
    let look = look
        .as_ref()
        .map(|(what, Appearance(look))| Sight { what, look });
    let printer = printer.at_seat(seat.map(|seat| seat.name), look);
    Box::new(printer.with_workings(app.settings.verbose, turn))
}

/// Says that a story is over, and how it is read again.
pub(super) fn tell_over(app: &App, slot: &str) {
    let slot = app.in_command(slot);
    let seat = app.settings.seat.value.as_deref();
    let seat = seat.map(|seat| format!("{slot} --seat {}", shell_quoted(seat.as_ref())));
    let mut err = app.err();
    err.line(say!(app.language, cli_end_finished));
    let own = seat.as_ref().unwrap_or(&slot);
    err.line(say!(app.language, cli_read_again_with, slot = own));
    if seat.is_some() {
        err.line(say!(app.language, cli_read_all_with, slot));
    }
}

fn feed(seat: Option<Recipient>, sink: impl FnMut(&Record) + Send + Sync + 'static) -> Feed {
    let Some(seat) = seat else {
        return Feed::observer(sink);
    };
    let name = seat.name.clone();
    Feed::seat(seat, sink).watching(move |event| watched_by(&name, event))
}

/// What the seat of this name watches from an event on.
fn watched_by(name: &str, event: &EventRecord) -> Option<Watching> {
    let own = watchers(event).into_iter().find(|(who, _)| who == name);
    own.map(|(_, watching)| watching)
}

/// Who sits at a seat, by id and name.
fn sitter(world: &World, seat: StableId) -> Option<Recipient> {
    let entity = world.resource::<CastList>().by_id(seat)?;
    let name = world.get::<EntityName>(entity)?.0.clone();
    Some(Recipient { id: seat, name })
}

fn note_default(defaults: &Defaults, record: &Record) {
    if let Record::Answer(answer) = record
        && let AnsweredBy::Fallback(reason) = &answer.by
    {
        let mut defaults = lock(defaults);
        let count = defaults.get(&answer.entity).map_or(0, |(count, _)| *count);
        defaults.insert(answer.entity.clone(), (count + 1, reason.clone()));
    }
}

fn json_sink(
    out: Arc<Mutex<Output>>,
    token: CancellationToken,
) -> impl FnMut(&Record) + Send + Sync {
    move |record| {
        let mut out = lock(&out);
        out.json(&numbered(record));
        out.flush();
        if out.is_lost() {
            token.cancel();
        }
    }
}

/// Lets signals and the reader stop a run.
pub(super) fn stop_by_signals(app: &App, runtime: &Runtime, token: CancellationToken) {
    if let Some(reading) = app.out().reading() {
        reading.stops(token.clone());
    }
    runtime.spawn(handle_ctrl_c(token, app.err(), app.language));
    #[cfg(unix)]
    if keys::is_changed() {
        runtime.spawn(process::end_by_signal());
    }
}

/// The first Ctrl-C, or signal to end, stops the run when the current step is finished, the second
/// at once.
pub(super) async fn handle_ctrl_c(token: CancellationToken, mut err: Output, language: Language) {
    let Ok(ended) = told_to_end() else {
        return;
    };
    ended.await;
    note_interrupt();
    token.cancel();
    err.line(say!(language, cli_stopping));
    if let Ok(ended) = told_to_end() {
        ended.await;
        // The journal has everything.
        process::exit(INTERRUPTED);
    }
}

/// Lets what is told at reading speed know its turn.
pub(super) fn note_turns(app: &App, engine: &mut Engine) {
    begin_turn(&app.out(), engine.world.resource::<WorldTurn>().0);
    let out = app.shared_out();
    engine.add_feed(Feed::observer(move |record| {
        if let Record::Turn { turn } = record {
            begin_turn(&lock(&out), *turn);
        }
    }));
}

/// What is told from now on happens after this many turns.
pub(super) fn begin_turn(out: &Output, before: u64) {
    if let Some(reading) = out.reading() {
        reading.begin_turn(turn_number(before));
    }
}

/// Says which keys a reader has, if the story is told at reading speed.
pub(super) fn show_keys(app: &App) {
    let takes_keys = app.out().reading().is_some_and(Reading::takes_keys);
    if takes_keys {
        let keys = say!(app.language, cli_pace_keys);
        app.err().paragraph(&Paragraph::of(Style::Dim, keys));
    }
}

/// The turn in which the reader stopped, if that was before the end of what was played.
pub(super) fn unread(app: &App) -> Option<u64> {
    app.out().reading().and_then(Reading::unread)
}

/// Says how to go on reading, and how to play on after that.
pub(super) fn tell_unread(app: &App, turn: u64, slot: &str, can_continue: bool) {
    let mut err = app.err();
    let from = format!("{} --from {turn}", paced(app, slot));
    err.line(say!(app.language, cli_pace_stopped, turn));
    err.line(say!(app.language, cli_read_on_with, slot = from));
    if can_continue {
        err.line(say!(
            app.language,
            cli_continue_with,
            slot = paced(app, slot)
        ));
    }
}

/// A save as printed commands name it, with the speed at which it is told.
fn paced(app: &App, slot: &str) -> String {
    let slot = app.in_command(slot);
    match app.out().reading().map(Reading::words_a_minute) {
        Some(words) => format!("{slot} --pace={words}"),
        None => slot,
    }
}

fn name_of(stop: &Stop) -> &'static str {
    match stop {
        Stop::Finished(_) => "finished",
        Stop::TurnReached(_) => "turn_reached",
        Stop::Cancelled => "cancelled",
        Stop::LimitReached(_) => "limit_reached",
        Stop::ServerDown(_) => "server_down",
        Stop::NoUsableAnswers(_) => "no_usable_answers",
        Stop::EndOfRecording => "end_of_recording",
        Stop::SeatsAwaited(_) => "seats_awaited",
        Stop::Idle => "idle",
    }
}
