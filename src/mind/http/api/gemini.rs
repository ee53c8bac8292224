//! Gemini's generateContent: <https://ai.google.dev/api/generate-content>. Names of members are
//! those of the protocol buffers, which the service takes as well as their camel-case forms, and
//! both are read.

use serde_json::Value;

use super::{Members, Protocol, open_object};
use crate::message::TokenUsage;
use crate::mind::http::reply::Reply;
use crate::mind::http::request::{Asked, RequestForm};
use crate::mind::http::settings::SchemaMode;

pub(super) struct Gemini;

impl Protocol for Gemini {
    fn own_members(&self) -> &'static [&'static str] {
        &["contents", "system_instruction", "tools", "tool_config"]
    }

    fn settings_member(&self) -> Option<&'static str> {
        Some("generation_config")
    }

    fn head(&self, form: &RequestForm, _: &Asked) -> String {
        // Address and not body names the model.
        open_object(form.extra())
    }

    fn ending(&self, form: &RequestForm, asked: &Asked, mode: SchemaMode) -> String {
        let mut config = Members::default();
        config.all(form.settings());
        config.raw("max_output_tokens", asked.limit);
        if let Some(wanted) = asked.wanted.as_ref().filter(|_| mode != SchemaMode::Text) {
            config.raw("response_mime_type", "\"application/json\"");
            match mode {
                SchemaMode::Strict | SchemaMode::Stable => {
                    config.raw("response_json_schema", &wanted.stable);
                }
                SchemaMode::Narrowed => config.raw("response_json_schema", &wanted.narrowed),
                SchemaMode::JsonMode | SchemaMode::Text => {}
            }
        }
        let mut members = Members::default();
        members.object("generation_config", config);
        if !asked.specs.is_empty() {
            let each = asked.specs.iter().map(|spec| {
                format!(
                    "{{\"name\":\"{}\",\"description\":\"{}\",\"parameters_json_schema\":{}}}",
                    spec.name(),
                    spec.description().escaped(),
                    spec.schema()
                )
            });
            let each = each.collect::<Vec<_>>().join(",");
            members.raw("tools", format!("[{{\"function_declarations\":[{each}]}}]"));
        }
        if asked.forbids_tools() {
            let mode = "{\"function_calling_config\":{\"mode\":\"NONE\"}}";
            members.raw("tool_config", mode);
        }
        members.0 + "}"
    }

    fn takes_schema_beside_tools(&self, _: bool) -> bool {
        // Models before Gemini 3 refuse them together.
        false
    }

    fn key(&self, key: &str) -> (&'static str, String) {
        ("x-goog-api-key", key.into())
    }

    fn take(&self, reply: &mut Reply, value: &Value) {
        reply.take_model(either(value, "modelVersion", "model_version"));
        take_usage(reply, either(value, "usageMetadata", "usage_metadata"));
        let feedback = either(value, "promptFeedback", "prompt_feedback");
        if either(feedback, "blockReason", "block_reason").is_string() {
            reply.take_finish(&Value::from("SAFETY"));
        }
        let candidate = &value["candidates"][0];
        let parts = candidate["content"]["parts"].as_array();
        for part in parts.into_iter().flatten() {
            take_part(reply, part);
        }
        reply.take_finish(either(candidate, "finishReason", "finish_reason"));
    }

    fn window(&self, page: &Value, _: &str) -> Option<u64> {
        page["inputTokenLimit"].as_u64()
    }
}

/// A member in either spelling.
fn either<'v>(value: &'v Value, camel: &str, snake: &str) -> &'v Value {
    match &value[camel] {
        Value::Null => &value[snake],
        found => found,
    }
}

fn take_part(reply: &mut Reply, part: &Value) {
    let signature = either(part, "thoughtSignature", "thought_signature").as_str();
    let call = either(part, "functionCall", "function_call");
    if call.is_object() {
        let text = |member: &str| call[member].as_str().unwrap_or_default();
        let arguments = match &call["args"] {
            Value::Null => String::new(),
            arguments => arguments.to_string(),
        };
        // Calls come whole, one a part.
        reply.begin_call(None, text("id"), text("name"), &arguments);
        reply.sign_call(signature);
    } else if let Some(text) = part["text"].as_str() {
        match part["thought"] == true {
            true => reply.spoken.take_reasoning(text),
            false => reply.spoken.take_words(text),
        }
    }
}

/// Takes usage. What was thought is counted beside the answer.
fn take_usage(reply: &mut Reply, usage: &Value) {
    let count = |camel: &str, snake: &str| either(usage, camel, snake).as_u64();
    let Some(input) = count("promptTokenCount", "prompt_token_count") else {
        return;
    };
    let cached = count("cachedContentTokenCount", "cached_content_token_count");
    let said = count("candidatesTokenCount", "candidates_token_count").unwrap_or_default();
    let thought = count("thoughtsTokenCount", "thoughts_token_count").unwrap_or_default();
    let of_tools = count("toolUsePromptTokenCount", "tool_use_prompt_token_count");
    reply.tells_cached |= cached.is_some();
    reply.usage = Some(TokenUsage {
        input: input.saturating_add(of_tools.unwrap_or_default()),
        output: said.saturating_add(thought),
        cached: cached.unwrap_or_default().min(input),
        reasoning: thought,
    });
}
