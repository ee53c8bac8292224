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
mod error;
mod game;
mod names;
pub(crate) mod prompts;
mod schema;
pub mod schema_check;
mod set;
mod spec;
mod standard;
mod table;
mod toolbox;
mod trace;

pub use arguments::arguments_of;
pub use arguments::{NoArguments, read_arguments};
pub use call::ToolCall;
pub use caller::{Present, ToolCaller};
pub use error::ToolError;
pub use names::BUILT_IN;
pub(crate) use names::SEARCHES;
pub use prompts::{declare_prompts, describe};
pub use schema::schema_for;
pub use set::ToolSet;
pub use spec::is_legal;
pub use spec::{ToolNameError, ToolSpec};
pub use table::{Row, TABLES, Table};
pub use toolbox::{RunningTool, Tool, ToolLimits, ToolOutput, Toolbox};
pub use trace::{SpendLimits, ToolTrace};
