//! Playhouse: a headless engine for stories whose characters are played by language models.
//!
//! ```
//! use playhouse::prelude::*;
//!
//! fn ask(actors: Query<(Entity, &Kind)>, mut commands: Commands) {
//!     for (actor, _) in actors.iter().filter(|(_, kind)| **kind == Kind::Actor) {
//!         let ask = Ask::new("greet", "Say hello.", ProseRules::default(), Prose("…".into()));
//!         commands.entity(actor).insert(ask);
//!     }
//! }
//!
//! fn take(mut answers: Answers<Prose>) {
//!     answers.take().into_iter().for_each(|(_, prose, _)| println!("{}", prose.0));
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut setup = Setup::new(1);
//! setup.meet.add_systems(ask.in_set(MeetSet::Rules));
//! setup.step.add_systems(take.in_set(StepSet::Take));
//! setup.spawn_stage("Hall", "You are a hall.")?;
//! setup.spawn_actor("Ida", "Hall", "You are Ida.")?;
//! let mind = ScriptMind::by_rule(|_| ScriptLine::say("Good evening."));
//! Engine::in_memory(setup, mind)?.run(Some(1)).await?;
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
//! This package is the program, and all crates of Playhouse under one name. A game of your own may
//! as well depend on those alone that it needs:
//!
//! | crate | feature | contains |
//! | --- | --- | --- |
//! | `playhouse-engine` | | the engine, with the improviser, a person and scripts as minds |
//! | `playhouse-interop` | | the message formats of other frameworks and of providers |
//! | `playhouse-llm` | `http` | models over HTTP: `mind::http`, `mind::models` |
//! | `playhouse-tools` | `mcp`, `web`, `scripts` | tools of servers and the web, code of minds |
//! | `playhouse-rpg` | `rpg` | the campaign, and what is at stake in it: `drama` |
//! | `playhouse-groupchat` | `groupchat` | teams that hold conversations |
//! | `playhouse-undercover` | `undercover` | who is the undercover |
//! | `playhouse-story` | | the read model of a story, for pages and commands: [`story`] |
//! | `playhouse-page` | `page` | stories in the browser: a server, and reports in one file |
//! | `playhouse-bevy` | `bevy` | an engine alongside a Bevy app |
//! | `playhouse-cluster` | `cluster` | worlds in a store, which workers on many machines play |
//! | `playhouse` | `cli` (default) | the program; `http` and all games |
//!
//! The feature `full` is all of these.
//!
//! To build a game, start at `docs/own-game.md`, the [`prelude`] and [`engine::Setup`]. To
//! run the games that there are, start at `rpg::Campaign`, `undercover::Match` or
//! `groupchat`; to run a game in a save slot, at [`session`]. [`testing`] has a small world for
//! unit tests of systems, which need no mind.

#[cfg(feature = "bevy")]
pub use playhouse_bevy as bevy;
#[cfg(feature = "cluster")]
pub use playhouse_cluster as cluster;
pub use playhouse_engine::{
    bevy_ecs, cast, context, engine, event, exchange, files, journal, knowledge, locale, memory,
    message, prelude, reading, save, secrets, session, statistics, testing, trust, world_data,
};
#[cfg(feature = "groupchat")]
pub use playhouse_groupchat as groupchat;
pub use playhouse_interop as interop;
#[cfg(feature = "page")]
pub use playhouse_page as page;
#[cfg(feature = "rpg")]
pub use playhouse_rpg::{self as rpg, drama};
pub use playhouse_story as story;
pub use playhouse_tools as tool;
#[cfg(feature = "undercover")]
pub use playhouse_undercover as undercover;

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;

/// Who answers asks: all minds of the engine, and models over HTTP.
pub mod mind {
    pub use playhouse_engine::mind::*;
    #[cfg(feature = "http")]
    pub use playhouse_llm::{http, models, survey};
}

/// Tests the code of the READMEs and of these pages.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../README.zh.md")]
#[doc = include_str!("../docs/interop.md")]
#[doc = include_str!("../docs/group-chat.md")]
#[doc = include_str!("../docs/own-game.md")]
#[doc = include_str!("../docs/rehearsal.md")]
#[doc = include_str!("../docs/tools.md")]
struct Pages;
