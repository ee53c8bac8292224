//! Anthropic's messages.

use playhouse_engine::message::{Block, Body};
use playhouse_engine::mind::{ExchangeRound, FinishReason, ToolRound};
use playhouse_llm::http::SchemaMode;
use serde_json::{Value, json};

use super::{Becomes, Question, assert_becomes, called, figures, has};
use crate::openai::{Server, answer, comes_in_pieces, events, streams, whole};

/// A message that says these blocks.
fn message(content: Value, stop: &str) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-2", "content": content,
        "stop_reason": stop, "stop_sequence": null,
        "usage": {"input_tokens": 3, "cache_creation_input_tokens": 2, "cache_read_input_tokens": 5,
            "output_tokens": 7, "output_tokens_details": {"thinking_tokens": 4}},
    })
}

fn says(text: &str) -> Value {
    message(json!([{"type": "text", "text": text}]), "end_turn")
}

#[tokio::test]
async fn a_request_has_its_own_path_key_and_form() {
    let server = Server::start([whole(&says("Yes."))]).await;
    let mind = server.mind("api: anthropic, stream: false, temperature: 0.5");
    let completion = Question::default().answered(&*mind).await.unwrap();
    assert_eq!(completion.text, "Yes.");
    assert_eq!(completion.model, "claude-2");
    assert_eq!(figures(&completion), [10, 7, 5, 4]);
    assert_eq!(completion.finish, FinishReason::Stop);
    let received = server.state.received.lock().unwrap();
    assert_eq!(received[0].path, "/v1/messages");
    let headers = ["x-api-key: sk-very-secret", "anthropic-version: 2023-06-01"];
    has(&received[0].head, &headers);
    assert!(!received[0].head.contains("authorization"));
    let mark = json!({"type": "ephemeral"});
    let text = |text: &str| json!({"type": "text", "text": text});
    let marked = |text: &str| json!({"type": "text", "text": text, "cache_control": mark});
    let expected = json!({
        "model": "test-model", "temperature": 0.5, "max_tokens": 100, "stream": false,
        "system": [marked("You are Mira.")],
        "messages": [
            {"role": "user", "content": [marked("It rains.")]},
            {"role": "user", "content": [text("What do you do?")]},
        ],
    });
    assert_eq!(received[0].body, expected);
}

/// A stream that thinks, speaks and calls.
fn stream() -> String {
    let delta = |index: u64, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let input = |json: &str| delta(3, json!({"type": "input_json_delta", "partial_json": json}));
    let start = |index: u64, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let call = |index: u64, id: &str| {
        start(
            index,
            json!({"type": "tool_use", "id": id, "name": "dice", "input": {}}),
        )
    };
    let thinking = json!({"type": "thinking", "thinking": "", "signature": ""});
    let stop = |index: u64| json!({"type": "content_block_stop", "index": index});
    events(&[
        json!({"type": "message_start", "message": {"model": "claude-2", "content": [], "stop_reason": null,
            "usage": {"input_tokens": 3, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 2, "output_tokens": 1}}}),
        start(0, thinking),
        json!({"type": "ping"}),
        delta(0, json!({"type": "thinking_delta", "thinking": "雨天，"})),
        delta(0, json!({"type": "thinking_delta", "thinking": "掷骰子。"})),
        delta(0, json!({"type": "signature_delta", "signature": "EqQB"})),
        stop(0),
        start(1, json!({"type": "redacted_thinking", "data": "zzz"})),
        stop(1),
        start(2, json!({"type": "text", "text": ""})),
        delta(2, json!({"type": "text_delta", "text": "我先"})),
        delta(2, json!({"type": "text_delta", "text": "试试。"})),
        stop(2),
        call(3, "toolu_1"),
        input(""),
        input("{\"sid"),
        input("es\": 6}"),
        stop(3),
        call(4, "toolu_2"),
        stop(4),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ])
}

#[tokio::test]
async fn a_stream_is_put_together_wherever_it_is_cut() {
    for at_once in [1, 13, 100_000] {
        let server = Server::start([streams(&stream(), at_once)]).await;
        let mind = server.mind("api: anthropic");
        let completion = Question::with_dice().answered(&*mind).await.unwrap();
        assert_eq!(completion.text, "我先试试。");
        assert_eq!(completion.thinking.as_deref(), Some("雨天，掷骰子。"));
        assert_eq!(completion.finish, FinishReason::ToolCalls);
        assert_eq!(completion.retries, 0);
        let calls = [("toolu_1", "{\"sides\": 6}"), ("toolu_2", "")];
        assert_eq!(called(&completion), calls);
        assert_eq!(figures(&completion), [10, 9, 5, 0]);
        let signed = json!([
            {"type": "thinking", "thinking": "雨天，掷骰子。", "signature": "EqQB"},
            {"type": "redacted_thinking", "data": "zzz"},
        ]);
        assert_eq!(json!(completion.signed), signed);
    }
}

