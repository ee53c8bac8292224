//! Which models there are: a RON file of providers and aliases, and a few environment variables.
//!
//! [`Models::load`] reads the file's text and asks a function for the variables, so that this room
//! touches neither files nor the process's environment. A name leads to a model in this order:
//!
//! 1. an alias of the file;
//! 2. `PROVIDER/MODEL` with a provider of the file, such as `ollama/qwen3:8b`;
//! 3. any other name, if `OPENAI_BASE_URL` is set: a model of that server, with `OPENAI_API_KEY` if
//!    that is set too.
//!
//! The model's name is that of the entry's `model_env` variable, else the entry's `model`. The
//! server is the entry's own `base_url`, else the provider's `base_url_env` variable, else its
//! `base_url`. The key is the variable named by the entry's `key_env`, else by the provider's. Keys
//! are never written into a file, a log or an error. Start reading at [`Models`].

mod error;
mod file;
mod resolve;
mod servers;

pub use error::ModelError;
pub use file::{ModelEntry, ModelFile, Provider};
pub use resolve::{Models, Origin, Row};
pub use servers::ServerRow;

/// The model file that the engine ships with.
pub const SHIPPED: &str = include_str!("../../../data/models.ron");
/// Where the shipped model file stands, for errors.
pub const SHIPPED_NAME: &str = "data/models.ron";
