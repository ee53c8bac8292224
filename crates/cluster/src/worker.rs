//! A process that plays worlds of a store.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use playhouse_engine::cast::WorldTurn;
use playhouse_engine::engine::{Account, CancellationToken, EngineError, Stop};
use playhouse_engine::event::{Feed, Record};
use playhouse_engine::journal::JournalError;
use playhouse_engine::locale::{Localize, UiText, text};
use playhouse_engine::message::Digest;
use playhouse_engine::save::{PackedSlot, Slot, SlotName, read_head};
use playhouse_engine::session::Session;
use tokio::runtime::Handle;

use crate::budget::{ClusterBudget, Share, StorePace, spent_by};
use crate::replica::{PAUSE, patiently};
use crate::seats;
use crate::state::{change_by, revised_states, world_state};
use crate::{Amounts, Lease, Owner, Phase, Position, Store, StoreError, StoreReplica, WorldState};

/// How long the queue is waited for at a time.
const TAKE: Duration = Duration::from_secs(1);
/// In so many parts of the time between two beats it is looked whether something is to be done.
const PARTS: u32 = 50;
/// After so many beats without a change an open world is put on the queue anew.
const STILL: u32 = 4;
/// A list is not looked at again before this many times as long as it took.
const REST: u32 = 20;
/// After this time another worker may try a world that this build can't play.
const REFUSED: Duration = Duration::from_secs(5);

/// One world is opened at a time, by the same idle thread of the runtime: an allocator keeps what a
/// thread has freed for this thread, and to open a world takes far more than it needs later.
static OPENING: Mutex<()> = Mutex::new(());

/// Opens stories of any game with their minds.
pub trait Player: Send + Sync {
    /// Opens the story in this slot.
    ///
    /// # Errors
    /// Why it can't be played here.
    fn open(&self, root: &Path, world: &SlotName) -> Result<Session, UiText>;

    /// Does what the first line of a journal asks for, if it is no story. Returns a line with what
    /// came of it, unless it was stopped.
    fn perform(
        &self,
        _journal: &[u8],
        _stop: &CancellationToken,
    ) -> Option<Result<Vec<u8>, UiText>> {
        None
    }
}

/// What a worker tells about one of its worlds.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// It plays it, from the end of this turn.
    Began { turn: u64 },
    /// It is through with it.
    Left {
        phase: Phase,
        turn: u64,
        note: UiText,
    },
    /// Another is to go on.
    GaveBack { turn: u64 },
    /// Another has it.
    Lost,
    /// It waits for the store.
    Waits(StoreError),
}

/// Plays worlds until it is stopped.
pub struct Worker {
    pub store: Arc<dyn Store>,
    pub player: Arc<dyn Player>,
    /// Its name, for people.
    pub name: String,
    /// The build of the program: what one has played, another may not be able to replay.
    pub build: String,
    /// The folder of its own for the slots of worlds. Nothing is lost with it.
    pub scratch: PathBuf,
    /// How many worlds it plays at a time.
    pub worlds: usize,
    /// How often it says that it is alive.
    pub beat: Duration,
    /// Whether it ends when there is nothing left to take.
    pub until_empty: bool,
    /// Stops it: it hands its worlds over at their next commits.
    pub stop: CancellationToken,
    pub news: Arc<dyn Fn(&SlotName, News) + Send + Sync>,
}

/// A world that is being played.
#[derive(Clone, Debug)]
struct Running {
    lease: Arc<dyn Lease>,
    token: CancellationToken,
    turn: Arc<AtomicU64>,
    /// What its story had taken before, and what this run spends.
    spent: (Amounts<u64>, Account),
    /// Where it was claimed; `None` before.
    claim: Option<Position>,
    /// The characters that people play.
    seats: BTreeSet<String>,
    /// Whether it is opened again, since other people play.
    reopens: Arc<AtomicBool>,
}

/// The worlds that are being played.
#[derive(Default)]
struct Stage {
    running: Mutex<BTreeMap<SlotName, Running>>,
    changed: Condvar,
    is_over: AtomicBool,
}

