//! `days/200`: a day at home of the sample world with the improviser, on average over ten days
//! after 50 and after 190 days of one run; the same with a save on disk, over fifty days, since
//! there are fewer snapshots the longer a story is; and loading the save of day 200. Nothing of a
//! day should cost more the longer a story is; single days differ.

use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, Criterion};
use playhouse::cast::WorldTurn;
use playhouse::engine::{Engine, Setup};
use playhouse::knowledge::Today;
use playhouse::message::Language;
use playhouse::mind::improviser::Improviser;
use playhouse::rpg::world_file::{CampaignStep, WorldKind, new_world};
use playhouse::rpg::{Campaign, improviser};
use playhouse::save::{Expected, restore, snapshot};
use playhouse::session::{Game, Session};
use playhouse::world_data::DataFolder;
use tokio::runtime::Runtime;

use crate::common;

const DAYS: u32 = 200;
/// How many days are measured at a time, and how many of those that are saved.
const MEASURED: u32 = 10;
const SAVED: u32 = 50;

fn campaign() -> Campaign {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("mill");
    new_world(&folder, WorldKind::Journey, Language::En).unwrap();
    let world = DataFolder::at(&folder).unwrap();
    let mut campaign = Campaign::load_from(&DataFolder::embedded(), &world, "mill").unwrap();
    let days = DAYS as i32 + 1;
    Arc::make_mut(&mut campaign.file).schedule = vec![CampaignStep::Home { days }];
    campaign
}

fn mind() -> Improviser {
    Improviser::taught(improviser::teach).unwrap()
}

fn engine(setup: Setup) -> Engine {
    common::engine(setup, mind(), 16)
}

fn play_to(runtime: &Runtime, engine: &mut Engine, day: u32) {
    while engine.world.resource::<Today>().0 < day {
        common::play(runtime, engine, 1);
    }
}

pub(crate) fn bench(criterion: &mut Criterion) {
    let runtime = common::runtime();
    let game = campaign();
    let begun = || {
        let mut setup = game.set_up(3).unwrap();
        game.populate(&mut setup).unwrap();
        engine(setup)
    };
    let mut group = criterion.benchmark_group("days/200");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500));
    for day in [50, DAYS - MEASURED] {
        group.bench_function(format!("a day after {day}"), |bencher| {
            bencher.iter_custom(|iterations| {
                let mut took = Duration::ZERO;
                for _ in 0..iterations {
                    let mut engine = begun();
                    play_to(&runtime, &mut engine, day + 1);
                    let end = day + 1 + MEASURED;
                    took += common::timed(|| play_to(&runtime, &mut engine, end));
                }
                took / MEASURED
            });
        });
    }
    let mut whole = begun();
    let mut turn_of = |day| {
        play_to(&runtime, &mut whole, day);
        whole.world.resource::<WorldTurn>().0
    };
    for day in [50, DAYS - SAVED] {
        // A run that stops is saved, so it stops only before and after what is measured.
        let turns = [day, day + SAVED].map(&mut turn_of);
        group.bench_function(format!("a saved day after {day}"), |bencher| {
            bencher.iter_custom(|iterations| {
                let mut took = Duration::ZERO;
                for _ in 0..iterations {
                    let root = tempfile::tempdir().unwrap();
                    let session = Session::start(root.path(), "mill", &game, 3, mind().into());
                    let engine = &mut session.unwrap().engine;
                    let mut play = |turn| drop(runtime.block_on(engine.run(Some(turn))).unwrap());
                    play(turns[0]);
                    took += common::timed(|| play(turns[1]));
                }
                took / SAVED
            });
        });
    }
    play_to(&runtime, &mut whole, DAYS);
    let bytes = snapshot(&whole.world, &game.meta()).unwrap();
    let data = game.meta().data;
    let expected = Expected::of_data(&data);
    eprintln!(
        "days/200: the save of day {DAYS} has {} kB",
        bytes.len() / 1000
    );
    group.bench_function("load", |bencher| {
        let read = |setup: &mut Setup| restore(&mut setup.world, &bytes, &expected).unwrap();
        bencher.iter_batched_ref(|| game.set_up(3).unwrap(), read, BatchSize::PerIteration);
    });
    group.finish();
}
