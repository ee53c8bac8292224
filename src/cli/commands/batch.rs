//! Batches: many games, each in a slot of its own, several at a time, within limits that they
//! share.

use crate::cli::prelude::*;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::engine::{Account, CancellationToken, Engine, SpendLimits, Stop};
use crate::exchange::Spent;
use crate::mind::Minds;
use crate::save::Slot;
use crate::session::{Batch, BatchError, Game, OpenedGame};
use crate::undercover::Match;
use tokio::runtime::{Handle, Runtime};

use super::{campaign_batch, play, tournament};
use crate::cli::args::ResumeArgs;
use crate::cli::saved::damaged;

/// The games of a batch: who plays them, and what they come to.
pub(super) trait Games: Sync {
    type Figures: Send;

    fn game(&self) -> &dyn Game;

    fn minds(&self, seed: u64) -> Minds;

    /// Gets a new game ready, before it begins.
    fn prepare(&self, _engine: &mut Engine) {}

    /// What a game came to, by its journal; `None` if it came to nothing that counts.
    fn figures(&self, app: &App, slot: &Slot, runtime: &Handle) -> Result<Option<Self::Figures>>;

    fn spent(&self, figures: &Self::Figures) -> Spent;

    fn record<'f>(&'f self, slot: &'f Slot, figures: &'f Self::Figures) -> Printed<'f>;
}

/// A batch that is played.
pub(super) struct Part<'a, G> {
    pub(super) batch: &'a Batch,
    pub(super) games: &'a G,
}

/// A game: of which part, and its number there.
type Place = (usize, u32);
/// Figures by game, so that it makes no difference which is over first.
pub(super) type Results<F> = BTreeMap<Place, F>;

pub(super) struct Played<F> {
    pub(super) figures: Results<F>,
    /// What this run spent.
    pub(super) spent: Spent,
    /// Why it did not go on.
    pub(super) error: Option<CommandError>,
    pub(super) was_stopped: bool,
}

/// Continues a batch of any kind.
pub(super) fn resume(app: &App, args: &ResumeArgs) -> Result<()> {
    let (name, play) = (&*args.slot, &args.play);
    let single = [
        (!play.seat.is_empty(), "--seat"),
        (play.until.is_some(), "--until"),
        (play.dry_run, "--dry-run"),
    ];
    if let Some((_, option)) = single.into_iter().find(|(given, _)| *given) {
        return Err(CommandError::usage(text!(cli_not_with_batch, option)));
    }
    let batch = Batch::find(&app.settings.saves.value, name).map_err(batch_error)?;
    check_seed(args.seed, batch.seed(0), name)?;
    match Match::of_batch(&app.data()?, batch.plan()) {
        Some(game) => tournament::resume(app, &batch, game, args),
        None => campaign_batch::resume(app, &batch, args),
    }
}

/// A batch keeps the seed that it began with: its games follow from it.
fn check_seed(given: Option<u64>, seed: u64, slot: &str) -> Result<()> {
    if given.is_none_or(|given| given == seed) {
        return Ok(());
    }
    let error = CommandError::usage(text!(cli_other_seed, seed));
    Err(error.at(slot).help(text!(cli_other_seed_help)))
}

