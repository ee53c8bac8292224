//! What a mind may call while it answers: tools, their schemas, and running them.
//!
//! A tool is a Rust function whose arguments are a serde type. [`Toolbox`] holds those of a run by name;
//! an entity may call those that its [`ToolSet`] names. *World tools* look at the world as their asker
//! may see it ([`ToolCaller`]) and at nothing else, so that equal worlds give equal results. *Outside tools*
//! are async: web pages, servers. A mind sees a [`ToolSpec`]; what it wants called comes back as a
//! [`ToolCall`]. The engine runs calls between an ask's opening and its commit. This room may touch
//! `cast/`, `context/`, `dialect/`, `message/` and `world_data/`. Start reading at [`Toolbox`].

mod arguments;
mod calculate;
mod call;
mod caller;
pub mod code;
mod error;
mod game;
mod lookup;
mod schema;
pub(crate) mod schema_check;
pub mod servers;
mod set;
mod spec;
mod table;
mod toolbox;
mod trace;
mod web;

pub(crate) use arguments::arguments_of;
pub use arguments::{NoArguments, read_arguments};
pub use call::ToolCall;
pub use caller::{Present, ToolCaller};
pub use error::ToolError;
pub use lookup::{Lore, LoreBook, recall};
pub use schema::schema_for;
pub use set::ToolSet;
pub(crate) use spec::is_legal;
pub use spec::{ToolNameError, ToolSpec};
pub use table::{Row, TABLES, Table};
pub use toolbox::{Output, Running, Tool, ToolLimits, Toolbox};
pub use trace::{Allowance, ToolTrace};
pub use web::{WebPolicy, page_text};

/// The tools that come along, by the names by which worlds name them. Those of the web are there only
/// where the player allows hosts.
pub const BUILT_IN: &[&str] = &[
    "roll_dice",
    "look_around",
    "recall",
    "search_lore",
    "calculate",
    "fetch_web_content",
    "extract_information",
];

/// The templates that tell minds of the tools that come along, and of what went wrong with a call; with
/// the variables each may use. A template `tools/NAME` describes the tool of that name: its first
/// lines say what it is for, lines such as `- sides: how many` say what an argument means.
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
    ("tools/errors/not_now", &[]),
    ("tools/errors/expression", &["problem"]),
    ("tools/errors/no_row", &["asked", "known"]),
    ("tools/errors/dice", &["most_dice", "most_sides"]),
];
