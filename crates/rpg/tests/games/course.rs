//! The course of a campaign: votes, steps with conditions, and talk on journeys and at home.
#![expect(clippy::disallowed_methods, reason = "tests")]

use std::fs;
use std::path::Path;

use playhouse_engine::event::{EventRecord, Feed, Record};
use playhouse_engine::message::Language;
use playhouse_engine::save::Slot;
use playhouse_engine::session::{Session, replay};
use playhouse_engine::testing::Played;
use playhouse_engine::world_data::DataFolder;
use playhouse_rpg::Campaign;
use playhouse_rpg::drama::History;
use playhouse_rpg::world_file::{WorldKind, new_world};

use super::play::{altered, minds};

const SCHEDULE: &str = r#"schedule: [Home(days: 1), Dungeon("The Mill")]"#;

/// The small world with changes.
fn world(changes: &[(&str, &str)]) -> Campaign {
    let folder = tempfile::tempdir().unwrap();
    let path = new_world(folder.path(), WorldKind::Journey, Language::En).unwrap();
    let mut text = fs::read_to_string(&path).unwrap();
    for (old, new) in changes {
        assert!(text.contains(old), "{old} is not in the small world");
        text = text.replacen(old, new, 1);
    }
    fs::write(&path, text).unwrap();
    let data = DataFolder::embedded();
    Campaign::load_from(&data, &DataFolder::at(folder.path()).unwrap(), "mill").unwrap()
}

/// Two days with a vote after each, between two dungeons.
fn voting() -> Campaign {
    let second = r#"dungeons: [
        (name: "The Hill", profile: "Up the other bank.", fights: [(stage: "Grinding Floor", foes: ["Flour Wight"], gain: "A stone.")]),"#;
    let schedule = r#"schedule: [
        Home(days: 1), Vote(["The Mill", "The Hill"]),
        If(Voted("stay"), Home(days: 2)), If(Voted("stay"), Vote(["The Hill"])),
        If(Not(Voted("The Mill")), If(Not(Voted("The Hill")), Dungeon("The Mill"))),
    ]"#;
    world(&[
        (SCHEDULE, schedule),
        ("dungeons: [", second),
        ("returns: false", "returns: true"),
    ])
}

fn history(played: &Played) -> &History {
    played.engine.world.resource()
}

async fn play(campaign: &Campaign, seed: u64) -> Played {
    super::play::play(campaign, seed, minds()).await
}

/// Everybody answers with this when asked for a vote.
async fn play_answering(words: &str) -> Played {
    let words = words.to_owned();
    let voters = altered(move |prompt, text| match prompt.purpose {
        "home.vote" => words.clone(),
        _ => text,
    });
    super::play::play(&voting(), 1, voters).await
}

