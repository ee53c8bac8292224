//! `broadcast/1000`: lines of 300 bytes to a thousand actors on one stage, through `EventWriter`, the built-in
//! guards and `deliver` in the schedule of a step. Figures are those of one delivery.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    missing_docs,
    unreachable_pub,
    reason = "a bench"
)]

mod common;

use std::alloc::System;
use std::hint::black_box;

use bevy_ecs::prelude::*;
use criterion::{Criterion, criterion_group, criterion_main};
use playhouse::cast::{CurrentStage, StageQuery};
use playhouse::engine::StepSet;
use playhouse::event::kinds::Speak;
use playhouse::event::{EventWriter, Records};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const ACTORS: usize = 1_000;
const LINES: usize = 100;

/// The words that are said in the next step.
#[derive(Resource)]
struct Next(String);

fn say_next(next: Res<Next>, company: StageQuery<()>, mut tell: EventWriter) {
    let event = Speak {
        actor: "Stage 0".into(),
        target: "all".into(),
        message: next.0.clone(),
    };
    tell.broadcast_to_stage(company.stage().unwrap(), event, &[]);
}

/// A stage full of actors that have heard nothing, and the schedule of its step.
fn hall() -> (World, Schedule) {
    let (mut setup, stages) = common::stages(1, ACTORS);
    setup.step.add_systems(say_next.in_set(StepSet::Rules));
    setup.world.insert_resource(CurrentStage::Place(stages[0]));
    setup.world.insert_resource(Next(String::new()));
    // Systems are made ready before the first line.
    setup.step.initialize(&mut setup.world).unwrap();
    (setup.world, setup.step)
}

fn say(world: &mut World, step: &mut Schedule, line: String) {
    world.resource_mut::<Next>().0 = line;
    step.run(world);
    // What the engine passes on to its feeds after each step.
    black_box(world.resource_mut::<Records>().0.drain(..)).for_each(drop);
}

fn bytes_per_delivery() {
    let lines: Vec<_> = (0..LINES).map(|number| common::line(number, 300)).collect();
    let (mut world, mut step) = hall();
    let region = Region::new(COUNTED);
    for (said, line) in lines.into_iter().enumerate() {
        say(&mut world, &mut step, line);
        let deliveries = (said + 1) * (ACTORS + 1);
        if matches!(said + 1, 10 | 50 | LINES) {
            let change = region.change();
            let held = change.bytes_allocated - change.bytes_deallocated;
            eprintln!(
                "broadcast/1000: {:.1} bytes a delivery are held after {} lines",
                held as f64 / deliveries as f64,
                said + 1,
            );
        }
    }
}

fn broadcast(criterion: &mut Criterion) {
    bytes_per_delivery();
    let lines: Vec<_> = (0..LINES).map(|number| common::line(number, 300)).collect();
    let mut group = criterion.benchmark_group("broadcast/1000");
    group.bench_function("a delivery", |bencher| {
        bencher.iter_custom(|deliveries| {
            common::average(deliveries, (LINES * (ACTORS + 1)) as u64, || {
                let (mut world, mut step) = hall();
                let lines = lines.clone();
                common::timed(|| {
                    for line in lines {
                        say(&mut world, &mut step, line);
                    }
                })
            })
        });
    });
    group.finish();
}

criterion_group!(benches, broadcast);
criterion_main!(benches);
