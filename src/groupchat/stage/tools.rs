//! Tools of participants: calls and results become events, and what tools returned may be the answer.

use serde_json::{Value, json};

use super::chat::Uttered;
use super::events::InnerMessage;
use crate::context::AgentContext;
use crate::event::Phrasebook;
use crate::exchange::{Ask, Reply, ToolRoundLimit};
use crate::groupchat::Summary;
use crate::groupchat::inside::{ToolTeamRecord, told_by_tools};
use crate::groupchat::message::{ChatMessage, Content, FunctionCall, FunctionResult, RequestUsage};
use crate::groupchat::names::{TRANSFER, to_wire};
use crate::groupchat::team::{Handoff, Participant, TeamFile};
use crate::message::{Block, Body, Content as Said, Role};
use crate::mind::ToolRound;
use crate::tool::{NoArguments, Toolbox};

/// One round: what a mind called, and what came back.
pub(super) struct Round {
    thought: Option<String>,
    calls: Vec<FunctionCall>,
    results: Vec<FunctionResult>,
    /// What was said in teams that were called.
    inside: Vec<InnerMessage>,
    usage: Option<RequestUsage>,
}

/// The name of the tool that gives the word to somebody: ASCII, whatever the name.
pub(in super::super) fn transfer_tool(target: &str) -> String {
    format!("{TRANSFER}{}", to_wire(&target.to_lowercase()))
}

/// Makes the tools known by which participants with tools give the word on.
pub(in super::super) fn register_handoffs(
    team: &TeamFile,
    phrases: &Phrasebook,
    toolbox: &mut Toolbox,
) {
    let with_tools = team.participants.iter().filter(|one| !one.tools.is_empty());
    for handoff in with_tools.flat_map(|one| &one.handoffs) {
        let target = handoff.target.clone();
        let name = transfer_tool(&target);
        let known = team.participant(&target);
        let description = known.map_or("", |known| known.description.as_str());
        let facts = json!({"target": target, "description": description});
        // The phrases of a game were checked when it was read.
        let about = phrases.say("chat/hand_on", &facts).unwrap_or_default();
        toolbox.add_pure(&name, &about, move |_, _: NoArguments| Ok(target.clone()));
    }
}

/// The ask of somebody who may call tools.
pub(super) fn with_tools<R: Reply>(ask: Ask<R>, one: &Participant) -> Ask<R> {
    if one.tools.is_empty() {
        return ask.without_tools();
    }
    let handoffs = one.handoffs.iter();
    ask.tool_rounds(one.max_tool_iterations)
        .ended_by_tools(ToolRoundLimit {
            last_round: !one.reflects(),
            tools: handoffs
                .map(|handoff| transfer_tool(&handoff.target))
                .collect(),
        })
}

/// The rounds of the last answer, oldest first.
pub(super) fn last_rounds(context: &AgentContext) -> Vec<Round> {
    let mut entries = context.entries().iter().rev().peekable();
    entries.next_if(|entry| entry.role() == Role::Ai);
    let mut rounds = Vec::new();
    while let Some(returned) = entries.next_if(|entry| entry.role() == Role::Tool) {
        let Some(called) = entries.next_if(|entry| entry.role() == Role::Ai) else {
            break;
        };
        rounds.push(round(called.body(), returned.body()));
    }
    rounds.reverse();
    rounds
}

/// What a round tells of whoever called.
pub(in super::super) fn round_events(who: &str, made: &ToolRound) -> Vec<Uttered> {
    round(&made.called, &made.returned).events(who)
}

fn round(called: &Body, returned: &Body) -> Round {
    let blocks = |body: &Body| match body.content() {
        Said::Text(_) => Vec::new(),
        Said::Blocks(blocks) => blocks.to_vec(),
    };
    let (mut thought, mut calls) = (Vec::new(), Vec::new());
    for block in blocks(called) {
        match block {
            Block::Text { text } => thought.push(text.to_string()),
            Block::Thinking { thinking, .. } => thought.push(thinking.to_string()),
            Block::ToolUse {
                id, name, input, ..
            } => calls.push(FunctionCall {
                id,
                name,
                arguments: input.to_string(),
            }),
            _ => {}
        }
    }
    let results = blocks(returned)
        .into_iter()
        .filter_map(|block| match block {
            Block::ToolResult {
                tool_use_id,
                name,
                output,
                is_error,
            } => Some(FunctionResult {
                content: output
                    .as_str()
                    .map_or_else(|| output.to_string(), str::to_owned),
                name: name.unwrap_or_default(),
                call_id: tool_use_id,
                is_error,
            }),
            _ => None,
        });
    let inside = told_by_tools(returned).flatten();
    let inside = inside.filter_map(|told| match told {
        ToolTeamRecord::Message { team, message } => Some(InnerMessage { team, message }),
        ToolTeamRecord::Mind(_) => None,
    });
    Round {
        results: results.collect(),
        inside: inside.collect(),
        thought: (!thought.is_empty()).then(|| thought.join("\n")),
        calls,
        usage: called
            .response()
            .and_then(|made| made.token_usage())
            .map(RequestUsage::from),
    }
}

