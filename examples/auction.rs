//! A game of your own: an auction. Bidders offer coins for one lot after another, and code decides
//! who gets it. Each sale becomes a memory, which comes to mind when a lot is like an earlier one.
//! Then a reader asks the story who learned of what, and exports it as a page.
//!
//! Run it with `cargo run --example auction [page.html]`. It needs no model: a rule answers.
#![expect(clippy::print_stdout, reason = "it prints what happened")]
#![expect(clippy::disallowed_methods, reason = "it writes its page")]

use std::collections::BTreeMap;
use std::sync::Arc;

use playhouse::cast::{CastList, WorldTurn};
use playhouse::event::ChapterClose;
use playhouse::locale::Language;
use playhouse::memory::Cues;
use playhouse::page::{Extras, report};
use playhouse::prelude::*;
use playhouse::story::{self, About, Being, Contents, Members, Picture, StoryView};

const LOTS: [&str; 3] = [
    "a brass lamp with a green shade",
    "an old map of the coast",
    "a lamp of brass, its shade as green",
];

#[derive(Component)]
struct Purse(u32);

/// What a mind answers: its schema is derived, its check knows the bidder's purse.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct Bid {
    /// What you think of it; nobody else learns that.
    thought: String,
    /// How many coins to offer.
    coins: u32,
}

impl Reply for Bid {
    type Constraints = u32;
    const NAME: &'static str = "bid";
    const WORDS: &'static [Words] = &[Words::Thought("/thought")];

    fn check(&self, purse: &u32) -> Vec<Violation> {
        let too_much = || Violation::new("coins", format!("you have only {purse}"));
        (self.coins > *purse).then(too_much).into_iter().collect()
    }
}

/// A lot has a new owner.
#[derive(Serialize, Deserialize, AgentEvent)]
#[event("sold", style = Deed, text = format!("{who} gets {lot} for {coins} coins."), crate = playhouse)]
struct Sold {
    who: String,
    lot: String,
    coins: u32,
}

/// What stands in a conversation in the place of what became a memory.
#[derive(Serialize, Deserialize, AgentEvent)]
#[event("closed", style = Memory, not_recallable, text = "(It was sold.)".into(), crate = playhouse)]
struct Closed;

/// At each meeting the next lot is put up, and all that was before it becomes a memory.
fn put_up(
    turn: Res<WorldTurn>,
    bidders: Query<(Entity, &Purse, &AgentContext)>,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let lot = LOTS[turn.0 as usize % LOTS.len()];
    for (bidder, Purse(coins), context) in &bidders {
        if let Some(past) = ChapterClose::of_past(context, format!("Before {lot}")) {
            events.close_chapter(bidder, Closed, past);
        }
        let question = format!("They sell {lot}. You have {coins} coins. What do you bid?");
        let thought = "…".into();
        let ask = Ask::new("bid", question, *coins, Bid { thought, coins: 0 });
        let ask = ask.recalling(Cues::about([lot], 300));
        commands.entity(bidder).insert(ask);
    }
}

/// Answers come in a stable order, already checked; the rules decide.
fn take_bids(
    turn: Res<WorldTurn>,
    mut bids: Answers<Bid>,
    mut bidders: Query<(&EntityName, &mut Purse)>,
    mut events: EventWriter,
) {
    let bids = bids.take();
    let highest = bids.iter().max_by_key(|(_, bid, _)| bid.coins);
    let Some((winner, Bid { coins, .. }, _)) = highest else {
        return;
    };
    if let Ok((name, mut purse)) = bidders.get_mut(*winner) {
        purse.0 -= coins;
        let (who, lot) = (name.to_string(), LOTS[turn.0 as usize % LOTS.len()].into());
        let coins = *coins;
        events.broadcast_to_stage(*winner, Sold { who, lot, coins }, &[]);
    }
}

/// What a page shows beside what the engine knows: each purse, by the number of its owner.
struct Purses(BTreeMap<u32, u32>);

impl Picture for Purses {
    fn of(world: &World) -> Self {
        let cast = world.resource::<CastList>().all();
        let purses = cast.filter_map(|(id, who)| Some((id.0, world.get::<Purse>(who)?.0)));
        Self(purses.collect())
    }

    fn alone(&self, being: &Being, _: &Contents) -> Members {
        let purse = self.0.get(&being.id);
        story::notes(purse.map(|coins| ("Purse", format!("{coins} coins"))))
    }
}

fn auction() -> Result<Setup, Box<dyn std::error::Error>> {
    let mut setup = Setup::new(1).in_language(Language::En)?;
    register_event::<Sold>(&mut setup.world);
    register_event::<Closed>(&mut setup.world);
    register_reply::<Bid>(&mut setup.world);
    story::register_picture::<Purses>(&mut setup.world);
    setup.meet.add_systems(put_up.in_set(MeetSet::Rules));
    setup.step.add_systems(take_bids.in_set(StepSet::Take));
    setup.spawn_stage("Auction", "You are an auction.")?;
    setup.spawn_stage("Street", "You are a street.")?;
    setup.spawn_actor("Cleo", "Street", "You are Cleo, who comes too late.")?;
    for (name, coins) in [("Ida", 9), ("Bram", 7)] {
        let bidder = setup.spawn_actor(name, "Auction", format!("You are {name}."))?;
        setup.world.entity_mut(bidder).insert(Purse(coins));
    }
    Ok(setup)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Any mind will do: a model over HTTP, a person, the improviser. This one bids more for what is
    // like something that was sold.
    let mind = ScriptMind::by_rule(|prompt| {
        let coins = if prompt.recalled.is_some() { 4 } else { 3 };
        ScriptLine::say(json!({"thought": "I want it.", "coins": coins}).to_string())
    });
    let mut engine = Engine::in_memory(auction()?, mind)?;
    let view = Arc::new(StoryView::of(&engine.world, About::titled("An auction")));
    let _streamed = story::watch(&mut engine, &view);
    engine.run(Some(LOTS.len() as u64)).await?;
    view.update_state(&engine.world, true);

    let story = view.read();
    for event in story
        .events
        .iter()
        .filter(|event| event.record().read::<Sold>().is_some())
    {
        let told = event.record();
        let who: Vec<_> = told.learners().collect();
        let others: Vec<_> = story
            .not_told(event)
            .map(|(being, _)| &*being.name)
            .collect();
        println!("{} Known to {}.", told.text, who.join(", "));
        println!("    Not to {}.", others.join(", "));
    }
    let mut memories = 0;
    for (_, outcome) in story.answers() {
        for memory in &outcome.recalled {
            println!("{} remembered: {}", outcome.entity, memory.text);
            memories += 1;
        }
    }
    assert!(memories > 0, "the third lot is like the first");
    drop(story);
    let page = report(&view, None, Language::En, Extras::default())?;
    println!("The page has {} kB.", page.len() / 1_000);
    if let Some(file) = std::env::args().nth(1) {
        std::fs::write(file, page)?;
    }
    Ok(())
}
