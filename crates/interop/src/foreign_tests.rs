//! Chats of other programs, and what is read of each, written as chat messages.

use playhouse_engine::message::Role;
use playhouse_engine::testing::each_row;
use serde_json::{Value, json};

use super::{Profile, read, read_value, write, write_value};

/// What a document says, as chat messages, and how many warnings it gave.
fn read_as(profile: Profile, document: &Value) -> (Value, usize) {
    let imported = read_value(document, None).unwrap();
    assert_eq!(imported.profile, profile, "{document}");
    let written = write_value(&imported.conversations, Profile::OpenAi);
    (written, imported.warnings.len())
}

#[test]
fn several_chats_in_a_row_stay_several() {
    let chat =
        |owner: &str| json!({"user_name": "Jo", "character_name": owner, "chat_metadata": {}});
    let line = |words: &str| json!({"name": "Jo", "is_user": true, "mes": words});
    let lines = json!([
        chat("Mara"),
        line("Hello."),
        chat("Wren"),
        chat("Tom"),
        line("You?")
    ]);
    let read = read_value(&lines, None).unwrap();
    let counts = read.conversations.iter();
    let counts: Vec<_> = counts
        .map(|one| (one.name.as_deref(), one.messages.len()))
        .collect();
    assert_eq!(
        counts,
        [(Some("Mara"), 1), (Some("Wren"), 0), (Some("Tom"), 1)]
    );
    let broken = json!([chat("Mara"), line("Hello."), chat("Wren"), {"name": "Jo", "mes": 7}]);
    let told = read_value(&broken, Some(Profile::SillyTavern))
        .unwrap_err()
        .to_string();
    assert!(told.contains("[3]"), "{told}");
}

#[test]
fn a_system_prompt_beside_the_messages_is_the_first_message() {
    let messages = json!([{"role": "user", "content": "hi"}]);
    for system in [
        json!("Be brief."),
        json!([{"type": "text", "text": "Be brief."}]),
    ] {
        let request =
            json!({"model": "m", "max_tokens": 9, "system": system, "messages": messages});
        let wanted = json!([{"role": "system", "content": "Be brief."}, messages[0]]);
        assert_eq!(read_as(Profile::OpenAi, &request), (wanted.clone(), 0));
        let several = json!([request, request]);
        assert_eq!(
            read_as(Profile::OpenAi, &several).0,
            json!([wanted, wanted])
        );
    }
    for nothing in [json!(null), json!(""), json!([])] {
        let request = json!({"system": nothing, "messages": messages});
        assert_eq!(read_as(Profile::OpenAi, &request), (messages.clone(), 0));
    }
    let error = read_value(&json!({"system": 5, "messages": messages}), None).unwrap_err();
    assert!(error.to_string().contains("system.content"), "{error}");
}

