//! The systems of home life, each run alone on a real world, without a mind.

use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce;
use playhouse_engine::cast::{CastList, CurrentStage, Dead, OnStage};
use playhouse_engine::context::{AgentContext, Chapters, Common};
use playhouse_engine::engine::{Setup, StoryEnd};
use playhouse_engine::event::{AnsweredBy, DeferredCommands, EventQueue, Record, Records, deliver};
use playhouse_engine::exchange::{Answer, Ask, Prose};
use playhouse_engine::knowledge::{Fact, FactBook, Knowledge, Known, MadeKind, make_fact};
use playhouse_engine::world_data::DataFolder;
use serde_json::Value;

use super::actions::{Plan, PlanConstraints};
use super::campaign::Campaign;
use super::campaign_phase::{CampaignPhase, CampaignState, FightPlace, Stay};
use super::campaign_state::advance_campaign;
use super::components::{Acquaintances, ClosedDungeons, FallenFoes, Health, KickedOff, RpgWorld};
use super::everybody::publish;
use super::home::uses::open_uses;
use super::home::{plans, scene};
use super::kickoff;
use super::phase::Phase;

use super::scenes::choose::{self, SceneDecision, apply_choices, offer_choices};
use super::scenes::effects::{Cause, apply_effects};
use super::scenes::endings;
use super::scenes::open::OpenScene;
use crate::drama::{
    Belongings, Bond, BondSpec, Bonds, Choice, ChoiceOption, Condition, Effect, Hidden, History,
    Item, ItemUse, Occasion, Promise, PromiseState, Promises, Scene, StoryData,
};
use crate::happening::{Happening, Pledge};

/// The English world with the party in the tavern, about to step there.
struct StageTest {
    setup: Setup,
    tavern: Entity,
    brant: Entity,
    pell: Entity,
}

fn stage_test() -> StageTest {
    let campaign = Campaign::load(&DataFolder::embedded(), "drowned-assize");
    let setup = campaign.ok().and_then(|campaign| campaign.new_game(1).ok());
    let mut setup = setup.expect("the shipped world is right");
    let list = setup.world.resource::<CastList>();
    let who = |name: &str| list.by_name(name).expect("is in the cast");
    let (tavern, brant, pell) = (
        who("The Lamp and Ledger"),
        who("Brant Hollis"),
        who("Pell Gantry"),
    );
    setup.world.insert_resource(CurrentStage::Place(tavern));
    StageTest {
        setup,
        tavern,
        brant,
        pell,
    }
}

impl StageTest {
    fn world(&mut self) -> &mut World {
        &mut self.setup.world
    }

    fn phase(&self) -> Phase {
        *self
            .setup
            .world
            .get::<Phase>(self.tavern)
            .expect("has a phase")
    }

    fn told(&self) -> Vec<(&'static str, Vec<Entity>)> {
        let queue = self.setup.world.resource::<EventQueue>();
        queue
            .0
            .iter()
            .map(|told| (told.kind, told.audience.clone()))
            .collect()
    }

    fn answer_plan(&mut self, who: Entity, plan: Plan) {
        self.world()
            .entity_mut(who)
            .insert(Answer::new(plan, AnsweredBy::Mind));
        let taken = self.world().run_system_once(plans::take_plans);
        taken.expect("runs");
    }
}

#[test]
fn everybody_on_a_stage_is_asked_to_begin_with_its_own_tag() {
    let mut stage = stage_test();
    stage
        .world()
        .run_system_once(kickoff::ask_kickoffs)
        .expect("runs");
    for entity in [stage.tavern, stage.brant, stage.pell] {
        let ask = stage.world().get::<Ask<Prose>>(entity).expect("is asked");
        assert_eq!(ask.purpose(), "kickoff");
        assert!(ask.tags().text("kickoff").is_some());
    }
    assert_eq!(stage.phase(), Phase::KickoffDone);
}

#[test]
fn whoever_has_begun_is_not_asked_again() {
    let mut stage = stage_test();
    let brant = stage.brant;
    stage.world().entity_mut(brant).insert(KickedOff);
    stage
        .world()
        .run_system_once(kickoff::ask_kickoffs)
        .expect("runs");
    assert!(stage.world().get::<Ask<Prose>>(brant).is_none());
}

#[test]
fn a_stage_shows_itself_to_its_occupants_and_not_to_itself() {
    let mut stage = stage_test();
    let (tavern, brant, pell) = (stage.tavern, stage.brant, stage.pell);
    let answer = Answer::new(Prose("A wet morning.".into()), AnsweredBy::Mind);
    stage.world().entity_mut(tavern).insert(answer);
    stage
        .world()
        .run_system_once(kickoff::take_kickoffs)
        .expect("runs");
    assert_eq!(stage.told(), [("kickoff", vec![brant, pell])]);
}

#[test]
fn a_scene_leads_to_plans() {
    let mut stage = stage_test();
    let tavern = stage.tavern;
    stage
        .world()
        .run_system_once(scene::ask_scene)
        .expect("runs");
    let ask = stage.world().get::<Ask<Prose>>(tavern).expect("is asked");
    assert_eq!(ask.short(), Some("(Day 1: you described how it began.)"));
    stage.world().entity_mut(tavern).remove::<Ask<Prose>>();
    stage
        .world()
        .entity_mut(tavern)
        .insert(Answer::new(Prose("Rain.".into()), AnsweredBy::Mind));
    stage
        .world()
        .run_system_once(scene::take_scene)
        .expect("runs");
    assert_eq!(stage.told()[0].0, "scene");
    assert_eq!(stage.phase(), Phase::Plan);
}

#[test]
fn a_plan_may_address_those_present_and_go_where_ways_lead() {
    let mut stage = stage_test();
    let brant = stage.brant;
    let next = asked(&mut stage)[0];
    let ask = stage.world().get::<Ask<Plan>>(next).expect("is asked");
    let other = if next == brant {
        "Pell Gantry"
    } else {
        "Brant Hollis"
    };
    assert_eq!(ask.constraints().present, [other]);
    assert_eq!(
        ask.constraints().exits,
        ["Customs Stair", "Chapel of the Spared"]
    );
    assert_eq!(ask.noted()["place"], Value::from("The Lamp and Ledger"));
}

fn plan(json: &str) -> Plan {
    serde_json::from_str(json).expect("a plan")
}

/// What somebody who acts like this is told, after everybody has learned what there was to learn.
fn turn(stage: &mut StageTest, who: Entity, plan: &str) -> Vec<&'static str> {
    stage.answer_plan(who, self::plan(plan));
    let told = stage.told().into_iter();
    let told = told.filter(|(_, audience)| audience.contains(&who));
    let told = told.map(|(kind, _)| kind).collect();
    stage.world().run_system_once(deliver).expect("runs");
    told
}

fn knows(stage: &StageTest, who: Entity, fact: &str) -> bool {
    let knowledge = stage.setup.world.get::<Knowledge>(who);
    knowledge.is_some_and(|knowledge| knowledge.knows(fact))
}

#[test]
fn whoever_does_something_notes_it_too() {
    let mut stage = stage_test();
    let (brant, pell) = (stage.brant, stage.pell);
    let plan = r#"{"mind": "m", "promise": {"to": "Brant Hollis", "words": "I will light it."},
        "speak": {"target": "Brant Hollis", "text": "Listen."}, "tells": ["the-lamp"]}"#;
    turn(&mut stage, pell, plan);
    let notes = |who| {
        let chapters = stage.setup.world.get::<Chapters>(who).expect("has some");
        let notes = chapters.open_notes().iter();
        notes
            .filter_map(|note| note.happening.read::<Happening>())
            .collect::<Vec<_>>()
    };
    let promised = Happening::Promised {
        who: "Pell Gantry".into(),
        to: "Brant Hollis".into(),
        words: "I will light it.".into(),
        state: Pledge::Made,
    };
    for who in [brant, pell] {
        let noted = notes(who).into_iter().filter(|note| *note == promised);
        assert_eq!(noted.count(), 1);
    }
    let told = |note: &Happening| {
        matches!(note, Happening::Common(Common::Told { fact, to, .. })
            if **fact == *"the-lamp" && *to == ["Brant Hollis".into()])
    };
    assert!(notes(pell).iter().any(told), "{:?}", notes(pell));
    assert!(!notes(brant).iter().any(told));
}

