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
mod not_built;
#[cfg(any(feature = "mcp", feature = "scripts"))]
pub(crate) mod process;
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
pub(crate) use game::SEARCHES;
use game::{RECALL, SEARCH_LORE};
pub use not_built::NotBuilt;
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

/// The names of the built-in tools. Those of the web reach only hosts that the player allows.
pub const BUILT_IN: &[&str] = &[
    "roll_dice",
    "look_around",
    RECALL,
    SEARCH_LORE,
    "calculate",
    "fetch_web_content",
    "extract_information",
];

/// The templates that describe the built-in tools and the failures of calls, with the variables of
/// each. A template `tools/NAME` describes the tool of that name: lines such as `- sides: how many`
/// describe arguments, all others the tool.
pub const PROMPTS: &[(&str, &[&str])] = &[
    ("tools/roll_dice", &[]),
    ("tools/look_around", &[]),
    ("tools/recall", &[]),
    ("tools/search_lore", &[]),
    ("tools/calculate", &[]),
    ("tools/fetch_web_content", &[]),
    ("tools/extract_information", &[]),
    ("tools/in_words", &["tools"]),
    ("tools/used_up", &[]),
    ("tools/cut", &["left_out"]),
    ("tools/errors/unknown", &["name", "known"]),
    ("tools/errors/arguments", &["problem"]),
    ("tools/errors/time", &["seconds"]),
    ("tools/errors/blocked", &["reason"]),
    ("tools/errors/stopped", &["reason"]),
    ("tools/errors/broke_down", &[]),
    ("tools/errors/interrupted", &[]),
    ("tools/errors/not_now", &[]),
    ("tools/errors/expression", &["problem"]),
    ("tools/errors/no_row", &["asked", "known"]),
    ("tools/errors/dice", &["most_dice", "most_sides"]),
];
