//! A headless engine for stories whose characters are played by language models.
//!
//! ```
//! use playhouse_engine::prelude::*;
//!
//! #[derive(Resource, Default)]
//! struct Said(Vec<String>);
//!
//! fn ask(actors: Query<(Entity, &Kind)>, mut commands: Commands) {
//!     for (actor, _) in actors.iter().filter(|(_, kind)| **kind == Kind::Actor) {
//!         let ask = Ask::new("greet", "Say hello.", ProseRules::default(), Prose("…".into()));
//!         commands.entity(actor).insert(ask);
//!     }
//! }
//!
//! fn take(mut answers: Answers<Prose>, mut said: ResMut<Said>) {
//!     said.0.extend(answers.take().into_iter().map(|(_, prose, _)| prose.0));
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut setup = Setup::new(1);
//! setup.world.init_resource::<Said>();
//! setup.meet.add_systems(ask.in_set(MeetSet::Rules));
//! setup.step.add_systems(take.in_set(StepSet::Take));
//! setup.spawn_stage("Hall", "You are a hall.")?;
//! setup.spawn_actor("Ida", "Hall", "You are Ida.")?;
//!
//! let mind = ScriptMind::by_rule(|_| ScriptLine::say("Good evening."));
//! let mut engine = Engine::in_memory(setup, mind)?;
//! engine.run(Some(1)).await?;
//! assert_eq!(engine.world.resource::<Said>().0, ["Good evening."]);
//! # Ok(())
//! # }
//! ```
//!
//! Actors, stages and the world itself are entities of one `bevy_ecs` world, and each has its own
//! conversation with a mind, its [`context::AgentContext`]. Systems ask entities for decisions with
//! [`exchange::Ask`], take the checked answers with [`exchange::Answers`], and tell the right
//! entities what happened with [`event::EventWriter`]. The [`engine`] carries asks to [`mind`]s,
//! keeps the [`journal`] and commits the answers, so that the world is a function of its data, its
//! seed and its journal.
//!
//! To build a game, start at the [`prelude`] and [`engine::Setup`]; to run one in a save slot, at
//! [`session`]. [`testing`] has a small world for unit tests of systems, which need no mind.
//!
//! A mind may be the [improviser](mind::improviser), which needs no model, [a
//! person](mind::human), [a script](mind::ScriptMind), or whatever else implements
//! [`mind::Mind`]; the crate `playhouse-llm` has models over HTTP. Games that come with Playhouse
//! are crates of their own, too, and `playhouse` is all of them with the program.

// The derives name the engine as its users do.
extern crate self as playhouse_engine;

pub use bevy_ecs;

/// What people read, in each language.
pub mod locale {
    pub use playhouse_derive::Localize;
    pub use playhouse_locale::*;
}

pub mod cast;
pub mod context;
pub mod engine;
pub mod event;
pub mod exchange;
pub mod files;
pub mod held;
pub mod journal;
pub mod knowledge;
pub mod memory;
pub mod message;
pub mod mind;
pub mod parallel;
pub mod prelude;
pub mod reading;
pub mod save;
pub mod secrets;
pub mod session;
pub mod statistics;
pub mod testing;
pub mod tool;
pub mod trust;
pub mod wording;
pub mod world_data;
