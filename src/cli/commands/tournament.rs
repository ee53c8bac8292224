//! Many games at once: played, counted, and counted again.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use playhouse::engine::{CancellationToken, SpendLimits, Stop};
use playhouse::exchange::Spent;
use playhouse::mind::Cost;
use playhouse::save::{Slot, list};
use playhouse::undercover::{
    FiguresError, GameFigures, Match, Opened, Side, Statistics, Tournament, TournamentError,
    figures_of,
};
use serde_json::{Value, json};
use tokio::runtime::{Handle, Runtime};

use super::play;
use super::undercover::{self, NAME, Players, USUAL_SEED};
use crate::cli::app::App;
use crate::cli::args::{PlayArgs, UndercoverArgs};
use crate::cli::error::{Failure, Fault, engine_failure};
use crate::cli::saved::{
    clear, free_name, journal_failure, match_failure, save_failure, session_failure,
};
use crate::cli::standings::write_standings;

/// Cells of the bar that shows how far a tournament is.
const BAR: usize = 30;
/// Off a terminal, so many lines tell how far a tournament is.
const LINES: u32 = 10;

/// Begins a tournament.
pub(super) fn begin(
    app: &App,
    args: &UndercoverArgs,
    game: Match,
    games: u32,
) -> Result<(), Failure> {
    let players = Players::find(app, game.rules())?;
    let root = &app.settings.saves.value;
    let name = match &args.save {
        Some(name) => name.clone(),
        None => free_name(root, NAME),
    };
    if args.force {
        clear(root, &name)?;
    }
    let seed = args.seed.unwrap_or(USUAL_SEED);
    let begun = Tournament::begin(root, &name, game, seed, games);
    let tournament = begun.map_err(|error| failure(app, error))?;
    play_all(app, &tournament, &players, args.jobs)
}

/// Goes on with a tournament.
pub(super) fn go_on(app: &App, name: &str, args: &PlayArgs) -> Result<(), Failure> {
    let single = [
        (args.seat.is_some(), "--seat"),
        (args.until.is_some(), "--until"),
        (args.dry_run, "--dry-run"),
    ];
    if let Some((_, option)) = single.into_iter().find(|(given, _)| *given) {
        let what = app.words.not_with_tournament(option);
        return Err(Failure::new(Fault::Usage, what));
    }
    let found = Tournament::find(&app.settings.saves.value, name, &app.data()?);
    let tournament = found.map_err(|error| failure(app, error))?;
    let players = Players::find(app, tournament.game().rules())?;
    play_all(app, &tournament, &players, None)
}

/// Computes the figures of slots, tournaments and folders of slots.
pub(super) fn count(app: &App, names: &[String]) -> Result<(), Failure> {
    let data = app.data()?;
    let runtime = play::runtime()?;
    let mut games = Vec::new();
    for name in names {
        for slot in slots_of(app, name)? {
            let figures = runtime.block_on(figures_of(&slot, &data));
            games.push(
                figures.map_err(|error| figures_failure(app, error).at(slot.folder().display()))?,
            );
        }
    }
    show(app, &games, None);
    Ok(())
}

/// The slots with games of who is the undercover that a name means: a slot, a tournament, or a folder of slots.
fn slots_of(app: &App, name: &str) -> Result<Vec<Slot>, Failure> {
    let root = &app.settings.saves.value;
    let folder = if Tournament::is_in(root, name) {
        root.join(name).join("games")
    } else if let Ok(slot) = Slot::find(root, name) {
        return Ok(vec![slot]);
    } else {
        let path = Path::new(name);
        let games = path.join("games");
        if games.is_dir() {
            games
        } else {
            path.to_owned()
        }
    };
    let slots = list(&folder).map_err(save_failure)?;
    let is_game = |head: &playhouse::save::SaveHead| head.world == playhouse::undercover::GAME;
    let games = slots
        .into_iter()
        .filter(|listed| matches!(&listed.head, Ok(Some(head)) if is_game(head)));
    let games: Vec<_> = games.map(|listed| listed.slot).collect();
    match games.is_empty() {
        false => Ok(games),
        true => {
            let failure = Failure::new(Fault::Save, app.words.nothing_to_count(name));
            Err(failure.try_this(app.words.name_games()))
        }
    }
}

