//! Tournaments of undercover: many games at a time, and their statistics.

use crate::cli::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::CancellationToken;
use crate::save::{Slot, list};
use crate::undercover::{
    FiguresError, GameFigures, Match, OpenedGame, Side, Statistics, Tournament, TournamentError,
    figures_of,
};
use tokio::runtime::{Handle, Runtime};

use super::budget::SharedBudget;
use super::play;
use super::players::{NAME, Players, introduce};
use crate::cli::args::{ResumeArgs, UndercoverArgs};
use crate::cli::saved::{check_seed, clear, damaged, match_error, slot_name};
use crate::cli::slot_settings;
use crate::cli::statistics::write_statistics;

pub(super) fn begin(app: &App, args: &UndercoverArgs, game: Match, games: u32) -> Result<()> {
    let players = Players::find(app, game.rules())?;
    let root = &app.settings.saves.value;
    let name = slot_name(app, args.save.as_ref(), NAME);
    if args.force {
        clear(app, &name)?;
    }
    let seed = play::seed(app, args.seed)?;
    let begun = Tournament::create(root, &name, game, seed, games);
    let tournament = begun.map_err(|error| tournament_error(app, error))?;
    slot_settings::remember(app, &name, tournament.game().rules().player_models())?;
    play::announce(app, &name, seed);
    play_all(app, &tournament, &players, args.jobs)
}

pub(super) fn resume(app: &App, args: &ResumeArgs) -> Result<()> {
    let (name, play) = (&*args.slot, &args.play);
    let single = [
        (play.seat.is_some(), "--seat"),
        (play.until.is_some(), "--until"),
        (play.dry_run, "--dry-run"),
    ];
    if let Some((_, option)) = single.into_iter().find(|(given, _)| *given) {
        let message = text!(cli_not_with_tournament, option);
        return Err(CommandError::usage(message));
    }
    let found = Tournament::find(&app.settings.saves.value, name, &app.data()?);
    let tournament = found.map_err(|error| tournament_error(app, error))?;
    check_seed(args.seed, tournament.seed(0), name)?;
    let models = tournament.game().rules().player_models();
    let slot = Slot::find(&app.settings.saves.value, name)?;
    slot_settings::check_player_models(app, &slot, &models)?;
    let players = Players::find(app, tournament.game().rules())?;
    slot_settings::remember(app, name, models)?;
    play_all(app, &tournament, &players, None)
}

/// Prints the statistics of slots, tournaments and folders of slots.
pub(super) fn count(app: &App, names: &[String]) -> Result<()> {
    let data = app.data()?;
    let runtime = play::runtime()?;
    let mut games = Vec::new();
    let mut failed = None;
    for name in names {
        for slot in slots_of(app, name)? {
            match runtime.block_on(figures_of(&slot, &data)) {
                Ok(figures) => games.push(figures),
                Err(error) => {
                    let error = figures_error(app, error).at(slot.folder().display());
                    failed.get_or_insert(error);
                }
            }
        }
    }
    if !games.is_empty() {
        print_statistics(app, &games, None);
    }
    failed.map_or(Ok(()), Err)
}

/// The slots with undercover games that a name stands for: a slot, a tournament, or a folder of
/// slots.
fn slots_of(app: &App, name: &str) -> Result<Vec<Slot>> {
    let root = &app.settings.saves.value;
    let folder = if Tournament::exists(root, name) {
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
    let slots = list(&folder)?;
    let is_game = |head: &crate::save::SaveHead| head.world == crate::undercover::GAME;
    let games = slots
        .into_iter()
        // One that can't be read is not left out without a word.
        .filter(|listed| match &listed.head {
            Ok(head) => head.as_ref().is_some_and(is_game),
            Err(_) => true,
        });
    let games: Vec<_> = games.map(|listed| listed.slot).collect();
    if games.is_empty() {
        let error = CommandError::new(ErrorKind::Save, text!(cli_no_games, name));
        return Err(error.help(text!(cli_no_games_help)));
    }
    Ok(games)
}

/// Plays the games that are not over, several at a time, and prints the statistics of all.
fn play_all(
    app: &App,
    tournament: &Tournament,
    players: &Players,
    jobs: Option<u32>,
) -> Result<()> {
    let rules = tournament.game().rules();
    introduce(app, rules, players.introduction.as_deref());
    let jobs = play::jobs(jobs, tournament.games());
    let runtime = play::runtime()?;
    let run = TournamentRun {
        app,
        tournament,
        players,
        handle: runtime.handle().clone(),
        next: AtomicU32::new(0),
        budget: SharedBudget::new(&app.settings, jobs),
        tokens: CancellationTokens::default(),
        results: Mutex::default(),
    };
    run.tokens.handle_ctrl_c(app, &runtime);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| run.work());
        }
    });
    runtime.shutdown_background();
    app.status.hide();
    let was_stopped = run.tokens.main.is_cancelled();
    let results = run.results.into_inner();
    let results = results.unwrap_or_else(PoisonError::into_inner);
    let games: Vec<_> = results.figures.into_values().collect();
    print_statistics(app, &games, Some(tournament));
    let slot = app.in_command(tournament.name().as_str());
    if let Some(error) = results.errors.into_values().next() {
        return Err(match error.help {
            Some(_) => error,
            None => error.help(text!(cli_continue_with, slot)),
        });
    }
    if app.prints_text() {
        let mut err = app.err();
        if was_stopped {
            err.line(say!(app.language, cli_end_stopped));
            err.line(say!(app.language, cli_continue_with, slot));
        } else {
            let folder = tournament.slots();
            err.line(say!(app.language, cli_tournament_saved, slot, folder));
        }
    }
    Ok(())
}

