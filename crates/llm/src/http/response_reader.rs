//! A response while it arrives.

use playhouse_engine::locale::{UiText, text};
use playhouse_engine::message::FinishReason;
use playhouse_engine::mind::{LengthDoubt, MindError};
use playhouse_engine::reading::OwnMarks;
use serde_json::Value;

use super::api::Protocol;
use super::failure::{ErrorContext, Failure};
use super::json_frames::JsonFrames;
use super::response_accumulator::{ResponseAccumulator, WantedAnswer};
use super::server_error::ServerError;
use super::sse::{Event, EventFrames};

/// How many bytes of framing a streamed byte of text may need: a delta of one token has about 250.
const MAX_FRAMING: usize = 100;

/// Reads a response, chunk by chunk. What it keeps of it, complete or not, is never more than its
/// limit.
pub(super) struct ResponseReader<'a> {
    context: &'a ErrorContext,
    protocol: &'static dyn Protocol,
    /// The maximum size of an answer in bytes.
    limit: usize,
    received: usize,
    /// How many events have arrived. Each counts as a byte of the answer at least: a server that
    /// sends empty ones as fast as it can would keep us busy until the deadline.
    events: usize,
    has_begun: bool,
    /// Whether the server says that it sends events.
    says_events: bool,
    framing: Framing,
    /// Whether what is left of it is not read.
    is_cut_off: bool,
    response: ResponseAccumulator,
    /// An error within the response.
    error: Option<ReadError>,
}

/// What is wrong with a response.
enum ReadError {
    /// It can't be read.
    Unreadable(UiText),
    Reported(ServerError),
}

/// How a body is divided into JSON values.
enum Framing {
    /// Not known before the first byte.
    Unknown,
    Events(EventFrames),
    /// One JSON value after the other.
    Values(JsonFrames),
    /// This is not an answer.
    Other(Vec<u8>),
}

impl<'a> ResponseReader<'a> {
    pub(super) fn new(
        context: &'a ErrorContext,
        protocol: &'static dyn Protocol,
        content_type: &str,
        limit: usize,
    ) -> Self {
        Self {
            context,
            protocol,
            limit,
            received: 0,
            events: 0,
            has_begun: false,
            says_events: content_type.contains("event-stream"),
            framing: Framing::Unknown,
            is_cut_off: false,
            response: ResponseAccumulator::default(),
            error: None,
        }
    }

    /// The same for a model that has marks of its own for thoughts.
    pub(super) fn with_marks(mut self, marks: OwnMarks) -> Self {
        self.response = ResponseAccumulator::with_marks(marks);
        self
    }

    /// Whether anything has arrived but signs that the server is still there: blank lines and
    /// comments.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Whether the server said that the response is complete.
    pub(super) fn is_done(&self) -> bool {
        self.response.done
    }

    /// Ends an answer that goes on for longer than it may: whatever else comes is not read.
    pub(super) fn cut_off(&mut self) {
        self.response.finish = Some(FinishReason::Length);
        self.response.done = true;
        self.is_cut_off = true;
    }

    /// The text of the answer so far, including thoughts between tags.
    pub(super) fn text(&self) -> &str {
        self.response.text.text()
    }

    pub(super) fn is_stream(&self) -> bool {
        match &self.framing {
            Framing::Events(_) => true,
            Framing::Values(frames) => frames.found > 1,
            Framing::Unknown | Framing::Other(_) => false,
        }
    }

    /// Reads the next chunk of the body.
    pub(super) fn read(&mut self, chunk: &[u8]) -> Result<(), Failure> {
        self.received += chunk.len();
        if matches!(self.framing, Framing::Unknown) {
            self.framing = guess(chunk, self.says_events);
        }
        let mut values = Values {
            protocol: self.protocol,
            response: &mut self.response,
            error: &mut self.error,
        };
        // What belongs to an answer, and how much of that is not complete yet.
        let (size, pending) = match &mut self.framing {
            Framing::Unknown => (self.received, 0),
            Framing::Events(frames) => {
                let events = &mut self.events;
                frames.push(chunk, |event| {
                    *events += 1;
                    values.add_event(event);
                });
                self.has_begun |= frames.holds_data() || !self.response.is_empty();
                let size = (self.received / MAX_FRAMING).max(self.events);
                (size, frames.pending())
            }
            Framing::Values(frames) => {
                frames.push(chunk, |value| values.add(value));
                self.has_begun = true;
                if frames.found > 1 {
                    (self.received / MAX_FRAMING, frames.pending())
                } else {
                    (self.received, 0)
                }
            }
            Framing::Other(body) => {
                let room = self.limit.saturating_sub(body.len());
                body.extend(chunk.iter().take(room));
                self.has_begun = true;
                (self.received, 0)
            }
        };
        if size.max(pending.saturating_add(self.response.len())) > self.limit {
            return Err(self.too_large());
        }
        Ok(())
    }

