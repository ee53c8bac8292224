use serde_json::json;

use super::*;

fn one_of_each() -> Vec<ChatMessage> {
    let call = FunctionCall {
        id: "1".into(),
        name: "look".into(),
        arguments: "{\"at\":\"door\"}".into(),
    };
    let result = FunctionResult {
        content: "saw door".into(),
        name: "look".into(),
        call_id: "1".into(),
        is_error: false,
    };
    let contents = vec![
        ChatContent::Text("hi".into()),
        ChatContent::MultiModal(vec![
            MultiModalPart::Text("see".into()),
            MultiModalPart::Image(json!({"data": "QUJD"})),
        ]),
        ChatContent::Stop("enough".into()),
        ChatContent::Handoff {
            content: "your turn".into(),
            target: "规划".into(),
            context: json!({"why": 1}),
        },
        ChatContent::ToolCallSummary {
            content: "saw door".into(),
            tool_calls: vec![call.clone()],
            results: vec![result.clone()],
        },
        ChatContent::ToolCallRequest(vec![call]),
        ChatContent::ToolCallExecution(vec![result]),
        ChatContent::MemoryQuery(vec![MemoryItem {
            content: "likes tea".into(),
            mime_type: "text/plain".into(),
            metadata: None,
        }]),
        ChatContent::UserInputRequested {
            request_id: "r".into(),
        },
        ChatContent::StreamingChunk {
            content: "he".into(),
            full_message_id: Some("m".into()),
        },
        ChatContent::Thought("hm".into()),
        ChatContent::SelectSpeaker(vec!["A".into()]),
        ChatContent::Selector("A".into()),
        ChatContent::CodeGeneration {
            content: "```sh\nls\n```".into(),
            retry_attempt: 0,
            code_blocks: vec![CodeBlock {
                code: "ls".into(),
                language: "sh".into(),
            }],
        },
        ChatContent::CodeExecution {
            retry_attempt: 0,
            result: CodeResult {
                exit_code: 2,
                output: "Boom".into(),
            },
        },
    ];
    let message = |content| ChatMessage {
        id: "m-1".into(),
        ..ChatMessage::new("Ava", content)
    };
    contents.into_iter().map(message).collect()
}

#[test]
fn every_built_in_message_is_equal_after_a_round_trip() {
    let factory = MessageFactory::new();
    for message in one_of_each() {
        let loaded = factory.create(message.dump());
        assert_eq!(loaded.as_ref(), Ok(&message), "{}", message.type_name());
        let text = serde_json::to_string(&message).unwrap();
        assert_eq!(serde_json::from_str::<ChatMessage>(&text).unwrap(), message);
    }
}

#[test]
fn only_events_are_events() {
    let events = one_of_each().into_iter().filter(ChatMessage::is_event);
    assert_eq!(events.count(), 10);
}

#[test]
fn a_factory_says_what_is_wrong() {
    let mut factory = MessageFactory::new();
    assert!(matches!(
        factory.create(json!({})),
        Err(FactoryError::NoType { .. })
    ));
    let unknown = factory.create(json!({"type": "Nope"})).unwrap_err();
    assert!(unknown.to_string().contains("'Nope'"), "{unknown}");
    let missing = factory.create(json!({"type": "TextMessage", "content": "x"}));
    assert!(missing.unwrap_err().to_string().contains("`source`"));
    let wrong = factory.create(json!({"type": "TextMessage", "source": "a", "content": 3}));
    assert!(wrong.unwrap_err().to_string().contains("content"));
    let read = factory
        .create(json!({"type": "TextMessage", "source": "a", "content": "b", "extra": 1}))
        .unwrap();
    assert!(!read.id.is_empty());
    assert_eq!(read.created_at, EPOCH);
    let json = read.dump();
    assert_eq!(json["metadata"], json!({}));
    assert_eq!(json["models_usage"], Value::Null);
    assert!(json.get("extra").is_none());
    assert_eq!(
        factory.register::<String>("TextMessage"),
        Err(FactoryError::AlreadyRegistered("TextMessage".into()))
    );
}