#[tokio::test]
async fn thoughts_go_back_signed_with_the_calls_they_led_to() {
    let server = Server::start([streams(&stream(), 99), whole(&says("A four."))]).await;
    let mind = server.mind("api: anthropic");
    let mut question = Question::with_dice();
    let first = question.answered(&*mind).await.unwrap();
    let returned = ["toolu_1", "toolu_2"].map(|id| Block::tool_result(id, "4"));
    question.rounds.push(ExchangeRound::Tools(ToolRound {
        called: Body::blocks(first.to_blocks()),
        returned: Body::blocks(returned.to_vec()),
    }));
    assert_eq!(question.answered(&*mind).await.unwrap().text, "A four.");
    let messages = server.body(1)["messages"].clone();
    let of_parts = |message: usize, member: &str| -> Vec<Value> {
        let parts = messages[message]["content"].as_array().unwrap().iter();
        parts.map(|part| part[member].clone()).collect()
    };
    let kinds = [
        "thinking", "redacted_thinking", "text", "tool_use", "tool_use",
    ];
    assert_eq!(of_parts(2, "type"), kinds);
    assert_eq!(messages[2]["content"][0]["signature"], "EqQB");
    assert_eq!(of_parts(3, "tool_use_id"), ["toolu_1", "toolu_2"]);
}

#[tokio::test]
async fn json_comes_by_a_schema_by_a_tool_or_by_words() {
    let refusal = |said: &str| {
        let error = json!({"type": "invalid_request_error", "message": said});
        let body = json!({"type": "error", "error": error});
        answer(400, "", &body.to_string())
    };
    let blocks = json!([
        {"type": "text", "text": "Here:"},
        {"type": "tool_use", "id": "t", "name": "give_answer", "input": {"ready": true}},
    ]);
    let by_tool = message(blocks, "tool_use");
    let server = Server::start([
        refusal("output_config.format: schema is not supported"),
        whole(&by_tool),
        whole(&by_tool),
        refusal("tool_choice: type tool is not supported for this model"),
        whole(&says("{\"ready\":true}")),
    ])
    .await;
    let mind = server.mind("api: anthropic, schema: stable");
    for retries in [1, 0, 1] {
        let completion = Question::as_json().answered(&*mind).await.unwrap();
        assert_eq!(completion.text, "{\"ready\":true}");
        assert_eq!(completion.retries, retries);
        assert_eq!(completion.finish, FinishReason::Stop);
        assert_eq!(completion.calls.len(), 0);
    }
    let format = &server.body(0)["output_config"]["format"];
    assert_eq!(format["schema"]["title"], "stable");
    let tool = &server.body(1)["tools"][0];
    assert_eq!(tool["input_schema"]["title"], "narrowed");
    let last = server.body(4);
    has(&last["messages"].to_string(), &["narrowed"]);
    assert!(last["tools"].is_null(), "{last}");
    server.mind("api: anthropic, schema: text");
    assert_eq!(SchemaMode::JsonMode.lower(), Some(SchemaMode::Text));
}

#[tokio::test]
async fn its_errors_are_told_apart() {
    let key = "invalid x-api-key sk-very-secret";
    let shown = Becomes::Error("invalid x-api-key ***");
    let bad = "invalid_request_error";
    let long = "prompt is too long: 210000 tokens > 200000 maximum";
    for (status, kind, said, becomes) in [
        (401, "authentication_error", key, shown),
        (400, bad, "Your credit balance is too low", Becomes::Denied),
        (400, bad, long, Becomes::TooLong(200_000)),
        (529, "overloaded_error", "Overloaded", Becomes::Yes(1)),
    ] {
        let error = json!({"type": kind, "message": said});
        let body = json!({"type": "error", "error": error, "request_id": "req_1"});
        let answers = [answer(status, "", &body.to_string()), whole(&says("Yes."))];
        assert_becomes("api: anthropic", answers, becomes).await;
    }
}

#[tokio::test]
async fn an_error_in_the_midst_of_a_stream_is_asked_again_and_counted() {
    let begun = events(&[
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 8, "output_tokens": 1}}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "half a sen"}}),
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    ]);
    let cut = comes_in_pieces("text/event-stream", &stream()[..600], 50);
    let refused = message(json!([]), "refusal");
    let server = Server::start([streams(&begun, 40), whole(&refused)]).await;
    let mind = server.mind("api: anthropic");
    let completion = Question::default().answered(&*mind).await.unwrap();
    assert_eq!(completion.finish, FinishReason::ContentFilter);
    assert_eq!(completion.retries, 1);
    assert_eq!(figures(&completion), [18, 8, 5, 4]);

    let server = Server::start([cut, whole(&says("Whole."))]).await;
    let mind = server.mind("api: anthropic");
    let completion = Question::default().answered(&*mind).await.unwrap();
    assert_eq!(completion.text, "Whole.");
    assert_eq!(completion.retries, 1);
}

#[tokio::test]
async fn an_examination_tells_its_window() {
    let model = json!({"type": "model", "id": "test-model", "max_input_tokens": 1000});
    let server = Server::start([whole(&model), whole(&says("{\"ready\": true}"))]).await;
    let found = server.models("api: anthropic").probe("m").await.unwrap();
    assert_eq!((found.answers, found.reachable), (Some(true), Some(true)));
    assert_eq!((found.window, found.cache_fields), (Some(1000), Some(true)));
    let received = server.state.received.lock().unwrap();
    assert_eq!(received[0].path, "/v1/models/test-model");
}
