//! `rehearse`: one whole campaign of each shipped world on the improviser, on one core, with its
//! journal in memory, as a rehearsal plays it.

use std::time::Duration;

use criterion::Criterion;
use playhouse::mind::improviser::Improviser;
use playhouse::rpg::rehearsal::{RunEnd, play};
use playhouse::rpg::{Campaign, improviser};
use playhouse::world_data::DataFolder;

use crate::common;

/// Campaigns for one figure.
const RUNS: u64 = 10;

pub(crate) fn bench(criterion: &mut Criterion) {
    let runtime = common::runtime();
    let data = DataFolder::embedded();
    let improviser = Improviser::taught(improviser::teach).unwrap();
    let mut group = criterion.benchmark_group("rehearse");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500));
    for world in ["drowned-assize", "zhaoying-ban"] {
        let campaign = Campaign::load(&data, world).unwrap();
        let mut seed = 0;
        group.bench_function(world, |bencher| {
            bencher.iter_custom(|iterations| {
                common::average(iterations, RUNS, || {
                    common::timed(|| {
                        for _ in 0..RUNS {
                            seed += 1;
                            let run = runtime.block_on(play(&campaign, &improviser, seed, None));
                            assert!(matches!(run.end, RunEnd::Finished(_)), "{:?}", run.end);
                        }
                    })
                })
            });
        });
    }
    group.finish();
}
