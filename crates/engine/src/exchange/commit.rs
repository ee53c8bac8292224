//! The commit: context and components of an entity change together, or not at all.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde_json::Value;

use super::guarded::{Parts, guard_json};
use super::prompts::Remark;
use super::{AnswerState, BoxedAnswer, ErasedAsk, Ledger, OpenAsks, RoundMaker, Spent, Violation};
use crate::cast::{self, Clock, CurrentStage, EntityName, StableId, WorldTurn};
use crate::context::AgentContext;
use crate::event::guard::{GuardAct, Guards, Judged, Point};
use crate::event::{AnswerRecord, AnsweredBy, CallRecord, Phrasebook, Record, Records};
use crate::journal::{AskEnding, Outcome};
use crate::locale::text;
use crate::message::tokens::Correction;
use crate::message::{
    Block, Body, BodyId, Content, Digest, Language, ResponseMetadata, TokenUsage,
};
use crate::mind::{AnswerForm, FinishReason, ToolRound, human};
use crate::reading::find_json;

/// Commits the outcome of an entity's open ask: question and answer enter its context, `Answer<R>`
/// replaces `Ask<R>`, and the ledger books what was spent.
///
/// Nothing can fail halfway: whatever is not an answer that passes its check is replaced by the
/// ask's fallback. `asked` is the question as the guards let it pass, `judged` the answer if it was
/// judged in this run, so that it need not be judged again. An entity that has left the world only
/// loses its ask.
pub(crate) fn commit(
    world: &mut World,
    entity: Entity,
    asked: &Body,
    outcome: &Outcome,
    judged: Option<BoxedAnswer>,
    guard_acts: Vec<GuardAct>,
) {
    let Some(question) = world.resource_mut::<OpenAsks>().close(entity) else {
        return;
    };
    let place = match *world.resource::<CurrentStage>() {
        CurrentStage::Place(place) => place,
        CurrentStage::Meeting => cast::place_of(world, entity),
    };
    let turn = world.resource::<WorldTurn>().0;
    let mut answer = Resolved::of(
        world.get_resource(),
        &*question,
        outcome,
        judged,
        guard_acts,
    );
    answer.guard(world, &*question);
    let (mut rounds, mut calls) = (Vec::with_capacity(outcome.rounds.len()), Vec::new());
    for round in &outcome.rounds {
        let maker = RoundMaker {
            name: &outcome.entity,
            made_by: (&outcome.provider, &outcome.model),
            guards: world.resource(),
            phrases: world.resource(),
            language: *world.resource::<Language>(),
        };
        let (round, acts) = maker.messages(round);
        calls.extend(call_records(rounds.len(), &round));
        rounds.push(round);
        answer.guard_acts.extend(acts);
    }
    let Resolved {
        mut answer,
        by,
        is_persons: _,
        guard_acts,
    } = answer;
    let text = std::mem::take(&mut answer.text);
    let hesitated = hesitated(world, &*question, &text, &by);
    let Some(mut stamp) = Stamp::of(world, place, 2 + 2 * rounds.len() as u32) else {
        return;
    };
    let Ok(mut entity) = world.get_entity_mut(entity) else {
        return;
    };
    let name = entity
        .get::<EntityName>()
        .map(|name| name.0.clone())
        .unwrap_or_default();
    if let Some(mut context) = entity.get_mut::<AgentContext>() {
        // A question whose lasting form is empty leaves no trace, but uses up its id.
        let asked = stamp.put_on(asked.clone());
        if !asked.short_text().is_empty() {
            context.add_human_message(asked, question.parts().tags.clone());
        }
        for round in rounds {
            // Adding fails for an empty list only.
            let _ = context.add_ai_message([stamp.put_on(round.called)]);
            context.add_tool_message(stamp.put_on(round.returned));
        }
        // The answer is empty if tools returned all that was wanted.
        if !text.is_empty() && question.parts().keeps_answer {
            let words = hesitated.as_deref().unwrap_or(&text);
            let body = answer_body(outcome, words, &by, name.clone());
            let _ = context.add_ai_message([stamp.put_on(body)]);
        }
    }
    if let Some(mut correction) = entity.get_mut::<Correction>()
        && outcome.estimated > 0
    {
        correction.observe(outcome.estimated, outcome.usage.input);
    }
    if let Some(mut ledger) = entity.get_mut::<Ledger>() {
        let is_fallback = matches!(by, AnsweredBy::Fallback(_));
        ledger.book(question.parts().purpose, Spent::on(outcome, is_fallback));
    }
    let id = entity.get::<StableId>().copied().unwrap_or(StableId(0));
    question.answer(&mut entity, answer, by.clone());
    let record = Record::Answer(AnswerRecord {
        turn,
        place: stamp.place,
        entity: name,
        id,
        number: outcome.number,
        purpose: question.parts().purpose.to_owned(),
        reply: question.parts().reply,
        text,
        by,
        recalled: outcome.recalled.clone(),
        calls,
        guarded: guard_acts,
    });
    world.resource_mut::<Records>().0.push(record);
}

