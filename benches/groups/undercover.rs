//! `undercover/1000`: a thousand games of six on the improviser, on one core; the time of one game
//! is the figure. How the games ended is printed.

use std::sync::Arc;
use std::time::Duration;

use criterion::Criterion;
use playhouse::cast::{Kind, all_of};
use playhouse::engine::Engine;
use playhouse::message::Language;
use playhouse::mind::Minds;
use playhouse::mind::improviser::Improviser;
use playhouse::session::Game;
use playhouse::testing::journal;
use playhouse::undercover::{Match, Side, Table, WordSource, default_rules};
use playhouse::world_data::DataFolder;
use tokio::runtime::Runtime;

use crate::common;

const GAMES: u64 = 1_000;

#[derive(Default)]
struct Ends {
    civilians: u64,
    rounds: u64,
    calls: u64,
}

/// Sets a game up and plays it to its end.
fn play(runtime: &Runtime, game: &Match, minds: &Minds, seed: u64, ends: &mut Ends) {
    let mut setup = game.set_up(seed).unwrap();
    game.populate(&mut setup).unwrap();
    let mut engine = Engine::new(setup, minds.clone(), journal()).unwrap();
    runtime.block_on(engine.run(None)).unwrap();
    let stage = all_of(&engine.world, Kind::Stage)[0];
    let table = engine.world.get::<Table>(stage).unwrap();
    ends.civilians += u64::from(table.winner == Some(Side::Civilian));
    ends.rounds += u64::from(table.round);
    ends.calls += engine.totals().spent.calls;
}

pub(crate) fn bench(criterion: &mut Criterion) {
    let runtime = common::runtime();
    let mut group = criterion.benchmark_group("undercover/1000");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500));
    for language in [Language::En, Language::Zh] {
        let data = DataFolder::embedded();
        let rules = default_rules(&data, language, 6).unwrap();
        let game = Match::new(&data, rules, WordSource::Shipped).unwrap();
        let minds = Minds::all(Arc::new(
            Improviser::taught(playhouse::undercover::improviser::teach).unwrap(),
        ));
        let mut ends = Ends::default();
        let took = common::timed(|| {
            for seed in 0..GAMES {
                play(&runtime, &game, &minds, seed, &mut ends);
            }
        });
        let each = |sum: u64| sum as f64 / GAMES as f64;
        eprintln!(
            "{}: civilians win {:.1} %, {:.2} rounds and {:.1} calls a game, {:.2} ms a game",
            language.code(),
            100.0 * each(ends.civilians),
            each(ends.rounds),
            each(ends.calls),
            took.as_secs_f64() * 1e3 / GAMES as f64,
        );
        group.bench_function(language.code(), |bencher| {
            bencher.iter_custom(|iterations| {
                let mut seed = 0;
                common::average(iterations, GAMES / 10, || {
                    common::timed(|| {
                        for _ in 0..GAMES / 10 {
                            seed += 1;
                            play(&runtime, &game, &minds, seed, &mut ends);
                        }
                    })
                })
            });
        });
    }
    group.finish();
}
