//! Workers, their connections and their store under faults that follow from a seed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::AddAssign;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use playhouse_cluster::{
    Amounts, ClusterBudget, News, Phase, Position, Store, Worker, go_on, states, submit,
};
use playhouse_engine::engine::CancellationToken;
use playhouse_engine::message::{Cost, TokenUsage};
use playhouse_engine::save::{PackedSlot, SlotName};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use super::link::{Call, Fate, Link, Weather};
use super::memory::{LEASE, MemoryStore};
use super::mill::{ANSWERS, named, paid_minds, recorded, scratch, story, undisturbed};
use super::workers::{BUILD, worker};

/// How many deaths are injected; the variable asks for more, and for a report in the documents.
const DEATHS: u64 = 400;
const WANTED: &str = "PLAYHOUSE_SIMULATED_DEATHS";
/// A seed that is simulated alone.
const SEED: &str = "PLAYHOUSE_SIMULATED_SEED";
/// Where the report of a long run goes.
const REPORT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/simulation.md");

/// So many worlds share what may be spent.
const WORLDS: u64 = 2;
/// So many different stories there are.
const STORIES: u64 = 20;
/// So many workers may stand still at a time while another one plays.
const STANDING: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    Dies,
    DiesUnheard,
    Lost,
    Unheard,
    Twice,
    Late,
    Cut,
    Full,
    Slow,
    Still,
    Forgotten,
}

/// Of 10,000 calls to the store, at how many each begins.
const FAULTS: [(Fault, u64, &str); 11] = [
    (Fault::Dies, 100, "a worker dies before a call is sent"),
    (
        Fault::DiesUnheard,
        100,
        "a worker dies before it hears of a call that was done",
    ),
    (Fault::Lost, 60, "a call is lost, and asked again"),
    (
        Fault::Unheard,
        60,
        "a call is done, its answer is lost, and it is asked again",
    ),
    (Fault::Twice, 60, "a call arrives twice"),
    (
        Fault::Late,
        100,
        "a call arrives after later ones, when it was asked again or its worker is dead",
    ),
    (
        Fault::Cut,
        30,
        "a worker is cut off for up to 30 calls, while others may play",
    ),
    (
        Fault::Full,
        30,
        "the store has no room for up to 30 calls, while others may play",
    ),
    (Fault::Slow, 60, "a call takes longer than a lease"),
    (
        Fault::Still,
        60,
        "a worker stands still for longer than its lease while others play, and wakes",
    ),
    (Fault::Forgotten, 30, "the queue forgets its worlds"),
];

/// What was injected, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Counts(BTreeMap<&'static str, u64>);

impl Counts {
    fn note(&mut self, what: &'static str, count: u64) {
        *self.0.entry(what).or_default() += count;
    }

    fn of(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or_default()
    }

    fn deaths(&self) -> u64 {
        let [(_, _, before), (_, _, after), ..] = FAULTS;
        self.of(before) + self.of(after)
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        for (what, count) in other.0 {
            self.note(what, count);
        }
    }
}

// What came of the faults.
const ENDED: &str = "worlds, all of which came to the ends of undisturbed ones";
const LIVES: &str = "lives of workers";
const RESERVED: &str = "deaths with something reserved";
const STALE: &str = "stale workers that were refused";
const LIMITED: [&str; 3] = [
    "times that a limit of calls was reached",
    "times that a limit of tokens was reached",
    "times that a limit of money was reached",
];
const NEEDED: &str = "answers that were needed";
const PAID: &str = "answers that were paid for, none of them after it was recorded";

/// Everything that is counted, each of which is to happen.
fn counted() -> impl Iterator<Item = &'static str> {
    let faults = FAULTS.into_iter().map(|(_, _, what)| what);
    let results = [ENDED, LIVES, RESERVED, STALE].into_iter().chain(LIMITED);
    faults.chain(results).chain([NEEDED, PAID])
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| what | how often |\n| --- | --- |")?;
        for what in counted() {
            writeln!(f, "| {what} | {} |", self.of(what))?;
        }
        Ok(())
    }
}

