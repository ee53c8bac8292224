//! Tool calling for models whose servers don't support it: tools are described at the end of the
//! system message, and called in the text of the answer.
//!
//! Only requests change, never the stored conversation. In them, earlier calls and results become
//! text too. A call is a JSON object `{"tool": NAME, "arguments": {…}}`, in a code block or bare;
//! several objects are several calls. Calls in other forms are read as well ([`with_calls`]), also
//! those that a server left in the text although it supports calls.

use std::sync::Arc;

use super::answer::{Answering, Mind};
use super::completion::Completion;
use super::info::MindInfo;
use super::prompt::{ExchangeRound, Prompt, Tools};
use super::tool_round::ToolRound;
use crate::context::{AgentContext, Entry};
use crate::message::{Block, Body, Content, FinishReason, Message, Role, Tags};
use crate::reading::{CallableTool, TextCalls};
use crate::tool::{ToolCall, ToolSpec};
use bytes::Bytes;

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

/// The answer with the calls of these tools that are in its text, or, if it says nothing, in what
/// was thought; and with the names of tools as they were offered.
pub fn with_calls(mut completion: Completion, specs: &[Arc<ToolSpec>]) -> Completion {
    let tools: Vec<_> = specs
        .iter()
        .map(|spec| CallableTool {
            name: spec.name(),
            schema: spec.schema(),
        })
        .collect();
    for call in &mut completion.calls {
        if let Some(name) = CallableTool::named(&tools, &call.name) {
            call.name = name.into();
        }
    }
    if !completion.calls.is_empty() {
        return completion;
    }
    let thought = completion.thinking.as_deref().unwrap_or_default();
    let text = match completion.text.trim() {
        "" if TextCalls::are_marked(thought) => thought,
        _ => &completion.text,
    };
    let Some(found) = TextCalls::find(text, &tools) else {
        return completion;
    };
    let calls = found.calls.into_iter();
    completion.calls = calls
        .map(|call| ToolCall::new("", &*call.name, call.arguments))
        .collect();
    completion.text = match completion.text.trim() {
        "" => String::new(),
        _ => found.before,
    };
    // Cut off, it may lack further calls.
    if completion.finish != FinishReason::Length {
        completion.finish = FinishReason::ToolCalls;
    }
    completion
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mind::{ScriptLine, ScriptMind, stream_channel};
    use serde_json::json;

    fn specs() -> Vec<Arc<ToolSpec>> {
        let spec = |name| Arc::new(ToolSpec::new(name, "", &json!({})).unwrap());
        vec![spec("dice"), spec("look")]
    }

    #[test]
    fn calls_in_an_answer_are_calls() {
        for (text, thinking, before, names) in [
            (
                "I look.\n```json\n{\"tool\": \"look\"}\n```",
                None,
                "I look.",
                vec!["look"],
            ),
            ("[TOOL_CALLS]dice{\"sides\": 6}", None, "", vec!["dice"]),
            (
                "",
                Some("<tool_call>{\"name\": \"look\", \"arguments\": {}}</tool_call>"),
                "",
                vec!["look"],
            ),
            ("", Some("I may look."), "", vec![]),
            (
                "{\"tool\": \"teleport\"}",
                None,
                "{\"tool\": \"teleport\"}",
                vec![],
            ),
        ] {
            let mut completion = Completion::instant("m", text);
            completion.thinking = thinking.map(str::to_owned);
            let completion = with_calls(completion, &specs());
            let called: Vec<_> = completion.calls.iter().map(|call| &*call.name).collect();
            assert_eq!(
                (completion.text.as_str(), called),
                (before, names),
                "{text}"
            );
        }
        let call = ToolCall::new("1", "functions.dice", "{}");
        let completion = with_calls(Completion::calling("m", [call]), &specs());
        assert_eq!(completion.calls[0].name, "dice");
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
}
