//! What minds of `playhouse-engine` may call beside the tools of every game: tools of Model Context
//! Protocol servers, web pages, code that they write. All that the engine has of tools is exported
//! here, too.
//!
//! ```
//! use playhouse_engine::prelude::*;
//! use playhouse_tools::code::{CodePolicy, register};
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Riddle {
//!     /// What to ask, in one sentence.
//!     question: String,
//! }
//!
//! async fn ask_raven(riddle: Riddle) -> Result<String, ToolError> {
//!     Ok(format!("{} Nevermore.", riddle.question))
//! }
//!
//! let mut setup = Setup::new(1);
//! setup.tools().add_async("ask_raven", "Asks the raven on the beam.", ask_raven);
//! register(&mut setup.tools(), &CodePolicy::default());
//! setup.spawn_stage("Inn", "You are an inn.")?;
//! let ida = setup.spawn_actor("Ida", "Inn", "You are Ida.")?;
//! setup.world.entity_mut(ida).insert(ToolSet::of(["ask_raven", "roll_dice"]));
//! # Ok::<(), playhouse_engine::cast::CastError>(())
//! ```
//!
//! | feature | contains |
//! | --- | --- |
//! | `mcp` | tools of Model Context Protocol servers: `servers` |
//! | `web` | tools that read web pages: `allow_web` |
//! | `scripts` | running code that minds write: [`code`] |

pub mod code;
mod not_built;
pub mod process;
#[cfg(feature = "mcp")]
pub mod servers;
#[cfg(feature = "web")]
mod web;
#[cfg_attr(
    not(feature = "web"),
    allow(dead_code, reason = "its template is built-in")
)]
mod web_error;

pub use not_built::NotBuilt;
pub use playhouse_engine::tool::*;
#[cfg(feature = "web")]
pub use web::{WebPolicy, allow_web, page_text};

use playhouse_engine::world_data::PromptSet;

/// The tools that read web pages.
const WEB: [&str; 2] = ["fetch_web_content", "extract_information"];

/// The names of all built-in tools. Those of the web reach only hosts that the player allows.
pub const BUILT_IN: [&str; 7] = {
    let [dice, look, recall, lore, calculate] = playhouse_engine::tool::BUILT_IN;
    let [fetch, extract] = WEB;
    [dice, look, recall, lore, calculate, fetch, extract]
};

/// Declares what describes all built-in tools and the failures of calls.
pub fn declare_prompts(prompts: &mut PromptSet) {
    playhouse_engine::tool::declare_prompts(prompts);
    describe(prompts, &WEB);
    prompts.declare::<web_error::WebError>();
}

/// Adds the tools that games have beside those of every setup: if this build has them, those that
/// read web pages, which may access no host yet.
pub fn register(tools: &mut Toolbox) {
    #[cfg(feature = "web")]
    allow_web(tools, &WebPolicy::default());
    #[cfg(not(feature = "web"))]
    let _ = tools;
}