/// Plays the games that are not over, several at a time, those of all parts in turn. `progress`
/// says how far it is.
pub(super) fn play_all<G: Games>(
    app: &App,
    parts: &[Part<'_, G>],
    jobs: Option<u32>,
    progress: &(dyn Fn(&Results<G::Figures>) -> String + Sync),
) -> Result<Played<G::Figures>> {
    let games = parts.iter().map(|part| part.batch.plan().games);
    let most = games.clone().max().unwrap_or_default();
    let places = (0..most).flat_map(|number| (0..parts.len()).map(move |part| (part, number)));
    let exists = |(part, number): &Place| {
        let part = parts.get(*part);
        part.is_some_and(|part| *number < part.batch.plan().games)
    };
    let total = games.sum();
    let runtime = play::runtime()?;
    let run = BatchRun {
        app,
        parts,
        progress,
        total,
        handle: runtime.handle().clone(),
        limits: play::limits(app),
        account: Account::default(),
        tokens: CancellationTokens::default(),
        schedule: Mutex::new(Schedule {
            waiting: places.filter(exists).collect(),
            ..Schedule::default()
        }),
        changed: Condvar::new(),
        results: Mutex::default(),
    };
    run.tokens.handle_ctrl_c(app, &runtime);
    std::thread::scope(|scope| {
        for _ in 0..play::jobs(jobs, total) {
            scope.spawn(|| run.work());
        }
    });
    runtime.shutdown_background();
    app.status.hide();
    let schedule = run.schedule.into_inner();
    let results = run.results.into_inner();
    Ok(Played {
        figures: results.unwrap_or_else(PoisonError::into_inner),
        spent: run.account.spent(),
        error: schedule.unwrap_or_else(PoisonError::into_inner).error,
        was_stopped: run.tokens.main.is_cancelled(),
    })
}

/// Says where it is saved, or why it did not go on and by which command it does.
pub(super) fn report_end<F>(
    app: &App,
    played: Played<F>,
    command: &str,
    saved: UiText,
) -> Result<()> {
    let command = app.in_command(command);
    if let Some(error) = played.error {
        return Err(match (&error.help, error.kind) {
            (Some(_), _) => error,
            (None, ErrorKind::Limit) => error.help(text!(cli_continue_limited_by, command)),
            (None, _) => error.help(text!(cli_continue_by, command)),
        });
    }
    if app.prints_text() {
        let mut err = app.err();
        if played.was_stopped {
            err.line(say!(app.language, cli_end_stopped));
            err.line(say!(app.language, cli_continue_by, command));
        } else {
            err.line(saved.in_language(app.language));
        }
    }
    Ok(())
}

/// Which games wait, and what those that are over took.
#[derive(Default)]
struct Schedule {
    waiting: VecDeque<Place>,
    running: u64,
    /// How many games came to an end, and what they spent.
    ended: (u64, Spent),
    /// Whether only one is played at a time, since a limit has stopped one.
    is_narrow: bool,
    error: Option<CommandError>,
}

impl Schedule {
    /// Whether one more game may begin beside those that run. If a limit would stop them all before
    /// their end, their answers were paid for nothing: so there must be enough left for all of them
    /// to take as much as those that ended, and until one has ended it is played alone.
    fn may_begin(&self, left: &SpendLimits) -> bool {
        let (ended, spent) = &self.ended;
        let suffices = |left: Option<u64>, spent: u64| {
            let needed = spent.saturating_mul(self.running + 1);
            left.is_none_or(|left| *ended > 0 && needed <= left.saturating_mul(*ended))
        };
        let is_enough = suffices(left.calls, spent.calls)
            && suffices(left.tokens, spent.usage.total())
            && suffices(left.cost.map(|cost| cost.0), spent.cost.0);
        self.running == 0 || (!self.is_narrow && is_enough)
    }

    fn is_over(&self) -> bool {
        self.error.is_some() || (self.waiting.is_empty() && self.running == 0)
    }
}

/// What the games of batches share while they are played.
struct BatchRun<'a, G: Games> {
    app: &'a App,
    parts: &'a [Part<'a, G>],
    progress: &'a (dyn Fn(&Results<G::Figures>) -> String + Sync),
    total: u32,
    handle: Handle,
    limits: SpendLimits,
    account: Account,
    tokens: CancellationTokens,
    schedule: Mutex<Schedule>,
    /// Tells that a game came to an end or was stopped.
    changed: Condvar,
    results: Mutex<Results<G::Figures>>,
}