/// Plays what is not over yet, several games at a time, and shows the figures of all.
fn play_all(
    app: &App,
    tournament: &Tournament,
    players: &Players,
    jobs: Option<u32>,
) -> Result<(), Failure> {
    undercover::open(
        app,
        tournament.game().rules(),
        players.introduction.as_deref(),
    );
    let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    let jobs = jobs.unwrap_or_else(cores).min(tournament.games()).max(1);
    let runtime = play::runtime()?;
    let hall = Hall {
        app,
        tournament,
        players,
        handle: runtime.handle().clone(),
        next: AtomicU32::new(0),
        purse: Purse::of(app, jobs),
        brakes: CancellationTokens::default(),
        done: Mutex::default(),
    };
    hall.heed_interrupts(&runtime);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| hall.work());
        }
    });
    runtime.shutdown_background();
    app.status.wipe();
    let done = hall
        .done
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let games: Vec<_> = done.figures.into_values().collect();
    show(app, &games, Some(tournament));
    let failure = done.failures.into_iter().next().map(|(_, failure)| failure);
    let name = tournament.name().as_str();
    match failure {
        Some(failure) if failure.remedy.is_empty() => {
            Err(failure.try_this(app.words.how_to_resume(name)))
        }
        Some(failure) => Err(failure),
        None if hall.brakes.main.is_pulled() => {
            tell(app, &app.words.braked());
            tell(app, &app.words.how_to_resume(name));
            Ok(())
        }
        None => {
            let folder = tournament.slots().display().to_string();
            tell(app, &app.words.tournament_saved(name, &folder));
            Ok(())
        }
    }
}

fn tell(app: &App, what: &str) {
    if !app.settings.quiet && !app.settings.json {
        app.err().line(what);
    }
}

/// Shows what these games tell.
fn show(app: &App, games: &[GameFigures], tournament: Option<&Tournament>) {
    let all = Statistics::of(games);
    let mut out = app.out();
    if app.settings.json {
        for game in games {
            out.json(&with(json!({"record": "game"}), json!(game)));
        }
        let name = tournament.map(|tournament| tournament.name().as_str());
        let head = json!({"record": "tournament", "slot": name});
        out.json(&with(head, json!(all)));
    } else if !app.settings.quiet {
        let words = app.words;
        write_standings(&mut out, words, &all);
    }
    out.flush();
}

/// One object with the members of both.
fn with(mut head: Value, members: Value) -> Value {
    if let (Value::Object(head), Value::Object(members)) = (&mut head, members) {
        head.extend(members);
    }
    head
}

/// What the games of a tournament share while they are played.
struct Hall<'a> {
    app: &'a App,
    tournament: &'a Tournament,
    players: &'a Players,
    handle: Handle,
    /// The next game that nobody has taken.
    next: AtomicU32,
    purse: Purse,
    brakes: CancellationTokens,
    done: Mutex<Done>,
}

/// What came of the games, by game, so that it makes no difference which is over first.
#[derive(Default)]
struct Done {
    figures: BTreeMap<u32, GameFigures>,
    failures: BTreeMap<u32, Failure>,
}

