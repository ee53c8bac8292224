//! Attempts in the English world, whatever a referee answers.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce;
use playhouse_engine::cast::{CastList, CurrentStage, Dead, EntityName, Exits, StableId};
use playhouse_engine::context::AgentContext;
use playhouse_engine::engine::Setup;
use playhouse_engine::event::{AnsweredBy, DeferredCommands, EventQueue, deliver};
use playhouse_engine::exchange::{Answer, Ask, Reply};
use playhouse_engine::knowledge::{FactBook, Knowledge, MadeFacts};
use playhouse_engine::message::Language;
use playhouse_engine::world_data::DataFolder;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::pending::PendingAttempts;
use super::referee::{ask_ruling, take_ruling};
use super::ruling::{AttemptResult, Ruling};
use super::stakes::{AttemptScope, Stake, Stakes};
use crate::actions::Plan;
use crate::campaign::Campaign;
use crate::components::Health;
use crate::drama::{
    Belongings, Bonds, Hidden, History, Item, Qualities, Quality, StoryData, change_bond,
};
use crate::home::plans::take_plans;
use crate::phase::Phase;

static CAMPAIGN: LazyLock<Campaign> = LazyLock::new(|| {
    let campaign = Campaign::load(&DataFolder::embedded(), "drowned-assize");
    campaign.expect("the shipped world is right")
});

const TAVERN: &str = "The Lamp and Ledger";

/// The tavern, where Brant tries something. A coin is hidden there, a cup lies there openly, and
/// the way to the stair is closed.
struct Trial {
    setup: Setup,
    tavern: Entity,
    brant: Entity,
    pell: Entity,
}

fn trial(seed: u64) -> Trial {
    let mut setup = CAMPAIGN.new_game(seed).expect("is spawned");
    let list = setup.world.resource::<CastList>();
    let who = |name: &str| list.by_name(name).expect("is in the cast");
    let (tavern, brant, pell) = (who(TAVERN), who("Brant Hollis"), who("Pell Gantry"));
    let stair = who("Customs Stair");
    let world = &mut setup.world;
    let item = |name: &str, hidden| Item {
        name: name.into(),
        hidden,
        teaches: vec!["the-order".into()],
        ..Item::default()
    };
    let mut story = world.resource::<StoryData>().clone();
    story.items = vec![item("coin", true), item("cup", false)];
    story.qualities = vec![Quality {
        id: "tide".into(),
        title: "how high the tide is".into(),
        max: 3,
        start: 1,
        attempts: true,
        ..Quality::default()
    }];
    story.qualities.push(Quality {
        id: "docket".into(),
        max: 9,
        ..Quality::default()
    });
    world.insert_resource(Qualities::at_start(&story.qualities));
    world.insert_resource(story);
    let items = ["coin", "cup"].map(Into::into);
    let hidden = Hidden([("coin".into(), "".into())].into());
    world
        .entity_mut(tavern)
        .insert((Belongings(items.into()), hidden));
    for holder in [brant, pell] {
        world.entity_mut(holder).insert(Belongings::default());
    }
    let stair = *world.get::<StableId>(stair).expect("has a number");
    let mut exits = world.get_mut::<Exits>(tavern).expect("has exits");
    exits.0.retain(|exit| *exit != stair);
    world.insert_resource(CurrentStage::Place(tavern));
    Trial {
        setup,
        tavern,
        brant,
        pell,
    }
}

impl Trial {
    fn world(&mut self) -> &mut World {
        &mut self.setup.world
    }

