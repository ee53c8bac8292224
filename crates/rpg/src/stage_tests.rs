//! Home life in a small world, without minds.

use playhouse_engine::cast::OnStage;
use playhouse_engine::context::{Chapters, Common};
use playhouse_engine::engine::StoryEnd;
use playhouse_engine::exchange::{Prose, Reply};
use playhouse_engine::knowledge::{Knowledge, Known, MadeKind, make_fact};
use playhouse_engine::message::Language;
use playhouse_engine::world_data::DataFolder;
use serde_json::json;

use super::actions::{Plan, PlanConstraints};
use super::campaign_phase::{CampaignPhase, CampaignState, Stay};
use super::campaign_state::advance_campaign;
use super::components::{Acquaintances, ClosedDungeons, FallenFoes, Health};
use super::everybody::publish;
use super::outcome::StoryOutcome;
use super::phase::Phase;
use super::scenes::choose::{Decided, SceneDecision, apply_choices, offer_choices};
use super::scenes::effects::Cause;
use super::scenes::open::OpenScene;
use super::testing::{TestScene, happening, play_all, ron, scene};
use super::travel::introduce;
use crate::drama::Effect;
use crate::happening::Happening;

#[test]
fn scenes_of_home_life() {
    play_all(include_str!("stage_tests.scenes"));
}

#[test]
fn a_story_begins_under_the_name_of_its_owner() {
    let mut scene = scene("");
    scene.begin(Phase::Kickoff);
    for who in ["Hall", "Ann", "Bob"] {
        let ask = scene.ask::<Prose>(who);
        let asked = (ask.purpose(), ask.tags().text("kickoff"));
        assert_eq!(asked, ("kickoff", Some(who)));
    }
}

/// The ids of the facts that somebody is offered to tell, in order.
fn offered(scene: &TestScene, who: &str) -> Vec<String> {
    let facts = scene.ask::<Plan>(who).noted()["facts"].as_array();
    let ids = facts
        .expect("a list")
        .iter()
        .map(|fact| fact["id"].as_str());
    ids.map(|id| id.unwrap_or_default().to_owned()).collect()
}

#[test]
fn whoever_does_something_notes_it_too() {
    let mut scene = scene("");
    scene.play(
        r#"Bob: promise "I will light it." to Ann
        Ann: say "Listen." to Bob telling key"#,
    );
    let notes = |who| {
        let notes = scene.get::<Chapters>(who).open_notes().iter();
        let notes = notes.filter_map(|note| note.happening.read::<Happening>());
        notes.collect::<Vec<_>>()
    };
    let words = "I will light it.";
    let promised =
        json!({"what": "promised", "who": "Bob", "to": "Ann", "words": words, "state": "made"});
    let promised = happening(promised);
    for who in ["Ann", "Bob"] {
        let noted = notes(who).into_iter().filter(|note| *note == promised);
        assert_eq!(noted.count(), 1);
    }
    let told = |note: &Happening| {
        matches!(note, Happening::Common(Common::Told { fact, to, .. })
            if **fact == *"key" && *to == ["Bob".into()])
    };
    assert!(notes("Ann").iter().any(told), "{:?}", notes("Ann"));
    assert!(!notes("Bob").iter().any(told));
}

#[test]
fn nobody_walks_off_to_be_sent_home_at_once() {
    for (round, ways) in [(1, [1, 1]), (2, [1, 0])] {
        let mut scene = scene("limits: (together: true, home_rounds: 2)");
        let stay = Stay { day: 1, days: 1 };
        let phase = CampaignPhase::Home { stay, round };
        scene.world().insert_resource(CampaignState {
            phase,
            ..CampaignState::default()
        });
        scene.begin(Phase::Plan);
        let exits = |who| {
            scene.ask::<Plan>(who).noted()["exits"]
                .as_array()
                .map_or(0, Vec::len)
        };
        assert_eq!(["Ann", "Bob"].map(exits), ways, "neighbours sleep at home");
    }
}