/// A hash of what an entity's mind is asked: everything that was said, the question, the wanted
/// form, and the tools if there are any; nothing of models, keys or servers.
pub(crate) fn request_hash(
    context: &mut AgentContext,
    asked: &Body,
    question: &dyn ErasedAsk,
    tools: Option<Digest>,
) -> Digest {
    // Hashed at once, which is faster than piece by piece.
    let mut bytes = Vec::with_capacity(128);
    bytes.extend_from_slice(&context.stats().digest.0);
    bytes.extend_from_slice(&asked.digest().0);
    if let Some(short) = asked.short() {
        bytes.push(u8::from(question.parts().ask_short()));
        bytes.extend_from_slice(&short.digest().0);
    }
    if let Some(form) = question.parts().form_digest() {
        bytes.extend_from_slice(&form.0);
    }
    let (AnswerForm::Prose { notes } | AnswerForm::Json { notes, .. }) = question.parts().form();
    if !notes.is_null() {
        // Writing to a vector can't fail.
        let _ = serde_json::to_writer(&mut bytes, notes);
    }
    if let Some(tools) = tools {
        bytes.extend_from_slice(b"tools");
        bytes.extend_from_slice(&tools.0);
    }
    Digest::of(&bytes)
}

struct Resolved {
    answer: BoxedAnswer,
    by: AnsweredBy,
    is_persons: bool,
    guard_acts: Vec<GuardAct>,
}

impl Resolved {
    fn of(
        phrases: Option<&Phrasebook>,
        question: &dyn ErasedAsk,
        outcome: &Outcome,
        judged: Option<BoxedAnswer>,
        guard_acts: Vec<GuardAct>,
    ) -> Self {
        let is_persons = &*outcome.provider == human::ALIAS;
        let judged = match &outcome.ending {
            AskEnding::Answered { text, finish, .. } => {
                // What was used once is used again.
                let state = AnswerState {
                    is_cut: *finish == FinishReason::Length,
                    is_last: true,
                    is_persons,
                };
                judged
                    .map_or_else(|| question.judge(text, state), Ok)
                    .map_err(|violations| Violation::summary(&violations, phrases))
            }
            AskEnding::Failed { reason } => Err(reason.clone()),
        };
        let (answer, by) = match judged {
            Ok(answer) => match outcome.refused.len() {
                0 => (answer, AnsweredBy::Mind),
                times => (answer, AnsweredBy::Repaired(times as u32)),
            },
            Err(reason) => (question.fallback(), AnsweredBy::Fallback(reason)),
        };
        Self {
            answer,
            by,
            is_persons,
            guard_acts,
        }
    }

    /// Lets the guards judge a mind's answer: prose as a whole, JSON text by text.
    fn guard(&mut self, world: &World, question: &dyn ErasedAsk) {
        let Some(guards) = world.get_resource::<Guards>() else {
            return;
        };
        if !guards.watch(Point::Answer) || matches!(self.by, AnsweredBy::Fallback(_)) {
            return;
        }
        let language = world.get_resource().copied().unwrap_or_default();
        let acts = &mut self.guard_acts;
        let mut judge = |text: &str| {
            let judgement = guards.judge(Judged {
                point: Point::Answer,
                public: true,
                ..Judged::request(question.parts().purpose, text, language)
            });
            let left = match judgement.blocked() {
                Some(reason) => withheld(world, &reason.to_string()),
                None if judgement.text == text => return None,
                None => judgement.text.to_string(),
            };
            acts.extend(judgement.acts);
            Some(left)
        };
        let left = match question.parts().form() {
            AnswerForm::Prose { .. } => judge(&self.answer.text),
            AnswerForm::Json { .. } => guarded_json(&self.answer.text, &mut judge),
        };
        let Some(left) = left else {
            return;
        };
        let state = AnswerState {
            is_last: true,
            is_persons: self.is_persons,
            ..AnswerState::default()
        };
        match question.judge(&left, state) {
            Ok(answer) => {
                self.answer = answer;
                self.answer.text = left;
            }
            Err(_) => {
                self.answer = question.fallback();
                self.by = AnsweredBy::Fallback(text!(exchange_guarded_answer));
            }
        }
    }
}

