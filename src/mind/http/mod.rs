//! A mind behind a server: OpenAI, DeepSeek, Anthropic, Gemini, DashScope, Ollama, vLLM, llama.cpp,
//! LM Studio and whatever else speaks like one of them.
//!
//! [`HttpMind`] assembles a request while it may borrow the asker's context ([`request_body`]; with
//! [`RequestCache`] it only appends to the last one), then its future owns the bytes and speaks to
//! the server: one place waits, retries and steps down, whoever the provider is. What differs from
//! one interface to the next stands in `api/`, as pure functions. Servers differ in what they send
//! and refuse; nothing is sent that a [`Dialect`] doesn't name, and nothing is required of an
//! answer. Keys stay in this room. Start reading at [`HttpMind`].

mod api;
mod endpoint;
mod examine;
mod failure;
mod mind;
mod reply;
mod request;
mod request_cache;
mod response_reader;
mod retry;
mod settings;
mod spoken_pieces;
mod sse;
mod usage;
mod values;

pub(in crate::mind) use api::own_members;
pub use endpoint::Endpoint;
pub use examine::{Examination, KeyState};
pub use mind::{HttpMind, Server, client};
pub use request::{RequestBody, RequestForm, request_body};
pub use request_cache::RequestCache;
pub use response_reader::read_answer;
pub use settings::{Dialect, LimitField, Retry, SchemaMode, Timeouts, Wording};
pub use sse::EventFrames;
