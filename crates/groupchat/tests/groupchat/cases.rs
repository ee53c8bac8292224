//! The cases of `tests/agentchat/`, of which only the members that an expected object
//! names are compared. The operations are:
//! - `create` creates a message.
//! - `structured` formats a structured message.
//! - `watch` checks a termination condition against deltas.
//! - `mistakes` checks a team.
//! - `mentions` finds names.
//! - `run` plays a team: `team`, `lines` by entity, and `steps`: `{"run": task}`,
//!   `{"stream": task}` with all items of its stream, `{"go_on": true}`, `{"reset": true}` and
//!   `{"reload": true}`. `allow_code` allows processes; `team_tools` are teams that participants
//!   call.
//! - `tool` calls a team as a tool.
//! - `drop` drops a stream after `take` items.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::StreamExt;
use playhouse_engine::message::Language;
use playhouse_engine::mind::Minds;
use playhouse_engine::world_data::DataFolder;
use playhouse_groupchat::message::{ChatContent, ChatMessage, MessageFactory, Structured};
use playhouse_groupchat::team::TeamFile;
use playhouse_groupchat::termination::{DeltaContext, Termination, TerminationState};
use playhouse_groupchat::{
    ChatError, ChatGame, Functions, StreamItem, Task, TaskResult, Team, TeamTool, mentions,
};
use playhouse_tools::code::CodePolicy;
use playhouse_tools::{ToolError, Toolbox};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::example::example;
use super::minds::Scripted;
use super::runner::{Operation, Runner};

/// A message in short: `a:text`, `a!stop text`, `a>b text`, or the JSON of one.
pub(crate) fn message(value: &Value) -> ChatMessage {
    let Some(text) = value.as_str() else {
        return serde_json::from_value(value.clone()).unwrap();
    };
    let mark = text.find([':', '!', '>']).unwrap();
    let (source, rest) = (&text[..mark], &text[mark + 1..]);
    match text.as_bytes()[mark] {
        b':' => ChatMessage::text(source, rest),
        b'!' => ChatMessage::stop(source, rest),
        _ => {
            let (target, said) = rest.split_once(' ').unwrap_or((rest, ""));
            ChatMessage::handoff(source, target, said)
        }
    }
}

fn messages(value: &Value) -> Vec<ChatMessage> {
    value.as_array().unwrap().iter().map(message).collect()
}

/// The short form of a message.
pub(crate) fn short(message: &ChatMessage) -> String {
    match &message.content {
        ChatContent::Text(text) => format!("{}:{text}", message.source),
        ChatContent::Stop(text) => format!("{}!{text}", message.source),
        ChatContent::Handoff {
            target, content, ..
        } => format!("{}>{target} {content}", message.source),
        _ => {
            let (name, text) = (message.type_name(), message.to_text());
            format!("{name} ({}) {text}", message.source)
        }
    }
}

/// The functions that teams of cases use.
pub(crate) fn functions() -> Functions {
    Functions::default()
        .with_termination("more than one", |delta| delta.len() > 1)
        .with_selector("C after user", |conversation| {
            let last = conversation.delta().last()?;
            (last.source == "user").then(|| "C".to_owned())
        })
        .with_selector("Z", |_| Some("Z".to_owned()))
        .with_selector("nobody", |_| None)
        .with_candidates("A and B", |_| vec!["A".into(), "B".into()])
        .with_candidates("B", |_| vec!["B".into()])
        .with_candidates("nobody", |_| Vec::new())
}

#[derive(Deserialize, JsonSchema)]
struct Look {
    at: String,
}

#[derive(Deserialize, JsonSchema)]
struct Anything {}

/// The tools that teams of cases use.
fn tools(toolbox: &mut Toolbox) {
    toolbox.add_pure("look", "Looks at something.", |_, look: Look| {
        Ok(format!("saw {}", look.at))
    });
    toolbox.add_pure(
        "bad",
        "Fails.",
        |_, _: Anything| -> Result<String, ToolError> { Err("no light".into()) },
    );
}

/// A team of a case, ready to run.
fn team(input: &Value, script: &Scripted) -> Result<Team, String> {
    let minds = Minds::all(Arc::new(script.clone()));
    let mut game = game(&input["team"])?;
    game = game.with_code(CodePolicy {
        allow_processes: input.get("allow_code").is_some(),
        script_program: Some(example("script")),
        ..CodePolicy::default()
    });
    for tool in input["team_tools"].as_array().into_iter().flatten() {
        let inner = TeamTool::new(self::game(&tool["team"])?, minds.clone());
        game = game.with_team_tool(tool["name"].as_str().unwrap(), "Asks others.", inner);
    }
    Team::new(game, minds, 7).map_err(|error| error.to_string())
}

fn game(file: &Value) -> Result<ChatGame, String> {
    let file: TeamFile = serde_json::from_value(file.clone()).map_err(|error| error.to_string())?;
    let data = DataFolder::at("../../data").unwrap();
    let game = ChatGame::new(&data, file).map_err(|problems| problems.to_string())?;
    Ok(game.with_functions(functions()).with_tools(tools))
}

