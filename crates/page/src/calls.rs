//! What minds were asked, what they answered, and what changed between two questions.

use std::sync::Arc;

use playhouse_engine::event::AnsweredBy;
use playhouse_engine::journal::{AskEnding, HOST, Outcome, ToolRoundRecord};
use playhouse_engine::message::Block;
use playhouse_story::{Call, Contents};
use serde_json::{Value, json};

use super::people::set;
use super::reader::{ListQuery, MOST, Range, Reader};

/// How many characters of an answer a list shows.
const FIRST_WORDS: usize = 120;

impl Reader<'_> {
    /// Calls in a range that fit. Only the host sees any.
    pub(super) fn calls(&self, query: &ListQuery) -> Range<Value> {
        let contents = self.view.read();
        let calls = if self.is_host() {
            &contents.calls[..]
        } else {
            &[]
        };
        let total = calls.len() as u32;
        let from = query.from.unwrap_or(total.saturating_sub(MOST)).min(total);
        let to = query.to.unwrap_or(total).clamp(from, total);
        let fits = |call: &Call| {
            query.who.is_none_or(|who| who == call.who)
                && query.turn.is_none_or(|turns| turns.has(call.turn))
                && (query.open != Some(1) || !call.is_answered())
        };
        Range::collect((from, to, total), |n| {
            let call = calls.get(n as usize).filter(|call| fits(call));
            call.map(|call| self.call_json(call))
        })
    }

    /// A call as lists and the stream show it.
    pub(super) fn call_json(&self, call: &Call) -> Value {
        let tools: Vec<_> = call
            .tools
            .iter()
            .map(|(tool, time)| json!({"tool": tool, "at": time}))
            .collect();
        let mut json = json!({
            "call": call.call, "who": call.who, "number": call.number, "purpose": call.purpose,
            "place": call.place, "turn": call.turn, "start": call.start, "state": call.state,
            "tools": tools,
        });
        set(
            &mut json,
            "segments",
            Some(&call.segments).filter(|segments| !segments.is_empty()),
        );
        set(
            &mut json,
            "mind",
            Some(&call.mind).filter(|mind| !mind.is_empty()),
        );
        set(&mut json, "first", call.first);
        set(&mut json, "end", call.end);
        let written = call.outcome();
        let is_written = written
            .as_ref()
            .is_some_and(|outcome| &*outcome.provider == HOST);
        let by = call.by.as_ref().map(|by| match by {
            AnsweredBy::Mind if is_written => HOST,
            AnsweredBy::Mind => "mind",
            AnsweredBy::Repaired(_) => "repaired",
            AnsweredBy::Fallback(_) => "fallback",
        });
        set(&mut json, "answered_by", by);
        if let Some(AnsweredBy::Fallback(reason)) = &call.by {
            json["reason"] = reason.in_language(self.language).into();
        }
        set(&mut json, "held", self.held_json(call));
        if let Some(outcome) = &written {
            let usage = &outcome.usage;
            json["model"] = json!(outcome.model);
            json["refused"] = outcome.refused.len().into();
            json["usage"] = json!({
                "prompt": usage.input, "cached": usage.cached, "completion": usage.output,
                "reasoning": usage.reasoning,
            });
            json["cost"] = (outcome.unpriced == 0).then(|| outcome.cost.units()).into();
            if let AskEnding::Answered { text, .. } = &outcome.ending {
                json["text"] = text.chars().take(FIRST_WORDS).collect::<String>().into();
            }
        }
        json
    }

    /// The answer on which the host decides.
    pub(super) fn held_json(&self, call: &Call) -> Option<Value> {
        let held = call.held.as_ref()?;
        let mut json = json!({"text": held.text});
        let complaint = held
            .complaint
            .as_ref()
            .map(|complaint| complaint.in_language(self.language));
        set(&mut json, "complaint", complaint);
        Some(json)
    }

    /// A call with everything that the journal has about it, for the host.
    pub(super) fn call(&self, number: u32) -> Option<Value> {
        let contents = self.view.read();
        let call = contents
            .calls
            .get(number as usize)
            .filter(|_| self.is_host())?;
        let mut json = self.call_json(call);
        let before = contents.calls.get(..number as usize).unwrap_or_default();
        let previous = before.iter().rev().find(|before| before.who == call.who);
        set(
            &mut json,
            "previous",
            previous.map(|previous| previous.call),
        );
        json["events"] = self.events_of(&contents, call);
        if let Some(outcome) = call.outcome() {
            add_outcome(&mut json, &outcome);
        }
        Some(json)
    }

    /// Whether a call was one of an entity, for the host.
    pub(super) fn was_asked(&self, who: u32, call: u32) -> bool {
        let contents = self.view.read();
        let call = contents.calls.get(call as usize);
        self.is_host() && call.is_some_and(|call| call.who == who)
    }

    /// What followed from its answer.
    fn events_of(&self, contents: &Contents, call: &Call) -> Value {
        let turns = contents.turns.iter().rev();
        let begins = turns
            .skip_while(|turn| turn.turn >= call.turn)
            .map(|turn| turn.to);
        let from = begins.max().unwrap_or(0) as usize;
        let events = contents
            .events
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(|event| event.turn < call.turn)
            .filter(|event| event.call == Some(call.call));
        events.map(|event| json!(event.number)).collect()
    }
}

fn add_outcome(json: &mut Value, outcome: &Arc<Outcome>) {
    set(
        json,
        "asked",
        Some(&outcome.asked).filter(|asked| !asked.is_empty()),
    );
    match &outcome.ending {
        AskEnding::Answered {
            text,
            thinking,
            finish,
        } => {
            json["ending"] = "answered".into();
            json["answer"] = text.as_str().into();
            json["finish"] = json!(finish);
            set(json, "thinking", thinking.as_ref());
        }
        AskEnding::Failed { .. } => json["ending"] = "failed".into(),
    }
    let refusals = outcome
        .refused
        .iter()
        .map(|refused| json!({"answer": refused.answer, "complaint": refused.complaint}));
    json["refusals"] = refusals.collect();
    json["rounds"] = outcome.rounds.iter().map(round_json).collect();
}

fn round_json(round: &ToolRoundRecord) -> Value {
    let said = round.said.iter().filter_map(|block| match block {
        Block::Text { text, .. } => Some(&**text),
        _ => None,
    });
    let called = round.said.iter().filter_map(|block| match block {
        Block::ToolUse { name, input, .. } => Some((name, input)),
        _ => None,
    });
    let calls = called
        .zip(&round.results)
        .map(|((tool, arguments), result)| {
            json!({
                "tool": tool, "arguments": arguments, "result": result.text,
                "is_error": result.is_error,
            })
        });
    let (said, calls): (Vec<_>, Vec<_>) = (said.collect(), calls.collect());
    json!({"said": said.join("\n"), "calls": calls})
}