    /// The failure of an answer that is larger than allowed. Retrying would cost as much again.
    pub(super) fn too_large(&self) -> Failure {
        let reason = text!(mind_answer_too_large, limit = self.limit);
        let failure = Failure::permanent(self.context.invalid(reason));
        failure.costing(self.response.usage).billable()
    }

    /// The failure of a response that broke off.
    pub(super) fn broken(&self, error: MindError) -> Failure {
        let failure = Failure::transient(error);
        failure.costing(self.response.usage).billable()
    }

    fn invalid(&self, reason: UiText) -> Failure {
        self.broken(self.context.invalid(reason))
    }

    /// The response, now that the body has ended. `is_complete` says whether the connection would
    /// have shown that it was cut off.
    pub(super) fn finish(
        mut self,
        is_complete: bool,
        wanted: &WantedAnswer<'_>,
    ) -> Result<ResponseAccumulator, Failure> {
        let is_stream = self.is_stream();
        let mut values = Values {
            protocol: self.protocol,
            response: &mut self.response,
            error: &mut self.error,
        };
        match std::mem::replace(&mut self.framing, Framing::Unknown) {
            _ if self.is_cut_off => {}
            Framing::Unknown => {}
            Framing::Events(frames) => frames.finish(|event| values.add_event(event)),
            Framing::Values(frames) => {
                let rest = frames.finish();
                if !rest.trim_ascii().is_empty() {
                    values.add(&rest);
                }
            }
            Framing::Other(body) => {
                *values.error = Some(ReadError::Unreadable(self.context.not_an_answer(&body)));
            }
        }
        match self.error.take() {
            None => {}
            Some(ReadError::Unreadable(reason)) => return Err(self.invalid(reason)),
            Some(ReadError::Reported(error)) => return Err(self.reported(&error)),
        }
        if is_stream && !self.response.done && self.response.finish.is_none() && !is_complete {
            return Err(self.invalid(text!(mind_stream_broke_off)));
        }
        self.response.unwrap_reply_tool();
        self.response.find_answer(wanted);
        self.response.unwrap_refusal();
        let has_reason = !matches!(
            self.response.finish,
            None | Some(FinishReason::Stop | FinishReason::Unknown)
        );
        if self.response.has_no_answer() && !has_reason {
            return Err(self.empty());
        }
        Ok(self.response)
    }

    /// The failure of an answer that reports an error. It costs nothing if that is all it is.
    fn reported(&self, error: &ServerError) -> Failure {
        let failure = self.context.reported(error).costing(self.response.usage);
        Failure {
            billable: !self.response.is_empty(),
            ..failure
        }
    }

    /// The failure of an answer without a word: that of its model, or of a server that did not even
    /// say that it is one.
    fn empty(&self) -> Failure {
        let is_answer =
            self.response.finish.is_some() || !self.response.split().thinking.is_empty();
        let failure = if is_answer {
            Failure::permanent(self.context.empty()).costing(self.response.usage)
        } else {
            self.invalid(text!(mind_answer_empty))
        };
        Failure {
            length_doubt: LengthDoubt::AtOnce,
            ..failure.billable()
        }
    }
}

/// The mark that some put before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Guesses the framing of a body from its first byte, whatever its type is said to be: a comment,
/// or one of the fields `data`, `event`, `error`, `id` and `retry`, begins a stream of events.
/// Blank lines tell nothing: some servers send them to keep the connection open.
fn guess(chunk: &[u8], says_events: bool) -> Framing {
    let chunk = chunk.strip_prefix(BYTE_ORDER_MARK).unwrap_or(chunk);
    match chunk.trim_ascii_start().first() {
        None => Framing::Unknown,
        Some(b'{' | b'[') => Framing::Values(JsonFrames::default()),
        Some(b':' | b'd' | b'e' | b'i' | b'r') => Framing::Events(EventFrames::default()),
        Some(_) if says_events => Framing::Events(EventFrames::default()),
        Some(_) => Framing::Other(Vec::new()),
    }
}

