//! What holds at every interface.

use playhouse::message::{Block, Body, Source};
use playhouse::mind::MindError;
use proptest::prelude::*;
use serde_json::Value;

use super::Question;
use super::server::{Server, Step, answer, comes_in_pieces};

const APIS: [&str; 6] = [
    "openai",
    "deepseek",
    "anthropic",
    "gemini",
    "dashscope",
    "ollama",
];

#[tokio::test]
async fn a_file_that_can_not_be_sent_is_named_and_nothing_is() {
    for api in APIS {
        let server = Server::start([]).await;
        let question = Question {
            words: Body::blocks(vec![Block::image(Source::file("inn.png"))]),
            ..Question::default()
        };
        let mind = server.mind(&format!("api: {api}"));
        let unsendable = question.answered(&*mind).await;
        if api == "deepseek" {
            // It has no place for images, so that none is looked for.
            continue;
        }
        let unsendable = unsendable.unwrap_err();
        assert!(
            matches!(unsendable, MindError::Unsendable { .. }),
            "{unsendable}"
        );
        let shown = unsendable.to_string();
        assert!(
            shown.contains("'m'") && shown.contains("'inn.png'"),
            "{shown}"
        );
        assert_eq!(server.requests(), 0);
    }
}

#[tokio::test]
async fn no_error_shows_the_key() {
    for api in APIS {
        for status in [400, 401, 403, 404, 429, 500] {
            let server = Server::start([]).await;
            let body = r#"{"error": {"message": "your key sk-very-secret, billing"}, "code": "x", "message": "sk-very-secret"}"#;
            *server.state.always.lock().unwrap() = Some(answer(status, "", body));
            let error = Question::default()
                .answered(&*server.mind(&format!("api: {api}")))
                .await
                .unwrap_err();
            let shown = format!("{error} {error:?}");
            assert!(
                shown.contains("***") && !shown.contains("sk-very-secret"),
                "{shown}"
            );
            assert!(shown.contains("'m' at http://127.0.0.1"), "{shown}");
        }
    }
}

#[tokio::test]
async fn a_web_page_an_empty_body_and_a_cut_one_are_no_answers() {
    for api in APIS {
        for (body, reason) in [
            (
                "<!doctype html><html><title>Welcome</title></html>",
                "HTML page (Welcome)",
            ),
            ("", "empty"),
            ("{\"candidates\": [", "no JSON"),
            ("{}", "empty"),
            ("nonsense", "no JSON"),
            ("data: {}\n\n", "empty"),
        ] {
            let server = Server::start([]).await;
            *server.state.always.lock().unwrap() = Some(answer(200, "", body));
            let error = Question::default()
                .answered(&*server.mind(&format!("api: {api}")))
                .await
                .unwrap_err();
            assert!(
                matches!(error, MindError::Unreadable { .. }),
                "{api} {body}: {error}"
            );
            assert!(error.to_string().contains(reason), "{api} {body}: {error}");
            assert_eq!(server.requests(), 3, "{api} {body}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_does_not_end_is_refused() {
    for (api, kind, piece) in [
        (
            "anthropic",
            "text/event-stream",
            "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"{}\"}}\n\n",
        ),
        (
            "gemini",
            "text/event-stream",
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"{}\"}]}}]}\n\n",
        ),
        (
            "dashscope",
            "text/event-stream",
            "data: {\"output\":{\"choices\":[{\"message\":{\"content\":\"{}\"}}]}}\n\n",
        ),
        (
            "ollama",
            "application/x-ndjson",
            "{\"message\":{\"content\":\"{}\"}}\n",
        ),
    ] {
        let piece = piece.replace("{}", &"x".repeat(50_000));
        let mut script = comes_in_pieces(kind, &piece.repeat(60), 1_000_000);
        script.pop();
        script.push(Step::Hang);
        let server = Server::start([script]).await;
        let error = Question::default()
            .answered(&*server.mind(&format!("api: {api}")))
            .await
            .unwrap_err();
        assert!(
            error.to_string().contains("reading stopped there"),
            "{api}: {error}"
        );
        assert_eq!(server.requests(), 1);
    }
}

/// Any JSON, not too deep.
fn json() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "type",
        "message",
        "choices",
        "delta",
        "content",
        "candidates",
        "parts",
        "text",
        "usage",
        "output",
        "error",
        "functionCall",
        "tool_calls",
        "content_block",
        "index",
        "message_start",
        "content_block_start",
        "tool_use",
        "thinking",
        "usageMetadata",
        "promptTokenCount",
        "input_tokens",
        "done",
        "finish_reason",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(word.clone().prop_map(str::to_owned), inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_answer_is_too_strange(
        bodies in prop::collection::vec(prop_oneof![
            prop::collection::vec(json(), 1..4).prop_map(|values| values.iter().map(|value| format!("data: {value}\n\n")).collect::<String>().into_bytes()),
            prop::collection::vec(json(), 1..4).prop_map(|values| values.iter().map(|value| format!("{value}\n")).collect::<String>().into_bytes()),
            prop::collection::vec(any::<u8>(), 0..60),
        ], 6),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            for (api, body) in APIS.iter().zip(bodies) {
                let server = Server::start([]).await;
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
                let script = vec![Step::Send([head.as_bytes(), &body].concat())];
                *server.state.always.lock().unwrap() = Some(script);
                // An answer or an error; anything but a panic.
                let _ = Question::default().answered(&*server.mind(&format!("api: {api}"))).await;
            }
        });
    }
}