#[test]
fn gemini_is_read() {
    let request = json!({
    "systemInstruction": {"parts": [{"text": "Be brief."}]},
    "contents": [
        {"role": "user", "parts": [{"text": "Look."}, {"inlineData": {"mimeType": "image/png", "data": "QUJD"}}]},
        {"role": "model", "parts": [{"text": "Hm.", "thought": true},
            {"functionCall": {"name": "dice", "args": {"sides": 6}}}, {"functionCall": {"name": "dice", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "dice", "response": {"rolled": 4}}},
            {"functionResponse": {"name": "dice", "response": {"rolled": 5}}}]},
        {"role": "model", "parts": [{"text": "Four."}, {"executableCode": {"code": "1"}}]},
    ]});
    let (written, warnings) = read_as(Profile::Gemini, &request);
    let wanted = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Look."},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}]},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "dice", "type": "function", "function": {"name": "dice", "arguments": "{\"sides\":6}"}},
            {"id": "dice-2", "type": "function", "function": {"name": "dice", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "dice", "name": "dice", "content": "{\"rolled\":4}"},
        {"role": "tool", "tool_call_id": "dice-2", "name": "dice", "content": "{\"rolled\":5}"},
        {"role": "assistant", "content": [{"type": "text", "text": "Four."}, {"executableCode": {"code": "1"}}]},
    ]);
    assert_eq!((written, warnings), (wanted, 1));
    let talk = read_value(&request, None).unwrap().conversations;
    for profile in [Profile::ShareGpt, Profile::SillyTavern] {
        let told = super::losses(&talk, profile).into_iter();
        let told: Vec<_> = told.map(|loss| loss.to_string()).collect();
        assert!(told.iter().any(|loss| loss.contains("unknown")), "{told:?}");
    }

    let studio = json!({"runSettings": {}, "systemInstruction": {"text": "Be brief."}, "chunkedPrompt": {"chunks": [
        {"text": "Hi.", "role": "user", "tokenCount": 2}, {"text": "Hm.", "role": "model", "isThought": true},
        {"text": "Ho.", "role": "model"}]}});
    let wanted = json!([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Ho."}]);
    assert_eq!(read_as(Profile::Gemini, &studio), (wanted, 0));
}

#[test]
fn answers_are_read_each_of_several_as_a_conversation() {
    let hi = json!([{"role": "assistant", "content": "Hi."}]);
    let gemini =
        json!({"content": {"parts": [{"text": "Hi."}], "role": "model"}, "finishReason": "STOP"});
    let both =
        json!({"candidates": [gemini, gemini, {"finishReason": "SAFETY"}], "modelVersion": "m"});
    let several = (json!([hi, hi]), 0);
    assert_eq!(read_as(Profile::Gemini, &both), several);
    let one = json!({"candidates": [gemini]});
    assert_eq!(read_as(Profile::Gemini, &one), (hi.clone(), 0));
    let nobodys = json!({"candidates": [{"content": {"parts": [{"text": "Hi."}]}}]});
    assert_eq!(read_as(Profile::Gemini, &nobodys), (hi.clone(), 0));
    assert_eq!(read_as(Profile::Gemini, &json!([one, one])), several);
    let completion =
        json!({"object": "chat.completion", "choices": [{"index": 0, "message": hi[0]}]});
    assert_eq!(read_as(Profile::OpenAi, &completion), (hi.clone(), 0));
    for kind in ["agent_response", "agent_run_response", "chat_response"] {
        let messages = json!([{"type": "chat_message", "role": {"type": "role", "value": "assistant"},
            "contents": [{"type": "text", "text": "Hi."}]}]);
        let answer =
            json!({"type": kind, "messages": messages, "response_id": "r", "usage_details": {}});
        assert_eq!(read_as(Profile::AgentFramework, &answer), (hi.clone(), 0));
    }
    let wrong = json!({"candidates": [gemini, {"content": {"role": "elf", "parts": []}}]});
    let told = read_value(&wrong, None).unwrap_err().to_string();
    assert!(told.contains("candidates[1].content"), "{told}");
}

#[test]
fn responses_are_read() {
    let request = json!({"model": "m", "instructions": "Be brief.", "input": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Roll."}]},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "reasoning", "id": "rs_2", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "dice", "arguments": "{}"},
        {"type": "function_call", "id": "fc_2", "call_id": "call_2", "name": "dice", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "4"},
        {"type": "function_call_output", "call_id": "call_2", "output": "5"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "message", "role": "assistant", "id": "msg_1", "content": [
            {"type": "output_text", "text": "Four.", "annotations": []}, {"type": "refusal", "refusal": "No more."}]}]});
    let (written, warnings) = read_as(Profile::Responses, &request);
    let wanted = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Roll."},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "dice", "arguments": "{}"}},
            {"id": "call_2", "type": "function", "function": {"name": "dice", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "4"},
        {"role": "tool", "tool_call_id": "call_2", "content": "5"},
        {"role": "assistant", "content": [{"type": "web_search_call", "id": "ws_1", "status": "completed"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Four."}, {"type": "text", "text": "No more."}]},
    ]);
    assert_eq!((written, warnings), (wanted, 1));

    let words = json!({"model": "m", "input": "Roll."});
    let wanted = json!([{"role": "user", "content": "Roll."}]);
    assert_eq!(read_as(Profile::Responses, &words), (wanted, 0));
    let mut response = json!({"object": "response", "instructions": null, "output": [
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Four."}]}]});
    let four = json!({"role": "assistant", "content": "Four."});
    assert_eq!(read_as(Profile::Responses, &response), (json!([four]), 0));
    response["input"] = "Roll.".into();
    let wanted = json!([{"role": "user", "content": "Roll."}, four]);
    assert_eq!(read_as(Profile::Responses, &response), (wanted, 0));
}

#[test]
fn threads_of_the_agent_framework_are_read() {
    let python = json!({"type": "agent_thread_state", "service_thread_id": null, "chat_message_store_state": {
        "type": "chat_message_store_state", "messages": [
            {"type": "chat_message", "role": {"type": "role", "value": "user"}, "contents": [{"type": "text", "text": "Roll."}]},
            {"type": "chat_message", "role": {"type": "role", "value": "assistant"}, "author_name": "Wren", "contents": [
                {"type": "text_reasoning", "text": "Hm."},
                {"type": "function_call", "call_id": "c1", "name": "dice", "arguments": "{\"sides\": 6}"}]},
            {"type": "chat_message", "role": {"type": "role", "value": "tool"}, "contents": [
                {"type": "function_result", "call_id": "c1", "result": "4"}]}]}});
    let dotnet = json!({"storeState": {"messages": [
        {"role": "user", "contents": [{"$type": "text", "text": "Roll."}]},
        {"role": "assistant", "authorName": "Wren", "contents": [
            {"$type": "reasoning", "text": "Hm."},
            {"$type": "functionCall", "callId": "c1", "name": "dice", "arguments": {"sides": 6}},
            {"$type": "usage", "details": {}}]},
        {"role": "tool", "contents": [{"$type": "functionResult", "callId": "c1", "result": "4"}]}]}});
    let session = json!({"type": "session", "session_id": "s", "state": {"in_memory": {"messages":
        python["chat_message_store_state"]["messages"]}}});
    let wanted = json!([
        {"role": "user", "content": "Roll."},
        {"role": "assistant", "name": "Wren", "content": null, "tool_calls": [{"id": "c1", "type": "function",
            "function": {"name": "dice", "arguments": "{\"sides\":6}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "4"},
    ]);
    let capitals = json!({"StoreState": {"Messages": [
        {"AuthorName": null, "Role": "user", "Contents": [{"$type": "text", "Text": "Roll."}]},
        {"AuthorName": "Wren", "Role": {"Value": "assistant"}, "MessageId": "m", "Contents": [
            {"$type": "functionCall", "CallId": "c1", "Name": "dice", "Arguments": {"sides": 6}}]},
        {"Role": "tool", "Contents": [{"CallId": "c1", "Result": "4"}]}]}});
    for document in [
        python,
        dotnet,
        session,
        capitals["StoreState"].clone(),
        capitals,
    ] {
        assert_eq!(
            read_as(Profile::AgentFramework, &document),
            (wanted.clone(), 0)
        );
    }
}

#[test]
fn rows_of_sharegpt_are_read_and_written() {
    let rows = json!([{"id": "1", "system": "Be brief.", "tools": "[]", "lang": "en", "conversations": [
        {"from": "human", "value": "Roll.", "id": "r", "lang": "en"},
        {"from": "function_call", "value": "{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}"},
        {"from": "observation", "value": "4"},
        {"from": "gpt", "value": "<think>Hm.</think>Four.", "weight": 0.5},
        {"from": "Odile", "value": "Again?"}]}]);
    let imported = read_value(&rows, None).unwrap();
    assert_eq!(imported.profile, Profile::ShareGpt);
    let messages = &imported.conversations[0].messages;
    let (call, result) = (messages[2].body.to_blocks(), messages[3].body.to_blocks());
    let (call, result) = (call[0].as_tool_call(), result[0].as_tool_result());
    assert_eq!((call.unwrap().id, result.unwrap().id), ("dice", "dice"));
    assert_eq!(messages[5].body.sender().map(|name| &**name), Some("Odile"));
    let line = write(&imported.conversations, Profile::ShareGpt);
    let wanted = json!({"id": "1", "system": "Be brief.", "tools": "[]", "lang": "en", "conversations": [
        {"from": "human", "value": "Roll.", "id": "r", "lang": "en"},
        {"from": "function_call", "value": "{\"arguments\":{\"sides\":6},\"name\":\"dice\"}"},
        {"from": "observation", "value": "4"},
        {"from": "gpt", "value": "Four.", "weight": 0.5},
        {"from": "human", "value": "Again?"}]});
    assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), wanted);
    let losses = super::losses(&imported.conversations, Profile::ShareGpt);
    assert_eq!(losses.len(), 2, "a thought and a name");
    let elsewhere = write_value(&imported.conversations, Profile::OpenAiLines);
    assert_eq!(elsewhere[0].as_object().map(serde_json::Map::len), Some(1));
    let losses = super::losses(&imported.conversations, Profile::OpenAiLines);
    let told = losses.last().map(ToString::to_string);
    assert!(
        told.is_some_and(|told| told.contains("tools")),
        "{losses:?}"
    );
}

#[test]
fn what_stands_beside_the_messages_survives_in_its_format() {
    let said = json!([{"role": "user", "content": "hi"}]);
    let ours = json!([{"type": "human", "content": "hi"}]);
    for (row, profile) in [
        (
            json!({"messages": said, "tools": [{"type": "function"}], "id": 7, "name": "x"}),
            Profile::OpenAiLines,
        ),
        (
            json!({"name": "Wren", "context": ours, "mood": "calm"}),
            Profile::Playhouse,
        ),
    ] {
        let read = read(&format!("{row}\n{row}"), None).unwrap().conversations;
        assert_eq!(write_value(&read, profile), json!([row, row]));
    }
}

#[test]
fn what_was_streamed_is_one_answer() {
    let chunks = r#"data: {"id": "a", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": null}]}
data: {"id": "b", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Ho."}, "finish_reason": "stop"}]}
data: {"id": "a", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Hi"}}]}
data: {"id": "a", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": ".", "tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": {"name": "dice", "arguments": ""}}]}}]}
data: {"id": "a", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": "{\"sides\":"}}]}}]}
data: {"id": "a", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "", "function": {"arguments": "6}"}}]}}]}
data: {"id": "a", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
data: {"id": "a", "object": "chat.completion.chunk", "choices": [], "usage": {}}

data: [DONE]"#;
    let events = r#"event: message_start
data: {"type": "message_start", "message": {"type": "message", "role": "assistant", "content": [], "stop_reason": null}}

event: ping
data: {"type": "ping"}
data: {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}}
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "."}}
data: {"type": "content_block_stop", "index": 0}
data: {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "c1", "name": "dice", "input": {}}}
data: {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"sides\":"}}
data: {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "6}"}}
data: {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}"#;
    let response = r#"data: {"type": "response.output_text.delta", "delta": "Hi."}
