//! A server's response, accumulated from its parts.

use std::time::Duration;

use playhouse_engine::message::{Block, FinishReason, TokenUsage};
use playhouse_engine::mind::{Completion, MAX_CALLS};
use playhouse_engine::reading::{OwnMarks, SplitText};
use playhouse_engine::tool::ToolCall;
use playhouse_engine::tool::schema_check::SchemaCheck;
use playhouse_interop::thinking::AnswerText;
use serde_json::{Value, json};

use super::usage;

/// The tool that a mind must call if that is how a provider is asked for JSON. Its arguments are
/// the answer.
pub(super) const REPLY_TOOL: &str = "give_answer";

/// The maximum number of thoughts that are kept apart; further ones are only text.
const MAX_THOUGHTS: usize = 128;
/// How many bytes a call or a thought takes beside its texts.
const ITEM_BYTES: usize = 128;

/// A response so far. Deltas of a stream and whole answers are added alike; no member is required.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ResponseAccumulator {
    pub(super) text: AnswerText,
    /// What a model says that refuses, in a member of its own.
    refusal: String,
    calls: Vec<PartialCall>,
    /// Whether there were more calls than are read. What comes of calls then may belong to those.
    has_too_many_calls: bool,
    thoughts: Vec<PartialThought>,
    /// How many bytes are kept beside `text`.
    kept: usize,
    pub(super) finish: Option<FinishReason>,
    pub(super) usage: Option<TokenUsage>,
    pub(super) model: Option<String>,
    /// Whether the usage included a number of cached tokens.
    pub(super) reports_cached: bool,
    /// Whether the server said that the response is complete.
    pub(super) done: bool,
}

/// What is known of an answer before it comes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WantedAnswer<'a> {
    /// The schema of the JSON that was asked for; `None` for prose.
    pub(super) schema: Option<&'a str>,
    /// Whether the model was told not to think.
    pub(super) without_thoughts: bool,
    /// From how many bytes on a streamed text is cut: no server that keeps to the limit of tokens
    /// comes near.
    pub(super) longest_text: Option<usize>,
    /// Whether it may call tools, which some servers leave in the text.
    pub(super) calls_tools: bool,
}

impl WantedAnswer<'_> {
    /// Whether a text is, as a whole, JSON of the form that was asked for.
    fn is_in_form(&self, text: &str) -> bool {
        let Some(schema) = self.schema else {
            return false;
        };
        let parsed = serde_json::from_str(schema).and_then(|schema: Value| {
            let value: Value = serde_json::from_str(text.trim())?;
            Ok((schema, value))
        });
        parsed.is_ok_and(|(schema, value)| {
            value.is_object() && SchemaCheck::new(&schema, false).accepts(&schema, &value)
        })
    }

    /// Whether what a server took for a thought is the answer.
    fn is_answer(&self, thought: &str) -> bool {
        match self.schema {
            Some(_) => self.is_in_form(thought),
            None => self.without_thoughts,
        }
    }
}

#[derive(Debug, Default, PartialEq)]
struct PartialCall {
    /// The server's number of the call.
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    signature: Option<Box<str>>,
}

#[derive(Debug, PartialEq)]
enum PartialThought {
    Readable {
        /// The server's number of the block.
        index: Option<u64>,
        thinking: String,
        signature: String,
    },
    /// Only its provider can read it.
    Redacted(Block),
}

impl ResponseAccumulator {
    /// The response of a model that has marks of its own for thoughts.
    pub(super) fn with_marks(marks: OwnMarks) -> Self {
        Self {
            text: AnswerText::with_marks(marks),
            ..Self::default()
        }
    }

    /// Sets the name of the model; the first one counts.
    pub(super) fn set_model(&mut self, model: &Value) {
        if let (None, Some(model)) = (&self.model, model.as_str()) {
            self.kept += model.len();
            self.model = Some(model.into());
        }
    }

    /// Sets the usage, if the value tells it as OpenAI or DashScope does.
    pub(super) fn set_usage(&mut self, value: &Value) {
        if let Some(usage) = usage::of_chat(value) {
            self.usage = Some(usage);
            self.reports_cached |= usage::cached_of(value).is_some();
        }
    }

