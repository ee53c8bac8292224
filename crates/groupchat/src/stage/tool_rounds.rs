//! Rounds of tool calls: as events, as an answer, and as a handoff.

use playhouse_engine::context::AgentContext;
use playhouse_engine::event::Phrasebook;
use playhouse_engine::exchange::{Ask, Reply, ToolRoundLimit};
use playhouse_engine::message::{Block, Body, Role};
use playhouse_tools::{NoArguments, Toolbox};
use serde_json::{Value, json};

use super::chat::Utterance;
use super::events::InnerMessage;
use crate::functions::ToolCallFormatter;
use crate::message::{
    ChatContent, ChatMessage, FunctionCall, FunctionResult, RequestUsage, fill, value_text,
};
use crate::names::transfer_tool;
use crate::perspective::usage_of;
use crate::prompts::{ChatPrompt, SummaryValues};
use crate::team::{Handoff, Participant, TeamFile};
use crate::tool_team::{ToolTeamRecord, tool_team_records};

/// A round of tool calls: what a model called, and what the tools returned.
pub(crate) struct FunctionCallRound {
    thought: Option<String>,
    calls: Vec<FunctionCall>,
    results: Vec<FunctionResult>,
    /// What was said in teams that were called.
    inner: Vec<InnerMessage>,
    usage: Option<RequestUsage>,
}

/// Registers the tools by which participants with tools hand over.
pub(crate) fn register_handoffs(team: &TeamFile, phrases: &Phrasebook, toolbox: &mut Toolbox) {
    let participants = team.participants.iter();
    let with_tools = participants.filter(|participant| !participant.tools.is_empty());
    for handoff in with_tools.flat_map(|participant| &participant.handoffs) {
        let target = handoff.target.clone();
        let participant = team.participant(&target);
        let data = ChatPrompt::TransferTool {
            target: &target,
            description: participant.map_or("", |target| target.description.as_str()),
        };
        // Can't fail: the templates were checked when they were loaded.
        let about = phrases.fill(&data).unwrap_or_default();
        let name = transfer_tool(&target);
        toolbox.add_pure(&name, &about, move |_, _: NoArguments| Ok(target.clone()));
    }
}

/// Lets a participant call its tools before it answers.
pub(super) fn with_tools<R: Reply>(ask: Ask<R>, participant: &Participant) -> Ask<R> {
    if participant.tools.is_empty() {
        return ask.without_tools();
    }
    let handoffs = participant.handoffs.iter();
    let transfers = handoffs.map(|handoff| transfer_tool(&handoff.target));
    ask.tool_rounds(participant.max_tool_iterations)
        .ended_by_tools(ToolRoundLimit {
            last_round: !participant.reflects_on_tool_use()
                || participant.fail_at_max_tool_iterations,
            tools: transfers.collect(),
        })
}

/// The rounds before the answer that was committed at this time of its place, oldest first. A
/// participant may have had the turn before, too.
pub(super) fn rounds_at(time: u64, context: &AgentContext) -> Vec<FunctionCallRound> {
    let mut entries = context
        .entries()
        .iter()
        .rev()
        .take_while(|entry| entry.body().time() == time)
        .peekable();
    entries.next_if(|entry| entry.role() == Role::Ai);
    let mut rounds = Vec::new();
    while let Some(returned) = entries.next_if(|entry| entry.role() == Role::Tool) {
        let Some(called) = entries.next_if(|entry| entry.role() == Role::Ai) else {
            break;
        };
        rounds.push(FunctionCallRound::of(called.body(), returned.body()));
    }
    rounds.reverse();
    rounds
}

/// A thought as AutoGen's model message.
pub(super) fn thought_message(thought: &str, source: &str) -> Value {
    json!({"type": "AssistantMessage", "content": thought, "thought": null, "source": source})
}

impl FunctionCallRound {
    pub(crate) fn of(called: &Body, returned: &Body) -> Self {
        let (mut thought, mut calls) = (Vec::new(), Vec::new());
        for block in called.listed_blocks() {
            match block {
                Block::Text { text } => thought.push(text.to_string()),
                Block::Thinking { thinking, .. } => thought.push(thinking.to_string()),
                Block::ToolUse {
                    id, name, input, ..
                } => calls.push(FunctionCall {
                    id: id.clone(),
                    name: name.clone(),
                    arguments: input.to_string(),
                }),
                _ => {}
            }
        }
        let results = returned.tool_results().map(|result| FunctionResult {
            content: value_text(result.output),
            name: result.name.unwrap_or_default().to_owned(),
            call_id: result.id.to_owned(),
            is_error: result.is_error,
        });
        let inner = tool_team_records(returned)
            .flatten()
            .filter_map(|record| match record {
                ToolTeamRecord::Message { team, message } => Some(InnerMessage { team, message }),
                ToolTeamRecord::Mind(_) => None,
            });
        Self {
            thought: Some(thought.join("\n")).filter(|_| !thought.is_empty()),
            calls,
            results: results.collect(),
            inner: inner.collect(),
            usage: usage_of(called),
        }
    }

