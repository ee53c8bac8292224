//! What is not a save of this game: refused with the place, the mistake and the cure.

use bevy_ecs::prelude::*;
use playhouse::cast::{CastList, Kind, spawn};
use playhouse::engine::Setup;
use playhouse::event::{DeferredCommands, EventQueue};
use playhouse::message::{Body, Tags};
use playhouse::save::{Expected, SaveError, read_head, restore, snapshot};
use playhouse::session::{Game, Session};
use playhouse::testing::spawn_spec;
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
    restore(&mut world, text, &Expected::of_data("town-1"))?;
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
    type Spoil = fn(&mut Value);
    let spoilt: &[(Spoil, &[&str])] = &[
        (
            |save| save["format"] = json!(3),
            &["format 3", "newer version of Playhouse"],
        ),
        (
            |save| save["data"] = json!("other"),
            &["other data", "force"],
        ),
        (
            |save| save["turn"] = json!("three"),
            &["turn", "expected u64"],
        ),
        (
            |save| save["turn"] = json!(u64::MAX),
            &["turn", "too large"],
        ),
        (
            |save| save["last_id"] = json!(u32::MAX),
            &["last_id", "too large"],
        ),
        (
            |save| save["meeting"]["last_number"] = json!(u32::MAX),
            &["meeting.last_number"],
        ),
        (
            |save| save["colour"] = json!(1),
            &["unknown field `colour`"],
        ),
        (
            |save| {
                save.as_object_mut().unwrap().remove("seed");
            },
            &["missing field `seed`"],
        ),
        (
            |save| save["entities"][3]["name"] = json!("Ann"),
            &["entities[3].name", "there is already 'Ann'"],
        ),
        (
            |save| save["entities"][3]["name"] = json!(" "),
            &["entities[3].name", "empty"],
        ),
        (
            |save| save["entities"][3]["id"] = json!(3),
            &["entities[3].id", "increase"],
        ),
        (
            |save| save["entities"][0]["id"] = json!(0),
            &["entities[0].id", "from 1"],
        ),
        (
            |save| save["last_id"] = json!(7),
            &["entities[7].id", "last_id"],
        ),
        (
            |save| save["entities"][2]["kind"] = json!("god"),
            &["entities[2].kind", "god", "actor"],
        ),
        (
            |save| save["entities"][2]["components"]["hat"] = json!(1),
            &["entities[2].components.hat", "unknown component", "purse"],
        ),
        (
            |save| save["entities"][2]["components"]["purse"] = json!("full"),
            &["entities[2].components.purse", "expected u32"],
        ),
        (
            |save| save["resources"]["moon"] = json!(1),
            &["resources.moon", "annals"],
        ),
        (
            |save| save["arrivals"][0]["stage"] = json!(99),
            &["arrivals[0].stage", "no stage 99"],
        ),
        (
            |save| save["arrivals"][0]["stage"] = json!(3),
            &["arrivals[0].stage", "no stage 3"],
        ),
        (
            |save| save["arrivals"][0]["actors"][0] = json!(99),
            &["arrivals[0].actors[0]", "99"],
        ),
        (
            |save| {
                let again = save["arrivals"][0]["actors"][0].clone();
                save["arrivals"][0]["actors"]
                    .as_array_mut()
                    .unwrap()
                    .push(again);
            },
            &["arrivals[0].actors[", "already"],
        ),
        (
            |save| save["messages"][0]["prefix"] = json!(5),
            &["messages[0].prefix", "5 is out of range"],
        ),
        (
            |save| save["messages"][1]["id"] = json!("x"),
            &["messages[1].id", "PLACE-NUMBER"],
        ),
        (
            |save| save["messages"][1]["content"] = json!(7),
            &["messages[1].content", "a text or a list"],
        ),
        (
            |save| {
                let list = save["messages"].as_array_mut().unwrap();
                let message = list
                    .iter_mut()
                    .rfind(|message| !message["metadata"].is_null());
                message.unwrap()["metadata"] = json!({"event": "teleport"});
            },
            &["unknown event type 'teleport'", "the context of '", "speak"],
        ),
        (
            |save| save["agents_context"][2]["messages"][1][2] = json!(100_000),
            &["agents_context[2].messages[1]", "100000 is out of range"],
        ),
        (
            |save| save["agents_context"][2]["messages"][2][0] = json!(1),
            &["agents_context[2]", "out of order"],
        ),
        (
            |save| save["agents_context"][2]["messages"][1][1] = json!("system"),
            &["agents_context[2]", "system message"],
        ),
        (
            |save| save["agents_context"][2]["messages"][1][1] = json!("robot"),
            &["agents_context[2].messages[1]", "robot"],
        ),
        (
            |save| {
                save["agents_context"][2]["messages"][1] = json!([2, "human", 1, {"content": 1}])
            },
            &["agents_context[2].messages[1]", "can't be a tag"],
        ),
        (
            |save| save["agents_context"][2]["messages"][1] = json!([2, "human", "3-5"]),
            &["agents_context[2].messages[1]", "expected u32"],
        ),
        (
            |save| save["agents_context"][2]["messages"][1] = json!([2, "human", u32::MAX]),
            &[
                "agents_context[2].messages[1]",
                "4294967295 is out of range",
            ],
        ),
        (
            |save| save["chapters"][0]["closed"][0]["messages"][0][2] = json!(100_000),
            &[
                "chapters[0].closed[0].messages[0]",
                "100000 is out of range",
            ],
        ),
        (
            |save| save["agents_context"][2]["messages"][1] = json!([u32::MAX, "human", 0]),
            &["agents_context[2].messages[1]", "4294967295 is too large"],
        ),
        (
            // A small file of which a context would be larger than memory.
            |save| {
                save["messages"][0]["content"] = json!("x".repeat(100_000));
                let each = (1..20_000).map(|id| json!([id, "human", 0]));
                save["agents_context"][2]["messages"] = each.collect();
                save["agents_context"][2]["last_id"] = json!(20_000);
            },
            &["agents_context[2].messages", "at most 67108864"],
        ),
        (
            |save| save["agents_context"][2]["entity"] = json!(99),
            &["agents_context[2].entity", "99"],
        ),
        (
            |save| save["agents_context"][2]["entity"] = json!(1),
            &["agents_context[2].entity", "twice"],
        ),
        (
            |save| save["agents_context"][2]["last_id"] = json!(1),
            &["agents_context[2]", "last_id is 1"],
        ),
        (
            |save| save["chapters"][0]["closed"][0]["summary"] = json!(100_000),
            &["chapters[0].closed[0].summary", "out of range"],
        ),
        (
            |save| save["chapters"][0]["entity"] = json!(99),
            &["chapters[0].entity", "99"],
        ),
    ];
    for (number, (spoil, wanted)) in spoilt.iter().enumerate() {
        let mut save = good.clone();
        spoil(&mut save);
        let error = refusal(&save);
        for part in *wanted {
            assert!(
                error.contains(part),
                "case {number}: '{part}' not in: {error}"
            );
        }
    }
}

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
    use playhouse::cast::CurrentStage;
    use playhouse::event::EventWriter;
    use playhouse::event::kinds::Speak;
    use playhouse::exchange::{Answer, Ask};

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
    let answer = Answer::new(deed(), playhouse::event::AnsweredBy::Mind);
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
        .get_mut::<playhouse::context::AgentContext>(who)
        .unwrap();
    context.add_human_message(Body::text("x"), tags);
    assert!(snapshot_error(&setup.world).contains("nested more than 100 levels"));
}

#[test]
fn a_save_is_read_into_an_empty_world_only() {
    let mut setup = town();
    let bytes = snapshot(&setup.world, &Town::default().meta()).unwrap();
    let error = restore(&mut setup.world, &bytes, &Expected::default()).unwrap_err();
    assert!(matches!(error, SaveError::CastPresent(8)), "{error}");
}
