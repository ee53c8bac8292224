//! Versions of the format: a sample of each loads for ever.

use std::fs;
use std::path::Path;

use playhouse_engine::cast::{CastList, Dead, Occupants, WorldTurn};
use playhouse_engine::context::{AgentContext, Chapters};
use playhouse_engine::save::{FORMAT, SaveError, read_head, restore, snapshot};
use playhouse_engine::session::{Game, Session};

use crate::save::town::{Purse, Town, minds};

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/saves");

fn sample(version: &str, file: &str) -> std::path::PathBuf {
    Path::new(SAMPLES).join(version).join(file)
}

#[test]
fn the_sample_of_every_version_loads() {
    for version in 1..=FORMAT {
        load_sample(version);
    }
}

/// Each sample is the same story.
fn load_sample(version: u32) {
    let text = fs::read(sample(&format!("v{version}"), "world.json")).unwrap();
    let head = read_head(&text).unwrap();
    assert_eq!(
        (head.format, head.world.as_str(), head.turn),
        (version, "Town", 3)
    );
    let mut world = Town::default().set_up(head.seed).unwrap().world;
    restore(&mut world, &text, Some("town-1")).unwrap();

    assert_eq!(world.resource::<WorldTurn>().0, 3);
    let find = |name: &str| world.resource::<CastList>().by_name(name).unwrap();
    let (ann, eve, harbour) = (find("Ann"), find("Old Eve"), find("Harbour"));
    assert!(world.get::<Dead>(eve).is_some());
    assert!(world.get::<Purse>(ann).unwrap().0 > 0);
    assert_eq!(world.get::<Occupants>(harbour).unwrap().in_order()[0], eve);
    let chapters = world.get::<Chapters>(ann).unwrap().all();
    assert_eq!(chapters[0].id.0.as_ref(), "Ann/1");
    assert_eq!(chapters[0].messages.len(), 10);
    let context = world.get::<AgentContext>(ann).unwrap();
    let told = context.filter_human_messages_by_attribute(
        "chapter",
        "Ann/1",
        playhouse_engine::context::SearchOrder::NewestFirst,
    );
    assert!(told[0].message.body.same(&chapters[0].summary));
}

/// Writes the sample of the current version anew: `cargo test --test engine save -- --ignored
/// sample`.
#[tokio::test(start_paused = true)]
#[ignore = "writes into the source tree; a sample is made once for each version"]
async fn write_the_sample_of_the_current_version() {
    let root = tempfile::tempdir().unwrap();
    let mut session = Session::start(root.path(), "s", &Town::default(), 7, minds(100).0).unwrap();
    session.engine.run(Some(3)).await.unwrap();
    let folder = Path::new(SAMPLES).join(format!("v{FORMAT}"));
    fs::create_dir_all(&folder).unwrap();
    for file in ["world.json", "journal.jsonl"] {
        fs::copy(session.slot().folder().join(file), folder.join(file)).unwrap();
    }
}

#[test]
fn a_save_of_another_version_is_refused() {
    let game = Town::default();
    let mut setup = game.set_up(1).unwrap();
    game.populate(&mut setup).unwrap();
    let bytes = snapshot(&setup.world, &game.meta()).unwrap();
    let save = String::from_utf8(bytes).unwrap();
    for other in [0, 7] {
        let format = format!("\"format\":{FORMAT}");
        let changed = format!("\"format\":{other},\"shape\":\"other\"");
        let save = save.replacen(&format, &changed, 1);
        let mut world = game.set_up(1).unwrap().world;
        let restored = restore(&mut world, save.as_bytes(), None);
        for error in [
            restored.unwrap_err(),
            read_head(save.as_bytes()).unwrap_err(),
        ] {
            let is_told = match error {
                SaveError::Newer { found } => found == other && other > u64::from(FORMAT),
                SaveError::TooOld { found } => found == other && other < u64::from(FORMAT),
                _ => false,
            };
            assert!(is_told, "{error}");
        }
    }
}