/// What an idle worker has seen of the open worlds: the revision of each, and since when it has
/// been the same.
#[derive(Default)]
struct Looks {
    /// When it looks again.
    next: Option<Instant>,
    seen: BTreeMap<SlotName, (u64, Instant)>,
}

/// How a run of a world ended.
struct Left {
    phase: Phase,
    note: UiText,
    /// Whether another build may be able to play it.
    is_refused: bool,
    /// Whether its grant did not suffice for one call.
    is_stuck: bool,
}

impl Left {
    fn because(phase: Phase, note: UiText) -> Self {
        Self {
            phase,
            note,
            is_refused: false,
            is_stuck: false,
        }
    }
}

impl Worker {
    /// Takes worlds from the queue and plays them. Returns when it is stopped and has handed all of
    /// them over, or when the queue is empty.
    pub fn work(&self, runtime: &Handle) {
        let stage = Stage::default();
        thread::scope(|scope| {
            scope.spawn(|| self.keep_alive(&stage));
            thread::scope(|scope| {
                let mut looks = Looks::default();
                while let Some((world, lease)) = self.next(&stage, &mut looks) {
                    let stage = &stage;
                    scope.spawn(move || {
                        self.play(stage, &world, lease, runtime);
                        lock(&stage.running).remove(&world);
                        stage.changed.notify_all();
                    });
                }
            });
            stage.is_over.store(true, Ordering::SeqCst);
        });
    }

    /// Plays the next world of the queue, if there is one, on this thread alone and without saying
    /// that it is alive, so that all it does can be simulated.
    pub fn play_next(&self, runtime: &Handle) -> bool {
        let stage = Stage::default();
        let next = self.next(&stage, &mut Looks::default());
        let is_any = next.is_some();
        if let Some((world, lease)) = next {
            self.play(&stage, &world, lease, runtime);
        }
        is_any
    }

    /// The next world to play; `None` if there is none any more.
    fn next(&self, stage: &Stage, looks: &mut Looks) -> Option<(SlotName, Arc<dyn Lease>)> {
        while !self.stop.is_cancelled() {
            let running = lock(&stage.running);
            if running.len() >= self.worlds {
                drop(stage.changed.wait_timeout(running, PAUSE));
                continue;
            }
            let is_idle = running.is_empty();
            drop(running);
            let store = &*self.store;
            let heard =
                store.hear_seats(&mut |world, seat, sent| seats::hear(store, world, seat, sent));
            if let Err(error) = heard {
                tracing::warn!("{error}");
            }
            match self.store.take(TAKE.min(self.beat)) {
                Ok(Some((world, lease))) => {
                    let lease: Arc<dyn Lease> = lease.into();
                    let mut running = lock(&stage.running);
                    // Delivered again, since this one was thought dead.
                    if let Some(known) = running.get_mut(&world) {
                        known.lease = lease;
                        continue;
                    }
                    let entry = Running {
                        lease: lease.clone(),
                        token: CancellationToken::default(),
                        turn: Arc::default(),
                        spent: Default::default(),
                        claim: None,
                        seats: BTreeSet::new(),
                        reopens: Arc::default(),
                    };
                    running.insert(world.clone(), entry);
                    return Some((world, lease));
                }
                Ok(None) => {
                    if let Err(error) = self.look_for_lost(looks) {
                        tracing::warn!("{error}");
                    }
                    if self.until_empty && is_idle {
                        return None;
                    }
                }
                Err(error) => {
                    tracing::warn!("{error}");
                    store.pause(PAUSE);
                }
            }
        }
        None
    }

