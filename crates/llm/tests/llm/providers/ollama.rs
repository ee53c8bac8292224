//! Ollama's own interface.

use std::time::Duration;

use playhouse_engine::mind::{FinishReason, MindError};
use serde_json::{Value, json};

use super::{Becomes, Question, assert_becomes, called, figures};
use crate::openai::{Server, Step, answer, chunk, comes_in_pieces, whole};

const LINES: &str = "application/x-ndjson";

fn piece(message: Value) -> Value {
    json!({"model": "qwen", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": false})
}

fn last() -> Value {
    json!({"model": "qwen", "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": ""},
        "done": true, "done_reason": "stop", "prompt_eval_count": 10, "eval_count": 3, "total_duration": 5})
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

fn says(text: &str) -> String {
    lines(&[piece(json!({"role": "assistant", "content": text})), last()])
}

#[tokio::test]
async fn a_request_has_its_own_path_and_form() {
    let mut answer = last();
    answer["message"]["content"] = "Yes.".into();
    let server = Server::start([whole(&answer)]).await;
    let mind = server.mind("api: ollama, stream: false, temperature: 0.5, extra: {\"think\": false, \"options\": {\"top_k\": 4}}");
    let completion = Question::default().answered(&*mind).await.unwrap();
    assert_eq!(completion.text, "Yes.");
    assert_eq!(completion.model, "qwen");
    assert_eq!(figures(&completion), [10, 3, 0, 0]);
    assert_eq!(completion.finish, FinishReason::Stop);
    assert_eq!(server.state.received.lock().unwrap()[0].path, "/api/chat");
    let message = |role: &str, text: &str| json!({"role": role, "content": text});
    let expected = json!({
        "model": "test-model", "think": false, "stream": false,
        "messages": [message("system", "You are Mira."), message("user", "It rains."), message("user", "What do you do?")],
        // What it is not told to hold it cuts off without a word.
        "options": {"temperature": 0.5, "top_k": 4, "num_ctx": 4096, "num_predict": 100},
    });
    assert_eq!(server.body(0), expected);
}

#[tokio::test]
async fn a_stream_is_put_together_wherever_it_is_cut() {
    let call = json!({"function": {"name": "dice", "arguments": {"sides": 6}}});
    let body = lines(&[
        piece(json!({"role": "assistant", "content": "", "thinking": "雨"})),
        piece(json!({"role": "assistant", "content": "", "thinking": "天"})),
        piece(json!({"role": "assistant", "content": "我先{试}"})),
        piece(json!({"role": "assistant", "content": "试。"})),
        piece(json!({"role": "assistant", "content": "", "tool_calls": [call]})),
        last(),
    ]);
    for at_once in [1, 17, 100_000] {
        let server = Server::start([comes_in_pieces(LINES, &body, at_once)]).await;
        let mind = server.mind("api: ollama");
        let completion = Question::with_dice().answered(&*mind).await.unwrap();
        assert_eq!(completion.text, "我先{试}试。");
        assert_eq!(completion.thinking.as_deref(), Some("雨天"));
        assert_eq!(completion.finish, FinishReason::ToolCalls);
        assert_eq!(completion.retries, 0);
        assert_eq!(called(&completion), [("", "{\"sides\":6}")]);
        assert_eq!(server.body(0)["tools"][0]["function"]["name"], "dice");
    }
}

#[tokio::test]
async fn json_comes_by_a_grammar_or_by_words() {
    let refusal = json!({"error": "invalid JSON schema in format"}).to_string();
    let refusal = answer(400, "", &refusal);
    let server = Server::start([refusal, comes_in_pieces(LINES, &says("{}"), 9)]).await;
    let mind = server.mind("api: ollama, schema: constrained");
    let completion = Question::as_json().answered(&*mind).await.unwrap();
    assert_eq!(completion.retries, 1);
    assert_eq!(server.body(0)["format"]["title"], "narrowed");
    assert_eq!(server.body(1)["format"], "json");
}

#[tokio::test]
async fn its_errors_are_told_apart() {
    let error = |status: u16, said: &str| answer(status, "", &json!({"error": said}).to_string());
    let in_pieces = |body: &str| comes_in_pieces(LINES, body, 9);
    let midway = lines(&[
        piece(json!({"role": "assistant", "content": "We"})),
        json!({"error": "an error was encountered while running the model"}),
    ]);
    let cut = says("Well then.");
    let unknown = error(404, "model 'test-model' not found");
    let advice = Becomes::Error("not found; correct `base_url` or `model`");
    for (first, becomes) in [
        (unknown, advice),
        (error(503, "server busy, please try again"), Becomes::Yes(1)),
        (in_pieces(&midway), Becomes::Yes(1)),
        (in_pieces(&cut[..cut.len() - 30]), Becomes::Yes(1)),
        (in_pieces("{\"message\": {]}\n"), Becomes::Yes(1)),
    ] {
        assert_becomes("api: ollama", [first, in_pieces(&says("Yes."))], becomes).await;
    }
}

#[tokio::test]
async fn slowness_is_waited_out_and_giving_up_closes_the_connection() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut slow = vec![Step::Send(head.into())];
    for word in ["a", "b", "c"] {
        let line = lines(&[piece(json!({"role": "assistant", "content": word}))]);
        slow.push(chunk(line.as_bytes()));
        slow.push(Step::Wait(Duration::from_millis(700)));
    }
    let mut hangs = slow.clone();
    slow.push(chunk(lines(&[last()]).as_bytes()));
    slow.push(Step::Send(b"0\r\n\r\n".to_vec()));
    hangs.push(Step::Hang);
    let server = Server::start([slow]).await;
    let mind = server.mind("api: ollama, timeouts: (between_bytes: 2)");
    let completion = Question::default().answered(&*mind).await.unwrap();
    assert_eq!((completion.text.as_str(), completion.retries), ("abc", 0));

    let server = Server::start([hangs]).await;
    let mind = server.mind("api: ollama");
    tokio::select! {
        answer = Question::default().to(&*mind) => panic!("{answer:?}"),
        () = server.receives_a_request() => {}
    }
    server.sees_a_client_leave().await;
}

#[tokio::test]
async fn an_examination_tells_the_window_of_what_is_loaded() {
    let loaded = json!({"name": "test-model", "model": "test-model", "context_length": 2048});
    let loaded = whole(&json!({"models": [loaded]}));
    let ready = comes_in_pieces(LINES, &says("{\"ready\": true}"), 9);
    let server = Server::start([loaded, ready]).await;
    let found = server.models("api: ollama").probe("m").await.unwrap();
    assert_eq!((found.answers, found.streaming), (Some(true), Some(true)));
    assert_eq!(found.window, Some(2048));
    assert_eq!(found.cache_fields, Some(false));
    let mut notes = found.notes.iter();
    let is_told = notes.any(|note| note.to_string().contains("4096"));
    assert!(is_told, "{found:?}");
    let absent = Server::always(vec![Step::Close]).await.mind("api: ollama");
    let error = Question::default().answered(&*absent).await.unwrap_err();
    assert!(matches!(error, MindError::Unreachable { .. }), "{error}");
}