#[test]
fn of_made_facts_the_last_few_are_offered_that_are_news_to_somebody_here() {
    let mut scene = scene("limits: (together: true)");
    let made = (1..=5).map(|number| {
        make_fact(
            scene.world(),
            MadeKind::Outcome,
            format!("It is so {number}."),
        )
    });
    let made: Vec<_> = made.collect();
    let knows = |ids: &[String]| Knowledge::at_start(ids.iter().map(String::as_str));
    scene.insert("Ann", knows(&made));
    scene.insert("Bob", knows(&made[3..4]));
    scene.play(r#"Ann: say "Listen." to Bob telling made-5"#);
    scene.begin(Phase::Plan);
    let unknown = "Ann can't know that Bob knows the fourth";
    assert_eq!(offered(&scene, "Ann"), made[1..4], "{unknown}");
    assert_eq!(offered(&scene, "Bob"), made[3..4], "Ann told it the fifth");
    let known = &scene.ask::<Plan>("Ann").constraints().known;
    assert_eq!(known[..5], made, "all that one knows can be told");
}

#[test]
fn own_secrets_come_first_and_what_all_here_know_is_left_out() {
    let ids = |name, count| (1..=count).map(move |number| format!("{name}-{number}"));
    let facts = ids("heard", 14)
        .chain(ids("sworn", 20))
        .chain(["known-here", "mine", "oath"].map(String::from))
        .map(|id| {
            let sworn = id.starts_with("sworn") || id == "oath";
            format!(r#"(id: "{id}", title: "About {id}", sworn: {sworn}),"#)
        })
        .collect::<String>();
    let mut scene = scene(&format!("limits: (together: true), facts: [{facts}]"));
    let mut knowledge = Knowledge::at_start(["mine", "oath", "known-here"]);
    for (id, turn) in ids("heard", 14).zip(1..).chain(ids("sworn", 20).zip(1..)) {
        let known = Known {
            by: "speak".into(),
            turn,
            ..Known::default()
        };
        knowledge.learn(&id.as_str().into(), &known);
    }
    scene.insert("Ann", knowledge);
    scene.play(r#"Ann: say "Listen." to Bob telling known-here"#);
    scene.begin(Phase::Plan);
    let ids = offered(&scene, "Ann");
    assert_eq!(ids[..3], ["mine", "heard-14", "heard-13"]);
    assert_eq!(ids.len(), 12);
    let noted = scene.ask::<Plan>("Ann").noted();
    let sworn = noted["sworn"].as_array().expect("a list");
    assert_eq!(sworn.len(), 12);
    assert_eq!([&sworn[0], &sworn[11]], ["About sworn-9", "About sworn-20"]);
    assert_eq!(noted["more_facts"], 3);
    scene.play(r#"
        Ann: {"mind": "m", "speak": {"target": "Bob", "text": "t"}, "tells": ["heard-1", "known-here", "oath"]}
        => All([Knows("Bob", "heard-1"), Not(Knows("Bob", "oath"))])
        => Ann hears "‘About oath’ can’t be told"
    "#);
}

/// A scene that is open until its choice.
fn deciding(id: &str) -> OpenScene {
    ron(&format!("(id: {id:?}, decides: true)"))
}

/// The scene `go` of the Hall and `own` of the Yard are decided with their first options.
fn decide_both(scene: &mut TestScene) {
    scene.insert("Hall", deciding("go"));
    scene.insert("Yard", deciding("own"));
    assert!(scene.at_meeting(offer_choices));
    for place in ["Hall", "Yard"] {
        scene.insert(place, Decided("yes".into()));
    }
    scene.at_meeting(apply_choices);
    assert!(!scene.at_meeting(offer_choices));
}

#[test]
fn whoever_has_one_option_left_may_do_nothing() {
    for (chosen, is_taken) in [("yes", true), ("nothing", false)] {
        let mut scene = scene(
            r#"scenes: [(id: "barrel", at: "Hall", choice: (who: "Ann", options: [
            (id: "no", label: "Do it", when: Never),
            (id: "yes", label: "Do it", seen: "It is rolled out.", effects: [Teach("Bob", "rum")]),
        ]))]"#,
        );
        scene.insert("Hall", deciding("barrel"));
        assert!(scene.at_meeting(offer_choices));
        scene.begin(Phase::Choose);
        let options = &scene.ask::<SceneDecision>("Ann").noted()["options"];
        assert_eq!(options.as_array().map(Vec::len), Some(2), "{options}");
        scene.play(&format!(r#"Ann: {{"mind": "m", "option": "{chosen}"}}"#));
        let (message, label) = match is_taken {
            true => ("It is rolled out.", "Do it"),
            false => ("Ann does nothing.", "Do nothing"),
        };
        scene.play(&format!(r#"=> choice says /message "{message}""#));
        scene.at_meeting(apply_choices);
        let outcome = StoryOutcome::of(scene.world()).expect("a campaign");
        assert_eq!(outcome.choices[0].label, label);
        let taken = r#"All([Knows("Bob", "rum"), Chose("barrel", "yes")])"#;
        let neither = r#"Not(Any([Knows("Bob", "rum"), Chose("barrel", "yes")]))"#;
        scene.play(&format!("=> {}", if is_taken { taken } else { neither }));
        assert!(!scene.at_meeting(offer_choices));
        assert!(!scene.has::<OpenScene>("Hall"));
    }
}

#[test]
fn whoever_a_choice_sends_to_a_place_comes_after_what_is_told_there() {
    let mut scene = scene(
        r#"scenes: [
            (id: "go", at: "Hall", effects: [Tell("The fire dies.")], choice: (who: "Ann", options: [
                (id: "yes", label: "Go", seen: "Out.", effects: [Tell("A door slams."), Move("Ann", "Yard")]),
                (id: "no", label: "Stay")])),
            (id: "own", at: "Yard", effects: [Tell("The lamp dies.")], choice: (who: "Eve", options: [
                (id: "yes", label: "Own up", seen: "A sigh.",
                 effects: [Tell("It was I."), Reveal("rum"), Move("Eve", "Hall")]),
                (id: "no", label: "Be silent")])),
        ]"#,
    );
    decide_both(&mut scene);
    scene.play(
        r#"
        => All([At("Ann", "Yard"), At("Eve", "Hall"), Knows("Eve", "rum"), Not(Knows("Ann", "rum"))])
        => Ann does not hear "It was I."
        => Ann does not hear "The lamp dies."
        => Eve does not hear "A door slams."
        => Eve does not hear "The fire dies."
        => Bob hears "Eve arrives at Hall"
    "#,
    );
    let told = scene
        .events
        .iter()
        .filter(|event| event.kind == "scene_text");
    let told: Vec<_> = told.map(|event| (&*event.text, &*event.place)).collect();
    let of = |place, texts: [&'static str; 2]| texts.map(|text| (text, place));
    let [slams, dies] = of("Hall", ["A door slams.", "The fire dies."]);
    let [sighs, lamp] = of("Yard", ["It was I.", "The lamp dies."]);
    assert_eq!(
        told,
        [slams, sighs, dies, lamp],
        "each belongs to where it was decided"
    );
}

#[test]
fn who_comes_with_others_reads_of_itself_and_them() {
    let mut scene = scene("");
    let cause = Cause::at(scene.place);
    scene.apply(cause, r#"[Move("Ann", "Yard"), Move("Bob", "Yard")]"#);
    scene.play(
        r#"
        => Ann hears "You and Bob arrive at Yard"
        => Bob hears "You and Ann arrive at Yard"
        => Eve hears "Ann and Bob arrive at Yard"
    "#,
    );
}

#[test]
fn what_befalls_those_elsewhere_is_told_there_after_all_have_arrived() {
    let mut scene = scene(
        r#"scenes: [
            (id: "go", at: "Hall", choice: (who: "Ann", options: [
                (id: "yes", label: "Go", seen: "Out.", effects: [
                    Tells("Ann", "Eve", "key"), Promise("Ann", "Eve", "I will stay."), Teach("Bob", "rum"),
                    Move("Ann", "Yard"), TellTo("Ann", "It smells of tar.")]),
                (id: "no", label: "Stay")])),
            (id: "own", at: "Yard", effects: [Tell("The lamp dies.")], choice: (who: "Eve", options: [
                (id: "yes", label: "Own up", effects: [Tell("It was I.")]), (id: "no", label: "Be silent")])),
        ]"#,
    );
    decide_both(&mut scene);
    scene.play(r#"=> All([Told("Ann", "Eve", "key"), Promise("Ann", "Eve", Open)])"#);
    scene.play(r#"=> Bob does not hear "I will stay.""#);
    let told = scene
        .events
        .iter()
        .map(|event| (&*event.kind, &*event.place))
        .filter(|(kind, _)| *kind != "news");
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            ("learned", "Hall"),
            ("leave", "Hall"),
            ("scene_text", "Yard"),
            ("scene_text", "Yard"),
            ("arrive", ""),
            ("appearance", ""),
            ("appearance", ""),
            ("appearance", ""),
            ("learned", "Yard"),
            ("promise", "Yard"),
            ("scene_text", "Yard"),
        ]
    );
}

#[test]
fn whoever_decides_tells_what_it_knows_and_is_asked_for_by_conditions() {
    let mut scene = scene("");
    let cause = Cause {
        decider: Some(scene.find("Ann")),
        ..Cause::at(scene.place)
    };
    scene.apply(cause, r#"[Reveal("key"), Teach("Bob", "rum")]"#);
    scene.play(r#"
        => All([Told("Ann", "Bob", "key"), Told("Ann", "Hall", "key"), Told("party", "Bob", "key")])
        => All([Knows("Bob", "rum"), Not(Told("Ann", "Bob", "rum")), Not(Told("party", "Bob", "rum"))])
        => Not(Told("Eve", "Bob", "key"))
        ! Reveal("map")
        => All([Knows("Bob", "map"), Not(Told("Ann", "Bob", "map"))])
    "#);
}

#[test]
fn promises_and_items_of_effects_are_told_unless_words_of_the_world_file_tell_them() {
    let parts = [
        "Ann promises Bob: “I will pay.”",
        "You have letter now.",
        "there is coin now",
        "Gone for good: cup.",
    ];
    for (told, is_seen, heard) in [
        // The coin is hidden: nobody sees it go.
        ("", false, [true, true, false, true]),
        // Others see what the words say; who gets something is told.
        ("He says: I will pay.", true, [false, true, false, false]),
        (
            "“I will pay.” The Letter goes over the bar; the cup breaks.",
            true,
            [false, true, false, false],
        ),
        (
            "“I will pay.” Bob takes the Letter over the bar; the cup breaks.",
            true,
            [false; 4],
        ),
    ] {
        let mut scene = scene("");
        let cause = Cause {
            told,
            is_seen,
            ..Cause::at(scene.place)
        };
        scene.apply(
            cause,
            r#"[Promise("Ann", "Bob", "I will pay."), Give("letter", "Bob"),
            Put("coin", "Yard"), Destroy("cup")]"#,
        );
        scene.play(r#"=> Holds("Bob", "letter")"#);
        assert_eq!(
            parts.map(|text| scene.heard("Bob").contains(text)),
            heard,
            "{told}"
        );
    }
}

#[test]
fn what_can_not_apply_is_noted_and_never_half_applied() {
    let mut scene = scene("");
    scene.play(r#"! Join("Bob")"#);
    let ann = scene.find("Ann");
    scene.world().entity_mut(ann).remove::<Health>();
    let cause = Cause {
        of: "eggs/burn",
        ..Cause::at(scene.place)
    };
    scene.apply(
        cause,
        r#"[Hurt("party", 3), Keep("Bob", "Ann", ""), Move("Bob", "Ann")]"#,
    );
    scene.play("=> Bob has 20 hp\n=> effect_skipped to nobody");
    let why: Vec<_> = scene
        .events
        .iter()
        .map(|event| &event.data["why"])
        .collect();
    assert_eq!(why, ["no_health", "no_promise", "no_place"]);
    assert_eq!(
        scene.events[0].text,
        "eggs/burn: Hurt(\"party\",3) changes nothing: somebody has no hit points."
    );
}

#[test]
fn the_words_of_a_promise_may_be_left_out_of_an_effect() {
    let read: Vec<Effect> = ron(r#"[Keep("A", "B"), Break("A", "B", "the oil")]"#);
    assert_eq!(read[0], Effect::Keep("A".into(), "B".into(), String::new()));
    let text = ::ron::to_string(&read).expect("is written");
    assert_eq!(text, r#"[Keep("A","B"),Break("A","B","the oil")]"#);
}

#[test]
fn a_dungeon_is_closed_until_an_effect_opens_it() {
    let mut scene = scene("");
    scene.play(r#"! Leave("Owl")"#);
    assert!(scene.world().resource::<FallenFoes>().0.contains("Owl"));
    for (effect, is_closed) in [("CloseDungeon", true), ("OpenDungeon", false)] {
        scene.play(&format!(r#"! {effect}("Cellar")"#));
        let closed = &scene.world().resource::<ClosedDungeons>().0;
        assert_eq!(closed.contains("Cellar"), is_closed);
    }
}

#[test]
fn one_is_asked_after_the_other_until_both_pass() {
    let mut scene = scene("");
    let mut order = Vec::new();
    loop {
        scene.begin(Phase::Plan);
        let [next] = &scene.asked()[..] else { break };
        scene.play(&format!("{next}: wait\n=> phase Plan"));
        order.push(next.clone());
    }
    scene.play("=> phase Idle");
    order.sort_unstable();
    assert_eq!(order, ["Ann", "Bob"]);
}

#[test]
fn what_happens_in_public_is_news_to_world_agents() {
    let mut scene = scene("");
    let (hall, yard) = (scene.place, scene.find("Yard"));
    scene.at_meeting(|world| publish(world, yard, "One of three sighs."));
    scene.play("=> no news");
    scene.insert("Eve", OnStage(hall));
    scene.at_meeting(|world| publish(world, hall, "The lamp goes out."));
    scene.play(
        r#"
        => news to Clerk
        ! Reveal("key")
        => Knows("Clerk", "key")
    "#,
    );
}

#[test]
fn the_campaign_goes_from_kickoff_to_the_last_homecoming() {
    let mut scene = scene(
        r#"
        dungeons: [(name: "Cellar", fights: [(stage: "Den", foes: ["Owl"]), (stage: "Den", foes: ["Rat"])])],
        schedule: [Home(days: 1), Dungeon("Cellar"), Home(days: 1), Dungeon("Cellar")],
    "#,
    );
    let mut phases = Vec::new();
    while scene.world().get_resource::<StoryEnd>().is_none() && phases.len() < 50 {
        scene.at_meeting(advance_campaign);
        phases.push(scene.world().resource::<CampaignState>().phase.clone());
    }
    assert_eq!(phases.first(), Some(&CampaignPhase::Kickoff));
    assert_eq!(phases.last(), Some(&CampaignPhase::Over));
    phases.retain(|phase| matches!(phase, CampaignPhase::Fight { .. }));
    assert_eq!(phases.len(), 2, "an undecided fight leads home");
}

#[test]
fn those_who_live_together_are_no_strangers() {
    let mut scene = scene("");
    scene.at_meeting(advance_campaign);
    let sees = |scene: &TestScene| {
        let mut told = scene.told();
        told.retain(|(kind, audience)| *kind == "appearance" && !audience.is_empty());
        told.len()
    };
    assert_eq!(sees(&scene), 0);
    let known = &scene.get::<Acquaintances>("Bob").0;
    assert!(known.contains("Ann") && known.contains("Eve") && !known.contains("Bob"));
    let (ann, hall) = (scene.find("Ann"), scene.place);
    scene.at_meeting(|world| introduce(world, ann, hall));
    assert_eq!(sees(&scene), 0);
}

#[test]
fn looks_are_told_once() {
    let mut scene = scene("");
    let (ann, hall) = (scene.find("Ann"), scene.place);
    scene.at_meeting(|world| {
        introduce(world, ann, hall);
        introduce(world, ann, hall);
    });
    assert_eq!(
        scene.told(),
        [("appearance", vec!["Bob"]), ("appearance", vec!["Ann"])]
    );
    assert!(scene.get::<Acquaintances>("Bob").0.contains("Ann"));
}

#[test]
fn a_mind_is_told_what_is_wrong_in_its_own_language() {
    let loaded = super::phrases::load(&DataFolder::embedded(), Language::Zh);
    let (phrases, _) = loaded.expect("the shipped phrases are right");
    let facts = PlanConstraints {
        present: vec!["甲".into()],
        speech_chars: 1,
        ..PlanConstraints::default()
    };
    let plan = r#"{"speak": {"target": "乙", "text": "太长了"}, "query": {"text": "x"}, "wait": {"reason": "x"}}"#;
    let check = |plan| {
        serde_json::from_str::<Plan>(plan)
            .expect("a plan")
            .check(&facts)
    };
    let broken = check(plan);
    assert_eq!(broken.len(), 3);
    let [impossible] = &check(r#"{"mind": "砸", "left_out": ["attempt"]}"#)[..] else {
        panic!("it does nothing that is possible");
    };
    let words = impossible.words(&phrases);
    assert!(words.starts_with("此时此地做不到：attempt。"), "{words}");
    for rule in broken {
        let words = rule.words(&phrases);
        let is_han = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
        assert!(words.contains(is_han), "{words}");
    }
}
