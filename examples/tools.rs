//! Tools: gamblers look into their purse, ask a raven and throw dice before they name their stake.
//!
//! Run it with `cargo run --example tools`. The improviser answers, which calls the tools that its
//! question names; a model over HTTP would call them as it sees fit.

use std::sync::Arc;
use std::time::Duration;

use bevy_ecs::prelude::*;
use playhouse::cast::{EntityName, Kind, SpawnSpec, StageQuery, spawn};
use playhouse::context::{AgentContext, buffer};
use playhouse::engine::{Engine, Setup, StepSet};
use playhouse::event::EventWriter;
use playhouse::event::kinds::Speak;
use playhouse::exchange::{Answers, Ask, Prose, ProseRules};
use playhouse::journal::{FORMAT, Head, Journal};
use playhouse::mind::Minds;
use playhouse::mind::improviser::Improviser;
use playhouse::tool::{NoArguments, ToolCaller, ToolError, ToolSet};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Component)]
struct Purse(u32);

/// A world tool: a function of what its asker may see. It has no way to look into another's purse.
fn weigh_purse(asker: &ToolCaller<'_>, _: NoArguments) -> Result<String, ToolError> {
    let purse = asker.own::<Purse>().ok_or("you have no purse")?;
    Ok(format!("{} coins", purse.0))
}

/// The arguments of a tool: their JSON schema is derived, their doc comments tell minds what they
/// mean.
#[derive(Deserialize, JsonSchema)]
struct Riddle {
    /// What to ask, in one sentence.
    question: String,
}

/// An outside tool: an async function, whose results are recorded and never asked for twice.
async fn ask_raven(riddle: Riddle) -> Result<String, ToolError> {
    tokio::time::sleep(Duration::from_millis(20)).await;
    let letters = riddle.question.chars().count();
    Ok(if letters.is_multiple_of(2) {
        "Nevermore."
    } else {
        "Why not?"
    }
    .into())
}

fn ask_stakes(mut company: StageQuery<&Purse>, mut commands: Commands, mut asked: Local<bool>) {
    if !std::mem::replace(&mut *asked, true) {
        company.each(|gambler, _| {
            let question = "Use weigh_purse, ask_raven and roll_dice. Then say what you stake.";
            let rules = ProseRules::default();
            let ask = Ask::new("dice.stake", question, rules, Prose("I pass.".into()));
            commands
                .entity(gambler)
                .insert(ask.condensed("What do you stake?"));
        });
    }
}

fn take_stakes(mut stakes: Answers<Prose>, names: Query<&EntityName>, mut tell: EventWriter) {
    for (gambler, stake, _) in stakes.take() {
        let name = names.get(gambler).map(ToString::to_string);
        let event = Speak {
            actor: name.unwrap_or_default(),
            target: "all".into(),
            message: stake.0,
        };
        tell.broadcast_to_stage(gambler, event, &[gambler]);
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut setup = Setup::new(1);
    setup
        .tools()
        .world("weigh_purse", "Tells how many coins you have.", weigh_purse)
        .outside("ask_raven", "Asks the raven on the beam.", ask_raven);
    setup.step.add_systems((
        take_stakes.in_set(StepSet::Take),
        ask_stakes.in_set(StepSet::Ask),
    ));
    let newcomer = |name: &str, kind, stage: Option<&str>| SpawnSpec {
        name: name.into(),
        kind,
        rules: None,
        identity: format!("You are {name}, at a table with dice."),
        stage: stage.map(Into::into),
    };
    spawn(&mut setup.world, newcomer("Table", Kind::Stage, None))?;
    for (name, coins) in [("Ida", 7), ("Bram", 4)] {
        let gambler = spawn(&mut setup.world, newcomer(name, Kind::Actor, Some("Table")))?;
        let tools = ToolSet::of(["weigh_purse", "ask_raven", "roll_dice"]);
        setup
            .world
            .entity_mut(gambler)
            .insert((Purse(coins), tools));
    }

    let head = Head {
        format: FORMAT,
        engine: "example".into(),
        data: "none".into(),
        seed: 1,
    };
    let minds = Minds::all(Arc::new(Improviser::new()?));
    let mut engine = Engine::new(setup, minds, Journal::in_memory(head))?;
    engine.run(Some(1)).await?;

    let mut contexts = engine.world.query::<(&EntityName, &AgentContext)>();
    let mut out = std::io::stdout().lock();
    for (name, context) in contexts.iter(&engine.world) {
        use std::io::Write;
        writeln!(out, "--- {name}\n{}", buffer(context))?;
    }
    Ok(())
}