impl Round {
    /// What the round tells: what was thought and called, what was said in teams that were called, and what
    /// came back.
    pub(super) fn events(&self, who: &str) -> Vec<Uttered> {
        let thought = self
            .thought
            .clone()
            .filter(|thought| !thought.trim().is_empty());
        let thought = thought.map(|thought| ChatMessage::new(who, Content::Thought(thought)));
        let called = Content::ToolCallRequest(self.calls.clone());
        let returned = Content::ToolCallExecution(self.results.clone());
        let called = ChatMessage::new(who, called).using(self.usage);
        let returned = ChatMessage::new(who, returned);
        let before = thought.into_iter().chain([called]).map(Uttered::Said);
        let inside = self.inside.iter().cloned().map(Uttered::InnerMessage);
        before.chain(inside).chain([returned.into()]).collect()
    }

    /// What the first call returned.
    pub(super) fn first_result(&self) -> Option<&str> {
        self.results.first().map(|result| result.content.as_str())
    }

    /// The message that gives the word on, with what the other tools found.
    pub(super) fn handoff(
        &self,
        who: &str,
        target: &str,
        text: String,
        one: &Participant,
    ) -> ChatMessage {
        let transfers: Vec<_> = one
            .handoffs
            .iter()
            .map(|to| transfer_tool(&to.target))
            .collect();
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
        if self.calls.len() > calls.len() + 1 {
            tracing::warn!("{who} gave the word to several at once; the first of them has it");
        }
        let context = match calls.is_empty() {
            true => Vec::new(),
            false => vec![
                json!({"type": "AssistantMessage", "content": calls, "thought": self.thought, "source": who}),
                json!({"type": "FunctionExecutionResultMessage", "content": results}),
            ],
        };
        ChatMessage::new(
            who,
            Content::Handoff {
                content: text,
                target: target.to_owned(),
                context: Value::Array(context),
            },
        )
    }
}

/// To whom the first transfer of a round gives the word.
pub(super) fn handed_by_tool(round: &Round, one: &Participant) -> Option<Handoff> {
    round.calls.iter().find_map(|call| {
        let mut handoffs = one.handoffs.iter();
        handoffs
            .find(|handoff| transfer_tool(&handoff.target) == call.name)
            .cloned()
    })
}

/// What tools returned, as an answer.
pub(super) fn summary(
    who: &str,
    round: &Round,
    one: &Participant,
    own: Option<&Summary>,
) -> ChatMessage {
    let lines = round.calls.iter().map(|call| {
        let mut results = round.results.iter();
        let result = results.find(|result| result.call_id == call.id);
        if let (Some(own), Some(result)) = (own, result) {
            return own(call, result);
        }
        let content = result.map_or("", |result| result.content.as_str());
        let is_error = result.is_some_and(|result| result.is_error).to_string();
        fill(
            &one.tool_call_summary_format,
            &[
                ("{tool_name}", &call.name),
                ("{arguments}", &call.arguments),
                ("{result}", content),
                ("{is_error}", &is_error),
            ],
        )
    });
    ChatMessage::new(
        who,
        Content::ToolCallSummary {
            content: lines.collect::<Vec<_>>().join("\n"),
            tool_calls: round.calls.clone(),
            results: round.results.clone(),
        },
    )
}

/// Fills a format from left to right, so that what is filled in is not filled again.
fn fill(format: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = format;
    while let Some(next) = rest.chars().next() {
        let hit = values
            .iter()
            .find_map(|(name, value)| Some((rest.strip_prefix(name)?, value)));
        match hit {
            Some((after, value)) => {
                filled.push_str(value);
                rest = after;
            }
            None => {
                filled.push(next);
                rest = rest.get(next.len_utf8()..).unwrap_or_default();
            }
        }
    }
    filled
}