/// Everything of one seed.
struct Simulation {
    seed: u64,
    store: MemoryStore,
    runtime: Runtime,
    folder: TempDir,
    draws: Mutex<ChaCha8Rng>,
    late: Mutex<Vec<Call>>,
    counts: Mutex<Counts>,
    /// What the provider was paid for, and what may be spent; without limits in every fourth seed.
    paid: Mutex<Amounts<u64>>,
    limits: Mutex<Amounts<Option<u64>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A story that was not played yet, and how it ends if nothing disturbs it.
fn known_story(seed: u64) -> (PackedSlot, String) {
    static KNOWN: LazyLock<Vec<(PackedSlot, String)>> = LazyLock::new(|| {
        let stories = 0..STORIES;
        stories
            .map(|seed| (story(seed), undisturbed(seed)))
            .collect()
    });
    KNOWN[(seed % STORIES) as usize].clone()
}

impl Simulation {
    fn begin(seed: u64) -> Arc<Self> {
        let sim = Self {
            seed,
            store: MemoryStore::default(),
            runtime: Builder::new_current_thread().build().unwrap(),
            folder: scratch(),
            draws: Mutex::new(ChaCha8Rng::seed_from_u64(seed)),
            late: Mutex::default(),
            counts: Mutex::default(),
            paid: Mutex::default(),
            limits: Mutex::default(),
        };
        for world in 0..WORLDS {
            let (story, _) = known_story(seed * WORLDS + world);
            submit(&sim.store, &named(world), story, None, BUILD, []).unwrap();
        }
        sim.allow_more();
        Arc::new(sim)
    }

    fn draw(&self, below: u64) -> u64 {
        lock(&self.draws).random_range(0..below)
    }

    fn note(&self, what: &'static str) {
        lock(&self.counts).note(what, 1);
    }

    /// Lets workers spend more than they have, of what this seed limits.
    fn allow_more(&self) {
        let more = |now: Option<u64>, more: u64| Some(now.unwrap_or_default() + more);
        let mut limits = lock(&self.limits);
        match self.seed % 4 {
            0 => limits.calls = more(limits.calls, self.draw(ANSWERS) + 1),
            1 => limits.tokens = more(limits.tokens, 300 * (self.draw(ANSWERS) + 1)),
            2 => limits.cost = more(limits.cost, 300_000 * (self.draw(ANSWERS) + 1)),
            _ => return,
        }
        ClusterBudget::limit(&self.store, None, *limits, None).unwrap();
    }

    /// A provider is paid for an answer.
    fn pay(&self, world: &SlotName, who: &str, number: u32, usage: TokenUsage, cost: Cost) {
        let (journal, _) = self.store.read(world, Position::default()).unwrap();
        let ask = (who.to_owned(), number);
        assert!(
            !recorded(&journal).contains(&ask),
            "{world}: {ask:?} is paid twice"
        );
        let mut paid = lock(&self.paid);
        paid.calls += 1;
        paid.tokens += usage.total();
        paid.cost += cost.0;
        let limits = lock(&self.limits);
        for (paid, limit) in [
            (paid.calls, limits.calls),
            (paid.tokens, limits.tokens),
            (paid.cost, limits.cost),
        ] {
            let most = limit.unwrap_or(u64::MAX);
            assert!(paid <= most, "{paid} were spent of {most}");
        }
        drop((paid, limits));
        self.note(PAID);
    }

