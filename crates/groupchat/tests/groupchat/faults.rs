//! Errors in a conversation are reported, and end the run.

use std::sync::Arc;
use std::time::Duration;

use playhouse_engine::mind::Minds;
use playhouse_groupchat::message::ChatMessage;
use playhouse_groupchat::team::{Selection, TeamFile};
use playhouse_groupchat::{ChatGame, Functions, Task, Team};
use playhouse_tools::{NoArguments, Toolbox};
use serde_json::{Value, json};

use super::minds::Scripted;
use super::{caller, game, has, scripted, unscripted};

fn set_up(
    file: TeamFile,
    change: impl FnOnce(ChatGame) -> ChatGame,
    lines: &Value,
) -> (Team, Scripted) {
    let game = change(game(file));
    let script = Scripted::new(lines);
    let team = Team::new(game, Minds::all(Arc::new(script.clone())), 7).unwrap();
    (team, script)
}

fn three(selection: Selection) -> TeamFile {
    super::three().with_selection(selection)
}

#[tokio::test]
async fn a_selector_that_names_nobody_ends_the_run_with_a_reason() {
    let file = three(Selection::selector()).with_max_turns(100);
    let (mut team, script) = scripted(file, &json!({"team": vec!["zzz"; 60]}));
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
        let limit = Duration::from_millis(20);
        toolbox.change("hang", |tool| tool.with_time_limit(limit));
    };
    let lines = json!({"A": [{"calls": [["1", "hang", {}], ["2", "gone", {}]]}]});
    let (mut team, _) = set_up(file, |game| game.with_tools(hang), &lines);
    let result = team.run("hi").await.unwrap();
    let mut messages = result.messages.iter();
    let summary = messages.find(|message| message.type_name() == "ToolCallSummaryMessage");
    let summary = summary.unwrap().to_text();
    has(&summary, &["0.02", "gone"]);
    assert_eq!(result.last().unwrap().source, "B");
}

#[tokio::test]
async fn a_handoff_to_nobody_is_sent_back_and_then_ends_the_run() {
    let mut file = three(Selection::Swarm).with_max_turns(4);
    file.participants[0] = file.participants[0].clone().with_handoff("B");
    let wrong = || json!({"text": {"message": "go", "handoff": "Zed"}});
    let right = json!({"text": {"message": "go", "handoff": "B"}});
    let lines = json!({"A": [wrong(), right], "B": ["b", "b", "b"]});
    let (mut team, script) = scripted(file.clone(), &lines);
    let result = team.run("hi").await.unwrap();
    assert_eq!(result.messages[2].source, "B");
    assert!(script.heard("A").complaints[0].contains("Zed"));

    let (mut team, _) = scripted(file, &json!({"A": vec![wrong(); 9]}));
    let error = team.run("hi").await.unwrap_err().to_string();
    assert!(error.contains("Zed") && error.contains('A'), "{error}");
}

