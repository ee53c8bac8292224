//! Gemini's generateContent.

use playhouse_engine::message::{Block, Body};
use playhouse_engine::mind::{ExchangeRound, FinishReason, ToolRound};
use serde_json::{Value, json};

use super::{Becomes, Question, assert_becomes, called, figures, has};
use crate::openai::{Server, answer, events, streams, whole};

fn says(parts: Value, finish: Option<&str>) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if let Some(finish) = finish {
        candidate["finishReason"] = finish.into();
    }
    json!({
        "candidates": [candidate], "modelVersion": "gemini-2",
        "usageMetadata": {"promptTokenCount": 10, "cachedContentTokenCount": 6, "candidatesTokenCount": 3,
            "thoughtsTokenCount": 4, "totalTokenCount": 17},
    })
}

#[tokio::test]
async fn a_request_has_its_own_path_key_and_form() {
    let answer = says(json!([{"text": "Yes."}]), Some("STOP"));
    let server = Server::start([whole(&answer), streams(&events(&[answer]), 9)]).await;
    for (stream, method) in [
        (false, "generateContent"),
        (true, "streamGenerateContent?alt=sse"),
    ] {
        let path = format!("/v1beta/models/test-model:{method}");
        let mind = server.mind(&format!("api: gemini, stream: {stream}, temperature: 0.5"));
        let completion = Question::default().answered(&*mind).await.unwrap();
        assert_eq!(completion.text, "Yes.");
        assert_eq!(completion.model, "gemini-2");
        assert_eq!(figures(&completion), [10, 7, 6, 4]);
        let received = server.state.received.lock().unwrap();
        let last = received.last().unwrap();
        assert_eq!(last.path, path);
        has(&last.head, &["x-goog-api-key: sk-very-secret"]);
        let text = |text: &str| json!({"role": "user", "parts": [{"text": text}]});
        let expected = json!({
            "system_instruction": {"parts": [{"text": "You are Mira."}]},
            "contents": [text("It rains."), text("What do you do?")],
            "generation_config": {"temperature": 0.5, "max_output_tokens": 100},
        });
        assert_eq!(last.body, expected);
    }
}

#[tokio::test]
async fn a_stream_is_put_together_and_calls_go_back_signed() {
    let call = json!({"name": "dice", "args": {"sides": 6}});
    let second = json!({"id": "b", "name": "dice"});
    let pieces = [
        says(json!([{"text": "雨天", "thought": true}]), None),
        says(json!([{"text": "我先"}]), None),
        says(
            json!([{"text": "试试。"}, {"functionCall": call, "thoughtSignature": "c2ln"}]),
            None,
        ),
        says(json!([{"functionCall": second}]), Some("STOP")),
    ];
    for at_once in [1, 17, 100_000] {
        let last = says(json!([{"text": "A four."}]), Some("STOP"));
        let server = Server::start([streams(&events(&pieces), at_once), whole(&last)]).await;
        let mind = server.mind("api: gemini");
        let mut question = Question::with_dice();
        let completion = question.answered(&*mind).await.unwrap();
        assert_eq!(completion.text, "我先试试。");
        assert_eq!(completion.thinking.as_deref(), Some("雨天"));
        assert_eq!(completion.finish, FinishReason::ToolCalls);
        assert_eq!(called(&completion), [("", "{\"sides\":6}"), ("b", "")]);
        assert_eq!(completion.calls[0].signature.as_deref(), Some("c2ln"));

        let returned = vec![
            Block::tool_result("", "4"),
            Block::tool_error("b", "no dice"),
        ];
        question.rounds.push(ExchangeRound::Tools(ToolRound {
            called: Body::blocks(completion.to_blocks()),
            returned: Body::blocks(returned),
        }));
        question.answered(&*mind).await.unwrap();
        let contents = server.body(1)["contents"].clone();
        let call = &contents[2]["parts"][1];
        assert_eq!(contents[2]["role"], "model");
        assert_eq!(call["thought_signature"], "c2ln");
        let result = |index: usize| &contents[3]["parts"][index]["function_response"];
        assert_eq!(result(0)["id"], call["function_call"]["id"]);
        assert_eq!(result(0)["response"], json!({"output": "4"}));
        assert_eq!(result(1)["response"], json!({"error": "no dice"}));
        let is_told = contents.to_string().contains("雨天");
        assert!(!is_told, "a thought stays private");
    }
}

#[tokio::test]
async fn json_comes_by_a_schema_by_its_type_or_by_words() {
    let refusal = |said: &str| {
        let body = json!({"error": {"code": 400, "message": said, "status": "INVALID_ARGUMENT"}});
        answer(400, "", &body.to_string())
    };
    let yes = || whole(&says(json!([{"text": "{}"}]), Some("STOP")));
    let server = Server::start([
        refusal("response_json_schema: too deep"),
        yes(),
        refusal("response_mime_type: no"),
        yes(),
    ])
    .await;
    let mind = server.mind("api: gemini, schema: stable");
    for _ in 0..2 {
        let completion = Question::as_json().answered(&*mind).await.unwrap();
        assert_eq!(completion.retries, 1);
    }
    let config = |request| server.body(request)["generation_config"].clone();
    assert_eq!(config(0)["response_json_schema"]["title"], "stable");
    assert_eq!(config(1)["response_json_schema"], Value::Null);
    assert_eq!(config(1)["response_mime_type"], "application/json");
    assert_eq!(config(3)["response_mime_type"], Value::Null);
    assert!(server.body(3)["contents"].to_string().contains("narrowed"));
}

#[tokio::test]
async fn its_errors_are_told_apart() {
    let error = |status, error: Value| answer(status, "", &json!({"error": error}).to_string());
    let quota = json!({"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "You exceeded your current quota",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.05s"}]});
    let key = json!({"code": 400, "status": "INVALID_ARGUMENT", "message": "API key not valid. Please pass a valid API key."});
    let long = json!({"code": 400, "message": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."});
    let blocked = json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}});
    // Asked without `alt=sse` by somebody in between, it streams a list.
    let list = json!([
        says(json!([{"text": "Ye"}]), None),
        says(json!([{"text": "s."}]), Some("STOP"))
    ]);
    let in_list = json!([{"error": {"code": 503, "message": "The model is overloaded."}}]);
    for (first, becomes) in [
        (error(429, quota), Becomes::Yes(1)),
        (error(400, key), Becomes::Denied),
        (error(400, long), Becomes::TooLong(1_048_576)),
        (whole(&blocked), Becomes::Filtered),
        (whole(&list), Becomes::Yes(0)),
        (whole(&in_list), Becomes::Yes(1)),
    ] {
        let yes = whole(&says(json!([{"text": "Yes."}]), Some("STOP")));
        assert_becomes("api: gemini", [first, yes], becomes).await;
    }
}

#[tokio::test]
async fn an_examination_tells_its_window() {
    let model =
        json!({"name": "models/test-model", "inputTokenLimit": 2000, "outputTokenLimit": 10});
    let ready = says(json!([{"text": "{\"ready\": true}"}]), Some("STOP"));
    let server = Server::start([whole(&model), whole(&ready)]).await;
    let found = server.models("api: gemini").probe("m").await.unwrap();
    assert!(found.answers == Some(true), "{found:?}");
    assert_eq!((found.window, found.cache_fields), (Some(2000), Some(true)));
}