#[test]
fn hearers_learn_what_is_told_and_an_ear_what_is_whispered() {
    let mut stage = stage_test();
    let (brant, pell, tavern) = (stage.brant, stage.pell, stage.tavern);
    let whisper = r#"{"mind": "m", "whisper": {"target": "Pell Gantry", "text": "Listen."}, "tells": ["cipher"]}"#;
    turn(&mut stage, brant, whisper);
    assert!(knows(&stage, pell, "cipher") && !knows(&stage, tavern, "cipher"));
    let speak = r#"{"mind": "m", "speak": {"target": "Pell Gantry", "text": "Listen."}, "tells": ["the-order"]}"#;
    turn(&mut stage, brant, speak);
    assert!(knows(&stage, pell, "the-order") && knows(&stage, tavern, "the-order"));
    let knowledge = stage.world().get::<Knowledge>(pell).expect("has some");
    let known = knowledge.get("the-order").expect("was told");
    assert_eq!(known.from.as_deref(), Some("Brant Hollis"));
}

#[test]
fn a_phrase_of_a_fact_tells_it_if_its_speaker_knows_it() {
    let words = r#"{"mind": "m", "announce": {"text": "She was holed for the insurance."}}"#;
    let mut stage = stage_test();
    let pell = stage.pell;
    let speak = words.replace("\"text\"", "\"target\": \"Pell Gantry\", \"text\"");
    let speak = speak.replace("announce", "speak");
    let brant = stage.brant;
    turn(&mut stage, brant, &speak);
    assert!(knows(&stage, pell, "the-order"));
    let mut stage = stage_test();
    let speak = speak.replace("Pell Gantry", "Brant Hollis");
    let told = turn(&mut stage, pell, &speak);
    assert_eq!(told, ["mind", "masked"]);
    assert!(!knows(&stage, pell, "the-order"));
}

#[test]
fn an_epilogue_teaches_nobody() {
    let mut stage = stage_test();
    let (brant, pell) = (stage.brant, stage.pell);
    let words = "She was holed for the insurance.";
    let answered = Answer::new(Prose(words.into()), AnsweredBy::Mind);
    stage.world().entity_mut(brant).insert(answered);
    let taken = stage.world().run_system_once(endings::take_epilogues);
    taken.expect("runs");
    stage.world().run_system_once(deliver).expect("runs");
    assert!(heard(&stage, pell).contains(words));
    assert!(!knows(&stage, pell, "the-order"));
}

/// A letter that Brant has, and a hidden and an open thing in the tavern.
fn with_items() -> StageTest {
    let mut stage = stage_test();
    let (brant, tavern) = (stage.brant, stage.tavern);
    let item = |name: &str, hidden: bool| Item {
        name: name.into(),
        look: "small".into(),
        hidden,
        teaches: vec!["cipher".into()],
        ..Item::default()
    };
    let story = StoryData {
        items: vec![
            item("letter", false),
            item("coin", true),
            item("cup", false),
        ],
        ..StoryData::default()
    };
    let has = |names: &[&str]| Belongings(names.iter().map(|name| (*name).into()).collect());
    stage.world().insert_resource(story);
    let pell = stage.pell;
    stage.world().entity_mut(pell).insert(Belongings::default());
    stage.world().entity_mut(brant).insert(has(&["letter"]));
    let hidden = Hidden([("coin".into(), "".into())].into());
    let lying = (has(&["coin", "cup"]), hidden);
    stage.world().entity_mut(tavern).insert(lying);
    stage
}

fn held(stage: &StageTest, who: Entity) -> Vec<String> {
    let belongings = stage.setup.world.get::<Belongings>(who);
    let belongings = belongings.into_iter().flat_map(|held| &held.0);
    belongings.map(ToString::to_string).collect()
}

#[test]
fn a_letter_is_given_and_read() {
    let mut stage = with_items();
    let (brant, pell) = (stage.brant, stage.pell);
    let give = r#"{"mind": "m", "give": {"item": "letter", "to": "Pell Gantry"}}"#;
    assert_eq!(turn(&mut stage, brant, give), ["mind"]);
    assert_eq!(held(&stage, pell), ["letter"]);
    assert_eq!(turn(&mut stage, brant, give), ["mind", "refusal"]);
    turn(
        &mut stage,
        pell,
        r#"{"mind": "m", "read": {"item": "letter"}}"#,
    );
    assert!(knows(&stage, pell, "cipher"));
    let show = r#"{"mind": "m", "show": {"item": "letter", "to": "Brant Hollis"}}"#;
    turn(&mut stage, pell, show);
    assert_eq!(held(&stage, pell), ["letter"]);
}

#[test]
fn whoever_is_shown_something_reads_it() {
    let mut stage = with_items();
    let (brant, pell) = (stage.brant, stage.pell);
    let show = r#"{"mind": "m", "show": {"item": "letter", "to": "Pell Gantry"}}"#;
    turn(&mut stage, brant, show);
    assert!(knows(&stage, brant, "cipher") && knows(&stage, pell, "cipher"));
    let from = stage
        .world()
        .get::<Knowledge>(pell)
        .and_then(|knowledge| knowledge.get("cipher"));
    assert_eq!(
        from.and_then(|known| known.from.as_deref()),
        Some("Brant Hollis")
    );
}

fn meet(stage: &mut StageTest) {
    stage.world().insert_resource(CurrentStage::Meeting);
    for crossing in stage.world().resource_mut::<DeferredCommands>().take() {
        crossing(stage.world());
    }
    stage.world().run_system_once(deliver).expect("runs");
    let tavern = stage.tavern;
    stage.world().insert_resource(CurrentStage::Place(tavern));
}

#[test]
fn what_is_hidden_is_seen_by_whoever_is_told() {
    let mut stage = with_items();
    let (brant, pell, tavern) = (stage.brant, stage.pell, stage.tavern);
    let hide = r#"{"mind": "m", "hide": {"item": "letter"}}"#;
    assert_eq!(turn(&mut stage, brant, hide), ["mind", "hide"]);
    assert!(held(&stage, tavern).contains(&"letter".to_owned()));
    let take = r#"{"mind": "m", "take": {"item": "letter"}}"#;
    assert_eq!(turn(&mut stage, pell, take), ["mind", "refusal"]);
    meet(&mut stage);
    assert_eq!(turn(&mut stage, pell, take), ["mind", "refusal"]);
    let tell = r#"{"mind": "m", "speak": {"target": "Pell Gantry", "text": "Under it."}, "tells": ["hidden-1"]}"#;
    turn(&mut stage, brant, tell);
    turn(&mut stage, pell, take);
    assert_eq!(held(&stage, pell), ["letter"]);
}