    /// Sets why the model stopped, if the value says so.
    pub(super) fn set_finish(&mut self, reason: &Value) {
        if let Some(reason) = reason.as_str() {
            self.finish = Some(finish_of(reason));
        }
    }

    /// Adds a message or a delta of OpenAI's API.
    pub(super) fn add_message(&mut self, message: &Value) {
        self.text.push(message);
        if let Some(refusal) = message["refusal"].as_str() {
            self.kept += refusal.len();
            self.refusal.push_str(refusal);
        }
        let calls = message["tool_calls"].as_array();
        for call in calls.into_iter().flatten() {
            self.add_call(call);
        }
        // The form that OpenAI had before.
        if let Some(function) = message.get("function_call").filter(|call| call.is_object()) {
            self.add_call(&json!({ "function": function }));
        }
    }

    /// Adds a call or a delta of one. Only the first delta has an id and a name, the others add to
    /// the arguments.
    fn add_call(&mut self, delta: &Value) {
        if self.has_too_many_calls {
            return;
        }
        let index = delta["index"].as_u64();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (id, function) = (text(&delta["id"]), &delta["function"]);
        let name = text(&function["name"]);
        // Some servers send no index, others always 0. There a new id and a name begin a new call.
        let is_continued = |call: &&mut PartialCall| {
            let has_index = index.is_none() || call.index == index;
            let has_new_id = if id.is_empty() {
                index.is_none()
            } else {
                id != call.id
            };
            has_index && (name.is_empty() || !has_new_id)
        };
        let arguments = match &function["arguments"] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            // Ollama sends an object.
            object => object.to_string(),
        };
        match self.calls.iter_mut().rev().find(is_continued) {
            Some(call) => {
                self.kept += arguments.len();
                call.arguments.push_str(&arguments);
            }
            None if name.is_empty() => {}
            None => self.begin_call(index, &id, &name, &arguments),
        }
    }

    /// Adds a call whose arguments may be continued.
    pub(super) fn begin_call(&mut self, index: Option<u64>, id: &str, name: &str, arguments: &str) {
        self.has_too_many_calls |= self.calls.len() >= MAX_CALLS;
        if self.has_too_many_calls {
            return;
        }
        self.kept += ITEM_BYTES + id.len() + name.len() + arguments.len();
        self.calls.push(PartialCall {
            index,
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
            signature: None,
        });
    }

    /// Adds to the arguments of the call with this index.
    pub(super) fn continue_call(&mut self, index: Option<u64>, arguments: &str) {
        let mut calls = self.calls.iter_mut().rev();
        if let Some(call) = calls.find(|call| call.index == index)
            && !self.has_too_many_calls
        {
            self.kept += arguments.len();
            call.arguments.push_str(arguments);
        }
    }

    /// Sets the signature that the provider expects back with the last call.
    pub(super) fn sign_call(&mut self, signature: Option<&str>) {
        if let (Some(call), Some(signature)) = (self.calls.last_mut(), signature)
            && !self.has_too_many_calls
        {
            self.kept += signature.len();
            call.signature = Some(signature.into());
        }
    }

    /// Adds a thought that may be continued and signed.
    pub(super) fn begin_thought(&mut self, index: Option<u64>) {
        if self.thoughts.len() >= MAX_THOUGHTS {
            return;
        }
        self.kept += ITEM_BYTES;
        self.thoughts.push(PartialThought::Readable {
            index,
            thinking: String::new(),
            signature: String::new(),
        });
    }

    /// Adds to the thought with this index, and to its signature.
    pub(super) fn continue_thought(&mut self, index: Option<u64>, more: &str, signed: &str) {
        self.text.push_reasoning(more);
        for thought in self.thoughts.iter_mut().rev() {
            if let PartialThought::Readable {
                index: known,
                thinking,
                signature,
            } = thought
                && *known == index
            {
                self.kept += more.len() + signed.len();
                thinking.push_str(more);
                signature.push_str(signed);
                return;
            }
        }
    }

    /// Adds a thought that only its provider can read.
    pub(super) fn add_redacted_thought(&mut self, block: &Value) {
        if self.thoughts.len() >= MAX_THOUGHTS {
            return;
        }
        self.kept += ITEM_BYTES + block.to_string().len();
        let block = Block::Unknown(block.clone());
        self.thoughts.push(PartialThought::Redacted(block));
    }

    /// Makes a call of [`REPLY_TOOL`] the text of the answer.
    pub(super) fn unwrap_reply_tool(&mut self) {
        if let Some(index) = self.calls.iter().position(|call| call.name == REPLY_TOOL) {
            let answer = self.calls.remove(index);
            self.text = AnswerText::plain(answer.arguments);
            if self.finish == Some(FinishReason::ToolCalls) {
                self.finish = Some(FinishReason::Stop);
            }
        }
    }

    /// Finds the answer where marks of thoughts hide it: within an answer in the form that was
    /// wanted they are part of what is said, and where nothing is said but what was thought is such
    /// an answer, the server took the one for the other. Some do that if the model writes none of
    /// the marks that the server expects.
    pub(super) fn find_answer(&mut self, wanted: &WantedAnswer<'_>) {
        if !self.calls.is_empty() {
            return;
        }
        let split = self.split();
        if split.text != self.text.text() && wanted.is_in_form(self.text.text()) {
            self.text.keep_marks();
        } else if split.text.trim().is_empty()
            && self.thoughts.is_empty()
            && wanted.is_answer(&split.thinking)
        {
            self.text = AnswerText::plain(split.thinking);
        }
    }

    pub(super) fn calls(&self) -> Vec<ToolCall> {
        let calls = self.calls.iter().map(|call| ToolCall {
            signature: call.signature.clone(),
            ..ToolCall::new(&*call.id, &*call.name, &*call.arguments)
        });
        calls.collect()
    }

    /// The thoughts that the provider expects back as they came.
    pub(super) fn signed(&self) -> Vec<Block> {
        let block = |thought: &PartialThought| match thought {
            PartialThought::Readable { signature, .. } if signature.is_empty() => None,
            PartialThought::Readable {
                thinking,
                signature,
                ..
            } => Some(Block::Thinking {
                thinking: thinking.as_str().into(),
                signature: Some(signature.as_str().into()),
            }),
            PartialThought::Redacted(block) => Some(block.clone()),
        };
        self.thoughts.iter().filter_map(block).collect()
    }

    /// How many bytes are kept so far, of whatever kind.
    pub(super) fn len(&self) -> usize {
        self.text.len().saturating_add(self.kept)
    }

    /// Whether nothing is kept so far.
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text of the answer, without reasoning, and the reasoning.
    pub(super) fn split(&self) -> SplitText {
        self.text.split()
    }

    /// Whether there is neither text nor a call.
    pub(super) fn has_no_answer(&self) -> bool {
        self.calls.is_empty() && self.split().text.trim().is_empty()
    }

    /// Makes what a refusal says the text of an answer that has no other.
    pub(super) fn unwrap_refusal(&mut self) {
        if !self.refusal.is_empty() && self.has_no_answer() {
            self.text = AnswerText::plain(std::mem::take(&mut self.refusal));
            self.finish = Some(FinishReason::ContentFilter);
        }
    }

    /// The answer. `model` is the name of a model that the server did not name.
    pub(super) fn into_completion(self, model: &str) -> Completion {
        let (split, calls) = (self.split(), self.calls());
        Completion {
            text: split.text,
            thinking: Some(split.thinking).filter(|thinking| !thinking.is_empty()),
            signed: self.signed(),
            finish: match self.finish {
                // The last call may lack its end.
                Some(FinishReason::Length) => FinishReason::Length,
                // Some servers say `stop`.
                _ if !calls.is_empty() => FinishReason::ToolCalls,
                finish => finish.unwrap_or(FinishReason::Unknown),
            },
            calls,
            usage: self.usage,
            model: self.model.unwrap_or_else(|| model.into()),
            retries: 0,
            latency: Duration::ZERO,
        }
    }
}

