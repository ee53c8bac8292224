//! `groupchat/1000`: four participants take turns, with an instant mind, at the thousandth turn,
//! measured from the choice of the speaker to the delivery of its words; and sixty-four
//! participants for two hundred turns, with what their save holds beyond the texts.

use std::sync::Arc;
use std::time::Duration;

use criterion::Criterion;
use playhouse::cast::{CastList, WorldTurn};
use playhouse::engine::Engine;
use playhouse::groupchat::UserInput;
use playhouse::groupchat::team::{Participant, TeamFile};
use playhouse::groupchat::{ChatGame, UserProxy, seat_user_proxy};
use playhouse::message::TokenUsage;
use playhouse::mind::{Answering, Completion, Mind, MindInfo, Minds, Prompt};
use playhouse::save::snapshot;
use playhouse::session::Game;
use playhouse::testing::journal;
use playhouse::world_data::DataFolder;
use tokio::runtime::Runtime;

use crate::common;

const BEFORE: u64 = 1_000;
const MEASURED: u64 = 40;
/// The bytes of a message.
const LINE: usize = 300;

struct InstantMind(MindInfo);

impl Mind for InstantMind {
    fn info(&self) -> &MindInfo {
        &self.0
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let words = common::line(prompt.number as usize, LINE);
        let completion = Completion {
            usage: Some(TokenUsage {
                input: 1_000,
                output: 80,
                ..TokenUsage::default()
            }),
            ..Completion::instant("instant", words)
        };
        Box::pin(std::future::ready(Ok(completion)))
    }
}

fn game(participants: usize) -> ChatGame {
    let names = (0..participants).map(|number| format!("Member {number}"));
    let team = TeamFile::new("table", names.map(Participant::named)).with_max_turns(1_000_000);
    ChatGame::new(&DataFolder::embedded(), team).unwrap()
}

/// A team that has begun.
fn engine(game: &ChatGame) -> Engine {
    let mut setup = game.set_up(1).unwrap();
    game.populate(&mut setup).unwrap();
    let user_proxy = UserProxy::new();
    user_proxy.add_input(UserInput::task("Talk about the weather."));
    let mind = InstantMind(MindInfo::embedded("instant"));
    let minds = seat_user_proxy(game, Minds::all(Arc::new(mind)), &user_proxy);
    let mut engine = Engine::new(setup, minds, journal()).unwrap();
    engine.settings.verify = false;
    engine
}

fn play(runtime: &Runtime, engine: &mut Engine, turns: u64) {
    let turn = engine.world.resource::<WorldTurn>().0;
    runtime.block_on(engine.run(Some(turn + turns))).unwrap();
}

fn stretch(runtime: &Runtime, game: &ChatGame, before: u64, measured: u64) -> Duration {
    let mut engine = engine(game);
    play(runtime, &mut engine, before + 1);
    common::timed(|| play(runtime, &mut engine, measured))
}

pub(crate) fn bench(criterion: &mut Criterion) {
    let runtime = common::runtime();
    let many = game(64);
    let mut full = engine(&many);
    play(&runtime, &mut full, 201);
    let saved = snapshot(&full.world, &many.meta()).unwrap().len();
    let texts = 200 * LINE;
    eprintln!(
        "groupchat/64: {} bytes saved for 200 turns, {} beyond the texts, {} entities",
        saved,
        saved - texts,
        full.world.resource::<CastList>().all().count()
    );
    let mut group = criterion.benchmark_group("groupchat");
    let four = game(4);
    for (name, before) in [("1000/a turn", BEFORE), ("10/a turn", 10)] {
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|turns| {
                common::average(turns, MEASURED, || {
                    stretch(&runtime, &four, before, MEASURED)
                })
            });
        });
    }
    group.sample_size(10);
    group.bench_function("64 participants, 200 turns", |bencher| {
        bencher.iter_custom(|times| (0..times).map(|_| stretch(&runtime, &many, 0, 200)).sum());
    });
    group.finish();
}
