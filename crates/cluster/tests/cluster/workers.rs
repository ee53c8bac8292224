//! Workers as threads and as processes.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};

use playhouse_cluster::{
    Amounts, ClusterBudget, FolderStore, JetStreamStore, News, Phase, Store, Worker, WorldState,
    go_on, states, submit, world_state,
};
use playhouse_engine::engine::CancellationToken;
use playhouse_engine::mind::Minds;
use playhouse_engine::save::SlotName;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use super::mill::{
    ANSWERS, Miller, is_recorded, minds, named, patiently, scratch, story, undisturbed,
};
use super::nats::Nats;

pub(crate) const BUILD: &str = "test";
/// How long workers are thought to be alive here.
pub(crate) const LEASE: Duration = Duration::from_secs(2);

pub(crate) fn runtime() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().unwrap()
}

/// A store in a folder, with so many worlds to play.
pub(crate) fn store_with(worlds: u64) -> (TempDir, Arc<dyn Store>) {
    let folder = scratch();
    let store = FolderStore::open(&folder.path().join("store")).unwrap();
    for seed in 1..=worlds {
        submit(&store, &named(seed), story(seed), None, BUILD, []).unwrap();
    }
    (folder, Arc::new(store))
}

pub(crate) fn worker(
    store: &Arc<dyn Store>,
    folder: impl AsRef<Path>,
    minds: impl Fn(&SlotName) -> Minds + Send + Sync + 'static,
) -> Worker {
    Worker {
        store: store.clone(),
        player: Arc::new(Miller(minds)),
        name: "test".into(),
        build: BUILD.into(),
        scratch: folder.as_ref().join("scratch"),
        worlds: 4,
        beat: LEASE / 4,
        until_empty: true,
        stop: CancellationToken::default(),
        news: Arc::new(|_, _| {}),
    }
}

pub(crate) fn state(store: &dyn Store, seed: u64) -> WorldState {
    patiently(|| world_state(store, &named(seed))).unwrap()
}

#[test]
fn a_world_that_the_queue_has_lost_is_found_and_played() {
    let (folder, store) = store_with(1);
    let (_, lease) = store.take(Duration::ZERO).unwrap().unwrap();
    lease.finish().unwrap();
    let mut worker = worker(&store, &folder, |_| minds(|_, _| {}));
    worker.until_empty = false;
    let stop = worker.stop.clone();
    worker.news = Arc::new(move |_, news| {
        if matches!(news, News::Left { .. }) {
            stop.cancel();
        }
    });
    worker.work(runtime().handle());
    assert_eq!(state(&*store, 1).digest, undisturbed(1));
}

#[test]
fn a_worker_that_is_told_to_end_hands_its_worlds_over() {
    let (folder, store) = store_with(1);
    let stop = CancellationToken::default();
    let stops = stop.clone();
    let mut first = worker(&store, &folder, move |_| {
        let stop = stops.clone();
        minds(move |_, number| {
            if number == 2 {
                stop.cancel();
                // The worker takes note of it.
                std::thread::sleep(LEASE / 4);
            }
        })
    });
    first.stop = stop;
    let news = Arc::new(Mutex::new(Vec::new()));
    let told = news.clone();
    first.news = Arc::new(move |_, news| told.lock().unwrap().push(news));
    let runtime = runtime();
    first.work(runtime.handle());
    let last = news.lock().unwrap().pop();
    assert!(matches!(last, Some(News::GaveBack { .. })), "{last:?}");
    assert_eq!(state(&*store, 1).phase, Phase::Queued);
    let watched = store.clone();
    let second = worker(&store, &folder, move |_| {
        let watched = watched.clone();
        minds(move |who, number| assert!(!is_recorded(&*watched, &named(1), who, number)))
    });
    second.work(runtime.handle());
    assert_eq!(state(&*store, 1).digest, undisturbed(1));
}

