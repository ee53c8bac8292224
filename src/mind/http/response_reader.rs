//! An answer's body while it arrives.

use serde_json::Value;

use super::api::{Protocol, protocol};
use super::failure::{ErrorContext, Failure, is_html, title};
use super::reply::{Reply, error_in, error_text};
use super::sse::EventFrames;
use super::values::ValueFrames;
use crate::dialect::format::Api;
use crate::mind::{Completion, Finish, MindError};

/// What the body of an answer says that was recorded at an interface: one JSON value, several, or a
/// stream of events. It tells no latency, and no more of the model than the answer itself.
///
/// # Errors
/// It is no answer, or speaks of an error.
pub fn read_answer(api: Api, body: &[u8]) -> Result<Completion, MindError> {
    let witness = ErrorContext {
        server: "the recorded answer".into(),
        key: None,
    };
    let mut intake = ResponseReader::new(&witness, protocol(api), "", usize::MAX);
    let taken = intake.take(body).and_then(|()| intake.finish(true));
    let reply = taken.map_err(|failure| failure.error)?;
    Ok(reply.into_completion(""))
}

/// How much framing a streamed byte of text may bring along: one-token pieces are about 250 bytes.
const FRAMING: usize = 100;

/// What has arrived of an answer.
pub(super) struct ResponseReader<'a> {
    witness: &'a ErrorContext,
    protocol: &'static dyn Protocol,
    /// The most bytes of an answer.
    limit: usize,
    received: usize,
    form: Form,
    reply: Reply,
    /// An error in the midst of an answer.
    error: Option<String>,
}

enum Form {
    /// Not known before the first byte.
    Unknown,
    /// Server-sent events.
    Events(EventFrames),
    /// One JSON value or several.
    Values(ValueFrames),
    /// Something else, which can be no answer.
    Other(Vec<u8>),
}

impl<'a> ResponseReader<'a> {
    pub(super) fn new(
        witness: &'a ErrorContext,
        protocol: &'static dyn Protocol,
        content_type: &str,
        limit: usize,
    ) -> Self {
        let form = match content_type.contains("event-stream") {
            true => Form::Events(EventFrames::default()),
            false => Form::Unknown,
        };
        Self {
            witness,
            protocol,
            limit,
            received: 0,
            form,
            reply: Reply::default(),
            error: None,
        }
    }

    /// Whether the server said that nothing more will come.
    pub(super) fn is_done(&self) -> bool {
        self.reply.done
    }

    /// The words of the answer as far as they have come, thoughts between tags included.
    pub(super) fn words(&self) -> &str {
        self.reply.spoken.words()
    }

    /// Whether the answer was streamed.
    pub(super) fn is_stream(&self) -> bool {
        match &self.form {
            Form::Events(_) => true,
            Form::Values(frames) => frames.found > 1,
            Form::Unknown | Form::Other(_) => false,
        }
    }

