//! A story on a page: what is told, who knows it, what every mind was asked, and how to steer it.
//!
//! ```
//! use std::sync::Arc;
//!
//! use playhouse_engine::locale::Language;
//! use playhouse_engine::prelude::*;
//! use playhouse_page::{Extras, report};
//! use playhouse_story::{About, StoryView, watch};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut setup = Setup::new(1);
//! setup.spawn_stage("Mill", "You are a mill.")?;
//! setup.spawn_actor("Alda", "Mill", "You are Alda.")?;
//! let mind = ScriptMind::by_rule(|_| ScriptLine::say("Hm."));
//! let mut engine = Engine::in_memory(setup, mind)?;
//! let view = Arc::new(StoryView::of(&engine.world, About::titled("A mill")));
//! let _streamed = watch(&mut engine, &view);
//! engine.run(Some(3)).await?;
//! view.update_state(&engine.world, true);
//!
//! let page = report(&view, None, Language::En, Extras::default())?; // one HTML file
//! assert!(page.contains("A mill"));
//! # Ok(())
//! # }
//! ```
//!
//! A [`StoryView`](playhouse_story::StoryView) is the read model of one story. What a game adds to
//! it is its [`Picture`](playhouse_story::Picture): the page knows no game. The [`Server`]
//! answers each connection from it at the connection's own speed. [`play`] plays a session turn by
//! turn as a [`Control`] says, [`report`] writes a story into a file. What is served is written
//! down in `docs/page.md`; templates, scripts and styles are in `assets/`. Start reading at
//! [`Server`].

mod access;
mod answer;
mod assets;
mod beliefs;
mod book;
mod branches;
mod calls;
mod connection;
mod control;
mod desk;
mod draft;
mod error;
mod library;
mod pages;
mod people;
mod player;
mod reader;
mod report;
mod request;
mod routes;
mod seat;
mod server;
mod shared;
mod span;
mod stream;

pub use access::Access;
pub use branches::branches;
pub use control::Control;
pub use desk::{Column, Desk, Draft, DraftScene, Opening, Rehearsed, Table};
pub use error::ServerError;
pub use library::{
    AnswerMinds, BranchAt, Figure, Invitation, Library, LibraryError, NewStory, OfferedWorld,
    Offers, Story, StoryEntry, Teach, milliseconds,
};
pub use player::play;
pub use report::{Extras, ReportError, report};
pub use seat::{AfterLimit, Seat, TableRules, TurnLimit};
pub use server::{Figures, Server, monitor};
