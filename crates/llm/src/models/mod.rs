//! Models by name: RON files of providers and aliases, and a few environment variables.
//!
//! A [`ModelFile`] is read as [`Untrusted`](playhouse_engine::trust::Untrusted): it may have come
//! with a folder, and `demands.rs` says what of it its user must trust first. [`Models::new`] gets
//! what counts, and a function that looks up variables, so that this module touches neither files
//! nor the environment. A name is resolved in this order:
//!
//! 1. an alias;
//! 2. `PROVIDER/MODEL` with a known provider, such as `ollama/qwen3:8b`;
//! 3. if `OPENAI_BASE_URL` is set, any other name is a model of that server, with `OPENAI_API_KEY`
//!    as its key.
//!
//! The name of the model comes from the entry's `model_env` variable, else from `model`. The server
//! comes from the entry's `base_url`, else from the provider's `base_url_env` variable, else from
//! its `base_url`. The key is the variable named by the entry's `key_env`, else by the provider's.
//! Keys are never written to a file, a log or an error. Start reading at [`Models`].

mod demands;
mod environment;
mod error;
mod file;
mod resolve;
mod server_plan;
mod servers;
mod tool_server;
mod web_policy;

pub use crate::http::Provider;
pub use environment::ChildEnvironment;
pub use error::ModelError;
pub use file::{ModelEntry, ModelFile, SHIPPED, SHIPPED_NAME};
pub use resolve::{ConnectionPools, ModelSummary, Models, SettingSource};
pub use server_plan::{ServerExamination, ServerPlan, ToolServerError};
pub use servers::ToolServerSummary;
pub use tool_server::{Connection, ToolServer};
pub use web_policy::WebPolicy;
