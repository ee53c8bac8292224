//! What servers say back, gathered into one form.

use std::time::Duration;

use serde_json::Value;

use super::api::REPLY_TOOL;
use crate::dialect::thinking::{Parted, Spoken};
use crate::message::{Block, TokenUsage};
use crate::mind::{Completion, Finish};
use crate::tool::ToolCall;

/// An answer as far as it has come. Pieces of a stream and whole answers are taken alike; nothing
/// is required of either.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Reply {
    pub(super) spoken: Spoken,
    calls: Vec<CallPieces>,
    thoughts: Vec<ThoughtPieces>,
    pub(super) finish: Option<Finish>,
    pub(super) usage: Option<TokenUsage>,
    pub(super) model: Option<String>,
    /// Whether the usage told of cached tokens, be it none.
    pub(super) tells_cached: bool,
    /// Whether the server said that nothing more will come.
    pub(super) done: bool,
}

/// A call of a tool, as far as it has come.
#[derive(Debug, Default, PartialEq)]
struct CallPieces {
    /// Its place among the calls, as the server counts.
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    signature: Option<Box<str>>,
}

/// A thought, as far as it has come.
#[derive(Debug, PartialEq)]
enum ThoughtPieces {
    /// One that can be read, and is signed in the end.
    Open {
        /// Its place in the answer, as the server counts.
        index: Option<u64>,
        thinking: String,
        signature: String,
    },
    /// A block that nobody but its provider can read.
    Closed(Block),
}

impl Reply {
    /// Takes the name of the model; the first one counts.
    pub(super) fn take_model(&mut self, model: &Value) {
        if let (None, Some(model)) = (&self.model, model.as_str()) {
            self.model = Some(model.into());
        }
    }

    /// Takes why the mind stopped, where it says so.
    pub(super) fn take_finish(&mut self, reason: &Value) {
        if let Some(reason) = reason.as_str() {
            self.finish = Some(finish_of(reason));
        }
    }

    /// Takes the message of an answer, or a piece of one, in OpenAI's form.
    pub(super) fn take_message(&mut self, said: &Value) {
        self.spoken.take(said);
        let calls = said["tool_calls"].as_array();
        calls
            .into_iter()
            .flatten()
            .for_each(|call| self.take_call(call));
    }

