//! Chat completions, as OpenAI defined them: <https://platform.openai.com/docs/api-reference/chat>.

use serde_json::{Map, Value};

use super::members::{Members, common_members, function_tools, open_object};
use super::protocol::Protocol;
use crate::http::request_parts::{AskParts, FixedParts};
use crate::http::response_accumulator::ResponseAccumulator;
use crate::http::settings::SchemaMode;

pub(super) struct OpenAi;

impl Protocol for OpenAi {
    fn own_members(&self) -> &'static [&'static str] {
        &[
            "model",
            "messages",
            "response_format",
            "stream",
            "stream_options",
            "max_tokens",
            "max_completion_tokens",
            "tools",
            "tool_choice",
            "prompt_cache_key",
        ]
    }

    fn head(&self, fixed: &FixedParts, ask: &AskParts) -> String {
        let mut members = common_members(fixed);
        members.extend(self.settings(&fixed.model));
        open_object(&members) + &*tools_member(ask)
    }

    fn ending(&self, fixed: &FixedParts, ask: &AskParts, mode: SchemaMode) -> String {
        let provider = &fixed.model.provider;
        let mut members = Members::default();
        members.raw(provider.limit_field.name(), ask.max_tokens);
        members.raw("stream", provider.stream);
        if provider.stream && provider.stream_usage {
            members.raw("stream_options", "{\"include_usage\":true}");
        }
        if ask.forbids_tools() {
            members.raw("tool_choice", "\"none\"");
        }
        if let Some(format) = response_format(ask, mode) {
            members.raw("response_format", format);
        }
        if provider.cache_key {
            members.raw("prompt_cache_key", format!("\"{}\"", ask.cache_key));
        }
        members.into_ending()
    }

    fn read(&self, response: &mut ResponseAccumulator, value: &Value) {
        response.set_usage(value);
        response.set_model(&value["model"]);
        let choice = &value["choices"][0];
        response.set_finish(&choice["finish_reason"]);
        let message = match &choice["delta"] {
            Value::Object(_) => &choice["delta"],
            _ => &choice["message"],
        };
        response.add_message(message);
    }

    fn window(&self, page: &Value, model: &str) -> Option<u64> {
        // The members of llama.cpp and vLLM.
        let entry = entry_of(&page["data"], model)?;
        let members = [&entry["meta"]["n_ctx"], &entry["max_model_len"]];
        members.into_iter().find_map(Value::as_u64)
    }
}

/// The entry of a model in a server's list; without one of this name, the only entry.
fn entry_of<'a>(list: &'a Value, model: &str) -> Option<&'a Value> {
    let entries = list.as_array()?;
    let named = entries.iter().find(|entry| entry["id"] == model);
    named.or(match &entries[..] {
        [only] => Some(only),
        _ => None,
    })
}

/// The tools as a member of an open object; empty if there are none.
pub(super) fn tools_member(ask: &AskParts) -> String {
    if ask.tools.is_empty() {
        String::new()
    } else {
        format!("\"tools\":{},", function_tools(&ask.tools))
    }
}

/// The `response_format` for JSON in a schema mode.
pub(super) fn response_format(ask: &AskParts, mode: SchemaMode) -> Option<String> {
    let reply = ask.schema.as_ref()?;
    let by_schema = |schema: &str, strict: bool| {
        let strict = if strict { ",\"strict\":true" } else { "" };
        let name = &reply.name;
        format!(
            "{{\"type\":\"json_schema\",\"json_schema\":{{\"name\":\"{name}\",\"schema\":{schema}{strict}}}}}"
        )
    };
    match mode {
        SchemaMode::Strict => Some(by_schema(&reply.stable, fits_strict(&reply.stable))),
        SchemaMode::Stable => Some(by_schema(&reply.stable, false)),
        SchemaMode::Constrained => Some(by_schema(&reply.constrained, false)),
        SchemaMode::JsonMode => Some("{\"type\":\"json_object\"}".into()),
        SchemaMode::Text => None,
    }
}

/// Whether a schema meets the conditions of OpenAI's strict mode: every object is closed, all of
/// its properties are required, and there is no `oneOf`.
fn fits_strict(schema: &str) -> bool {
    fn fits(schema: &Value) -> bool {
        match schema {
            Value::Array(schemas) => schemas.iter().all(fits),
            Value::Object(members) => {
                let is_object = schema["type"] == "object" || members.contains_key("properties");
                (!is_object || is_closed(schema))
                    && !members.contains_key("oneOf")
                    && members.iter().all(|(key, value)| fits_as(key, value))
            }
            _ => true,
        }
    }

    /// Properties and definitions may have any name.
    fn fits_as(key: &str, value: &Value) -> bool {
        match value {
            Value::Object(named) if ["properties", "$defs", "definitions"].contains(&key) => {
                named.values().all(fits)
            }
            other => fits(other),
        }
    }

    fn is_closed(schema: &Value) -> bool {
        let required = |name: &String| {
            let list = schema["required"].as_array();
            list.is_some_and(|list| list.iter().any(|entry| entry == name))
        };
        let properties = schema["properties"].as_object();
        let all_required = |properties: &Map<String, Value>| properties.keys().all(required);
        schema["additionalProperties"] == false && properties.is_none_or(all_required)
    }

    serde_json::from_str(schema).is_ok_and(|schema| fits(&schema))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_strict_schemas_are_sent_as_strict() {
        let strict = r#"{"type":"object","properties":{"mind":{"type":"string"}},"required":["mind"],"additionalProperties":false}"#;
        assert!(fits_strict(strict));
        for lax in [
            r#"{"type": "object"}"#,
            r#"{"type": "object", "properties": {"a": {}}, "required": [], "additionalProperties": false}"#,
            r#"{"type": "array", "items": {"type": "object"}}"#,
            r##"{"$defs": {"a": {"oneOf": []}}, "$ref": "#/$defs/a"}"##,
            "no schema",
        ] {
            assert!(!fits_strict(lax), "{lax}");
        }
        let named = r#"{"type": "object", "properties": {"oneOf": {"type": "string"}}, "required": ["oneOf"], "additionalProperties": false}"#;
        assert!(fits_strict(named), "a property may have any name");
    }

    #[test]
    fn the_window_is_read_from_lists_of_models() {
        let llama =
            json!({"data": [{"id": "m.gguf", "meta": {"n_ctx": 4096, "n_ctx_train": 8192}}]});
        assert_eq!(OpenAi.window(&llama, "anything"), Some(4096));
        let vllm =
            json!({"data": [{"id": "a", "max_model_len": 1}, {"id": "b", "max_model_len": 2}]});
        assert_eq!(OpenAi.window(&vllm, "b"), Some(2));
        assert_eq!(OpenAi.window(&vllm, "c"), None);
        assert_eq!(OpenAi.window(&json!("no"), "c"), None);
    }
}