/// JSON with its texts as guards left them; `None` if they changed none.
fn guarded_json(text: &str, judge: &mut impl FnMut(&str) -> Option<String>) -> Option<String> {
    let mut json = find_json(text).ok()?.value;
    guard_json(&mut json, Parts::Texts, judge).then(|| json.to_string())
}

fn withheld(world: &World, reason: &str) -> String {
    let phrases = world.get_resource::<Phrasebook>();
    let words = phrases.and_then(|phrases| phrases.fill(&Remark::Withheld { reason }).ok());
    words.unwrap_or_else(|| format!("({reason})"))
}

/// What an entity remembers in the place of a form without a word, which it never filled in: that
/// it hesitated. `None` if its answer has words.
fn hesitated(
    world: &World,
    question: &dyn ErasedAsk,
    text: &str,
    by: &AnsweredBy,
) -> Option<String> {
    let is_form = matches!(question.parts().form(), AnswerForm::Json { .. });
    if !is_form || !matches!(by, AnsweredBy::Fallback(_)) || text.is_empty() {
        return None;
    }
    let form: Value = serde_json::from_str(text).ok()?;
    let phrases = world.get_resource::<Phrasebook>();
    let words = phrases.and_then(|phrases| phrases.fill(&Remark::Hesitated).ok());
    words.filter(|_| !has_words(&form))
}

/// Whether there is any text in a form.
fn has_words(form: &Value) -> bool {
    match form {
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => items.iter().any(has_words),
        Value::Object(members) => members.values().any(has_words),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn answer_body(outcome: &Outcome, text: &str, by: &AnsweredBy, name: Arc<str>) -> Body {
    let metadata = match by {
        AnsweredBy::Fallback(reason) => {
            let metadata = ResponseMetadata::new("playhouse", "fallback", Default::default())
                .with("fallback", reason.to_string());
            return Body::text(text).from_sender(name).with_response(metadata);
        }
        _ => ResponseMetadata::new(
            outcome.provider.clone(),
            outcome.model.clone(),
            usage_after_rounds(outcome),
        ),
    };
    let body = match &outcome.ending {
        AskEnding::Answered {
            thinking: Some(thinking),
            ..
        } => Body::blocks(vec![Block::thinking(thinking.as_str()), Block::text(text)]),
        _ => Body::text(text),
    };
    body.from_sender(name).with_response(metadata)
}

/// The usage of the answer and of refused ones. The message of each round carries its own usage.
fn usage_after_rounds(outcome: &Outcome) -> TokenUsage {
    let rounds = outcome.rounds.iter().map(|round| round.usage);
    rounds.fold(outcome.usage, |left, round| TokenUsage {
        input: left.input.saturating_sub(round.input),
        output: left.output.saturating_sub(round.output),
        cached: left.cached.saturating_sub(round.cached),
        reasoning: left.reasoning.saturating_sub(round.reasoning),
    })
}

/// The calls of a round, for the feeds.
fn call_records(number: usize, round: &ToolRound) -> Vec<CallRecord> {
    let calls = blocks(&round.called)
        .iter()
        .filter_map(|block| match block {
            Block::ToolUse { name, input, .. } => Some((name, input)),
            _ => None,
        });
    let records = calls.zip(blocks(&round.returned));
    let record = |((tool, arguments), result): ((&String, &Value), &Block)| match result {
        Block::ToolResult {
            output, is_error, ..
        } => Some(CallRecord {
            round: number as u32,
            tool: tool.clone(),
            arguments: arguments.clone(),
            result: output.as_str().unwrap_or_default().to_owned(),
            is_error: *is_error,
        }),
        _ => None,
    };
    records.filter_map(record).collect()
}

fn blocks(body: &Body) -> &[Block] {
    match body.content() {
        Content::Blocks(blocks) => blocks,
        Content::Text(_) => &[],
    }
}

/// What the messages of a commit carry: ids of the place, and its time.
struct Stamp {
    place: Arc<str>,
    time: u64,
    next: BodyId,
}

impl Stamp {
    /// A stamp with `count` ids.
    fn of(world: &mut World, place: Entity, count: u32) -> Option<Self> {
        let mut place = world.get_entity_mut(place).ok()?;
        let id = place.get::<StableId>().copied()?;
        let name = place.get::<EntityName>()?.0.clone();
        let mut clock = place.get_mut::<Clock>()?;
        let next = clock.next_body(id);
        clock.last_number += count - 1;
        Some(Self {
            place: name,
            time: clock.time,
            next,
        })
    }

    fn put_on(&mut self, body: Body) -> Body {
        let id = self.next;
        self.next.number += 1;
        body.with_id(id).at(self.time)
    }
}
