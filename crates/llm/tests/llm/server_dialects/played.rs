//! Five servers, each as it was measured to behave, column by column of one table.

use serde_json::{Value, json};

use crate::openai::{Received, Script, answer, events, streams, whole};

/// Where a stream tells its usage.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Usage {
    /// In a piece of its own with these choices, where it is asked for.
    Asked(&'static str),
    Never,
    InTheLast,
}

/// What becomes of a schema.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Schema {
    /// The answer has its form.
    Grammar,
    /// Only `json_object` is known; all else breaks the server.
    WantsObject,
    Ignored,
}

#[derive(Clone, Copy)]
pub(crate) struct Played {
    pub(crate) name: &'static str,
    /// Whether a stream ends with a word for it.
    done: bool,
    pub(crate) usage: Usage,
    pub(crate) cached: bool,
    /// Whether `finish_reason` is null until the end, and not absent.
    finish_is_null: bool,
    reasons_first: bool,
    error: fn(u16, &str) -> String,
    /// The status for a member that it does not know.
    pub(crate) unknown_field: Option<u16>,
    pub(crate) unknown_model: Option<u16>,
    broken_json: u16,
    pub(crate) wrong_key: Option<u16>,
    takes_completion_limit: bool,
    /// Whether content that is null, and the role developer, break it.
    brittle: bool,
    pub(crate) schema: Schema,
    several_choices: bool,
    named: fn(&str) -> String,
}

/// What the others are compared with.
const LLAMA_SERVER: Played = Played {
    name: "llama-server",
    done: true,
    usage: Usage::Asked("[]"),
    cached: true,
    finish_is_null: true,
    reasons_first: false,
    error: |status, words| {
        json!({"error": {"code": status, "message": words, "type": "invalid_request_error"}})
            .to_string()
    },
    unknown_field: None,
    unknown_model: None,
    broken_json: 500,
    wrong_key: Some(401),
    takes_completion_limit: true,
    brittle: false,
    schema: Schema::Grammar,
    several_choices: true,
    named: str::to_owned,
};