data: {"type": "response.completed", "response": {"output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi."}]}]}}"#;
    let gemini = r#"data: {"candidates": [{"content": {"role": "model", "parts": [{"text": "H", "thought": true}]}}], "responseId": "r"}
data: {"candidates": [{"content": {"role": "model", "parts": [{"text": "m.", "thought": true}, {"text": "Hi"}]}}], "responseId": "r"}
data: {"candidates": [{"content": {"role": "model", "parts": [{"text": "."}, {"functionCall": {"id": "c1", "name": "dice", "args": {"sides": 6}}}]}}], "responseId": "r"}
data: {"candidates": [{"content": {"role": "model", "parts": [{"text": "Ho."}]}, "finishReason": "STOP"}], "responseId": "s"}
data: {"candidates": [{"content": {"role": "model"}, "finishReason": "STOP"}], "responseId": "r"}
data: {"candidates": [{"content": {"parts": [{"text": "H"}]}}]}
data: {"candidates": [{"content": {"parts": [{"text": "a."}]}, "finishReason": "STOP"}, {"index": 1, "content": {"role": "model", "parts": [{"text": "He."}]}}]}
data: {"usageMetadata": {"promptTokenCount": 3}}"#;
    let said = |words: &str| json!({"role": "assistant", "content": words});
    let mut called = said("Hi.");
    called["tool_calls"] = json!([{"id": "c1", "type": "function", "function": {"name": "dice", "arguments": "{\"sides\":6}"}}]);
    for (text, profile, wanted) in [
        (
            chunks,
            Profile::OpenAiLines,
            json!([[called], [said("Ho.")]]),
        ),
        (events, Profile::OpenAiLines, json!([called])),
        (response, Profile::Responses, json!([said("Hi.")])),
        (
            gemini,
            Profile::Gemini,
            json!([[called], [said("Ho.")], [said("Ha.")], [said("He.")]]),
        ),
    ] {
        let data = text.lines().filter_map(|line| line.strip_prefix("data: {"));
        let data = data.map(|line| serde_json::from_str::<Value>(&format!("{{{line}")).unwrap());
        let list = read_value(&data.collect(), None).unwrap();
        let lines = read(text, None).unwrap();
        assert_eq!((lines.profile, lines.warnings.len()), (profile, 0));
        for read in [lines, list] {
            assert_eq!(write_value(&read.conversations, Profile::OpenAi), wanted);
        }
    }
}

