//! The systems of home life, each run alone on a real world, without a mind.

use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce;
use serde_json::Value;

use super::campaign::Campaign;
use super::campaign_phase::{CampaignPhase, CampaignState};
use super::campaign_state::advance_campaign;
use super::components::{Acquaintances, Health, KickedOff, RpgWorld};
use super::home::{actions, plans, scene};
use super::kickoff;
use super::phase::Phase;
use super::plan::{Announcement, Destination, Plan, Question, Speech, WaitReason};
use super::scenes::effects::apply_effects;
use super::scenes::endings;
use crate::cast::{CastList, CurrentStage, Dead, OnStage};
use crate::context::AgentContext;
use crate::drama::{Belongings, Bonds, Effect, Item, Promise, PromiseState, Promises, StoryData};
use crate::engine::{Setup, StoryEnd};
use crate::event::{By, DeferredCommands, EventQueue, deliver};
use crate::exchange::{Answer, Ask, Prose};
use crate::knowledge::{Knowledge, make_fact};
use crate::world_data::DataFolder;

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
            .insert(Answer::new(plan, By::Mind));
        let taken = self.world().run_system_once(actions::take_plans);
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
    let answer = Answer::new(Prose("A wet morning.".into()), By::Mind);
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
        .insert(Answer::new(Prose("Rain.".into()), By::Mind));
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

/// What somebody who acts like this is told, after everybody has learned what there was to learn.
fn turn(stage: &mut StageTest, who: Entity, plan: &str) -> Vec<&'static str> {
    let plan = crate::exchange::Reply::read(plan).expect("a plan");
    stage.answer_plan(who, plan);
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
fn hearers_learn_what_is_told_and_an_ear_what_is_whispered() {
    let mut stage = stage_test();
    let (brant, pell, tavern) = (stage.brant, stage.pell, stage.tavern);
    let whisper = r#"{"mind": "m", "whisper": {"target": "Pell Gantry", "text": "Listen.", "tells": ["cipher"]}}"#;
    turn(&mut stage, brant, whisper);
    assert!(knows(&stage, pell, "cipher") && !knows(&stage, tavern, "cipher"));
    let speak = r#"{"mind": "m", "speak": {"target": "Pell Gantry", "text": "Listen.", "tells": ["the-order"]}}"#;
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
    let answered = Answer::new(Prose(words.into()), By::Mind);
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
    stage
        .world()
        .entity_mut(tavern)
        .insert(has(&["coin", "cup"]));
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
fn whoever_reads_what_it_knows_is_told_that_it_is_nothing_new() {
    let mut stage = with_items();
    let pell = stage.pell;
    let read = r#"{"mind": "m", "read": {"item": "cup"}}"#;
    assert_eq!(turn(&mut stage, pell, read), ["mind", "learned"]);
    assert_eq!(turn(&mut stage, pell, read), ["mind", "nothing_new"]);
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
        promises.map(|it| it.state).collect::<Vec<_>>()
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
    let made = (1..=5).map(|number| make_fact(stage.world(), format!("It is so {number}.")));
    let made: Vec<_> = made.collect();
    let knows = |ids: &[String]| Knowledge::at_start(ids.iter().map(String::as_str));
    stage.world().entity_mut(brant).insert(knows(&made));
    stage.world().entity_mut(pell).insert(knows(&made[4..]));
    let mut world = (*stage.world().resource::<RpgWorld>().0).clone();
    world.limits.together = true;
    stage.world().insert_resource(RpgWorld(world.into()));
    asked(&mut stage);
    let tells = |who| {
        let ask = stage.setup.world.get::<Ask<Plan>>(who).expect("is asked");
        ask.constraints().tells.clone()
    };
    assert_eq!(tells(brant), made[1..4]);
    assert_eq!(tells(pell), [""; 0], "Brant knows it too");
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
        Effect::Keep("Brant Hollis".into(), "Pell Gantry".into()),
    ];
    apply_effects(stage.world(), tavern, &effects);
    let told = heard(&stage, pell);
    let arrives = "Pell Gantry arrives at Customs Stair";
    let keeps = "Brant Hollis keeps a promise to Pell Gantry";
    assert!(told.contains(arrives) && told.contains(keeps), "{told}");
    let told = heard(&stage, brant);
    let leaves = "Pell Gantry leaves The Lamp and Ledger";
    assert!(told.contains(leaves) && told.contains(keeps), "{told}");
    assert!(!told.contains(arrives), "{told}");
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
    let plan = Plan {
        mind: "m".into(),
        announce: Some(Announcement {
            text: "I go.".into(),
            ..Announcement::default()
        }),
        go: Some(Destination {
            to: "Customs Stair".into(),
        }),
        ..Plan::default()
    };
    stage.answer_plan(brant, plan);
    assert_eq!(stage.told()[1], ("leave", vec![tavern, pell]));
    let plan = Plan {
        mind: "m".into(),
        speak: Some(Speech {
            target: "Brant Hollis".into(),
            text: "Wait!".into(),
            ..Speech::default()
        }),
        ..Plan::default()
    };
    stage.answer_plan(pell, plan);
    assert_eq!(stage.told()[3], ("refusal", vec![pell]));
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
    let words = |target: &str| {
        Some(Speech {
            target: target.into(),
            text: "Listen.".into(),
            ..Speech::default()
        })
    };
    let mut stage = stage_test();
    let (tavern, brant, pell) = (stage.tavern, stage.brant, stage.pell);
    let plan = Plan {
        mind: "m".into(),
        speak: words("Pell Gantry"),
        ..Plan::default()
    };
    stage.answer_plan(brant, plan);
    assert_eq!(stage.told()[0], ("mind", vec![brant]));
    assert_eq!(stage.told()[1], ("speak", vec![tavern, pell]));

    let mut stage = stage_test();
    let plan = Plan {
        mind: "m".into(),
        whisper: words("Pell Gantry"),
        ..Plan::default()
    };
    stage.answer_plan(brant, plan);
    assert_eq!(stage.told()[1], ("whisper", vec![pell]));
}

