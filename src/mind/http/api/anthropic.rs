//! Anthropic's messages: <https://platform.claude.com/docs/en/api/messages>.

use serde_json::{Map, Value};

use super::{Members, Protocol, REPLY_TOOL, common_members, number, open_object};
use crate::message::TokenUsage;
use crate::mind::http::reply::Reply;
use crate::mind::http::request::{Asked, RequestForm};
use crate::mind::http::settings::SchemaMode;

pub(super) struct Anthropic;

impl Protocol for Anthropic {
    fn own_members(&self) -> &'static [&'static str] {
        &[
            "model",
            "messages",
            "system",
            "stream",
            "max_tokens",
            "tools",
            "tool_choice",
        ]
    }

    fn settings_member(&self) -> Option<&'static str> {
        Some("output_config")
    }

    fn settings(&self, _: &RequestForm) -> Map<String, Value> {
        Map::new()
    }

    fn head(&self, form: &RequestForm, _: &Asked) -> String {
        let mut members = common_members(form);
        if let Some(temperature) = form.dialect().temperature {
            members.insert("temperature".into(), temperature.into());
        }
        open_object(&members)
    }

    fn ending(&self, form: &RequestForm, asked: &Asked, mode: SchemaMode) -> String {
        let mut members = Members::default();
        members.raw("max_tokens", asked.limit);
        members.raw("stream", form.dialect().stream);
        let mut tools: Vec<_> = asked
            .specs
            .iter()
            .map(|spec| {
                let description = spec.description().escaped();
                tool(spec.name(), Some(description), spec.schema())
            })
            .collect();
        // An answer as the arguments of a tool that must be called: what older models know.
        let by_tool = asked
            .wanted
            .as_ref()
            .filter(|_| mode == SchemaMode::JsonMode);
        if let Some(wanted) = by_tool {
            tools.push(tool(REPLY_TOOL, None, &wanted.narrowed));
            let choice = format!("{{\"type\":\"tool\",\"name\":\"{REPLY_TOOL}\"}}");
            members.raw("tool_choice", choice);
        } else if asked.forbids_tools() {
            members.raw("tool_choice", "{\"type\":\"none\"}");
        }
        if !tools.is_empty() {
            members.raw("tools", format!("[{}]", tools.join(",")));
        }
        let mut config = Members::default();
        config.all(form.settings());
        let schema = asked.wanted.as_ref().and_then(|wanted| match mode {
            SchemaMode::Strict | SchemaMode::Stable => Some(&*wanted.stable),
            SchemaMode::Narrowed => Some(&*wanted.narrowed),
            SchemaMode::JsonMode | SchemaMode::Text => None,
        });
        if let Some(schema) = schema {
            config.raw(
                "format",
                format!("{{\"type\":\"json_schema\",\"schema\":{schema}}}"),
            );
        }
        members.object("output_config", config);
        members.0 + "}"
    }

    fn tells_schema(&self, mode: SchemaMode) -> bool {
        mode == SchemaMode::Text
    }

    fn takes_schema_beside_tools(&self, _: bool) -> bool {
        // A schema that comes and goes with the rounds would spoil the cache of all messages.
        true
    }

    fn key(&self, key: &str) -> (&'static str, String) {
        ("x-api-key", key.into())
    }

    fn headers(&self, _: bool) -> &'static [(&'static str, &'static str)] {
        &[("anthropic-version", "2023-06-01")]
    }

    fn take(&self, reply: &mut Reply, value: &Value) {
        match value["type"].as_str() {
            Some("message_start") => self.take(reply, &value["message"]),
            Some("content_block_start") => {
                take_block(reply, value["index"].as_u64(), &value["content_block"]);
            }
            Some("content_block_delta") => {
                take_delta(reply, value["index"].as_u64(), &value["delta"]);
            }
            Some("message_stop") => reply.done = true,
            // A whole message, the begin of one, or what its end tells.
            _ => {
                reply.take_model(&value["model"]);
                reply.take_finish(&value["stop_reason"]);
                reply.take_finish(&value["delta"]["stop_reason"]);
                take_usage(reply, &value["usage"]);
                let blocks = value["content"].as_array().into_iter().flatten();
                for (at, block) in blocks.enumerate() {
                    take_block(reply, Some(at as u64), block);
                }
            }
        }
    }

    fn window(&self, page: &Value, _: &str) -> Option<u64> {
        page["max_input_tokens"].as_u64()
    }
}

/// A tool; its name and schema need no escaping.
fn tool(name: &str, description: Option<&str>, schema: &str) -> String {
    let description = description.map(|words| format!("\"description\":\"{words}\","));
    let description = description.unwrap_or_default();
    format!("{{\"name\":\"{name}\",{description}\"input_schema\":{schema}}}")
}

/// Takes a block, whole or as it begins.
fn take_block(reply: &mut Reply, index: Option<u64>, block: &Value) {
    let text = |member: &str| block[member].as_str().unwrap_or_default();
    match text("type") {
        "text" => reply.spoken.take_words(text("text")),
        "thinking" => {
            reply.begin_thought(index);
            reply.go_on_thinking(index, text("thinking"), text("signature"));
        }
        // What was thought is nobody's to read, but wanted back.
        "redacted_thinking" => reply.take_closed_thought(block),
        "tool_use" => {
            let input = match &block["input"] {
                Value::Object(map) if map.is_empty() => String::new(),
                Value::Null => String::new(),
                input => input.to_string(),
            };
            reply.begin_call(index, text("id"), text("name"), &input);
        }
        _ => {}
    }
}

/// Takes a piece of a block.
fn take_delta(reply: &mut Reply, index: Option<u64>, delta: &Value) {
    let text = |member: &str| delta[member].as_str().unwrap_or_default();
    match text("type") {
        "text_delta" => reply.spoken.take_words(text("text")),
        "thinking_delta" => reply.go_on_thinking(index, text("thinking"), ""),
        "signature_delta" => reply.go_on_thinking(index, "", text("signature")),
        "input_json_delta" => reply.go_on_calling(index, text("partial_json")),
        _ => {}
    }
}

/// Takes usage. The begin of a stream tells of the prompt, its end of the answer; cached tokens are
/// counted apart.
fn take_usage(reply: &mut Reply, usage: &Value) {
    if !usage.is_object() {
        return;
    }
    let mut sum = reply.usage.unwrap_or_default();
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
    if let Some(thought) = number(usage, &["/output_tokens_details/thinking_tokens"]) {
        sum.reasoning = thought;
    }
    reply.tells_cached |= cached.is_some();
    reply.usage = Some(sum);
}