    /// A call, or a piece of one: only the first piece has id and name, the others bring more of
    /// the arguments.
    fn take_call(&mut self, piece: &Value) {
        let index = piece["index"].as_u64();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (id, function) = (text(&piece["id"]), &piece["function"]);
        let name = text(&function["name"]);
        // Some servers count no calls, others count all of them 0: then a new id and a name begin
        // a new one.
        let goes_on = |call: &&mut CallPieces| {
            let same_place = index.is_none() || call.index == index;
            let other_id = match id.is_empty() {
                true => index.is_none(),
                false => id != call.id,
            };
            let new = !name.is_empty() && other_id;
            same_place && !new
        };
        let arguments = match &function["arguments"] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            // Ollama sends them as they are.
            object => object.to_string(),
        };
        match self.calls.iter_mut().rev().find(goes_on) {
            Some(call) => call.arguments.push_str(&arguments),
            None if name.is_empty() => {}
            None => self.begin_call(index, &id, &name, &arguments),
        }
    }

    /// Takes a call whose arguments may go on.
    pub(super) fn begin_call(&mut self, index: Option<u64>, id: &str, name: &str, arguments: &str) {
        self.calls.push(CallPieces {
            index,
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
            signature: None,
        });
    }

    /// Takes more of the arguments of the call at this place.
    pub(super) fn go_on_calling(&mut self, index: Option<u64>, arguments: &str) {
        let mut calls = self.calls.iter_mut().rev();
        if let Some(call) = calls.find(|call| call.index == index) {
            call.arguments.push_str(arguments);
        }
    }

    /// Takes what the provider wants back with the last call.
    pub(super) fn sign_call(&mut self, signature: Option<&str>) {
        if let (Some(call), Some(signature)) = (self.calls.last_mut(), signature) {
            call.signature = Some(signature.into());
        }
    }

    /// Takes the begin of a thought that may be signed.
    pub(super) fn begin_thought(&mut self, index: Option<u64>) {
        self.thoughts.push(ThoughtPieces::Open {
            index,
            thinking: String::new(),
            signature: String::new(),
        });
    }

    /// Takes more of the thought at this place, and of its signature.
    pub(super) fn go_on_thinking(&mut self, place: Option<u64>, more: &str, signed: &str) {
        self.spoken.take_reasoning(more);
        for thought in self.thoughts.iter_mut().rev() {
            if let ThoughtPieces::Open {
                index,
                thinking,
                signature,
            } = thought
                && *index == place
            {
                thinking.push_str(more);
                signature.push_str(signed);
                return;
            }
        }
    }

    /// Takes a thought that nobody but its provider can read.
    pub(super) fn take_closed_thought(&mut self, block: &Value) {
        let block = Block::Unknown(block.clone());
        self.thoughts.push(ThoughtPieces::Closed(block));
    }

    /// Takes an answer that came as the arguments of a tool for words.
    pub(super) fn settle(&mut self) {
        if let Some(at) = self.calls.iter().position(|call| call.name == REPLY_TOOL) {
            let answer = self.calls.remove(at);
            self.spoken = Spoken::default();
            self.spoken.take_words(&answer.arguments);
            if self.finish == Some(Finish::ToolCalls) {
                self.finish = Some(Finish::Stop);
            }
        }
    }

    /// The calls of tools, in their order.
    pub(super) fn calls(&self) -> Vec<ToolCall> {
        let calls = self.calls.iter();
        calls
            .map(|call| ToolCall {
                signature: call.signature.clone(),
                ..ToolCall::new(&*call.id, &*call.name, &*call.arguments)
            })
            .collect()
    }

    /// The thoughts that the provider wants back as they came.
    pub(super) fn signed(&self) -> Vec<Block> {
        let block = |thought: &ThoughtPieces| match thought {
            ThoughtPieces::Open { signature, .. } if signature.is_empty() => None,
            ThoughtPieces::Open {
                thinking,
                signature,
                ..
            } => Some(Block::Thinking {
                thinking: thinking.as_str().into(),
                signature: Some(signature.as_str().into()),
            }),
            ThoughtPieces::Closed(block) => Some(block.clone()),
        };
        self.thoughts.iter().filter_map(block).collect()
    }

    /// How many bytes were said so far.
    pub(super) fn length(&self) -> usize {
        let calls = self.calls.iter();
        let calls = calls.map(|call| call.name.len() + call.arguments.len());
        self.spoken.length() + calls.sum::<usize>()
    }

    /// The words of the answer and the reasoning.
    pub(super) fn words(&self) -> Parted {
        self.spoken.parted()
    }

    /// All of it. `model` is the name of a model that does not name itself.
    pub(super) fn into_completion(self, model: &str) -> Completion {
        let (words, calls) = (self.words(), self.calls());
        Completion {
            text: words.text,
            thinking: Some(words.thinking).filter(|thinking| !thinking.is_empty()),
            signed: self.signed(),
            finish: match calls.is_empty() {
                true => self.finish.unwrap_or(Finish::Unknown),
                // Some servers say that it stopped.
                false => Finish::ToolCalls,
            },
            calls,
            usage: self.usage,
            model: self.model.unwrap_or_else(|| model.into()),
            retries: 0,
            latency: Duration::ZERO,
        }
    }

    /// Whether nothing came that an answer could be.
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.words().text.is_empty()
    }
}

/// The error that a body speaks of: the member `error` of most, FastAPI's `detail`, DashScope's
/// `code` with a `message`, each maybe in a list, as Gemini sends it; or none.
pub(super) fn error_in(value: &Value) -> Option<&Value> {
    let value = match value {
        Value::Array(list) => list.first()?,
        value => value,
    };
    let members = [&value["error"], &value["detail"]];
    let named = members.into_iter().find(|member| !member.is_null());
    let whole =
        value["code"].is_string() && value["message"].is_string() && value["output"].is_null();
    named.or(Some(value).filter(|_| whole))
}

/// The words of an error: its message, or all of it.
pub(super) fn error_text(error: &Value) -> String {
    let message = [error, &error["message"], &error["error"]];
    match message.iter().find_map(|value| value.as_str()) {
        Some(text) => text.into(),
        None => faults(error).unwrap_or_else(|| error.to_string()),
    }
}

/// The words of FastAPI's list of faults: `[{"loc": ["body", "top_k"], "msg": "Extra inputs are not
/// permitted"}]`.
fn faults(error: &Value) -> Option<String> {
    let fault = |fault: &Value| {
        let place = fault["loc"]
            .as_array()?
            .iter()
            .map(|step| match step.as_str() {
                Some(name) => name.to_owned(),
                None => step.to_string(),
            });
        let place = place.collect::<Vec<_>>().join(".");
        Some(format!("{place}: {}", fault["msg"].as_str()?))
    };
    let all: Option<Vec<_>> = error.as_array()?.iter().map(fault).collect();
    all.filter(|all| !all.is_empty()).map(|all| all.join("; "))
}

