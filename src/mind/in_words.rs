//! Tools for models that take none: told in words at the end of the system message, called in
//! words.
//!
//! The stored conversation never changes: what is told stands in the rendered request alone. Calls
//! and results of earlier turns become words too. A call is a JSON object `{"tool": NAME,
//! "arguments": {…}}`, in a code block or bare; several objects are several calls.

use std::sync::Arc;

use serde_json::Value;

use super::{Answering, Completion, Finish, Mind, MindInfo, Prompt, Refused, Round, Tools};
use crate::context::{AgentContext, Entry};
use crate::message::{Block, Body, Content, Message, Role, Tags};
use crate::tool::{ToolCall, ToolSpec};

/// A text with more opening brackets than this is no call; looking further would be quadratic.
const MOST_STARTS: usize = 64;

/// A mind that is told of tools, and calls them, in words.
pub struct InWords<M> {
    mind: M,
    info: MindInfo,
}

impl<M: Mind> InWords<M> {
    /// The same mind, told of tools in words.
    pub fn new(mind: M) -> Self {
        let mut info = mind.info().clone();
        info.tools_in_words = true;
        Self { mind, info }
    }
}

impl<M: Mind> Mind for InWords<M> {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let Some(told) = prompt.tools.in_words else {
            return self.mind.answer(prompt);
        };
        let history = history_in_words(prompt.history, told);
        let rounds: Vec<_> = prompt.rounds.iter().map(round_in_words).collect();
        let answering = self.mind.answer(&Prompt {
            history: &history,
            rounds: &rounds,
            tools: Tools::NONE,
            // Its calls are words, which nobody should read for an answer.
            stream: prompt.stream.filter(|_| !prompt.tools.callable),
            ..*prompt
        });
        if !prompt.tools.callable {
            return answering;
        }
        let specs = prompt.tools.specs.to_vec();
        Box::pin(async move { Ok(with_calls(answering.await?, &specs)) })
    }
}

/// The conversation with the tools at the end of its system message, and earlier calls in words.
fn history_in_words(history: &AgentContext, told: &str) -> AgentContext {
    let mut worded = AgentContext::new(history.name().clone());
    worded.reserve(history.len() + 1);
    let mut entries = history.entries().iter().peekable();
    let system = entries.next_if(|entry| entry.role() == Role::System);
    let system = match system.map(Entry::body) {
        Some(body) => {
            let told = format!("{}\n\n{told}", own_text(body));
            match body.shared_prefix() {
                Some(shared_prefix) => Body::text(told).after(shared_prefix.clone()),
                None => Body::text(told),
            }
        }
        None => Body::text(told),
    };
    // The context is empty, so that a system message is never refused.
    let _ = worded.add_system_message(system);
    for entry in entries {
        let body = match needs_words(entry.body()) {
            true => Body::text(entry.body().shown()),
            false => entry.body().clone(),
        };
        let role = match entry.role() {
            Role::Tool => Role::Human,
            role => role,
        };
        let message = Message {
            role,
            body,
            tags: Tags::new(),
        };
        let _ = worded.add_message(message);
    }
    worded.stats();
    worded
}

/// The text of a body without its shared prefix.
fn own_text(body: &Body) -> String {
    match body.content() {
        Content::Text(text) => text.as_str().into(),
        Content::Blocks(_) => {
            let shared_prefix = body
                .shared_prefix()
                .map_or(0, |shared_prefix| shared_prefix.as_str().len());
            body.full_text()
                .get(shared_prefix..)
                .unwrap_or_default()
                .into()
        }
    }
}

fn needs_words(body: &Body) -> bool {
    let of_tools =
        |block: &Block| matches!(block, Block::ToolUse { .. } | Block::ToolResult { .. });
    matches!(body.content(), Content::Blocks(blocks) if blocks.iter().any(of_tools))
}

