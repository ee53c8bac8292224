//! How OpenAI-compatible servers differ, row by row: llama-server, llama-cpp-python, transformers
//! serve, the LiteLLM proxy and aimock, each played on loopback as it was measured to behave.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![allow(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test may panic and look at the clock"
)]

mod played;

use crate::openai::{
    STREAM_HEAD, Script, Server, Step, answer, comes_in_pieces, events, streams, whole,
};
use crate::question::Question;
use played::{Played, Schema, Usage};
use playhouse::message::{Block, Message, Role};
use playhouse::mind::{Completion, FinishReason, Mind, MindError};
use serde_json::{Value, json};

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wanted {
    Prose,
    Json,
    /// Words, with dice at hand.
    Call,
}

async fn ask(mind: &dyn Mind, json: bool) -> Result<Completion, MindError> {
    let wanted = if json { Wanted::Json } else { Wanted::Prose };
    ask_for(mind, wanted).await
}

async fn ask_for(mind: &dyn Mind, wanted: Wanted) -> Result<Completion, MindError> {
    let mut question = match wanted {
        Wanted::Prose => Question::default(),
        Wanted::Json => Question::as_json(),
        Wanted::Call => Question::with_dice(),
    };
    let call = Block::tool_use("call_1", "dice", json!({"sides": 6}));
    let called = Message::new(Role::Ai, vec![call]);
    let returned = Message::new(Role::Tool, vec![Block::tool_result("call_1", "4")]);
    question.history.add_message(called).unwrap();
    question.history.add_message(returned).unwrap();
    question.answered(mind).await
}

/// The answer to a plain question, where the server plays this.
async fn told(script: Script) -> Result<Completion, MindError> {
    let server = Server::start([script]).await;
    ask(&*server.mind("stream_usage: true"), false).await
}

fn piece(delta: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn said(text: &str) -> Value {
    piece(json!({"content": text}))
}

fn stopped() -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
}

/// A stream of these values, with or without the word that ends it.
fn stream(values: &[Value], done: bool) -> Script {
    let done = if done { "data: [DONE]\n\n" } else { "" };
    streams(&(events(values) + done), 31)
}

fn figures(completion: &Completion) -> Option<[u64; 3]> {
    let usage = completion.usage?;
    Some([usage.input, usage.output, usage.cached])
}

#[tokio::test]
async fn the_end_of_a_body_is_the_end_with_or_without_the_word_for_it() {
    let values = [said("Yes."), stopped()];
    for done in [true, false] {
        let completion = told(stream(&values, done)).await.unwrap();
        assert_eq!(
            (completion.text.as_str(), completion.finish),
            ("Yes.", FinishReason::Stop)
        );
    }
}

#[tokio::test]
async fn usage_is_taken_from_whichever_piece_has_it() {
    let usage = json!({"prompt_tokens": 9, "completion_tokens": 2});
    let in_own_piece = |choices: Value| json!({"choices": choices, "usage": usage});
    let mut in_the_last = stopped();
    in_the_last["usage"] = usage.clone();
    for (values, expected) in [
        // llama-server and aimock; LiteLLM; transformers; llama-cpp-python.
        (
            vec![said("Yes."), stopped(), in_own_piece(json!([]))],
            Some([9, 2, 0]),
        ),
        (
            vec![
                said("Yes."),
                stopped(),
                in_own_piece(json!([{"delta": {}}])),
            ],
            Some([9, 2, 0]),
        ),
        (vec![said("Yes."), in_the_last], Some([9, 2, 0])),
        (vec![said("Yes."), stopped()], None),
    ] {
        let completion = told(stream(&values, true)).await.unwrap();
        assert_eq!(
            (completion.text.as_str(), figures(&completion)),
            ("Yes.", expected)
        );
    }
}

