//! Snapshots of 100 entities with 500 distinct messages of 300 bytes each, a tenth of them tagged:
//! written and read in memory, and written to disk with its syncs.

use criterion::{BatchSize, Criterion, Throughput};
use playhouse::cast::{Kind, spawn};
use playhouse::context::AgentContext;
use playhouse::engine::Setup;
use playhouse::journal::{JournalHeader, Line};
use playhouse::message::{Body, BodyId, Tag, Tags};
use playhouse::save::{Meta, Slot, restore, snapshot};
use playhouse::testing::spawn_spec;
use serde_json::Map;

const ENTITIES: u32 = 100;
const MESSAGES: u32 = 500;
const BYTES: usize = 300;

fn meta() -> Meta {
    Meta {
        world: "bench".into(),
        data: "none".into(),
    }
}

/// 300 bytes that no other message has; every fourth line holds quotes and a line end.
fn line(entity: u32, message: u32) -> String {
    let start = format!("Entity {entity} hears line {message}. ");
    let words = match message % 4 {
        0 => "\"Who goes there?\" asks the guard\nand lifts a lamp. ",
        _ => "Rain falls on the roofs of the town and on the road. ",
    };
    let mut text = format!("{start}{}", words.repeat(8));
    text.truncate(BYTES);
    text
}

fn body(entity: u32, message: u32) -> Body {
    let event = Map::from_iter([("event".to_owned(), "speak".into())]);
    let id = BodyId {
        place: entity + 1,
        number: message + 2,
    };
    let body = Body::text(line(entity, message)).with_metadata(event);
    body.from_sender(format!("Entity {}", (entity + 1) % ENTITIES))
        .at(message.into())
        .with_id(id)
}

fn full() -> Setup {
    let mut setup = Setup::new(1);
    for entity in 0..ENTITIES {
        let name = format!("Entity {entity}");
        let who = spawn(&mut setup.world, spawn_spec(&name, Kind::Actor, None)).unwrap();
        let mut context = setup.world.get_mut::<AgentContext>(who).unwrap();
        for message in 0..MESSAGES {
            let tags = match message % 10 {
                0 => Tags::new().with(Tag::EVENT.of(message.to_string())),
                _ => Tags::new(),
            };
            context.add_human_message(body(entity, message), tags);
        }
    }
    setup
}

fn bytes() -> Vec<u8> {
    snapshot(&full().world, &meta()).unwrap()
}

pub(crate) fn save(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("save");
    group.throughput(Throughput::Bytes(bytes().len() as u64));
    group.sample_size(30);
    group.bench_function("100x500", |bencher| {
        // A new world each time: nothing of its texts was ever looked at.
        let write = |setup: &mut Setup| snapshot(&setup.world, &meta()).unwrap();
        bencher.iter_batched_ref(full, write, BatchSize::PerIteration);
    });
    group.bench_function("100x500 to disk", |bencher| {
        let root = tempfile::tempdir().unwrap();
        let head = JournalHeader::new("bench", "none", 1);
        let mut slot =
            Slot::create(root.path(), "bench", &[Line::Header(head)], b"", None).unwrap();
        let (mut journal, _) = slot.open_story(true).unwrap();
        let setup = full();
        bencher.iter(|| slot.save(&setup.world, &meta(), &mut journal, &[]).unwrap());
    });
    group.finish();
}

pub(crate) fn load(criterion: &mut Criterion) {
    let bytes = bytes();
    let mut group = criterion.benchmark_group("load");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.sample_size(30);
    group.bench_function("100x500", |bencher| {
        let read = |setup: &mut Setup| restore(&mut setup.world, &bytes, Some("none")).unwrap();
        bencher.iter_batched_ref(|| Setup::new(1), read, BatchSize::PerIteration);
    });
    group.finish();
}