fn create(input: &Value) -> Result<Value, String> {
    let mut factory = MessageFactory::new();
    if let Some(name) = input.get("register").and_then(Value::as_str) {
        let registered = factory.register::<Value>(name);
        registered.map_err(|error| error.to_string())?;
    }
    let data = input.get("data").cloned().unwrap_or_default();
    let message = factory.create(data).map_err(|error| error.to_string())?;
    let again = factory.create(message.dump());
    Ok(json!({
        "dump": message.dump(), "text": message.to_text(), "model_text": message.to_model_text(),
        "is_event": message.is_event(), "round_trip": again.as_ref() == Ok(&message),
    }))
}

fn structured(input: &Value) -> Result<Value, String> {
    let content = ChatContent::Structured(Structured {
        content: input["content"].clone(),
        content_type: "Quest".into(),
        format_string: input["format_string"].as_str().map(Into::into),
    });
    let message = ChatMessage::new("a", content);
    Ok(json!({"text": message.to_text(), "model_text": message.to_model_text()}))
}

fn watch(input: &Value) -> Result<Value, String> {
    let condition: Termination =
        serde_json::from_value(input["rule"].clone()).map_err(|error| error.to_string())?;
    if let Some((mistake, _)) = condition.mistake() {
        return Err(mistake.to_string());
    }
    let mut state = TerminationState::new(condition);
    let functions = functions();
    let mut said = Vec::new();
    for delta in input["deltas"].as_array().unwrap() {
        let number = |name: &str| delta.get(name).and_then(Value::as_u64).unwrap_or(0);
        let context = DeltaContext {
            turns: number("turns") as u32,
            elapsed_ms: number("elapsed_ms"),
            external: delta.get("external").is_some(),
            functions: &functions,
            language: Language::En,
        };
        let list = delta.get("messages").unwrap_or(delta).as_array();
        let list: Vec<_> = list.into_iter().flatten().map(message).collect();
        said.push(match state.check(&list, context) {
            Ok(Some(stop)) => json!({"content": stop.content, "source": stop.source}),
            Ok(None) => Value::Null,
            Err(_) => "already reached".into(),
        });
    }
    state.reset();
    Ok(json!({"said": said, "terminated_after_reset": state.terminated()}))
}

fn mistakes(input: &Value) -> Result<Value, String> {
    team(&json!({"team": input}), &Scripted::new(&Value::Null)).map(|_| Value::Null)
}

fn found(input: &Value) -> Result<Value, String> {
    let names = input["names"].as_array().unwrap().iter();
    let names: Vec<&str> = names.filter_map(Value::as_str).collect();
    Ok(json!(mentions(input["text"].as_str().unwrap(), &names)))
}

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap()
}

fn run(input: &Value) -> Result<Value, String> {
    runtime().block_on(play(input))
}

/// The result of a team that is called as a tool.
fn tool(input: &Value) -> Result<Value, String> {
    let task = input["task"].as_str().unwrap();
    let caller = json!({"calls": [["1", "team", {"task": task}]]});
    let mut lines = input["lines"].as_object().cloned().unwrap_or_default();
    lines.insert("caller".into(), json!([caller]));
    let script = Scripted::new(&Value::Object(lines));
    let minds = Minds::all(Arc::new(script.clone()));
    let inner = TeamTool {
        return_value_as_last_message: input.get("last_alone").is_some(),
        ..TeamTool::new(game(&input["team"])?, minds.clone())
    };
    let caller = json!({
        "name": "outer", "max_turns": 1, "participants": [{"name": "caller", "tools": ["team"]}],
    });
    let outer = game(&caller)?.with_team_tool("team", "Asks others.", inner);
    let mut outer = Team::new(outer, minds, 7).map_err(|error| error.to_string())?;
    let result = runtime().block_on(outer.run("hi"));
    let result = result.map_err(|error| error.to_string())?;
    Ok(result.last().map(ChatMessage::to_text).into())
}

fn drop_stream(input: &Value) -> Result<Value, String> {
    let script = Scripted::new(&input["lines"]);
    let mut team = team(input, &script)?;
    runtime().block_on(async {
        let mut stream = Box::pin(team.run_stream("hi").unwrap());
        for _ in 0..input["take"].as_u64().unwrap() {
            stream.next().await.unwrap().unwrap();
        }
    });
    Ok(json!({"calls": script.calls()}))
}

/// The result of a run, and the items of its stream before it.
async fn stream(team: &mut Team, task: Task) -> (Result<TaskResult, ChatError>, Value) {
    let mut stream = Box::pin(team.run_stream(task).unwrap());
    let mut given = Vec::new();
    while let Some(item) = stream.next().await {
        match item {
            Ok(StreamItem::Message(message)) => given.push(short(&message)),
            Ok(StreamItem::Retracted(retracted)) => {
                given.push(format!("dropped ({})", retracted.source))
            }
            Ok(StreamItem::Result(result)) => return (Ok(result), json!(given)),
            Err(error) => return (Err(error), json!(given)),
        }
    }
    panic!("no result after {given:?}");
}

