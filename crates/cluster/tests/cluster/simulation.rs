//! Deaths, delays, duplicates and stale owners, each from a seed.

use std::sync::Arc;

use playhouse_cluster::{FolderStore, Owner, Store, StoreReplica};
use playhouse_engine::engine::CancellationToken;
use playhouse_engine::save::{PackedSlot, Slot};
use playhouse_engine::session::Session;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::faults::{Fault, Faulty};
use super::mill::{
    ANSWERS, Mill, digest, is_recorded, minds, named, run, scratch, story, undisturbed,
};

/// How many lives are simulated; the variable asks for more.
const LIVES: u64 = 300;
const WANTED: &str = "PLAYHOUSE_SIMULATED_LIVES";

/// A worker that has a world, or thinks so.
pub(crate) struct Life {
    pub(crate) session: Session,
    // Removed with it.
    _saves: tempfile::TempDir,
}

/// Begins a life, unless a call fails; one that is not patient ends with the first that does. No
/// answer is asked for that the watched store has.
pub(crate) fn begin(
    store: Arc<dyn Store>,
    watched: &Arc<dyn Store>,
    seed: u64,
    owner: u64,
    is_patient: bool,
) -> Option<Life> {
    let saves = scratch();
    let (world, owner) = (named(seed), Owner::numbered(owner));
    let claimed = store.claim(&world, &owner).ok()?;
    let known = claimed.journal.len() as u64;
    let files = PackedSlot {
        journal: claimed.journal,
        world: store.snapshot(&world).ok()?,
        settings: None,
    };
    Slot::unpack(saves.path(), "mill", &files).unwrap();
    let (watched, name) = (watched.clone(), world.clone());
    let minds = minds(move |who, number| {
        assert!(
            !is_recorded(&*watched, &name, who, number),
            "{who}'s answer {number} is paid twice"
        );
    });
    let mut session = Session::resume(saves.path(), "mill", &Mill, minds, false).unwrap();
    let stop = CancellationToken::default();
    if !is_patient {
        stop.cancel();
    }
    let replica = StoreReplica::new(store, world, owner, claimed.at, stop, |_| {});
    session.engine.replicate(known, Box::new(replica)).ok()?;
    Some(Life {
        session,
        _saves: saves,
    })
}

/// Lets workers die and come back until a world's story is over. Returns how many lives it took.
fn simulate(seed: u64) -> u64 {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = move |below: u64| random.random_range(0..below);
    let folder = scratch();
    let store: Arc<dyn Store> = Arc::new(FolderStore::open(folder.path()).unwrap());
    store.create(&named(seed), &story(seed).journal).unwrap();
    let mut stale: Vec<Life> = Vec::new();
    for life in 1.. {
        let (dies, kind, wakes) = (draw(ANSWERS + 4), draw(4), draw(3) == 0);
        let doubled = draw(ANSWERS);
        let plan = move |call: u64| match kind {
            0 if call >= dies => Fault::Before,
            1 if call >= dies => Fault::After,
            2 if call == doubled => Fault::Twice,
            3 if call == dies + 3 => Fault::After,
            _ => Fault::None,
        };
        let faulty = Arc::new(Faulty::new(store.clone(), plan));
        let Some(mut now) = begin(faulty, &store, seed, life, false) else {
            continue;
        };
        if wakes {
            // This one stands still before it plays, and others think it dead.
            stale.push(now);
            continue;
        }
        // Those that were thought dead come back in the middle, and write nothing.
        for mut back in stale.drain(..) {
            let before = store.read(&named(seed), Default::default()).unwrap();
            // It fails, unless its story was over before it stood still.
            let _ = run(&mut back.session);
            let after = store.read(&named(seed), Default::default()).unwrap();
            assert_eq!(before, after, "seed {seed}: a stale owner wrote");
        }
        if run(&mut now.session).is_ok() {
            let snapshot = now.session.slot().read_world().unwrap().unwrap();
            assert_eq!(digest(&snapshot), undisturbed(seed), "seed {seed}");
            return life;
        }
    }
    unreachable!("lives are numbered without end")
}

#[test]
fn whatever_dies_and_wakes_worlds_are_the_same_and_nothing_is_paid_twice() {
    let wanted = std::env::var(WANTED).map_or(LIVES, |wanted| wanted.parse().unwrap());
    let (mut lives, mut seed) = (0, 0);
    while lives < wanted {
        lives += simulate(seed);
        seed += 1;
    }
    eprintln!("{lives} lives of workers, {seed} worlds");
}
