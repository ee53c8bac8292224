//! `world/10000`: one turn of 10,000 actors on 1,000 stages. Each is asked once, by instant minds,
//! and heard by the others on its stage; the journal is in memory, and meetings are hashed. The
//! fifth turn is the one that counts: its histories have 45 to 56 messages. Of 100,000 actors on
//! 10,000 stages five turns are played once.

use std::time::Duration;

use criterion::Criterion;
use playhouse::context::AgentContext;
use playhouse::engine::Engine;
use playhouse::mind::{ScriptLine, ScriptMind};
use tokio::runtime::Runtime;

use crate::common;

const STAGES: usize = 1_000;
const ACTORS: usize = 10;
const TURNS: usize = 5;

fn world(stages: usize) -> Engine {
    let (mut setup, stages) = common::stages(stages, ACTORS);
    common::talking(&mut setup, &stages, ACTORS);
    let mind = ScriptMind::by_rule(|prompt| {
        let words = common::line(prompt.number as usize, 100);
        ScriptLine::say(format!("{{\"words\":\"{words}\"}}"))
    });
    common::engine(setup, mind, 64)
}

/// How long each of the first turns takes.
fn turns(runtime: &Runtime, engine: &mut Engine) -> [Duration; TURNS] {
    std::array::from_fn(|_| common::timed(|| common::play(runtime, engine, 1)))
}

fn tell_of_memory(runtime: &Runtime, stages: usize) {
    let mut engine = world(stages);
    let before = common::megabytes("VmRSS");
    let each = turns(runtime, &mut engine);
    let mut contexts = engine.world.query::<&AgentContext>();
    let longest = contexts.iter(&engine.world).map(AgentContext::len).max();
    eprintln!(
        "world/{}: {before} MB at the start, {} MB after {TURNS} turns ({} MB at most); longest history {}; turns took {each:.1?}",
        stages * ACTORS,
        common::megabytes("VmRSS"),
        common::megabytes("VmHWM"),
        longest.unwrap_or(0),
    );
}

pub(crate) fn bench(criterion: &mut Criterion) {
    let runtime = common::runtime();
    tell_of_memory(&runtime, STAGES);
    tell_of_memory(&runtime, 10 * STAGES);
    let mut group = criterion.benchmark_group("world/10000");
    group.sample_size(10);
    group.bench_function("the fifth turn", |bencher| {
        bencher.iter_custom(|times| {
            let last = || turns(&runtime, &mut world(STAGES))[TURNS - 1];
            (0..times).map(|_| last()).sum()
        });
    });
    group.finish();
}
