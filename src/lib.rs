//! Playhouse: a headless engine for stories whose characters think for themselves.
//!
//! Actors, stages and the world itself are entities of one `bevy_ecs` world, and each carries its own
//! conversation with a mind, its [`context::AgentContext`]. Systems ask entities for decisions with
//! [`exchange::Ask`], take the checked answers with [`exchange::Answers`], and tell the right entities
//! what happened with [`event::EventWriter`]. The [`engine`] carries asks to [`mind`]s, keeps the
//! [`journal`] and commits what came back, so that the world is a function of its data, its seed and
//! its journal.
//!
//! To build a game of your own, start at [`engine::Setup`] and `examples/own_system.rs`; to play the
//! campaign that comes along, at [`rpg::Campaign`], or the social game, at [`undercover::Match`]; to
//! run any of them in a save slot, at [`session`].
//! [`testing`] has a small world for unit tests of systems, which need no mind.

pub mod cast;
pub mod context;
pub mod dialect;
pub mod engine;
pub mod event;
pub mod exchange;
pub mod groupchat;
pub mod journal;
pub mod locale;
pub mod message;
pub mod mind;
pub mod rpg;
pub mod save;
pub mod session;
pub mod testing;
pub mod tool;
pub mod undercover;
pub mod world_data;