    /// One life of a worker, which plays one world, while so many others stand still; nothing
    /// happens to one without a number. Returns whether the queue had something.
    fn live(self: &Arc<Self>, standing: Option<usize>) -> bool {
        self.note(LIVES);
        let number = lock(&self.counts).of(LIVES);
        let stop = CancellationToken::default();
        let weather = Arc::new(Life {
            sim: self.clone(),
            standing,
            stop: stop.clone(),
            state: Mutex::default(),
        });
        let link: Arc<dyn Store> = Arc::new(Link {
            store: Arc::new(self.store.clone()),
            weather,
        });
        let (sim, told) = (self.clone(), self.clone());
        let worker = Worker {
            stop,
            news: Arc::new(move |_, news| told.hear(&news)),
            scratch: self.folder.path().join(number.to_string()),
            ..worker(&link, &self.folder, move |world| {
                let (sim, world) = (sim.clone(), world.clone());
                paid_minds(move |who, number, usage, cost| {
                    sim.pay(&world, who, number, usage, cost);
                })
            })
        };
        let is_any = worker.play_next(self.runtime.handle());
        if !is_any && standing == Some(0) {
            self.help();
        }
        is_any
    }

    fn hear(&self, news: &News) {
        match news {
            News::Lost => self.note(STALE),
            News::Left {
                phase: Phase::Paused,
                ..
            }
            | News::GaveBack { .. } => {
                LIMITED
                    .get(self.seed as usize % 4)
                    .into_iter()
                    .for_each(|what| self.note(what));
            }
            News::Left { phase, note, .. } => assert_eq!(*phase, Phase::Ended, "{note}"),
            News::Began { .. } | News::Waits(_) => {}
        }
    }

    /// Nothing could be taken: time goes on, what the queue lost is put there again, and those that
    /// have spent what they may get more.
    fn help(&self) {
        self.store.pause(LEASE);
        let states = states(&self.store).unwrap();
        if !states.iter().any(|(_, state)| state.phase.is_open()) {
            self.allow_more();
        }
        for (world, state) in states {
            match state.phase {
                Phase::Ended => {}
                Phase::Paused => drop(go_on(&self.store, &world, None).unwrap()),
                _ => self.store.enqueue_anew(&world).unwrap(),
            }
        }
    }

    /// Lets a call arrive that was late, if there is one.
    fn arrive(&self) -> bool {
        let mut late = lock(&self.late);
        let count = late.len() as u64;
        if count == 0 {
            return false;
        }
        let call = late.swap_remove(self.draw(count) as usize);
        drop(late);
        call(&self.store);
        true
    }

    fn check(self: &Arc<Self>) {
        let read = |world| self.store.read(&named(world), Position::default()).unwrap();
        let before = [0, 1].map(read);
        while self.arrive() {}
        assert_eq!(before, [0, 1].map(read), "a late call was written");
        // The queue may have ended worlds twice. Who finds it empty takes back what is left.
        while self.live(None) {}
        for (number, (world, state)) in states(&self.store).unwrap().into_iter().enumerate() {
            let (_, digest) = known_story(self.seed * WORLDS + number as u64);
            assert_eq!(
                (state.phase, state.digest),
                (Phase::Ended, digest),
                "{world}"
            );
        }
        let budget = ClusterBudget::of(&self.store, None).unwrap();
        let (spent, paid) = (budget.spent, *lock(&self.paid));
        assert_eq!(budget.granted(), Amounts::default());
        let limits = *lock(&self.limits);
        let is_counted = limits == Amounts::default()
            || spent.calls >= paid.calls && spent.tokens >= paid.tokens && spent.cost >= paid.cost;
        assert!(is_counted, "{paid:?} were spent, and {spent:?} counted");
        lock(&self.counts).note(ENDED, WORLDS);
        lock(&self.counts).note(NEEDED, WORLDS * ANSWERS);
    }
}

/// What happens to one worker.
struct Life {
    sim: Arc<Simulation>,
    standing: Option<usize>,
    stop: CancellationToken,
    state: Mutex<LifeState>,
}

#[derive(Default)]
struct LifeState {
    is_dead: bool,
    /// How many more calls fail so.
    fails: Option<(u64, Fate)>,
}

impl Life {
    fn die(&self) {
        lock(&self.state).is_dead = true;
        self.stop.cancel();
        let budget = ClusterBudget::of(&self.sim.store, None).unwrap();
        if budget.granted() != Amounts::default() {
            self.sim.note(RESERVED);
        }
    }

