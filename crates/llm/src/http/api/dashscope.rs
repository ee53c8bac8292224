//! DashScope's own generation interface:
//! <https://help.aliyun.com/zh/model-studio/qwen-api-reference>.

use serde_json::Value;

use super::members::{Members, common_members, function_tools, open_object};
use super::openai::response_format;
use super::protocol::Protocol;
use crate::http::request_parts::{AskParts, FixedParts};
use crate::http::response_accumulator::ResponseAccumulator;
use crate::http::settings::SchemaMode;

pub(super) struct DashScope;

impl Protocol for DashScope {
    fn own_members(&self) -> &'static [&'static str] {
        &["model", "input"]
    }

    fn settings_member(&self) -> Option<&'static str> {
        Some("parameters")
    }

    fn head(&self, fixed: &FixedParts, _: &AskParts) -> String {
        open_object(&common_members(fixed)) + "\"input\":{"
    }

    fn ending(&self, fixed: &FixedParts, ask: &AskParts, mode: SchemaMode) -> String {
        let mut parameters = Members::default();
        parameters.all(&fixed.settings);
        parameters.raw("result_format", "\"message\"");
        parameters.raw("max_tokens", ask.max_tokens);
        if fixed.model.provider.stream {
            // Otherwise each event repeats all text before it.
            parameters.raw("incremental_output", true);
        }
        if !ask.tools.is_empty() {
            parameters.raw("tools", function_tools(&ask.tools));
        }
        if ask.forbids_tools() {
            parameters.raw("tool_choice", "\"none\"");
        }
        if let Some(format) = response_format(ask, mode) {
            parameters.raw("response_format", format);
        }
        format!("}},\"parameters\":{}}}", parameters.into_object())
    }

    fn headers(&self, stream: bool) -> &'static [(&'static str, &'static str)] {
        if stream {
            &[("x-dashscope-sse", "enable")]
        } else {
            &[]
        }
    }

    fn read(&self, response: &mut ResponseAccumulator, value: &Value) {
        response.set_usage(value);
        let output = &value["output"];
        let choice = &output["choices"][0];
        // Until the end it is the text "null".
        for reason in [&choice["finish_reason"], &output["finish_reason"]] {
            if *reason != "null" {
                response.set_finish(reason);
            }
        }
        response.add_message(&choice["message"]);
        if let Some(text) = output["text"].as_str() {
            response.text.push_text(text);
        }
    }

    fn window(&self, _: &Value, _: &str) -> Option<u64> {
        None
    }
}