    /// Takes more of the body.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.received += bytes.len();
        if matches!(self.form, Form::Unknown) {
            self.form = guess(bytes);
        }
        let (protocol, reply, error) = (self.protocol, &mut self.reply, &mut self.error);
        let held = match &mut self.form {
            Form::Unknown => self.received,
            Form::Events(frames) => {
                frames.push(bytes, |data| take_event(protocol, data, reply, error));
                frames.held().max(self.received / FRAMING)
            }
            Form::Values(frames) => {
                frames.push(bytes, |value| take_value(protocol, value, reply, error));
                match frames.found {
                    0 | 1 => self.received,
                    _ => frames.held().max(self.received / FRAMING),
                }
            }
            Form::Other(body) if self.received <= self.limit => {
                body.extend_from_slice(bytes);
                0
            }
            Form::Other(_) => self.received,
        };
        match held.max(self.reply.length()) > self.limit {
            true => Err(self.too_great()),
            false => Ok(()),
        }
    }

    /// Refuses an answer that is greater than allowed. Asking again would cost as much again.
    pub(super) fn too_great(&self) -> Failure {
        let reason = format!("more than {} bytes; reading stopped there", self.limit);
        Failure::lasting(self.witness.unreadable(&reason)).costing(self.reply.usage)
    }

    /// A failure of the connection in the midst of the answer.
    pub(super) fn broken(&self, error: crate::mind::MindError) -> Failure {
        Failure::passing(error).costing(self.reply.usage)
    }

    /// The answer, now that the body is over. `proven` tells whether the connection would have
    /// shown a cut.
    pub(super) fn finish(mut self, proven: bool) -> Result<Reply, Failure> {
        let streamed = self.is_stream();
        let (protocol, reply, error) = (self.protocol, &mut self.reply, &mut self.error);
        match std::mem::replace(&mut self.form, Form::Unknown) {
            Form::Unknown => {}
            Form::Events(frames) => {
                frames.finish(|data| take_event(protocol, data, reply, error));
            }
            Form::Values(frames) => {
                let rest = frames.finish();
                if !rest.trim_ascii().is_empty() {
                    take_value(protocol, &rest, reply, error);
                }
            }
            Form::Other(body) => *error = Some(no_json(&body)),
        }
        if let Some(error) = self.error.take() {
            return Err(self.broken(self.witness.unreadable(&error)));
        }
        if streamed && !self.reply.done && self.reply.finish.is_none() && !proven {
            return Err(self.broken(self.witness.unreadable("the stream broke off")));
        }
        self.reply.settle();
        let says_why = !matches!(
            self.reply.finish,
            None | Some(Finish::Stop | Finish::Unknown)
        );
        if self.reply.is_empty() && !says_why {
            return Err(self.broken(self.witness.unreadable("the answer is empty")));
        }
        Ok(self.reply)
    }
}

/// Guesses the form of a body from its first byte: a comment, or one of the fields `data`, `event`,
/// `id` and `retry`, begins a stream. Blank lines tell nothing: some servers send them to keep the
/// connection open.
fn guess(bytes: &[u8]) -> Form {
    match bytes.trim_ascii_start().first() {
        None => Form::Unknown,
        Some(b':' | b'd' | b'e' | b'i' | b'r') => Form::Events(EventFrames::default()),
        Some(b'{' | b'[') => Form::Values(ValueFrames::default()),
        Some(_) => Form::Other(Vec::new()),
    }
}

/// What is wrong with a body that is no JSON.
fn no_json(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    if is_html(&text) {
        let title = title(&text);
        return format!("an HTML page{title} instead of JSON; does the base URL name the API?");
    }
    match serde_json::from_slice::<Value>(body) {
        Err(error) => format!("no JSON: {error}"),
        Ok(value) => format!("no object of JSON: {value}"),
    }
}

fn take_event(protocol: &dyn Protocol, data: &str, reply: &mut Reply, error: &mut Option<String>) {
    match data.trim() {
        "" => {}
        "[DONE]" => reply.done = true,
        data => take_value(protocol, data.as_bytes(), reply, error),
    }
}

