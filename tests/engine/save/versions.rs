//! Versions of the format: old ones are brought up to date, and a sample of each loads for ever.

use std::fs;
use std::path::Path;

use playhouse::cast::{CastList, Dead, Occupants, WorldTurn};
use playhouse::context::{AgentContext, Chapters};
use playhouse::save::{
    Expected, FORMAT, Migration, MigrationError, SaveError, read_head, restore, snapshot,
};
use playhouse::session::{Game, Session};
use serde_json::{Value, json};

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
    restore(&mut world, &text, &Expected::of_data("town-1")).unwrap();

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
        playhouse::context::SearchOrder::NewestFirst,
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

fn town_of_old() -> (Vec<u8>, Vec<u8>) {
    let game = Town::default();
    let mut setup = game.set_up(1).unwrap();
    game.populate(&mut setup).unwrap();
    let now = snapshot(&setup.world, &game.meta()).unwrap();
    let mut old: Value = serde_json::from_slice(&now).unwrap();
    old["format"] = json!(0);
    let turn = old.as_object_mut().unwrap().remove("turn").unwrap();
    old["day"] = turn;
    (serde_json::to_vec(&old).unwrap(), now)
}

#[test]
fn an_old_save_is_brought_up_to_date() {
    let migrations = [Migration {
        from: 0,
        apply: |mut save| {
            let members = save.as_object_mut();
            let day = members.and_then(|members| members.remove("day"));
            save["turn"] = day.ok_or(MigrationError::Missing("day"))?;
            Ok(save)
        },
    }];
    let expected = Expected {
        migrations: &migrations,
        ..Expected::default()
    };
    let (old, now) = town_of_old();
    let mut world = Town::default().set_up(1).unwrap().world;
    let meta = restore(&mut world, &old, &expected).unwrap();
    assert!(snapshot(&world, &meta).unwrap() == now);

    let mut world = Town::default().set_up(1).unwrap().world;
    let spoilt = String::from_utf8(old)
        .unwrap()
        .replace("\"day\"", "\"dei\"");
    let error = restore(&mut world, spoilt.as_bytes(), &expected).unwrap_err();
    assert!(
        matches!(error, SaveError::Migration { from: 0, .. }),
        "{error}"
    );
}

#[test]
fn a_save_that_nothing_brings_up_to_date_is_refused() {
    let (old, now) = town_of_old();
    let mut world = Town::default().set_up(1).unwrap().world;
    let error = restore(&mut world, &old, &Expected::default()).unwrap_err();
    assert!(matches!(error, SaveError::TooOld { found: 0 }), "{error}");
    let newer = String::from_utf8(now).unwrap();
    let format = format!("\"format\":{FORMAT}");
    let newer = newer.replacen(&format, "\"format\":7,\"shape\":\"new\"", 1);
    let error = restore(&mut world, newer.as_bytes(), &Expected::default()).unwrap_err();
    assert!(matches!(error, SaveError::Newer { found: 7 }), "{error}");
    let error = read_head(newer.as_bytes()).unwrap_err();
    assert!(matches!(error, SaveError::Newer { found: 7 }), "{error}");
}
