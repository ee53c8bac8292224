//! What all stores promise.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use playhouse_cluster::{
    Amounts, ClusterBudget, FolderStore, Owner, Phase, Position, Store, StoreError, cancel, go_on,
    remove, submit,
};
use playhouse_engine::engine::CancellationToken;
use playhouse_engine::save::SlotName;

use super::link::{Fate, Link};
use super::memory::MemoryStore;
use super::mill::{
    ANSWERS, is_recorded, minds, named, patiently, recorded, scratch, story, undisturbed,
};
use super::nats::Nats;
use super::workers::{BUILD, runtime, state, worker};

const LEASE: Duration = Duration::from_millis(500);

fn world(name: &str) -> SlotName {
    name.parse().unwrap()
}

/// Whether there is no work.
fn none(store: &dyn Store) -> bool {
    store.take(Duration::from_millis(200)).unwrap().is_none()
}

/// Runs a test on each store, and if `PLAYHOUSE_NATS` is set on that of a server.
fn on_each(test: impl Fn(Arc<dyn Store>)) {
    test(Arc::new(MemoryStore::default()));
    let folder = scratch();
    test(Arc::new(FolderStore::open(folder.path()).unwrap()));
    if std::env::var_os("PLAYHOUSE_NATS").is_some() {
        let nats = Nats::start(1);
        test(nats.connect(LEASE));
    }
}

#[test]
fn a_journal_is_what_was_appended_and_belongs_to_the_last_who_claimed_it() {
    on_each(|store| {
        let mill = world("mill 磨坊.1");
        let owners = [1, 2].map(Owner::numbered);
        assert!(matches!(
            store.claim(&mill, &owners[0]),
            Err(StoreError::Missing { .. })
        ));
        store.create(&mill, b"one\n").unwrap();
        // Of this nothing was heard.
        store.create(&mill, b"one\n").unwrap();
        assert!(matches!(
            store.create(&mill, b"another\n"),
            Err(StoreError::Exists { .. })
        ));
        let first = store.claim(&mill, &owners[0]).unwrap();
        assert_eq!(first.journal, b"one\n");
        let two = store.append(&mill, &owners[0], first.at, b"two\n").unwrap();
        // Of this, neither.
        let again = store.append(&mill, &owners[0], first.at, b"two\n").unwrap();
        assert_eq!(again, two);
        let (lines, after) = store.read(&mill, Position::default()).unwrap();
        assert_eq!(lines, b"one\ntwo\n");
        let second = store.claim(&mill, &owners[1]).unwrap();
        assert_eq!(second.journal, b"one\ntwo\n");
        // It was thought dead, and comes back.
        let stale = store.append(&mill, &owners[0], two, b"stale\n");
        assert_eq!(stale, Err(StoreError::Stale));
        let long = [vec![b'x'; 3 << 20], b"\n".to_vec()].concat();
        let three = store.append(&mill, &owners[1], second.at, &long).unwrap();
        let stale = store.append(&mill, &owners[0], two, b"stale\n");
        assert_eq!(stale, Err(StoreError::Stale));
        assert_eq!(store.read(&mill, after).unwrap(), (long, three));
        assert_eq!(store.read(&mill, three).unwrap(), (Vec::new(), three));
        // Whoever plays it writes nothing when it is gone, nor into another of the same name.
        store.save(&mill, b"snapshot").unwrap();
        store.enqueue(&mill).unwrap();
        store.remove(&mill, &[]).unwrap();
        for again in [false, true] {
            let stale = store.append(&mill, &owners[1], three, b"stale\n");
            assert_eq!(stale, Err(StoreError::Stale));
            assert!(store.read(&mill, Position::default()).is_err() != again);
            store.create(&mill, b"another\n").unwrap();
        }
        assert_eq!(store.snapshot(&mill).unwrap(), None);
        assert!(none(&*store));
    });
}

