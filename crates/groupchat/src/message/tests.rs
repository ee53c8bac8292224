use serde_json::json;

use super::*;

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
    let parts = vec![
        MultiModalPart::Text("see".into()),
        MultiModalPart::Image(json!({"data": "QUJD"})),
    ];
    let told = ChatMessage::new("Ava", ChatContent::MultiModal(parts)).to_model_message();
    assert_eq!(told.role, playhouse_engine::message::Role::Human);
    assert_eq!(told.body.sender().map(|name| &**name), Some("Ava"));
    let blocks = told.body.to_blocks();
    assert_eq!(blocks[0].as_text(), Some("see [image]"));
    assert!(blocks[1].as_media().is_some());
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