#[tokio::test]
async fn cached_tokens_are_counted_where_they_are_told() {
    let with =
        |usage: Value| json!({"choices": [{"message": {"content": "Yes."}}], "usage": usage});
    let told_cached = json!({"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 5}});
    let dropped = json!({"prompt_tokens": 9, "completion_tokens": 2});
    for (usage, expected, tells) in [(told_cached, [9, 2, 5], true), (dropped, [9, 2, 0], false)] {
        let body = with(usage);
        assert_eq!(figures(&told(whole(&body)).await.unwrap()), Some(expected));
        let server = Server::start([whole(&json!({})), whole(&body)]).await;
        let found = server.models("").probe("m").await.unwrap();
        assert_eq!(found.cache_fields, Some(tells));
    }
}

#[tokio::test]
async fn why_it_stopped_may_be_null_or_absent_until_the_end() {
    let absent = json!({"choices": [{"delta": {"content": "Yes."}}]});
    for first in [said("Yes."), absent] {
        let completion = told(stream(&[first, stopped()], true)).await.unwrap();
        assert_eq!(
            (completion.text.as_str(), completion.finish),
            ("Yes.", FinishReason::Stop)
        );
    }
}

#[tokio::test]
async fn reasoning_may_come_before_the_role() {
    let values = [
        piece(json!({"reasoning_content": "Hm."})),
        piece(json!({"role": "assistant", "content": null})),
        piece(json!({"role": "assistant", "content": null})),
        said("Yes."),
        stopped(),
    ];
    let completion = told(stream(&values, true)).await.unwrap();
    assert_eq!(
        (completion.text.as_str(), completion.thinking.as_deref()),
        ("Yes.", Some("Hm."))
    );
}

#[tokio::test]
async fn an_unknown_server_is_sent_no_field_that_any_of_them_refuses() {
    let server = Server::start([whole(
        &json!({"choices": [{"message": {"content": "Yes."}}]}),
    )])
    .await;
    ask(&*server.mind(""), true).await.unwrap();
    let body = server.body(0);
    let members: Vec<_> = body
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    // What transformers takes, which refuses a request for any other.
    assert_eq!(
        members,
        [
            "max_tokens", "messages", "model", "response_format", "stream"
        ]
    );
    for message in body["messages"].as_array().unwrap() {
        let role = message["role"].as_str().unwrap();
        // llama-cpp-python fails on the role developer and on content that is null.
        assert!(
            ["system", "user", "assistant", "tool"].contains(&role),
            "{role}"
        );
        assert!(message["content"].is_string(), "{message}");
        assert!(message["name"].is_null(), "{message}");
    }
    assert_eq!(
        body["messages"][2]["tool_calls"][0]["id"],
        body["messages"][3]["tool_call_id"]
    );
}

#[tokio::test]
async fn an_unknown_model_is_refused_or_answered_by_another() {
    let refused = told(answer(
        400,
        "",
        &json!({"detail": "model m not found"}).to_string(),
    ))
    .await;
    let shown = refused.unwrap_err().to_string();
    assert!(
        shown.contains("model m not found; correct the model's settings"),
        "{shown}"
    );
    let other =
        json!({"model": "whatever-i-have.gguf", "choices": [{"message": {"content": "Yes."}}]});
    let completion = told(whole(&other)).await.unwrap();
    assert_eq!(completion.model, "whatever-i-have.gguf");
}

#[tokio::test]
async fn silence_is_not_waited_out() {
    // transformers never answers.
    let server = Server::start([]).await;
    *server.state.always.lock().unwrap() = Some(vec![Step::Hang]);
    let mind = server.mind("timeouts: (first_byte: 0.2)");
    let error = ask(&*mind, false).await.unwrap_err();
    assert!(matches!(error, MindError::TimedOut { .. }), "{error}");
}

#[tokio::test]
async fn what_is_said_of_broken_json_is_never_said_to_us() {
    // 500, 422 or 400: all of them would be our fault, and the test server reads what it is sent.
    let body = json!({"choices": [{"message": {"content": "{}"}}]});
    let server = Server::start([]).await;
    *server.state.always.lock().unwrap() = Some(whole(&body));
    for schema in ["strict", "stable", "constrained", "json_mode", "text"] {
        ask(&*server.mind(&format!("schema: {schema}")), true)
            .await
            .unwrap();
    }
    for request in 0..server.requests() {
        assert!(
            server.body(request)["messages"].is_array(),
            "request {request}"
        );
    }
}

#[tokio::test]
async fn the_limit_goes_under_the_name_that_every_server_knows() {
    let server = Server::start([]).await;
    *server.state.always.lock().unwrap() = Some(whole(
        &json!({"choices": [{"message": {"content": "Yes."}}]}),
    ));
    ask(&*server.mind(""), false).await.unwrap();
    ask(&*server.mind("limit_field: max_completion_tokens"), false)
        .await
        .unwrap();
    assert_eq!(
        (
            &server.body(0)["max_tokens"],
            &server.body(0)["max_completion_tokens"]
        ),
        (&json!(100), &Value::Null)
    );
    assert_eq!(
        (
            &server.body(1)["max_tokens"],
            &server.body(1)["max_completion_tokens"]
        ),
        (&Value::Null, &json!(100))
    );
}

#[tokio::test]
async fn a_schema_is_a_grammar_a_failure_or_ignored() {
    let says = |text: &str| {
        whole(&json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}))
    };
    // llama-cpp-python wants json_object and fails on anything else.
    let wants_object = answer(500, "", &json!({"error": {"message": "Internal Server Error", "type": "internal_server_error", "code": null}}).to_string());
    let server = Server::start([wants_object, says("{}"), says("{}")]).await;
    let mind = server.mind("");
    for retries in [1, 0] {
        assert_eq!(ask(&*mind, true).await.unwrap().retries, retries);
    }
    assert_eq!(
        server.body(2)["response_format"],
        json!({"type": "json_object"})
    );
    // transformers ignores it: what came is handed on, to be checked by the ask itself.
    let ignored = Server::start([says("Well, I stay.")]).await;
    assert_eq!(
        ask(&*ignored.mind(""), true).await.unwrap().text,
        "Well, I stay."
    );
}

