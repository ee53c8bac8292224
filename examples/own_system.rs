//! A game of your own: actors on a stage bid for a lamp, and code decides who gets it.
//! Run it with `cargo run --example own_system`. It needs no model: a script answers.
#![expect(clippy::print_stdout, reason = "it prints what happened")]

use playhouse::prelude::*;

#[derive(Component)]
struct Purse(u32);

/// What a mind answers: its schema is derived, its check knows the bidder's purse.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct Bid {
    /// How many coins to offer.
    coins: u32,
}

impl Reply for Bid {
    type Constraints = u32;
    const NAME: &'static str = "bid";
    fn check(&self, purse: &u32) -> Vec<Violation> {
        let too_much = || Violation::new("coins", format!("you have only {purse}"));
        (self.coins > *purse).then(too_much).into_iter().collect()
    }
}

/// What everybody on the stage hears, in the words of the template `events/sold` if there is one.
#[derive(Serialize, Deserialize, AgentEvent)]
#[event("sold", style = Deed, crate = playhouse)]
struct Sold(String, u32);

fn ask_bids(bidders: Query<(Entity, &Purse)>, mut commands: Commands) {
    for (bidder, purse) in &bidders {
        let ask = Ask::new("bid", "What do you bid?", purse.0, Bid { coins: 0 });
        commands.entity(bidder).insert(ask);
    }
}

/// Answers come in a stable order, already checked; the rules decide.
fn take_bids(mut bids: Answers<Bid>, names: Query<&EntityName>, mut events: EventWriter) {
    let bids = bids.take();
    if let Some((winner, bid, _)) = bids.iter().max_by_key(|(_, bid, _)| bid.coins) {
        let name = names.get(*winner).map(ToString::to_string);
        let sold = Sold(name.unwrap_or_default(), bid.coins);
        events.broadcast_to_stage(*winner, sold, &[]);
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut setup = Setup::new(1);
    register_event::<Sold>(&mut setup.world);
    setup.meet.add_systems(ask_bids.in_set(MeetSet::Rules));
    setup.step.add_systems(take_bids.in_set(StepSet::Take));
    setup.spawn_stage("Auction", "You are an auction.")?;
    for (name, coins) in [("Ida", 7), ("Bram", 4)] {
        let bidder = setup.spawn_actor(name, "Auction", format!("You are {name}."))?;
        setup.world.entity_mut(bidder).insert(Purse(coins));
    }
    // Any mind will do: a model over HTTP, a person, the improviser.
    let mind = ScriptMind::by_rule(|_| ScriptLine::say(r#"{"coins": 3}"#));
    let mut engine = Engine::in_memory(setup, mind)?;
    engine.run(Some(1)).await?;
    for (name, conversation) in engine.conversations() {
        println!("--- {name}\n{conversation}");
    }
    Ok(())
}
