//! DashScope's own interface.

use playhouse_engine::mind::FinishReason;
use serde_json::{Value, json};

use super::{Becomes, Question, assert_becomes, called, figures, has};
use crate::openai::{Server, answer, events, streams, whole};

fn says(message: Value, finish: &str) -> Value {
    json!({
        "output": {"choices": [{"finish_reason": finish, "message": message}]},
        "usage": {"input_tokens": 10, "output_tokens": 3, "total_tokens": 13,
            "prompt_tokens_details": {"cached_tokens": 6}, "output_tokens_details": {"reasoning_tokens": 2}},
        "request_id": "r",
    })
}

fn text(text: &str) -> Value {
    says(json!({"role": "assistant", "content": text}), "stop")
}

#[tokio::test]
async fn a_request_has_its_own_path_headers_and_form() {
    let server = Server::start([whole(&text("Yes.")), streams(&events(&[text("Yes.")]), 9)]).await;
    for stream in [false, true] {
        let settings = format!("api: dashscope, stream: {stream}, temperature: 0.5");
        let mind = server.mind(&settings);
        let completion = Question::default().answered(&*mind).await.unwrap();
        // It names no model in its answers.
        assert_eq!(completion.text, "Yes.");
        assert_eq!(completion.model, "test-model");
        assert_eq!(figures(&completion), [10, 3, 6, 2]);
        let received = server.state.received.lock().unwrap();
        let last = received.last().unwrap();
        let path = "/api/v1/services/aigc/text-generation/generation";
        assert_eq!(last.path, path);
        has(&last.head, &["authorization: Bearer sk-very-secret"]);
        assert_eq!(last.head.contains("x-dashscope-sse: enable"), stream);
        let mut parameters = json!({"result_format": "message", "max_tokens": 100});
        parameters["temperature"] = 0.5.into();
        if stream {
            parameters["incremental_output"] = true.into();
        }
        let message = |role: &str, text: &str| json!({"role": role, "content": text});
        let messages = json!([
            message("system", "You are Mira."),
            message("user", "It rains."),
            message("user", "What do you do?")
        ]);
        let expected = json!({"model": "test-model", "input": {"messages": messages}, "parameters": parameters});
        assert_eq!(last.body, expected);
    }
}

#[tokio::test]
async fn a_stream_is_put_together_wherever_it_is_cut() {
    let call = |id: &str, name: &str, arguments: &str| json!([{"index": 0, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}}]);
    let piece = |member: &str, value: Value| {
        let mut message = json!({"role": "assistant", "content": ""});
        message[member] = value;
        says(message, "null")
    };
    let pieces = events(&[
        piece("reasoning_content", "雨天".into()),
        piece("content", "我先试试。".into()),
        piece("tool_calls", call("call_1", "dice", "")),
        piece("tool_calls", call("", "", "{\"sides\":6}")),
        says(json!({"role": "assistant", "content": ""}), "tool_calls"),
    ])
    .replace("data:", "id:1\nevent:result\n:HTTP_STATUS/200\ndata:");
    for at_once in [1, 17, 100_000] {
        let server = Server::start([streams(&pieces, at_once)]).await;
        let mind = server.mind("api: dashscope");
        let completion = Question::with_dice().answered(&*mind).await.unwrap();
        assert_eq!(completion.text, "我先试试。");
        assert_eq!(completion.thinking.as_deref(), Some("雨天"));
        assert_eq!(completion.finish, FinishReason::ToolCalls);
        assert_eq!(called(&completion), [("call_1", "{\"sides\":6}")]);
        let parameters = server.body(0)["parameters"].clone();
        assert_eq!(parameters["tools"][0]["function"]["name"], "dice");
    }
}

#[tokio::test]
async fn other_forms_of_its_answers_are_read_too() {
    let plain = json!({"output": {"finish_reason": "stop", "text": "Plain."}, "usage": {"input_tokens": 1, "output_tokens": 1}});
    let parts = json!([{"text": "In "}, {"text": "parts."}]);
    let of_parts = says(json!({"role": "assistant", "content": parts}), "stop");
    let server = Server::start([whole(&plain), whole(&of_parts)]).await;
    let mind = server.mind("api: dashscope");
    for expected in ["Plain.", "In parts."] {
        let completion = Question::default().answered(&*mind).await.unwrap();
        assert_eq!(completion.text, expected);
    }
}

#[tokio::test]
async fn its_errors_are_told_apart() {
    let error = |status: u16, code: &str, said: &str| {
        let body = json!({"code": code, "message": said, "request_id": "r"});
        answer(status, "", &body.to_string())
    };
    let poor = "Access denied, please make sure your account is in good standing.";
    let long = "Range of input length should be [1, 30720]";
    let quota = "Requests rate limit exceeded";
    let in_stream = "id:1\nevent:error\n:HTTP_STATUS/500\ndata:{\"code\":\"InternalError\",\"message\":\"An internal error has occured\",\"request_id\":\"r\"}\n\n";
    let nothing = json!({"role": "assistant", "content": ""});
    let filtered = says(nothing, "content_filter");
    let key = error(401, "InvalidApiKey", "Invalid API-key provided.");
    let long = error(400, "InvalidParameter", long);
    for (first, becomes) in [
        (key, Becomes::Error("Invalid API-key provided;")),
        (error(400, "Arrearage", poor), Becomes::Denied),
        (long, Becomes::TooLong(30_720)),
        (error(429, "Throttling.RateQuota", quota), Becomes::Yes(1)),
        (streams(in_stream, 9), Becomes::Yes(1)),
        (whole(&filtered), Becomes::Filtered),
    ] {
        assert_becomes("api: dashscope", [first, whole(&text("Yes."))], becomes).await;
    }
}

#[tokio::test]
async fn json_comes_by_its_type() {
    let server = Server::start([whole(&text("{}"))]).await;
    let mind = server.mind("api: dashscope, schema: json_mode");
    Question::as_json().answered(&*mind).await.unwrap();
    let body = server.body(0);
    let format = json!({"type": "json_object"});
    assert_eq!(body["parameters"]["response_format"], format);
    let last = &body["input"]["messages"][2]["content"];
    has(last.as_str().unwrap(), &["narrowed"]);
}