impl<G: Games> BatchRun<'_, G> {
    /// Plays games until there are none left, or all are stopped.
    fn work(&self) {
        while let Some(place) = self.next() {
            let result = self.play(place);
            self.note(place, result);
            self.changed.notify_all();
        }
    }

    /// Waits until a game may begin; `None` if none will.
    fn next(&self) -> Option<Place> {
        let mut schedule = lock(&self.schedule);
        loop {
            if schedule.is_over() || self.tokens.main.is_cancelled() {
                return None;
            }
            if schedule.may_begin(&self.account.left(&self.limits))
                && let Some(place) = schedule.waiting.pop_front()
            {
                schedule.running += 1;
                return Some(place);
            }
            schedule = self.wait(schedule);
        }
    }

    fn wait<'l>(&self, schedule: MutexGuard<'l, Schedule>) -> MutexGuard<'l, Schedule> {
        let woken = self.changed.wait(schedule);
        woken.unwrap_or_else(PoisonError::into_inner)
    }

    /// Plays a game to its end, unless it is over or something stops it.
    fn play(&self, place: Place) -> Result<Option<G::Figures>> {
        let (part, number) = place;
        let Some(Part { batch, games }) = self.parts.get(part) else {
            return Ok(None);
        };
        let minds = games.minds(batch.seed(number));
        let opened = batch.open_game(number, games.game(), minds);
        let opened = opened.map_err(|error| match error {
            BatchError::Save(error) => damaged(error, &self.app.in_command(batch.name().as_str())),
            error => batch_error(error),
        });
        if let OpenedGame::Playable(mut session) = opened? {
            let engine = &mut session.engine;
            play::prepare(self.app, engine);
            games.prepare(engine);
            engine.settings.account = self.account.clone();
            engine.settings.without_servers = true;
            self.tokens.add(engine.cancellation_token());
            play::tell_waits(self.app, engine);
            let stop: Stop = self.handle.block_on(engine.run(None))?;
            play::stopped(self.app, &stop, None)?;
        }
        let Some(slot) = batch.slot(number) else {
            return Ok(None);
        };
        let figures = games.figures(self.app, &slot, &self.handle)?;
        if let Some(figures) = figures.as_ref().filter(|_| self.app.settings.json) {
            let mut out = self.app.out();
            out.json(&games.record(&slot, figures));
            out.flush();
        }
        Ok(figures)
    }

    /// Takes note of how a game went. One that a limit stopped beside others is continued when they
    /// are over; another failure stops all.
    fn note(&self, place: Place, result: Result<Option<G::Figures>>) {
        let mut schedule = lock(&self.schedule);
        schedule.running -= 1;
        match result {
            Ok(Some(figures)) => {
                if let Some(part) = self.parts.get(place.0) {
                    schedule.ended.0 += 1;
                    schedule.ended.1 += part.games.spent(&figures);
                }
                let mut results = lock(&self.results);
                results.insert(place, figures);
                let text = (self.progress)(&results);
                play::show_progress(self.app, results.len() as u32, self.total, &text);
            }
            Ok(None) => {}
            Err(error) if error.kind == ErrorKind::Limit && schedule.running > 0 => {
                schedule.is_narrow = true;
                schedule.waiting.push_front(place);
            }
            Err(error) => {
                if error.kind != ErrorKind::Limit {
                    self.tokens.cancel_games();
                }
                schedule.error.get_or_insert(error);
            }
        }
    }
}

/// The tokens of all running games, and the one that stops them all.
#[derive(Clone, Default)]
struct CancellationTokens {
    main: CancellationToken,
    games: Arc<Mutex<Vec<CancellationToken>>>,
}

impl CancellationTokens {
    /// The first Ctrl-C stops all games when their current steps are finished, the second at once.
    fn handle_ctrl_c(&self, app: &App, runtime: &Runtime) {
        let tokens = self.clone();
        let (token, err) = (tokens.main.clone(), app.err());
        runtime.spawn(play::handle_ctrl_c(token, err, app.language));
        runtime.spawn(async move {
            tokens.main.cancelled().await;
            tokens.cancel_games();
        });
    }

    /// Adds that of a game which begins.
    fn add(&self, token: CancellationToken) {
        lock(&self.games).push(token.clone());
        // All may have been stopped before this one was added.
        if self.main.is_cancelled() {
            token.cancel();
        }
    }

    fn cancel_games(&self) {
        lock(&self.games).iter().for_each(CancellationToken::cancel);
    }
}

pub(super) fn batch_error(error: BatchError) -> CommandError {
    match error {
        BatchError::Save(error) => CommandError::from(error),
        BatchError::Session(error) => CommandError::from(error),
        error => CommandError::of(ErrorKind::Save, &error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mind::Cost;

    fn calls(calls: u64) -> SpendLimits {
        SpendLimits {
            calls: Some(calls),
            ..SpendLimits::default()
        }
    }

    fn schedule(running: u64, ended: u64, each: u64) -> Schedule {
        let spent = Spent {
            calls: ended * each,
            ..Spent::default()
        };
        Schedule {
            running,
            ended: (ended, spent),
            ..Schedule::default()
        }
    }

    #[test]
    fn games_begin_beside_others_as_far_as_the_limits_suffice_for_all() {
        let unlimited = SpendLimits::default();
        assert!(schedule(7, 0, 0).may_begin(&unlimited));
        // The first shows what one takes.
        assert!(schedule(0, 0, 0).may_begin(&calls(300)));
        assert!(!schedule(1, 0, 0).may_begin(&calls(300)));
        assert!(schedule(1, 1, 100).may_begin(&calls(200)));
        assert!(!schedule(2, 1, 100).may_begin(&calls(200)));
        // One may always try.
        assert!(schedule(0, 1, 100).may_begin(&calls(5)));
        let cost = SpendLimits {
            cost: Some(Cost(0)),
            ..SpendLimits::default()
        };
        assert!(schedule(3, 1, 100).may_begin(&cost));
    }
}