#[test]
fn a_build_that_cannot_replay_a_world_leaves_it_to_one_that_can() {
    let (folder, store) = store_with(0);
    let mut damaged = story(1);
    damaged.world = Some(b"{}".to_vec());
    submit(&*store, &named(1), damaged, None, "another", []).unwrap();
    let mut worker = worker(&store, &folder, |_| minds(|_, _| {}));
    worker.until_empty = false;
    let stop = worker.stop.clone();
    worker.news = Arc::new(move |_, _| stop.cancel());
    worker.work(runtime().handle());
    let refused = state(&*store, 1);
    assert_eq!((refused.phase, &*refused.build), (Phase::Queued, "another"));
    let note = "build test can't go on with this world, which another played: ";
    assert!(refused.note.starts_with(note), "{}", refused.note);
}

#[test]
fn all_workers_together_spend_no_more_than_the_limits_of_all_models_and_of_one() {
    for model in [None, Some("mill")] {
        let (folder, store) = store_with(4);
        let limit = |model, calls| {
            let limits = Amounts {
                calls: Some(calls),
                at_once: Some(2),
                ..Amounts::default()
            };
            ClusterBudget::limit(&*store, model, limits, Some(1_000_000)).unwrap();
        };
        let most = 2 * ANSWERS + 5;
        limit(model, most);
        limit(Some("ford"), 1);
        let (calls, now) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let work = || {
            let (calls, now) = (calls.clone(), now.clone());
            let worker = worker(&store, &folder, move |_| {
                let (calls, now) = (calls.clone(), now.clone());
                minds(move |_, _| {
                    calls.fetch_add(1, Ordering::SeqCst);
                    assert!(now.fetch_add(1, Ordering::SeqCst) < 2, "too many at once");
                    std::thread::sleep(Duration::from_millis(2));
                    now.fetch_sub(1, Ordering::SeqCst);
                })
            });
            worker.work(runtime().handle());
        };
        work();
        assert_eq!(calls.load(Ordering::SeqCst), most);
        let budget = ClusterBudget::of(&*store, model).unwrap();
        assert_eq!(
            (budget.spent.calls, budget.granted()),
            (most, Amounts::default())
        );
        // With more to spend, all of them come to their ends.
        limit(model, 1_000);
        for (world, state) in states(&*store).unwrap() {
            if state.phase != Phase::Ended {
                go_on(&*store, &world, None).unwrap();
            }
        }
        work();
        for seed in 1..=4 {
            let state = state(&*store, seed);
            let ended = (Phase::Ended, undisturbed(seed), ANSWERS);
            let now = (state.phase, state.digest, state.spent.calls);
            assert_eq!(now, ended, "{seed}");
        }
        assert_eq!(calls.load(Ordering::SeqCst), 4 * ANSWERS);
    }
}

#[test]
fn a_call_that_no_minute_has_room_for_is_refused_by_name() {
    let (folder, store) = store_with(1);
    ClusterBudget::limit(&*store, None, Amounts::default(), Some(1)).unwrap();
    let worker = worker(&store, &folder, |_| {
        minds(|who, _| panic!("{who} is asked"))
    });
    worker.work(runtime().handle());
    let refused = state(&*store, 1);
    assert_eq!(refused.phase, Phase::Paused);
    let reason = "more than all workers may send in a minute (1)";
    assert!(refused.note.ends_with(reason), "{}", refused.note);
}