fn round_in_words(round: &Round) -> Round {
    match round {
        // An ai turn and a human turn are what a refused answer looks like, too.
        Round::Tools(round) => Round::Refused(Refused {
            answer: as_written(&round.called).into(),
            complaint: round.returned.shown().into_owned().into(),
        }),
        other => other.clone(),
    }
}

/// The mind's own message as it wrote it, or would have.
fn as_written(called: &Body) -> String {
    let Content::Blocks(blocks) = called.content() else {
        return called.full_text().into_owned();
    };
    let parts = blocks.iter().filter_map(|block| match block {
        Block::Text { text } => Some(text.to_string()),
        Block::ToolUse { name, input, .. } => {
            let call = serde_json::json!({"tool": name, "arguments": input});
            Some(format!("```json\n{call}\n```"))
        }
        _ => None,
    });
    parts.collect::<Vec<_>>().join("\n")
}

/// The answer with the calls that its text holds.
fn with_calls(mut completion: Completion, specs: &[Arc<ToolSpec>]) -> Completion {
    let (said, calls) = calls_in_words(&completion.text, specs);
    if !calls.is_empty() {
        completion.text = said;
        completion.calls = calls;
        completion.finish = Finish::ToolCalls;
    }
    completion
}

/// What a text says before its first call, and its calls of these tools.
pub fn calls_in_words(text: &str, specs: &[Arc<ToolSpec>]) -> (String, Vec<ToolCall>) {
    let (mut calls, mut first, mut read) = (Vec::new(), text.len(), 0);
    let starts = text.char_indices().filter(|(_, c)| matches!(c, '{' | '['));
    for (at, _) in starts.take(MOST_STARTS) {
        let Some(rest) = text.get(at..).filter(|_| at >= read) else {
            continue;
        };
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let Some(Ok(value)) = values.next() else {
            continue;
        };
        let found = calls_of(&value, specs);
        if !found.is_empty() {
            first = first.min(at);
            calls.extend(found);
        }
        read = at + values.byte_offset();
    }
    let said = text.get(..first).unwrap_or_default().trim_end();
    let said = said
        .strip_suffix("```json")
        .or(said.strip_suffix("```"))
        .unwrap_or(said);
    (said.trim().to_owned(), calls)
}

