//! DashScope's own generation interface:
//! <https://help.aliyun.com/zh/model-studio/qwen-api-reference>.

use serde_json::Value;

use super::openai::response_format;
use super::{Members, Protocol, common_members, function_tools, open_object};
use crate::mind::http::reply::Reply;
use crate::mind::http::request::{Asked, RequestForm};
use crate::mind::http::settings::SchemaMode;
use crate::mind::http::usage;

pub(super) struct DashScope;

impl Protocol for DashScope {
    fn own_members(&self) -> &'static [&'static str] {
        &["model", "input"]
    }

    fn settings_member(&self) -> Option<&'static str> {
        Some("parameters")
    }

    fn head(&self, form: &RequestForm, _: &Asked) -> String {
        open_object(&common_members(form)) + "\"input\":{"
    }

    fn ending(&self, form: &RequestForm, asked: &Asked, mode: SchemaMode) -> String {
        let mut parameters = Members::default();
        parameters.all(form.settings());
        parameters.raw("result_format", "\"message\"");
        parameters.raw("max_tokens", asked.limit);
        if form.dialect().stream {
            // Otherwise each piece repeats all before it.
            parameters.raw("incremental_output", true);
        }
        if !asked.specs.is_empty() {
            let tools = function_tools(asked.specs.iter().map(|spec| &**spec));
            parameters.raw("tools", tools);
        }
        if asked.forbids_tools() {
            parameters.raw("tool_choice", "\"none\"");
        }
        if let Some(format) = response_format(asked, mode) {
            parameters.raw("response_format", format);
        }
        format!("}},\"parameters\":{}}}", parameters.as_object())
    }

    fn headers(&self, stream: bool) -> &'static [(&'static str, &'static str)] {
        match stream {
            true => &[("x-dashscope-sse", "enable")],
            false => &[],
        }
    }

    fn take(&self, reply: &mut Reply, value: &Value) {
        if let Some(usage) = usage::of_dashscope(&value["usage"]) {
            reply.usage = Some(usage);
            reply.tells_cached |= usage::cached_of(value).is_some();
        }
        let output = &value["output"];
        let choice = &output["choices"][0];
        // Until the end it is the text "null".
        for reason in [&choice["finish_reason"], &output["finish_reason"]] {
            if *reason != "null" {
                reply.take_finish(reason);
            }
        }
        reply.take_message(&choice["message"]);
        if let Some(text) = output["text"].as_str() {
            reply.spoken.take_words(text);
        }
    }

    fn window(&self, _: &Value, _: &str) -> Option<u64> {
        None
    }
}