async fn play_voting(vote: &str) -> Played {
    play_answering(&format!(r#"{{"mind": "m", "vote": "{vote}"}}"#)).await
}

#[tokio::test]
async fn heroes_go_where_most_of_them_voted() {
    let campaign = voting();
    let mut results = Vec::new();
    for seed in 1..=16 {
        let played = play(&campaign, seed).await;
        let kinds = ["vote", "day", "dungeon"];
        let course = played.events();
        let course = course.filter(|event| kinds.contains(&event.kind.as_str()));
        let course: Vec<_> = course.collect();
        let counted = course.iter().position(|event| event.kind == "vote");
        let (before, after) = course.split_at(counted.unwrap());
        assert_eq!(before.last().unwrap().data["part"], "round", "an afternoon");
        let vote = after[0];
        let votes = vote.data["votes"].as_array().unwrap();
        assert_eq!(votes.len(), 2, "both heroes vote");
        let options = ["The Mill", "The Hill", "stay"];
        let count = |option: &str| votes.iter().filter(|vote| vote["for"] == option).count();
        let most = options.iter().map(|option| count(option)).max();
        let first = options.iter().find(|option| Some(count(option)) == most);
        assert_eq!(vote.data["result"], *first.unwrap());
        // Two stages, two heroes and a world agent are told.
        assert_eq!(vote.audience.len(), 5);
        let rest: Vec<_> = after.iter().map(|event| event.kind.as_str()).collect();
        assert_eq!(rest[..2], ["vote", "day"], "then the day ends");
        let result = &history(&played).votes[0].0;
        if **result != *"stay" {
            let went = played.of("dungeon").next().unwrap();
            assert_eq!(went.data["dungeon"], **result);
            assert_eq!(played.of("vote").count(), 1);
        }
        results.push(result.to_string());
    }
    for option in ["The Mill", "The Hill"] {
        assert!(results.iter().any(|result| result == option), "{results:?}");
    }
}

#[tokio::test]
async fn to_stay_goes_on_with_the_schedule() {
    let played = play_voting("stay").await;
    let votes = &history(&played).votes;
    assert_eq!(votes[..], [("stay".into(), 1), ("stay".into(), 3)]);
    let went = played.of("dungeon").next().unwrap();
    assert_eq!(went.data["dungeon"], "The Mill", "nobody voted for it");
}

#[tokio::test]
async fn without_votes_the_first_is_taken_and_names_are_read_leniently() {
    let played = play_voting("The Moon").await;
    let counted = played.of("vote").next().unwrap();
    assert_eq!(counted.data["votes"].as_array().unwrap().len(), 0);
    assert_eq!(counted.data["result"], "The Mill");
    let played = play_voting("hill").await;
    assert_eq!(*history(&played).votes[0].0, *"The Hill");
}

#[tokio::test]
async fn a_vote_may_be_nothing_but_a_name() {
    for vote in ["The Hill", "**The Hill**.", "“the hill”"] {
        let played = play_answering(vote).await;
        assert_eq!(*history(&played).votes[0].0, *"The Hill", "{vote}");
    }
    let played = play_answering("I would rather not say.").await;
    let counted = played.of("vote").next().unwrap();
    assert_eq!(counted.data["votes"].as_array().unwrap().len(), 0);
}

#[tokio::test]
async fn reasons_are_heard_at_once_and_by_those_who_are_there() {
    let played = play(&voting(), 1).await;
    assert!(played.answers_to("home.vote").count() >= 2);
    for vote in played.answers_to("home.vote") {
        let vote: serde_json::Value = serde_json::from_str(&vote.text).unwrap();
        let mut said = played.of("speak");
        assert!(said.any(|event| event.data["message"] == vote["say"]));
    }
}

#[tokio::test]
async fn a_vote_without_a_day_before_it_takes_place_at_once() {
    let schedule = r#"schedule: [Vote(["The Mill"]), Home(days: 1)]"#;
    let played = play(&world(&[(SCHEDULE, schedule)]), 1).await;
    let kinds = played.events().map(|event| event.kind.as_str());
    let first = kinds
        .into_iter()
        .find(|kind| ["vote", "day", "dungeon"].contains(kind));
    assert_eq!(first, Some("vote"));
}

#[tokio::test]
async fn nobody_votes_for_a_dungeon_that_is_closed() {
    let schedule = r#"schedule: [Home(days: 1), Dungeon("The Mill"), Vote(["The Mill"])]"#;
    let close = (
        r#"effects: [Give("the miller's key", "Isa Finch")]"#,
        r#"effects: [CloseDungeon("The Mill")]"#,
    );
    let campaign = world(&[(SCHEDULE, schedule), close]);
    for seed in 1..=6 {
        let played = play(&campaign, seed).await;
        let is_closed = history(&played).times("the-coins") > 0;
        assert_eq!(played.of("vote").count(), usize::from(!is_closed));
    }
}

#[tokio::test]
async fn nobody_goes_to_a_dungeon_that_is_closed() {
    let closed = (
        "dungeons: [\n        (",
        "dungeons: [\n        (closed: true,",
    );
    let played = play(&world(&[closed]), 1).await;
    assert_eq!(played.of("dungeon").count(), 0);
    assert_eq!(played.of("story_closes").count(), 1);
    let scene = r#"scenes: [
        (id: "sluice", at: "Bakehouse", when: Now(Morning), opening: "The sluice gives.", turns: 1, effects: [OpenDungeon("The Mill")]),"#;
    let played = play(&world(&[closed, ("scenes: [", scene)]), 1).await;
    assert!(played.of("dungeon").count() > 0);
}

#[tokio::test]
async fn a_fact_says_what_becomes_of_words_that_a_stranger_guesses() {
    for guard in ["flag", "mask", "block"] {
        let guarded = format!("id: \"leaving\", guard: {guard},");
        let campaign = world(&[("id: \"leaving\",", &guarded)]);
        // She says one thing whenever she speaks with others.
        let plan = r#"{"mind": "m", "speak": {"target": "Tam Weller", "text": "You will leave Hollow Brook."}}"#;
        let stranger = altered(
            move |prompt, text| match (prompt.purpose, &**prompt.entity) {
                ("home.plan", "Isa Finch") => plan.to_owned(),
                _ => text,
            },
        );
        let played = super::play::play(&campaign, 11, stranger).await;
        let words = "You will leave Hollow Brook.";
        // It is a guess until somebody learns it from whoever knows it.
        let learned = played.of("learned");
        let mut learned = learned.filter(|event| event.data["fact"] == "leaving");
        let first = learned.next();
        let is_guess = |event: &EventRecord| {
            first.is_none_or(|first| (event.turn, event.id) < (first.turn, first.id))
        };
        let by_isa = |event: &&EventRecord| event.data["actor"] == "Isa Finch" && is_guess(event);
        let said = played.of("speak").filter(by_isa);
        let said: Vec<_> = said
            .filter(|event| event.text.contains("You will"))
            .collect();
        assert!(!said.is_empty(), "{guard}");
        for event in said {
            assert_eq!(event.guarded.len(), 1, "{guard}: {event:?}");
            assert_eq!(event.text.contains(words), guard != "mask", "{event:?}");
            assert_eq!(event.audience.is_empty(), guard == "block", "{event:?}");
        }
        // A guess teaches nothing.
        assert!(
            first.is_none_or(|event| event.data["from"] != "Isa Finch"),
            "{guard}"
        );
    }
}

/// The number of turns of talk on the way, after the fight, and back home.
fn turns_on_journey(played: &Played) -> [usize; 3] {
    let (mut turns, mut part) = ([0; 3], None);
    for record in &played.records {
        match record {
            Record::Event(event) if event.kind == "dungeon" => {
                part = Some(if event.data["part"] == "enter" { 0 } else { 2 });
            }
            Record::Event(event) if event.kind == "combat_outcome" => part = Some(1),
            Record::Event(event) if event.kind == "story_closes" => part = None,
            Record::Answer(answer) if answer.purpose == "home.plan" => {
                turns.iter_mut().enumerate().for_each(|(of, turns)| {
                    *turns += usize::from(part == Some(of));
                });
            }
            _ => {}
        }
    }
    turns
}

#[tokio::test]
async fn the_party_talks_on_its_way_at_its_camp_and_at_home() {
    let limits = "limits: (travel_turns: 2, camp_turns: 5, return_turns: 3),\n    schedule: [";
    let silent = "limits: (travel_turns: 0, camp_turns: 0, return_turns: 0),\n    schedule: [";
    let no_scene = (r#"at: "Grinding Floor""#, r#"at: "Bakehouse""#);
    let mut results = [0; 2];
    for seed in 1..=3 {
        let played = play(&world(&[("schedule: [", limits), no_scene]), seed).await;
        let won = played
            .engine
            .world
            .resource::<playhouse_rpg::CampaignState>()
            .won;
        results[won as usize] += 1;
        let [travel, camp, home] = turns_on_journey(&played);
        // Whoever only searches has its turn again, and who is asked something in the last answers.
        assert!((1..=5).contains(&travel), "{travel}");
        if won == 1 {
            assert!((1..=8).contains(&camp), "{camp}");
        }
        // Each hero lives on a stage of its own.
        assert!((2..=4).contains(&home), "{home}");
        let silent = play(&world(&[("schedule: [", silent), no_scene]), seed).await;
        assert_eq!(turns_on_journey(&silent), [0; 3]);
    }
    assert!(results[1] > 0, "{results:?}");
}

#[tokio::test]
async fn scenes_name_the_occasion_that_they_are_for() {
    let scene = |id: &str, stage: &str, when: &str| {
        format!(
            r#"(id: "{id}", at: "{stage}", when: {when}, opening: "{id}", turns: 1, again: true),"#
        )
    };
    let scenes = [
        scene("travel", "Grinding Floor", "Now(Travel)"),
        scene(
            "lost",
            "Grinding Floor",
            r#"Fought("Grinding Floor", Lost)"#,
        ),
        scene("return", "Village Green", "Now(Return)"),
        scene("morning", "Village Green", "Now(Morning)"),
        scene("afternoon", "Village Green", "Now(Afternoon)"),
    ];
    let scenes = format!("scenes: [{}", scenes.concat());
    let strong = ("stats: (hp: 24, attack: 5", "stats: (hp: 90, attack: 40");
    let campaign = world(&[("scenes: [", &scenes), strong]);
    let mut lost = 0;
    for seed in 1..=6 {
        let played = play(&campaign, seed).await;
        let opened = played
            .of("scene_opens")
            .map(|event| event.data["scene"].as_str().unwrap());
        let opened: Vec<_> = opened.collect();
        assert_eq!(opened[..3], ["morning", "afternoon", "travel"]);
        assert_eq!(opened.last(), Some(&"return"));
        lost += usize::from(opened[3] == "lost");
    }
    assert!(lost > 2, "{lost}");
}

#[tokio::test]
async fn the_first_of_several_who_is_there_decides() {
    let deciders = (
        r#"who: "Tam Weller""#,
        r#"who: ["Isa Finch", "Tam Weller"]"#,
    );
    let tells = (
        r#"Teach("Isa Finch", "leaving")"#,
        r#"Tells("Tam Weller", "Isa Finch", "leaving")"#,
    );
    let campaign = world(&[deciders, tells]);
    let mut who = Vec::new();
    for seed in 1..=6 {
        let played = play(&campaign, seed).await;
        who.extend(
            history(&played)
                .choices
                .iter()
                .map(|choice| choice.2.to_string()),
        );
        let learned = played
            .of("learned")
            .find(|event| event.data["fact"] == "leaving");
        let shared = history(&played).chose("the-coins", "share");
        if let Some(learned) = learned.filter(|_| shared) {
            assert_eq!(learned.data["from"], "Tam Weller");
        }
    }
    assert!(who.contains(&"Isa Finch".to_owned()), "{who:?}");
}

/// Starts a campaign and stops it after so many answers; plays it to its end where none is given.
async fn start(root: &Path, name: &str, game: &Campaign, stop_after: Option<usize>) {
    let session = Session::start(root, name, game, 3, minds());
    let mut engine = session.unwrap().engine;
    let brake = engine.cancellation_token();
    let mut answers = 0;
    engine.add_feed(Feed::observer(move |record| {
        answers += usize::from(matches!(record, Record::Answer(_)));
        if Some(answers) == stop_after {
            brake.cancel();
        }
    }));
    engine.run(None).await.unwrap();
}

fn world_of(root: &Path, name: &str) -> Vec<u8> {
    Slot::find(root, name)
        .unwrap()
        .read_world()
        .unwrap()
        .unwrap()
}

#[tokio::test]
async fn a_campaign_with_votes_is_resumed_anywhere_and_replayed() {
    let game = voting();
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    start(root, "whole", &game, None).await;
    let whole = world_of(root, "whole");
    for answers in (1..60).step_by(8) {
        let name = format!("after-{answers}");
        start(root, &name, &game, Some(answers)).await;
        let session = Session::resume(root, &name, &game, minds(), false);
        session.unwrap().engine.run(None).await.unwrap();
        assert!(world_of(root, &name) == whole, "stopped after {answers}");
    }
    let slot = Slot::find(root, "whole").unwrap();
    let replayed = replay(&slot, &game, None).await.unwrap();
    assert!(replayed.snapshot == whole, "the replay ends otherwise");
}
