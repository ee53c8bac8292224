//! Group chats: what a team promises. The cases agreed on with AutoGen AgentChat and AG2 are files
//! of data in `tests/agentchat/`; `cases.rs` describes their format.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::sync::Arc;

use futures_util::StreamExt;
use playhouse_engine::mind::Minds;
use playhouse_engine::world_data::DataFolder;
use playhouse_groupchat::message::ChatMessage;
use playhouse_groupchat::team::{Participant, TeamFile};
use playhouse_groupchat::{ChatGame, StreamItem, Task, Team};
use serde_json::Value;

use cases::short;
use minds::Scripted;

mod cases;
mod counting;
mod defence;
#[path = "../../../tools/tests/tools/example.rs"]
mod example;
mod examples;
mod faults;
#[path = "../../../tools/tests/tools/http.rs"]
mod http;
mod minds;
#[path = "../../../interop/tests/conformance/runner.rs"]
mod runner;
mod running;
mod saving;
mod shared_texts;
mod states;
mod streaming;
mod tasks;

fn game(file: TeamFile) -> ChatGame {
    ChatGame::new(&DataFolder::at("../../data").unwrap(), file).unwrap()
}

fn team(file: TeamFile, script: &Scripted) -> Team {
    Team::new(game(file), Minds::all(Arc::new(script.clone())), 7).unwrap()
}

/// A team whose participants answer by these lines, and their script.
fn scripted(file: TeamFile, lines: &Value) -> (Team, Scripted) {
    let script = Scripted::new(lines);
    (team(file, &script), script)
}

/// A team whose participants count their turns, and what they were asked.
fn unscripted(file: TeamFile) -> (Team, Scripted) {
    scripted(file, &Value::Null)
}

/// A participant who may call a tool.
fn caller(name: &str, tool: &str) -> Participant {
    Participant {
        tools: vec![tool.into()],
        ..Participant::named(name)
    }
}

fn three() -> TeamFile {
    TeamFile::new("team", ["A", "B", "C"].map(Participant::named))
}

fn texts(messages: &[ChatMessage]) -> Vec<String> {
    messages.iter().map(short).collect()
}

/// Plays a run, in which this is said.
async fn assert_told(team: &mut Team, task: impl Into<Task>, wanted: &[&str]) {
    let result = team.run(task).await.unwrap();
    assert_eq!(texts(&result.messages), wanted);
}

/// The text has all of these words.
#[track_caller]
fn has(text: &str, words: &[&str]) {
    for words in words {
        assert!(text.contains(words), "'{words}' is not in: {text}");
    }
}

/// The text has none of these words.
#[track_caller]
fn lacks(text: &str, words: &[&str]) {
    for words in words {
        assert!(!text.contains(words), "'{words}' is in: {text}");
    }
}

/// Plays a run; `then` is called after each message, with how many there were.
async fn watched(team: &mut Team, task: &str, mut then: impl FnMut(usize)) -> Vec<String> {
    let mut told = Vec::new();
    let mut stream = Box::pin(team.run_stream(task).unwrap());
    while let Some(item) = stream.next().await {
        if let StreamItem::Message(message) = item.unwrap() {
            told.push(short(&message));
            then(told.len());
        }
    }
    told
}

/// Begins a run, and gives it up after so many messages.
async fn left_after(team: &mut Team, task: &str, messages: usize) {
    let mut stream = Box::pin(team.run_stream(task).unwrap());
    for _ in 0..messages {
        let item = stream.next().await;
        assert!(matches!(item, Some(Ok(StreamItem::Message(_)))));
    }
}
