//! What a story of 100,000 events takes while it is read to be shown, goes on, and is saved.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::disallowed_methods, reason = "the process asks about itself")]

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use playhouse::cast::{Kind, WorldTurn};
use playhouse::context::{AgentContext, Chapter, ChapterId, Chapters};
use playhouse::engine::Setup;
use playhouse::journal::{JournalHeader, Line, Meeting};
use playhouse::message::{Body, BodyId, Cost, Digest, ResponseMetadata, Tags, TokenUsage};
use playhouse::mind::{Minds, ScriptLine, ScriptMind};
use playhouse::save::{Meta, Slot, snapshot, state_hashes};
use playhouse::session::{EventLog, Game, Session, SetupError};
use playhouse::story::{About, StoryView};
use serde_json::{Map, json};
use stats_alloc::Region;

use crate::{ALLOCATOR, alone, common};

const EVENTS: u32 = 100_000;
/// The variable with the folder of the save.
const ROOT: &str = "LONG_STORY";
/// The most megabytes of memory for them, and the most that are allocated, one after the other, to
/// go on for a turn and save it: a snapshot of them has far more.
const MOST: u64 = 250;
const MOST_TO_SAVE: u64 = 30;

struct Mill;

impl Game for Mill {
    fn meta(&self) -> Meta {
        Meta {
            world: "Mill".into(),
            data: "1".into(),
        }
    }

    fn set_up(&self, seed: u64) -> Result<Setup, SetupError> {
        Ok(Setup::new(seed))
    }

    fn populate(&self, setup: &mut Setup) -> Result<(), SetupError> {
        setup.spawn_stage("Mill", "You are a mill.")?;
        setup.spawn_actor("Ann", "Mill", "You are Ann.")?;
        Ok(())
    }
}

fn said(number: u32) -> String {
    common::line(number as usize, 150)
}

/// An event in the log, and every second time the call that led to it.
fn log(lines: &mut String, number: u32) {
    if number.is_multiple_of(2) {
        writeln!(lines, "{}", json!({"answers": [[2, number / 2 + 1, null]]})).unwrap();
    }
    let event = json!({
        "id": format!("1-{}", number + 1), "turn": 0, "time": number, "place": "Mill", "type": "speak",
        "speaker": "Ann", "data": {"actor": "Ann", "target": "", "message": said(number)},
        "text": format!("Ann: {}", said(number)), "audience": [],
        "rule": {"broadcast_to_stage": {"stage": "Mill", "exclude": []}},
    });
    writeln!(lines, "{}", json!({"event": [event, [1, 2]]})).unwrap();
}

fn outcome(number: u32) -> Line {
    let outcome = json!({
        "entity": "Ann", "id": 2, "number": number, "purpose": "home.speak",
        "hash": Digest::default(), "asked": common::line(number as usize, 700),
        "ending": {"answered": {"text": said(number), "finish": "stop"}}, "calls": 1,
        "retries": 0, "usage": TokenUsage::default(), "estimated": 0,
        "cost": Cost::default(), "provider": "test", "model": "test", "ms": 2_000,
    });
    Line::Outcome(Arc::new(serde_json::from_value(outcome).unwrap()))
}

/// Everybody remembers every event, and Ann what she was asked and answered.
fn remember(setup: &mut Setup) {
    let event = Map::from_iter([("event".to_owned(), "speak".into())]);
    let mut heard = AgentContext::new("heard");
    let mut closed = Vec::new();
    for number in 0..EVENTS {
        let id = |number| BodyId { place: 1, number };
        let told = Body::text(said(number))
            .with_id(id(number + 1))
            .from_sender("Ann");
        heard.add_human_message(told.with_metadata(event.clone()), Tags::new());
        if number.is_multiple_of(2) {
            let question = Body::text(common::line(number as usize, 500))
                .with_short(format!("(You were asked {number}.)"));
            heard.add_human_message(question.with_id(id(EVENTS + number + 1)), Tags::new());
            let response = ResponseMetadata::new("test", "test", TokenUsage::default());
            let answer = Body::text(said(number)).with_response(response);
            heard
                .add_ai_message([answer.with_id(id(EVENTS + number + 2))])
                .unwrap();
        }
        if number % 1_000 == 999 {
            closed.push(heard.messages().collect::<Vec<_>>());
            heard = AgentContext::new("heard");
        }
    }
    let mut everybody = setup.world.query::<(&Kind, &mut Chapters)>();
    for (_, mut chapters) in everybody.iter_mut(&mut setup.world) {
        for (number, messages) in closed.iter().enumerate() {
            chapters.close(Chapter {
                id: ChapterId(format!("{number}").into()),
                title: String::new(),
                turn: 0,
                messages: messages.clone(),
                summing_up: Vec::new(),
                summary: Body::text("It was a long day."),
                record: None,
            });
        }
    }
    setup.world.insert_resource(WorldTurn(1));
}