impl ErrorContext {
    /// The problem of a body that holds neither JSON objects nor events.
    fn not_an_answer(&self, body: &[u8]) -> UiText {
        if let Some(page) = self.html_page(&String::from_utf8_lossy(body)) {
            return text!(mind_html_instead_of_json, page);
        }
        match serde_json::from_slice::<Value>(body) {
            Err(error) => text!(mind_not_json, error = &error),
            Ok(value) => {
                let value = self.sanitized(&value.to_string());
                text!(mind_not_a_json_object, value)
            }
        }
    }
}

/// Where the values of a response go.
struct Values<'a> {
    protocol: &'static dyn Protocol,
    response: &'a mut ResponseAccumulator,
    error: &'a mut Option<ReadError>,
}

impl Values<'_> {
    fn add_event(&mut self, event: Event<'_>) {
        match event.data.trim() {
            "" => {}
            "[DONE]" => self.response.done = true,
            data if event.is_error => self.add_error(data),
            data => self.add(data.as_bytes()),
        }
    }

    /// Adds an error that is called one, whatever it holds.
    fn add_error(&mut self, data: &str) {
        let error = match serde_json::from_str::<Value>(data) {
            Ok(value) => ServerError::find(&value).unwrap_or_else(|| ServerError::of(&value)),
            Err(_) => ServerError::saying(data),
        };
        *self.error = Some(ReadError::Reported(error));
    }

    fn add(&mut self, json: &[u8]) {
        let json = json.strip_prefix(BYTE_ORDER_MARK).unwrap_or(json);
        let value = match parse(json) {
            Ok(value) => value,
            Err(error) => {
                let reason = text!(mind_not_json, error = &error);
                *self.error = Some(ReadError::Unreadable(reason));
                return;
            }
        };
        if let Some(error) = ServerError::find(&value) {
            *self.error = Some(ReadError::Reported(error));
        }
        match value {
            // Gemini streams a list unless it is asked for events.
            Value::Array(values) => {
                let values = values.iter();
                values.for_each(|value| self.protocol.read(self.response, value));
            }
            value => self.protocol.read(self.response, &value),
        }
    }
}

/// Parses JSON in which a character may have been cut in half, as between two deltas.
fn parse(json: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(json).or_else(|error| {
        let text = std::str::from_utf8(json).map_err(|_| error)?;
        serde_json::from_str(&without_lone_surrogates(text))
    })
}

/// A text of JSON in which halves of characters are replaced.
fn without_lone_surrogates(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        whole.push_str(before);
        let unit = |at: usize| {
            let digits = after.get(at..at + 5)?.strip_prefix('u')?;
            u16::from_str_radix(digits, 16).ok()
        };
        let is_pair = after.get(5..6) == Some("\\")
            && unit(6).is_some_and(|low| (0xDC00..0xE000).contains(&low));
        let (escape, length) = match unit(0) {
            Some(0xD800..0xDC00) if is_pair => (after.get(..11), 11),
            Some(0xD800..0xE000) => (Some("ufffd"), 5),
            _ => (after.get(..1), 1),
        };
        whole.push('\\');
        let Some(escape) = escape else {
            // A longer character, which makes no escape.
            rest = after;
            continue;
        };
        whole.push_str(escape);
        rest = after.get(length..).unwrap_or_default();
    }
    whole + rest
}

#[cfg(test)]
mod tests {
    use playhouse_interop::format::Api;
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::api::protocol;
    use super::*;

    /// The result of a body that arrives in chunks.
    fn read(api: Api, kind: &str, chunks: &[&[u8]]) -> Result<ResponseAccumulator, String> {
        let context = ErrorContext {
            server: "http://x/v1".into(),
            proxy: None,
        };
        let mut reader = ResponseReader::new(&context, protocol(api), kind, 10_000);
        for chunk in chunks {
            let read = reader.read(chunk);
            read.map_err(|failure| failure.error.to_string())?;
        }
        let response = reader.finish(true, &WantedAnswer::default());
        response.map_err(|failure| failure.error.to_string())
    }