    /// Brant tries something; the stage is asked, and answers this.
    fn attempt(&mut self, answer: &str) {
        let plan =
            r#"{"mind": "m", "attempt": {"what": "Force the lid.", "aim": "to see the log"}}"#;
        let (tavern, brant) = (self.tavern, self.brant);
        let plan = serde_json::from_str::<Plan>(plan).expect("a plan");
        let answered = Answer::new(plan, AnsweredBy::Mind);
        self.world().entity_mut(brant).insert(answered);
        self.world().run_system_once(take_plans).expect("runs");
        assert_eq!(self.phase(), Phase::Attempt);
        self.world().run_system_once(deliver).expect("runs");
        self.world().run_system_once(ask_ruling).expect("runs");
        assert_eq!(self.phase(), Phase::Attempted);
        let ask = self.world().get::<Ask<Ruling>>(tavern).expect("is asked");
        let ruling = ask.read(answer).unwrap_or_else(|_| ask.fallback());
        self.world().entity_mut(tavern).remove::<Ask<Ruling>>();
        let answered = Answer::new(ruling, AnsweredBy::Mind);
        self.world().entity_mut(tavern).insert(answered);
        self.world().run_system_once(take_ruling).expect("runs");
        assert_eq!(self.phase(), Phase::Plan, "the talk goes on");
    }

    fn has_heard(&self, who: Entity, words: &str) -> bool {
        let context = self.setup.world.get::<AgentContext>(who).expect("has one");
        let mut entries = context.entries().iter();
        entries.any(|entry| entry.body().full_text().contains(words))
    }

    /// What waits for the meeting happens.
    fn meet(&mut self) {
        self.world().run_system_once(deliver).expect("runs");
        self.world().insert_resource(CurrentStage::Meeting);
        for crossing in self.world().resource_mut::<DeferredCommands>().take() {
            crossing(self.world());
        }
        self.world().run_system_once(deliver).expect("runs");
    }

    fn phase(&self) -> Phase {
        *self.setup.world.get(self.tavern).expect("has a phase")
    }

    fn stakes(&mut self) -> Stakes {
        let (tavern, brant) = (self.tavern, self.brant);
        let mut pending = self.world().get_mut::<PendingAttempts>(tavern);
        let pending = pending.as_mut().expect("has some");
        pending.add("Brant Hollis".into(), "w".into(), String::new());
        self.world().run_system_once(ask_ruling).expect("runs");
        let ask = self.world().get::<Ask<Ruling>>(tavern).expect("is asked");
        let stakes = ask.constraints().clone();
        self.world().entity_mut(tavern).remove::<Ask<Ruling>>();
        assert!(self.world().get::<Ask<Ruling>>(brant).is_none());
        stakes
    }

    fn outcome(&self) -> Value {
        let queue = self.setup.world.resource::<EventQueue>();
        let mut told = queue.0.iter();
        let told = told.find(|event| event.kind == "attempt_outcome");
        told.expect("is told").data.clone()
    }

    /// What everybody knows, by name.
    fn known(&mut self) -> BTreeMap<String, Vec<String>> {
        let mut minds = self.world().query::<(&EntityName, &Knowledge)>();
        let minds = minds.iter(&self.setup.world);
        let ids = |known: &Knowledge| known.all().map(|(id, _)| id.to_string()).collect();
        minds
            .map(|(name, known)| (name.to_string(), ids(known)))
            .collect()
    }
}

/// A judgement by which everything comes off: an easy thing, tried with each of the first seeds.
fn sure(prize: &str, fact: &str) -> String {
    json!({
        "possible": true, "ability": "none", "difficulty": "easy", "prize": prize, "cost": "nothing",
        "fact": fact, "fully": "It opens.", "at_cost": "It opens, late.", "not": "It stays shut.",
    })
    .to_string()
}

/// The first attempt of these that comes off.
fn won(prize: &str, fact: &str) -> Trial {
    let mut trials = (1..20).map(|seed| {
        let mut trial = trial(seed);
        trial.attempt(&sure(prize, fact));
        trial
    });
    let won = trials.find(|trial| trial.outcome()["outcome"] != "not");
    won.expect("nine of ten come off")
}

