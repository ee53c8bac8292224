//! The HTTP mind against a real server on loopback that plays OpenAI's part, faults included.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::has;
use crate::openai::{
    STREAM_HEAD, Script, Server, Step, answer, chunk, delta, error, says, streams,
};
use crate::question::Question;
use playhouse_engine::message::TokenUsage;
use playhouse_engine::mind::{
    AnswerStream, Answering, Awaited, Completion, FinishReason, LengthDoubt, Mind, MindError,
    StreamDeltaKind, StreamReceiver, stream_channel,
};
use playhouse_llm::http::{KeyState, SchemaMode};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Notify;

// --- Questions ----------------------------------------------------------------------------------

async fn ask(mind: &dyn Mind, json: bool) -> Result<Completion, MindError> {
    answering(mind, json).await.map_err(|failed| failed.error)
}

fn answering(mind: &dyn Mind, json: bool) -> Answering {
    answering_in_pieces(mind, json, None)
}

fn answering_in_pieces(mind: &dyn Mind, json: bool, stream: Option<&AnswerStream>) -> Answering {
    let question = Question {
        json,
        ..Question::default()
    };
    question.in_pieces(mind, stream)
}

async fn told(mind: &dyn Mind) -> Result<Completion, MindError> {
    ask(mind, false).await
}

/// The error in which a question ends, and how often the server was asked for it.
async fn fails(scripts: impl IntoIterator<Item = Script>) -> (MindError, usize) {
    let server = Server::start(scripts).await;
    let error = told(&*server.mind("")).await.unwrap_err();
    (error, server.requests())
}

/// What a server makes of a question with its first usable answer.
async fn becomes(scripts: impl IntoIterator<Item = Script>, settings: &str) -> Completion {
    let server = Server::start(scripts).await;
    told(&*server.mind(settings)).await.unwrap()
}

/// A server whose every answer is this one, and its mind with these settings.
async fn always(script: Script, settings: &str) -> (Server, Arc<dyn Mind>) {
    let server = Server::always(script).await;
    let mind = server.mind(settings);
    (server, mind)
}

/// An answer in pieces that has come as far as this text, and what follows.
fn begun(text: &str, then: impl IntoIterator<Item = Step>) -> Script {
    let piece = chunk(delta(json!({"content": text})).as_bytes());
    let mut script = vec![Step::Send(STREAM_HEAD.into()), piece];
    script.extend(then);
    script
}

// --- What answers become ------------------------------------------------------------------------

#[tokio::test]
async fn a_stream_is_put_together_wherever_it_is_cut() {
    let body = [
        ": keep-alive\n\n".to_owned(),
        delta(json!({"role": "assistant", "content": null})),
        delta(json!({"reasoning_content": "雨天"})),
        "\n\n".into(),
        delta(json!({"content": "<thi"})),
        delta(json!({"content": "nk>more</think>我留"})),
        delta(json!({"content": "在家。"})),
        "data: {\"choices\": [{\"delta\": {}, \"finish_reason\": \"stop\"}]}\r\n\r\n".into(),
        "data: {\"choices\": [], \"model\": \"m2\", \"usage\": {\"prompt_tokens\": 9, \"completion_tokens\": 5, \"prompt_cache_hit_tokens\": 4}}\n\n".into(),
        "data: [DONE]\n\n".into(),
    ]
    .concat();
    for at_once in [1, 7, 100_000] {
        let server = Server::start([streams(&body, at_once)]).await;
        let completion = told(&*server.mind("stream_usage: true")).await.unwrap();
        assert_eq!(completion.text, "我留在家。");
        assert_eq!(completion.thinking.as_deref(), Some("雨天\nmore"));
        assert_eq!(completion.finish, FinishReason::Stop);
        assert_eq!((completion.model.as_str(), completion.retries), ("m2", 0));
        let usage = completion.usage.unwrap();
        assert_eq!((usage.input, usage.output, usage.cached), (9, 5, 4));
        let options = json!({"include_usage": true});
        assert_eq!(server.body(0)["stream_options"], options);
    }
}

