//! What differs from one provider's interface to the next: what stands around the messages of a
//! request, and how an answer is read. Pure functions; whatever asks, waits and tries again knows
//! one interface alone, [`Protocol`].

mod anthropic;
mod dashscope;
mod gemini;
mod ollama;
mod openai;

use std::fmt::Display;

use serde_json::{Map, Value};

use super::reply::Reply;
use super::request::{Asked, RequestForm};
use super::settings::SchemaMode;
use crate::dialect::format::Api;
use crate::tool::ToolSpec;

/// The tool that a mind is made to call where that is how a provider gets JSON: its arguments are
/// the answer.
pub(super) const REPLY_TOOL: &str = "give_answer";

/// One interface.
pub(super) trait Protocol: Sync {
    /// Members of a request that the engine sets itself.
    fn own_members(&self) -> &'static [&'static str];

    /// The member that holds settings such as the temperature, where they do not stand beside the
    /// messages. What a model file sets in it is merged with what we set.
    fn settings_member(&self) -> Option<&'static str> {
        None
    }

    /// The settings that are the same in every request, beyond those that the model file names
    /// itself.
    fn settings(&self, form: &RequestForm) -> Map<String, Value> {
        let temperature = form.dialect().temperature;
        let temperature = temperature.map(|degrees| ("temperature".to_owned(), degrees.into()));
        temperature.into_iter().collect()
    }

    /// What stands before the messages: an open object.
    fn head(&self, form: &RequestForm, asked: &Asked) -> String;

    /// What stands after the messages, to the end of the request.
    fn ending(&self, form: &RequestForm, asked: &Asked, mode: SchemaMode) -> String;

    /// Whether the schema is told at the end of the prompt on this step of the ladder.
    fn tells_schema(&self, mode: SchemaMode) -> bool {
        matches!(mode, SchemaMode::JsonMode | SchemaMode::Text)
    }

    /// Whether a schema may be sent beside tools, which may be called or not.
    fn takes_schema_beside_tools(&self, callable: bool) -> bool {
        // llama-server answers by the schema and never calls where both are sent.
        !callable
    }

    /// The header that carries the key, and its value.
    fn key(&self, key: &str) -> (&'static str, String) {
        ("authorization", format!("Bearer {key}"))
    }

    /// Further headers.
    fn headers(&self, _stream: bool) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Takes a whole answer or one piece of a stream.
    fn take(&self, reply: &mut Reply, value: &Value);

    /// Tokens of prompt and answer together, as the server's page on its models tells of this one.
    fn window(&self, page: &Value, model: &str) -> Option<u64>;
}

/// The interface of this name.
pub(super) fn protocol(api: Api) -> &'static dyn Protocol {
    match api {
        Api::OpenAi | Api::DeepSeek => &openai::OpenAi,
        Api::Anthropic => &anthropic::Anthropic,
        Api::Gemini => &gemini::Gemini,
        Api::DashScope => &dashscope::DashScope,
        Api::Ollama => &ollama::Ollama,
    }
}

/// Members of a request that `extra` can't set, because the engine does.
pub(in crate::mind) fn own_members(api: Api) -> &'static [&'static str] {
    protocol(api).own_members()
}

/// Members of a JSON object as they are written one after the other, each behind a comma.
#[derive(Default)]
struct Members(String);

impl Members {
    /// Adds a member whose value is written as it is.
    fn raw(&mut self, name: &str, value: impl Display) {
        self.0.push_str(&format!(",\"{name}\":{value}"));
    }

    fn all(&mut self, members: &Map<String, Value>) {
        for (name, value) in members {
            let name = Value::from(name.as_str());
            self.0.push_str(&format!(",{name}:{value}"));
        }
    }

    /// Adds an object of members, if there are any.
    fn object(&mut self, name: &str, members: Self) {
        if !members.0.is_empty() {
            self.raw(name, members.as_object());
        }
    }

    fn as_object(&self) -> String {
        format!("{{{}}}", self.0.strip_prefix(',').unwrap_or(&self.0))
    }
}

/// An open object with the members that stand before the messages, a comma behind each.
fn open_object(members: &Map<String, Value>) -> String {
    let mut written = Members::default();
    written.all(members);
    match written.0.strip_prefix(',') {
        Some(members) => format!("{{{members},"),
        None => "{".into(),
    }
}

/// The model, settings that stand beside the messages, and what a model file adds.
fn common_members(form: &RequestForm) -> Map<String, Value> {
    let mut members = Map::new();
    members.insert("model".into(), form.dialect().model.as_str().into());
    members.extend(form.extra().clone());
    members
}

/// The tools in OpenAI's form, as a list.
fn function_tools<'t>(specs: impl Iterator<Item = &'t ToolSpec>) -> String {
    let each = specs.map(|spec| {
        format!(
            "{{\"type\":\"function\",\"function\":{{\"name\":\"{}\",\"description\":\"{}\",\"parameters\":{}}}}}",
            spec.name(),
            spec.description().escaped(),
            spec.schema()
        )
    });
    format!("[{}]", each.collect::<Vec<_>>().join(","))
}

/// Whole numbers at the first of these paths that leads to one.
fn number(value: &Value, paths: &[&str]) -> Option<u64> {
    paths.iter().find_map(|path| value.pointer(path)?.as_u64())
}
