//! Tools: gamblers look into their purse, ask a raven and throw dice before they name their stake.
//!
//! Run it with `cargo run --example tools`. The improviser answers, which calls the tools that its
//! question names; a model over HTTP would call them as it sees fit.
#![expect(clippy::print_stdout, reason = "it prints what happened")]

use std::time::Duration;

use playhouse::event::kinds::Speak;
use playhouse::mind::improviser::Improviser;
use playhouse::prelude::*;

#[derive(Component)]
struct Purse(u32);

/// A pure tool: a function of what its caller may see. It can't look into another's purse.
fn weigh_purse(caller: &ToolCaller<'_>, _: NoArguments) -> Result<String, ToolError> {
    let purse = caller.own::<Purse>().ok_or("you have no purse")?;
    Ok(format!("{} coins", purse.0))
}

/// The arguments of a tool: their JSON schema is derived, their doc comments tell minds what they
/// mean.
#[derive(Deserialize, JsonSchema)]
struct Riddle {
    /// What to ask, in one sentence.
    question: String,
}

/// An async tool. Its results are recorded and never fetched twice.
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

fn ask_stakes(gamblers: Query<Entity, With<Purse>>, mut commands: Commands) {
    for gambler in &gamblers {
        let question = "Use weigh_purse, ask_raven and roll_dice. Then say what you stake.";
        let rules = ProseRules::default();
        let ask = Ask::new("dice.stake", question, rules, Prose("I pass.".into()));
        commands
            .entity(gambler)
            .insert(ask.condensed("What do you stake?"));
    }
}

fn take_stakes(mut stakes: Answers<Prose>, names: Query<&EntityName>, mut events: EventWriter) {
    for (gambler, stake, _) in stakes.take() {
        let name = names.get(gambler).map(ToString::to_string);
        let event = Speak {
            actor: name.unwrap_or_default(),
            target: "all".into(),
            message: stake.0,
            tells: Vec::new(),
        };
        events.broadcast_to_stage(gambler, event, &[gambler]);
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut setup = Setup::new(1);
    setup
        .tools()
        .add_pure("weigh_purse", "Tells how many coins you have.", weigh_purse)
        .add_async("ask_raven", "Asks the raven on the beam.", ask_raven);
    setup.meet.add_systems(ask_stakes.in_set(MeetSet::Rules));
    setup.step.add_systems(take_stakes.in_set(StepSet::Take));
    setup.spawn_stage("Table", "You are a table with dice.")?;
    for (name, coins) in [("Ida", 7), ("Bram", 4)] {
        let identity = format!("You are {name}, at a table with dice.");
        let gambler = setup.spawn_actor(name, "Table", identity)?;
        let tools = ToolSet::of(["weigh_purse", "ask_raven", "roll_dice"]);
        let mut gambler = setup.world.entity_mut(gambler);
        gambler.insert((Purse(coins), tools));
    }

    let mut engine = Engine::in_memory(setup, Improviser::new()?)?;
    engine.run(Some(1)).await?;
    for (name, conversation) in engine.conversations() {
        println!("--- {name}\n{conversation}");
    }
    Ok(())
}
