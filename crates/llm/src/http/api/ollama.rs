//! Ollama's own chat interface: <https://github.com/ollama/ollama/blob/main/docs/api.md>.

use playhouse_engine::message::TokenUsage;
use serde_json::{Map, Value};

use super::members::{Members, common_members, open_object};
use super::openai::tools_member;
use super::protocol::Protocol;
use crate::http::request_parts::{AskParts, FixedParts};
use crate::http::response_accumulator::ResponseAccumulator;
use crate::http::settings::{ModelSettings, SchemaMode};
use crate::http::usage::number;

pub(super) struct Ollama;

impl Protocol for Ollama {
    fn own_members(&self) -> &'static [&'static str] {
        &["model", "messages", "stream", "format", "tools"]
    }

    fn settings_member(&self) -> Option<&'static str> {
        Some("options")
    }

    fn settings(&self, model: &ModelSettings) -> Map<String, Value> {
        let members = [
            ("temperature", model.provider.temperature.map(Value::from)),
            // Without it, the server cuts off the start of a prompt longer than its default.
            ("num_ctx", model.window.map(Value::from)),
        ];
        let members = members.into_iter();
        members
            .filter_map(|(name, value)| Some((name.into(), value?)))
            .collect()
    }

    fn head(&self, fixed: &FixedParts, ask: &AskParts) -> String {
        open_object(&common_members(fixed)) + &*tools_member(ask)
    }

    fn ending(&self, fixed: &FixedParts, ask: &AskParts, mode: SchemaMode) -> String {
        let mut members = Members::default();
        members.raw("stream", fixed.model.provider.stream);
        let mut options = Members::default();
        options.all(&fixed.settings);
        options.raw("num_predict", ask.max_tokens);
        members.object("options", options);
        if let Some(schema) = &ask.schema {
            match mode {
                SchemaMode::Strict | SchemaMode::Stable => members.raw("format", &schema.stable),
                SchemaMode::Constrained => members.raw("format", &schema.constrained),
                SchemaMode::JsonMode => members.raw("format", "\"json\""),
                SchemaMode::Text => {}
            }
        }
        members.into_ending()
    }

    fn read(&self, response: &mut ResponseAccumulator, value: &Value) {
        response.set_model(&value["model"]);
        response.add_message(&value["message"]);
        response.set_finish(&value["done_reason"]);
        if value["done"] == true {
            response.done = true;
        }
        let input = number(value, &["/prompt_eval_count"]);
        let output = number(value, &["/eval_count"]);
        if input.or(output).is_some() {
            // A prompt that is cached already is not reported.
            response.usage = Some(TokenUsage {
                input: input.unwrap_or_default(),
                output: output.unwrap_or_default(),
                ..TokenUsage::default()
            });
        }
    }

    fn window(&self, page: &Value, model: &str) -> Option<u64> {
        // The models that are loaded, with their windows.
        let mut entries = page["models"].as_array()?.iter();
        let entry = entries.find(|entry| entry["name"] == model || entry["model"] == model)?;
        entry["context_length"].as_u64()
    }
}