pub(crate) const ALL: [Played; 5] = [
    LLAMA_SERVER,
    Played {
        name: "llama-cpp-python",
        usage: Usage::Never,
        cached: false,
        error: |_, words| {
            json!({"error": {"code": null, "message": words, "type": "internal_server_error"}})
                .to_string()
        },
        wrong_key: None,
        takes_completion_limit: false,
        brittle: true,
        schema: Schema::WantsObject,
        several_choices: false,
        ..LLAMA_SERVER
    },
    Played {
        name: "transformers serve",
        done: false,
        usage: Usage::InTheLast,
        cached: false,
        finish_is_null: false,
        error: |_, words| json!({"detail": words}).to_string(),
        unknown_field: Some(422),
        unknown_model: Some(400),
        broken_json: 422,
        wrong_key: None,
        schema: Schema::Ignored,
        several_choices: false,
        named: |model| format!("{model}@main"),
        ..LLAMA_SERVER
    },
    Played {
        name: "LiteLLM proxy",
        usage: Usage::Asked(r#"[{"delta": {}}]"#),
        finish_is_null: false,
        error: |status, words| {
            json!({"error": {"code": status.to_string(), "message": format!("litellm.BadRequestError: OpenAIException - {words}")}}).to_string()
        },
        unknown_model: Some(400),
        broken_json: 400,
        wrong_key: Some(400),
        named: |_| "a group".into(),
        ..LLAMA_SERVER
    },
    Played {
        name: "aimock",
        cached: false,
        reasons_first: true,
        error: |_, words| {
            json!({"error": {"code": "bad", "message": words, "type": "invalid_request_error"}})
                .to_string()
        },
        broken_json: 400,
        ..LLAMA_SERVER
    },
];

/// Members that all of them know.
const KNOWN: &str = "model messages stream stream_options max_tokens max_completion_tokens \
    response_format tools tool_choice temperature n";

impl Played {
    /// What it makes of a request. Its own key is the one that tests have, its only model
    /// `test-model`.
    pub(crate) fn answer(&self, received: &Received) -> Script {
        let body = &received.body;
        match self.refusal(received) {
            Some((status, words)) => answer(status, "", &(self.error)(status, &words)),
            None if body["stream"] == true => {
                let done = if self.done { "data: [DONE]\n\n" } else { "" };
                streams(&(events(&self.pieces(body)) + done), 17)
            }
            None => whole(&self.whole(body)),
        }
    }

    fn refusal(&self, received: &Received) -> Option<(u16, String)> {
        let body = &received.body;
        let has_key = received.head.contains("Bearer sk-very-secret");
        if let Some(status) = self.wrong_key.filter(|_| !has_key) {
            return Some((status, "No connected db, or a wrong key.".into()));
        }
        let Some(members) = body.as_object() else {
            return Some((self.broken_json, "broken JSON".into()));
        };
        let is_known = |name: &&String| KNOWN.split(' ').any(|known| known == *name);
        let unknown = members.keys().find(|name| !is_known(name));
        if let (Some(status), Some(name)) = (self.unknown_field, unknown) {
            return Some((status, format!("Unexpected keys in the request: {name}")));
        }
        if let Some(status) = self.unknown_model.filter(|_| body["model"] != "test-model") {
            return Some((status, format!("model {} not found", body["model"])));
        }
        let messages = body["messages"].as_array().unwrap();
        let breaks = messages
            .iter()
            .any(|message| message["content"].is_null() || message["role"] == "developer");
        if self.brittle && breaks {
            return Some((500, "Internal Server Error".into()));
        }
        let kind = &body["response_format"]["type"];
        let breaks = self.schema == Schema::WantsObject && kind == "json_schema";
        breaks.then(|| (500, "Internal Server Error".into()))
    }

    /// The most tokens of its answer; a few where it was not told.
    fn limit(&self, body: &Value) -> u64 {
        let newer = body["max_completion_tokens"].as_u64();
        let newer = newer.filter(|_| self.takes_completion_limit);
        body["max_tokens"].as_u64().or(newer).unwrap_or(2)
    }

    fn words(&self, body: &Value) -> &'static str {
        let in_form = match self.schema {
            Schema::Grammar => true,
            Schema::WantsObject => body["response_format"]["type"] == "json_object",
            Schema::Ignored => false,
        };
        if self.limit(body) < 10 {
            "Ye"
        } else if in_form && !body["response_format"].is_null() {
            "{\"ready\": true}"
        } else {
            "Yes, I am."
        }
    }

    fn usage(&self) -> Value {
        let mut usage = json!({"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11});
        if self.cached {
            usage["prompt_tokens_details"] = json!({"cached_tokens": 5});
        }
        usage
    }

    fn whole(&self, body: &Value) -> Value {
        let message = if calls(body) {
            json!({"role": "assistant", "content": null, "tool_calls": [
                {"id": "call_9", "type": "function", "function": {"name": "dice", "arguments": "{\"sides\": 6}"}}]})
        } else {
            json!({"role": "assistant", "content": self.words(body), "reasoning_content": self.reasons_first.then_some("Hm.")})
        };
        let finish = if calls(body) { "tool_calls" } else { "stop" };
        let wanted = body["n"].as_u64().unwrap_or(1);
        let choices = if self.several_choices { wanted } else { 1 };
        let choices: Vec<_> = (0..choices)
            .map(|index| json!({"index": index, "message": message, "finish_reason": finish}))
            .collect();
        json!({"model": (self.named)(body["model"].as_str().unwrap()), "choices": choices, "usage": self.usage()})
    }

    fn pieces(&self, body: &Value) -> Vec<Value> {
        let model = (self.named)(body["model"].as_str().unwrap());
        let piece = |delta: Value| {
            let mut choice = json!({"index": 0, "delta": delta});
            if self.finish_is_null {
                choice["finish_reason"] = Value::Null;
            }
            json!({"model": model, "choices": [choice]})
        };
        let mut pieces = Vec::new();
        if self.reasons_first {
            pieces.push(piece(json!({"reasoning_content": "Hm."})));
        }
        pieces.push(piece(json!({"role": "assistant", "content": null})));
        let finish = if calls(body) {
            let call = |call: Value| piece(json!({"tool_calls": [call]}));
            pieces.push(call(json!({"index": 0, "id": "call_9", "type": "function",
                    "function": {"name": "dice", "arguments": ""}})));
            let part = |part: &str| call(json!({"index": 0, "function": {"arguments": part}}));
            pieces.extend(["{\"", "sides", "\":", " 6", "}"].map(part));
            "tool_calls"
        } else {
            let words = self.words(body).chars();
            pieces.extend(words.map(|letter| piece(json!({"content": letter.to_string()}))));
            "stop"
        };
        let mut last = json!({"model": model, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]});
        if self.usage == Usage::InTheLast {
            last["usage"] = self.usage();
        }
        pieces.push(last);
        let asked = body["stream_options"]["include_usage"] == true;
        if let (Usage::Asked(choices), true) = (self.usage, asked) {
            let choices: Value = serde_json::from_str(choices).unwrap();
            pieces.push(json!({"model": model, "choices": choices, "usage": self.usage()}));
        }
        pieces
    }
}

/// Whether it calls a tool: it is told of one that it may call.
fn calls(body: &Value) -> bool {
    body["tools"].is_array() && body["tool_choice"] != "none"
}