    /// Puts worlds on the queue anew that nobody plays, though they are to be played: a cluster
    /// whose servers die can lose them there. If somebody does play one, it is claimed from him,
    /// which costs only time. What was granted to worlds for nothing is taken back, too.
    fn look_for_lost(&self, looks: &mut Looks) -> Result<(), StoreError> {
        #[expect(clippy::disallowed_methods, reason = "it is about when to look alone")]
        let now = Instant::now;
        let begun = now();
        if looks.next.is_some_and(|next| begun < next) {
            return Ok(());
        }
        let mut seen = BTreeMap::new();
        let states = revised_states(&*self.store)?;
        let known = states.iter().map(|(world, state, _)| (world, state));
        ClusterBudget::sweep(&*self.store, known)?;
        for (world, state, revision) in states {
            if !state.phase.is_open() {
                continue;
            }
            let mut since = match looks.seen.get(&world) {
                Some((before, since)) if *before == revision => *since,
                _ => begun,
            };
            if begun - since >= self.beat * STILL {
                tracing::warn!("{world} is put on the queue anew");
                self.store.enqueue_anew(&world)?;
                since = begun;
            }
            seen.insert(world, (revision, since));
        }
        looks.seen = seen;
        let rest = begun.elapsed() * REST;
        looks.next = Some(now() + rest.max(2 * TAKE.min(self.beat)));
        Ok(())
    }

    /// Says now and then which worlds it plays, and learns which are cancelled.
    fn keep_alive(&self, stage: &Stage) {
        while !stage.is_over.load(Ordering::SeqCst) {
            let running = lock(&stage.running).clone();
            for world in running.values() {
                if self.stop.is_cancelled() {
                    world.token.cancel();
                }
                if let Err(error) = world.lease.keep() {
                    tracing::warn!("{error}");
                }
            }
            for (name, world) in &running {
                if let Some(claim) = world.claim
                    && let Err(error) = self.tell_state(name, world, claim)
                {
                    tracing::warn!("{error}");
                    break;
                }
            }
            self.pause(stage);
        }
    }

    /// Waits for the next beat, unless something is to be done before.
    fn pause(&self, stage: &Stage) {
        let was_stopped = self.stop.is_cancelled();
        for _ in 0..PARTS {
            if stage.is_over.load(Ordering::SeqCst) || self.stop.is_cancelled() != was_stopped {
                return;
            }
            thread::sleep(self.beat / PARTS);
        }
    }

    fn tell_state(
        &self,
        name: &SlotName,
        world: &Running,
        claim: Position,
    ) -> Result<(), StoreError> {
        let turn = world.turn.load(Ordering::SeqCst);
        let (before, account) = &world.spent;
        let state = change_by(&*self.store, name, claim, |state| {
            state.turn = turn;
            state.spent = before.plus(Amounts::of(&account.spent()));
            state.beats += 1;
            state.phase.is_open()
        })?;
        let reopens = state.seats != world.seats;
        world.reopens.store(reopens, Ordering::SeqCst);
        if reopens || state.phase == Phase::Cancelled {
            world.token.cancel();
        }
        Ok(())
    }

    /// Plays a world as far as it goes here, and says what becomes of it.
    fn play(&self, stage: &Stage, world: &SlotName, lease: Arc<dyn Lease>, runtime: &Handle) {
        let mut left = self.run(stage, world, runtime, Share::Part);
        if let Ok(Some(Left { is_stuck: true, .. })) = left {
            left = self.run(stage, world, runtime, Share::All);
        }
        let _ = fs::remove_dir_all(self.scratch.join(world.as_str()));
        // It may have been delivered again meanwhile.
        let lease = lock(&stage.running)
            .get(world)
            .map_or(lease, |running| running.lease.clone());
        let (left, after) = match left {
            Ok(Some(left)) if left.is_refused => (left.phase, REFUSED),
            Ok(Some(left)) if self.stop.is_cancelled() => (left.phase, Duration::ZERO),
            Ok(Some(left)) => (left.phase, PAUSE),
            // Whoever has it finishes the work.
            Err(StoreError::Stale) => return (self.news)(world, News::Lost),
            Err(error) => {
                (self.news)(world, News::Waits(error));
                (Phase::Queued, PAUSE)
            }
            Ok(None) => (Phase::Ended, Duration::ZERO),
        };
        let said = if left == Phase::Queued {
            lease.give_back(after)
        } else {
            lease.finish().and_then(|()| self.queue_again(world))
        };
        if let Err(error) = said {
            tracing::warn!("{world}: {error}");
        }
    }