impl Hall<'_> {
    /// The first Ctrl-C stops all games between two commits, the second leaves at once.
    fn heed_interrupts(&self, runtime: &Runtime) {
        let (err, words) = (self.app.err(), self.app.words);
        let (main, brakes) = (self.brakes.main.clone(), self.brakes.clone());
        runtime.spawn(play::heed_interrupts(main, err, words));
        runtime.spawn(async move {
            brakes.main.pulled().await;
            brakes.pull_all();
        });
    }

    /// Takes games until there are none, or the tournament is stopped.
    fn work(&self) {
        while !self.brakes.main.is_pulled() {
            let game = self.next.fetch_add(1, Ordering::SeqCst);
            if game >= self.tournament.games() {
                return;
            }
            let played = self.play(game);
            let failed = played.is_err();
            let figures = self.figures(game);
            let mut done = lock(&self.done);
            match figures {
                Ok(Some(figures)) => {
                    done.figures.insert(game, figures);
                }
                Ok(None) => {}
                Err(failure) => {
                    done.failures.insert(game, failure);
                }
            }
            if let Err(failure) = played {
                done.failures.insert(game, failure);
            }
            self.draw(&done);
            drop(done);
            if failed {
                self.brakes.pull_all();
            }
        }
    }

    fn play(&self, game: u32) -> Result<(), Failure> {
        let seed = self.tournament.seed(game);
        let minds = self.players.minds(self.tournament.game(), seed);
        let opened = self.tournament.open(game, minds);
        let mut session = match opened.map_err(|error| failure(self.app, error))? {
            Opened::Over => return Ok(()),
            Opened::Playable(session) => session,
        };
        let engine = &mut session.engine;
        play::prepare(self.app, engine);
        let grant = self.purse.grant();
        engine.settings.caps = grant.0;
        self.brakes.add(engine.brake());
        let stop = self.handle.block_on(engine.run(None));
        self.purse.give_back(grant, &engine.totals().spent);
        let words = self.app.words;
        match stop.map_err(|error| engine_failure(&error))? {
            Stop::CapReached(why) => {
                let why = words.error_text(&why);
                Err(Failure::new(Fault::Budget, words.cap_reached(&why)))
            }
            Stop::ServerDown(why) => {
                let why = why.in_language(words.0);
                Err(Failure::new(Fault::Server, words.server_down(&why)))
            }
            _ => Ok(()),
        }
    }

    /// The figures of a game, from its journal alone.
    fn figures(&self, game: u32) -> Result<Option<GameFigures>, Failure> {
        let figures = self.tournament.figures(game);
        let figures = self.handle.block_on(figures);
        figures.map_err(|error| figures_failure(self.app, error))
    }

    /// Shows how far the tournament is: a bar on a terminal, else a line now and then.
    fn draw(&self, done: &Done) {
        if self.app.settings.quiet {
            return;
        }
        let all = self.tournament.games();
        let count = done.figures.len() as u32;
        let won = |side| {
            let mut winners = done.figures.values().filter_map(|game| game.winner);
            winners.by_ref().filter(|winner| *winner == side).count() as u32
        };
        let (civilians, undercover) = (won(Side::Civilian), won(Side::Undercover));
        let text = self
            .app
            .words
            .games_played(count, all, civilians, undercover);
        if self.app.status.is_shown() {
            let bar = bar(count, all);
            return self.app.status.draw(&format!("{bar} {text}"));
        }
        let step = all.div_ceil(LINES).max(1);
        if !self.app.settings.json && (count.is_multiple_of(step) || count == all) {
            self.app.err().line(text);
        }
    }
}

/// A bar, full so far as so many of all games are over.
fn bar(count: u32, all: u32) -> String {
    let full = (BAR * count as usize / all.max(1) as usize).min(BAR);
    format!("{}{}", "█".repeat(full), "░".repeat(BAR - full))
}

/// The brakes of all games under way, and the one that stops them all.
#[derive(Clone, Default)]
struct CancellationTokens {
    main: CancellationToken,
    games: Arc<Mutex<Vec<CancellationToken>>>,
}

impl CancellationTokens {
    fn add(&self, brake: CancellationToken) {
        lock(&self.games).push(brake.clone());
        // Whoever pulled all before this one was there has missed it.
        if self.main.is_pulled() {
            brake.pull();
        }
    }

    fn pull_all(&self) {
        self.main.pull();
        lock(&self.games).iter().for_each(CancellationToken::pull);
    }
}

/// What all games together may spend. Each game gets a part before it begins and gives back what it did
/// not spend, so that they never spend more than the caps, however many are played at a time.
struct Purse {
    caps: SpendLimits,
    jobs: u64,
    held: Mutex<Held>,
}

/// What is spent, and what is granted to games under way.
#[derive(Default)]
struct Held {
    calls: u64,
    tokens: u64,
    cost: u64,
    under_way: u64,
}