fn calls_of(value: &Value, specs: &[Arc<ToolSpec>]) -> Vec<ToolCall> {
    match value {
        Value::Array(all) => all
            .iter()
            .flat_map(|value| calls_of(value, specs))
            .collect(),
        Value::Object(members) => {
            let name = members.get("tool").and_then(Value::as_str);
            let known = |name: &&str| specs.iter().any(|spec| spec.name() == *name);
            let Some(name) = name.filter(known) else {
                return Vec::new();
            };
            let arguments = members.get("arguments").map(Value::to_string);
            vec![ToolCall::new("", name, arguments.unwrap_or_default())]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mind::{Form, Language, ScriptLine, ScriptMind, ToolRound, stream_channel};
    use proptest::prelude::*;
    use serde_json::json;

    fn specs() -> Vec<Arc<ToolSpec>> {
        let spec = |name| Arc::new(ToolSpec::new(name, "", &json!({})).unwrap());
        vec![spec("dice"), spec("look")]
    }

    #[test]
    fn calls_are_found_fenced_bare_and_many() {
        let call = |name: &str, arguments: &str| ToolCall::new("", name, arguments);
        for (text, said, calls) in [
            (
                r#"{"tool": "dice", "arguments": {"sides": 6}}"#,
                "",
                vec![call("dice", r#"{"sides":6}"#)],
            ),
            (
                "I look.\n```json\n{\"tool\": \"look\"}\n```",
                "I look.",
                vec![call("look", "")],
            ),
            (
                "```\n{\"tool\":\"look\"}\n```\n```\n{\"tool\":\"dice\"}\n```",
                "",
                vec![call("look", ""), call("dice", "")],
            ),
            (
                r#"[{"tool":"look"},{"tool":"dice"}]"#,
                "",
                vec![call("look", ""), call("dice", "")],
            ),
            (r#"{"tool": "teleport"}"#, r#"{"tool": "teleport"}"#, vec![]),
            (
                r#"{"mind": "so", "speak": {"tool": 3}}"#,
                r#"{"mind": "so", "speak": {"tool": 3}}"#,
                vec![],
            ),
            (r#"{"tool": "dice", "#, r#"{"tool": "dice","#, vec![]),
        ] {
            assert_eq!(
                calls_in_words(text, &specs()),
                (said.to_owned(), calls),
                "{text}"
            );
        }
    }

    #[tokio::test]
    async fn tools_are_told_in_the_request_and_nowhere_else() {
        let mut history = AgentContext::new("Mira");
        history.add_system_message("You are Mira.").unwrap();
        history.add_human_message("Throw!", Tags::new());
        let called = Body::blocks(vec![Block::tool_use("1", "dice", json!({"sides": 6}))]);
        let returned = Body::blocks(vec![Block::tool_result("1", "4")]);
        history.add_ai_message([called.clone()]).unwrap();
        history.add_tool_message(returned.clone());
        history.add_ai_message([Body::text("A four.")]).unwrap();
        let before = history.stats();
        let script = ScriptMind::by_rule(|_| ScriptLine::say("Again.\n{\"tool\": \"dice\"}"));
        let mind = InWords::new(script.listening());
        let (specs, notes) = (specs(), Value::Null);
        let prompt = Prompt {
            entity: &"Mira".into(),
            purpose: "test",
            number: 1,
            language: Language::En,
            history: &history,
            question: &Body::text("And now?"),
            ask_short: false,
            rounds: &[Round::Tools(ToolRound { called, returned })],
            tools: Tools {
                specs: &specs,
                callable: true,
                in_words: Some("You can call dice."),
            },
            form: Form::Prose { notes: &notes },
            max_tokens: 100,
            seed: 1,
            stream: None,
        };
        let answer = mind.answer(&prompt).await.unwrap();
        assert_eq!((answer.text.as_str(), answer.calls.len()), ("Again.", 1));
        let heard = &mind.mind.heard()[0].1;
        assert_eq!(
            heard,
            "System: You are Mira.\n\nYou can call dice.\nHuman: Throw!\nAi: [dice {\"sides\":6}]\n\
             Human: [tool → 4]\nAi: A four.\nHuman: And now?\n\
             Ai: ```json\n{\"arguments\":{\"sides\":6},\"tool\":\"dice\"}\n```\nHuman: [tool → 4]"
        );
        let (sender, mut receiver) = stream_channel();
        let stream = sender.of("Mira".into(), 1);
        let mut prompt = prompt;
        prompt.stream = Some(&stream);
        mind.answer(&prompt).await.unwrap();
        assert!(receiver.next_now().is_none(), "it may be a call");
        prompt.tools.callable = false;
        assert!(mind.answer(&prompt).await.unwrap().calls.is_empty());
        assert!(receiver.next_now().is_some());
        assert_eq!(history.stats(), before, "nothing of it is stored");
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "\\PC{0,60}|[{}\\[\\]\":,tol a]{0,60}") {
            let (said, calls) = calls_in_words(&text, &specs());
            prop_assert!(calls.is_empty());
            prop_assert!(said.len() <= text.len());
        }

        #[test]
        fn calls_are_of_tools_that_there_are(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "{", "}", "[", "]", ",", "\"tool\": ", "\"dice\"", "\"look\"", "\"lava\"", "\"arguments\": ",
                "{\"tool\": \"dice\"}", "null", "7", "```json\n", "```", "\\", "\"", "雨",
            ]), 0..24),
        ) {
            let text = pieces.concat();
            let (said, calls) = calls_in_words(&text, &specs());
            for call in &calls {
                prop_assert!(matches!(&*call.name, "dice" | "look"), "{call:?}");
            }
            let trimmed = text.trim();
            prop_assert!(!calls.is_empty() || said.len() <= trimmed.len());
        }
    }
}
