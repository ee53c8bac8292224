//! The read model of a story: who is where, what happened, who learned it, what every mind was
//! asked and answered, and what that cost.
//!
//! ```
//! use std::sync::Arc;
//!
//! use playhouse_engine::prelude::*;
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
//! for being in &view.read().state.beings {
//!     println!("{}", being.name);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A [`StoryView`] is all that can be shown of one story: [`Contents`] has the events and calls, a
//! [`WorldState`] is a picture of everybody. The engine's thread adds to it and never waits for a
//! reader: [`watch`] lets it follow a story that is played, [`read`] fills it from a slot. It knows
//! no game; what a game has to show beside that is its [`Picture`], which it registers in its
//! world. Pages and commands print what they find here. Start reading at [`Contents`].

mod audience;
mod call;
mod costs;
pub mod data;
mod difference;
mod event;
mod kept;
mod knowledge;
mod memory;
mod picture;
mod read;
mod state;
mod told;
mod view;

pub use audience::WhyNot;
pub use call::{Call, CallState, Segment};
pub use costs::{Costs, Prompts};
pub use difference::{Change, ChangeKind, Parting, PartingAnswer, changes, parting};
pub use event::Form;
pub use knowledge::{KnowledgeDifference, knowledge_differences};
pub use picture::{Members, NextFold, Picture, PictureReader, Pictures, notes, register_picture};
pub use read::{follow, read, read_along, watch};
pub use state::{Being, Cached, Taught, WorldState};
pub use told::Told;
pub use view::{
    About, AnswerDelta, Contents, EventEntry, Run, RunState, StoryView, TableGame, TurnRange,
};
