//! `page`: what readers of a page wait for, and what they cost the engine. The server, 50 readers
//! and the engine share the cores of this machine, as a browser beside the program does.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use criterion::Criterion;
use playhouse::engine::Engine;
use playhouse::event::{Feed, Record};
use playhouse::journal::{JournalHeader, Line};
use playhouse::message::Language;
use playhouse::mind::improviser::Improviser;
use playhouse::mind::{Answering, Mind, MindInfo, Prompt};
use playhouse::page::{Control, Server, Story, play};
use playhouse::rpg::{Campaign, improviser};
use playhouse::save::Slot;
use playhouse::session::Game;
use playhouse::story::{About, StoryView, follow, watch};
use playhouse::world_data::DataFolder;
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::common;

const READERS: usize = 50;
/// How long the minds of a story think that people read.
const THINKING: Duration = Duration::from_millis(20);
const TURNS: u64 = 8;

/// The improviser, as slow as a fast model.
struct Slow(Improviser);

impl Mind for Slow {
    fn info(&self) -> &MindInfo {
        self.0.info()
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let answering = self.0.answer(prompt);
        Box::pin(async {
            tokio::time::sleep(THINKING).await;
            answering.await
        })
    }
}

fn taught() -> Improviser {
    Improviser::taught(improviser::teach).unwrap()
}

fn engine(campaign: &Campaign, mind: impl Mind + 'static) -> Engine {
    let mut setup = campaign.set_up(1).unwrap();
    campaign.populate(&mut setup).unwrap();
    common::engine(setup, mind, 16)
}

fn view() -> Arc<StoryView> {
    Arc::new(StoryView::new(About {
        slot: "bench".into(),
        world: "bench".into(),
        title: "bench".into(),
        game: "campaign",
        ..About::default()
    }))
}

/// When each event happened, by its number.
type Times = Arc<Mutex<Vec<Instant>>>;

/// Serves a story from a thread of its own, which lives as long as the bench.
fn serve(view: &Arc<StoryView>, campaign: &Arc<Campaign>) -> SocketAddr {
    let root = tempfile::tempdir().unwrap().keep();
    let header = Line::Header(JournalHeader::new("bench", "none", 1));
    let locked = Slot::create(&root, "bench", &[header], b"", None).unwrap();
    let slot = locked.slot().clone();
    std::fs::remove_dir_all(root).unwrap();
    let story = Story {
        view: view.clone(),
        control: None,
        slot,
        game: campaign.clone(),
        answered: Arc::new(Mutex::new(|_: &_| None)),
        seats: BTreeMap::new(),
        teach: Arc::new(|_: &mut _| {}),
        desk: None,
    };
    let (address, listens) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        common::runtime().block_on(async {
            let server = Server::new(any, Arc::new(story), Language::En, false);
            let server = server.await.unwrap();
            address.send(server.access().host_address()).unwrap();
            server.run().await;
        });
    });
    let address = listens.recv().unwrap();
    let address = address.trim_start_matches("http://").trim_end_matches('/');
    address.parse().unwrap()
}

/// What a reader takes of an event.
#[derive(Deserialize)]
struct Number {
    number: usize,
}

/// Reads a stream for ever, and notes how long each event took to come.
async fn read(address: SocketAddr, times: Times, latencies: Arc<Mutex<Vec<Duration>>>) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET /api/bench/stream?since=0.0 HTTP/1.1\r\nHost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    let mut are_events = false;
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some(kind) = line.strip_prefix("event: ") {
            are_events = kind == "events";
        }
        let data = line.strip_prefix("data: ").filter(|_| are_events);
        let Some(data) = data else {
            continue;
        };
        let events: Vec<Number> = serde_json::from_str(data).unwrap();
        let now = common::now();
        let happened = times.lock().unwrap();
        let took = events.iter().filter_map(|event| happened.get(event.number));
        let took = took.map(|happened| now.duration_since(*happened));
        latencies.lock().unwrap().extend(took);
    }
}

/// Plays turns of a story that so many read; returns how long each event took to reach each.
fn latencies(campaign: &Arc<Campaign>) -> Vec<Duration> {
    let (view, times) = (view(), Times::default());
    let latencies = Arc::new(Mutex::new(Vec::new()));
    let mut engine = engine(campaign, Slow(taught()));
    let happened = times.clone();
    engine.add_feed(Feed::observer(move |record| {
        if let Record::Event(_) = record {
            happened.lock().unwrap().push(common::now());
        }
    }));
    let answers = watch(&mut engine, &view);
    let address = serve(&view, campaign);
    let (readers, found) = (times.clone(), latencies.clone());
    thread::spawn(move || {
        common::runtime().block_on(async {
            let reads = (0..READERS).map(|_| read(address, readers.clone(), found.clone()));
            futures_util::future::join_all(reads).await;
        });
    });
    thread::sleep(Duration::from_millis(300));
    common::runtime().block_on(async {
        tokio::spawn(follow(answers, view.clone()));
        let control = Control::default();
        play(&mut engine, &view, &control, Some(TURNS), |_| true)
            .await
            .unwrap();
    });
    thread::sleep(Duration::from_millis(500));
    let mut found = std::mem::take(&mut *latencies.lock().unwrap());
    assert_eq!(found.len(), READERS * times.lock().unwrap().len());
    found.sort_unstable();
    found
}

pub(crate) fn bench(criterion: &mut Criterion) {
    let runtime = common::runtime();
    let campaign = Campaign::load(&DataFolder::embedded(), "drowned-assize").unwrap();
    let campaign = Arc::new(campaign);
    let mut group = criterion.benchmark_group("page");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500));
    group.bench_function("from commit to 50 readers", |bencher| {
        bencher.iter_custom(|iterations| {
            let found = latencies(&campaign);
            let percentile = |share: usize| found[(found.len() - 1) * share / 100];
            let (median, most) = (percentile(50), percentile(99));
            eprintln!(
                "page: {} arrivals, median {median:?}, 99 % {most:?}",
                found.len()
            );
            median * u32::try_from(iterations).unwrap()
        });
    });
    for name in [
        "a campaign without a page",
        "a campaign that nobody reads",
        "a campaign with a reader",
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|iterations| {
                common::average(iterations, 1, || {
                    let mut engine = engine(&campaign, taught());
                    let view = view();
                    if !name.ends_with("page") {
                        // Improvised answers are whole at once: nothing is streamed.
                        let _ = watch(&mut engine, &view);
                    }
                    if name.ends_with("reader") {
                        let address = serve(&view, &campaign);
                        thread::spawn(move || {
                            let read = read(address, Times::default(), Arc::default());
                            common::runtime().block_on(read);
                        });
                        thread::sleep(Duration::from_millis(100));
                    }
                    common::timed(|| {
                        runtime.block_on(engine.run(None)).unwrap();
                    })
                })
            });
        });
    }
    group.finish();
}