/// Prints the figures of these games.
fn print_statistics(app: &App, games: &[GameFigures], tournament: Option<&Tournament>) {
    let statistics = Statistics::of(games);
    let mut out = app.out();
    if app.settings.json {
        for game in games {
            out.json(&record("game", game));
        }
        let name = tournament.map(|tournament| tournament.name().as_str());
        let head = json!({"record": "tournament", "slot": name});
        out.json(&joined([head, json!(statistics)]));
    } else if !app.settings.quiet {
        write_statistics(&mut out, app.language, &statistics);
    }
    out.flush();
}

/// What the games of a tournament share while they are played.
struct TournamentRun<'a> {
    app: &'a App,
    tournament: &'a Tournament,
    players: &'a Players,
    handle: Handle,
    /// The next game to play.
    next: AtomicU32,
    budget: SharedBudget,
    tokens: CancellationTokens,
    results: Mutex<Results>,
}

/// By game, so that it makes no difference which is over first.
#[derive(Default)]
struct Results {
    figures: BTreeMap<u32, GameFigures>,
    errors: BTreeMap<u32, CommandError>,
}

impl TournamentRun<'_> {
    /// Plays games until there are none left, or the tournament is stopped.
    fn work(&self) {
        while !self.tokens.main.is_cancelled() {
            let game = self.next.fetch_add(1, Ordering::SeqCst);
            if game >= self.tournament.games() {
                return;
            }
            let played = self.play(game);
            let has_failed = played.is_err();
            let figures = self.figures(game);
            let mut results = lock(&self.results);
            match figures {
                // One that was stopped is not played.
                Ok(Some(figures)) if !has_failed => {
                    results.figures.insert(game, figures);
                }
                Ok(_) => {}
                Err(error) => {
                    results.errors.insert(game, error);
                }
            }
            if let Err(error) = played {
                results.errors.insert(game, error);
            }
            self.print_progress(&results);
            drop(results);
            if has_failed {
                self.tokens.cancel_all();
            }
        }
    }

    fn play(&self, game: u32) -> Result<()> {
        let seed = self.tournament.seed(game);
        let minds = self.players.minds(self.tournament.game(), seed);
        let opened = self.tournament.open_game(game, minds);
        let name = self.tournament.name().as_str();
        let opened = opened.map_err(|error| match error {
            TournamentError::Save(error) => damaged(error, &self.app.in_command(name)),
            error => tournament_error(self.app, error),
        });
        let mut session = match opened? {
            OpenedGame::Over => return Ok(()),
            OpenedGame::Playable(session) => session,
        };
        let engine = &mut session.engine;
        play::prepare(self.app, engine);
        let grant = self.budget.grant();
        engine.settings.limits = grant.0;
        self.tokens.add(engine.cancellation_token());
        play::tell_waits(self.app, engine);
        let stop = self.handle.block_on(engine.run(None));
        self.budget.give_back(grant, &engine.totals().spent);
        let stop = stop?;
        play::stopped(self.app, &stop, None)
    }

    /// The figures of a game, from its journal alone.
    fn figures(&self, game: u32) -> Result<Option<GameFigures>> {
        let figures = self.tournament.figures(game);
        let figures = self.handle.block_on(figures);
        figures.map_err(|error| figures_error(self.app, error))
    }

    /// Prints how far the tournament is: a bar on a terminal, else a line now and then.
    fn print_progress(&self, results: &Results) {
        let total = self.tournament.games();
        let done = results.figures.len() as u32;
        let won = |side| {
            let winners = results.figures.values().filter_map(|game| game.winner);
            winners.filter(|winner| *winner == side).count()
        };
        let (civilians, undercover) = (won(Side::Civilian), won(Side::Undercover));
        let language = self.app.language;
        let text = say!(
            language,
            cli_games_played,
            done,
            all = total,
            civilians,
            undercover
        );
        play::show_progress(self.app, done, total, &text);
    }
}

/// The tokens of all running games, and the one that stops them all.
#[derive(Clone, Default)]
pub(super) struct CancellationTokens {
    pub(super) main: CancellationToken,
    games: Arc<Mutex<Vec<CancellationToken>>>,
}

impl CancellationTokens {
    /// The first Ctrl-C stops all games when their current steps are finished, the second at once.
    pub(super) fn handle_ctrl_c(&self, app: &App, runtime: &Runtime) {
        let tokens = self.clone();
        let (token, err) = (tokens.main.clone(), app.err());
        runtime.spawn(play::handle_ctrl_c(token, err, app.language));
        runtime.spawn(async move {
            tokens.main.cancelled().await;
            tokens.cancel_all();
        });
    }

    /// Adds that of a game which begins.
    pub(super) fn add(&self, token: CancellationToken) {
        lock(&self.games).push(token.clone());
        // All may have been stopped before this one was added.
        if self.main.is_cancelled() {
            token.cancel();
        }
    }

    fn cancel_all(&self) {
        self.main.cancel();
        lock(&self.games).iter().for_each(CancellationToken::cancel);
    }
}

fn tournament_error(app: &App, error: TournamentError) -> CommandError {
    match error {
        TournamentError::Save(error) => CommandError::from(error),
        TournamentError::Match(error) => match_error(app, error),
        TournamentError::Session(error) => CommandError::from(error),
        error => CommandError::of(ErrorKind::Save, &error),
    }
}

fn figures_error(app: &App, error: FiguresError) -> CommandError {
    match error {
        FiguresError::Save(error) => CommandError::from(error),
        FiguresError::Match(error) => match_error(app, error),
        FiguresError::Replay(error) => CommandError::from(error),
        error => CommandError::of(ErrorKind::Save, &error),
    }
}
