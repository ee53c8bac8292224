//! The first tutorials of AgentScope, as teams of this library: an agent that acts by tools and
//! keeps notes, and a conversation in which everybody hears everybody.
//!
//! Run it with `cargo run --example agentscope_first_day`. It needs no network: the answers are in
//! scripts. For a model, use a mind of `playhouse::mind::http` instead of a [`ScriptMind`].
#![expect(clippy::print_stdout, reason = "it prints the conversations")]

use std::error::Error;

use playhouse::groupchat::team::{Fold, Participant, TeamFile};
use playhouse::groupchat::{ChatGame, Team};
use playhouse::mind::{Minds, ScriptLine, ScriptMind};
use playhouse::world_data::DataFolder;
use serde_json::json;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn game(file: TeamFile) -> Outcome<ChatGame> {
    ChatGame::new(&DataFolder::embedded(), file).map_err(|found| found.to_string().into())
}

// --- an agent that reasons and acts: tools, a memory that stays, a conversation that folds ---

async fn react_agent() -> Outcome {
    let mut friday =
        Participant::named("Friday").with_system_message("You are Friday, a helpful assistant.");
    friday.tools = vec!["calculate".into(), "remember".into()];
    friday.max_tool_iterations = 4;
    let mut file = TeamFile::solo(friday);
    file.user = "Jo".into();
    file.fold = Some(Fold::default());
    let script = ScriptMind::lines([
        (
            "Friday",
            ScriptLine::call([
                ("calculate", json!({"expression": "12 * 38"})),
                ("remember", json!({"note": "Jo runs a bakery."})),
            ]),
        ),
        (
            "Friday",
            ScriptLine::say("A dozen trays of 38 are 456 rolls."),
        ),
        ("Friday", ScriptLine::say("A bakery, Jo.")),
    ]);
    let mut agent = Team::new(game(file)?, Minds::from(script), 1)?;
    let tasks = [
        "My bakery needs 12 trays of 38 rolls. How many rolls?",
        "What do I run?",
    ];
    for task in tasks {
        let result = agent.run(task).await?;
        for message in &result.messages {
            println!(
                "{} ({}): {}",
                message.source,
                message.type_name(),
                message.to_text()
            );
        }
        // The conversation is forgotten, the notes are not.
        agent.reset().await?;
    }
    println!("Friday remembers: {}", agent.memory("Friday").join(" "));
    Ok(())
}

// --- a hub: whatever one says, all others hear; people come and go ---

async fn hub() -> Outcome {
    let names = ["Alice", "Bob", "Charlie"];
    let mut file = TeamFile::new("hub", names.map(Participant::named)).with_max_turns(3);
    file.open = true;
    let say = ScriptLine::say;
    let script = ScriptMind::lines([
        ("Alice", say("I am Alice, and I teach.")),
        ("Bob", say("Bob. I build bridges.")),
        ("Charlie", say("Charlie; I heal cats.")),
        ("Alice", say("Bob has left; so it's us, Charlie.")),
        ("Charlie", say("Us, yes.")),
        ("Alice", say("Good.")),
    ]);
    let mut team = Team::new(game(file)?, Minds::from(script), 1)?;
    let mut messages = team.run("Introduce yourselves, please.").await?.messages;
    team.user_proxy().leave("Bob");
    messages.extend(team.run("Who is still here?").await?.messages);
    for message in messages {
        println!("{}: {}", message.source, message.to_text());
    }
    println!("Bob heard {} messages", team.perspective("Bob").len());
    Ok(())
}

#[tokio::main]
async fn main() -> Outcome {
    react_agent().await?;
    hub().await
}
