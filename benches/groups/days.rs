//! `days/200`: a day at home of the sample world with the improviser, on average over ten days
//! after 50 and after 190 days of one run. Nothing of a day should cost more the longer a story is;
//! single days differ.

use std::sync::Arc;
use std::time::Duration;

use criterion::Criterion;
use playhouse::engine::Engine;
use playhouse::knowledge::Today;
use playhouse::message::Language;
use playhouse::mind::improviser::Improviser;
use playhouse::rpg::world_file::{CampaignStep, WorldKind, new_world};
use playhouse::rpg::{Campaign, improviser};
use playhouse::session::Game;
use playhouse::world_data::DataFolder;
use tokio::runtime::Runtime;

use crate::common;

const DAYS: u32 = 200;
/// How many days are measured at a time.
const MEASURED: u32 = 10;

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
        let mind = Improviser::taught(improviser::teach).unwrap();
        common::engine(setup, mind, 16)
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
    group.finish();
}
