//! What holds at every interface.

use std::fs::File;
use std::io::Write;
use std::sync::Arc;

use playhouse_engine::message::{Block, Body, MediaSource};
use playhouse_engine::mind::{FinishReason, MindError};
use playhouse_interop::format::{Api, MAX_FILE_BYTES, MediaFolder};
use serde_json::{Value, json};

use super::{Question, has};
use crate::openai::{Server, Step, answer, comes_in_pieces, events, whole};

/// An answer that every interface understands.
fn yes() -> Value {
    json!({
        "type": "message", "content": [{"type": "text", "text": "Yes."}],
        "choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}],
        "candidates": [{"content": {"parts": [{"text": "Yes."}]}, "finishReason": "STOP"}],
        "output": {"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]},
        "message": {"content": "Yes."}, "done": true,
    })
}

#[tokio::test]
async fn a_file_that_can_not_be_sent_is_named_and_nothing_is() {
    let folder = tempfile::tempdir().unwrap();
    let inside = |name: &str| File::create(folder.path().join(name)).unwrap();
    inside("big.png").set_len(MAX_FILE_BYTES + 1).unwrap();
    inside("page.png").write_all(b"<html>").unwrap();
    inside("photo.png").write_all(b"\xff\xd8\xff\xe0").unwrap();
    for api in Api::ALL.map(Api::name) {
        let server = Server::always(whole(&yes())).await;
        let models = server.models(&format!("api: {api}, parts: true"));
        let models = models.with_files(Arc::new(MediaFolder::new(folder.path())));
        let mind = models.mind("m").unwrap();
        let large = "too large: 20971521 bytes; the maximum is 20971520";
        let files = [
            ("inn.png", "can't be read"),
            ("big.png", large),
            ("page.png", "expected image/png, found no known type"),
            ("photo.png", "expected image/png, found image/jpeg"),
            ("../inn.png", "is outside"),
        ];
        for (request, (path, said)) in files.into_iter().enumerate() {
            let question = Question {
                words: Body::blocks(vec![Block::image(MediaSource::file(path))]),
                ..Question::default()
            };
            let answered = question.answered(&*mind).await;
            if api == "deepseek" {
                // It has no place for images, so that none is looked for, but the mind is told of
                // it.
                assert_eq!(answered.unwrap().text, "Yes.");
                let told = format!("[image: {path}]");
                has(&server.body(request).to_string(), &[&told]);
                continue;
            }
            let unsendable = answered.unwrap_err();
            let is_unsendable = matches!(unsendable, MindError::Unsendable { .. });
            assert!(is_unsendable, "{api}: {unsendable}");
            let path = format!("'{path}'");
            has(&unsendable.to_string(), &["m", &path, said]);
            assert_eq!(server.requests(), 0, "{api}");
        }
    }
}

/// An error as each interface words it.
fn refusal(api: &str, status: u16, words: &str) -> Value {
    match api {
        "anthropic" => {
            json!({"type": "error", "error": {"type": "api_error", "message": words}, "request_id": "r"})
        }
        "gemini" => {
            json!([{"error": {"code": status, "message": words, "status": "INVALID_ARGUMENT"}}])
        }
        "dashscope" => json!({"code": "InvalidParameter", "message": words, "request_id": "r"}),
        "ollama" => json!({"error": words}),
        _ => json!({"error": {"message": words, "type": "api_error", "param": null, "code": null}}),
    }
}

#[tokio::test]
async fn an_error_tells_the_providers_words_the_alias_the_status_and_what_to_do() {
    for api in Api::ALL.map(Api::name) {
        let server = Server::start([]).await;
        let mind = server.mind(&format!("api: {api}"));
        for (status, advice) in [
            (400, "correct the model's settings"),
            (401, "`playhouse config` shows which variable"),
            (402, "no money or no quota"),
            (403, "`playhouse doctor` tests it"),
            (404, "correct `base_url` or `model`"),
            (413, "set the model's `window`"),
            (422, "correct the model's settings"),
            (429, "lower `width`"),
            (500, "failed"),
            (503, "lower `width`"),
        ] {
            let words = "No, not with sk-very-secret.";
            let body = refusal(api, status, words).to_string();
            *server.state.always.lock().unwrap() = Some(answer(status, "", &body));
            let error = Question::default().answered(&*mind).await.unwrap_err();
            let shown = error.to_string();
            assert!(shown.starts_with("m (http://127.0.0.1"), "{api}: {shown}");
            let status = format!("({status})");
            has(&shown, &["No, not with ***", &status, advice]);
            assert!(!format!("{shown}{error:?}").contains("sk-very-secret"));
        }
    }
}

#[tokio::test]
async fn a_web_page_an_empty_body_and_a_cut_one_are_no_answers() {
    for api in Api::ALL.map(Api::name) {
        let server = Server::start([]).await;
        let mind = server.mind(&format!("api: {api}"));
        let page = "<!doctype html><html><title>Welcome</title></html>";
        for (body, reason) in [
            (page, "HTML page (Welcome)"),
            ("", "empty"),
            ("{\"candidates\": [", "not JSON"),
            ("{}", "empty"),
            ("nonsense", "not JSON"),
            ("data: {}\n\n", "empty"),
        ] {
            let before = server.requests();
            *server.state.always.lock().unwrap() = Some(answer(200, "", body));
            let error = Question::default().answered(&*mind).await.unwrap_err();
            let is_invalid = matches!(error, MindError::InvalidResponse { .. });
            assert!(is_invalid, "{api} {body}: {error}");
            has(&error.to_string(), &[reason]);
            assert_eq!(server.requests() - before, 3, "{api} {body}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_does_not_end_is_cut_off() {
    let text = "x".repeat(50_000);
    let delta = json!({"type": "text_delta", "text": text});
    for (api, piece) in [
        (
            "anthropic",
            json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        ),
        (
            "gemini",
            json!({"candidates": [{"content": {"parts": [{"text": text}]}}]}),
        ),
        (
            "dashscope",
            json!({"output": {"choices": [{"message": {"content": text}}]}}),
        ),
        ("ollama", json!({"message": {"content": text}})),
    ] {
        let (kind, piece) = match api {
            "ollama" => ("application/x-ndjson", format!("{piece}\n")),
            _ => ("text/event-stream", events(&[piece])),
        };
        let mut script = comes_in_pieces(kind, &piece.repeat(60), 1_000_000);
        script.pop();
        script.push(Step::Hang);
        let server = Server::start([script]).await;
        let mind = server.mind(&format!("api: {api}"));
        let answered = Question::default().answered(&*mind).await.unwrap();
        assert_eq!(answered.finish, FinishReason::Length, "{api}");
        assert_eq!(server.requests(), 1);
    }
}
