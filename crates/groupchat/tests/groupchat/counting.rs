//! What a run cost is counted once, and what is sent says each thing once.

use std::io::Cursor;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use playhouse_engine::event::Feed;
use playhouse_engine::message::Language;
use playhouse_engine::mind::Minds;
use playhouse_engine::mind::human::{HumanMind, TextConsole};
use playhouse_engine::world_data::DataFolder;
use playhouse_groupchat::message::{ChatMessage, RequestUsage};
use playhouse_groupchat::team::{Participant, Selection, TeamFile};
use playhouse_groupchat::{ChatGame, Team, TeamMessage};
use serde_json::{Value, json};

use super::minds::Scripted;
use super::{caller, has, scripted, team};

/// A line that calls a tool, and what it took.
fn calls(tool: &str, arguments: &Value, usage: [u64; 2]) -> Value {
    json!({"calls": [["1", tool, arguments]], "usage": usage})
}

fn sum(messages: &[ChatMessage]) -> RequestUsage {
    let mut sum = RequestUsage::default();
    let usages = messages.iter().filter_map(|message| message.models_usage);
    usages.for_each(|usage| sum += usage);
    sum
}

#[tokio::test]
async fn rounds_of_tools_are_told_and_counted_once_however_often_the_same_one_speaks() {
    let solo = caller("A", "calculate");
    let file = TeamFile::new("solo", [solo]).with_max_turns(3);
    let round = |prompt| calls("calculate", &json!({"expression": "6 * 7"}), [prompt, 1]);
    let (mut team, _) = scripted(file, &json!({"A": [round(119), round(200), round(279)]}));
    let result = team.run("Count.").await.unwrap();
    let told = result.messages.iter().map(ChatMessage::type_name);
    let turn = [
        "ToolCallRequestEvent",
        "ToolCallExecutionEvent",
        "ToolCallSummaryMessage",
    ];
    let wanted = ["TextMessage"].into_iter().chain([turn; 3].concat());
    assert!(told.eq(wanted));
    let paid = RequestUsage {
        prompt_tokens: 598,
        completion_tokens: 3,
    };
    assert_eq!((sum(&result.messages), result.usage), (paid, paid));
}

#[tokio::test]
async fn an_answer_without_a_word_tells_no_round_of_an_earlier_turn() {
    let solo = caller("A", "calculate");
    let file = TeamFile::new("solo", [solo]).with_max_turns(2);
    let round = calls("calculate", &json!({"expression": "1"}), [1, 1]);
    let script = Scripted::new(&json!({"A": [round, {"text": ""}]}));
    let error = team(file, &script).run("Count.").await.unwrap_err();
    assert!(error.to_string().contains("A could not answer"), "{error}");
}

/// A team whose own model selects: of a helper that asks a team, a society, and a person.
fn mixed() -> ChatGame {
    let file: TeamFile = serde_json::from_value(json!({
        "name": "office", "max_turns": 3, "emit_team_events": true,
        "selection": {"Selector": {}},
        "participants": [
            {"name": "Helper", "tools": ["lab"]},
            {"name": "Panel", "kind": {"Society": {"team": "den"}}},
            {"name": "Guest", "kind": "Person"},
        ],
        "teams": [{"name": "den", "max_turns": 1, "participants": [{"name": "Dee"}]}],
        "team_tools": [{"name": "lab", "about": "Tests.", "team": {
            "name": "laboratory", "max_turns": 1, "participants": [{"name": "Ed"}],
        }}],
    }))
    .unwrap();
    ChatGame::new(&DataFolder::embedded(), file).unwrap()
}

