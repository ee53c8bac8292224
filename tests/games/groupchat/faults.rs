//! Errors in a conversation are reported, and end the run.

use std::sync::Arc;
use std::time::Duration;

use playhouse::groupchat::team::{Participant, Selection, TeamFile};
use playhouse::groupchat::{ChatGame, Functions, Team};
use playhouse::mind::Minds;
use playhouse::tool::{NoArguments, Toolbox};
use playhouse::world_data::DataFolder;
use serde_json::{Value, json};

use super::minds::Scripted;

fn set_up(
    file: TeamFile,
    change: impl FnOnce(ChatGame) -> ChatGame,
    lines: &Value,
) -> (Team, Scripted) {
    let game = change(ChatGame::new(&DataFolder::at("data").unwrap(), file).unwrap());
    let script = Scripted::new(lines);
    let team = Team::new(game, Minds::all(Arc::new(script.clone())), 7).unwrap();
    (team, script)
}

fn three(selection: Selection) -> TeamFile {
    TeamFile::new("team", ["A", "B", "C"].map(Participant::named)).with_selection(selection)
}

#[tokio::test]
async fn a_selector_that_names_nobody_ends_the_run_with_a_reason() {
    let file = three(Selection::selector()).with_max_turns(100);
    let (mut team, script) = set_up(file, |game| game, &json!({"team": vec!["zzz"; 60]}));
    let result = team.run("hi").await.unwrap();
    assert!(result.stop_reason.unwrap().contains("named nobody 3 times"));
    assert_eq!(script.heard("team").prompts.len(), 9, "three attempts each");
}

#[tokio::test]
async fn a_tool_that_hangs_or_is_unknown_is_an_error_result_and_the_run_goes_on() {
    let mut file = three(Selection::RoundRobin).with_max_turns(2);
    file.participants[0].tools = vec!["hang".into()];
    let hang = |toolbox: &mut Toolbox| {
        toolbox.add_async("hang", "Hangs.", |_: NoArguments| async {
            std::future::pending::<()>().await;
            Ok(())
        });
        toolbox.change("hang", |tool| {
            tool.with_time_limit(Duration::from_millis(20))
        });
    };
    let lines = json!({"A": [{"calls": [["1", "hang", {}], ["2", "gone", {}]]}]});
    let (mut team, _) = set_up(file, |game| game.with_tools(hang), &lines);
    let result = team.run("hi").await.unwrap();
    let summary = result
        .messages
        .iter()
        .find(|message| message.type_name() == "ToolCallSummaryMessage");
    let summary = summary.unwrap().to_text();
    assert!(
        summary.contains("0.02") && summary.contains("gone"),
        "{summary}"
    );
    assert_eq!(result.last().unwrap().source, "B");
}

#[tokio::test]
async fn a_handoff_to_nobody_is_sent_back_and_then_ends_the_run() {
    let mut file = three(Selection::Swarm).with_max_turns(4);
    file.participants[0] = file.participants[0].clone().with_handoff("B");
    let wrong = json!({"text": {"message": "go", "handoff": "Zed"}});
    let lines =
        json!({"A": [wrong, {"text": {"message": "go", "handoff": "B"}}], "B": ["b", "b", "b"]});
    let (mut team, script) = set_up(file.clone(), |game| game, &lines);
    let result = team.run("hi").await.unwrap();
    assert_eq!(result.messages[2].source, "B");
    assert!(script.heard("A").complaints[0].contains("Zed"));

    let (mut team, _) = set_up(file, |game| game, &json!({"A": vec![wrong_again(); 9]}));
    let error = team.run("hi").await.unwrap_err().to_string();
    assert!(error.contains("Zed") && error.contains('A'), "{error}");
}

fn wrong_again() -> Value {
    json!({"text": {"message": "go", "handoff": "Zed"}})
}

#[tokio::test]
async fn a_function_that_was_not_given_or_names_nobody_who_is_there_ends_the_run() {
    let file = || three(Selection::Function("who".into())).with_max_turns(3);
    let (mut team, _) = set_up(file(), |game| game, &Value::Null);
    let error = team.run("hi").await.unwrap_err().to_string();
    assert!(error.contains("'who'"), "{error}");
    let zed = Functions::default().with_selector("who", |_| Some("Zed".into()));
    let (mut team, _) = set_up(file(), |game| game.with_functions(zed), &Value::Null);
    let error = team.run("hi").await.unwrap_err().to_string();
    assert!(
        error.contains("'Zed'") && error.contains("A, B, C"),
        "{error}"
    );
}

#[tokio::test]
async fn a_tool_that_nobody_has_is_told_before_anybody_speaks() {
    let mut file = three(Selection::RoundRobin).with_max_turns(2);
    file.participants[1].tools = vec!["wether".into()];
    let (mut team, script) = set_up(file, |game| game, &Value::Null);
    let error = team.run("hi").await.unwrap_err().to_string();
    assert!(
        error.contains('B') && error.contains("wether") && error.contains("calculate"),
        "{error}"
    );
    assert_eq!(script.calls(), 0);
}

#[tokio::test]
async fn results_of_tools_are_put_into_words_by_a_function_of_the_user() {
    let mut file = three(Selection::RoundRobin).with_max_turns(1);
    file.participants[0].tools = vec!["calculate".into()];
    file.participants[0].tool_call_summary = "short".into();
    let lines = json!({"A": [{"calls": [["1", "calculate", {"expression": "6 * 7"}]]}]});
    let short = Functions::default().with_tool_call_formatter("short", |call, result| {
        format!("{} gives {}", call.arguments, result.content)
    });
    let (mut team, _) = set_up(file, |game| game.with_functions(short), &lines);
    let result = team.run("hi").await.unwrap();
    assert_eq!(
        result.last().unwrap().to_text(),
        "{\"expression\":\"6 * 7\"} gives 42"
    );
}
