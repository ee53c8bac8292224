//! The APIs of providers: what surrounds the messages of a request, and how an answer is read.
//!
//! These are pure functions behind one trait, [`Protocol`]. Sending, waiting and retrying are the
//! same for all.

mod anthropic;
mod dashscope;
mod gemini;
mod members;
mod ollama;
mod openai;
mod protocol;

pub(super) use protocol::Protocol;

use playhouse_interop::format::Api;

pub(super) fn protocol(api: Api) -> &'static dyn Protocol {
    match api {
        Api::OpenAi | Api::DeepSeek => &openai::OpenAi,
        Api::Anthropic => &anthropic::Anthropic,
        Api::Gemini => &gemini::Gemini,
        Api::DashScope => &dashscope::DashScope,
        Api::Ollama => &ollama::Ollama,
    }
}

/// Members of a request that a model file can't set, because the engine does.
pub(crate) fn own_members(api: Api) -> &'static [&'static str] {
    protocol(api).own_members()
}