    #[test]
    fn whatever_is_kept_counts_against_one_limit() {
        let long = "x".repeat(900);
        let openai = |message: Value| json!({"choices": [{"delta": message}]});
        let named = |id: &str, name: &str, arguments: &str| {
            openai(json!({"tool_calls": [
                {"id": id, "function": {"name": name, "arguments": arguments}}]}))
        };
        let gemini = |part: Value| json!({"candidates": [{"content": {"parts": [part]}}]});
        let start = |block: Value| json!({"type": "content_block_start", "index": 0, "content_block": block});
        let call = json!({"name": "a"});
        for (api, event) in [
            (Api::OpenAi, openai(json!({"content": long}))),
            (Api::OpenAi, openai(json!({"reasoning": long}))),
            (Api::OpenAi, named(&long, "a", "")),
            (Api::OpenAi, named("", &long, "")),
            (Api::OpenAi, named("a", "a", &long)),
            (
                Api::Gemini,
                gemini(json!({"functionCall": {"name": "a", "id": long}})),
            ),
            (
                Api::Gemini,
                gemini(json!({"functionCall": call, "thoughtSignature": long})),
            ),
            (
                Api::Anthropic,
                start(json!({"type": "tool_use", "id": long, "name": "a"})),
            ),
            (
                Api::Anthropic,
                start(json!({"type": "thinking", "signature": long})),
            ),
            (
                Api::Anthropic,
                start(json!({"type": "redacted_thinking", "data": long})),
            ),
        ] {
            let event = event.to_string();
            let events = (0..20).map(|n| event.replace(&long, &format!("{n:0>900}")));
            let body: String = events.map(|event| format!("data: {event}\n\n")).collect();
            let error = read(api, "", &[body.as_bytes()]).unwrap_err();
            assert!(error.contains("more than 10000 bytes"), "{event}: {error}");
        }
        // Things without texts are few.
        for (api, event) in [
            (Api::OpenAi, named("", "a", "")),
            (Api::Gemini, gemini(json!({"functionCall": call}))),
            (Api::Anthropic, start(json!({"type": "thinking"}))),
        ] {
            let body = format!("data: {event}\n\n").repeat(5_000);
            let read = read(api, "", &[body.as_bytes()]);
            assert!(read.is_err(), "{event}");
        }
        // Nor is nothing without end.
        for (events, is_read) in [(9_000, true), (11_000, false)] {
            let body = "data: {}\n\n".repeat(events);
            let error = read(Api::OpenAi, "", &[body.as_bytes()]).err();
            let is_large = error.is_some_and(|error| error.contains("more than 10000 bytes"));
            assert_eq!(is_large, !is_read, "{events}");
        }
    }

    const WORDS: &str = "\
        arguments cached_tokens candidates choices completion_tokens content content_block \
        content_block_delta content_block_start data delta done error finish_reason function \
        functionCall give_answer id index input input_json_delta input_tokens message \
        message_delta message_start message_stop model name output partial_json parts \
        prompt_tokens reasoning_content redacted_thinking signature stop text thinking \
        thoughtSignature tool_calls tool_use type usage usageMetadata";

    /// JSON that is nearly an answer of some API.
    fn nearly() -> impl Strategy<Value = Value> {
        let words: Vec<_> = WORDS.split(' ').collect();
        let word = move || prop::sample::select(words.clone()).prop_map(str::to_owned);
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
            let (left, right) = body.as_bytes().split_at(cut.index(body.len()));
            let response = read(Api::OpenAi, kind, &[left, right]).unwrap();
            prop_assert_eq!(response.split().text, "雨 停了");
        }

        #[test]
        fn nothing_is_too_strange_for_any_interface(
            body in body(), cut in any::<prop::sample::Index>(), api in prop::sample::select(&Api::ALL[..]),
        ) {
            let (left, right) = body.split_at(cut.index(body.len() + 1));
            let whole = read(api, "", &[&body]);
            prop_assert_eq!(read(api, "", &[left, right]).is_ok(), whole.is_ok());
            let page = serde_json::from_slice::<Value>(&body).unwrap_or_default();
            let _ = protocol(api).window(&page, "index");
        }
    }
}
