//! What a mind may call while it answers: tools, their schemas, and running them.
//!
//! A tool is a Rust function whose arguments are a serde type. [`Toolbox`] has those of a run by
//! name; an entity may call those in its [`ToolSet`]. *Pure tools* see only what their
//! [`ToolCaller`] may see of the world, so equal worlds give equal results. *Async tools* reach
//! outside: web pages, servers. A mind gets a [`ToolSpec`] and answers with a [`ToolCall`]; the
//! engine runs calls between an ask's opening and its commit. Start reading at [`Toolbox`].

mod arguments;
mod calculate;
mod call;
mod caller;
pub mod code;
mod error;
mod game;
mod names;
mod not_built;
#[cfg(any(feature = "mcp", feature = "scripts"))]
pub(crate) mod process;
pub(crate) mod prompts;
mod schema;
pub(crate) mod schema_check;
#[cfg(feature = "http")]
pub mod servers;
mod set;
mod spec;
mod standard;
mod table;
mod toolbox;
mod trace;
#[cfg(feature = "web")]
mod web;
#[cfg(feature = "http")]
mod web_policy;

pub(crate) use arguments::arguments_of;
pub use arguments::{NoArguments, read_arguments};
pub use call::ToolCall;
pub use caller::{Present, ToolCaller};
pub use error::ToolError;
pub use names::BUILT_IN;
pub(crate) use names::SEARCHES;
pub use not_built::NotBuilt;
pub use prompts::add_templates;
pub use schema::schema_for;
pub use set::ToolSet;
#[cfg(feature = "groupchat")]
pub(crate) use spec::is_legal;
pub use spec::{ToolNameError, ToolSpec};
pub use table::{Row, TABLES, Table};
pub use toolbox::{RunningTool, Tool, ToolLimits, ToolOutput, Toolbox};
pub use trace::{SpendLimits, ToolTrace};
#[cfg(feature = "web")]
pub use web::page_text;
#[cfg(feature = "http")]
pub use web_policy::WebPolicy;
