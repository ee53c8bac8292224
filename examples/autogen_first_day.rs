//! The first tutorials of AutoGen AgentChat, as teams of this library: an agent with a tool, a
//! selector, a swarm, a graph, a person in the loop, and a saved state.
//!
//! Run it with `cargo run --example autogen_first_day`. It needs no network: the answers are in
//! scripts. For a model, use a mind of `playhouse::mind::http` instead of a [`ScriptMind`].
#![expect(clippy::print_stdout, reason = "it prints the conversations")]

use std::error::Error;
use std::sync::Arc;

use futures_util::StreamExt;
use playhouse::groupchat::team::{
    EdgeFile, GraphFile, Participant, ParticipantKind, Selection, TeamFile,
};
use playhouse::groupchat::termination::Termination;
use playhouse::groupchat::{ChatGame, StreamItem, TaskResult, Team};
use playhouse::mind::{Minds, ScriptLine, ScriptMind};
use playhouse::tool::{ToolError, Toolbox};
use playhouse::world_data::DataFolder;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// A mind that says these lines, in order for each name.
fn said(lines: &[(&str, &str)]) -> ScriptMind {
    let lines = lines.iter();
    ScriptMind::lines(lines.map(|(name, line)| (*name, ScriptLine::say(*line))))
}

fn team(file: TeamFile, minds: impl Into<Minds>) -> Outcome<Team> {
    Ok(Team::new(game(file)?, minds.into(), 1)?)
}

fn game(file: TeamFile) -> Outcome<ChatGame> {
    ChatGame::new(&DataFolder::embedded(), file).map_err(|problems| problems.to_string().into())
}

/// Runs a task and prints each message when it comes.
async fn console(team: &mut Team, task: &str) -> Outcome<TaskResult> {
    let mut stream = Box::pin(team.run_stream(task)?);
    while let Some(item) = stream.next().await {
        match item? {
            StreamItem::Message(message) => {
                println!("{} ({})", message.type_name(), message.source);
                println!("  {}", message.to_text());
            }
            StreamItem::Retracted(retracted) => println!("retracted by {}", retracted.source),
            StreamItem::Result(result) => {
                println!("  = {}", result.stop_reason.as_deref().unwrap_or("paused"));
                return Ok(result);
            }
        }
    }
    Err("the stream ended without a result".into())
}

// --- quickstart: one agent with a tool ---

#[derive(Deserialize, JsonSchema)]
struct City {
    /// The name of the city.
    city: String,
}

fn tools(toolbox: &mut Toolbox) {
    toolbox.add_pure(
        "get_weather",
        "Tells the weather of a city.",
        |_, city: City| Ok::<_, ToolError>(format!("{}: 23 °C and sunny.", city.city)),
    );
}

async fn quickstart() -> Outcome {
    let mut agent = Participant::named("weather_agent")
        .with_system_message("You answer questions about the weather.");
    agent.tools = vec!["get_weather".into()];
    agent.reflect_on_tool_use = Some(true);
    agent.stream = true;
    let script = ScriptMind::lines([
        (
            "weather_agent",
            ScriptLine::call([("get_weather", json!({"city": "Lisbon"}))]),
        ),
        (
            "weather_agent",
            ScriptLine::say("It is sunny in Lisbon, at 23 °C."),
        ),
    ]);
    let game = game(TeamFile::solo(agent))?.with_tools(tools);
    let mut team = Team::new(game, script.into(), 1)?;
    console(&mut team, "What is the weather in Lisbon?").await?;
    Ok(())
}

// --- selector group chat: a planner and two specialists ---

async fn selector() -> Outcome {
    let planner = Participant::named("Planner")
        .with_description("Splits tasks; speaks first.")
        .with_system_message("You split the task. When all is done, say TERMINATE.");
    let search = Participant::named("Searcher").with_description("Finds figures.");
    let analyst = Participant::named("Analyst").with_description("Computes with figures.");
    let file = TeamFile::new("research", [planner, search, analyst])
        .with_selection(Selection::selector())
        .with_termination(Termination::terminate())
        .with_termination(Termination::max_messages(25));
    let script = said(&[
        ("research", "Planner"),
        (
            "Planner",
            "Searcher: find the rainfall. Analyst: compare the years.",
        ),
        ("research", "Searcher"),
        ("Searcher", "610 mm in 2019, 671 mm in 2020."),
        ("research", "Analyst"),
        ("Analyst", "That is 10 % more."),
        ("research", "Planner"),
        ("Planner", "It rained 10 % more. TERMINATE"),
    ]);
    let mut team = team(file, script)?;
    console(&mut team, "Did it rain more in 2020 than in 2019?").await?;
    Ok(())
}