    /// The events of the round: what was thought and called, what was said in teams that were
    /// called, and what the tools returned.
    pub(crate) fn events(&self, source: &str) -> Vec<Utterance> {
        let event = |content| ChatMessage::new(source, content);
        let thought = self
            .thought
            .clone()
            .filter(|thought| !thought.trim().is_empty())
            .map(|thought| event(ChatContent::Thought(thought)));
        let called = event(ChatContent::ToolCallRequest(self.calls.clone())).with_usage(self.usage);
        let returned = event(ChatContent::ToolCallExecution(self.results.clone()));
        let before = thought.into_iter().chain([called]).map(Utterance::Own);
        let inner = self.inner.iter().cloned().map(Utterance::Inner);
        before.chain(inner).chain([returned.into()]).collect()
    }

    pub(super) fn succeeded(&self, tool: &str) -> impl Iterator<Item = &FunctionCall> {
        let calls = self.calls.iter().filter(move |call| call.name == tool);
        calls.filter(|call| {
            let mut results = self.results.iter();
            results.any(|result| result.call_id == call.id && !result.is_error)
        })
    }

    pub(super) fn first_result(&self) -> Option<&str> {
        let result = self.results.first()?;
        Some(&result.content)
    }

    /// The first handoff among the calls.
    pub(super) fn handoff<'p>(&self, participant: &'p Participant) -> Option<&'p Handoff> {
        self.calls.iter().find_map(|call| {
            let mut handoffs = participant.handoffs.iter();
            handoffs.find(|handoff| transfer_tool(&handoff.target) == call.name)
        })
    }

    /// A handoff whose context is the thought of the round and the other calls with their results.
    pub(super) fn handoff_content(
        &self,
        participant: &Participant,
        handoff: &Handoff,
    ) -> ChatContent {
        let handoffs = participant.handoffs.iter();
        let transfers: Vec<_> = handoffs.map(|to| transfer_tool(&to.target)).collect();
        let calls: Vec<_> = self
            .calls
            .iter()
            .filter(|call| !transfers.contains(&call.name))
            .collect();
        let results: Vec<_> = self
            .results
            .iter()
            .filter(|result| calls.iter().any(|call| call.id == result.call_id))
            .collect();
        let source = &participant.name;
        if self.calls.len() > calls.len() + 1 {
            tracing::warn!("{source} handed over to several at once; the first speaks next");
        }
        let thought = self
            .thought
            .as_deref()
            .filter(|thought| !thought.trim().is_empty());
        // AutoGen's model messages.
        let context = match thought {
            _ if !calls.is_empty() => vec![
                json!({
                    "type": "AssistantMessage", "content": calls, "thought": self.thought,
                    "source": source,
                }),
                json!({"type": "FunctionExecutionResultMessage", "content": results}),
            ],
            Some(thought) => vec![thought_message(thought, source)],
            None => Vec::new(),
        };
        ChatContent::Handoff {
            content: String::new(),
            target: handoff.target.clone(),
            context: Value::Array(context),
        }
    }

    /// The results as an answer.
    pub(super) fn summary(
        &self,
        participant: &Participant,
        formatter: Option<&ToolCallFormatter>,
    ) -> ChatContent {
        let lines = self.calls.iter().map(|call| {
            let result = self.results.iter().find(|result| result.call_id == call.id);
            if let (Some(formatter), Some(result)) = (formatter, result) {
                return formatter(call, result);
            }
            let values = SummaryValues {
                tool_name: &call.name,
                arguments: &call.arguments,
                result: result.map_or("", |result| result.content.as_str()),
                is_error: result.is_some_and(|result| result.is_error),
            };
            fill(&participant.tool_call_summary_format, &values)
        });
        ChatContent::ToolCallSummary {
            content: lines.collect::<Vec<_>>().join("\n"),
            tool_calls: self.calls.clone(),
            results: self.results.clone(),
        }
    }
}
