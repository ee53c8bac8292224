//! Models behind HTTP servers: OpenAI, DeepSeek, Anthropic, Gemini, DashScope, Ollama, vLLM,
//! llama.cpp, LM Studio and others with one of their APIs.
//!
//! [`HttpMind`] builds a request while it may borrow the context of the entity that is asked
//! ([`request_body`]). Then its future owns the bytes, sends them, waits and retries, in the same
//! way for all providers. What differs from API to API is in `api/`, as pure functions. Servers
//! differ in what they send and refuse, so nothing is sent that [`ModelSettings`] doesn't name, and
//! no member of a response is required. Keys never leave this module. Start reading at
//! [`HttpMind`].

mod api;
mod delay;
mod embedder;
mod endpoint;
mod failure;
mod json_frames;
mod mind;
mod pace;
mod probe;
mod request;
mod request_parts;
#[cfg(test)]
mod request_tests;
mod response_accumulator;
mod response_reader;
mod retry;
mod server_error;
mod settings;
mod sse;
mod text_stream;
mod tls;
mod usage;

pub(crate) use api::own_members;
pub use embedder::{EmbeddingSettings, HttpEmbedder};
pub use endpoint::{Endpoint, EndpointError};
pub use mind::{HttpMind, HttpMindError, ModelServer, client};
pub(crate) use probe::ExaminedAnswer;
pub use probe::{KeyState, ProbeReport};
pub use request::{RequestBody, RequestError, RequestFormat, request_body};
pub(crate) use settings::seconds;
pub use settings::{
    LimitField, ModelSettings, Provider, RetryPolicy, SchemaInstruction, SchemaMode, Timeouts,
};