#[tokio::test]
async fn a_handoff_in_json_keeps_its_text_its_context_and_the_thought() {
    let mut file = three(Selection::Swarm).with_max_turns(2);
    file.participants[0] = file.participants[0].clone().with_handoff("B");
    let own = json!({"message": "go", "handoff": "B"});
    let short = json!({"target": "B", "context": "the hall is free"});
    let of_autogen =
        json!({"type": "HandoffMessage", "source": "A", "target": "B", "context": {"day": 6}});
    for (answer, told, context) in [
        (own, "go", json!([])),
        (short, "Over to you, B", json!(["the hall is free"])),
        (of_autogen, "Over to you, B", json!([{"day": 6}])),
    ] {
        let answer = format!("Here it is:\n```json\n{answer}\n```");
        let lines = json!({"A": [{"text": answer, "thinking": "B knows more."}], "B": ["b"]});
        let (mut team, script) = scripted(file.clone(), &lines);
        let result = team.run("hi").await.unwrap();
        let names = result.messages.iter().map(ChatMessage::type_name);
        assert!(names.eq([
            "TextMessage", "ThoughtEvent", "HandoffMessage", "TextMessage"
        ]));
        assert!(result.messages[2].to_text().starts_with(told));
        let mut kept = result.messages[2].dump()["context"].take();
        let thought = kept.as_array_mut().unwrap().pop().unwrap();
        assert_eq!(kept, context.clone());
        assert_eq!(thought["content"].as_str(), Some("B knows more."));
        // The target alone is told the context; everybody the text.
        let heard = script.heard("B").prompts[0].clone();
        let wanted = context.as_array().unwrap().iter().map(|item| match item {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        for part in wanted.chain([told.to_owned(), "B knows more.".into()]) {
            assert!(heard.contains(&part), "{heard}");
        }
        let others = team.perspective("C");
        assert_eq!(others.len(), 3, "{others:?}");
        assert!(others[1].content.starts_with(told));
    }
}

#[tokio::test]
async fn a_participant_that_could_not_answer_is_asked_again_when_the_run_goes_on() {
    let file = three(Selection::RoundRobin).with_max_turns(3);
    let lines = json!({"B": [{"fail": "the server is gone"}, "b"]});
    let (mut team, script) = scripted(file, &lines);
    let error = team.run("hi").await.unwrap_err().to_string();
    has(&error, &["B", "the server is gone"]);
    assert_eq!(team.chat().stop.as_ref().unwrap().source, "Error");
    let rest = team.run(Task::continue_run()).await.unwrap();
    let said: Vec<_> = rest.messages.iter().map(ChatMessage::to_text).collect();
    assert_eq!(said, ["b", "C1", "A2"]);
    assert_eq!(script.heard("B").delivered[1], ["user:hi", "A:A1"]);
}

#[tokio::test]
async fn a_turn_fails_at_the_most_tool_iterations_if_that_is_wanted() {
    let call = || json!({"calls": [["1", "calculate", {"expression": "6 * 7"}]]});
    for (most, reflects, answers, outcome) in [
        (2, true, vec![call(), json!("42")], Ok("42")),
        (2, true, vec![call(), call(), json!("42")], Err("2")),
        (1, true, vec![call(), json!("42")], Err("1")),
        (2, false, vec![call(), call(), json!("42")], Err("2")),
        (1, false, vec![call()], Ok("42")),
    ] {
        let mut agent = caller("A", "calculate");
        agent.max_tool_iterations = most;
        agent.reflect_on_tool_use = Some(reflects);
        agent.fail_at_max_tool_iterations = true;
        let (mut team, _) = scripted(TeamFile::solo(agent), &json!({"A": answers}));
        let result = team.run("6 * 7?").await;
        match outcome {
            Ok(answer) => assert_eq!(result.unwrap().last().unwrap().to_text(), answer),
            Err(number) => {
                let error = result.unwrap_err().to_string();
                let wanted = format!("the maximum of {number} tool iterations");
                assert!(error.contains(&wanted), "{error}");
            }
        }
    }
}

#[tokio::test]
async fn a_function_that_was_not_given_or_names_nobody_who_is_there_ends_the_run() {
    let file = || three(Selection::Function("who".into())).with_max_turns(3);
    let (mut team, _) = unscripted(file());
    let error = team.run("hi").await.unwrap_err().to_string();
    assert!(error.contains("'who'"), "{error}");
    let zed = Functions::default().with_selector("who", |_| Some("Zed".into()));
    let (mut team, _) = set_up(file(), |game| game.with_functions(zed), &Value::Null);
    let error = team.run("hi").await.unwrap_err().to_string();
    has(&error, &["'Zed'", "A, B, C"]);
}

#[tokio::test]
async fn a_tool_that_nobody_has_is_told_before_anybody_speaks() {
    let mut file = three(Selection::RoundRobin).with_max_turns(2);
    file.participants[1].tools = vec!["wether".into()];
    let (mut team, script) = unscripted(file);
    let error = team.run("hi").await.unwrap_err().to_string();
    has(&error, &["B", "wether", "calculate"]);
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
    let told = "{\"expression\":\"6 * 7\"} gives 42";
    assert_eq!(result.last().unwrap().to_text(), told);
}
