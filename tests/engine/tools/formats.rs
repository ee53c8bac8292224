//! How models of every interface are told of tools: in its own form, or in words for one that takes
//! none.

use std::sync::Arc;

use playhouse::engine::Engine;
use playhouse::mind::{MindAlias, Minds, ScriptLine, ScriptMind};
use playhouse::testing::journal;
use serde_json::{Value, json};

use super::parlour::Parlour;
use super::rounds::context;
use super::server::{Server, whole};

/// Each interface, the member that holds its tools and the one that holds the conversation.
const APIS: [(&str, &str, &str); 6] = [
    ("openai", "/tools", "/messages"),
    ("deepseek", "/tools", "/messages"),
    ("anthropic", "/tools", "/messages"),
    ("gemini", "/tools", "/contents"),
    ("dashscope", "/parameters/tools", "/input/messages"),
    ("ollama", "/tools", "/messages"),
];
const STYLES: [&str; 4] = ["as_stored", "perspective", "history", "brackets"];
/// A part of each: of a description, and of a schema.
const TOLD: [&str; 2] = ["Knows much.", "About what."];

/// An answer that every interface understands.
fn yes(words: &str) -> Value {
    json!({
        "type": "message", "content": [{"type": "text", "text": words}],
        "choices": [{"message": {"content": words}, "finish_reason": "stop"}],
        "candidates": [{"content": {"parts": [{"text": words}]}, "finishReason": "STOP"}],
        "output": {"choices": [{"message": {"content": words}, "finish_reason": "stop"}]},
        "message": {"content": words}, "done": true,
    })
}

/// What a model with these settings is sent in the first turn of Ann, one request after the other,
/// and her rules as they are stored.
async fn sent(settings: &str, answers: &[&str]) -> (Vec<Value>, String) {
    let server = Server::start([]).await;
    let others = ScriptMind::by_rule(|_| ScriptLine::say("I say nothing."));
    let answers = answers.iter().map(|words| whole(&yes(words)));
    server.state.scripts.lock().unwrap().extend(answers);
    let mut setup = Parlour::default().opening(7);
    let ann = super::rounds::entity(&setup.world, "Ann");
    setup.world.entity_mut(ann).insert(MindAlias("ann".into()));
    let minds = Minds::all(Arc::new(others)).with_alias("ann", server.mind(settings));
    let mut engine = Engine::new(setup, minds, journal()).unwrap();
    engine.run(Some(1)).await.unwrap();
    let requests = (0..server.requests())
        .map(|number| server.body(number))
        .collect();
    let rules = context(&engine, "Ann").entries()[0].body().full_text();
    (requests, rules.into_owned())
}

/// The words before the conversation, wherever an interface has them.
fn rules(request: &Value, conversation: &str) -> String {
    let places = ["/system", "/system_instruction"];
    let beside = places.iter().find_map(|place| request.pointer(place));
    let first = || request.pointer(conversation).map(|messages| &messages[0]);
    beside.or_else(first).map(Value::to_string).unwrap()
}

#[tokio::test]
async fn tools_that_can_be_called_natively_are_told_in_no_words() {
    for (api, tools, _) in APIS {
        for style in STYLES {
            let about = format!("{api} {style}");
            let settings = format!("api: {api}, style: {style}");
            let (requests, stored) = sent(&settings, &["It rains."]).await;
            let mut request = requests[0].clone();
            let told = request.pointer_mut(tools).map(Value::take);
            let told = told.unwrap_or_default().to_string();
            let rest = request.to_string();
            for words in TOLD {
                assert!(told.contains(words), "{about}: {told}");
                assert!(!rest.contains(words), "{about}: {rest}");
            }
            assert!(!stored.contains("oracle"), "{about}: {stored}");
        }
    }
}

#[tokio::test]
async fn a_model_without_tool_calls_is_told_of_them_with_its_rules() {
    let call = "I ask.\n```json\n{\"tool\": \"oracle\", \"arguments\": {\"about\": \"rain\"}}\n```";
    for (api, tools, conversation) in APIS {
        for style in STYLES {
            let about = format!("{api} {style}");
            let settings = format!("api: {api}, style: {style}, prompted_tools: true");
            let (requests, stored) = sent(&settings, &[call, "It rains."]).await;
            assert_eq!(requests.len(), 2, "{about}: the call is parsed");
            for request in &requests {
                assert_eq!(request.pointer(tools), None, "{about}");
                let rules = rules(request, conversation);
                assert!(rules.contains("You are Ann."), "{about}: {rules}");
                for words in TOLD {
                    assert!(rules.contains(words), "{about}: {rules}");
                    let text = request.to_string();
                    assert_eq!(text.matches(words).count(), 1, "{about}: {text}");
                }
            }
            let last = requests[1].pointer(conversation).unwrap().to_string();
            assert!(last.contains("so it is with rain"), "{about}: {last}");
            assert!(!stored.contains("oracle"), "{about}: {stored}");
        }
    }
}
