//! Tool calling for models whose servers don't support it: tools are described at the end of the
//! system message, and called in the text of the answer.
//!
//! Only requests change, never the stored conversation. In them, earlier calls and results become
//! text too. A call is a JSON object `{"tool": NAME, "arguments": {…}}`, in a code block or bare;
//! several objects are several calls.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use super::answer::{Answering, Mind};
use super::completion::{Completion, MAX_CALLS};
use super::info::MindInfo;
use super::prompt::{ExchangeRound, Prompt, Tools};
use super::tool_round::ToolRound;
use crate::context::{AgentContext, Entry};
use crate::message::{Block, Body, Content, FinishReason, Message, Role, Tags};
use crate::tool::{ToolCall, ToolSpec};

/// How many opening brackets of a text are tried as the start of a call, so that the search is
/// linear.
const MAX_STARTS: usize = 64;

/// A mind that calls tools in the text of its answers.
pub struct PromptedTools<M> {
    mind: M,
    info: MindInfo,
}

impl<M: Mind> PromptedTools<M> {
    /// The same mind, with prompted tools.
    pub fn new(mind: M) -> Self {
        let mut info = mind.info().clone();
        info.prompted_tools = true;
        Self { mind, info }
    }
}

impl<M: Mind> Mind for PromptedTools<M> {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let answering = in_words(prompt, |prompt| self.mind.answer(prompt));
        if prompt.tools.instructions.is_none() || !prompt.tools.callable {
            return answering;
        }
        let specs = prompt.tools.specs.to_vec();
        Box::pin(async move { Ok(with_calls(answering.await?, &specs)) })
    }

    fn request(&self, prompt: &Prompt<'_>) -> Option<Bytes> {
        in_words(prompt, |prompt| self.mind.request(prompt))
    }
}

/// Uses the prompt with its tools in words.
fn in_words<T>(prompt: &Prompt<'_>, act: impl FnOnce(&Prompt<'_>) -> T) -> T {
    let Some(instructions) = prompt.tools.instructions else {
        return act(prompt);
    };
    let history = history_as_text(prompt.history, instructions);
    let rounds: Vec<_> = prompt.rounds.iter().map(round_as_text).collect();
    act(&Prompt {
        history: &history,
        rounds: &rounds,
        tools: Tools::NONE,
        // Its calls are text, which must not be shown as an answer.
        stream: prompt.stream.filter(|_| !prompt.tools.callable),
        ..*prompt
    })
}

