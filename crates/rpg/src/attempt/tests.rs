//! Attempts in a small world, whatever a referee answers.

use std::collections::BTreeMap;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{Dead, EntityName, Exits};
use playhouse_engine::event::AnsweredBy;
use playhouse_engine::exchange::{Answer, Ask, Reply};
use playhouse_engine::knowledge::{FactBook, Knowledge, MadeFacts};
use playhouse_engine::message::Language;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::ruling::{AttemptResult, Ruling};
use super::stakes::{AttemptScope, Stake, Stakes};
use crate::components::Health;
use crate::drama::{Belongings, Bonds, History, Qualities};
use crate::testing::{TestScene, play_all, scene_with, world_file};

/// How many facts the world has.
const FACTS: usize = 3;

#[test]
fn scenes_of_attempts() {
    play_all(include_str!("tests.scenes"));
}

/// The Hall, where a coin is hidden and a cup lies, with the way to the Yard closed.
fn trial(seed: u64) -> TestScene {
    let parts =
        r#"limits: (attempts: 99), qualities: [(id: "tide", max: 3, start: 1, attempts: true)]"#;
    let mut scene = scene_with(world_file(parts), seed);
    scene.play(r#"! CloseWay("Hall", "Yard"), Destroy("letter")"#);
    scene
}

/// Ann tries something, and the Hall answers this, or anything.
fn attempt(trial: &mut TestScene, answer: &str) {
    trial.play("Ann: try Force the lid.\nbegin Attempt");
    let ask = trial.ask::<Ruling>("Hall");
    let ruling = ask.read(answer).unwrap_or_else(|_| ask.fallback());
    let hall = trial.place;
    trial.world().entity_mut(hall).remove::<Ask<Ruling>>();
    trial.insert("Hall", Answer::new(ruling, AnsweredBy::Mind));
    trial.begin(crate::phase::Phase::Attempted);
}

/// What everybody knows, by name.
fn known(trial: &mut TestScene) -> BTreeMap<String, Vec<String>> {
    let mut minds = trial.world().query::<(&EntityName, &Knowledge)>();
    let ids = |known: &Knowledge| known.all().map(|(id, _)| id.to_string()).collect();
    let minds = minds.iter(&trial.setup.world);
    minds
        .map(|(name, known)| (name.to_string(), ids(known)))
        .collect()
}

/// A judgement by which nearly everything comes off.
fn sure(prize: &str, fact: &str) -> String {
    json!({
        "possible": true, "ability": "none", "difficulty": "easy", "prize": prize, "cost": "nothing",
        "fact": fact, "fully": "It opens.", "at_cost": "It opens, late.", "not": "It stays shut.",
    })
    .to_string()
}

/// The first attempt with this prize that comes off, after something was done.
fn won(before: &str, prize: &str, fact: &str) -> TestScene {
    let mut trials = (1..20).map(|seed| {
        let mut trial = trial(seed);
        trial.play(before);
        attempt(&mut trial, &sure(prize, fact));
        trial
    });
    let won = trials.find(|trial| trial.event("attempt_outcome").data["outcome"] != "not");
    won.expect("nine of ten come off")
}

#[test]
fn what_is_made_true_is_a_fact_that_those_present_can_tell() {
    let mut trial = won("", "fact", "The lid of the chest is off.");
    assert_eq!(trial.world().resource::<FactBook>().all().count(), FACTS);
    trial.play("meeting");
    let made = trial.world().resource::<FactBook>().get("made-1").cloned();
    assert_eq!(
        made.expect("is in the book").text,
        "The lid of the chest is off."
    );
    let mut knowing = known(&mut trial);
    knowing.retain(|_, known| known.contains(&"made-1".to_owned()));
    assert_eq!(
        knowing.into_keys().collect::<Vec<_>>(),
        ["Ann", "Bob", "Hall"]
    );
}

#[test]
fn what_is_won_happens() {
    let mut found = won("", " “FIND coin”", "");
    found.play("=> attempt_outcome says /found \"coin\"\n=> Holds(\"Ann\", \"coin\")");
    let mut left = won(r#"! Give("cup", "Ann")"#, "leave cup", "");
    left.play("=> attempt_outcome says /left \"cup\"\n=> Holds(\"Hall\", \"cup\")");
    let mut opened = won("", "open Yard", "");
    let ways = |trial: &TestScene| trial.get::<Exits>("Hall").0.len();
    assert_eq!(ways(&opened), 0);
    opened.play("meeting");
    assert_eq!(ways(&opened), 1);
}

#[test]
fn what_a_referee_tells_agrees_with_what_happens() {
    let scope = AttemptScope {
        people: vec!["Brant Hollis".into(), "崔晚灯".into()],
        elsewhere: vec!["Odile Marsh".into(), "coin".into()],
        items: vec!["coin".into(), "cup".into()],
        language: Language::En,
    };
    let faults = |scope: &AttemptScope, ruling: Value| {
        let stakes = Stakes {
            prizes: vec![Stake::Nothing, Stake::Fact, Stake::Item("coin".into())],
            scope: scope.clone(),
            ..Stakes::default()
        };
        let ruling = serde_json::from_value::<Ruling>(ruling).expect("is one");
        let faults = ruling.check(&stakes).into_iter();
        faults.map(|fault| fault.path).collect::<Vec<_>>()
    };
    let tell = |text: &str, prize: &str| {
        let ruling = json!({"possible": true, "prize": prize, "fully": text, "not": "Nothing."});
        faults(&scope, ruling)
    };
    assert_eq!(tell("The board gives way.", "nothing"), [""; 0]);
    assert_eq!(tell("There is a coin under it.", "nothing"), ["fully"]);
    assert_eq!(tell("There is a coin under it.", "find coin"), [""; 0]);
    assert_eq!(tell("Odile Marsh holds the lamp.", "nothing"), ["fully"]);
    assert_eq!(
        tell("It holds, and Brant dies of it.", "nothing"),
        ["fully"]
    );
    let fact = |fact: &str, not: &str| {
        let ruling = json!({"possible": true, "prize": "fact", "fact": fact, "not": not});
        faults(&scope, ruling)
    };
    for placed in [
        "The cup hangs over the door.",
        "From now on Brant has the cup.",
        "The cup is kept under the bar.",
        "The cup is gone.",
    ] {
        let placed = placed.replace("the cup", "cup").replace("The cup", "Cup");
        assert_eq!(fact(&placed, "Nothing."), ["fact"], "{placed}");
    }
    assert_eq!(fact("The boy was asked about the cup.", "No."), [""; 0]);
    assert_eq!(fact("The cup gleams.", "No."), [""; 0]);
    assert_eq!(
        fact("The door is open.", "At last the door is open!"),
        ["not"]
    );
    assert_eq!(fact("The door is open.", "The door stays shut."), [""; 0]);
    let chinese = AttemptScope {
        language: Language::Zh,
        ..scope.clone()
    };
    let ruling = json!({"possible": false, "fully": "x", "not": "崔晚灯死了。"});
    assert_eq!(faults(&chinese, ruling), ["not"]);
    let chinese = AttemptScope {
        items: vec!["纸马".into()],
        ..chinese
    };
    for (fact, expected) in [
        (
            "那盏灯的火苗从此随着纸马的马头走，马头朝西，火苗就朝西。",
            &[][..],
        ),
        ("纸马从此挂在巷底。", &["fact"]),
        ("佟九指揣着纸马。", &["fact"]),
        ("纸马不见了。", &["fact"]),
    ] {
        let ruling = json!({"possible": true, "prize": "fact", "fact": fact, "not": "x"});
        assert_eq!(faults(&chinese, ruling), expected, "{fact}");
    }
}

#[test]
fn an_ability_is_asked_for_only_if_there_is_one() {
    let has_ability = |stakes: &Stakes| {
        let schema = Ruling::constrain_schema(&Value::Null, stakes).expect("is constrained");
        schema["properties"].get("ability").is_some()
    };
    let able = Stakes {
        abilities: vec!["Boathook".into()],
        ..Stakes::default()
    };
    assert!(has_ability(&able) && !has_ability(&Stakes::default()));
}

#[test]
fn ability_and_difficulty_decide_the_chance() {
    let stakes = Stakes {
        abilities: vec!["Boathook".into()],
        ..Stakes::default()
    };
    let ask = Ask::new("attempt", "", stakes.clone(), Ruling::default());
    let read = |ability: &str, difficulty: &str| {
        let ruling = json!({"possible": true, "ability": ability, "difficulty": difficulty});
        ask.read(&ruling.to_string())
    };
    let outcomes = |ability: &str, difficulty: &str| {
        let ruling = read(ability, difficulty).expect("is one");
        let count = |wanted| {
            (0..100)
                .filter(|roll| ruling.outcome(&stakes, *roll) == wanted)
                .count()
        };
        [
            AttemptResult::Full,
            AttemptResult::AtACost,
            AttemptResult::Not,
        ]
        .map(count)
    };
    assert_eq!(outcomes("none", "easy"), [65, 25, 10]);
    assert_eq!(outcomes("the boathook", "Easy"), [80, 20, 0]);
    assert!(read("Flying", "fair").is_err(), "no ability of theirs");
    assert_eq!(outcomes("none", "hard"), [25, 25, 50]);
    assert_eq!(outcomes("none", "desperate"), [10, 25, 65]);
    assert!(
        read("none", "impossible").is_err(),
        "there is no such difficulty"
    );
}

#[test]
fn what_gives_a_secret_away_is_masked_and_made_no_fact() {
    let secret = "The key is under the stair.";
    let answer = sure("fact", secret).replace("It opens", secret);
    let mut trial = trial(1);
    trial.insert("Hall", Knowledge::at_start(["key"]));
    let before = known(&mut trial);
    for _ in 0..5 {
        attempt(&mut trial, &answer);
        let told = trial.event("attempt_outcome").data["message"].to_string();
        assert!(!told.contains("key is under"), "{told}");
        trial.play("meeting");
    }
    assert_eq!(known(&mut trial), before);
    assert_eq!(*trial.world().resource::<MadeFacts>(), MadeFacts::default());
}

/// Any JSON, and often JSON that looks like a judgement.
fn any_ruling() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        Just(json!("The key is under the stair.")),
        Just(json!("Bob is dead.")),
        ".{0,400}".prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        prop::collection::vec(any::<u8>(), 0..3).prop_map(Value::from),
    ];
    let stake = prop::sample::select(vec![
        "nothing", "fact", "find coin", "find cup", "open Yard", "open The Moon", "raise tide",
        "lower tide", "warm Bob", "cool Bob", "warm Ann", "hurt", "wound", "kill", "end",
        "teach map",
    ]);
    let stake = prop_oneof![3 => stake.prop_map(Value::from), 1 => text.clone()];
    let members = (
        prop_oneof![4 => Just(json!(true)), 1 => text.clone()],
        prop::collection::vec(stake, 2),
        prop::collection::vec(text.clone(), 6),
    );
    let ruling = members.prop_map(|(possible, stakes, texts)| {
        let names = ["fact", "fully", "at_cost", "not", "ability", "difficulty"];
        let mut ruling = json!({"possible": possible, "prize": stakes[0], "cost": stakes[1]});
        for (name, text) in names.into_iter().zip(texts) {
            ruling[name] = text;
        }
        ruling.to_string()
    });
    let other = text.prop_map(|value| json!([value, {"possible": value}]).to_string());
    prop_oneof![8 => ruling, 1 => other, 1 => ".{0,60}".prop_map(String::from)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn no_referee_kills_teaches_or_ends_anything(
        seed in 0..500u64, answers in prop::collection::vec(any_ruling(), 1..5)
    ) {
        let mut trial = trial(seed);
        let before = known(&mut trial);
        for answer in answers {
            attempt(&mut trial, &answer);
            trial.play("meeting");
        }
        let world = trial.world();
        let mut dead = world.query_filtered::<Entity, With<Dead>>();
        prop_assert_eq!(dead.iter(world).count(), 0);
        prop_assert_eq!(&world.resource::<History>().ending, &None);
        let mut bodies = world.query::<(&EntityName, &Health)>();
        let (_, health) = bodies.iter(world).find(|(name, _)| &*name.0 == "Ann").expect("a body");
        prop_assert!((1..=health.max).contains(&health.hp));
        let tide = world.resource::<Qualities>().value("tide");
        prop_assert!((0..=3).contains(&tide));
        let mut bonds = world.query::<&Bonds>();
        let mut values = bonds.iter(world).flat_map(|bonds| bonds.0.values());
        prop_assert!(values.all(|bond| (-3..=3).contains(&bond.value)));
        for item in ["coin", "cup"] {
            let mut held = world.query::<&Belongings>();
            let holders = held.iter(world).filter(|held| held.0.contains(item)).count();
            prop_assert_eq!(holders, 1);
        }
        let book = world.resource::<FactBook>();
        for fact in book.all().skip(FACTS) {
            prop_assert!(fact.id.starts_with("made-") && fact.text.chars().count() <= 200);
            prop_assert!(!fact.text.is_empty() && !fact.text.contains("under the stair"));
        }
        for (name, known) in known(&mut trial) {
            let mut writers = known;
            writers.retain(|id| !id.starts_with("made-"));
            prop_assert_eq!(&writers, &before[&name]);
        }
    }
}