fn finish_of(reason: &str) -> FinishReason {
    match reason {
        "stop" | "eos" | "end_turn" | "stop_sequence" | "STOP" => FinishReason::Stop,
        "length"
        | "max_tokens"
        | "MAX_TOKENS"
        | "model_length"
        | "model_context_window_exceeded" => FinishReason::Length,
        "tool_calls" | "function_call" | "tool_use" => FinishReason::ToolCalls,
        "content_filter" | "refusal" | "SAFETY" | "RECITATION" | "BLOCKLIST"
        | "PROHIBITED_CONTENT" | "SPII" | "MODEL_ARMOR" => FinishReason::ContentFilter,
        _ => FinishReason::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::api::protocol;
    use playhouse_interop::format::Api;

    fn read(response: &mut ResponseAccumulator, value: &Value) {
        protocol(Api::OpenAi).read(response, value);
    }

    #[test]
    fn no_member_of_a_delta_is_required() {
        let mut response = ResponseAccumulator::default();
        for delta in [
            json!({}),
            json!([]),
            json!({"choices": []}),
            json!({"choices": [{}]}),
            json!({"choices": [{"delta": {"content": null, "role": "assistant"}}]}),
            json!({"choices": [{"delta": {"reasoning": "hm"}}]}),
            json!({"choices": [{"delta": {"content": "yes"}, "finish_reason": null}]}),
            json!({"choices": [{"delta": {}, "finish_reason": "length"}]}),
            json!({"choices": [], "usage": {"prompt_tokens": 3}}),
        ] {
            read(&mut response, &delta);
        }
        let split = response.split();
        assert_eq!(split.text, "yes");
        assert_eq!(split.thinking, "hm");
        assert_eq!(response.finish, Some(FinishReason::Length));
        assert_eq!(response.usage.unwrap().input, 3);
    }

    fn calls_of(deltas: &[Value]) -> Vec<ToolCall> {
        let mut response = ResponseAccumulator::default();
        for delta in deltas {
            let delta = json!({"tool_calls": [delta]});
            read(&mut response, &json!({"choices": [{"delta": delta}]}));
        }
        response.calls()
    }

    #[test]
    fn calls_come_whole_or_in_deltas() {
        let dice = || ToolCall::new("a", "dice", "{\"n\":1}");
        let first = |index: Option<u64>, id: &str, name: &str, arguments: &str| {
            json!({"index": index, "id": id, "type": "function",
                "function": {"name": name, "arguments": arguments}})
        };
        let more = |index: Option<u64>, arguments: &str| json!({"index": index, "function": {"arguments": arguments}});
        let begun = |index| first(index, "a", "dice", "{\"n\"");
        let look = |index| first(index, "b", "look", "{}");
        let (zero, one) = (Some(0), Some(1));
        // With an index, without, always 0, and with the deltas of two calls mixed.
        for deltas in [
            vec![
                first(zero, "a", "dice", ""),
                more(zero, "{\"n\":1}"),
                look(one),
            ],
            vec![begun(zero), more(zero, ":1}"), look(one)],
            vec![begun(None), more(None, ":1}"), look(None)],
            vec![begun(zero), more(zero, ":1}"), look(zero)],
            vec![
                begun(zero),
                first(one, "b", "look", ""),
                more(zero, ":1}"),
                more(one, "{}"),
            ],
        ] {
            assert_eq!(
                calls_of(&deltas),
                [dice(), ToolCall::new("b", "look", "{}")]
            );
        }
        let mut whole = ResponseAccumulator::default();
        let calls = json!([
            {"id": "a", "function": {"name": "dice", "arguments": {"n": 1}}},
            {"id": "b", "function": {"name": "look"}},
        ]);
        let message = json!({"content": null, "tool_calls": calls});
        read(&mut whole, &json!({"choices": [{"message": message}]}));
        assert_eq!(whole.calls(), [dice(), ToolCall::new("b", "look", "")]);
        let mut legacy = ResponseAccumulator::default();
        for function in [
            json!({"name": "dice", "arguments": "{\"n\""}),
            json!({"arguments": ":1}"}),
        ] {
            let delta = json!({"function_call": function});
            read(&mut legacy, &json!({"choices": [{"delta": delta}]}));
        }
        assert_eq!(legacy.calls(), [ToolCall::new("", "dice", "{\"n\":1}")]);
        let nothing = [
            json!({}),
            json!(3),
            json!({"function": {"arguments": "{}"}}),
        ];
        assert!(calls_of(&nothing).is_empty());
    }
}
