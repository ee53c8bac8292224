//! `days/200`: a day at home of the sample world with the improviser, after 50 and after 199 days,
//! and loading the save of day 200. Nothing of a day should cost more the longer a story is.

use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, Criterion};
use playhouse::engine::{Engine, Setup};
use playhouse::knowledge::Today;
use playhouse::message::Language;
use playhouse::mind::improviser::Improviser;
use playhouse::rpg::world_file::{Step, new_world};
use playhouse::rpg::{Campaign, improviser};
use playhouse::save::{Expected, restore, snapshot};
use playhouse::session::Game;
use playhouse::world_data::DataFolder;
use tokio::runtime::Runtime;

use crate::common;

const DAYS: u32 = 200;

fn campaign() -> Campaign {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("mill");
    new_world(&folder, Language::En).unwrap();
    let world = DataFolder::at(&folder).unwrap();
    let mut campaign = Campaign::load_from(&DataFolder::embedded(), &world, "mill").unwrap();
    let days = DAYS as i32 + 1;
    Arc::make_mut(&mut campaign.file).schedule = vec![Step::Home { days }];
    campaign
}

fn engine(setup: Setup) -> Engine {
    let improviser = Improviser::taught(improviser::teach).unwrap();
    common::engine(setup, improviser, 16)
}

fn play_to(runtime: &Runtime, engine: &mut Engine, day: u32) {
    while engine.world.resource::<Today>().0 < day {
        common::play(runtime, engine, 1);
    }
}

pub(crate) fn bench(criterion: &mut Criterion) {
    let runtime = common::runtime();
    let game = campaign();
    let mut setup = game.set_up(3).unwrap();
    game.populate(&mut setup).unwrap();
    let mut whole = engine(setup);
    let saves = [51, DAYS].map(|day| {
        play_to(&runtime, &mut whole, day);
        (day, snapshot(&whole.world, &game.meta()).unwrap())
    });
    let data = game.meta().data;
    let expected = Expected::of_data(&data);
    let loaded = |bytes: &[u8]| {
        let mut setup = game.set_up(3).unwrap();
        restore(&mut setup.world, bytes, &expected).unwrap();
        setup
    };
    let mut group = criterion.benchmark_group("days/200");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500));
    for (day, bytes) in &saves {
        group.bench_function(format!("a day after {}", day - 1), |bencher| {
            bencher.iter_custom(|iterations| {
                let mut took = Duration::ZERO;
                for _ in 0..iterations {
                    let mut engine = engine(loaded(bytes));
                    // The first recall makes the index of what was loaded.
                    common::play(&runtime, &mut engine, 1);
                    took += common::timed(|| play_to(&runtime, &mut engine, day + 1));
                }
                took
            });
        });
    }
    let [_, (_, bytes)] = &saves;
    eprintln!(
        "days/200: the save of day {DAYS} has {} kB",
        bytes.len() / 1000
    );
    group.bench_function("load", |bencher| {
        let read = |setup: &mut Setup| restore(&mut setup.world, bytes, &expected).unwrap();
        bencher.iter_batched_ref(|| game.set_up(3).unwrap(), read, BatchSize::PerIteration);
    });
    group.finish();
}