// --- swarm: agents hand over to each other and to the user ---

async fn swarm() -> Outcome {
    let desk = Participant::named("Desk")
        .with_system_message("You help travellers. Hand refunds over.")
        .with_handoff("Refunds")
        .with_handoff("user");
    let refunds = Participant::named("Refunds")
        .with_handoff("Desk")
        .with_handoff("user");
    let file = TeamFile::new("travel", [desk, refunds])
        .with_selection(Selection::Swarm)
        .with_termination(Termination::Handoff {
            target: "user".into(),
        })
        .with_termination(Termination::terminate())
        .with_max_turns(20);
    let script = said(&[
        ("Desk", r#"{"message": "A refund.", "handoff": "Refunds"}"#),
        (
            "Refunds",
            r#"{"message": "Which flight?", "handoff": "user"}"#,
        ),
        ("Refunds", r#"{"message": "Refunded.", "handoff": "Desk"}"#),
        ("Desk", "All done. TERMINATE"),
    ]);
    let mut team = team(file, script)?;
    console(&mut team, "I want my money back.").await?;
    // The run ended with a question to the user; the answer goes to whoever asked.
    console(&mut team, "Flight 507.").await?;
    Ok(())
}

// --- graph flow: a writer, two editors at the same time, and a last reader ---

async fn graph() -> Outcome {
    let names = ["writer", "grammar", "style", "reviewer"];
    let edges = [
        ("writer", "grammar"),
        ("writer", "style"),
        ("grammar", "reviewer"),
        ("style", "reviewer"),
    ];
    let graph = GraphFile {
        edges: edges.map(|(from, to)| EdgeFile::new(from, to)).into(),
        ..GraphFile::default()
    };
    let file = TeamFile::new("flow", names.map(Participant::named))
        .with_selection(Selection::Graph(graph));
    let script = said(&[
        ("writer", "Bees dances to say where flowers is."),
        ("grammar", "Bees dance; flowers are."),
        ("style", "Shorter: bees dance directions."),
        ("reviewer", "Bees dance to say where flowers are."),
    ]);
    let mut team = team(file, script)?;
    console(&mut team, "A sentence about bees.").await?;
    Ok(())
}

// --- a person in the loop, who approves ---

async fn person_in_the_loop() -> Outcome {
    let mut person = Participant::named("user_proxy");
    person.kind = ParticipantKind::Person;
    let file = TeamFile::new("poetry", [Participant::named("assistant"), person])
        .with_termination(Termination::mention("APPROVE"))
        .with_max_turns(20);
    let poet = said(&[
        ("assistant", "The sea is wide."),
        ("assistant", "The sea is wide, and so is noon."),
    ]);
    // `HumanMind` asks at a terminal; a mind of your own may ask on a web page.
    let reader = said(&[("user_proxy", "Longer."), ("user_proxy", "APPROVE")]);
    let minds = Minds::from(poet).with_seat("user_proxy", Arc::new(reader));
    let mut team = team(file, minds)?;
    console(&mut team, "A line about the sea.").await?;
    Ok(())
}

// --- state: saved by one team, continued by another ---

async fn state() -> Outcome {
    let file = || TeamFile::solo(Participant::named("assistant"));
    let poem = said(&[("assistant", "Tall ships, slow hours.")]);
    let mut first = team(file(), poem)?;
    console(&mut first, "Four words on harbours.").await?;
    let state = serde_json::to_string(&first.save_state()?)?;

    let again = said(&[("assistant", "They were: tall ships, slow hours.")]);
    let mut second = team(file(), again)?;
    second.load_state(&serde_json::from_str(&state)?)?;
    console(&mut second, "What were the words?").await?;
    println!(
        "  {} messages are remembered",
        second.perspective("assistant").len()
    );
    Ok(())
}

#[tokio::main]
async fn main() -> Outcome {
    quickstart().await?;
    selector().await?;
    swarm().await?;
    graph().await?;
    person_in_the_loop().await?;
    state().await
}