#[test]
fn what_the_rules_refuse_is_told_to_its_actor_alone() {
    let mut stage = stage_test();
    let brant = stage.brant;
    let way = Some(Destination {
        to: "The Slanted Hold".into(),
    });
    stage.answer_plan(
        brant,
        Plan {
            mind: "m".into(),
            go: way,
            ..Plan::default()
        },
    );
    assert_eq!(stage.told()[1], ("refusal", vec![brant]));
    assert!(stage.world().resource::<DeferredCommands>().is_empty());
}

#[test]
fn a_walk_takes_effect_at_the_meeting() {
    let mut stage = stage_test();
    let (brant, tavern) = (stage.brant, stage.tavern);
    let way = Some(Destination {
        to: "Customs Stair".into(),
    });
    stage.answer_plan(
        brant,
        Plan {
            mind: "m".into(),
            go: way,
            ..Plan::default()
        },
    );
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
    let kinds: Vec<_> = stage.told().into_iter().map(|(kind, _)| kind).collect();
    assert!(
        kinds.contains(&"leave") && kinds.contains(&"arrive"),
        "{kinds:?}"
    );
}

#[test]
fn a_question_finds_lore_and_tells_its_asker_alone() {
    let mut stage = stage_test();
    let brant = stage.brant;
    let query = Some(Question {
        text: "What happened to the Constancy?".into(),
    });
    stage.answer_plan(
        brant,
        Plan {
            mind: "m".into(),
            query,
            ..Plan::default()
        },
    );
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
    let wait = Some(WaitReason { reason: "r".into() });
    stage.answer_plan(
        brant,
        Plan {
            mind: "m".into(),
            wait,
            ..Plan::default()
        },
    );
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
            dungeon: "The Ropewalk Under".into(),
            fight: 0,
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
fn a_journey_is_told_once() {
    let mut stage = stage_test();
    stage.world().insert_resource(CurrentStage::Meeting);
    stage.world().insert_resource(CampaignState {
        phase: CampaignPhase::Night { day: 1, days: 1 },
        steps_done: 1,
        ..CampaignState::default()
    });
    advance_campaign(stage.world());
    let brant = stage.brant;
    let told = stage.told().into_iter();
    let told = told.filter(|(kind, audience)| *kind != "appearance" && audience.contains(&brant));
    assert_eq!(told.map(|(kind, _)| kind).collect::<Vec<_>>(), ["dungeon"]);
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
    let (phrases, _) = super::phrases::load(&DataFolder::embedded(), crate::message::Language::Zh)
        .expect("the shipped phrases are right");
    let facts = super::plan::PlanConstraints {
        present: vec!["甲".into()],
        speech_chars: 1,
        ..super::plan::PlanConstraints::default()
    };
    let words = Some(Speech {
        target: "乙".into(),
        text: "太长了".into(),
        ..Speech::default()
    });
    let plan = Plan {
        speak: words,
        query: Some(Question { text: "x".into() }),
        wait: Some(WaitReason { reason: "x".into() }),
        ..Plan::default()
    };
    let broken = crate::exchange::Reply::check(&plan, &facts);
    assert_eq!(broken.len(), 3);
    for rule in broken {
        let words = rule.words(&phrases);
        let is_han = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
        assert!(words.contains(is_han), "{words}");
    }
}
