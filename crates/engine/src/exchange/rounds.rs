//! Rounds of tool calls as messages: what the mind said and called, and what the tools returned.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::guarded::{Parts, guard_json};
use super::prompts::Remark;
use crate::event::Phrasebook;
use crate::event::guard::{GuardAct, Guards, Judged, Judgement, Point};
use crate::journal::{ToolResultRecord, ToolRoundRecord};
use crate::message::{Block, Body, Language, ResponseMetadata};
use crate::mind::ToolRound;
use crate::tool::prompts::Failure;

/// The kind under which guards see a tool's result.
pub const TOOL_RESULT: &str = "tool_result";
/// The kind under which guards see a mind's call: the arguments, and the words beside it.
pub const TOOL_CALL: &str = "tool_call";
/// The member of a tool message's metadata that holds what tools reported of their work, a list for
/// each call. No mind reads it.
pub const TRACE_KEY: &str = "trace";

/// Makes messages of recorded rounds. Calls and results pass the guards here, live and in a replay
/// alike, so the journal holds what came from outside, and minds read what the guards left.
pub(crate) struct RoundMaker<'a> {
    pub(crate) name: &'a Arc<str>,
    /// The provider of its mind, and the model.
    pub(crate) made_by: (&'a str, &'a str),
    pub(crate) guards: &'a Guards,
    pub(crate) phrases: &'a Phrasebook,
    pub(crate) language: Language,
}

/// A call as the guards let it pass: made and shown like this.
pub(crate) struct GuardedCall {
    pub(crate) name: String,
    /// What is left of the arguments; `None` if the guards changed nothing.
    pub(crate) changed: Option<Value>,
    /// Why the call must not be made; `None` if no guard stopped a part of it.
    pub(crate) stopped: Option<String>,
    acts: Vec<GuardAct>,
}

impl RoundMaker<'_> {
    /// The two messages of a round, and what guards did.
    pub(crate) fn messages(&self, round: &ToolRoundRecord) -> (ToolRound, Vec<GuardAct>) {
        let (provider, model) = self.made_by;
        let metadata = ResponseMetadata::new(provider, model, round.usage);
        let mut acts = Vec::new();
        let said: Vec<_> = round
            .said
            .iter()
            .map(|block| self.said(block, &mut acts))
            .collect();
        let calls = said.iter().filter_map(|block| match block {
            Block::ToolUse { id, name, .. } => Some((id, name)),
            _ => None,
        });
        let results = calls
            .zip(&round.results)
            .map(|((id, name), result)| self.returned(id, name, result, &mut acts));
        let returned = Body::blocks(results.collect());
        let returned = match self.traces(round, &mut acts) {
            Some(traces) => {
                returned.with_metadata(Map::from_iter([(TRACE_KEY.to_owned(), traces)]))
            }
            None => returned,
        };
        let called = Body::blocks(said)
            .from_sender(self.name.clone())
            .with_response(metadata);
        (ToolRound { called, returned }, acts)
    }

    /// A call as the guards let it pass. They judge it as an answer, and as something that is sent.
    pub(crate) fn call(&self, name: &str, arguments: &Value) -> GuardedCall {
        let (mut acts, mut stopped) = (Vec::new(), None);
        let mut judge = |text: &str| {
            let (left, blocked) = self.judged(text, &mut acts);
            stopped = stopped.take().or(blocked);
            left
        };
        let left_name = judge(name);
        let mut left = arguments.clone();
        let is_changed = guard_json(&mut left, Parts::All, &mut judge);
        GuardedCall {
            name: left_name.unwrap_or_else(|| name.to_owned()),
            changed: is_changed.then_some(left),
            stopped,
            acts,
        }
    }

    /// A part of what the mind said. Its reasoning stays as it is: only the mind sees it, and
    /// providers want it back unchanged.
    fn said(&self, block: &Block, acts: &mut Vec<GuardAct>) -> Block {
        match block {
            Block::Text { text } => match self.judged(text, acts) {
                (Some(left), _) => Block::text(left),
                (None, _) => block.clone(),
            },
            Block::ToolUse {
                id,
                name,
                input,
                signature,
            } => {
                let call = self.call(name, input);
                acts.extend(call.acts);
                Block::ToolUse {
                    id: id.clone(),
                    name: call.name,
                    input: call.changed.unwrap_or_else(|| input.clone()),
                    signature: signature.clone(),
                }
            }
            other => other.clone(),
        }
    }

    /// What guards left of a mind's text, if they changed it, and why it was stopped, if it was.
    fn judged(&self, text: &str, acts: &mut Vec<GuardAct>) -> (Option<String>, Option<String>) {
        let mut left = None;
        for point in [Point::Answer, Point::Send] {
            if !self.guards.watch(point) {
                continue;
            }
            let current = left.as_deref().unwrap_or(text);
            let judgement = self.guards.judge(Judged {
                point,
                text: current,
                kind: TOOL_CALL,
                speaker: Some(self.name),
                receiver: None,
                knowledge: None,
                public: false,
                language: self.language,
            });
            acts.extend(judgement.acts.iter().cloned());
            if let Some(reason) = judgement.blocked() {
                let reason = reason.to_string();
                return (Some(self.withheld(&reason)), Some(reason));
            }
            if judgement.text != current {
                left = Some(judgement.text.into_owned());
            }
        }
        (left, None)
    }

    /// What the tools reported of their work, as the guards let it pass; `None` if none reported
    /// anything.
    fn traces(&self, round: &ToolRoundRecord, acts: &mut Vec<GuardAct>) -> Option<Value> {
        let mut results = round.results.iter();
        if results.all(|result| result.trace.is_empty()) {
            return None;
        }
        let mut traces: Value = round
            .results
            .iter()
            .map(|result| result.trace.clone())
            .collect();
        guard_json(&mut traces, Parts::Texts, &mut |text| {
            let judgement = self.judge_result(text, None);
            acts.extend(judgement.acts.iter().cloned());
            match judgement.blocked() {
                Some(reason) => Some(self.withheld(&reason.to_string())),
                None => (judgement.text != text).then(|| judgement.text.into_owned()),
            }
        });
        Some(traces)
    }

    fn withheld(&self, reason: &str) -> String {
        let words = self.phrases.fill(&Remark::Withheld { reason });
        words.unwrap_or_else(|_| format!("({reason})"))
    }

    fn judge_result<'t>(&self, text: &'t str, tool: Option<&'t str>) -> Judgement<'t> {
        self.guards.judge(Judged {
            point: Point::Send,
            text,
            kind: TOOL_RESULT,
            speaker: tool,
            receiver: None,
            knowledge: None,
            public: false,
            language: self.language,
        })
    }

    /// A result as the guards let it pass. To them it is text from outside.
    fn returned(
        &self,
        id: &str,
        tool: &str,
        result: &ToolResultRecord,
        acts: &mut Vec<GuardAct>,
    ) -> Block {
        let block = |text: String, is_error| Block::ToolResult {
            tool_use_id: id.to_owned(),
            name: Some(tool.to_owned()),
            output: text.into(),
            is_error,
        };
        if !self.guards.watch(Point::Send) {
            return block(result.text.clone(), result.is_error);
        }
        let judgement = self.judge_result(&result.text, Some(tool));
        acts.extend(judgement.acts.iter().cloned());
        match judgement.blocked() {
            Some(reason) => {
                let reason = reason.to_string();
                let words = self.phrases.fill(&Failure::Blocked { reason: &reason });
                block(words.unwrap_or(reason), true)
            }
            None => block(judgement.text.into_owned(), result.is_error),
        }
    }
}