#[test]
fn two_who_claim_at_the_same_time_are_not_both_owners() {
    on_each(|store| {
        let mill = world("mill");
        store.create(&mill, b"one\n").unwrap();
        for round in 0..10 {
            let claims: Vec<_> = std::thread::scope(|scope| {
                let claim = |owner: u64| {
                    let (store, mill) = (&store, &mill);
                    scope.spawn(move || {
                        let owner = Owner::numbered(round * 2 + owner);
                        let claimed = store.claim(mill, &owner).unwrap();
                        (owner, claimed.at)
                    })
                };
                let threads = [claim(0), claim(1)];
                threads.map(|thread| thread.join().unwrap()).into()
            });
            let appended = claims
                .iter()
                .filter(|(owner, at)| store.append(&mill, owner, *at, b"more\n").is_ok());
            assert_eq!(appended.count(), 1);
        }
        let (lines, _) = store.read(&mill, Position::default()).unwrap();
        assert_eq!(lines.len(), 4 + 10 * 5);
    });
}

#[test]
fn a_record_changes_only_from_what_its_writer_knows() {
    on_each(|store| {
        assert_eq!(store.record("world-a").unwrap(), None);
        let first = store.write("world-a", b"1", 0).unwrap();
        assert_eq!(store.write("world-a", b"2", 0), Err(StoreError::Stale));
        let second = store.write("world-a", b"2", first).unwrap();
        assert_eq!(store.write("world-a", b"3", first), Err(StoreError::Stale));
        let record = store.record("world-a").unwrap().unwrap();
        assert_eq!((record.value, record.revision), (b"2".to_vec(), second));
        let third = store.write("world-b", b"", 0).unwrap();
        let records = store.records().unwrap().into_iter();
        let records = records.map(|(name, record)| (name, record.value, record.revision));
        let known = [
            ("world-a", b"2".to_vec(), second),
            ("world-b", Vec::new(), third),
        ];
        let known = known.map(|(name, value, revision)| (name.to_owned(), value, revision));
        assert_eq!(records.collect::<Vec<_>>(), known);
        store.remove(&world("a"), &["world-a".into()]).unwrap();
        assert_eq!(store.record("world-a").unwrap(), None);
    });
}

#[test]
#[ignore = "measures, see docs/scale.md"]
fn how_long_appends_take() {
    on_each(|store| {
        let mill = world("mill");
        store.create(&mill, b"one\n").unwrap();
        let owner = Owner::numbered(1);
        let mut at = store.claim(&mill, &owner).unwrap().at;
        let line = [vec![b'x'; 2_000], b"\n".to_vec()].concat();
        let append = |_| {
            let begun = Instant::now();
            at = store.append(&mill, &owner, at, &line).unwrap();
            begun.elapsed()
        };
        let mut times: Vec<_> = (0..1_000).map(append).collect();
        times.sort_unstable();
        eprintln!("{store:?}: median {:?}, 99 % {:?}", times[500], times[990]);
    });
}

#[test]
fn the_last_snapshot_is_kept() {
    on_each(|store| {
        let mill = world("mill");
        assert_eq!(store.snapshot(&mill).unwrap(), None);
        let long = vec![7; 3 << 20];
        for snapshot in [b"one".to_vec(), long, b"two".to_vec()] {
            store.save(&mill, &snapshot).unwrap();
            assert_eq!(store.snapshot(&mill).unwrap(), Some(snapshot));
        }
    });
}

#[test]
fn work_is_taken_by_one_until_it_is_finished_or_given_back() {
    on_each(|store| {
        let (mill, within) = (world("mill"), Duration::from_secs(5));
        assert!(none(&*store));
        store.enqueue(&mill).unwrap();
        store.enqueue(&mill).unwrap();
        let (taken, lease) = store.take(within).unwrap().unwrap();
        assert_eq!(taken, mill);
        assert!(none(&*store));
        lease.give_back(Duration::ZERO).unwrap();
        let (_, lease) = store.take(within).unwrap().unwrap();
        // It takes longer than the lease.
        for _ in 0..4 {
            store.pause(LEASE / 2);
            lease.keep().unwrap();
        }
        assert!(none(&*store));
        lease.finish().unwrap();
        store.pause(LEASE * 2);
        assert!(none(&*store));
    });
}