#[test]
fn what_an_attempt_is_for_is_told_to_nobody() {
    let mut trial = trial(1);
    trial.attempt(r#"{"possible": false, "not": "The lid stays shut."}"#);
    let (tavern, brant, pell) = (trial.tavern, trial.brant, trial.pell);
    for who in [tavern, pell] {
        assert!(trial.has_heard(who, "Force the lid"));
    }
    for who in [tavern, brant, pell] {
        assert!(!trial.has_heard(who, "to see the log"));
    }
}

#[test]
fn somebody_who_is_hurt_can_be_healed_a_little() {
    let mut trial = trial(1);
    let brant = trial.brant;
    let (hp, max) = {
        let mut health = trial.world().get_mut::<Health>(brant).expect("a body");
        health.hp = 3;
        (health.hp, health.max)
    };
    let answer = r#"{"possible": true, "difficulty": "easy", "prize": "heal Brant Hollis", "fully": "He breathes.", "at_cost": "He breathes.", "not": "It bleeds on."}"#;
    trial.attempt(answer);
    let health = trial.world().get::<Health>(brant).expect("a body");
    assert_eq!(health.hp, hp + max / 8);
}

#[test]
fn what_is_made_true_is_a_fact_that_those_present_can_tell() {
    let mut trial = won("fact", "The lid of the chest is off.");
    let (brant, pell) = (trial.brant, trial.pell);
    assert_eq!(trial.world().resource::<FactBook>().all().count(), {
        CAMPAIGN.file.facts.len()
    });
    trial.meet();
    let book = trial.world().resource::<FactBook>();
    let made = book.get("made-1").expect("is in the book").clone();
    assert_eq!(made.text, "The lid of the chest is off.");
    for who in [brant, pell] {
        let knowledge = trial.world().get::<Knowledge>(who).expect("has some");
        assert!(knowledge.knows("made-1"));
    }
    let elsewhere = trial.known().into_iter();
    let knowing = elsewhere.filter(|(_, known)| known.contains(&"made-1".to_owned()));
    let mut knowing: Vec<_> = knowing.map(|(name, _)| name).collect();
    knowing.sort_unstable();
    assert_eq!(knowing, ["Brant Hollis", "Pell Gantry", TAVERN]);
}

#[test]
fn hidden_things_are_found_and_closed_ways_opened() {
    let mut trial = won(" “FIND coin”", "");
    let brant = trial.brant;
    let held = trial.world().get::<Belongings>(brant).expect("has some");
    assert!(held.0.contains("coin"), "{held:?}");
    assert_eq!(trial.outcome()["found"], "coin");
    let mut trial = won("open Customs Stair", "");
    let tavern = trial.tavern;
    let count = |trial: &Trial| {
        trial
            .setup
            .world
            .get::<Exits>(tavern)
            .map(|exits| exits.0.len())
    };
    let before = count(&trial).expect("has exits");
    trial.meet();
    assert_eq!(count(&trial), Some(before + 1));
}

#[test]
fn what_one_has_can_be_left_where_everybody_sees_it() {
    let mut trials = (1..20).map(|seed| {
        let mut trial = trial(seed);
        let (tavern, brant) = (trial.tavern, trial.brant);
        trial
            .world()
            .entity_mut(tavern)
            .insert(Belongings::default());
        let cup = Belongings(["cup".into()].into());
        trial.world().entity_mut(brant).insert(cup);
        trial.attempt(&sure("leave cup", ""));
        trial
    });
    let won = trials.find(|trial| trial.outcome()["outcome"] != "not");
    let mut trial = won.expect("nine of ten come off");
    assert_eq!(trial.outcome()["left"], "cup");
    let (tavern, brant) = (trial.tavern, trial.brant);
    let count = |trial: &mut Trial, who| {
        trial
            .world()
            .get(who)
            .map(|belongings: &Belongings| belongings.0.len())
    };
    assert_eq!(count(&mut trial, brant), Some(0));
    assert_eq!(count(&mut trial, tavern), Some(1));
}

#[test]
fn what_the_story_still_needs_can_not_be_left_behind() {
    let mut trial = trial(1);
    let brant = trial.brant;
    let held = Belongings(["the clapper".into(), "cup".into()].into());
    trial.world().entity_mut(brant).insert(held);
    let prizes = super::stakes::ids(&trial.stakes().prizes);
    assert!(prizes.contains(&"leave cup".to_owned()), "{prizes:?}");
    assert!(!prizes.contains(&"leave the clapper".to_owned()));
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
fn only_what_code_offers_can_be_won() {
    let mut trial = trial(1);
    let pell = trial.pell;
    for _ in 0..9 {
        change_bond(trial.world(), pell, "Brant Hollis", 1);
    }
    trial
        .world()
        .resource_mut::<Qualities>()
        .0
        .insert("tide".into(), 3);
    let stakes = trial.stakes();
    let prizes = super::stakes::ids(&stakes.prizes);
    let expected = [
        "nothing",
        "fact",
        "find coin",
        "open Customs Stair",
        "lower tide",
    ];
    assert_eq!(prizes, expected);
    let costs = super::stakes::ids(&stakes.costs);
    assert_eq!(
        costs,
        ["nothing", "hurt", "wound", "lower tide", "cool Pell Gantry"]
    );
    assert!(!stakes.abilities.is_empty());
    let has_ability = |stakes: &Stakes| {
        let schema = Ruling::constrain_schema(&Value::Null, stakes).expect("is constrained");
        schema["properties"].get("ability").is_some()
    };
    assert!(has_ability(&stakes) && !has_ability(&Stakes::default()));
    let offers = super::stakes::offers(&stakes.costs);
    let offers = serde_json::to_value(offers).expect("is JSON");
    assert_eq!(offers[3]["name"], "how high the tide is");
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
    let secret = "The Constancy was holed for the insurance.";
    let answer = sure("fact", secret).replace("It opens", secret);
    let mut trial = trial(1);
    let tavern = trial.tavern;
    let known = Knowledge::at_start(["the-order"]);
    trial.world().entity_mut(tavern).insert(known);
    let before = trial.known();
    for _ in 0..5 {
        trial.world().insert_resource(CurrentStage::Place(tavern));
        trial.attempt(&answer);
        let told = trial.outcome()["message"].to_string();
        assert!(!told.contains("insurance"), "{told}");
        trial.meet();
    }
    assert_eq!(trial.known(), before);
    assert_eq!(*trial.world().resource::<MadeFacts>(), MadeFacts::default());
}

#[test]
fn a_stage_that_gives_no_answer_lets_nothing_happen() {
    let mut trial = trial(1);
    trial.attempt("I would rather not.");
    let outcome = trial.outcome();
    assert_eq!(outcome["outcome"], "not");
    assert_eq!(
        outcome["message"],
        "Brant Hollis tries, and nothing comes of it."
    );
}

/// Any JSON, and often JSON that looks like a judgement.
fn any_ruling() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        Just(json!("She was holed for the insurance.")),
        Just(json!("Pell Gantry is dead.")),
        ".{0,400}".prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        prop::collection::vec(any::<u8>(), 0..3).prop_map(Value::from),
    ];
    let stake = prop::sample::select(vec![
        "nothing",
        "fact",
        "find coin",
        "find cup",
        "open Customs Stair",
        "open The Moon",
        "raise tide",
        "lower tide",
        "warm Pell Gantry",
        "cool Pell Gantry",
        "warm Brant Hollis",
        "hurt",
        "wound",
        "kill",
        "end",
        "teach the-order",
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
        let (tavern, brant) = (trial.tavern, trial.brant);
        let before = trial.known();
        for answer in answers {
            trial.world().insert_resource(CurrentStage::Place(tavern));
            trial.attempt(&answer);
            trial.meet();
        }
        let world = trial.world();
        let mut dead = world.query_filtered::<Entity, With<Dead>>();
        prop_assert_eq!(dead.iter(world).count(), 0);
        prop_assert_eq!(&world.resource::<History>().ending, &None);
        let health = world.get::<Health>(brant).expect("has some");
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
        for fact in book.all().skip(CAMPAIGN.file.facts.len()) {
            prop_assert!(fact.id.starts_with("made-") && fact.text.chars().count() <= 200);
            prop_assert!(!fact.text.is_empty() && !fact.text.contains("insurance"));
        }
        for (name, known) in trial.known() {
            let mut writers = known;
            writers.retain(|id| !id.starts_with("made-"));
            prop_assert_eq!(&writers, &before[&name]);
        }
    }
}
