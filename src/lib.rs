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

// Lower rooms hold what several games share: without all games and the program, some of it is
// unused.
#![cfg_attr(
    not(all(feature = "cli", feature = "mcp", feature = "web", feature = "scripts")),
    allow(dead_code, unused_imports, reason = "other features use them")
)]

pub use bevy_ecs;

#[cfg(feature = "bevy")]
pub mod bevy;
pub mod cast;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod context;
pub mod dialect;
pub mod drama;
pub mod engine;
pub mod event;
pub mod exchange;
mod files;
#[cfg(feature = "groupchat")]
pub mod groupchat;
#[cfg(feature = "http")]
mod http_client;
pub mod journal;
pub mod knowledge;
pub mod locale;
pub mod memory;
pub mod message;
pub mod mind;
#[cfg(feature = "page")]
pub mod page;
mod parallel;
pub mod prelude;
pub mod reading;
#[cfg(feature = "rpg")]
pub mod rpg;
pub mod save;
pub mod secrets;
pub mod session;
pub mod statistics;
pub mod testing;
pub mod tool;
pub mod trust;
#[cfg(feature = "undercover")]
pub mod undercover;
mod wording;
pub mod world_data;

/// Tests the code of the READMEs and of these pages.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../README.zh.md")]
#[doc = include_str!("../docs/dialects.md")]
#[doc = include_str!("../docs/group-chat.md")]
#[doc = include_str!("../docs/rehearsal.md")]
#[doc = include_str!("../docs/tools.md")]
struct Pages;