#[test]
fn the_documented_names_are_aliases() {
    let factory = MessageFactory::new();
    let call = json!({"id": "1", "name": "look", "arguments": "{}"});
    let read = factory
        .create(json!({"type": "ToolCallMessage", "source": "a", "tool_calls": [call]}))
        .unwrap();
    assert_eq!(read.type_name(), "ToolCallRequestEvent");
    let result = json!({"call_id": "1", "content": "ok", "is_error": false});
    let read = factory
        .create(
            json!({"type": "ToolCallResultMessage", "source": "a", "tool_call_results": [result]}),
        )
        .unwrap();
    assert_eq!(read.type_name(), "ToolCallExecutionEvent");
    let read = factory
        .create(json!({"type": "HandoffMessage", "source": "a", "target": "b"}))
        .unwrap();
    assert_eq!(read.dump()["context"], json!([]));
    assert!(factory.is_registered("ToolCallMessage") && !factory.is_registered("Nope"));
}

#[test]
fn a_handoff_without_text_says_to_whom_and_tells_models_what_the_target_should_know() {
    let read = |context: Value| {
        let handoff =
            json!({"type": "HandoffMessage", "source": "a", "target": "规划", "context": context});
        let read = ChatMessage::load(handoff.clone()).unwrap();
        assert_eq!(read.dump()["context"], handoff["context"]);
        (read.to_text(), read.to_model_text())
    };
    for (context, told) in [
        (Value::Null, "→ 规划"),
        (json!([]), "→ 规划"),
        (json!("the hall is free"), "→ 规划 (the hall is free)"),
        (json!({"day": 6}), "→ 规划 ({\"day\":6})"),
    ] {
        assert_eq!(read(context), ("→ 规划".to_owned(), told.to_owned()));
    }
}

#[test]
fn a_model_is_told_a_message_as_a_human_one_of_its_source() {
    let all = one_of_each();
    let told = all[1].to_model_message();
    assert_eq!(told.role, playhouse_engine::message::Role::Human);
    assert_eq!(told.body.sender().map(|name| &**name), Some("Ava"));
    let blocks = told.body.to_blocks();
    assert_eq!(blocks[0].as_text(), Some("see [image]"));
    assert!(blocks[1].as_media().is_some());
    assert_eq!(&*all[0].to_model_message().body.full_text(), "hi");
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Quest {
    title: String,
    reward: u32,
}

#[test]
fn custom_and_structured_types_are_known_once_registered() {
    let mut factory = MessageFactory::new();
    let quest = Quest {
        title: "Rats".into(),
        reward: 5,
    };
    let mut structured = Structured::new(&quest).unwrap();
    assert_eq!(structured.content_type, "Quest");
    let message = ChatMessage::new("Ava", ChatContent::Structured(structured.clone()));
    let indented = "{\n  \"reward\": 5,\n  \"title\": \"Rats\"\n}";
    assert_eq!(message.to_text(), indented);
    structured.format_string = Some("{title}:{reward}".into());
    let message = ChatMessage::new("Ava", ChatContent::Structured(structured));
    assert_eq!(message.to_text(), "Rats:5");
    assert_eq!(message.to_model_text(), r#"{"reward":5,"title":"Rats"}"#);
    let json = message.dump();
    assert!(matches!(
        factory.create(json.clone()),
        Err(FactoryError::UnknownType { name, .. }) if name == "StructuredMessage[Quest]"
    ));
    factory.register_structured::<Quest>().unwrap();
    assert!(factory.is_registered("StructuredMessage[Quest]"));
    assert_eq!(factory.create(json).unwrap().content, message.content);

    factory.register::<Quest>("QuestMessage").unwrap();
    let custom = json!({"type": "QuestMessage", "source": "a", "title": "Rats", "reward": 5});
    let read = factory.create(custom).unwrap();
    assert_eq!(read.type_name(), "QuestMessage");
    assert!(!read.is_event());
    let bad = json!({"type": "QuestMessage", "source": "a", "title": "Rats", "reward": "x"});
    assert!(
        factory
            .create(bad)
            .unwrap_err()
            .to_string()
            .contains("reward")
    );
}

#[test]
fn people_and_models_read_images_differently() {
    let message = &one_of_each()[1];
    assert_eq!(message.to_text(), "see\n<image>");
    assert_eq!(message.to_model_text(), "see [image]");
}

#[test]
fn usage_adds_up() {
    let mut usage = RequestUsage {
        prompt_tokens: 3,
        completion_tokens: 1,
    };
    usage += usage;
    assert_eq!(usage.total_tokens(), 8);
}