/// A store of so many worlds, and a worker that plays so many of them at once, each of which waits
/// for an answer until all of them do. Returns what memory the worker needs then, in megabytes.
fn awake(registered: u64, awake: u64) -> u64 {
    let (folder, store) = store_with(awake);
    let begun = Instant::now();
    let (rest, journal) = (
        WorldState {
            phase: Phase::Waiting,
            ..WorldState::default()
        },
        story(0),
    );
    let rest = serde_json::to_vec(&rest).unwrap();
    for seed in awake + 1..=registered {
        store.create(&named(seed), &journal.journal).unwrap();
        store
            .write(&format!("world-{}", named(seed)), &rest, 0)
            .unwrap();
    }
    assert_eq!(states(&*store).unwrap().len() as u64, registered);
    eprintln!("{registered} worlds registered in {:?}", begun.elapsed());
    let (all, megabytes) = (
        Arc::new(Barrier::new(awake as usize)),
        Arc::new(AtomicU64::new(0)),
    );
    let (together, most) = (all.clone(), megabytes.clone());
    let mut worker = worker(&store, &folder, move |_| {
        let (together, most) = (together.clone(), most.clone());
        minds(move |who, number| {
            if (who, number) == ("Cado", 2) && together.wait().is_leader() {
                let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
                let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
                let peak = peak.and_then(|peak| peak.split_whitespace().next()?.parse().ok());
                most.store(peak.unwrap_or(0_u64) / 1024, Ordering::SeqCst);
            }
        })
    });
    worker.worlds = awake as usize;
    worker.beat = Duration::from_secs(2);
    worker.work(runtime().handle());
    let known = undisturbed(1);
    assert_eq!(state(&*store, 1).digest, known);
    for seed in 1..=awake {
        assert_eq!(state(&*store, seed).phase, Phase::Ended, "{seed}");
    }
    eprintln!("{awake} of them played in {:?}", begun.elapsed());
    megabytes.load(Ordering::SeqCst)
}

#[test]
fn many_worlds_are_awake_at_once_among_more_that_rest() {
    awake(300, 30);
}

#[test]
#[ignore = "takes minutes; see docs/scale.md"]
fn a_thousand_worlds_are_awake_at_once_among_a_hundred_thousand_in_two_gigabytes() {
    let megabytes = awake(100_000, 1_000);
    eprintln!("{megabytes} MB at most");
    assert!(megabytes < 2_000, "{megabytes} MB");
}

// --- processes ---

/// What a process that is a worker learns from its environment.
const WORKER: &str = "PLAYHOUSE_TEST_WORKER";

/// A server that is paid for each answer, and knows which of them were recorded before.
struct PaidServer {
    port: u16,
    calls: Arc<AtomicU64>,
    twice: Arc<Mutex<Vec<String>>>,
}

impl PaidServer {
    fn start(store: Arc<dyn Store>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            port: listener.local_addr().unwrap().port(),
            calls: Arc::default(),
            twice: Arc::default(),
        };
        let (calls, twice) = (server.calls.clone(), server.twice.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (store, calls, twice) = (store.clone(), calls.clone(), twice.clone());
                std::thread::spawn(move || serve(stream, &*store, &calls, &twice));
            }
        });
        server
    }
}

fn serve(stream: TcpStream, store: &dyn Store, calls: &AtomicU64, twice: &Mutex<Vec<String>>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    while let Some(Ok(line)) = lines.next() {
        calls.fetch_add(1, Ordering::SeqCst);
        let mut words = line.split(' ');
        let [world, who, number] = [(); 3].map(|()| words.next().unwrap());
        let world = world.parse().unwrap();
        if is_recorded(store, &world, who, number.parse().unwrap()) {
            twice.lock().unwrap().push(line.clone());
        }
        let _ = writeln!(&stream, "ok");
    }
}

/// Asks the server, and takes some time.
fn pay(port: u16, world: &SlotName, who: &str, number: u32) {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    writeln!(&stream, "{world} {who} {number}").unwrap();
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).unwrap();
    std::thread::sleep(Duration::from_millis(20));
}

/// Not a test: a worker, as a process of its own.
#[test]
#[ignore = "a process of other tests"]
fn worker_process() {
    let Ok(told) = std::env::var(WORKER) else {
        return;
    };
    let mut told = told.split(' ');
    let [address, port, scratch, worlds] = [(); 4].map(|()| told.next().unwrap().to_owned());
    let port = port.parse().unwrap();
    let store: Arc<dyn Store> = Arc::new(JetStreamStore::connect(&address, LEASE).unwrap());
    let mut worker = worker(&store, &scratch, move |world| {
        let world = world.clone();
        minds(move |who, number| pay(port, &world, who, number))
    });
    worker.until_empty = false;
    worker.worlds = worlds.parse().unwrap();
    worker.work(runtime().handle());
}