async fn play(input: &Value) -> Result<Value, String> {
    let script = Scripted::new(&input["lines"]);
    let mut team = team(input, &script)?;
    let mut runs = Vec::new();
    let mut usage = 0;
    for step in input["steps"].as_array().unwrap() {
        if step.get("reset").is_some() {
            team.reset().await.map_err(|error| error.to_string())?;
            runs.push(Value::Null);
            continue;
        }
        if step.get("reload").is_some() {
            let state = team.save_state().map_err(|error| error.to_string())?;
            team.load_state(&state).map_err(|error| error.to_string())?;
            team.load_state(&state).map_err(|error| error.to_string())?;
            continue;
        }
        let streams = step.get("stream").is_some();
        let task = match step.get("run").or(step.get("stream")) {
            Some(Value::String(words)) => Task::from(words.as_str()),
            Some(list) => Task::from(messages(list)),
            None => Task::continue_run(),
        };
        let (result, stream) = if streams {
            stream(&mut team, task).await
        } else {
            (team.run(task).await, Value::Null)
        };
        runs.push(match result {
            Ok(result) => {
                usage += result.usage.total_tokens();
                let told = result.messages.iter().map(short).collect::<Vec<_>>();
                json!({"messages": told, "stop": result.stop_reason, "stream": stream})
            }
            Err(ChatError::Run(reason)) => json!({"error": reason}),
            Err(error) => return Err(error.to_string()),
        });
    }
    let teams = team.file().nested();
    let mut names: Vec<&str> = teams.iter().flat_map(|team| team.names()).collect();
    names.push(&team.file().user);
    names.extend(teams.iter().map(|team| team.name.as_str()));
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    let mut out: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for name in &names {
        let heard = script.heard(name);
        let mut put = |member, value| out.entry(member).or_default().insert(name.clone(), value);
        put("delivered", json!(heard.delivered));
        put("views", json!(heard.views));
        put("prompts", json!(heard.prompts));
        put("complaints", json!(heard.complaints));
        put("calls", heard.prompts.len().into());
        let store = team.perspective(name).into_iter();
        let store = store.map(|s| json!([s.role, s.name, s.content]));
        put("stores", store.collect());
    }
    let current = team.chat().current.clone();
    let state = team.save_state().map_err(|error| error.to_string())?;
    let keys = |value: &Value| {
        let agents = value["agent_states"].as_object().into_iter().flatten();
        agents.map(|(key, _)| key.clone()).collect::<Vec<_>>()
    };
    let inner = state["agent_states"].as_object().into_iter().flatten();
    let inner: BTreeMap<_, _> = inner
        .map(|(name, state)| (name.clone(), keys(&state["agent_state"])))
        .filter(|(_, keys)| !keys.is_empty())
        .collect();
    let mut result = json!({
        "runs": runs, "current": current, "usage": usage, "state_keys": keys(&state), "inner_state_keys": inner,
    });
    for (member, values) in out {
        result[member] = Value::Object(values);
    }
    Ok(result)
}

const OPERATIONS: &[(&str, Operation)] = &[
    ("create", create),
    ("structured", structured),
    ("watch", watch),
    ("mistakes", mistakes),
    ("mentions", found),
    ("run", run),
    ("tool", tool),
    ("drop", drop_stream),
];

/// The first difference. Members that are not expected are ignored; `{"has": [..]}` lists parts of
/// a text.
fn difference(path: &str, expected: &Value, got: &Value) -> Option<String> {
    let parts = expected.get("has").and_then(Value::as_array);
    if let (Some(parts), Some(text)) = (parts, got.as_str()) {
        let mut parts = parts.iter();
        let missing = parts.find(|part| !text.contains(part.as_str().unwrap()));
        return missing.map(|part| format!("{path}: {part} is missing in {text}"));
    }
    match (expected, got) {
        (Value::Object(expected), Value::Object(got)) => {
            expected.iter().find_map(|(key, value)| {
                let path = format!("{path}.{key}");
                difference(&path, value, got.get(key).unwrap_or(&Value::Null))
            })
        }
        (Value::Array(expected), Value::Array(got)) if expected.len() == got.len() => {
            let mut pairs = expected.iter().zip(got).enumerate();
            pairs.find_map(|(index, (expected, got))| {
                difference(&format!("{path}[{index}]"), expected, got)
            })
        }
        _ if expected == got => None,
        _ => Some(format!("{path}:\n  expected {expected}\n  got      {got}")),
    }
}

#[test]
fn every_case_holds() {
    let runner = Runner {
        operations: &[OPERATIONS],
        difference: |expected, got| difference("", expected, got),
    };
    runner.check_all("tests/agentchat");
}
