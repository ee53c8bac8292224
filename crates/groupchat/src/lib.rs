//! Group chat: teams that talk on a stage.
//!
//! ```
//! use playhouse_engine::mind::{Minds, ScriptLine, ScriptMind};
//! use playhouse_engine::world_data::DataFolder;
//! use playhouse_groupchat::team::{Participant, TeamFile};
//! use playhouse_groupchat::{ChatGame, Team};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let pair = ["Ava", "Bo"].map(Participant::named);
//! let team = TeamFile::new("pair", pair).with_max_turns(2);
//! let mind = ScriptMind::by_rule(|prompt| ScriptLine::say(format!("{} agrees.", prompt.entity)));
//! let game = ChatGame::new(&DataFolder::embedded(), team)?;
//! let mut team = Team::new(game, Minds::from(mind), 1)?;
//! let result = team.run("Where shall we meet?").await?;
//! assert_eq!(result.messages[2].to_text(), "Bo agrees.");
//! # Ok(())
//! # }
//! ```
//!
//! A team is a stage, its participants are the occupants, and every message is an event that the
//! engine delivers: a participant's own turns are ai messages, those of all others human messages
//! with the speaker's name. Everything that a mind is asked, including who speaks next, is an ask
//! like any other. [`team`] describes a team, `stage` plays it, and [`Team`] runs one from a
//! program. Start reading at [`Team`], or at `stage/mod.rs`.

mod as_tool;
mod autogen_state;
mod code_blocks;
mod component;
mod functions;
mod game;
mod graph_flow;
mod guards;
pub mod improviser;
pub mod message;
mod names;
mod perspective;
mod prompts;
mod run;
mod saved_state;
mod stage;
mod stream;
mod stream_merger;
pub mod team;
mod team_message;
pub mod termination;
mod tool_team;
mod trace;
mod user_proxy;

pub use as_tool::TeamTool;
pub use component::{ComponentError, ComponentTeam, read_component};
pub use functions::{ConversationView, Functions};
pub use game::ChatGame;
pub use names::mentions;
pub use perspective::{RoleMessage, perspective};
pub use run::{ChatError, Task, Team, interrupt_for_input, let_fall_back, seat_user_proxy};
pub use saved_state::OtherParticipants;
pub use stage::{CONTROLLER, Chat, EVENTS, Phase, UserInput};
pub use stream::{Response, StreamItem, TaskResult};
pub use stream_merger::{Retracted, StreamEvent, StreamMerger, TeamStreamEvent};
pub use team_message::TeamMessage;
pub use trace::{MindCall, calls_within, mind_calls};
pub use user_proxy::UserProxy;
