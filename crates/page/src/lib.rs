//! A story on a page: what is told, who knows it, what every mind was asked, and how to steer it.
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
mod control;
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
pub use error::ServerError;
pub use library::{
    AnswerMinds, BranchAt, Invitation, Library, LibraryError, NewStory, OfferedWorld, Offers,
    Story, StoryEntry, milliseconds,
};
pub use player::play;
pub use report::{Extras, ReportError, report};
pub use seat::{AfterLimit, Seat, TableRules, TurnLimit};
pub use server::Server;