/// The conversation with the instructions at the end of its system message, and earlier calls as
/// text.
fn history_as_text(history: &AgentContext, instructions: &str) -> AgentContext {
    let mut changed = AgentContext::new(history.name().clone());
    changed.reserve(history.len() + 1);
    let mut entries = history.entries().iter().peekable();
    let system = entries.next_if(|entry| entry.role() == Role::System);
    let system = match system.map(Entry::body) {
        Some(body) => {
            let text = Body::text(format!("{}\n\n{instructions}", own_text(body)));
            match body.shared_prefix() {
                Some(shared_prefix) => text.after(shared_prefix.clone()),
                None => text,
            }
        }
        None => Body::text(instructions),
    };
    // The context is empty, so that a system message is never refused.
    let _ = changed.add_system_message(system);
    for entry in entries {
        let body = if has_tool_blocks(entry.body()) {
            as_text(entry.body())
        } else {
            entry.body().clone()
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
        let _ = changed.add_message(message);
    }
    changed.stats();
    changed
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

fn has_tool_blocks(body: &Body) -> bool {
    let is_tool_block =
        |block: &Block| matches!(block, Block::ToolUse { .. } | Block::ToolResult { .. });
    matches!(body.content(), Content::Blocks(blocks) if blocks.iter().any(is_tool_block))
}

/// A message with its calls and results as text, and what else is in it or its results.
fn as_text(body: &Body) -> Body {
    let mut blocks = vec![Block::text(body.shown())];
    for block in body.listed_blocks() {
        match block.as_tool_result() {
            Some(result) => blocks.extend(result.blocks().into_iter().filter(is_beside_text)),
            None if is_beside_text(block) => blocks.push(block.clone()),
            None => {}
        }
    }
    Body::blocks(blocks)
}

fn is_beside_text(block: &Block) -> bool {
    let is_text = matches!(block, Block::Text { .. } | Block::ToolUse { .. });
    !is_text && !block.is_tool_result()
}

fn round_as_text(round: &ExchangeRound) -> ExchangeRound {
    match round {
        ExchangeRound::Tools(round) => ExchangeRound::Tools(ToolRound {
            called: Body::text(call_as_text(&round.called)),
            returned: as_text(&round.returned),
        }),
        other => other.clone(),
    }
}

/// A message with calls as the mind should have written it.
fn call_as_text(called: &Body) -> String {
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

/// The answer with the calls in its text.
fn with_calls(mut completion: Completion, specs: &[Arc<ToolSpec>]) -> Completion {
    let (before, calls) = parse_tool_calls(&completion.text, specs);
    if !calls.is_empty() {
        completion.text = before;
        completion.calls = calls;
        // Cut off, it may lack further calls.
        if completion.finish != FinishReason::Length {
            completion.finish = FinishReason::ToolCalls;
        }
    }
    completion
}

/// The text before the first call of one of these tools, and all such calls.
pub fn parse_tool_calls(text: &str, specs: &[Arc<ToolSpec>]) -> (String, Vec<ToolCall>) {
    let (mut calls, mut first, mut parsed) = (Vec::new(), text.len(), 0);
    let starts = text.char_indices().filter(|(_, c)| matches!(c, '{' | '['));
    for (start, _) in starts.take(MAX_STARTS) {
        let Some(rest) = text.get(start..).filter(|_| start >= parsed) else {
            continue;
        };
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let Some(Ok(value)) = values.next() else {
            continue;
        };
        let found = calls_of(&value, specs);
        if !found.is_empty() {
            first = first.min(start);
            let room = MAX_CALLS - calls.len();
            calls.extend(found.into_iter().take(room));
        }
        parsed = start + values.byte_offset();
    }
    let before = text.get(..first).unwrap_or_default().trim_end();
    let unfenced = before.strip_suffix("```json");
    let unfenced = unfenced.or(before.strip_suffix("```"));
    (unfenced.unwrap_or(before).trim().to_owned(), calls)
}

fn calls_of(value: &Value, specs: &[Arc<ToolSpec>]) -> Vec<ToolCall> {
    match value {
        Value::Array(values) => {
            let values = values.iter();
            values.flat_map(|value| calls_of(value, specs)).collect()
        }
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
    use crate::mind::{ScriptLine, ScriptMind, stream_channel};
    use proptest::prelude::*;
    use serde_json::json;

    fn specs() -> Vec<Arc<ToolSpec>> {
        let spec = |name| Arc::new(ToolSpec::new(name, "", &json!({})).unwrap());
        vec![spec("dice"), spec("look")]
    }

    #[test]
    fn calls_are_parsed_fenced_bare_and_several() {
        let call = |name: &str, arguments: &str| ToolCall::new("", name, arguments);
        for (text, before, calls) in [
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
                parse_tool_calls(text, &specs()),
                (before.to_owned(), calls),
                "{text}"
            );
        }
    }

    #[tokio::test]
    async fn tools_are_described_in_the_request_and_nowhere_else() {
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
        let mind = PromptedTools::new(script.listening());
        let specs = specs();
        let question = Body::text("And now?");
        let prompt = Prompt {
            rounds: &[ExchangeRound::Tools(ToolRound { called, returned })],
            tools: Tools {
                specs: &specs,
                callable: true,
                instructions: Some("You can call dice."),
            },
            ..Prompt::new("test", &history, &question)
        };
        let answer = mind.answer(&prompt).await.unwrap();
        assert_eq!((answer.text.as_str(), answer.calls.len()), ("Again.", 1));
        let heard = &mind.mind.heard()[0].1;
        assert_eq!(
            heard,
            "System: You are Mira.\n\nYou can call dice.\nHuman: Throw!\nAi: [dice {\"sides\":6}]\n\
             Human: [tool → 4]\nAi: A four.\nHuman: And now?\n\
             Ai: ```json\n{\"arguments\":{\"sides\":6},\"tool\":\"dice\"}\n```\nTool: [tool → 4]"
        );
        let (sender, mut receiver) = stream_channel();
        let stream = sender.answer("Mira".into(), 1);
        let mut prompt = prompt;
        prompt.stream = Some(&stream);
        mind.answer(&prompt).await.unwrap();
        assert!(receiver.try_next().is_none(), "it may be a call");
        prompt.tools.callable = false;
        assert!(mind.answer(&prompt).await.unwrap().calls.is_empty());
        assert!(receiver.try_next().is_some());
        assert_eq!(history.stats(), before, "nothing of it is stored");
    }

    proptest! {
        #[test]
        fn any_text_can_be_parsed(text in "\\PC{0,60}|[{}\\[\\]\":,tol a]{0,60}") {
            let (before, calls) = parse_tool_calls(&text, &specs());
            prop_assert!(calls.is_empty());
            prop_assert!(before.len() <= text.len());
        }

        #[test]
        fn only_known_tools_are_called(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "{", "}", "[", "]", ",", "\"tool\": ", "\"dice\"", "\"look\"", "\"lava\"", "\"arguments\": ",
                "{\"tool\": \"dice\"}", "null", "7", "```json\n", "```", "\\", "\"", "雨",
            ]), 0..24),
        ) {
            let text = pieces.concat();
            let (before, calls) = parse_tool_calls(&text, &specs());
            for call in &calls {
                prop_assert!(matches!(&*call.name, "dice" | "look"), "{call:?}");
            }
            let trimmed = text.trim();
            prop_assert!(!calls.is_empty() || before.len() <= trimmed.len());
        }
    }
}