    /// This one stands still, and others play.
    fn others_play(&self) {
        if let Some(standing) = self.standing.filter(|standing| *standing < STANDING) {
            let live = || self.sim.live(Some(standing + 1));
            let lived = std::thread::scope(|scope| scope.spawn(live).join());
            lived.unwrap_or_else(|panic| resume_unwind(panic));
        }
    }
}

impl Weather for Life {
    fn fate(&self) -> Fate {
        let sim = &self.sim;
        if self.standing.is_none() {
            return Fate::Fine;
        }
        let mut state = lock(&self.state);
        if state.is_dead {
            return Fate::Lost;
        }
        if let Some((left, fate)) = &mut state.fails
            && *left > 0
        {
            *left -= 1;
            return *fate;
        }
        drop(state);
        if sim.draw(3) == 0 {
            sim.arrive();
        }
        let mut drawn = sim.draw(10_000);
        let fault = FAULTS.into_iter().find(|(_, often, _)| {
            let is_it = drawn < *often;
            drawn = drawn.saturating_sub(*often);
            is_it
        });
        let Some((fault, _, what)) = fault else {
            return Fate::Fine;
        };
        sim.note(what);
        match fault {
            Fault::Dies => {
                self.die();
                return Fate::Lost;
            }
            Fault::DiesUnheard => {
                self.die();
                return Fate::Unheard;
            }
            Fault::Lost => return Fate::Lost,
            Fault::Unheard => return Fate::Unheard,
            Fault::Twice => return Fate::Twice,
            Fault::Late => return Fate::Late,
            Fault::Cut => lock(&self.state).fails = Some((sim.draw(30), Fate::Lost)),
            Fault::Full => lock(&self.state).fails = Some((sim.draw(30), Fate::Full)),
            Fault::Slow => sim.store.pause(LEASE * 2),
            Fault::Still => {
                sim.store.pause(LEASE * 2);
                for _ in 0..=sim.draw(4) {
                    self.others_play();
                }
            }
            Fault::Forgotten => sim.store.forget_queue(),
        }
        Fate::Fine
    }

    fn delay(&self, call: Call) {
        lock(&self.sim.late).push(call);
    }

    fn pause(&self, time: Duration) {
        self.sim.store.pause(time);
        if self.sim.draw(8) == 0 {
            self.others_play();
        }
    }
}

/// Lets workers die and come back until the stories of a seed are over.
fn simulate(seed: u64) -> Counts {
    let sim = Simulation::begin(seed);
    let is_over = || {
        let states = states(&sim.store).unwrap();
        states.iter().all(|(_, state)| state.phase == Phase::Ended)
    };
    let run = || {
        while !is_over() {
            sim.live(Some(0));
        }
        sim.check();
    };
    if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
        eprintln!("again with {SEED}={seed}");
        resume_unwind(panic);
    }
    lock(&sim.counts).clone()
}

#[test]
fn whatever_fails_worlds_are_the_same_nothing_is_paid_twice_and_limits_hold() {
    let number = |name| std::env::var(name).ok().map(|value| value.parse().unwrap());
    if let Some(seed) = number(SEED) {
        return eprintln!("{}", simulate(seed));
    }
    let wanted = number(WANTED);
    let mut counts = Counts::default();
    for seed in 0.. {
        counts += simulate(seed);
        if counts.deaths() >= wanted.unwrap_or(DEATHS) {
            break;
        }
    }
    eprintln!("{counts}");
    let happened: BTreeSet<_> = counts.0.keys().copied().collect();
    assert_eq!(happened, counted().collect(), "each happens");
    if wanted.is_some() {
        let command = format!(
            "{WANTED}={} cargo test -p playhouse-cluster simulation",
            counts.deaths()
        );
        let report = format!(
            "# Simulated faults\n\nMade by `{command}`; see [scale.md](scale.md#how-it-is-tested).\n\n{counts}"
        );
        std::fs::write(REPORT, report).unwrap();
    }
}

#[test]
fn a_seed_happens_again_as_it_was() {
    assert_eq!(simulate(7), simulate(7));
}
