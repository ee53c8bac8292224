//! Judges in the English world.

use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce;
use playhouse_engine::cast::{CastList, CurrentStage};
use playhouse_engine::engine::Setup;
use playhouse_engine::event::{AnsweredBy, DeferredCommands, deliver, write_events_at_meeting};
use playhouse_engine::exchange::{Answer, Ask};
use playhouse_engine::world_data::DataFolder;

use super::effects::SceneText;
use super::judge::{
    Verdict, ask_verdict, judge_choices, judge_endings, judge_scenes, take_verdict,
};
use super::open::{OpenScene, open_talk};
use crate::campaign::Campaign;
use crate::drama::{
    Choice, ChoiceOption, Condition, Ending, Judgements, Occasion, Scene, StoryData,
};
use crate::phase::Phase;

const TAVERN: &str = "The Lamp and Ledger";

fn judged(claim: &str) -> Condition {
    Condition::Judged {
        claim: claim.into(),
        signs: Vec::new(),
    }
}

fn scene(id: &str, when: Condition) -> Scene {
    Scene {
        id: id.into(),
        at: TAVERN.into(),
        when,
        ..Scene::default()
    }
}

/// The world at a meeting, with these scenes.
struct Court {
    setup: Setup,
    tavern: Entity,
}

fn court(scenes: Vec<Scene>) -> Court {
    let campaign = Campaign::load(&DataFolder::embedded(), "drowned-assize");
    let setup = campaign.ok().and_then(|campaign| campaign.new_game(1).ok());
    let mut setup = setup.expect("the shipped world is right");
    let tavern = setup.world.resource::<CastList>().by_name(TAVERN);
    setup.world.insert_resource(CurrentStage::Meeting);
    setup.world.insert_resource(StoryData {
        scenes,
        ..StoryData::default()
    });
    let mut court = Court {
        setup,
        tavern: tavern.expect("is in the cast"),
    };
    court.tell("The rain stops.");
    court
}

impl Court {
    fn world(&mut self) -> &mut World {
        &mut self.setup.world
    }

    /// The tavern and the first world agent witness something.
    fn tell(&mut self, message: &str) {
        let message = message.to_owned();
        let agent = self.agent();
        let audience = [self.tavern, agent];
        write_events_at_meeting(self.world(), |events| {
            events.notify_entities(&audience, SceneText { message });
        });
        self.world().run_system_once(deliver).expect("runs");
    }

    fn agent(&mut self) -> Entity {
        use playhouse_engine::cast::{Kind, all_of};
        let agents = all_of(self.world(), Kind::WorldAgent);
        *agents.first().expect("there is one")
    }

    fn asks_scenes(&mut self) -> bool {
        let tavern = self.tavern;
        judge_scenes(self.world(), Occasion::Morning, &[tavern])
    }

    /// The judge is asked about all of its claims, and always answers this; returns the claims.
    fn judges(&mut self, judge: Entity, answer: &str) -> Vec<String> {
        let mut claims = Vec::new();
        self.world().insert_resource(CurrentStage::Place(judge));
        while self.world().get::<Phase>(judge) == Some(&Phase::Judge) {
            self.world().run_system_once(ask_verdict).expect("runs");
            let ask = self.world().get::<Ask<Verdict>>(judge).expect("is asked");
            claims.push(ask.noted()["claim"].as_str().expect("is one").to_owned());
            let verdict = ask.read(answer).unwrap_or_else(|_| ask.fallback());
            self.world().entity_mut(judge).remove::<Ask<Verdict>>();
            let answered = Answer::new(verdict, AnsweredBy::Mind);
            self.world().entity_mut(judge).insert(answered);
            self.world().run_system_once(take_verdict).expect("runs");
        }
        self.world().insert_resource(CurrentStage::Meeting);
        for crossing in self.world().resource_mut::<DeferredCommands>().take() {
            crossing(self.world());
        }
        claims
    }

    /// What the judge may name.
    fn listed(&mut self, judge: Entity) -> Vec<String> {
        self.world().insert_resource(CurrentStage::Place(judge));
        self.world().run_system_once(ask_verdict).expect("runs");
        let mut judge = self.setup.world.entity_mut(judge);
        let ask = judge.take::<Ask<Verdict>>().expect("is asked");
        judge.insert(Phase::Judge);
        let events = ask.noted()["events"].as_array().expect("are some").iter();
        let beginnings = events.map(|event| event["beginning"].as_str().expect("is text"));
        beginnings.map(str::to_owned).collect()
    }

    fn holds(&mut self, claim: &str) -> bool {
        self.world().resource::<Judgements>().holds(claim)
    }
}