#[test]
fn where_something_was_hidden_is_told_only_while_it_is_there() {
    let mut stage = with_items();
    let (brant, pell) = (stage.brant, stage.pell);
    let all_act = |stage: &mut StageTest| {
        let mut world = (*stage.world().resource::<RpgWorld>().0).clone();
        world.limits.together = true;
        stage.world().insert_resource(RpgWorld(world.into()));
        asked(stage);
    };
    turn(
        &mut stage,
        brant,
        r#"{"mind": "m", "hide": {"item": "letter"}}"#,
    );
    meet(&mut stage);
    // Its own deed is told once.
    assert_eq!(heard(&stage, brant).matches("letter").count(), 1);
    all_act(&mut stage);
    assert!(offered(&stage, brant).contains(&"hidden-1".to_owned()));
    stage.world().entity_mut(brant).remove::<Ask<Plan>>();
    stage.world().entity_mut(pell).remove::<Ask<Plan>>();
    turn(
        &mut stage,
        brant,
        r#"{"mind": "m", "take": {"item": "letter"}}"#,
    );
    all_act(&mut stage);
    assert!(!offered(&stage, brant).contains(&"hidden-1".to_owned()));
}

#[test]
fn whoever_lies_here_and_whoever_is_hurt_on_a_journey_is_named() {
    let mut stage = stage_test();
    let (brant, pell) = (stage.brant, stage.pell);
    stage.world().entity_mut(pell).insert(Dead);
    stage.world().insert_resource(Occasion::Camp);
    let mut health = stage.world().get_mut::<Health>(brant).expect("has a body");
    health.hp = 3;
    asked(&mut stage);
    let ask = stage.world().get::<Ask<Plan>>(brant).expect("is asked");
    assert_eq!(ask.noted()["fallen"][0], "Pell Gantry");
    assert_eq!(ask.noted()["hurt"][0]["hp"], 3);
    assert_eq!(ask.noted()["exits"].as_array().map(Vec::len), Some(0));
}

#[test]
fn nobody_walks_off_to_be_sent_home_at_once() {
    let exits = |round| {
        let mut stage = stage_test();
        let mut world = (*stage.world().resource::<RpgWorld>().0).clone();
        world.limits.together = true;
        world.limits.home_rounds = 2;
        stage.world().insert_resource(RpgWorld(world.into()));
        let stay = Stay { day: 1, days: 1 };
        let phase = CampaignPhase::Home { stay, round };
        stage.world().insert_resource(CampaignState {
            phase,
            ..CampaignState::default()
        });
        asked(&mut stage);
        [stage.brant, stage.pell].map(|who| {
            let ask = stage.setup.world.get::<Ask<Plan>>(who);
            let exits = ask.expect("is asked").noted()["exits"].clone();
            exits.as_array().is_some_and(|exits| !exits.is_empty())
        })
    };
    assert_eq!(exits(1), [true, true]);
    assert_eq!(exits(2), [true, false], "neighbours sleep at home");
}

