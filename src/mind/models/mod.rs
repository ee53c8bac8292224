//! Models by name: a RON file of providers and aliases, and a few environment variables.
//!
//! [`Models::load`] gets the text of the file, and a function that looks up variables, so that this
//! module touches neither files nor the environment. A name is resolved in this order:
//!
//! 1. an alias of the file;
//! 2. `PROVIDER/MODEL` with a provider of the file, such as `ollama/qwen3:8b`;
//! 3. if `OPENAI_BASE_URL` is set, any other name is a model of that server, with `OPENAI_API_KEY`
//!    as its key.
//!
//! The name of the model comes from the entry's `model_env` variable, else from `model`. The server
//! comes from the entry's `base_url`, else from the provider's `base_url_env` variable, else from
//! its `base_url`. The key is the variable named by the entry's `key_env`, else by the provider's.
//! Keys are never written to a file, a log or an error. Start reading at [`Models`].

mod error;
mod file;
mod resolve;
mod servers;

pub use error::ModelError;
pub use file::{ModelEntry, ModelFile, Provider, SHIPPED, SHIPPED_NAME};
pub use resolve::{ModelSummary, Models, SettingSource};
pub use servers::ToolServerSummary;