#[test]
#[ignore = "needs nats-server"]
fn work_of_one_that_says_nothing_any_more_is_given_to_another() {
    let nats = Nats::start(1);
    let store = nats.connect(LEASE);
    store.enqueue(&world("mill")).unwrap();
    let within = Duration::from_secs(10);
    let dead = store.take(within).unwrap().unwrap();
    let (taken, _) = store.take(within).unwrap().unwrap();
    assert_eq!((taken, dead.0), (world("mill"), world("mill")));
}

#[test]
fn what_is_torn_in_a_folder_was_never_there() {
    let folder = scratch();
    let store = FolderStore::open(folder.path()).unwrap();
    let (mill, owner) = (world("mill"), Owner::numbered(1));
    store.create(&mill, b"one\n").unwrap();
    let mut file = OpenOptions::new()
        .append(true)
        .open(folder.path().join("journals/mill"))
        .unwrap();
    file.write_all(b"tor").unwrap();
    let (lines, after) = store.read(&mill, Position::default()).unwrap();
    assert_eq!((&*lines, after), (&b"one\n"[..], Position(4)));
    let claimed = store.claim(&mill, &owner).unwrap();
    assert_eq!(claimed.journal, b"one\n");
    store.append(&mill, &owner, claimed.at, b"two\n").unwrap();
    let (lines, _) = store.read(&mill, Position::default()).unwrap();
    assert_eq!(lines, b"one\ntwo\n");
}

/// Lets a worker play a world that was submitted. `fate` says what happens to each of its calls,
/// counted from 0, and whether it dies with that. Returns how many there were, and whether the
/// story is over.
fn work(
    store: &Arc<dyn Store>,
    seed: u64,
    fate: impl Fn(u64) -> (Fate, bool) + Send + Sync + 'static,
) -> (u64, bool) {
    patiently(|| store.enqueue_anew(&named(seed)));
    let (stop, calls) = (CancellationToken::default(), Arc::new(AtomicU64::new(0)));
    let (dead, count) = (stop.clone(), calls.clone());
    let link = Link {
        store: store.clone(),
        weather: Arc::new(move || {
            let (fate, dies) = match dead.is_cancelled() {
                true => (Fate::Lost, true),
                false => fate(count.fetch_add(1, Ordering::SeqCst)),
            };
            if dies {
                dead.cancel();
            }
            fate
        }),
    };
    let (folder, watched) = (scratch(), store.clone());
    let mut worker = worker(&(Arc::new(link) as _), &folder, move |world| {
        let (store, world) = (watched.clone(), world.clone());
        minds(move |who, number| {
            assert!(!is_recorded(&*store, &world, who, number), "paid twice");
        })
    });
    worker.stop = stop;
    worker.play_next(runtime().handle());
    let state = state(&**store, seed);
    let is_over = state.phase == Phase::Ended;
    if is_over {
        assert_eq!(state.digest, undisturbed(seed));
    }
    (calls.load(Ordering::SeqCst), is_over)
}

fn begin(store: &Arc<dyn Store>, seed: u64) {
    submit(&**store, &named(seed), story(seed), None, BUILD, []).unwrap();
}

#[test]
fn whichever_call_a_worker_dies_at_the_story_goes_on_as_if_nothing_had_happened() {
    on_each(|store| {
        for (first, fate) in [(100, Fate::Lost), (200, Fate::Unheard)] {
            for number in 0.. {
                let seed = first + number;
                begin(&store, seed);
                let dies = move |call| match call == number {
                    true => (fate, true),
                    false => (Fate::Fine, false),
                };
                let (calls, was_over) = work(&store, seed, dies);
                if was_over && calls <= number {
                    break;
                }
                let (_, is_over) = work(&store, seed, |_| (Fate::Fine, false));
                assert!(was_over || is_over, "{fate:?} {number}");
            }
        }
    });
}

