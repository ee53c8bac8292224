//! `broadcast/1000`: lines of 300 bytes to a thousand actors on one stage, through `EventWriter`,
//! the built-in guards and `deliver` in the schedule of a step. Figures are those of one delivery.

use std::hint::black_box;

use bevy_ecs::prelude::*;
use criterion::Criterion;
use playhouse::cast::{CurrentStage, StageQuery};
use playhouse::engine::StepSet;
use playhouse::event::kinds::Speak;
use playhouse::event::{EventWriter, Records};

use crate::common;

pub(crate) const ACTORS: usize = 1_000;
pub(crate) const LINES: usize = 100;

/// The words that are said in the next step.
#[derive(Resource)]
struct Next(String);

fn say_next(next: Res<Next>, actors: StageQuery<()>, mut events: EventWriter) {
    let event = Speak {
        actor: "Stage 0".into(),
        target: "all".into(),
        message: next.0.clone(),
        tells: Vec::new(),
    };
    events.broadcast_to_stage(actors.stage().unwrap(), event, &[]);
}

/// A stage full of actors that have heard nothing, and the schedule of its step.
pub(crate) fn hall() -> (World, Schedule) {
    let (mut setup, stages) = common::stages(1, ACTORS);
    setup.step.add_systems(say_next.in_set(StepSet::Rules));
    setup.world.insert_resource(CurrentStage::Place(stages[0]));
    setup.world.insert_resource(Next(String::new()));
    // Systems are made ready before the first line.
    setup.step.initialize(&mut setup.world).unwrap();
    (setup.world, setup.step)
}

/// Says a line in a step of its own.
pub(crate) fn say(world: &mut World, step: &mut Schedule, line: String) {
    world.resource_mut::<Next>().0 = line;
    step.run(world);
    // What the engine passes on to its feeds after each step.
    black_box(world.resource_mut::<Records>().0.drain(..)).for_each(drop);
}

pub(crate) fn bench(criterion: &mut Criterion) {
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