#[tokio::test]
async fn a_whole_answer_is_read_at_every_spelling_of_the_address() {
    let bases = "- / /v1 /v1/ /v1/chat/completions /v1/chat/completions/";
    for base in bases.split(' ').map(|base| base.trim_matches('-')) {
        let server = Server::start([says("Yes.")]).await;
        let base = format!("http://127.0.0.1:{}{base}", server.port);
        let mind = server.models_at(&base, "stream: false").mind("m").unwrap();
        let completion = told(&*mind).await.unwrap();
        assert_eq!(completion.text, "Yes.");
        assert_eq!(completion.model, "test-model-2");
        let received = server.state.received.lock().unwrap();
        assert_eq!(received[0].path, "/v1/chat/completions");
        has(&received[0].head, &["authorization: Bearer sk-very-secret"]);
        let body = &received[0].body;
        assert_eq!(body["model"], "test-model");
        assert_eq!(body["max_tokens"], 100);
        assert_eq!(body["stream"], false);
        assert_eq!(body["messages"].as_array().unwrap().len(), 3);
    }
}

#[tokio::test]
async fn the_end_of_a_body_ends_an_answer_if_it_can_be_told_from_a_cut() {
    let body = delta(json!({"content": "So"}));
    let completion = becomes([streams(&body, 100)], "").await;
    assert_eq!(completion.text, "So");
    assert_eq!(completion.finish, FinishReason::Unknown);

    let until_closed = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    let sent = Step::Send(format!("{until_closed}{body}").into());
    let completion = becomes([vec![sent, Step::Close], says("Whole.")], "").await;
    assert_eq!(completion.text, "Whole.");
    assert_eq!(completion.retries, 1);
}

#[tokio::test]
async fn a_server_may_send_the_other_form_than_was_asked_for() {
    let cut = streams(&delta(json!({"content": "cut"})), 3);
    assert_eq!(becomes([says("whole")], "").await.text, "whole");
    assert_eq!(becomes([cut], "stream: false").await.text, "cut");
}

// --- The ladder ---------------------------------------------------------------------------------

#[tokio::test]
async fn a_refused_schema_is_asked_one_step_lower_and_that_is_remembered() {
    let refusal = || error(400, "response_format type json_schema is unavailable");
    let server = Server::start([refusal(), says("{}"), says("{}"), says("prose")]).await;
    let mind = server.mind("");
    assert_eq!(ask(&*mind, true).await.unwrap().retries, 1);
    assert_eq!(ask(&*mind, true).await.unwrap().retries, 0);
    assert_eq!(ask(&*mind, false).await.unwrap().text, "prose");
    let formats =
        [0, 1, 2, 3].map(|request| server.body(request)["response_format"]["type"].take());
    let expected = json!(["json_schema", "json_object", "json_object", null]);
    assert_eq!(json!(formats), expected);
    let (high, low) = (server.body(0), server.body(1));
    let schema = &high["response_format"]["json_schema"]["schema"];
    assert_eq!(schema["title"], "narrowed");
    for index in 0..2 {
        assert_eq!(high["messages"][index], low["messages"][index]);
    }
    let last = low["messages"][2]["content"].as_str().unwrap();
    has(last, &["What do you do?\n\n", "narrowed"]);
}

#[tokio::test]
async fn an_unclear_refusal_is_held_against_the_schema_only_before_it_worked() {
    let server = Server::start([error(500, "oops"), error(422, "oops"), says("{}")]).await;
    let mind = server.mind("");
    assert_eq!(ask(&*mind, true).await.unwrap().retries, 2);
    assert_eq!(server.body(2)["response_format"], Value::Null);

    let server = Server::start([says("{}"), error(500, "oops"), says("{}")]).await;
    let mind = server.mind("schema: constrained");
    ask(&*mind, true).await.unwrap();
    ask(&*mind, true).await.unwrap();
    let format = server.body(2)["response_format"].clone();
    assert_eq!(format["json_schema"]["schema"]["title"], "narrowed");
}

#[tokio::test]
async fn a_refusal_on_every_step_is_the_requests_own_fault_and_teaches_nothing() {
    let server = Server::start(std::iter::repeat_n(error(400, "unknown model"), 6)).await;
    let mind = server.mind("");
    for begins in [0, 3] {
        let refused = ask(&*mind, true).await.unwrap_err();
        let MindError::Rejected { status, reason, .. } = refused else {
            panic!("{refused}");
        };
        assert_eq!((status, reason.to_string()), (400, "unknown model".into()));
        let format = &server.body(begins)["response_format"];
        assert_eq!(format["type"], "json_schema");
    }
    assert_eq!(server.requests(), 6);
}

