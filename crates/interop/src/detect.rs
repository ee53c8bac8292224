//! Detecting the format of a conversation by the members of its messages.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{
    Profile, agent_framework, autogen, gemini, langchain, openai, responses, sharegpt, sillytavern,
};

type Members = Map<String, Value>;

/// What tells each format, of which the first counts that any message shows.
const SIGNS: [(Profile, fn(&Members) -> bool); 13] = [
    (Profile::AutoGen, autogen::is_message),
    (Profile::SillyTavern, sillytavern::is_message),
    (Profile::ShareGpt, sharegpt::is_message),
    (Profile::AgentFramework, agent_framework::is_message),
    (Profile::Gemini, gemini::is_content),
    (Profile::Responses, responses::is_item),
    (Profile::LangChain, langchain::is_wrapped),
    (Profile::LangChainFlat, |map| {
        is_typed(map) && langchain::is_dumped(map)
    }),
    (Profile::Playhouse, is_typed),
    (Profile::AgentScope, in_capitals),
    (Profile::AgentScopePython2, |map| {
        map.contains_key("role") && is_python2(map)
    }),
    (Profile::AgentScopePython1, |map| {
        has(map, &["timestamp", "metadata"])
    }),
    (Profile::OpenAi, |map| {
        has(map, &["content"]) || has(map, &openai::MEMBERS)
    }),
];

/// The format of these messages.
///
/// # Errors
/// No member identifies the format. The error has the first members that were found.
pub(super) fn detect<'a>(
    messages: impl Iterator<Item = &'a Value> + Clone,
) -> Result<Profile, Vec<String>> {
    let objects = messages.filter_map(Value::as_object);
    let mut shown = SIGNS
        .iter()
        .filter(|(_, is_one)| objects.clone().any(is_one));
    match shown.next() {
        Some((Profile::AgentScope, _)) if objects.clone().any(is_java1) => {
            Ok(Profile::AgentScopeJava1)
        }
        Some((profile, _)) => Ok(*profile),
        None => {
            let found: BTreeSet<_> = objects.flat_map(Map::keys).take(100).collect();
            Err(found.into_iter().take(12).cloned().collect())
        }
    }
}

/// Whether a message with a role has one of these members.
fn has(map: &Members, members: &[&str]) -> bool {
    map.contains_key("role") && members.iter().any(|member| map.contains_key(*member))
}

fn is_typed(map: &Members) -> bool {
    map.contains_key("type") && !map.contains_key("role")
}

fn in_capitals(map: &Members) -> bool {
    let role = map.get("role").and_then(Value::as_str).unwrap_or_default();
    !role.is_empty() && role.chars().all(|char| char.is_ascii_uppercase())
}

/// Java 1 writes times with a space, and its results have an `id`.
fn is_java1(map: &Members) -> bool {
    let time = map.get("timestamp").and_then(Value::as_str);
    let has_id = |block: &Map<String, Value>| {
        block.get("type").is_some_and(|kind| kind == "tool_result") && block.contains_key("id")
    };
    time.is_some_and(|time| time.contains(' ')) || blocks(map).any(has_id)
}

/// Python 2 has kinds of blocks that no other format has.
fn is_python2(map: &Members) -> bool {
    let is_python2 = |block: &Map<String, Value>| {
        let kind = block.get("type").and_then(Value::as_str);
        matches!(kind, Some("tool_call" | "data" | "hint"))
    };
    map.contains_key("created_at") || blocks(map).any(is_python2)
}

fn blocks(map: &Map<String, Value>) -> impl Iterator<Item = &Map<String, Value>> {
    let content = map.get("content").and_then(Value::as_array);
    content.into_iter().flatten().filter_map(Value::as_object)
}

#[cfg(test)]
mod tests {
    use playhouse_engine::testing::each_row;
    use serde_json::json;

    use super::*;

    fn detected(messages: Value) -> Result<Profile, Vec<String>> {
        detect(messages.as_array().unwrap().iter())
    }

    #[test]
    fn every_format_is_detected_by_its_members() {
        each_row(
            r#"
                Playhouse => {"type": "human", "content": "hi", "kickoff": "Wren"}
                Playhouse => {"type": "ai", "content": "hi", "response_metadata": {}}
                LangChainFlat => {"type": "human", "content": "hi", "additional_kwargs": {}}
                LangChain => {"type": "human", "data": {"content": "hi"}}
                LangChain => {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"], "kwargs": {"content": "hi"}}
                AgentScope => {"role": "USER", "content": [{"type": "text", "text": "hi"}], "timestamp": "2024-01-15T10:30:00Z"}
                AgentScope => {"role": "USER", "content": [{"type": "text", "text": "hi"}]}
                AgentScopeJava1 => {"role": "USER", "content": [{"type": "text", "text": "hi"}], "timestamp": "2024-01-15 10:30:00.000"}
                AgentScopeJava1 => {"role": "TOOL", "content": [{"type": "tool_result", "id": "c1", "output": []}]}
                AgentScope => {"role": "TOOL", "content": [{"type": "tool_result", "toolUseId": "c1", "output": []}]}
                AgentScopePython1 => {"role": "user", "name": "u", "content": "hi", "metadata": {}}
                AgentScopePython2 => {"role": "user", "name": "u", "content": [{"type": "text", "text": "hi"}], "created_at": "x"}
                AgentScopePython2 => {"role": "assistant", "content": [{"type": "tool_call", "id": "1", "name": "f", "input": ""}]}
                OpenAi => {"role": "user", "name": "u", "content": "hi"}
                OpenAi => {"role": "assistant", "tool_calls": []}
                Gemini => {"role": "model", "parts": [{"text": "hi"}]}
                Gemini => {"role": "user", "text": "hi", "tokenCount": 1}
                Responses => {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
                Responses => {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
                AgentFramework => {"type": "chat_message", "role": {"type": "role", "value": "user"}, "contents": []}
                ShareGpt => {"from": "human", "value": "hi"}
                SillyTavern => {"name": "Wren", "is_user": false, "mes": "hi"}
        "#,
            |[profile, message]| {
                let message: Value = serde_json::from_str(message).unwrap();
                let found = detected(json!([null, message])).unwrap();
                assert_eq!(format!("{found:?}"), profile, "{message}");
            },
        );
    }
}
