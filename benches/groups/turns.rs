//! `turns/1000`: four actors on a stage speak in turn, with an instant mind, at the thousandth
//! turn. A turn is one ask: from its opening to the request's hash and body ready to send, then
//! judging, commit and the steps of the stage.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use criterion::Criterion;
use playhouse::engine::Engine;
use playhouse::interop::format::NoFiles;
use playhouse::message::TokenUsage;
use playhouse::mind::http::{ModelSettings, RequestFormat, request_body};
use playhouse::mind::{Answering, Completion, Mind, MindInfo, Prompt};
use tokio::runtime::Runtime;

use crate::common;

const ACTORS: u64 = 4;
/// Turns before the measured ones, and how many are measured at a time.
const BEFORE: u64 = 1_000;
const MEASURED: u64 = 40;

/// Assembles each request as if it were to be sent, and answers at once.
struct InstantMind {
    info: MindInfo,
    form: RequestFormat,
    assembling: Arc<Assembling>,
}

/// Nanoseconds spent on request bodies, and the bytes of the last one.
#[derive(Default)]
struct Assembling {
    nanos: AtomicU64,
    bytes: AtomicU64,
}

impl Mind for InstantMind {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let mut bytes = 0;
        let took = common::timed(|| {
            let mode = self.form.model().provider.schema;
            let body = request_body(prompt, &self.form, mode).unwrap();
            bytes = black_box(body).bytes().len() as u64;
        });
        let nanos = took.as_nanos() as u64;
        self.assembling.nanos.fetch_add(nanos, Ordering::Relaxed);
        self.assembling.bytes.store(bytes, Ordering::Relaxed);
        let words = common::line(prompt.number as usize, 300);
        let answer = format!("{{\"words\":\"{words}\"}}");
        let mut completion = Completion::instant("instant", answer);
        // As servers report it.
        completion.usage = Some(TokenUsage {
            input: bytes / 4,
            output: 80,
            ..TokenUsage::default()
        });
        Box::pin(std::future::ready(Ok(completion)))
    }
}

/// An engine whose actors have had a thousand turns.
fn seasoned(runtime: &Runtime) -> (Engine, Arc<Assembling>) {
    let (mut setup, stages) = common::stages(1, ACTORS as usize);
    common::talking(&mut setup, &stages, 1);
    let assembling = Arc::<Assembling>::default();
    let mind = InstantMind {
        info: MindInfo::embedded("instant"),
        form: RequestFormat::new(ModelSettings::cautious("instant"), Arc::new(NoFiles)),
        assembling: assembling.clone(),
    };
    let mut engine = common::engine(setup, mind, 16);
    common::play(runtime, &mut engine, BEFORE / ACTORS);
    (engine, assembling)
}

/// What a measured stretch took in all, and of that on request bodies.
fn stretch(runtime: &Runtime) -> (Duration, Duration) {
    let (mut engine, assembling) = seasoned(runtime);
    assembling.nanos.store(0, Ordering::Relaxed);
    let total = common::timed(|| common::play(runtime, &mut engine, MEASURED / ACTORS));
    let bodies = Duration::from_nanos(assembling.nanos.load(Ordering::Relaxed));
    (total, bodies)
}

pub(crate) fn bench(criterion: &mut Criterion) {
    let runtime = common::runtime();
    let (_engine, assembling) = seasoned(&runtime);
    let bytes = assembling.bytes.load(Ordering::Relaxed);
    eprintln!("turns/1000: the last request has {bytes} bytes");
    let mut group = criterion.benchmark_group("turns/1000");
    let mut bench = |name: &str, part: fn((Duration, Duration)) -> Duration| {
        group.bench_function(name, |bencher| {
            bencher
                .iter_custom(|turns| common::average(turns, MEASURED, || part(stretch(&runtime))));
        });
    };
    bench("a turn", |(total, _)| total);
    bench("request body", |(_, bodies)| bodies);
    bench("schedule, hash, check and commit", |(total, bodies)| {
        total.saturating_sub(bodies)
    });
    group.finish();
}