// --- Refusals -----------------------------------------------------------------------------------

#[tokio::test]
async fn the_delay_that_a_server_asks_for_is_kept() {
    let limited = answer(429, "retry-after-ms: 150\r\n", "slow down");
    let server = Server::start([limited, says("Yes.")]).await;
    assert_eq!(told(&*server.mind("")).await.unwrap().retries, 1);
    let received = server.state.received.lock().unwrap();
    let waited = received[1].received_at - received[0].received_at;
    assert!(waited >= Duration::from_millis(150), "{waited:?}");
}

#[tokio::test]
async fn each_refusal_is_a_typed_error_after_as_many_requests_as_make_sense() {
    let slow = answer(429, "retry-after: 3600\r\n", "slow down");
    let (busy, requests) = fails([slow]).await;
    assert!(matches!(busy, MindError::Busy { status: 429, .. }));
    assert_eq!(requests, 1, "the wait is too long");

    let (busy, requests) = fails(std::iter::repeat_n(error(503, "overloaded"), 3)).await;
    assert!(matches!(busy, MindError::Busy { status: 503, .. }) && busy.is_transient());
    assert_eq!(requests, 3, "as often as configured");

    let moved = answer(302, "location: http://127.0.0.1:1/\r\n", "");
    let (moved, _) = fails([moved]).await;
    assert!(matches!(moved, MindError::Rejected { status: 302, .. }));

    let body = json!({"error": {"code": 400, "type": "exceed_context_size_error",
        "message": "the request exceeds the available context size", "n_ctx": 2048, "n_prompt_tokens": 9000}});
    let (long, _) = fails([answer(400, "", &body.to_string())]).await;
    let MindError::PromptTooLong { window, .. } = long else {
        panic!("{long}");
    };
    assert_eq!(window, Some(2048));
}

// --- Broken answers -----------------------------------------------------------------------------

#[tokio::test]
async fn broken_answers_are_asked_again_and_their_usage_is_counted() {
    let usage = "data: {\"usage\": {\"prompt_tokens\": 7, \"completion_tokens\": 1}}\n\n";
    let cut = begun("half a sen", [chunk(usage.as_bytes()), Step::Close]);
    let empty = json!({"choices": [], "usage": {"prompt_tokens": 5}});
    let empty = answer(200, "", &empty.to_string());
    let completion = becomes([cut, empty, says("Yes.")], "").await;
    assert_eq!((completion.text.as_str(), completion.retries), ("Yes.", 2));
    let expected = TokenUsage {
        input: 22,
        output: 3,
        cached: 8,
        reasoning: 0,
    };
    assert_eq!(completion.usage, Some(expected));
}

#[tokio::test]
async fn a_call_that_fails_for_good_tells_what_it_cost() {
    let empty = |input: u64| {
        let usage = json!({"prompt_tokens": input, "completion_tokens": 2});
        let body = json!({"choices": [], "usage": usage}).to_string();
        answer(200, "", &body)
    };
    let server = Server::start([empty(5), empty(6), answer(401, "", "bad key")]).await;
    let failed = answering(&*server.mind(""), false).await.unwrap_err();
    assert!(matches!(failed.error, MindError::Denied { .. }), "{failed}");
    let usage = failed.usage.unwrap();
    assert_eq!((usage.input, usage.output, failed.retries), (11, 4, 2));
}

