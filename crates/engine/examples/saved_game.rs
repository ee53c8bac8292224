//! A game that is saved: two millers earn, and are asked what they put by. The story is stopped,
//! loaded and played on, and nothing is lost.
//!
//! Run it with `cargo run -p playhouse-engine --example saved_game`.
#![expect(clippy::print_stdout, reason = "it prints what happened")]

use std::sync::Arc;

use playhouse_engine::prelude::*;
use playhouse_engine::save::{Meta, unsaved};
use playhouse_engine::session::{Game, Session, SetupError};

/// What a miller owns.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Coins(u32);

#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Day(u32);

/// What a miller puts by.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct Savings {
    /// How many coins.
    coins: u32,
}

impl Reply for Savings {
    type Constraints = u32;
    const NAME: &'static str = "savings";

    fn check(&self, purse: &u32) -> Vec<Violation> {
        let too_much = || Violation::new("coins", format!("you have only {purse}"));
        (self.coins > *purse).then(too_much).into_iter().collect()
    }
}

fn earn(mut day: ResMut<Day>, mut millers: Query<(Entity, &mut Coins)>, mut commands: Commands) {
    day.0 += 1;
    for (miller, mut coins) in &mut millers {
        coins.0 += 3;
        let question = format!(
            "Day {}. You have {} coins. What do you put by?",
            day.0, coins.0
        );
        let ask = Ask::new("save", question, coins.0, Savings { coins: 0 });
        commands.entity(miller).insert(ask);
    }
}

fn put_by(mut answers: Answers<Savings>, mut millers: Query<&mut Coins>) {
    for (miller, savings, _) in answers.take() {
        if let Ok(mut coins) = millers.get_mut(miller) {
            coins.0 -= savings.coins;
        }
    }
}

struct Mill;

impl Game for Mill {
    fn meta(&self) -> Meta {
        Meta {
            world: "Mill".into(),
            data: "1".into(),
        }
    }

    fn set_up(&self, seed: u64) -> Result<Setup, SetupError> {
        let mut setup = Setup::new(seed);
        setup.world.init_resource::<Day>();
        setup
            .saves()
            .component::<Coins>("coins")
            .resource::<Day>("day");
        setup.meet.add_systems(earn.in_set(MeetSet::Rules));
        setup.step.add_systems(put_by.in_set(StepSet::Take));
        Ok(setup)
    }

    fn populate(&self, setup: &mut Setup) -> Result<(), SetupError> {
        setup.spawn_stage("Mill", "You are a mill.")?;
        for name in ["Alda", "Bero"] {
            let miller = setup.spawn_actor(name, "Mill", format!("You are {name}."))?;
            setup.world.entity_mut(miller).insert(Coins(1));
        }
        Ok(())
    }
}

/// A mind that puts one coin by; any other will do.
fn minds() -> Minds {
    let mind = ScriptMind::by_rule(|_| ScriptLine::say(json!({"coins": 1}).to_string()));
    Minds::all(Arc::new(mind))
}

/// Everybody's coins, and the day.
fn state(world: &mut World) -> (Vec<u32>, u32) {
    let mut coins = world.query::<&Coins>();
    let coins = coins.iter(world).map(|coins| coins.0).collect();
    (coins, world.resource::<Day>().0)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let saves = tempfile::tempdir()?;
    let mut session = Session::start(saves.path(), "mill", &Mill, 7, minds())?;
    session.engine.run(Some(2)).await?;
    assert_eq!(
        unsaved(&session.engine.world),
        [""; 0],
        "all of it is saved"
    );
    let before = state(&mut session.engine.world);
    println!("before: {before:?}");
    drop(session);

    let mut session = Session::resume(saves.path(), "mill", &Mill, minds(), false)?;
    assert_eq!(state(&mut session.engine.world), before);
    session.engine.run(Some(4)).await?;
    let after = state(&mut session.engine.world);
    println!("after:  {after:?}");
    assert_eq!(after.1, before.1 + 2);
    Ok(())
}