    /// Puts a world on the queue again that somebody let go on just before it was taken off.
    fn queue_again(&self, world: &SlotName) -> Result<(), StoreError> {
        match world_state(&*self.store, world)? {
            Some(state) if state.phase == Phase::Queued => self.store.enqueue(world),
            _ => Ok(()),
        }
    }

    /// `None` if there is nothing to play.
    fn run(
        &self,
        stage: &Stage,
        world: &SlotName,
        runtime: &Handle,
        share: Share,
    ) -> Result<Option<Left>, StoreError> {
        let store = &*self.store;
        match world_state(store, world)? {
            Some(state) if state.phase.is_open() => {}
            Some(state) if state.phase == Phase::Cancelled => {
                return ClusterBudget::close(store, world).map(|()| None);
            }
            _ => return Ok(None),
        }
        let owner = Owner::draw()?;
        let claimed = store.claim(world, &owner)?;
        let before = change_by(store, world, claimed.at, |state| {
            let is_open = state.phase.is_open();
            if is_open {
                state.phase = Phase::Playing;
                state.worker.clone_from(&self.name);
                state.note.clear();
            }
            is_open
        })?;
        // What is noted there is another's.
        if before.claim != claimed.at.0 {
            return Err(StoreError::Stale);
        }
        if before.phase != Phase::Playing {
            return Ok(None);
        }
        let mut stop = CancellationToken::default();
        if let Some(running) = lock(&stage.running).get_mut(world) {
            stop = running.token.clone();
            running.claim = Some(claimed.at);
            running.seats.clone_from(&before.seats);
            running.turn.store(before.turn, Ordering::SeqCst);
            running.spent.0 = before.spent;
        }
        if let Some(done) = self.player.perform(&claimed.journal, &stop) {
            let left = match done {
                _ if stop.is_cancelled() => self.left_by(&Stop::Cancelled),
                Ok(line) => {
                    self.patiently(world, || store.append(world, &owner, claimed.at, &line))?;
                    Left::because(Phase::Ended, UiText::default())
                }
                Err(reason) => self.cannot(&before, reason),
            };
            return self.leave(world, &before, left).map(Some);
        }
        let known = claimed.journal.len() as u64;
        let story = PackedSlot {
            world: store.snapshot(world)?,
            settings: before.settings.clone().map(String::into_bytes),
            journal: claimed.journal,
        };
        let _ = fs::remove_dir_all(self.scratch.join(world.as_str()));
        let (player, scratch, name) = (self.player.clone(), self.scratch.clone(), world.clone());
        let open = move || {
            let slot = Slot::unpack(&scratch, name.as_str(), &story);
            slot.map_err(|error| error.text())?;
            // It is in the slot, and as large as the story is long.
            drop(story);
            player.open(&scratch, &name)
        };
        let opened = {
            let _one = lock(&OPENING);
            runtime.block_on(runtime.spawn_blocking(open))
        };
        let opened = opened.unwrap_or_else(|error| match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(error) => Err(UiText::verbatim(error)),
        });
        let mut session = match opened {
            Ok(session) => session,
            Err(reason) => {
                let left = self.cannot(&before, reason);
                return self.leave(world, &before, left).map(Some);
            }
        };
        let (news, name) = (self.news.clone(), world.clone());
        let replica = StoreReplica::new(
            self.store.clone(),
            world.clone(),
            owner,
            claimed.at,
            self.stop.clone(),
            move |error| news(&name, News::Waits(error.clone())),
        );
        let own = session.engine.settings.limits;
        let mut left = match self.grant(&mut session, claimed.at, share)? {
            Some(refused) => refused,
            None => {
                let settings = &session.engine.settings;
                let is_own = settings.limits == own && settings.models.is_empty();
                self.play_session(stage, (replica, known), session, &before, (runtime, is_own))?
            }
        };
        if left.is_stuck && share == Share::All {
            left = Left::because(Phase::Paused, left.note);
        }
        self.leave(world, &before, left).map(Some)
    }

    /// Limits what a world may spend now; what becomes of it, if other worlds have it all.
    fn grant(
        &self,
        session: &mut Session,
        claim: Position,
        share: Share,
    ) -> Result<Option<Left>, StoreError> {
        let store = &*self.store;
        let budget = ClusterBudget::of(store, None)?;
        // Most stores have no limits.
        if budget == ClusterBudget::default() {
            return Ok(None);
        }
        let lines = session.slot().read_journal().map_err(StoreError::damaged)?;
        let world = session.slot().name().clone();
        let settings = &mut session.engine.settings;
        for model in budget.all() {
            let spent = spent_by(&lines, model);
            let granted = ClusterBudget::grant(store, model, &world, claim, spent, share)?;
            match (granted, model) {
                (Ok(granted), None) => {
                    settings.limits = granted.within(settings.limits);
                    let width = granted.at_once.map_or(usize::MAX, |width| width as usize);
                    settings.width = settings.width.min(width);
                }
                (Ok(granted), Some(model)) => {
                    let own = settings.models.entry(model.into()).or_default();
                    own.limits = granted.within(own.limits);
                    own.width = granted.at_once.map(|width| width as usize);
                }
                (Err(phase), _) => {
                    return Ok(Some(Left::because(phase, text!(cluster_spent))));
                }
            }
        }
        Ok(None)
    }

    /// Plays a story that was opened, as far as it goes. The replica has so much of its journal.
    fn play_session(
        &self,
        stage: &Stage,
        (replica, known): (StoreReplica, u64),
        mut session: Session,
        state: &WorldState,
        (runtime, is_own): (&Handle, bool),
    ) -> Result<Left, StoreError> {
        let world = session.slot().name().clone();
        let mut reopens = Arc::default();
        let engine = &mut session.engine;
        let turn = engine.world.resource::<WorldTurn>().0;
        if let Some(running) = lock(&stage.running).get_mut(&world) {
            running.token = engine.cancellation_token();
            running.spent.1 = engine.settings.account.clone();
            running.turn.store(turn, Ordering::SeqCst);
            reopens = running.reopens.clone();
            let now = running.turn.clone();
            engine.add_feed(Feed::observer(move |record| {
                if let Record::Turn { turn } = record {
                    now.store(*turn, Ordering::SeqCst);
                }
            }));
        }
        for name in &state.seats {
            seats::take(engine, &self.store, &world, name);
        }
        if self.stop.is_cancelled() {
            engine.cancellation_token().cancel();
        }
        (self.news)(&world, News::Began { turn });
        let claim = replica.claim.clone();
        let pace = StorePace::of(&self.store, claim.clone(), engine.cancellation_token())?;
        engine.settings.pace = Some(pace);
        let run = engine
            .replicate(known, Box::new(replica))
            .and_then(|()| runtime.block_on(engine.run(state.until)));
        if claim.is_lost() {
            return Err(StoreError::Stale);
        }
        let has_spent = engine.settings.account.spent().calls > 0;
        Ok(match run {
            // Another grant may let it go on.
            Ok(Stop::LimitReached(reason)) if !is_own => Left {
                is_stuck: !has_spent,
                ..Left::because(Phase::Queued, reason)
            },
            Ok(Stop::Cancelled) if reopens.load(Ordering::SeqCst) => {
                Left::because(Phase::Queued, UiText::default())
            }
            Ok(stop) => self.left_by(&stop),
            Err(error) if self.stop.is_cancelled() => Left::because(Phase::Queued, error.text()),
            // Another machine's disk may do better.
            Err(EngineError::Journal(JournalError::File(error))) => {
                Left::because(Phase::Queued, error.text())
            }
            Err(error) => self.cannot(state, error.text()),
        })
    }

    fn left_by(&self, stop: &Stop) -> Left {
        let (phase, note) = match stop {
            Stop::Finished(_) | Stop::Idle | Stop::EndOfRecording => {
                (Phase::Ended, UiText::default())
            }
            Stop::SeatsAwaited(names) => (Phase::Waiting, text!(cluster_awaits, names)),
            Stop::LimitReached(reason)
            | Stop::ServerDown(reason)
            | Stop::NoUsableAnswers(reason) => (Phase::Paused, reason.clone()),
            Stop::Cancelled if self.stop.is_cancelled() => (Phase::Queued, UiText::default()),
            // A team that waits for a task cancels itself.
            Stop::TurnReached(_) | Stop::Cancelled => (Phase::Paused, UiText::default()),
        };
        Left::because(phase, note)
    }

    /// A world that can't be played here. Another build may be able to, if one was.
    fn cannot(&self, state: &WorldState, reason: UiText) -> Left {
        let build = &state.build;
        if build.is_empty() || *build == self.build {
            return Left::because(Phase::Failed, reason);
        }
        let own = &self.build;
        let note = text!(cluster_other_build, own, build, reason);
        Left {
            is_refused: true,
            ..Left::because(Phase::Queued, note)
        }
    }

    /// Keeps in the store how far a world is.
    fn leave(
        &self,
        world: &SlotName,
        before: &WorldState,
        mut left: Left,
    ) -> Result<Left, StoreError> {
        let claim = Position(before.claim);
        let slot = Slot::find(&self.scratch, world.as_str()).ok();
        let snapshot = slot.as_ref().and_then(|slot| slot.read_world().ok()?);
        let lines = slot.and_then(|slot| slot.read_journal().ok());
        if let Some(lines) = &lines {
            for model in ClusterBudget::of(&*self.store, None)?.all() {
                let spent = spent_by(lines, model);
                self.patiently(world, || {
                    ClusterBudget::settle(&*self.store, model, world, claim, spent)
                })?;
            }
        }
        let spent = lines.map(|lines| spent_by(&lines, None));
        let head = snapshot.as_ref().and_then(|bytes| read_head(bytes).ok());
        if let Some(snapshot) = snapshot.as_ref().filter(|_| !left.is_refused) {
            self.patiently(world, || self.store.save(world, snapshot))?;
        }
        let digest = snapshot.map(|bytes| Digest::of(&bytes).to_string());
        let now = self.patiently(world, || {
            change_by(&*self.store, world, claim, |state| {
                // Somebody may have answered meanwhile.
                let is_answered = (&state.seats, state.answers) != (&before.seats, before.answers);
                if left.phase == Phase::Waiting && is_answered {
                    left.phase = Phase::Queued;
                }
                if state.phase == Phase::Cancelled {
                    left.phase = Phase::Cancelled;
                }
                state.phase = left.phase;
                state.note = left.note.to_string();
                state.spent = spent.unwrap_or(state.spent);
                if !left.is_refused {
                    state.build.clone_from(&self.build);
                    state.digest = digest.clone().unwrap_or_default();
                    state.turn = head.as_ref().map_or(state.turn, |head| head.turn);
                }
                true
            })
        })?;
        let turn = now.turn;
        // What it makes of files of which some are another's means nothing.
        if now.claim != claim.0 {
            return Err(StoreError::Stale);
        }
        (self.news)(
            world,
            match left.phase {
                Phase::Queued => News::GaveBack { turn },
                phase => News::Left {
                    phase,
                    turn,
                    note: left.note.clone(),
                },
            },
        );
        Ok(left)
    }

    /// Asks the store until it answers, or this worker is stopped.
    fn patiently<T>(
        &self,
        world: &SlotName,
        ask: impl FnMut() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let waits = |error: &StoreError| (self.news)(world, News::Waits(error.clone()));
        patiently(&*self.store, &self.stop, &waits, ask)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