#[tokio::test]
async fn an_answer_of_ten_megabytes_is_refused_without_reading_on() {
    /// A head, a hundred times the same, and nothing more.
    fn big(head: &str, begin: &[u8], piece: &[u8]) -> Script {
        let mut script = vec![Step::Send(head.into()), chunk(begin)];
        script.extend(std::iter::repeat_n(chunk(piece), 100));
        script.push(Step::Hang);
        script
    }
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 10000000\r\n\r\n{";
    let announced = vec![Step::Send(head.into()), Step::Hang];
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let unannounced = big(head, b"x", &[b'x'; 100_000]);
    let piece = delta(json!({"content": "x".repeat(100_000)}));
    let streamed = big(STREAM_HEAD, piece.as_bytes(), piece.as_bytes());
    let line = big(STREAM_HEAD, b"data: ", &[b'x'; 100_000]);
    // The text of one is cut off at what its tokens can't exceed.
    let server = Server::start([streamed]).await;
    let cut = told(&*server.mind("")).await.unwrap();
    assert_eq!(cut.finish, FinishReason::Length);
    server.sees_a_client_leave().await;
    for script in [announced, unannounced, line] {
        let server = Server::start([script]).await;
        let refused = told(&*server.mind("")).await.unwrap_err();
        let is_invalid = matches!(refused, MindError::InvalidResponse { .. });
        assert!(is_invalid, "{refused}");
        server.sees_a_client_leave().await;
        assert_eq!(server.requests(), 1);
    }
}

#[tokio::test]
async fn an_answer_cut_by_its_limit_is_an_answer() {
    let body = json!({"choices": [{"message": {"content": "", "reasoning": "hm"}, "finish_reason": "length"}]});
    let completion = becomes([answer(200, "", &body.to_string())], "").await;
    assert_eq!(completion.text, "");
    assert_eq!(completion.finish, FinishReason::Length);
    assert_eq!(completion.thinking.as_deref(), Some("hm"));
}

#[tokio::test]
async fn an_answer_that_came_as_reasoning_is_the_answer() {
    let deed = "{\"words\": \"a <think> and a </think> [THINK]\"}";
    let thought = |thought: &str| json!({"content": null, "reasoning_content": thought});
    let in_words = |words: &str| json!({"content": words});
    let thinks = "";
    let silent = "extra: {\"chat_template_kwargs\": {\"enable_thinking\": false}}";
    let begun = in_words("<think>{\"a\": 1}");
    for (message, json, settings, found) in [
        // JSON was asked for, and JSON is what came.
        (thought(deed), true, thinks, Some(deed)),
        (thought(deed), true, silent, Some(deed)),
        (in_words(deed), true, thinks, Some(deed)),
        (begun, true, thinks, Some("{\"a\": 1}")),
        (thought("Let me see."), true, silent, None),
        (thought("{\"a\": 1} or {\"a\": 2}"), true, thinks, None),
        // Words were asked for, and no thoughts.
        (thought("I stay."), false, silent, Some("I stay.")),
        (in_words("<think>I stay."), false, silent, Some("I stay.")),
        (thought("I stay."), false, thinks, None),
    ] {
        for streamed in [false, true] {
            let whole = json!({"choices": [{"message": message, "finish_reason": "stop"}]});
            let script = if streamed {
                let done = "data: {\"choices\": [{\"delta\": {}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n";
                streams(&(delta(message.clone()) + done), 7)
            } else {
                answer(200, "", &whole.to_string())
            };
            let server = Server::start([script]).await;
            let settings = format!("stream: {streamed}, retry: (times: 0), {settings}");
            let answered = ask(&*server.mind(&settings), json).await;
            let about = format!("{message} {json} {settings}: {answered:?}");
            match found {
                Some(found) => {
                    let completion = answered.unwrap();
                    assert_eq!(completion.text, found, "{about}");
                    assert_eq!(completion.thinking, None, "{about}");
                }
                None => has(&answered.unwrap_err().to_string(), &["empty"]),
            }
        }
    }
}

#[tokio::test]
async fn a_call_that_is_cut_by_its_limit_says_so() {
    let call = json!({"id": "1", "function": {"name": "dice", "arguments": "{\"sides\": "}});
    let body = json!({"choices": [{"message": {"content": null, "tool_calls": [call]}, "finish_reason": "length"}]});
    let completion = becomes([answer(200, "", &body.to_string())], "").await;
    assert_eq!(completion.calls.len(), 1);
    assert_eq!(completion.finish, FinishReason::Length);
}

// --- Silence and absence ------------------------------------------------------------------------

#[tokio::test]
async fn silence_is_not_waited_out_but_slowness_is() {
    let well = begun("Well", [Step::Hang]);
    for (script, timeout, expected) in [
        (vec![Step::Hang], "first_byte", Awaited::FirstByte),
        (well, "between_bytes", Awaited::NextBytes),
    ] {
        let (_server, mind) = always(script, &format!("timeouts: ({timeout}: 0.2)")).await;
        match told(&*mind).await {
            Err(MindError::TimedOut { awaited, .. }) => assert_eq!(awaited, expected),
            other => panic!("{other:?}"),
        }
    }

    let mut slow = vec![Step::Send(STREAM_HEAD.into())];
    for word in ["a", "b", "c", "d", "e"] {
        slow.push(chunk(delta(json!({"content": word})).as_bytes()));
        slow.push(Step::Wait(Duration::from_millis(300)));
        slow.push(chunk(b": still here\n\n"));
        slow.push(Step::Wait(Duration::from_millis(300)));
    }
    slow.push(Step::Send(b"0\r\n\r\n".to_vec()));
    let completion = becomes([slow], "timeouts: (between_bytes: 2.5)").await;
    assert_eq!((completion.text.as_str(), completion.retries), ("abcde", 0));
    assert!(completion.latency > Duration::from_secs_f64(2.5));
}

#[tokio::test]
async fn an_absent_server_is_unreachable() {
    let server = Server::start([]).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let mind = server.models_at(&base, "").mind("m").unwrap();
    let absent = told(&*mind).await.unwrap_err();
    assert!(matches!(absent, MindError::Unreachable { .. }) && absent.is_transient());
}

#[tokio::test]
async fn giving_up_an_answer_closes_its_connection() {
    for script in [vec![Step::Hang], begun("Well", [Step::Hang])] {
        let server = Server::start([script]).await;
        let mind = server.mind("");
        tokio::select! {
            answer = told(&*mind) => panic!("{answer:?}"),
            () = server.receives_a_request() => {}
        }
        server.sees_a_client_leave().await;
    }
}

// --- Attacks ------------------------------------------------------------------------------------

/// These bytes one by one, and then for ever the last of them.
fn drips(before: &str, bytes: &str) -> Script {
    let pause = || Step::Wait(Duration::from_millis(20));
    let drop = |byte: u8| [pause(), Step::Send(vec![byte])];
    let last = bytes.bytes().last().unwrap();
    let endless = std::iter::repeat_n(last, 1_000);
    let mut script = vec![Step::Send(before.into())];
    script.extend(bytes.bytes().chain(endless).flat_map(drop));
    script
}

const UNTIL_CLOSED: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
const OVERLOADED: &str = "HTTP/1.1 500 X\r\ncontent-length: 9999\r\n\r\n";

#[tokio::test]
async fn a_call_ends_at_its_deadline_however_slowly_its_bytes_come() {
    let event = delta(json!({"content": "a"}));
    let whole = "HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n";
    for script in [
        drips("HTTP/1.1 200 OK\r\n", "x: y\r\nz: a"),
        drips(UNTIL_CLOSED, &event.repeat(9)),
        drips(UNTIL_CLOSED, &": still here\n\n".repeat(9)),
        drips(whole, "{\"choices\": [ "),
        drips(whole, "\n"),
        drips(OVERLOADED, "{\"error\": \"a"),
    ] {
        let (server, mind) = always(script, "timeouts: (whole: 1.0, min_rate: 0)").await;
        let error = told(&*mind).await.unwrap_err();
        let whole = Awaited::WholeAnswer;
        let is_late =
            matches!(error, MindError::TimedOut { seconds: 1, awaited, .. } if awaited == whole);
        assert!(is_late || error.to_string().contains("(500)"), "{error}");
        server.sees_a_client_leave().await;
    }
    // What comes after the end of an answer is not waited for.
    let done = format!("{UNTIL_CLOSED}{event}data: [DONE]\n\n");
    let (server, mind) = always(drips(&done, "\n"), "").await;
    assert_eq!(told(&*mind).await.unwrap().text, "a");
    server.sees_a_client_leave().await;
}

#[tokio::test]
async fn a_server_that_is_too_slow_is_given_up_before_the_deadline() {
    let event = delta(json!({"content": "a"}));
    let slow = "timeouts: (between_bytes: 1.5, min_rate: 500)";
    let (server, mind) = always(drips(UNTIL_CLOSED, &event.repeat(9)), slow).await;
    let error = told(&*mind).await.unwrap_err();
    let enough = Awaited::EnoughBytes;
    let is_slow = matches!(error, MindError::TimedOut { awaited, .. } if awaited == enough);
    assert!(is_slow, "{error}");
    assert_eq!(server.requests(), 3, "as often as broken answers");
    // Signs of life before the answer begins are not an answer.
    let mut queued = drips(UNTIL_CLOSED, ": waiting\n\n");
    queued.truncate(200);
    queued.push(Step::Send(format!("\n\n{event}data: [DONE]\n\n").into()));
    let (_server, mind) = always(queued, slow).await;
    assert_eq!(told(&*mind).await.unwrap().text, "a");
}

#[tokio::test]
async fn calls_over_the_limit_of_an_answer_are_not_read() {
    let call =
        |n: usize| json!({"id": format!("c{n}"), "function": {"name": "look", "arguments": "{}"}});
    let streamed: String = (0..20_000)
        .map(|n| delta(json!({"tool_calls": [call(n)]})))
        .collect();
    let whole: Vec<_> = (0..20_000).map(call).collect();
    let whole = json!({"choices": [{"message": {"tool_calls": whole}}]}).to_string();
    for script in [streams(&streamed, 60_000), answer(200, "", &whole)] {
        let calls = becomes([script], "").await.calls;
        assert_eq!((calls.len(), &*calls[127].id), (128, "c127"));
    }
}

// --- Pieces -------------------------------------------------------------------------------------

/// What an answer shows on its way, in short.
fn shown(receiver: &mut StreamReceiver) -> Vec<String> {
    let pieces = std::iter::from_fn(|| receiver.try_next());
    let pieces = pieces.map(|piece| match piece.kind {
        StreamDeltaKind::Text(text) => text,
        StreamDeltaKind::Retract => "(retract)".into(),
        StreamDeltaKind::Tools(_) => "(tools)".into(),
    });
    pieces.collect()
}

/// What is shown of a server's answers, and the answer in the end.
async fn shown_of(
    scripts: impl IntoIterator<Item = Script>,
    settings: &str,
) -> (Vec<String>, Completion) {
    let server = Server::start(scripts).await;
    let (sender, mut receiver) = stream_channel();
    let stream = sender.answer("Mira".into(), 1);
    let answer = answering_in_pieces(&*server.mind(settings), false, Some(&stream)).await;
    (shown(&mut receiver), answer.unwrap())
}

#[tokio::test]
async fn the_first_piece_is_seen_while_the_server_is_still_writing() {
    let go_on = Arc::new(Notify::new());
    let rest = [
        Step::Until(go_on.clone()),
        chunk(delta(json!({"content": "there"})).as_bytes()),
        chunk(b"data: [DONE]\n\n"),
        Step::Send(b"0\r\n\r\n".to_vec()),
    ];
    let script = begun("Hello ", rest);
    let server = Server::start([script]).await;
    let (sender, mut receiver) = stream_channel();
    let stream = sender.answer("Mira".into(), 7);
    let mind = server.mind("");
    let mut answer = answering_in_pieces(&*mind, false, Some(&stream));
    // The server writes no more until it is told to.
    let first = tokio::select! {
        answer = &mut answer => panic!("{answer:?}"),
        first = receiver.next() => first.unwrap(),
    };
    assert!(matches!(&first.kind, StreamDeltaKind::Text(text) if text == "Hello "));
    assert_eq!((&*first.entity, first.number), ("Mira", 7));
    assert_eq!(server.state.under_way.load(Ordering::SeqCst), 1);
    go_on.notify_one();
    assert_eq!(answer.await.unwrap().text, "Hello there");
    assert_eq!(shown(&mut receiver), ["there"]);
}

#[tokio::test]
async fn neither_thoughts_nor_calls_of_tools_are_shown() {
    let call =
        json!({"index": 0, "id": "1", "function": {"name": "look", "arguments": "{\"at\": 1}"}});
    let body = [
        delta(json!({"reasoning_content": "secret "})),
        delta(json!({"content": "<think>secret</think>我留"})),
        delta(json!({"content": "在家 <"})),
        delta(json!({"tool_calls": [call]})),
        "data: [DONE]\n\n".into(),
    ];
    for at_once in [1, 7, 100_000] {
        let (shown, answer) = shown_of([streams(&body.concat(), at_once)], "").await;
        assert_eq!(shown.concat(), "我留在家 <");
        assert_eq!(answer.text, "我留在家 <");
        assert_eq!(answer.calls.len(), 1);
    }
}

#[tokio::test]
async fn a_thought_whose_begin_stood_in_the_prompt_is_taken_back() {
    let body = [
        delta(json!({"content": "They must not know"})),
        delta(json!({"content": "</think>Good day"})),
        "data: [DONE]\n\n".into(),
    ];
    let (shown, answer) = shown_of([streams(&body.concat(), 7)], "").await;
    assert_eq!(shown, ["They must not know", "(retract)", "Good day"]);
    assert_eq!(answer.text, "Good day");
}

#[tokio::test]
async fn what_an_attempt_showed_that_broke_off_is_void() {
    let breaks = begun("Good ni", [Step::Close]);
    let body = delta(json!({"content": "Good day"})) + "data: [DONE]\n\n";
    let (shown, answer) = shown_of([breaks, streams(&body, 100_000)], "").await;
    assert_eq!(answer.retries, 1);
    assert_eq!(shown, ["Good ni", "(retract)", "Good day"]);
}

#[tokio::test]
async fn an_answer_that_comes_whole_is_one_piece() {
    let (shown, answer) = shown_of([says("Yes, all.")], "stream: false").await;
    assert_eq!(answer.text, "Yes, all.");
    assert_eq!(shown, ["Yes, all."]);
}

#[tokio::test]
async fn a_call_that_was_given_up_shows_nothing_more() {
    let server = Server::start([begun("Good ", [Step::Hang])]).await;
    let (sender, mut receiver) = stream_channel();
    let stream = sender.answer("Mira".into(), 1);
    let mind = server.mind("");
    let mut answer = answering_in_pieces(&*mind, false, Some(&stream));
    tokio::select! {
        answer = &mut answer => panic!("{answer:?}"),
        first = receiver.next() => assert!(first.is_some()),
    }
    drop((answer, stream, sender));
    server.sees_a_client_leave().await;
    // Not even that it is void.
    assert!(receiver.next().await.is_none());
}

// --- Many at once -------------------------------------------------------------------------------

#[tokio::test]
async fn calls_are_limited_and_connections_used_again() {
    let body = delta(json!({"content": "Yes."})) + "data: [DONE]\n\n";
    let mut pausing = vec![Step::Wait(Duration::from_millis(20))];
    pausing.extend(streams(&body, 50));
    let (server, mind) = always(pausing, "width: 4").await;
    let calls = (0..24).map(|_| {
        let mind = Arc::clone(&mind);
        tokio::spawn(async move { told(&*mind).await.map(|completion| completion.text) })
    });
    for call in calls.collect::<Vec<_>>() {
        assert_eq!(call.await.unwrap().unwrap(), "Yes.");
    }
    assert_eq!(server.state.most_at_once.load(Ordering::SeqCst), 4);
    assert!(server.state.connections.load(Ordering::SeqCst) <= 8);
}

// --- The doctor ---------------------------------------------------------------------------------

#[tokio::test]
async fn an_examination_tells_what_a_server_can_do() {
    let list = json!({"data": [{"id": "test-model", "meta": {"n_ctx": 2048}}]});
    let list = answer(200, "", &list.to_string());
    let refusal = error(400, "json_schema is not supported");
    let server = Server::start([list, refusal, says("{\"ready\": true}")]).await;
    let found = server.models("").probe("m").await.unwrap();
    assert_eq!((found.reachable, found.answers), (Some(true), Some(true)));
    assert_eq!(found.key, KeyState::Accepted);
    assert_eq!(found.model, "test-model-2");
    assert_eq!((found.window, found.streaming), (Some(2048), Some(false)));
    assert_eq!(found.schema, Some(SchemaMode::JsonMode));
    assert_eq!(found.cache_fields, Some(true));
    let mut notes = found.notes.iter();
    let is_told = notes.any(|note| note.to_string().contains("4096"));
    assert!(is_told, "{found:?}");
    assert_eq!(server.state.received.lock().unwrap()[0].path, "/v1/models");
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!(json["key"], "accepted");
    assert_eq!(json["schema"], "json_mode");
}

#[tokio::test]
async fn an_examination_of_a_locked_or_absent_server_says_so() {
    let server = Server::start([error(404, "?"), error(401, "wrong key sk-very-secret")]).await;
    let found = server.models("").probe("m").await.unwrap();
    assert_eq!((found.reachable, found.answers), (Some(true), Some(false)));
    assert_eq!((found.key, found.window), (KeyState::Refused, Some(4096)));
    assert!(!json!(found).to_string().contains("sk-very-secret"));

    let models = server.models_at("http://127.0.0.1:1", "");
    let found = models.probe("m").await.unwrap();
    assert_eq!(found.reachable, Some(false));
    assert_eq!((found.key, found.latency_ms), (KeyState::Untried, None));
}

// --- Errors within answers ----------------------------------------------------------------------

#[tokio::test]
async fn an_error_within_an_answer_means_what_it_says() {
    let events = |body: &str| streams(body, 7);
    let whole = |body: &Value| answer(200, "", &body.to_string());
    let money = json!({"error": {"message": "No credits left.", "code": 402}});
    for script in [whole(&money), events(&format!("data: {money}\n\n"))] {
        let (broke, requests) = fails([script]).await;
        assert!(matches!(broke, MindError::Denied { status: 402, .. }));
        assert_eq!(requests, 1);
    }
    for body in [
        "event: error\ndata: {\"error\": {\"message\": \"the input's 5213 tokens do not fit into 4096\"}}\n\n",
        "error: {\"code\": 400, \"message\": \"the request exceeds the available context size\"}\n\n",
        "event: error\ndata: available context exceeded\n\n",
    ] {
        let (long, requests) = fails([events(body)]).await;
        assert!(matches!(long, MindError::PromptTooLong { .. }), "{body}");
        assert_eq!(requests, 1);
    }
    for nothing in [json!(""), json!({}), json!(false), json!({"message": ""})] {
        let choice = json!({"message": {"content": "Yes."}, "finish_reason": "stop"});
        let body = json!({"error": nothing, "choices": [choice]});
        assert_eq!(becomes([whole(&body)], "").await.text, "Yes.");
    }
}

#[tokio::test]
async fn an_answer_is_read_where_it_can_be() {
    let halves = [
        "data: {\"choices\": [{\"delta\": {\"content\": \"Well \\ud83d\"}}]}\n\n",
        "data: {\"choices\": [{\"delta\": {\"content\": \"\\ude00 yes \\\\ \\ud83d\\ude00\"}}]}\n\n",
        "data: {\"choices\": [{\"delta\": {}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n",
    ]
    .concat();
    let text = becomes([streams(&halves, 9)], "").await.text;
    assert_eq!(text, "Well \u{fffd}\u{fffd} yes \\ 😀");
    let body = json!({"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]});
    for (kind, mark) in [
        ("text/event-stream", ""),
        ("text/plain", "\u{feff}"),
        ("x", ""),
    ] {
        let head = format!("content-type: {kind}\r\n");
        let script = answer(200, &head, &format!("{mark}{body}"));
        assert_eq!(becomes([script], "").await.text, "Yes.", "{kind}");
    }
}

#[tokio::test]
async fn a_refusal_is_the_text_of_an_answer_that_its_model_did_not_give() {
    let message = json!({"role": "assistant", "content": null, "refusal": "I can't."});
    let body = json!({"choices": [{"message": message, "finish_reason": "stop"}]});
    let parts = [
        delta(json!({"refusal": "I "})),
        delta(json!({"refusal": "can't."})),
    ]
    .concat();
    for script in [answer(200, "", &body.to_string()), streams(&parts, 100)] {
        let refused = becomes([script], "").await;
        assert_eq!(refused.finish, FinishReason::ContentFilter);
        assert_eq!(refused.text, "I can't.");
    }
}

#[tokio::test]
async fn what_may_be_too_long_is_longer_than_all_that_was_answered() {
    let server = Server::start([
        error(400, "bad request"),
        says("Yes."),
        error(400, "bad request"),
        error(500, "the shift of the context is off"),
    ])
    .await;
    let mind = server.mind("stream: false, retry: (times: 0), schema: text");
    let first = answering(&*mind, false).await.unwrap_err();
    let doubt = first.length_doubt;
    assert_eq!(doubt, LengthDoubt::AtOnce, "nothing was answered");
    answering(&*mind, false).await.unwrap();
    for _ in 0..2 {
        let again = answering(&*mind, false).await.unwrap_err();
        // It is as long as the one that was answered.
        assert_eq!(again.length_doubt, LengthDoubt::None);
    }
}
