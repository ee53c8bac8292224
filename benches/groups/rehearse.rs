//! `rehearse`: a whole campaign of each shipped world, as a rehearsal plays it on one core, the
//! average of sixteen.

use std::ops::ControlFlow;
use std::time::Duration;

use criterion::Criterion;
use playhouse::rpg::Campaign;
use playhouse::rpg::rehearsal::{RehearsalPlan, RunEnd, rehearse};
use playhouse::world_data::DataFolder;

use crate::common;

/// Campaigns for one figure.
const RUNS: u32 = 16;

pub(crate) fn bench(criterion: &mut Criterion) {
    let data = DataFolder::embedded();
    let mut group = criterion.benchmark_group("rehearse");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500));
    for world in ["drowned-assize", "zhaoying-ban"] {
        let campaign = Campaign::load(&data, world).unwrap();
        let mut plan = RehearsalPlan {
            seed: 1,
            runs: RUNS,
            jobs: 1,
            ..RehearsalPlan::default()
        };
        group.bench_function(world, |bencher| {
            bencher.iter_custom(|iterations| {
                common::average(iterations, RUNS.into(), || {
                    common::timed(|| {
                        let runs = rehearse(&campaign, &plan, &|_| ControlFlow::Continue(()));
                        for run in runs.unwrap() {
                            assert!(matches!(run.end, RunEnd::Finished(_)), "{:?}", run.end);
                        }
                        plan.seed += u64::from(RUNS);
                    })
                })
            });
        });
    }
    group.finish();
}