fn finish_of(reason: &str) -> Finish {
    match reason {
        "stop" | "eos" | "end_turn" | "stop_sequence" | "STOP" => Finish::Stop,
        "length"
        | "max_tokens"
        | "MAX_TOKENS"
        | "model_length"
        | "model_context_window_exceeded" => Finish::Length,
        "tool_calls" | "function_call" | "tool_use" => Finish::ToolCalls,
        "content_filter" | "refusal" | "SAFETY" | "RECITATION" | "BLOCKLIST"
        | "PROHIBITED_CONTENT" | "SPII" | "MODEL_ARMOR" => Finish::ContentFilter,
        _ => Finish::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dialect::format::Api;
    use crate::mind::http::api::protocol;

    fn take(reply: &mut Reply, value: &Value) {
        protocol(Api::OpenAi).take(reply, value);
    }

    fn usage(input: u64, output: u64, cached: u64, reasoning: u64) -> TokenUsage {
        TokenUsage {
            input,
            output,
            cached,
            reasoning,
        }
    }

    #[test]
    fn nothing_is_required_of_a_piece() {
        let mut reply = Reply::default();
        for piece in [
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
            take(&mut reply, &piece);
        }
        let words = reply.words();
        assert_eq!(
            (words.text.as_str(), words.thinking.as_str()),
            ("yes", "hm")
        );
        assert_eq!(reply.finish, Some(Finish::Length));
        assert_eq!(reply.usage, Some(usage(3, 0, 0, 0)));
    }

    fn calls_of(pieces: &[Value]) -> Vec<(String, String, String)> {
        let mut reply = Reply::default();
        for piece in pieces {
            take(
                &mut reply,
                &json!({"choices": [{"delta": {"tool_calls": [piece]}}]}),
            );
        }
        let calls = reply.calls().into_iter();
        calls
            .map(|call| (call.id, call.name, call.arguments))
            .collect()
    }

    #[test]
    fn calls_come_whole_or_in_pieces() {
        let call =
            |id: &str, name: &str, arguments: &str| (id.into(), name.into(), arguments.into());
        let two = [call("a", "dice", "{\"n\":1}"), call("b", "look", "{}")];
        let first = |index: Value, id: &str, name: &str, arguments: &str| {
            json!({"index": index, "id": id, "type": "function",
                "function": {"name": name, "arguments": arguments}})
        };
        let more = |index: Value, arguments: &str| json!({"index": index, "function": {"arguments": arguments}});
        let (zero, one) = (json!(0), json!(1));
        // Counted, uncounted, all counted 0, and with the pieces of two calls mixed.
        assert_eq!(
            calls_of(&[
                first(zero.clone(), "a", "dice", ""),
                more(zero.clone(), "{\"n\""),
                more(zero.clone(), ":1}"),
                first(one.clone(), "b", "look", "{}")
            ]),
            two
        );
        assert_eq!(
            calls_of(&[
                first(Value::Null, "a", "dice", "{\"n\""),
                more(Value::Null, ":1}"),
                first(Value::Null, "b", "look", "{}")
            ]),
            two
        );
        assert_eq!(
            calls_of(&[
                first(zero.clone(), "a", "dice", "{\"n\""),
                more(zero.clone(), ":1}"),
                first(zero.clone(), "b", "look", "{}")
            ]),
            two
        );
        assert_eq!(
            calls_of(&[
                first(zero.clone(), "a", "dice", "{\"n\""),
                first(one.clone(), "b", "look", ""),
                more(zero, ":1}"),
                more(one, "{}")
            ]),
            two
        );
        let mut whole = Reply::default();
        take(
            &mut whole,
            &json!({"choices": [{"message": {"content": null, "tool_calls": [
            {"id": "a", "function": {"name": "dice", "arguments": {"n": 1}}},
            {"id": "b", "function": {"name": "look"}}]}}]}),
        );
        assert_eq!(
            whole.calls(),
            [
                ToolCall::new("a", "dice", "{\"n\":1}"),
                ToolCall::new("b", "look", "")
            ]
        );
        assert!(
            calls_of(&[
                json!({}),
                json!(3),
                json!({"function": {"arguments": "{}"}})
            ])
            .is_empty()
        );
    }
}