#[test]
fn what_a_dead_worker_did_not_spend_is_given_back_if_its_world_is_cancelled_or_removed() {
    on_each(|store| {
        let limits = Amounts {
            calls: Some(1_000),
            ..Amounts::default()
        };
        ClusterBudget::limit(&*store, None, limits, None).unwrap();
        let ends: [fn(&Arc<dyn Store>, u64); 3] = [
            |store, seed| {
                cancel(&**store, &named(seed)).unwrap();
                // It may still be played, so this is the affair of whoever gets it next.
                work(store, seed, |_| (Fate::Fine, false));
            },
            |store, seed| remove(&**store, &named(seed)).unwrap(),
            |store, seed| {
                go_on(&**store, &named(seed), None).unwrap();
                cancel(&**store, &named(seed)).unwrap();
            },
        ];
        for (seed, end) in (1..).zip(ends) {
            begin(&store, seed);
            let before = ClusterBudget::of(&*store, None).unwrap().spent.calls;
            let (watched, mill) = (store.clone(), named(seed));
            work(&store, seed, move |_| {
                match is_recorded(&*watched, &mill, "Cado", 1) {
                    true => (Fate::Lost, true),
                    false => (Fate::Fine, false),
                }
            });
            let (journal, _) = store.read(&named(seed), Position::default()).unwrap();
            let answers = recorded(&journal).len() as u64;
            assert!((1..ANSWERS).contains(&answers), "{answers}");
            let known = || ClusterBudget::of(&*store, None).unwrap();
            assert!(known().granted().calls > ANSWERS);
            end(&store, seed);
            assert_eq!(known().granted(), Amounts::default(), "{seed}");
            let spent = known().spent.calls - before;
            // Nobody knows whether those that were on their way were paid for.
            assert!(
                (answers..=answers + 3).contains(&spent),
                "{spent} of {answers}"
            );
        }
    });
}

#[test]
#[ignore = "needs nats-server"]
fn one_node_may_be_gone_and_without_a_quorum_a_story_goes_on_when_it_is_back() {
    let mut nats = Nats::start(3);
    let store = nats.connect(LEASE);
    let begun = story(1);
    patiently(|| submit(&*store, &named(1), begun.clone(), None, BUILD, []));
    let (mill, owner) = (named(1), Owner::numbered(1));
    store.write("record", b"1", 0).unwrap();
    let other = named(2);
    patiently(|| store.save(&other, b"snapshot"));
    nats.kill(0);
    patiently(|| store.claim(&mill, &owner));
    patiently(|| store.records());
    patiently(|| store.snapshot(&other));
    for _ in 0..8 {
        assert_eq!(store.records().unwrap().len(), 2);
        assert_eq!(store.snapshot(&other).unwrap(), Some(b"snapshot".to_vec()));
    }
    nats.kill(1);
    assert!(store.claim(&mill, &owner).unwrap_err().may_pass());
    nats.revive(0);
    nats.revive(1);
    let claimed = patiently(|| store.claim(&mill, &owner));
    assert_eq!(claimed.journal, begun.journal);
    assert!(work(&store, 1, |_| (Fate::Fine, false)).1);
}

#[test]
#[ignore = "needs nats-server"]
fn a_full_server_refuses_what_is_new_and_keeps_what_is_old() {
    let nats = Nats::start_with(1, "max_file_store: 4MB", "", "");
    let store = nats.connect(LEASE);
    let (mill, owner) = (world("mill"), Owner::numbered(1));
    store.create(&mill, b"one\n").unwrap();
    let mut at = store.claim(&mill, &owner).unwrap().at;
    let line = [vec![b'x'; 1 << 18], b"\n".to_vec()].concat();
    let mut appended = 0;
    let error = loop {
        match store.append(&mill, &owner, at, &line) {
            Ok(next) => at = next,
            Err(error) => break error,
        }
        appended += 1;
        assert!(appended < 100);
    };
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    let (lines, _) = store.read(&mill, Position::default()).unwrap();
    assert_eq!(lines.len(), 4 + appended * line.len());
}