fn take_value(protocol: &dyn Protocol, json: &[u8], reply: &mut Reply, error: &mut Option<String>) {
    let value = match serde_json::from_slice::<Value>(json) {
        Ok(value) => value,
        Err(wrong) => {
            *error = Some(format!("no JSON: {wrong}"));
            return;
        }
    };
    if let Some(found) = error_in(&value) {
        *error = Some(error_text(found));
    }
    match value {
        // Gemini streams a list where it isn't asked for events.
        Value::Array(pieces) => pieces.iter().for_each(|piece| protocol.take(reply, piece)),
        value => protocol.take(reply, &value),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What becomes of a body that arrives in pieces.
    fn read(api: Api, kind: &str, pieces: &[&[u8]]) -> Result<Reply, String> {
        let witness = ErrorContext {
            server: "http://x/v1".into(),
            key: None,
        };
        let mut intake = ResponseReader::new(&witness, protocol(api), kind, 10_000);
        for piece in pieces {
            let taken = intake.take(piece);
            taken.map_err(|failure| failure.error.to_string())?;
        }
        let reply = intake.finish(true);
        reply.map_err(|failure| failure.error.to_string())
    }

    const WORDS: [&str; 44] = [
        "arguments",
        "cached_tokens",
        "candidates",
        "choices",
        "completion_tokens",
        "content",
        "content_block",
        "content_block_delta",
        "content_block_start",
        "data",
        "delta",
        "done",
        "error",
        "finish_reason",
        "function",
        "functionCall",
        "give_answer",
        "id",
        "index",
        "input",
        "input_json_delta",
        "input_tokens",
        "message",
        "message_delta",
        "message_start",
        "message_stop",
        "model",
        "name",
        "output",
        "partial_json",
        "parts",
        "prompt_tokens",
        "reasoning_content",
        "redacted_thinking",
        "signature",
        "stop",
        "text",
        "thinking",
        "thoughtSignature",
        "tool_calls",
        "tool_use",
        "type",
        "usage",
        "usageMetadata",
    ];

    /// JSON that is nearly an answer of some interface.
    fn nearly() -> impl Strategy<Value = Value> {
        let word = || prop::sample::select(&WORDS[..]).prop_map(str::to_owned);
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            word().prop_map(Value::from),
            "<think>|</think>|\\{\"a|雨 \n".prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 60, 5, move |inner| {
            let members = prop::collection::btree_map(word(), inner.clone(), 0..6);
            prop_oneof![
                1 => prop::collection::vec(inner, 0..4).prop_map(Value::from),
                2 => members.prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// Bytes that are nearly the body of an answer.
    fn body() -> impl Strategy<Value = Vec<u8>> {
        let values = || prop::collection::vec(nearly(), 1..5);
        let written = |frame: fn(&Value) -> String| {
            move |values: Vec<Value>| values.iter().map(frame).collect::<String>().into_bytes()
        };
        prop_oneof![
            values().prop_map(written(|value| format!("data: {value}\n\n"))),
            values().prop_map(written(|value| format!(
                "event: x\r\ndata: {value:#}\r\n\r\n"
            ))),
            values().prop_map(written(|value| format!("{value}\n"))),
            prop::collection::vec(any::<u8>(), 0..60),
        ]
    }

    const STREAM: &str = "\ndata: {\"choices\": [{\"delta\": {\"content\": \"雨 \"}}]}\r\n\r\ndata: {\"choices\": [{\"delta\": {\"content\": \"停了\"}}]}\n\ndata: [DONE]\n\n";
    const WHOLE: &str = "\n\n {\"choices\": [{\"message\": {\"content\": \"雨 停了\"}}]}";

    proptest! {
        #[test]
        fn a_body_means_the_same_wherever_it_is_cut(cut: prop::sample::Index, stream: bool, typed: bool) {
            let body = if stream { STREAM } else { WHOLE };
            let kind = if stream && typed { "text/event-stream" } else { "" };
            let (one, other) = body.as_bytes().split_at(cut.index(body.len()));
            let reply = read(Api::OpenAi, kind, &[one, other]).unwrap();
            prop_assert_eq!(reply.words().text, "雨 停了");
        }

        #[test]
        fn no_body_is_too_strange(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..30), 0..6), typed: bool) {
            let kind = if typed { "text/event-stream" } else { "text/plain" };
            let pieces: Vec<_> = pieces.iter().map(Vec::as_slice).collect();
            prop_assert!(read(Api::OpenAi, kind, &pieces).is_err());
        }

        #[test]
        fn nothing_is_too_strange_for_any_interface(
            body in body(), cut in any::<prop::sample::Index>(), api in prop::sample::select(&Api::ALL[..]),
        ) {
            let (one, other) = body.split_at(cut.index(body.len() + 1));
            let whole = read(api, "", &[&body]);
            if let Ok(reply) = &whole {
                let completion = read_answer(api, &body).unwrap();
                prop_assert_eq!(completion.text, reply.words().text);
            }
            prop_assert_eq!(read(api, "", &[one, other]).is_ok(), whole.is_ok());
            let page = serde_json::from_slice::<Value>(&body).unwrap_or_default();
            let _ = protocol(api).window(&page, "index");
        }
    }
}