#[test]
fn a_false_citation_is_a_no_and_nothing_is_asked_twice() {
    let mut court = court(vec![scene("dry", judged("It is dry."))]);
    let tavern = court.tavern;
    for answer in [
        r#"{"holds": true, "event": 99}"#,
        r#"{"holds": true}"#,
        r#"{"holds": false, "event": 1}"#,
        r#"{"holds": [1], "event": {"number": 1}}"#,
        "It is dry, I should say.",
    ] {
        assert!(court.asks_scenes());
        let listed = court.listed(tavern);
        assert_eq!(listed.len(), 1, "only what is new is listed: {listed:?}");
        assert!(listed[0].chars().count() <= 80, "{listed:?}");
        assert_eq!(court.judges(tavern, answer), ["It is dry."]);
        assert!(!court.holds("It is dry."), "{answer}");
        assert!(!court.asks_scenes(), "nothing has happened since");
        assert!(!open_talk(court.world(), tavern, Occasion::Morning, 0));
        court.tell(&"A cart goes by. ".repeat(9));
    }
    assert!(court.asks_scenes());
    court.judges(tavern, r#"{"holds": "Yes", "event": "event 1"}"#);
    assert!(court.holds("It is dry."));
    let judgements = court.world().resource::<Judgements>();
    assert_eq!(&*judgements.found["It is dry."].judge, TAVERN);
    court.tell("A dog barks.");
    assert!(!court.asks_scenes(), "what is true stays true");
    assert!(open_talk(court.world(), tavern, Occasion::Morning, 0));
}

#[test]
fn a_mind_that_cannot_read_is_shown_the_last_event_with_a_sign() {
    let shown_by = |signs: &[&str]| {
        let when = Condition::Judged {
            claim: "It is dry.".into(),
            signs: signs.iter().map(ToString::to_string).collect(),
        };
        let mut court = court(vec![scene("dry", when)]);
        court.tell("The rain stops, and the street dries.");
        court.tell("A cart goes by.");
        assert!(court.asks_scenes());
        let tavern = court.tavern;
        court.world().insert_resource(CurrentStage::Place(tavern));
        court.world().run_system_once(ask_verdict).expect("runs");
        let ask = court.world().get::<Ask<Verdict>>(tavern);
        ask.expect("is asked").noted()["shown_by"].clone()
    };
    assert_eq!(shown_by(&[]), 0, "what has no sign is never so");
    assert_eq!(shown_by(&["street … rain"]), 0);
    assert_eq!(shown_by(&["dust", "rain … street"]), 2);
    assert_eq!(shown_by(&["rain"]), 2);
}

#[test]
fn code_gates_first_and_three_claims_are_enough_for_one_meeting() {
    let gated = Condition::All(vec![judged("a"), Condition::Day(9)]);
    let mut court = court(vec![scene("gated", gated)]);
    assert!(!court.asks_scenes());
    let scenes = ["a", "b", "c", "d"].map(|claim| scene(claim, judged(claim)));
    court.world().resource_mut::<StoryData>().scenes = scenes.into();
    assert!(court.asks_scenes());
    let tavern = court.tavern;
    assert_eq!(court.judges(tavern, "{}"), ["a", "b", "c"]);
    assert!(court.asks_scenes());
    assert_eq!(court.judges(tavern, "{}"), ["d"]);
    let certain = scene(
        "certain",
        Condition::All(vec![Condition::Alive("Pell Gantry".into()); 2]),
    );
    court
        .world()
        .resource_mut::<StoryData>()
        .scenes
        .push(certain);
    court.tell("A cart goes by.");
    assert!(
        !court.asks_scenes(),
        "a more specific scene opens whatever is judged"
    );
}

#[test]
fn options_are_judged_by_the_stage_and_endings_by_a_world_agent() {
    let option = |id: &str, when| ChoiceOption {
        id: id.into(),
        when,
        ..ChoiceOption::default()
    };
    let not = Condition::Not(Box::new(judged("b")));
    let choice = Choice {
        who: vec!["Brant Hollis".into()],
        options: vec![option("one", judged("a")), option("two", not)],
        ..Choice::default()
    };
    let mut court = court(vec![Scene {
        choice: Some(choice),
        ..scene("choice", Condition::Always)
    }]);
    let ending = |id: &str, early, when| Ending {
        id: id.into(),
        early,
        when,
        ..Ending::default()
    };
    court.world().resource_mut::<StoryData>().endings = vec![
        ending("early", true, judged("c")),
        ending("late", false, judged("d")),
        ending("last", false, judged("never asked")),
    ];
    let (tavern, agent) = (court.tavern, court.agent());
    let open = OpenScene {
        id: "choice".into(),
        turns: Some(1),
    };
    court.world().entity_mut(tavern).insert(open);
    assert!(judge_choices(court.world(), true));
    let yes = r#"{"holds": true, "event": 1}"#;
    assert_eq!(court.judges(tavern, yes), ["a", "b"]);
    assert_eq!(court.judges(agent, yes), ["c"]);
    let option = |court: &mut Court, id: &str| {
        let story = court.world().resource::<StoryData>();
        let option = story.option("choice", id).expect("is there").clone();
        option.when.holds(court.world(), "")
    };
    assert!(option(&mut court, "one") && !option(&mut court, "two"));
    court.world().resource_mut::<Judgements>().found.remove("c");
    assert!(judge_endings(court.world()));
    assert_eq!(court.judges(agent, yes), ["d"]);
}