#[tokio::test]
async fn no_tool_is_ever_forced_by_name_and_one_choice_is_wanted() {
    let two = json!({"choices": [{"index": 0, "message": {"content": "One."}}, {"index": 1, "message": {"content": "Two."}}]});
    let server = Server::start([whole(&two)]).await;
    let completion = ask(&*server.mind(""), true).await.unwrap();
    assert_eq!(completion.text, "One.");
    assert_eq!(
        (&server.body(0)["tool_choice"], &server.body(0)["n"]),
        (&Value::Null, &Value::Null)
    );
}

#[tokio::test]
async fn the_model_that_answers_is_named_as_it_names_itself() {
    for name in ["alias", "Qwen/Qwen3-0.6B@main", "a group", "test-model"] {
        let body = json!({"model": name, "choices": [{"message": {"content": "Yes."}}]});
        assert_eq!(told(whole(&body)).await.unwrap().model, name);
    }
}

#[tokio::test]
async fn keep_alives_of_every_kind_are_skipped() {
    // DeepSeek: blank lines before a whole answer, comments in a stream.
    let body = json!({"choices": [{"message": {"content": "Yes."}}]}).to_string();
    let mut waiting = vec![Step::Send(
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec(),
    )];
    waiting.extend((0..3).map(|_| crate::openai::chunk(b"\n\n")));
    waiting.extend([
        crate::openai::chunk(body.as_bytes()),
        Step::Send(b"0\r\n\r\n".to_vec()),
    ]);
    assert_eq!(told(waiting).await.unwrap().text, "Yes.");
    let pings = format!(
        ": keep-alive\n\n: keep-alive\n\n{}: ping\n\n{}",
        events(&[said("Yes.")]),
        events(&[stopped()])
    );
    assert_eq!(
        told(comes_in_pieces("text/event-stream", &pings, 7))
            .await
            .unwrap()
            .text,
        "Yes."
    );
    assert!(STREAM_HEAD.contains("event-stream"));
}

