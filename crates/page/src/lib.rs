//! A story on a page: what is told, who knows it, what every mind was asked, and how to steer it.
//!
//! A [`StoryView`] is all that a page can show of one story. The engine's thread adds to it and
//! never waits for a reader; the [`Server`] answers each connection from it at the connection's own
//! speed. [`play`] plays a session turn by turn as a [`Control`] says, [`read`] fills a view from
//! a slot that nobody plays, [`report`] writes one into a file. What is served is written down in
//! `docs/page.md`; templates, scripts and styles are in `assets/`. Start reading at [`StoryView`].

mod access;
mod answer;
mod assets;
mod beliefs;
mod branches;
mod call;
mod calls;
mod connections;
mod control;
mod error;
mod event;
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
mod state;
mod stream;
mod view;

pub use access::Access;
pub use branches::branches;
pub use control::Control;
pub use error::ServerError;
pub use library::{AnswerMinds, BranchAt, Invitation, Library, LibraryError, Story, StoryEntry};
pub use player::{follow, play, read, watch};
pub use report::{Extras, ReportError, report};
pub use seat::Seat;
pub use server::Server;
pub use view::{About, StoryView};
