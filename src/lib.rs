//! Playhouse: a headless engine for stories whose characters are played by language models.
//!
//! Actors, stages and the world itself are entities of one `bevy_ecs` world, and each has its own
//! conversation with a mind, its [`context::AgentContext`]. Systems ask entities for decisions with
//! [`exchange::Ask`], take the checked answers with [`exchange::Answers`], and tell the right
//! entities what happened with [`event::EventWriter`]. The [`engine`] carries asks to [`mind`]s,
//! keeps the [`journal`] and commits the answers, so that the world is a function of its data, its
//! seed and its journal.
//!
//! To build a game, start at the [`prelude`], [`engine::Setup`] and `examples/own_system.rs`. To
//! run the games of this crate, start at [`rpg::Campaign`], [`undercover::Match`] or [`groupchat`];
//! to run a game in a save slot, at [`session`]. [`testing`] has a small world for unit tests of
//! systems, which need no mind.
//!
//! # Features
//!
//! | feature | contains |
//! | --- | --- |
//! | none | the engine, with the improviser, a person and scripts as minds |
//! | `http` | models over HTTP: `mind::http`, `mind::models` |
//! | `rpg`, `groupchat`, `undercover` | the games of these names |
//! | `mcp` | tools of Model Context Protocol servers |
//! | `web` | tools that read web pages |
//! | `scripts` | running code that characters write |
//! | `bevy` | an engine alongside a Bevy app |
//! | `page` | stories in the browser: a server, and reports in one file |
//! | `cli` (default) | the program; `http` and all games |
//! | `full` | all of these |

pub use playhouse_engine::{
    bevy_ecs, cast, context, engine, event, exchange, journal, knowledge, locale, memory, message,
    prelude, reading, save, secrets, session, statistics, testing, trust, world_data,
};
pub(crate) use playhouse_engine::{files, parallel, wording};

#[cfg(feature = "bevy")]
pub mod bevy;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod dialect;
pub mod drama;
#[cfg(feature = "groupchat")]
pub mod groupchat;
#[cfg(feature = "http")]
mod http_client;
pub mod mind;
#[cfg(feature = "page")]
pub mod page;
#[cfg(feature = "rpg")]
pub mod rpg;
pub mod tool;
#[cfg(feature = "undercover")]
pub mod undercover;

/// Tests the code of the READMEs and of these pages.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../README.zh.md")]
#[doc = include_str!("../docs/dialects.md")]
#[doc = include_str!("../docs/group-chat.md")]
#[doc = include_str!("../docs/rehearsal.md")]
#[doc = include_str!("../docs/tools.md")]
struct Pages;
