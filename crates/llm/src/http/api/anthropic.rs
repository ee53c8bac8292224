//! Anthropic's messages: <https://platform.claude.com/docs/en/api/messages>.

use playhouse_engine::message::TokenUsage;
use serde_json::{Map, Value};

use super::members::{Members, common_members, json_list, named_tool, open_object};
use super::protocol::Protocol;
use crate::http::request_parts::{AskParts, FixedParts};
use crate::http::response_accumulator::{REPLY_TOOL, ResponseAccumulator};
use crate::http::settings::{ModelSettings, SchemaMode};
use crate::http::usage::number;

pub(super) struct Anthropic;

impl Protocol for Anthropic {
    fn own_members(&self) -> &'static [&'static str] {
        &[
            "model", "messages", "system", "stream", "max_tokens", "tools", "tool_choice",
        ]
    }

    fn settings_member(&self) -> Option<&'static str> {
        Some("output_config")
    }

    fn settings(&self, _: &ModelSettings) -> Map<String, Value> {
        Map::new()
    }

    fn head(&self, fixed: &FixedParts, _: &AskParts) -> String {
        let mut members = common_members(fixed);
        if let Some(temperature) = fixed.model.provider.temperature {
            members.insert("temperature".into(), temperature.into());
        }
        open_object(&members)
    }

    fn ending(&self, fixed: &FixedParts, ask: &AskParts, mode: SchemaMode) -> String {
        let mut members = Members::default();
        members.raw("max_tokens", ask.max_tokens);
        members.raw("stream", fixed.model.provider.stream);
        let mut tools: Vec<_> = ask
            .tools
            .iter()
            .map(|tool| named_tool(tool, "input_schema"))
            .collect();
        let schema = ask.schema.as_ref();
        // Older models only know an answer as the arguments of a tool that must be called.
        if let Some(schema) = schema.filter(|_| mode == SchemaMode::JsonMode) {
            let schema = &schema.constrained;
            tools.push(format!(
                "{{\"name\":\"{REPLY_TOOL}\",\"input_schema\":{schema}}}"
            ));
            let choice = format!("{{\"type\":\"tool\",\"name\":\"{REPLY_TOOL}\"}}");
            members.raw("tool_choice", choice);
        } else if ask.forbids_tools() {
            members.raw("tool_choice", "{\"type\":\"none\"}");
        }
        if !tools.is_empty() {
            members.raw("tools", json_list(tools.into_iter()));
        }
        let mut config = Members::default();
        config.all(&fixed.settings);
        let schema = schema.and_then(|schema| match mode {
            SchemaMode::Strict | SchemaMode::Stable => Some(&*schema.stable),
            SchemaMode::Constrained => Some(&*schema.constrained),
            SchemaMode::JsonMode | SchemaMode::Text => None,
        });
        if let Some(schema) = schema {
            config.raw(
                "format",
                format!("{{\"type\":\"json_schema\",\"schema\":{schema}}}"),
            );
        }
        members.object("output_config", config);
        members.into_ending()
    }

    fn puts_schema_in_prompt(&self, mode: SchemaMode) -> bool {
        mode == SchemaMode::Text
    }

    fn accepts_schema_beside_tools(&self, _: bool) -> bool {
        // A schema that comes and goes with the rounds would invalidate the cache of all messages.
        true
    }

    fn key_header(&self, key: &str) -> (&'static str, String) {
        ("x-api-key", key.into())
    }

    fn headers(&self, _: bool) -> &'static [(&'static str, &'static str)] {
        &[("anthropic-version", "2023-06-01")]
    }

    fn read(&self, response: &mut ResponseAccumulator, value: &Value) {
        match value["type"].as_str() {
            Some("message_start") => self.read(response, &value["message"]),
            Some("content_block_start") => {
                add_block(response, value["index"].as_u64(), &value["content_block"]);
            }
            Some("content_block_delta") => {
                add_delta(response, value["index"].as_u64(), &value["delta"]);
            }
            Some("message_stop") => response.done = true,
            // A whole message, its start, or what its end reports.
            _ => {
                response.set_model(&value["model"]);
                response.set_finish(&value["stop_reason"]);
                response.set_finish(&value["delta"]["stop_reason"]);
                add_usage(response, &value["usage"]);
                let blocks = value["content"].as_array().into_iter().flatten();
                for (index, block) in blocks.enumerate() {
                    add_block(response, Some(index as u64), block);
                }
            }
        }
    }

    fn window(&self, page: &Value, _: &str) -> Option<u64> {
        page["max_input_tokens"].as_u64()
    }
}

/// Adds a block, whole or as it starts.
fn add_block(response: &mut ResponseAccumulator, index: Option<u64>, block: &Value) {
    let text = |member: &str| block[member].as_str().unwrap_or_default();
    match text("type") {
        "text" => response.text.push_text(text("text")),
        "thinking" => {
            response.begin_thought(index);
            response.continue_thought(index, text("thinking"), text("signature"));
        }
        // Only the provider can read it, and expects it back.
        "redacted_thinking" => response.add_redacted_thought(block),
        "tool_use" => {
            let input = match &block["input"] {
                Value::Object(map) if map.is_empty() => String::new(),
                Value::Null => String::new(),
                input => input.to_string(),
            };
            response.begin_call(index, text("id"), text("name"), &input);
        }
        _ => {}
    }
}

/// Adds to a block.
fn add_delta(response: &mut ResponseAccumulator, index: Option<u64>, delta: &Value) {
    let text = |member: &str| delta[member].as_str().unwrap_or_default();
    match text("type") {
        "text_delta" => response.text.push_text(text("text")),
        "thinking_delta" => response.continue_thought(index, text("thinking"), ""),
        "signature_delta" => response.continue_thought(index, "", text("signature")),
        "input_json_delta" => response.continue_call(index, text("partial_json")),
        _ => {}
    }
}

/// Adds usage. The start of a stream reports the prompt, its end the answer. Cached tokens are
/// counted separately.
fn add_usage(response: &mut ResponseAccumulator, usage: &Value) {
    if !usage.is_object() {
        return;
    }
    let mut sum = response.usage.unwrap_or_default();
    let cached = number(usage, &["/cache_read_input_tokens"]);
    if let Some(fresh) = number(usage, &["/input_tokens"]) {
        let written = number(usage, &["/cache_creation_input_tokens"]);
        let parts = [cached, written].into_iter().flatten();
        sum = TokenUsage {
            input: parts.fold(fresh, u64::saturating_add),
            cached: cached.unwrap_or_default(),
            ..sum
        };
    }
    if let Some(output) = number(usage, &["/output_tokens"]) {
        sum.output = output;
    }
    if let Some(reasoning) = number(usage, &["/output_tokens_details/thinking_tokens"]) {
        sum.reasoning = reasoning;
    }
    response.reports_cached |= cached.is_some();
    response.usage = Some(sum);
}
