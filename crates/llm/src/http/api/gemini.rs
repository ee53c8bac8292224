//! Gemini's generateContent: <https://ai.google.dev/api/generate-content>. Requests use the member
//! names of the protocol buffers, which the service accepts beside camel case; answers are read in
//! both.

use playhouse_engine::message::TokenUsage;
use serde_json::Value;

use super::members::{Members, json_list, named_tool, open_object};
use super::protocol::Protocol;
use crate::http::request_parts::{AskParts, FixedParts};
use crate::http::response_accumulator::ResponseAccumulator;
use crate::http::settings::SchemaMode;

pub(super) struct Gemini;

impl Protocol for Gemini {
    fn own_members(&self) -> &'static [&'static str] {
        &["contents", "system_instruction", "tools", "tool_config"]
    }

    fn settings_member(&self) -> Option<&'static str> {
        Some("generation_config")
    }

    fn head(&self, fixed: &FixedParts, _: &AskParts) -> String {
        // The model is named in the URL.
        open_object(&fixed.extra)
    }

    fn ending(&self, fixed: &FixedParts, ask: &AskParts, mode: SchemaMode) -> String {
        let mut config = Members::default();
        config.all(&fixed.settings);
        config.raw("max_output_tokens", ask.max_tokens);
        if let Some(schema) = ask.schema.as_ref().filter(|_| mode != SchemaMode::Text) {
            config.raw("response_mime_type", "\"application/json\"");
            match mode {
                SchemaMode::Strict | SchemaMode::Stable => {
                    config.raw("response_json_schema", &schema.stable);
                }
                SchemaMode::Constrained => config.raw("response_json_schema", &schema.constrained),
                SchemaMode::JsonMode | SchemaMode::Text => {}
            }
        }
        let mut members = Members::default();
        members.object("generation_config", config);
        if !ask.tools.is_empty() {
            let tools = ask.tools.iter();
            let tools = json_list(tools.map(|tool| named_tool(tool, "parameters_json_schema")));
            members.raw("tools", format!("[{{\"function_declarations\":{tools}}}]"));
        }
        if ask.forbids_tools() {
            let mode = "{\"function_calling_config\":{\"mode\":\"NONE\"}}";
            members.raw("tool_config", mode);
        }
        members.into_ending()
    }

    fn accepts_schema_beside_tools(&self, _: bool) -> bool {
        // Models before Gemini 3 refuse both together.
        false
    }

    fn key_header(&self, key: &str) -> (&'static str, String) {
        ("x-goog-api-key", key.into())
    }

    fn read(&self, response: &mut ResponseAccumulator, value: &Value) {
        response.set_model(either(value, "modelVersion", "model_version"));
        add_usage(response, either(value, "usageMetadata", "usage_metadata"));
        let feedback = either(value, "promptFeedback", "prompt_feedback");
        if either(feedback, "blockReason", "block_reason").is_string() {
            response.set_finish(&Value::from("SAFETY"));
        }
        let candidate = &value["candidates"][0];
        let parts = candidate["content"]["parts"].as_array();
        for part in parts.into_iter().flatten() {
            add_part(response, part);
        }
        response.set_finish(either(candidate, "finishReason", "finish_reason"));
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

fn add_part(response: &mut ResponseAccumulator, part: &Value) {
    let signature = either(part, "thoughtSignature", "thought_signature").as_str();
    let call = either(part, "functionCall", "function_call");
    if call.is_object() {
        let text = |member: &str| call[member].as_str().unwrap_or_default();
        let arguments = match &call["args"] {
            Value::Null => String::new(),
            arguments => arguments.to_string(),
        };
        // Each part holds one whole call.
        response.begin_call(None, text("id"), text("name"), &arguments);
        response.sign_call(signature);
    } else if let Some(text) = part["text"].as_str() {
        if part["thought"] == true {
            response.text.push_reasoning(text);
        } else {
            response.text.push_text(text);
        }
    }
}

/// Adds usage. Thoughts are not part of the answer's tokens.
fn add_usage(response: &mut ResponseAccumulator, usage: &Value) {
    let count = |camel: &str, snake: &str| either(usage, camel, snake).as_u64();
    let Some(input) = count("promptTokenCount", "prompt_token_count") else {
        return;
    };
    let cached = count("cachedContentTokenCount", "cached_content_token_count");
    let answer = count("candidatesTokenCount", "candidates_token_count").unwrap_or_default();
    let reasoning = count("thoughtsTokenCount", "thoughts_token_count").unwrap_or_default();
    let tool_use = count("toolUsePromptTokenCount", "tool_use_prompt_token_count");
    response.reports_cached |= cached.is_some();
    response.usage = Some(TokenUsage {
        input: input.saturating_add(tool_use.unwrap_or_default()),
        output: answer.saturating_add(reasoning),
        cached: cached.unwrap_or_default().min(input),
        reasoning,
    });
}