fn spawn_worker(nats: &Nats, server: &PaidServer, worlds: u32) -> Child {
    let scratch = tempfile::tempdir_in(nats.folder()).unwrap().keep();
    let told = format!(
        "{} {} {} {worlds}",
        nats.address(),
        server.port,
        scratch.display()
    );
    Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "workers::worker_process",
            "--ignored",
            "--nocapture",
        ])
        .env(WORKER, told)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// How many nodes and workers a cluster has.
const MACHINES: usize = 3;

/// Plays so many worlds, so many at a time by each worker, one of which is killed now and then.
fn trial(worlds: u64, at_once: u32, kills: Duration, within: Duration) {
    let mut nats = Nats::start(MACHINES);
    let store = nats.connect(LEASE);
    let server = PaidServer::start(nats.connect(LEASE));
    let begun = Instant::now();
    for seed in 0..worlds {
        let begun = story(seed);
        let world = named(seed);
        patiently(|| submit(&*store, &world, begun.clone(), None, BUILD, []));
    }
    eprintln!("{worlds} worlds submitted in {:?}", begun.elapsed());
    let spawn = |nats: &Nats| spawn_worker(nats, &server, at_once);
    let mut workers: Vec<_> = (0..MACHINES).map(|_| spawn(&nats)).collect();
    let (begun, mut killed) = (Instant::now(), 0);
    // One stands still for longer than its lease, and wakes.
    let mut asleep = None;
    for round in 0.. {
        std::thread::sleep(kills);
        assert!(begun.elapsed() < within, "not all worlds are over");
        let is_open = |(_, state): &(_, WorldState)| state.phase.is_open();
        match states(&*store) {
            Ok(states) => {
                let open = states.into_iter().filter(is_open).count();
                eprintln!("{:?}: {open} to play, {killed} killed", begun.elapsed());
                if open == 0 {
                    break;
                }
            }
            Err(error) => eprintln!("{:?}: {error}", begun.elapsed()),
        }
        let victim = round % MACHINES;
        if asleep.is_none() {
            signal(&workers[0], rustix::process::Signal::STOP);
            asleep = Some(Instant::now());
        } else if asleep.is_some_and(|since| since.elapsed() > LEASE * 2) {
            signal(&workers[0], rustix::process::Signal::CONT);
        }
        if victim > 0 {
            workers[victim].kill().unwrap();
            workers[victim].wait().unwrap();
            workers[victim] = spawn(&nats);
            killed += 1;
        }
        // One node is away for a while, then comes back, and the next one goes.
        match round % 4 {
            1 => nats.kill(round / 4 % MACHINES),
            3 => nats.revive(round / 4 % MACHINES),
            _ => {}
        }
    }
    let took = begun.elapsed();
    for mut worker in workers {
        signal(&worker, rustix::process::Signal::CONT);
        worker.kill().unwrap();
        worker.wait().unwrap();
    }
    for (world, state) in patiently(|| states(&*store)) {
        let seed = world.as_str().trim_start_matches("mill-").parse().unwrap();
        assert_eq!(state.digest, undisturbed(seed), "{world}: {state:?}");
    }
    let calls = server.calls.load(Ordering::SeqCst);
    eprintln!(
        "{worlds} worlds in {took:?}, {killed} kills, {calls} calls for {} answers",
        worlds * ANSWERS
    );
    assert!(killed > 0, "it was over before anything was killed");
    // It may have stood still just when it had asked whether its world was still its own: once for
    // each world that it played.
    let twice = server.twice.lock().unwrap();
    let worlds_of: BTreeSet<_> = twice.iter().map(|line| line.split(' ').next()).collect();
    assert_eq!(worlds_of.len(), twice.len(), "{twice:?}");
    assert!(calls >= worlds * ANSWERS);
}

fn signal(child: &Child, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, signal).unwrap();
}

#[test]
#[ignore = "needs nats-server"]
fn thirty_worlds_on_three_workers_and_three_nodes() {
    trial(30, 8, Duration::from_secs(1), Duration::from_secs(180));
}

#[test]
#[ignore = "takes minutes; see docs/scale.md"]
fn three_hundred_worlds_on_three_workers_and_three_nodes() {
    trial(300, 16, Duration::from_secs(2), Duration::from_secs(900));
}
