//! What a save lacks is named.

use bevy_ecs::prelude::*;
use playhouse_engine::engine::{Engine, MeetSet, Setup};
use playhouse_engine::mind::{ScriptLine, ScriptMind};
use playhouse_engine::save::{Meta, snapshot, unsaved};
use serde::{Deserialize, Serialize};

#[derive(Component, Serialize, Deserialize)]
struct Coins(u32);

#[derive(Component)]
struct Mood;

#[derive(Resource, Serialize, Deserialize)]
struct Hour(u32);

/// Set up with the game, and never changed.
#[derive(Resource)]
struct Price;

fn pass(mut hour: ResMut<Hour>, _price: Res<Price>) {
    hour.0 += 1;
}

fn setup() -> Setup {
    let mut setup = Setup::new(1);
    setup.world.insert_resource(Hour(0));
    setup.world.insert_resource(Price);
    setup.meet.add_systems(pass.in_set(MeetSet::Rules));
    setup.spawn_stage("Mill", "You are a mill.").unwrap();
    let alda = setup.spawn_actor("Alda", "Mill", "You are Alda.").unwrap();
    setup.world.entity_mut(alda).insert((Coins(3), Mood));
    // It plays no part in the story.
    setup.world.spawn(Coins(9));
    setup
}

async fn missing(setup: Setup) -> Vec<String> {
    let mind = ScriptMind::by_rule(|_| ScriptLine::say("Hm."));
    let mut engine = Engine::in_memory(setup, mind).unwrap();
    engine.run(Some(2)).await.unwrap();
    let mut missing = unsaved(&engine.world);
    for name in &mut missing {
        *name = name.rsplit("::").next().unwrap_or_default().to_owned();
    }
    missing.sort();
    missing
}

#[tokio::test]
#[ignore = "the test below runs it in a process of its own"]
async fn saves_without_a_log() {
    let mind = ScriptMind::by_rule(|_| ScriptLine::say("Hm."));
    let mut engine = Engine::in_memory(setup(), mind).unwrap();
    let meta = Meta {
        world: "Mill".into(),
        data: "1".into(),
    };
    for turn in 1..3 {
        engine.run(Some(turn)).await.unwrap();
        snapshot(&engine.world, &meta).unwrap();
    }
}

#[test]
fn a_game_without_a_log_is_told_once_on_standard_error() {
    let this = std::env::current_exe().unwrap();
    let saving = ["--exact", "save::unsaved::saves_without_a_log"];
    let output = std::process::Command::new(this)
        .args(saving)
        .args(["--ignored", "--nocapture"])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    for name in [
        "component::<Coins>", "component::<Mood>", "resource::<Hour>",
    ] {
        assert_eq!(told.matches(name).count(), 1, "{told}");
    }
}

#[tokio::test]
async fn what_a_save_lacks_is_named() {
    assert_eq!(missing(setup()).await, ["Coins", "Hour", "Mood"]);
    let mut whole = setup();
    whole
        .saves()
        .component::<Coins>("coins")
        .resource::<Hour>("hour")
        .not_saved::<Mood>();
    assert_eq!(missing(whole).await, [""; 0]);
}