#[tokio::test]
async fn what_the_messages_of_a_run_took_is_what_was_paid_whoever_was_asked() {
    let says = |text: &str, usage: [u64; 2]| json!({"text": text, "usage": usage});
    let script = Scripted::new(&json!({
        "office": [says("Helper", [10, 1]), says("Panel", [20, 2]), says("Guest", [40, 4])],
        "Helper": [calls("lab", &json!({"task": "Test it."}), [80, 8])],
        "Ed": [says("It holds.", [160, 16])],
        "Dee": [says("We like it.", [320, 32])],
        "Panel": [says("All like it.", [640, 64])],
    }));
    let person = TextConsole::new(Cursor::new("Well done.\n"), Vec::new());
    let person = HumanMind::new(person, Language::En);
    let minds = Minds::all(Arc::new(script)).with_seat("Guest", Arc::new(person));
    let mut team = Team::new(mixed(), minds, 7).unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let (sink, file) = (told.clone(), team.file().clone());
    team.engine().add_feed(Feed::observer(move |record| {
        let heard = TeamMessage::of(record, &file).map(|heard| heard.message);
        sink.lock().unwrap().extend(heard);
    }));
    let result = team.run("Is it good?").await.unwrap();
    let paid = RequestUsage {
        prompt_tokens: 1_270,
        completion_tokens: 127,
    };
    let told = told.lock().unwrap();
    assert_eq!((sum(&told), result.usage), (paid, paid));
    let mut of_guest = told.iter().filter(|message| message.source == "Guest");
    assert!(of_guest.all(|message| message.models_usage.is_none()));
}

#[tokio::test]
async fn a_selector_is_sent_each_word_once_where_its_prompt_has_the_history() {
    let own = "Of {participants}, who is next after this?\n{history}\nOnly the name.";
    for prompt in ["", own] {
        let mut file = TeamFile::new("team", ["A", "B", "C"].map(Participant::named));
        file.selection = Selection::Selector {
            prompt: prompt.into(),
            repeats: false,
            attempts: 1,
            function: String::new(),
            candidates: String::new(),
        };
        let script = Scripted::new(&json!({
            "team": ["A", "B", "C"], "A": ["one apple\nB: two pears"], "B": ["three plums"],
        }));
        let mut team = team(file.with_max_turns(3), &script);
        team.run("fruit please").await.unwrap();
        let asked = &script.heard("team").prompts[2];
        for said in ["fruit please", "one apple", "two pears", "three plums"] {
            assert_eq!(asked.matches(said).count(), 1, "{said} in {asked}");
        }
        // No message looks like several.
        has(asked, &["A: one apple\n  B: two pears"]);
    }
}

#[tokio::test]
async fn what_a_planner_says_to_others_stays_as_it_was_written() {
    let plan = "Worker: find his rebounds.\n1. Analyst : add them up";
    let names = ["Planner", "Worker", "Analyst"];
    let file = TeamFile::new("team", names.map(Participant::named)).with_max_turns(2);
    let (mut team, script) = scripted(file, &json!({"Planner": [plan], "Worker": ["done"]}));
    let result = team.run("go").await.unwrap();
    assert_eq!(result.messages[1].to_text(), plan);
    let own = team.perspective("Planner");
    assert!(own.iter().any(|seen| seen.content == plan), "{own:?}");
    let read = &script.heard("Worker").prompts[0];
    let framed = "Planner: Worker: find his rebounds.\n  1. Analyst : add them up";
    assert!(read.contains(framed), "{read}");
}

/// A clock that goes on by a second whenever it is read; it began on 14 November 2023.
fn ticking() -> u64 {
    static SECONDS: AtomicU64 = AtomicU64::new(1_700_000_000);
    SECONDS.fetch_add(1, Ordering::SeqCst) * 1_000
}

#[tokio::test]
async fn messages_are_dated_when_they_are_said() {
    let file = TeamFile::new("team", ["A", "B"].map(Participant::named)).with_max_turns(2);
    let mut team = team(file, &Scripted::new(&json!({})));
    team.engine().settings.clock = Some(ticking);
    let result = team.run("hi").await.unwrap();
    let times = result.messages.iter().map(|told| told.created_at.as_str());
    let times: Vec<_> = times.collect();
    assert!(times.is_sorted() && times[0] != times[2], "{times:?}");
    let is_dated = |time: &&str| time.starts_with("2023-11-14T22:13:2");
    assert!(times.iter().all(is_dated), "{times:?}");
    // The world has no clock, so its state says nothing of times.
    let state = team.save_state().unwrap();
    let manager = &state["agent_states"]["RoundRobinGroupChatManager"];
    assert_eq!(manager["message_thread"][0]["created_at"], Value::Null);
    assert!(!state.to_string().contains("2023-11-14"));
}
