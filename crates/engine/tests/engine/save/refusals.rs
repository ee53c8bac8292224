//! What is not a save of this game: refused with the place, the mistake and the cure.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, Kind, spawn};
use playhouse_engine::engine::Setup;
use playhouse_engine::event::{DeferredCommands, EventQueue};
use playhouse_engine::message::{Body, Tags};
use playhouse_engine::save::{SaveError, read_head, restore, snapshot};
use playhouse_engine::session::{Game, Session};
use playhouse_engine::testing::{each_row, spawn_spec};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::save::town::{Town, minds};

/// A save with fights of words, chapters and travellers in it.
async fn lived_in() -> Vec<u8> {
    let root = tempfile::tempdir().unwrap();
    let mut session = Session::start(root.path(), "s", &Town::default(), 1, minds(0).0).unwrap();
    session.engine.run(Some(3)).await.unwrap();
    session.slot().read_world().unwrap().unwrap()
}

fn load(text: &[u8]) -> Result<World, SaveError> {
    let mut world = Town::default().set_up(1).unwrap().world;
    restore(&mut world, text, Some("town-1"))?;
    Ok(world)
}

fn refusal(save: &Value) -> String {
    let text = serde_json::to_vec(save).unwrap();
    load(&text)
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn each_mistake_is_named_with_its_place() {
    let good: Value = serde_json::from_slice(&lived_in().await).unwrap();
    assert!(!good["chapters"].as_array().unwrap().is_empty());
    assert_eq!(refusal(&good), "");
    let spoilt = |change: &dyn Fn(&mut Value)| {
        let mut save = good.clone();
        change(&mut save);
        refusal(&save)
    };
    each_row(SPOILT, |[pointer, value, said]| {
        let error = spoilt(&|save| {
            let (parent, member) = pointer.rsplit_once('/').unwrap();
            let value = serde_json::from_str(value).unwrap();
            match save.pointer_mut(parent).unwrap() {
                Value::Array(list) => list[member.parse::<usize>().unwrap()] = value,
                object => object[member] = value,
            }
        });
        for part in said.split(" | ") {
            assert!(error.contains(part), "'{part}' not in: {error}");
        }
    });
    let found = spoilt(&|save| _ = save.as_object_mut().unwrap().remove("seed"));
    assert!(found.contains("missing field `seed`"), "{found}");
    let found = spoilt(&|save| {
        let again = save["arrivals"][0]["actors"][0].clone();
        let actors = save["arrivals"][0]["actors"].as_array_mut();
        actors.unwrap().push(again);
    });
    assert!(
        found.contains("arrivals[0].actors[") && found.contains("already"),
        "{found}"
    );
    let found = spoilt(&|save| {
        let mut list = save["messages"].as_array_mut().unwrap().iter_mut();
        let told = list.rfind(|message| !message["metadata"].is_null());
        told.unwrap()["metadata"] = json!({"event": "teleport"});
    });
    assert!(found.contains("unknown event type 'teleport'"), "{found}");
    // A small file of which a context would be larger than memory.
    let found = spoilt(&|save| {
        save["messages"][0]["content"] = json!("x".repeat(100_000));
        let each = (1..20_000).map(|id| json!([id, "human", 0]));
        save["agents_context"][2]["messages"] = each.collect();
        save["agents_context"][2]["last_id"] = json!(20_000);
    });
    let too_large = found.contains("agents_context[2].messages");
    assert!(too_large && found.contains("at most 67108864"), "{found}");
}

/// What stands in a save instead, and what is said of it.
const SPOILT: &str = r#"
    /format => 3 => format 3 | newer version of Playhouse
    /data => "other" => other data | force
    /turn => "three" => turn | expected u64
    /turn => 18446744073709551615 => turn | too large
    /last_id => 4294967295 => last_id | too large
    /meeting/last_number => 4294967295 => meeting.last_number
    /colour => 1 => unknown field `colour`
    /entities/3/name => "Ann" => entities[3].name | there is already 'Ann'
    /entities/3/name => " " => entities[3].name | empty
    /entities/3/id => 3 => entities[3].id | increase
    /entities/0/id => 0 => entities[0].id | from 1
    /last_id => 7 => entities[7].id | last_id
    /entities/2/kind => "god" => entities[2].kind | god | actor
    /entities/2/components/hat => 1 => entities[2].components.hat | unknown component | purse
    /entities/2/components/purse => "full" => entities[2].components.purse | expected u32
    /resources/moon => 1 => resources.moon | annals
    /arrivals/0/stage => 99 => arrivals[0].stage | no stage 99
    /arrivals/0/stage => 3 => arrivals[0].stage | no stage 3
    /arrivals/0/actors/0 => 99 => arrivals[0].actors[0] | 99
    /messages/0/prefix => 5 => messages[0].prefix | 5 is out of range
    /messages/1/id => "x" => messages[1].id | PLACE-NUMBER
    /messages/1/content => 7 => messages[1].content | a text or a list
    /agents_context/2/messages/1/2 => 100000 => agents_context[2].messages[1] | 100000 is out of range
    /agents_context/2/messages/2/0 => 1 => agents_context[2] | out of order
    /agents_context/2/messages/1/1 => "system" => agents_context[2] | system message
    /agents_context/2/messages/1/1 => "robot" => agents_context[2].messages[1] | robot
    /agents_context/2/messages/1 => [2, "human", 1, {"content": 1}] => agents_context[2].messages[1] | can't be a tag
    /agents_context/2/messages/1 => [2, "human", "3-5"] => agents_context[2].messages[1] | expected u32
    /agents_context/2/messages/1 => [2, "human", 4294967295] => agents_context[2].messages[1] | 4294967295 is out of range
    /chapters/0/closed/0/messages/0/2 => 100000 => chapters[0].closed[0].messages[0] | 100000 is out of range
    /agents_context/2/messages/1 => [4294967295, "human", 0] => agents_context[2].messages[1] | 4294967295 is too large
    /agents_context/2/entity => 99 => agents_context[2].entity | 99
    /agents_context/2/entity => 1 => agents_context[2].entity | twice
    /agents_context/2/last_id => 1 => agents_context[2] | last_id is 1
    /chapters/0/closed/0/summary => 100000 => chapters[0].closed[0].summary | out of range
    /chapters/0/entity => 99 => chapters[0].entity | 99
"#;

/// The index of tags is sorted once: were each row added in its place, this would take minutes.
#[tokio::test(start_paused = true)]
async fn a_context_may_have_many_tags() {
    let mut save: Value = serde_json::from_slice(&lived_in().await).unwrap();
    let tagged = (1..=200_000).map(|id: u32| {
        let tags = json!({"event": (id.wrapping_mul(2_654_435_769) % 1_000_003).to_string()});
        json!([id, "human", 0, tags])
    });
    save["agents_context"][2]["messages"] = tagged.collect();
    save["agents_context"][2]["last_id"] = json!(200_000);
    assert_eq!(refusal(&save), "");
}

#[tokio::test(start_paused = true)]
async fn members_that_stand_twice_are_refused() {
    let text = String::from_utf8(lived_in().await).unwrap();
    for (member, again) in [
        ("\"turn\":3", "\"turn\":3,\"turn\":3"),
        ("\"purse\":", "\"purse\":1,\"purse\":"),
    ] {
        let twice = text.replacen(member, again, 1);
        assert_ne!(twice, text);
        let error = load(twice.as_bytes()).unwrap_err().to_string();
        assert!(
            error.contains("twice") || error.contains("duplicate"),
            "{error}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_truncated_save_is_refused_wherever_it_ends() {
    let whole = lived_in().await;
    let end = whole.len() - 2;
    for length in (0..end).step_by(end / 97).chain([end]) {
        let error = load(&whole[..length]).unwrap_err();
        assert!(
            matches!(error, SaveError::Truncated(_)),
            "{length}: {error}"
        );
        assert!(read_head(&whole[..length]).is_err());
    }
    let error = load(b"\xff\xfe").unwrap_err().to_string();
    assert!(error.contains("UTF-8"), "{error}");
    let mut more = whole;
    more.extend_from_slice(b"{}");
    let error = load(&more).unwrap_err().to_string();
    assert!(error.contains("trailing"), "{error}");
}

#[test]
fn spoilt_bytes_never_crash_a_load() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    let good = runtime.block_on(lived_in());
    let spoilt = prop::collection::vec((0..good.len(), any::<u8>()), 1..4);
    proptest!(ProptestConfig::with_cases(150), |(spoilt in spoilt)| {
        let mut bytes = good.clone();
        for (index, byte) in spoilt {
            bytes[index] = byte;
        }
        if let Ok(world) = load(&bytes) {
            prop_assert!(snapshot(&world, &Town::default().meta()).is_ok());
        }
    });
}

fn town() -> Setup {
    let mut setup = Town::default().set_up(1).unwrap();
    Town::default().populate(&mut setup).unwrap();
    setup
}

fn snapshot_error(world: &World) -> String {
    let error = snapshot(world, &Town::default().meta()).unwrap_err();
    error.to_string()
}

#[test]
fn a_world_that_does_not_rest_is_not_saved() {
    use playhouse_engine::cast::CurrentStage;
    use playhouse_engine::event::EventWriter;
    use playhouse_engine::event::kinds::Speak;
    use playhouse_engine::exchange::{Answer, Ask};

    use crate::save::town::Deed;

    let deed = || Deed {
        words: "x".into(),
        go: false,
    };
    let ann = |world: &World| world.resource::<CastList>().by_name("Ann").unwrap();

    let mut world = town().world;
    let who = ann(&world);
    world
        .entity_mut(who)
        .insert(Ask::new("deed", "?", (), deed()));
    assert!(snapshot_error(&world).contains("1 ask is open"));

    let mut world = town().world;
    let who = ann(&world);
    let answer = Answer::new(deed(), playhouse_engine::event::AnsweredBy::Mind);
    world.entity_mut(who).insert(answer);
    assert!(snapshot_error(&world).contains("1 answer was not taken"));

    let mut world = town().world;
    let who = ann(&world);
    world.insert_resource(CurrentStage::Meeting);
    let tell = move |mut events: EventWriter| {
        let event = Speak {
            actor: "Ann".into(),
            target: "all".into(),
            message: "x".into(),
            tells: Vec::new(),
        };
        events.broadcast_to_stage(who, event, &[]);
        events.defer(|_| {});
    };
    bevy_ecs::system::RunSystemOnce::run_system_once(&mut world, tell).unwrap();
    assert!(snapshot_error(&world).contains("1 event was not delivered"));
    world.resource_mut::<EventQueue>().0.clear();
    assert!(snapshot_error(&world).contains("wait for the meeting"));
    world.resource_mut::<DeferredCommands>().take();
    assert!(snapshot(&world, &Town::default().meta()).is_ok());
}

#[test]
fn a_value_too_deep_to_be_read_back_is_not_saved() {
    let mut setup = town();
    let who = spawn(&mut setup.world, spawn_spec("Deep", Kind::Actor, None)).unwrap();
    let mut deep = json!("bottom");
    for _ in 0..110 {
        deep = json!([deep]);
    }
    let tags = Tags::new().with_user("deep", deep).unwrap();
    let mut context = setup
        .world
        .get_mut::<playhouse_engine::context::AgentContext>(who)
        .unwrap();
    context.add_human_message(Body::text("x"), tags);
    assert!(snapshot_error(&setup.world).contains("nested more than 100 levels"));
}

#[test]
fn a_save_is_read_into_an_empty_world_only() {
    let mut setup = town();
    let bytes = snapshot(&setup.world, &Town::default().meta()).unwrap();
    let error = restore(&mut setup.world, &bytes, None).unwrap_err();
    assert!(matches!(error, SaveError::CastPresent(8)), "{error}");
}
