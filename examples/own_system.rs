//! A game of one's own on the engine: actors on a stage bid for a lamp, and code decides who gets
//! it.
//!
//! Run it with `cargo run --example own_system`. No model is needed: a rule stands in for one.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse::cast::{EntityName, Kind, SpawnSpec, StageQuery, spawn};
use playhouse::context::{AgentContext, buffer};
use playhouse::engine::{Engine, Setup, StepSet};
use playhouse::event::{AgentEvent, EventWriter, Phrasebook, register_event};
use playhouse::exchange::{Answers, Ask, Reply, Violation};
use playhouse::journal::{FORMAT, Head, Journal};
use playhouse::mind::{Minds, ScriptLine, ScriptMind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a mind answers: its schema is derived, its check knows the actor's purse.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct Bid {
    /// How many coins to offer.
    coins: u32,
}

impl Reply for Bid {
    /// The purse.
    type Constraints = u32;
    const NAME: &'static str = "bid";

    fn check(&self, purse: &u32) -> Vec<Violation> {
        match self.coins > *purse {
            true => vec![Violation::new("coins", format!("you have only {purse}"))],
            false => vec![],
        }
    }
}

/// What everybody on the stage hears.
#[derive(Serialize, Deserialize)]
struct Sold {
    to: String,
    coins: u32,
}

impl AgentEvent for Sold {
    const TYPE: &'static str = "sold";

    fn text(&self, _: &Phrasebook, _: &serde_json::Value) -> Result<String, String> {
        Ok(format!(
            "The lamp goes to {} for {} coins.",
            self.to, self.coins
        ))
    }
}

#[derive(Component)]
struct Purse(u32);

/// Ask: every bidder that has coins and has not bid yet.
fn ask_bids(mut company: StageQuery<&Purse>, mut commands: Commands, mut asked: Local<bool>) {
    if !std::mem::replace(&mut *asked, true) {
        company.each(|bidder, purse| {
            let ask = Ask::new(
                "auction.bid",
                "What do you bid for the lamp?",
                purse.0,
                Bid { coins: 0 },
            );
            commands
                .entity(bidder)
                .insert(ask.condensed("You bid for the lamp."));
        });
    }
}

/// Take: the answers come in stable order, already checked; the rules decide.
fn take_bids(mut bids: Answers<Bid>, names: Query<&EntityName>, mut tell: EventWriter) {
    let bids = bids.take();
    let Some((winner, bid, _)) = bids.iter().max_by_key(|(_, bid, _)| bid.coins) else {
        return;
    };
    let to = names
        .get(*winner)
        .map(ToString::to_string)
        .unwrap_or_default();
    tell.broadcast_to_stage(
        *winner,
        Sold {
            to,
            coins: bid.coins,
        },
        &[],
    );
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut setup = Setup::new(1);
    register_event::<Sold>(&mut setup.world);
    setup.step.add_systems((
        take_bids.in_set(StepSet::Take),
        ask_bids.in_set(StepSet::Ask),
    ));
    let newcomer = |name: &str, kind, stage: Option<&str>| SpawnSpec {
        name: name.into(),
        kind,
        rules: None,
        identity: format!("You are {name}, at an auction."),
        stage: stage.map(Into::into),
    };
    spawn(&mut setup.world, newcomer("Auction", Kind::Stage, None))?;
    for (name, coins) in [("Ida", 7), ("Bram", 4)] {
        let bidder = spawn(
            &mut setup.world,
            newcomer(name, Kind::Actor, Some("Auction")),
        )?;
        setup.world.entity_mut(bidder).insert(Purse(coins));
    }

    // Any mind will do here: a model over HTTP, a person, the improviser. This one overbids at
    // first and is told so; its second answer passes the check.
    let mind = ScriptMind::by_rule(|prompt| match prompt.refused().count() {
        0 => ScriptLine::say(r#"{"coins": 5}"#),
        _ => ScriptLine::say(r#"{"coins": 3}"#),
    });
    let head = Head {
        format: FORMAT,
        engine: "example".into(),
        data: "none".into(),
        seed: 1,
    };
    let mut engine = Engine::new(setup, Minds::all(Arc::new(mind)), Journal::in_memory(head))?;
    engine.run(Some(1)).await?;

    let mut contexts = engine.world.query::<(&EntityName, &AgentContext)>();
    let mut out = std::io::stdout().lock();
    for (name, context) in contexts.iter(&engine.world) {
        use std::io::Write;
        writeln!(out, "--- {name}\n{}", buffer(context))?;
    }
    Ok(())
}