#[test]
fn an_item_is_used_once_when_it_can_be() {
    let mut stage = with_items();
    let (brant, pell) = (stage.brant, stage.pell);
    let does = |with: &str, when| ItemUse {
        with: with.into(),
        when,
        seen: "The letter is unfolded.".into(),
        effects: vec![Effect::Give("letter".into(), "Pell Gantry".into())],
        ..ItemUse::default()
    };
    let mut story = stage.world().resource_mut::<StoryData>();
    story.items[0].uses = vec![
        does("Pell Gantry", Condition::Always),
        does("Odile Marsh", Condition::Always),
        does("cup", Condition::Never),
    ];
    open_uses(stage.world());
    for with in ["Odile Marsh", "cup"] {
        let not_here = format!(r#"{{"mind": "m", "use": {{"item": "letter", "with": "{with}"}}}}"#);
        assert_eq!(turn(&mut stage, brant, &not_here), ["mind", "refusal"]);
    }
    let with_pell = r#"{"mind": "m", "use": {"item": "letter", "with": "Pell Gantry"}}"#;
    assert_eq!(turn(&mut stage, brant, with_pell), ["mind", "use"]);
    assert_eq!(turn(&mut stage, brant, with_pell), ["mind", "refusal"]);
    meet(&mut stage);
    assert_eq!(held(&stage, pell), ["letter"]);
    // What was seen of it has told all but who has it.
    assert!(heard(&stage, pell).contains("has letter now"));
    assert!(heard(&stage, brant).contains("has letter now"));
    open_uses(stage.world());
    assert_eq!(turn(&mut stage, pell, with_pell), ["mind", "refusal"]);
}

#[test]
fn whoever_follows_somebody_leaves_with_it() {
    let mut stage = stage_test();
    let (brant, pell) = (stage.brant, stage.pell);
    let follow = r#"{"mind": "m", "follow": {"who": "Brant Hollis"}}"#;
    assert_eq!(turn(&mut stage, pell, follow), ["mind"]);
    let go = r#"{"mind": "m", "move": {"to": "Customs Stair"}}"#;
    assert_eq!(turn(&mut stage, brant, go), ["mind"]);
    meet(&mut stage);
    let place_of = |who| stage.setup.world.get::<OnStage>(who).map(|on| on.0);
    assert_eq!(place_of(pell), place_of(brant));
    assert_ne!(place_of(pell), Some(stage.tavern));
}

#[test]
fn whoever_reads_what_it_knows_is_told_that_it_is_nothing_new() {
    let mut stage = with_items();
    let pell = stage.pell;
    let read = r#"{"mind": "m", "read": {"item": "cup"}}"#;
    assert_eq!(turn(&mut stage, pell, read), ["mind", "learned"]);
    assert_eq!(turn(&mut stage, pell, read), ["mind", "nothing_new"]);
    let told = heard(&stage, pell);
    assert!(told.contains("It says what you knew: "), "{told}");
}

#[test]
fn only_what_lies_open_can_be_taken() {
    let mut stage = with_items();
    let (pell, tavern) = (stage.pell, stage.tavern);
    let take = |item: &str| format!(r#"{{"mind": "m", "take": {{"item": "{item}"}}}}"#);
    assert_eq!(turn(&mut stage, pell, &take("coin")), ["mind", "refusal"]);
    assert_eq!(turn(&mut stage, pell, &take("letter")), ["mind", "refusal"]);
    assert_eq!(turn(&mut stage, pell, &take("cup")), ["mind"]);
    assert_eq!(held(&stage, pell), ["cup"]);
    assert_eq!(held(&stage, tavern), ["coin"]);
}

#[test]
fn promises_are_made_and_kept_and_feelings_change_once_a_talk() {
    let mut stage = stage_test();
    let brant = stage.brant;
    let promise = r#"{"mind": "m", "promise": {"to": "Pell Gantry", "words": "I will pay."}, "feels": {"about": "Pell Gantry", "change": 1, "why": "w"}}"#;
    let value = |stage: &StageTest| {
        let bonds = stage.setup.world.get::<Bonds>(brant);
        bonds.map(|bonds| bonds.value("Pell Gantry"))
    };
    let before = value(&stage).expect("has bonds");
    turn(&mut stage, brant, promise);
    let keep = r#"{"mind": "m", "keep": {"to": "Pell Gantry"}, "feels": {"about": "Pell Gantry", "change": 1, "why": "w"}}"#;
    turn(&mut stage, brant, keep);
    assert_eq!(value(&stage), Some(before + 1));
    let promises = stage.world().get::<Promises>(brant).expect("has some");
    assert_eq!(promises.0[0].state, PromiseState::Kept);
}

#[test]
fn of_two_promises_to_somebody_the_one_that_is_meant_is_kept() {
    let mut stage = stage_test();
    let brant = stage.brant;
    let promises = ["I will pay.", "I will come."].map(|words| Promise {
        to: "Pell Gantry".into(),
        words: words.into(),
        state: PromiseState::Open,
    });
    let promises = Promises(promises.into());
    stage.world().entity_mut(brant).insert(promises);
    let states = |stage: &StageTest| {
        let promises = stage.setup.world.get::<Promises>(brant);
        let promises = promises.expect("has some").0.iter();
        promises.map(|promise| promise.state).collect::<Vec<_>>()
    };
    let keep = |promise: &str| format!(r#"{{"mind": "m", "keep": {{{promise}}}}}"#);
    turn(
        &mut stage,
        brant,
        &keep(r#""to": "Pell Gantry", "promise": 2"#),
    );
    assert_eq!(states(&stage), [PromiseState::Open, PromiseState::Kept]);
    turn(&mut stage, brant, &keep(r#""to": "Pell Gantry""#));
    assert_eq!(states(&stage), [PromiseState::Kept, PromiseState::Kept]);
}

#[test]
fn of_made_facts_the_last_few_are_offered_that_somebody_here_does_not_know() {
    let mut stage = stage_test();
    let (brant, pell) = (stage.brant, stage.pell);
    let made = (1..=5).map(|number| {
        make_fact(
            stage.world(),
            MadeKind::Outcome,
            format!("It is so {number}."),
        )
    });
    let made: Vec<_> = made.collect();
    let knows = |ids: &[String]| Knowledge::at_start(ids.iter().map(String::as_str));
    stage.world().entity_mut(brant).insert(knows(&made));
    stage.world().entity_mut(pell).insert(knows(&made[4..]));
    let mut world = (*stage.world().resource::<RpgWorld>().0).clone();
    world.limits.together = true;
    stage.world().insert_resource(RpgWorld(world.into()));
    asked(&mut stage);
    assert_eq!(offered(&stage, brant), made[1..4]);
    assert_eq!(offered(&stage, pell), [""; 0], "Brant knows it too");
    let ask = stage.setup.world.get::<Ask<Plan>>(brant);
    let known = &ask.expect("is asked").constraints().known;
    assert_eq!(known[..5], made, "all that one knows can be told");
}

/// The ids of the facts that somebody is offered to tell, in order.
fn offered(stage: &StageTest, who: Entity) -> Vec<String> {
    let ask = stage.setup.world.get::<Ask<Plan>>(who).expect("is asked");
    let facts = ask.noted()["facts"].as_array().expect("a list");
    let ids = facts
        .iter()
        .map(|fact| fact["id"].as_str().unwrap_or_default());
    ids.map(str::to_owned).collect()
}

#[test]
fn own_secrets_come_first_and_what_all_here_know_is_left_out() {
    let mut stage = stage_test();
    let (brant, pell) = (stage.brant, stage.pell);
    let fact = |id: String, sworn| Fact {
        title: format!("About {id}"),
        id,
        sworn,
        ..Fact::default()
    };
    let others: Vec<_> = (1..=14).map(|number| format!("heard-{number}")).collect();
    let book = others.iter().map(|id| fact(id.clone(), false));
    let own = ["known-here", "mine"].map(|id| fact(id.into(), false));
    let sworn: Vec<_> = (1..=20).map(|number| format!("sworn-{number}")).collect();
    let oaths = sworn.iter().cloned().chain(["oath".into()]);
    let book = book.chain(own).chain(oaths.map(|id| fact(id, true)));
    stage.world().insert_resource(FactBook::new(book));
    let mut knowledge = Knowledge::at_start(["mine", "oath", "known-here"]);
    let heard_of = others.iter().zip(1..).chain(sworn.iter().zip(1..));
    for (id, turn) in heard_of {
        let known = Known {
            by: "speak".into(),
            turn,
            ..Known::default()
        };
        knowledge.learn(&id.as_str().into(), &known);
    }
    stage.world().entity_mut(brant).insert(knowledge);
    let known_here = Knowledge::at_start(["known-here"]);
    stage.world().entity_mut(pell).insert(known_here);
    let mut world = (*stage.world().resource::<RpgWorld>().0).clone();
    world.limits.together = true;
    stage.world().insert_resource(RpgWorld(world.into()));
    asked(&mut stage);
    let ids = offered(&stage, brant);
    assert_eq!(ids[..3], ["mine", "heard-14", "heard-13"]);
    assert_eq!(ids.len(), 12);
    let ask = stage.world().get::<Ask<Plan>>(brant).expect("is asked");
    let sworn = &ask.noted()["sworn"];
    assert_eq!(sworn.as_array().map(Vec::len), Some(12));
    assert_eq!([&sworn[0], &sworn[11]], ["About sworn-9", "About sworn-20"]);
    assert_eq!(ask.noted()["more_facts"], 3);
    let unlisted = r#"{"mind": "m", "speak": {"target": "Pell Gantry", "text": "t", "tells": ["heard-1", "known-here", "oath"]}}"#;
    let plan = ask.read(unlisted).expect("it knows them all");
    stage.world().entity_mut(brant).remove::<Ask<Plan>>();
    stage.answer_plan(brant, plan);
    stage.world().run_system_once(deliver).expect("runs");
    assert!(knows(&stage, pell, "heard-1") && !knows(&stage, pell, "oath"));
    let told = heard(&stage, brant);
    assert!(told.contains("‘About oath’ can’t be told"), "{told}");
}

#[test]
fn whoever_does_what_is_not_possible_now_is_told_so_and_the_rest_counts() {
    let mut stage = stage_test();
    let (brant, pell) = (stage.brant, stage.pell);
    let mut world = (*stage.world().resource::<RpgWorld>().0).clone();
    world.limits.together = true;
    world.limits.attempts = 0;
    stage.world().insert_resource(RpgWorld(world.into()));
    asked(&mut stage);
    let ask = stage.world().get::<Ask<Plan>>(brant).expect("is asked");
    let answer = r#"{"mind": "m", "note": 1, "attempt": {"what": "force the lid"}, "speak": {"target": "Pell", "text": "Hold this."}}"#;
    let plan = ask.read(answer).expect("the rest can be used");
    stage.world().entity_mut(brant).remove::<Ask<Plan>>();
    stage.answer_plan(brant, plan);
    stage.world().run_system_once(deliver).expect("runs");
    assert!(heard(&stage, pell).contains("Hold this."));
    let told = heard(&stage, brant);
    let reason = "(attempt) did not happen: Nothing more can be tried here just now.";
    assert!(told.contains(reason) && !told.contains("(note)"), "{told}");
}

#[test]
fn several_promises_to_one_person_are_open_and_none_is_made_twice() {
    let mut stage = stage_test();
    let brant = stage.brant;
    let promise = |words: &str| {
        let promise = serde_json::json!({"to": "Pell Gantry", "words": words});
        serde_json::json!({"mind": "m", "promise": promise}).to_string()
    };
    let may_promise = |stage: &mut StageTest| {
        let mut world = (*stage.world().resource::<RpgWorld>().0).clone();
        world.limits.together = true;
        stage.world().insert_resource(RpgWorld(world.into()));
        asked(stage);
        let ask = stage.world().entity_mut(brant).take::<Ask<Plan>>();
        !ask.expect("is asked").constraints().promise_to.is_empty()
    };
    for words in ["I will pay.", "I will come.", "I will wait."] {
        assert!(may_promise(&mut stage));
        turn(&mut stage, brant, &promise(words));
    }
    assert!(!may_promise(&mut stage));
    turn(&mut stage, brant, &promise("I will pay."));
    let promises = stage.world().get::<Promises>(brant).expect("has some");
    assert_eq!(promises.0.len(), 3);
}

#[test]
fn an_effect_keeps_the_promise_that_it_names_or_that_its_author_wrote() {
    let mut stage = stage_test();
    let (brant, tavern) = (stage.brant, stage.tavern);
    stage.world().insert_resource(CurrentStage::Meeting);
    let (from, to) = ("Brant Hollis".to_owned(), "Pell Gantry".to_owned());
    let written = Effect::Promise(from.clone(), to.clone(), "I'll see it lit.".into());
    let story = StoryData {
        scenes: vec![Scene {
            effects: vec![written.clone()],
            ..Scene::default()
        }],
        ..StoryData::default()
    };
    stage.world().insert_resource(story);
    let promise = |words: &str| Promise {
        to: "Pell Gantry".into(),
        words: words.into(),
        state: PromiseState::Open,
    };
    let own = ["I'll buy the eggs.", "I'll carry the oil."].map(promise);
    stage.world().entity_mut(brant).insert(Promises(own.into()));
    let keep = |named: &str| Effect::Keep(from.clone(), to.clone(), named.into());
    let apply = |stage: &mut StageTest, effect: Effect| {
        apply_effects(stage.world(), Cause::at(tavern), &[effect]);
        let promises = stage.world().get::<Promises>(brant).expect("has some");
        let kept = promises
            .0
            .iter()
            .filter(|promise| promise.state == PromiseState::Kept);
        kept.map(|promise| promise.words.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(apply(&mut stage, written), [""; 0]);
    assert_eq!(apply(&mut stage, keep("the wine")), [""; 0]);
    assert_eq!(apply(&mut stage, keep("The OIL")), ["I'll carry the oil."]);
    let both = ["I'll carry the oil.", "I'll see it lit."];
    assert_eq!(apply(&mut stage, keep("")), both);
    assert_eq!(apply(&mut stage, keep("")).len(), 3);
    let read: Vec<Effect> =
        ron::from_str(r#"[Keep("A", "B"), Break("A", "B", "the oil")]"#).expect("is RON");
    assert_eq!(read[0], Effect::Keep("A".into(), "B".into(), String::new()));
    let text = ron::to_string(&read).expect("is written");
    assert_eq!(text, r#"[Keep("A","B"),Break("A","B","the oil")]"#);
}

#[test]
fn whoever_is_taken_out_of_the_story_is_gone_and_does_not_fall() {
    let mut stage = stage_test();
    let (brant, tavern) = (stage.brant, stage.tavern);
    stage.world().insert_resource(CurrentStage::Meeting);
    let effects = [
        Effect::Kill("Pell Gantry".into()),
        Effect::Leave("Bailiff Lusk".into()),
    ];
    apply_effects(stage.world(), Cause::at(tavern), &effects);
    let told = heard(&stage, brant);
    assert!(told.contains("Pell Gantry is gone, and will not come back."));
    let gone = stage.world().resource::<FallenFoes>();
    assert!(gone.0.contains("Bailiff Lusk"));
}

#[test]
fn an_announcement_is_heard_at_once_by_those_beside_the_speaker_and_later_by_others() {
    let mut stage = stage_test();
    let (brant, pell) = (stage.brant, stage.pell);
    let edda = stage.world().resource::<CastList>().by_name("Edda Hollis");
    let edda = edda.expect("is in the cast");
    let words = "Hear me, all of you.";
    let announce = format!(
        r#"{{"mind": "m", "announce": {{"text": "{words} She was holed for the insurance."}}}}"#
    );
    assert_eq!(turn(&mut stage, pell, &announce), ["mind", "masked"]);
    let times = |stage: &StageTest, who| heard(stage, who).matches(words).count();
    assert_eq!((times(&stage, brant), times(&stage, edda)), (1, 0));
    meet(&mut stage);
    assert_eq!((times(&stage, brant), times(&stage, edda)), (1, 1));
    let unmasked = format!("{words} She was holed");
    assert!(!heard(&stage, edda).contains(&unmasked));
    assert_eq!(
        heard(&stage, pell).matches(words).count(),
        1,
        "it is told once"
    );
    turn(&mut stage, brant, &announce);
    meet(&mut stage);
    assert!(knows(&stage, pell, "the-order") && knows(&stage, edda, "the-order"));
}

#[test]
fn whoever_has_one_option_left_may_do_nothing() {
    for (chosen, is_taken) in [("yes", true), ("nothing", false)] {
        let mut stage = stage_test();
        let (brant, pell, tavern) = (stage.brant, stage.pell, stage.tavern);
        let option = |id: &str, when| ChoiceOption {
            id: id.into(),
            label: "Do it".into(),
            when,
            seen: "The barrel is rolled out.".into(),
            effects: vec![Effect::Teach("Pell Gantry".into(), "the-clapper".into())],
        };
        let choice = Choice {
            who: vec!["Brant Hollis".into()],
            options: vec![
                option("no", Condition::Never),
                option("yes", Condition::Always),
            ],
            ..Choice::default()
        };
        let scene = Scene {
            id: "barrel".into(),
            choice: Some(choice),
            ..Scene::default()
        };
        stage.world().insert_resource(StoryData {
            scenes: vec![scene],
            ..StoryData::default()
        });
        let open = OpenScene {
            id: "barrel".into(),
            turns: None,
        };
        stage.world().entity_mut(tavern).insert(open);
        stage.world().insert_resource(CurrentStage::Meeting);
        assert!(offer_choices(stage.world()));
        stage.world().insert_resource(CurrentStage::Place(tavern));
        let asked = stage.world().run_system_once(choose::ask_choice);
        asked.expect("runs");
        let ask = stage.world().get::<Ask<SceneDecision>>(brant);
        let options = ask.expect("is asked").noted()["options"].clone();
        assert_eq!(options.as_array().map(Vec::len), Some(2), "{options}");
        let decision = SceneDecision {
            option: chosen.into(),
            ..SceneDecision::default()
        };
        let mut actor = stage.world().entity_mut(brant);
        actor.remove::<Ask<SceneDecision>>();
        actor.insert(Answer::new(decision, AnsweredBy::Mind));
        let taken = stage.world().run_system_once(choose::take_choice);
        taken.expect("runs");
        stage.world().insert_resource(CurrentStage::Meeting);
        apply_choices(stage.world());
        assert_eq!(knows(&stage, pell, "the-clapper"), is_taken);
        let world = &stage.setup.world;
        assert_eq!(world.resource::<History>().chose("barrel", "yes"), is_taken);
        assert!(world.get::<OpenScene>(tavern).is_none());
    }
}

/// All that somebody has been told.
fn heard(stage: &StageTest, who: Entity) -> String {
    let context = stage.setup.world.get::<AgentContext>(who);
    let entries = context.expect("has one").entries().iter();
    let texts = entries.map(|entry| entry.body().full_text().into_owned());
    texts.collect::<Vec<_>>().join("\n")
}

#[test]
fn whoever_is_moved_or_kept_a_promise_is_told() {
    let mut stage = stage_test();
    let (brant, pell, tavern) = (stage.brant, stage.pell, stage.tavern);
    let promise = r#"{"mind": "m", "promise": {"to": "Pell Gantry", "words": "I will pay."}}"#;
    turn(&mut stage, brant, promise);
    stage.world().insert_resource(CurrentStage::Meeting);
    let effects = [
        Effect::Move("Pell Gantry".into(), "Customs Stair".into()),
        Effect::Keep("Brant Hollis".into(), "Pell Gantry".into(), String::new()),
    ];
    apply_effects(stage.world(), Cause::at(tavern), &effects);
    let told = heard(&stage, pell);
    let arrives = "Pell Gantry arrives at Customs Stair";
    let keeps = "Brant Hollis keeps a promise to Pell Gantry";
    assert!(told.contains(arrives) && told.contains(keeps), "{told}");
    let told = heard(&stage, brant);
    let leaves = "Pell Gantry leaves The Lamp and Ledger";
    assert!(told.contains(leaves) && told.contains(keeps), "{told}");
    assert!(!told.contains(arrives), "{told}");
}

fn source(stage: &StageTest, who: Entity, fact: &str) -> Option<String> {
    let knowledge = stage.setup.world.get::<Knowledge>(who);
    let known = knowledge.expect("has some").get(fact).expect("knows it");
    known.from.as_deref().map(str::to_owned)
}

#[test]
fn whoever_decides_tells_what_it_knows_and_is_asked_for_by_conditions() {
    let mut stage = stage_test();
    let (brant, pell, tavern) = (stage.brant, stage.pell, stage.tavern);
    stage.world().insert_resource(CurrentStage::Meeting);
    let cause = Cause {
        decider: Some(brant),
        ..Cause::at(tavern)
    };
    let effects = [
        Effect::Reveal("the-order".into()),
        Effect::Teach("Pell Gantry".into(), "the-clapper".into()),
    ];
    apply_effects(stage.world(), cause, &effects);
    let by_brant = Some("Brant Hollis".to_owned());
    assert_eq!(source(&stage, pell, "the-order"), by_brant);
    assert_eq!(source(&stage, tavern, "the-order"), by_brant);
    assert_eq!(source(&stage, pell, "the-clapper"), None);
    apply_effects(
        stage.world(),
        Cause::at(tavern),
        &[Effect::Reveal("cipher".into())],
    );
    assert_eq!(source(&stage, pell, "cipher"), None);
    let told = |from: &str, fact: &str| {
        let told = Condition::Told(from.into(), "Pell Gantry".into(), fact.into());
        told.holds(&stage.setup.world, "")
    };
    assert!(told("Brant Hollis", "the-order") && told("party", "the-order"));
    assert!(!told("Edda Hollis", "the-order") && !told("party", "the-clapper"));
}

#[test]
fn promises_and_items_of_effects_are_told_unless_words_of_the_world_file_tell_them() {
    let effects = [
        Effect::Promise(
            "Brant Hollis".into(),
            "Pell Gantry".into(),
            "I will pay.".into(),
        ),
        Effect::Give("letter".into(), "Pell Gantry".into()),
        Effect::Put("coin".into(), "Customs Stair".into()),
        Effect::Destroy("cup".into()),
    ];
    let told = |words: &str, is_seen: bool| {
        let mut stage = with_items();
        let (pell, tavern) = (stage.pell, stage.tavern);
        stage.world().insert_resource(CurrentStage::Meeting);
        let cause = Cause {
            told: words,
            is_seen,
            ..Cause::at(tavern)
        };
        apply_effects(stage.world(), cause, &effects);
        assert_eq!(held(&stage, pell), ["letter"]);
        let heard = heard(&stage, pell);
        [
            "Brant Hollis promises Pell Gantry: “I will pay.”",
            "Pell Gantry has letter now.",
            "there is coin now",
            "Gone for good: cup.",
        ]
        .map(|text| heard.contains(text))
    };
    // The coin is hidden: nobody sees it go.
    assert_eq!(told("", false), [true, true, false, true]);
    // Others see what the words say; who gets something is told.
    let words = "He says: I will pay.";
    assert_eq!(told(words, true), [false, true, false, false]);
    let words = "“I will pay.” The Letter goes over the bar; the cup breaks.";
    assert_eq!(told(words, true), [false, true, false, false]);
    let words = "“I will pay.” Pell takes the Letter over the bar; the cup breaks.";
    assert_eq!(told(words, true), [false; 4]);
}

#[test]
fn what_can_not_apply_is_noted_and_never_half_applied() {
    let mut stage = stage_test();
    let (brant, tavern) = (stage.brant, stage.tavern);
    stage.world().insert_resource(CurrentStage::Meeting);
    stage.world().entity_mut(brant).remove::<Health>();
    let before: Vec<_> = stage
        .world()
        .query::<&Health>()
        .iter(&stage.setup.world)
        .map(|health| health.hp)
        .collect();
    let effects = [
        Effect::Hurt("party".into(), 3),
        Effect::Keep("Pell Gantry".into(), "Brant Hollis".into(), String::new()),
        Effect::Move("Pell Gantry".into(), "Brant Hollis".into()),
    ];
    let cause = Cause {
        of: "eggs/burn",
        ..Cause::at(tavern)
    };
    apply_effects(stage.world(), cause, &effects);
    let after: Vec<_> = stage
        .world()
        .query::<&Health>()
        .iter(&stage.setup.world)
        .map(|health| health.hp)
        .collect();
    assert_eq!(before, after);
    let records = &stage.world().resource::<Records>().0;
    let skipped = records.iter().filter_map(|record| match record {
        Record::Event(event) if event.kind == "effect_skipped" => Some(event),
        _ => None,
    });
    let skipped: Vec<_> = skipped.collect();
    let why: Vec<_> = skipped.iter().map(|event| &event.data["why"]).collect();
    assert_eq!(why, ["no_health", "no_promise", "no_place"]);
    assert!(skipped.iter().all(|event| event.audience.is_empty()));
    assert_eq!(
        skipped[0].text,
        "eggs/burn: Hurt(\"party\",3) changes nothing: somebody has no hit points."
    );
}

#[test]
fn a_promise_is_open_kept_or_broken() {
    let mut stage = stage_test();
    let tavern = stage.tavern;
    stage.world().insert_resource(CurrentStage::Meeting);
    let (from, to) = ("Brant Hollis".to_owned(), "Pell Gantry".to_owned());
    let states = |world: &World| {
        let is = |state| Condition::Promise(from.clone(), to.clone(), state).holds(world, "");
        [PromiseState::Open, PromiseState::Kept, PromiseState::Broken].map(is)
    };
    assert_eq!(states(stage.world()), [false; 3]);
    let promise = Effect::Promise(from.clone(), to.clone(), "I will pay.".into());
    apply_effects(stage.world(), Cause::at(tavern), &[promise]);
    assert_eq!(states(stage.world()), [true, false, false]);
    let keep = Effect::Keep(from.clone(), to.clone(), String::new());
    apply_effects(stage.world(), Cause::at(tavern), &[keep]);
    assert_eq!(states(stage.world()), [false, true, false]);
}

#[test]
fn who_is_told_something_alone_hears_it_alone() {
    let mut stage = stage_test();
    let (brant, pell, tavern) = (stage.brant, stage.pell, stage.tavern);
    stage.world().insert_resource(CurrentStage::Meeting);
    let told = Effect::TellTo("Pell Gantry".into(), "The wind has changed.".into());
    apply_effects(stage.world(), Cause::at(tavern), &[told]);
    assert!(heard(&stage, pell).contains("The wind has changed."));
    assert!(!heard(&stage, brant).contains("The wind has changed."));
}

#[test]
fn a_dungeon_is_closed_until_an_effect_opens_it() {
    let mut stage = stage_test();
    let tavern = stage.tavern;
    stage.world().insert_resource(CurrentStage::Meeting);
    let dungeon = "The Ropewalk Under".to_owned();
    let closed = |world: &World| world.resource::<ClosedDungeons>().0.contains(&*dungeon);
    assert!(!closed(stage.world()));
    let close = Effect::CloseDungeon(dungeon.clone());
    apply_effects(stage.world(), Cause::at(tavern), &[close]);
    assert!(closed(stage.world()));
    let open = Effect::OpenDungeon(dungeon.clone());
    apply_effects(stage.world(), Cause::at(tavern), &[open]);
    assert!(!closed(stage.world()));
}

#[test]
fn a_promise_that_is_kept_behind_somebodys_back_is_heard_of_at_the_meeting() {
    let mut stage = stage_test();
    let brant = stage.brant;
    let promises = Promises(vec![Promise {
        to: "Edda Hollis".into(),
        ..Promise::default()
    }]);
    stage.world().entity_mut(brant).insert(promises);
    turn(
        &mut stage,
        brant,
        r#"{"mind": "m", "keep": {"promise": 1}}"#,
    );
    stage.world().insert_resource(CurrentStage::Meeting);
    for crossing in stage.world().resource_mut::<DeferredCommands>().take() {
        crossing(stage.world());
    }
    let edda = stage.world().resource::<CastList>().by_name("Edda Hollis");
    assert_eq!(
        stage.told(),
        [("keep", vec![edda.expect("is in the cast")])]
    );
}

/// Who is asked for a plan.
fn asked(stage: &mut StageTest) -> Vec<Entity> {
    let asked = stage.world().run_system_once(plans::ask_plans);
    asked.expect("runs");
    let everybody = [stage.brant, stage.pell];
    let world = &stage.setup.world;
    let has_ask = |entity: &Entity| world.get::<Ask<Plan>>(*entity).is_some();
    everybody.into_iter().filter(has_ask).collect()
}

#[test]
fn one_is_asked_after_the_other_until_both_pass() {
    let mut stage = stage_test();
    let mut order = Vec::new();
    while let [next] = asked(&mut stage)[..] {
        stage.world().entity_mut(next).remove::<Ask<Plan>>();
        let plan = Plan::wait("m", "r");
        stage.answer_plan(next, plan);
        assert_eq!(stage.phase(), Phase::Plan);
        order.push(next);
    }
    assert_eq!(stage.phase(), Phase::Idle);
    assert_eq!(order.len(), 2);
    assert_ne!(order[0], order[1]);
}

#[test]
fn a_world_may_let_all_act_at_the_same_time() {
    let mut stage = stage_test();
    let mut world = (*stage.world().resource::<RpgWorld>().0).clone();
    world.limits.together = true;
    stage.world().insert_resource(RpgWorld(world.into()));
    assert_eq!(asked(&mut stage), [stage.brant, stage.pell]);
    stage.answer_plan(stage.brant, Plan::wait("m", "r"));
    assert_eq!(stage.phase(), Phase::Idle);
}

#[test]
fn whoever_has_left_is_neither_heard_nor_spoken_to() {
    let mut stage = stage_test();
    let (tavern, brant, pell) = (stage.tavern, stage.brant, stage.pell);
    for asked in asked(&mut stage) {
        stage.world().entity_mut(asked).remove::<Ask<Plan>>();
    }
    let going = r#"{"mind": "m", "announce": {"text": "I go."}, "move": {"to": "Customs Stair"}}"#;
    stage.answer_plan(brant, plan(going));
    let told = stage.told();
    assert_eq!(told[1], ("announce", vec![tavern, pell]));
    assert_eq!(told[2], ("leave", vec![tavern, pell]));
    let calling = r#"{"mind": "m", "speak": {"target": "Brant Hollis", "text": "Wait!"}}"#;
    stage.answer_plan(pell, plan(calling));
    assert_eq!(stage.told()[4], ("refusal", vec![pell]));
    assert_eq!(asked(&mut stage), [], "one who is alone had its turn");
}

#[test]
fn nobody_plans_on_an_empty_stage_and_the_dead_never_do() {
    let mut stage = stage_test();
    for actor in [stage.brant, stage.pell] {
        stage.world().entity_mut(actor).insert(Dead);
    }
    stage
        .world()
        .run_system_once(plans::ask_plans)
        .expect("runs");
    let brant = stage.brant;
    assert!(stage.world().get::<Ask<Plan>>(brant).is_none());
    assert_eq!(stage.phase(), Phase::Idle);
}

#[test]
fn speech_excludes_its_speaker_and_a_whisper_reaches_one_ear() {
    let words = |kind: &str| {
        let words = r#"{"target": "Pell Gantry", "text": "Listen."}"#;
        plan(&format!(r#"{{"mind": "m", "{kind}": {words}}}"#))
    };
    let mut stage = stage_test();
    let (tavern, brant, pell) = (stage.tavern, stage.brant, stage.pell);
    stage.answer_plan(brant, words("speak"));
    assert_eq!(stage.told()[0], ("mind", vec![brant]));
    assert_eq!(stage.told()[1], ("speak", vec![tavern, pell]));

    let mut stage = stage_test();
    stage.answer_plan(brant, words("whisper"));
    assert_eq!(stage.told()[1], ("whisper", vec![pell]));
}

#[test]
fn what_the_rules_refuse_is_told_to_its_actor_alone() {
    let mut stage = stage_test();
    let brant = stage.brant;
    let going = plan(r#"{"mind": "m", "move": {"to": "The Slanted Hold"}}"#);
    stage.answer_plan(brant, going);
    assert_eq!(stage.told()[1], ("refusal", vec![brant]));
    assert!(stage.world().resource::<DeferredCommands>().is_empty());
}

#[test]
fn a_walk_takes_effect_at_the_meeting() {
    let mut stage = stage_test();
    let (brant, tavern) = (stage.brant, stage.tavern);
    let going = plan(r#"{"mind": "m", "move": {"to": "Customs Stair"}}"#);
    stage.answer_plan(brant, going);
    assert_eq!(
        stage.world().get::<OnStage>(brant).map(|on| on.0),
        Some(tavern)
    );
    stage.world().insert_resource(CurrentStage::Meeting);
    for crossing in stage.world().resource_mut::<DeferredCommands>().take() {
        crossing(stage.world());
    }
    assert_ne!(
        stage.world().get::<OnStage>(brant).map(|on| on.0),
        Some(tavern)
    );
    let told = stage.told();
    let kinds: Vec<_> = told.iter().map(|(kind, _)| *kind).collect();
    assert!(
        kinds.contains(&"leave") && kinds.contains(&"arrive"),
        "{kinds:?}"
    );
    let clerk = world_agent(&mut stage);
    assert!(!told.iter().any(|(_, audience)| audience.contains(&clerk)));
}

fn world_agent(stage: &mut StageTest) -> Entity {
    let agents =
        playhouse_engine::cast::all_of(stage.world(), playhouse_engine::cast::Kind::WorldAgent);
    *agents.first().expect("the world has one")
}

#[test]
fn what_happens_in_public_is_news_to_world_agents() {
    let mut stage = stage_test();
    let tavern = stage.tavern;
    let clerk = world_agent(&mut stage);
    stage.world().insert_resource(CurrentStage::Meeting);
    let list = stage.world().resource::<CastList>();
    let edda = list.by_name("Edda Hollis").expect("is in the cast");
    publish(stage.world(), tavern, "Two of them whisper.");
    assert_eq!(stage.told(), []);
    let is_told = |stage: &mut StageTest| {
        let told = stage.told().into_iter();
        told.filter(|(_, audience)| audience.contains(&clerk))
            .count()
    };
    stage.world().entity_mut(edda).insert(OnStage(tavern));
    publish(stage.world(), tavern, "The lamp goes out.");
    assert_eq!(stage.told(), [("news", vec![clerk])]);
    let reveal = [Effect::Reveal("the-order".into())];
    apply_effects(stage.world(), Cause::at(tavern), &reveal);
    assert!(knows(&stage, clerk, "the-order"));
    assert_eq!(is_told(&mut stage), 0, "all is delivered");
}

#[test]
fn a_question_finds_lore_and_tells_its_asker_alone() {
    let mut stage = stage_test();
    let brant = stage.brant;
    let query = r#"{"mind": "m", "query": {"text": "What happened to the Constancy?"}}"#;
    stage.answer_plan(brant, plan(query));
    let queue = stage.setup.world.resource::<EventQueue>();
    let asked = &queue.0[1];
    assert_eq!((asked.kind, &asked.audience), ("query", &vec![brant]));
    assert!(
        asked.data["found"]
            .as_array()
            .is_some_and(|found| !found.is_empty())
    );
}

#[test]
fn waiting_is_only_a_thought() {
    let mut stage = stage_test();
    let brant = stage.brant;
    stage.answer_plan(brant, Plan::wait("m", "r"));
    assert_eq!(stage.told(), [("mind", vec![brant])]);
}

#[test]
fn the_campaign_goes_from_kickoff_to_the_last_homecoming() {
    let mut stage = stage_test();
    stage.world().insert_resource(CurrentStage::Meeting);
    let mut phases = Vec::new();
    while stage.world().get_resource::<StoryEnd>().is_none() && phases.len() < 50 {
        advance_campaign(stage.world());
        phases.push(stage.world().resource::<CampaignState>().phase.clone());
    }
    assert_eq!(phases.first(), Some(&CampaignPhase::Kickoff));
    assert_eq!(phases.last(), Some(&CampaignPhase::Over));
    let fights = phases
        .iter()
        .filter(|phase| matches!(phase, CampaignPhase::Fight { .. }))
        .count();
    assert_eq!(fights, 2, "an undecided fight leads home");
}

#[test]
fn homecoming_heals_and_revives() {
    let mut stage = stage_test();
    let brant = stage.brant;
    stage.world().insert_resource(CurrentStage::Meeting);
    stage
        .world()
        .entity_mut(brant)
        .insert((Dead, Health { hp: 0, max: 30 }));
    stage.world().insert_resource(CampaignState {
        phase: CampaignPhase::Fight {
            at: FightPlace {
                dungeon: "The Ropewalk Under".into(),
                fight: 0,
            },
        },
        steps_done: 2,
        ..CampaignState::default()
    });
    advance_campaign(stage.world());
    assert_eq!(
        stage.world().get::<Health>(brant).map(|health| health.hp),
        Some(30)
    );
    assert!(stage.world().get::<Dead>(brant).is_none());
}

#[test]
fn those_who_live_together_are_no_strangers() {
    let mut stage = stage_test();
    let (brant, pell) = (stage.brant, stage.pell);
    stage.world().insert_resource(CurrentStage::Meeting);
    advance_campaign(stage.world());
    let sightings = stage.told().into_iter();
    let sightings = sightings.filter(|(kind, _)| *kind == "appearance");
    assert!(
        sightings
            .into_iter()
            .all(|(_, audience)| audience.is_empty())
    );
    let known = stage.world().get::<Acquaintances>(pell);
    let known = known.expect("is an actor").0.clone();
    assert!(known.contains("Brant Hollis") && known.contains("Edda Hollis"));
    assert!(!known.contains("Pell Gantry"));
    let tavern = stage.tavern;
    super::travel::introduce(stage.world(), brant, tavern);
    assert!(stage.told().iter().all(|(_, audience)| audience.is_empty()));
}

#[test]
fn who_has_never_met_somebody_sees_it_for_the_first_time() {
    let mut stage = stage_test();
    let (brant, pell) = (stage.brant, stage.pell);
    let mut file = stage.world().resource::<RpgWorld>().0.as_ref().clone();
    file.bonds.push(BondSpec {
        from: "Pell Gantry".into(),
        to: "Brant Hollis".into(),
        never_met: true,
        ..BondSpec::default()
    });
    stage.world().insert_resource(RpgWorld(file.into()));
    stage.world().insert_resource(CurrentStage::Meeting);
    advance_campaign(stage.world());
    let sightings = stage.told().into_iter();
    let sightings = sightings.filter(|(kind, _)| *kind == "appearance");
    let mut sightings = sightings.filter(|(_, audience)| !audience.is_empty());
    // Both are at the tavern. Brant, who has heard of Pell, is no stranger to him.
    let first = sightings.next().expect("Pell sees Brant");
    assert!(first.1.contains(&pell) && !first.1.contains(&brant));
    assert!(sightings.next().is_none());
}

#[test]
fn a_journey_is_told_once() {
    let mut stage = stage_test();
    stage.world().insert_resource(CurrentStage::Meeting);
    stage.world().insert_resource(CampaignState {
        phase: CampaignPhase::Night {
            stay: Stay { day: 1, days: 1 },
        },
        steps_done: 1,
        ..CampaignState::default()
    });
    advance_campaign(stage.world());
    let brant = stage.brant;
    let told = stage.told().into_iter();
    let told = told.filter(|(kind, audience)| *kind != "appearance" && audience.contains(&brant));
    assert_eq!(told.map(|(kind, _)| kind).collect::<Vec<_>>(), ["dungeon"]);
    // Those at home hear that it begins, and nothing of its way.
    let pell = stage.pell;
    let hears = |stage: &StageTest| {
        let mut told = stage.told().into_iter();
        told.any(|(kind, audience)| kind == "dungeon" && audience.contains(&pell))
    };
    assert!(hears(&stage));
    stage.world().resource_mut::<EventQueue>().0.clear();
    let at = FightPlace {
        dungeon: "The Ropewalk Under".into(),
        fight: 0,
    };
    super::journey::continue_journey(stage.world(), CampaignPhase::Camp { at });
    assert!(!hears(&stage));
}

#[test]
fn an_epilogue_is_asked_for_with_bonds_promises_items_and_choices() {
    let mut stage = with_items();
    let brant = stage.brant;
    let bond = |value| Bond {
        word: "grandmother".into(),
        value,
    };
    let bonds = Bonds(
        [
            ("Edda Hollis".into(), bond(3)),
            ("Tar Hound".into(), bond(2)),
        ]
        .into(),
    );
    let promise = Promise {
        to: "Pell Gantry".into(),
        words: "I'll keep it lit.".into(),
        state: PromiseState::Broken,
    };
    stage
        .world()
        .entity_mut(brant)
        .insert((bonds, Promises(vec![promise])));
    let asked = stage.world().run_system_once(endings::ask_epilogues);
    asked.expect("runs");
    let ask = stage.world().get::<Ask<Prose>>(brant).expect("is asked");
    let question = ask.prompt();
    for part in [
        "- Edda Hollis (grandmother): you love them",
        "- to Pell Gantry: I'll keep it lit. (broken)",
        "What you have with you now: letter.",
    ] {
        assert!(question.contains(part), "{question}");
    }
    assert!(!question.contains("Tar Hound"), "{question}");
}

#[test]
fn looks_are_told_once() {
    let mut stage = stage_test();
    let (brant, pell, tavern) = (stage.brant, stage.pell, stage.tavern);
    stage.world().insert_resource(CurrentStage::Meeting);
    super::travel::introduce(stage.world(), brant, tavern);
    super::travel::introduce(stage.world(), brant, tavern);
    assert_eq!(
        stage.told(),
        [("appearance", vec![pell]), ("appearance", vec![brant])]
    );
    assert!(
        stage
            .world()
            .get::<Acquaintances>(pell)
            .is_some_and(|known| known.0.contains("Brant Hollis"))
    );
}

#[test]
fn a_mind_is_told_what_is_wrong_in_its_own_language() {
    let (phrases, _) = super::phrases::load(
        &DataFolder::embedded(),
        playhouse_engine::message::Language::Zh,
    )
    .expect("the shipped phrases are right");
    let facts = PlanConstraints {
        present: vec!["甲".into()],
        speech_chars: 1,
        ..PlanConstraints::default()
    };
    let plan = plan(
        r#"{"speak": {"target": "乙", "text": "太长了"}, "query": {"text": "x"}, "wait": {"reason": "x"}}"#,
    );
    let broken = playhouse_engine::exchange::Reply::check(&plan, &facts);
    assert_eq!(broken.len(), 3);
    for rule in broken {
        let words = rule.words(&phrases);
        let is_han = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
        assert!(words.contains(is_han), "{words}");
    }
}