#[tokio::test]
async fn deepseek_counts_hits_and_misses_and_takes_its_thoughts_back_in_rounds_alone() {
    let body = json!({"choices": [{"message": {"content": "Yes.", "reasoning_content": "Hm."}}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 8, "prompt_cache_miss_tokens": 1}});
    let server = Server::start([whole(&body)]).await;
    let completion = ask(&*server.mind("api: deepseek, schema: json_mode"), true)
        .await
        .unwrap();
    assert_eq!(
        (figures(&completion), completion.thinking.as_deref()),
        (Some([9, 2, 8]), Some("Hm."))
    );
    assert_eq!(
        server.body(0)["response_format"],
        json!({"type": "json_object"})
    );
    assert!(!server.body(0).to_string().contains("reasoning_content"));
    let broke = told(answer(
        402,
        "",
        &json!({"error": {"message": "Insufficient Balance"}}).to_string(),
    ))
    .await
    .unwrap_err();
    assert!(
        matches!(broke, MindError::Denied { status: 402, .. }),
        "{broke}"
    );
}

/// A server that behaves like one of them.
async fn play(played: Played) -> Server {
    Server::ruled(move |received| played.answer(received)).await
}

#[tokio::test]
async fn each_of_them_is_asked_for_words_json_and_calls_whole_and_in_pieces() {
    for played in played::ALL {
        for stream in [true, false] {
            let server = play(played).await;
            let mind = server.mind(&format!("stream: {stream}, stream_usage: {stream}"));
            for wanted in [Wanted::Prose, Wanted::Json, Wanted::Call] {
                let about = format!("{}, stream: {stream}, {wanted:?}", played.name);
                let completion = ask_for(&*mind, wanted).await.expect(&about);
                let text = match (wanted, played.schema) {
                    (Wanted::Call, _) => "",
                    (Wanted::Json, Schema::Grammar | Schema::WantsObject) => "{\"ready\": true}",
                    // Whoever asked finds out that a schema was ignored.
                    (Wanted::Json, Schema::Ignored) | (Wanted::Prose, _) => "Yes, I am.",
                };
                assert_eq!(completion.text, text, "{about}");
                let calls: Vec<_> = completion
                    .calls
                    .iter()
                    .map(|call| (&*call.id, &*call.name, &*call.arguments))
                    .collect();
                let expected: &[_] = match wanted {
                    Wanted::Call => &[("call_9", "dice", "{\"sides\": 6}")],
                    Wanted::Prose | Wanted::Json => &[],
                };
                assert_eq!(calls, expected, "{about}");
                let told = !stream || played.usage != Usage::Never;
                let cached = if played.cached { 5 } else { 0 };
                let expected = told.then_some([9, 2, cached]);
                assert_eq!(figures(&completion), expected, "{about}");
                let stepped = wanted == Wanted::Json && played.schema == Schema::WantsObject;
                assert_eq!(completion.retries, u32::from(stepped), "{about}");
            }
        }
    }
}

#[tokio::test]
async fn what_each_of_them_refuses_is_told_with_its_words_and_what_to_do() {
    let refused =
        |name: &str, answered: Result<Completion, MindError>, status, said: &[&str]| match (
            answered, status,
        ) {
            (Ok(completion), None) => assert_eq!(completion.text, "Yes, I am.", "{name}"),
            (Err(error), Some(status)) => {
                let shown = error.to_string();
                assert!(shown.starts_with("m (http://127.0.0.1"), "{name}: {shown}");
                assert!(!shown.contains("sk-not-it"), "{name}: {shown}");
                let status = format!("{status}");
                for words in [&[&*status], said].concat() {
                    assert!(shown.contains(words), "{name}: {shown}");
                }
            }
            (answered, status) => panic!("{name}: {answered:?}, expected {status:?}"),
        };
    for played in played::ALL {
        let (server, name) = (play(played).await, played.name);
        let vendor = server.mind("extra: {\"top_k\": 4}");
        let said = ["Unexpected keys", "top_k", "correct the model's settings"];
        let answered = ask(&*vendor, false).await;
        refused(name, answered, played.unknown_field, &said);

        let other = server.models_as(Some("sk-very-secret"), "no-such-model");
        let answered = ask(&*other.mind("m").unwrap(), false).await;
        let said = ["no-such-model", "not found", "correct"];
        refused(name, answered, played.unknown_model, &said);

        for key in [None, Some("sk-not-it")] {
            let other = server.models_as(key, "test-model");
            let answered = ask(&*other.mind("m").unwrap(), false).await;
            refused(name, answered, played.wrong_key, &["a wrong key"]);
        }
    }
}