#[test]
fn what_came_of_a_stream_that_was_cut_off_is_read() {
    each_row(
        r#"
            "Hi" => {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi"}}]}
            "Hi" => {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "H"}}]}, {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "i"}}]}
            "Hi" => {"type": "message_start", "message": {"role": "assistant", "content": []}}, {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Hi"}}, {"type": "error", "error": {"type": "overloaded_error"}}
            "Hi" => {"candidates": [{"content": {"role": "model", "parts": [{"text": "H"}]}}]}, {"candidates": [{"content": {"parts": [{"text": "i"}]}}]}
            "Hi" => {"candidates": [{"content": {"parts": [{"text": "Hi"}]}}]}, {"error": {"code": 503}}
            "Hi" => {"type": "response.output_text.delta", "delta": "H"}, {"type": "response.output_text.delta", "delta": "i"}
            "Hi" => {"type": "response.created", "response": {"status": "in_progress", "output": []}}, {"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "id": "rs", "summary": []}}, {"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": "Hm."}, {"type": "response.output_item.added", "output_index": 1, "item": {"type": "message", "role": "assistant", "content": []}}, {"type": "response.content_part.added", "output_index": 1, "content_index": 0, "part": {"type": "output_text", "text": ""}}, {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "Hi"}, {"type": "response.failed", "response": {"output": []}}
            "Hi" => {"type": "response.output_item.done", "output_index": 0, "item": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}}
            [{"type": "text", "text": "Hi"}, {"type": "text", "text": "No."}] => {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Hi"}, {"type": "response.refusal.delta", "output_index": 0, "content_index": 1, "delta": "No."}
            null => {"type": "response.output_item.added", "output_index": 0, "item": {"type": "function_call", "call_id": "c1", "name": "dice", "arguments": ""}}, {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{\"sides\":"}, {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "6"}
        "#,
        |[content, events]| {
            let events: Value = serde_json::from_str(&format!("[{events}]")).unwrap();
            let read = read_value(&events, None).unwrap();
            let written = write_value(&read.conversations, Profile::OpenAi);
            let content: Value = serde_json::from_str(content).unwrap();
            let answer = |one: &Value| one.get("content") == Some(&content);
            assert!(written.as_array().unwrap().iter().all(answer), "{written}");
            let cut = read.warnings.iter().filter(|warning| warning.path == "[0]");
            assert_eq!(cut.count(), 1, "{events}");
            if content.is_null() {
                let call = &written[0]["tool_calls"][0]["function"];
                assert_eq!(*call, json!({"name": "dice", "arguments": "{\"sides\":6}"}));
            }
        },
    );
}

#[test]
fn a_chat_of_sillytavern_survives_the_way_there_and_back() {
    let head = json!({"user_name": "Ann", "character_name": "Odile", "create_date": "x", "chat_metadata": {"note": 1}});
    let lines = [
        json!({"name": "Odile", "is_user": false, "is_system": false, "send_date": "June 1, 2025 9:00pm",
            "mes": "Good evening.", "swipes": ["Good evening.", "Well?"], "swipe_id": 0, "extra": {"api": "x", "reasoning": "A guest."}}),
        json!({"name": "Ann", "is_user": true, "is_system": false, "mes": "Is Jory in?", "extra": {}}),
        json!({"name": "System", "is_user": false, "is_system": false, "mes": "Rain begins.", "extra": {"type": "narrator"}}),
        json!({"name": "Jory", "is_user": false, "is_system": false, "mes": "Here.", "extra": {}}),
    ];
    let hidden = json!({"name": "Ann", "is_user": true, "is_system": true, "mes": "(to myself)"});
    let told = std::iter::once(&head).chain(&lines).chain([&hidden]);
    let text: String = told.map(|line| format!("{line}\n")).collect();
    let imported = read(&text, None).unwrap();
    assert_eq!(imported.profile, Profile::SillyTavern);
    let warnings: Vec<_> = imported
        .warnings
        .iter()
        .map(|warning| &*warning.path)
        .collect();
    assert_eq!(warnings, ["[5].is_system"]);
    let [chat] = &imported.conversations[..] else {
        panic!("one chat");
    };
    assert_eq!(chat.name.as_deref(), Some("Odile"));
    let roles: Vec<_> = chat.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::Ai, Role::Human, Role::System, Role::Human]);
    let Value::Array(written) = write_value(&imported.conversations, Profile::SillyTavern) else {
        panic!("lines");
    };
    assert_eq!(written[0]["character_name"], "Odile");
    assert_eq!(written[1..], lines);
}