/// In a process of its own, since what that took would be had for nothing afterwards.
#[test]
#[ignore = "the other test starts it"]
fn a_long_story_is_saved() {
    let Some(root) = std::env::var_os(ROOT).map(PathBuf::from) else {
        return;
    };
    let mut setup = Mill.set_up(1).unwrap();
    Mill.populate(&mut setup).unwrap();
    remember(&mut setup);
    let mut lines = vec![Line::Header(JournalHeader::new("Mill", "1", 1))];
    lines.extend((1..=EVENTS / 2).map(outcome));
    let hashes = state_hashes(&mut setup.world);
    lines.push(Line::Meeting(Meeting { turn: 1, hashes }));
    let world = snapshot(&setup.world, &Mill.meta()).unwrap();
    let mut locked = Slot::create(&root, "long", &lines, &world, None).unwrap();
    let (mut journal, _) = locked.open_story(true).unwrap();
    let mut events = format!(
        "{}\n{}\n",
        json!({"name": [1, "Mill"]}),
        json!({"name": [2, "Ann"]})
    );
    (0..EVENTS).for_each(|number| log(&mut events, number));
    events.push_str("{\"turn\":1}\n");
    let saved = locked.save(&setup.world, &Mill.meta(), &mut journal, events.as_bytes());
    saved.unwrap();
}

/// Kilobytes of memory that this process has, or has had at most.
fn memory(of: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(of))
        .unwrap();
    line.trim_matches(|c: char| !c.is_ascii_digit())
        .parse()
        .unwrap()
}

#[test]
fn a_story_of_100_000_events_is_served_within_its_memory() {
    let _alone = alone();
    let root = tempfile::tempdir().unwrap();
    let mut saving = Command::new(std::env::current_exe().unwrap());
    saving.args(["--ignored", "--exact", "stories::a_long_story_is_saved"]);
    assert!(saving.env(ROOT, root.path()).status().unwrap().success());
    // From now on counts the most.
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = memory("VmRSS:");
    let slot = Slot::find(root.path(), "long").unwrap();
    let story = slot.read_to_go_on(false).unwrap();
    let view = StoryView::new(About::default());
    let mut log = EventLog::of(&slot, &story).unwrap().unwrap();
    drop(story);
    view.fill(log.records());
    drop(log);
    let mind = ScriptMind::by_rule(|_| ScriptLine::say("Hm."));
    let mut session = Session::resume(
        root.path(),
        "long",
        &Mill,
        Minds::all(Arc::new(mind)),
        false,
    )
    .unwrap();
    assert_eq!(view.read().events.len() as u32, EVENTS);
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let region = Region::new(ALLOCATOR);
    let stop = runtime.unwrap().block_on(session.engine.run(Some(2)));
    let to_save = region.change().bytes_allocated as u64 / 1_000_000;
    stop.unwrap();
    let (_, saved) = slot.written();
    assert_eq!(slot.head().unwrap().unwrap().turn, 2);
    assert!(to_save <= MOST_TO_SAVE, "{to_save} MB of {saved} bytes");
    let most = (memory("VmHWM:") - before) / 1_000;
    let held = (memory("VmRSS:") - before) / 1_000;
    assert!(most <= MOST, "{most} MB, and {held} at the end");
    drop(session);
}