/// What a game may spend.
#[derive(Clone, Copy)]
struct Grant(SpendLimits);

impl Purse {
    fn of(app: &App, jobs: u32) -> Self {
        let settings = &app.settings;
        Self {
            caps: SpendLimits {
                calls: settings.max_calls.value,
                tokens: settings.max_tokens.value,
                cost: settings.max_cost.value.map(Cost::from_units),
            },
            jobs: u64::from(jobs),
            held: Mutex::default(),
        }
    }

    /// What the next game may spend: what is left, parted among those who may still ask for some.
    fn grant(&self) -> Grant {
        let mut held = lock(&self.held);
        let parts = self.jobs.saturating_sub(held.under_way).max(1);
        let part = |cap: Option<u64>, held: u64| Some(cap?.saturating_sub(held) / parts);
        let caps = SpendLimits {
            calls: part(self.caps.calls, held.calls),
            tokens: part(self.caps.tokens, held.tokens),
            cost: part(self.caps.cost.map(|cost| cost.0), held.cost).map(Cost),
        };
        held.under_way += 1;
        held.calls += caps.calls.unwrap_or(0);
        held.tokens += caps.tokens.unwrap_or(0);
        held.cost += caps.cost.map_or(0, |cost| cost.0);
        Grant(caps)
    }

    fn give_back(&self, Grant(caps): Grant, spent: &Spent) {
        let mut held = lock(&self.held);
        let rest = |held: u64, granted: Option<u64>, spent: u64| {
            held.saturating_sub(granted.unwrap_or(0))
                .saturating_add(spent)
        };
        held.under_way = held.under_way.saturating_sub(1);
        held.calls = rest(held.calls, caps.calls, spent.calls);
        held.tokens = rest(held.tokens, caps.tokens, spent.usage.total());
        held.cost = rest(held.cost, caps.cost.map(|cost| cost.0), spent.cost.0);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn failure(app: &App, error: TournamentError) -> Failure {
    match error {
        TournamentError::Save(error) => save_failure(error),
        TournamentError::Match(error) => match_failure(app, error),
        TournamentError::Session(error) => session_failure(error),
        error => Failure::new(Fault::Save, error),
    }
}

fn figures_failure(app: &App, error: FiguresError) -> Failure {
    match error {
        FiguresError::Journal(error) => journal_failure(error),
        FiguresError::Match(error) => match_failure(app, error),
        FiguresError::Replay(error) => session_failure(error),
        error => Failure::new(Fault::Save, error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_never_spend_more_than_the_caps_together() {
        let purse = Purse {
            caps: SpendLimits {
                calls: Some(100),
                ..SpendLimits::default()
            },
            jobs: 3,
            held: Mutex::default(),
        };
        let spent = |calls| Spent {
            calls,
            ..Spent::default()
        };
        let mut under_way = vec![purse.grant(), purse.grant(), purse.grant()];
        let calls = |grant: &Grant| grant.0.calls.unwrap();
        assert_eq!(under_way.iter().map(calls).sum::<u64>(), 100);
        let mut all = 0;
        for _ in 0..20 {
            let grant = under_way.remove(0);
            let real = calls(&grant).min(7);
            all += real;
            purse.give_back(grant, &spent(real));
            under_way.push(purse.grant());
            let granted: u64 = under_way.iter().map(calls).sum();
            assert!(all + granted <= 100, "{all} and {granted}");
        }
        assert!(all >= 98, "only {all} were spent");
        assert_eq!(under_way[0].0.tokens, None);
    }
    #[test]
    fn a_bar_grows_from_empty_to_full_and_keeps_its_length() {
        for all in [1, 7, 200, 1_000] {
            let bars: Vec<_> = (0..=all).map(|count| bar(count, all)).collect();
            let full = |bar: &String| bar.matches('█').count();
            assert!(bars.is_sorted_by_key(full));
            assert!(bars.iter().all(|bar| bar.chars().count() == BAR));
            let ends = [&bars[0], &bars[all as usize]].map(full);
            assert_eq!(ends, [0, BAR], "{all}");
        }
        assert_eq!(bar(1, 0).chars().count(), BAR);
    }
}
