//! The commit: context and components of an entity change together.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde_json::Value;

use super::ask::{ErasedAsk, OpenAsks};
use super::guarded::{Parts, guard_json};
use super::{BoxedAnswer, Ledger, RoundMaker, Spent, json_in};
use crate::cast::{Clock, CurrentStage, EntityName, OnStage, StableId, WorldTurn};
use crate::context::AgentContext;
use crate::event::guard::{GuardAct, Guards, Judged, Point};
use crate::event::{AnswerRecord, By, CallRecord, Phrasebook, Record, Records};
use crate::journal::{Ending, Outcome};
use crate::message::tokens::Correction;
use crate::message::{
    Block, Body, BodyId, Content, Digest, Language, ResponseMetadata, TokenUsage,
};
use crate::mind::{Form, ToolRound};

/// Commits the outcome of an entity's open ask: question and answer enter its context, `Answer<R>`
/// takes the place of `Ask<R>`, and the ledger books what was spent.
///
/// Nothing can fail halfway: whatever is not an answer that passes its check becomes the ask's own
/// fallback. `judged` is the answer where it was judged just now, which spares judging it again; `asked` is the question as guards let it pass. An entity that left the world meanwhile loses its ask and nothing else happens.
pub fn commit(
    world: &mut World,
    entity: Entity,
    asked: &Body,
    outcome: &Outcome,
    judged: Option<BoxedAnswer>,
    guarded: Vec<GuardAct>,
) {
    let open = world.resource_mut::<OpenAsks>().close(entity);
    let Some(question) = open else { return };
    let here = *world.resource::<CurrentStage>();
    let turn = world.resource::<WorldTurn>().0;
    let Some(place) = place_of(world, entity, here) else {
        return;
    };
    let (value, text, by) = resolve(&*question, outcome, judged);
    let (value, text, by, mut guarded) =
        guard_answer(world, &*question, (value, text, by), guarded);
    let (mut rounds, mut calls) = (Vec::with_capacity(outcome.rounds.len()), Vec::new());
    for round in &outcome.rounds {
        let (round, acts) = round_maker(world, outcome).messages(round);
        calls.extend(call_records(rounds.len(), &round));
        rounds.push(round);
        guarded.extend(acts);
    }
    let Some((mut ids, place_name, time)) = stamp(world, place, 2 + 2 * rounds.len()) else {
        return;
    };
    let Ok(mut who) = world.get_entity_mut(entity) else {
        return;
    };
    let name = who
        .get::<EntityName>()
        .map(|name| name.0.clone())
        .unwrap_or_default();
    if let Some(mut context) = who.get_mut::<AgentContext>() {
        let mut stamped = |body: Body| body.with_id(ids.next().unwrap_or_default()).at(time);
        // A question whose lasting form says nothing leaves no trace.
        let asked = stamped(asked.clone());
        if !asked.short_text().is_empty() {
            context.add_human_message(asked, question.tags().clone());
        }
        for round in rounds {
            // Lists of one are never empty.
            let _ = context.add_ai_message([stamped(round.called)]);
            context.add_tool_message(stamped(round.returned));
        }
        // Where tools said all that was wanted there are no words to keep.
        if !text.is_empty() {
            let answered = answer_body(outcome, &text, &by, name.clone());
            let _ = context.add_ai_message([stamped(answered)]);
        }
    }
    if let Some(mut correction) = who.get_mut::<Correction>()
        && outcome.estimated > 0
    {
        correction.observe(outcome.estimated, outcome.usage.input);
    }
    if let Some(mut ledger) = who.get_mut::<Ledger>() {
        ledger.book(question.purpose(), spent(outcome, &by));
    }
    let id = who.get::<StableId>().copied().unwrap_or(StableId(0));
    question.settle(&mut who, value, by.clone());
    world
        .resource_mut::<Records>()
        .0
        .push(Record::Answer(AnswerRecord {
            turn,
            place: place_name,
            entity: name,
            id,
            number: outcome.number,
            purpose: question.purpose().to_owned(),
            text,
            by,
            calls,
            guarded,
        }));
}

/// A hash of what an entity's mind is asked: everything that was said, the question and the wanted
/// form, and the tools where there are any; nothing of models, keys or servers.
pub fn request_hash(
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
        bytes.push(u8::from(question.ask_short()));
        bytes.extend_from_slice(&short.digest().0);
    }
    if let Some(wanted) = question.form_digest() {
        bytes.extend_from_slice(&wanted.0);
    }
    let (Form::Prose { notes } | Form::Json { notes, .. }) = question.form();
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

/// The value that is committed, its text, and who made it.
fn resolve(
    question: &dyn ErasedAsk,
    outcome: &Outcome,
    judged: Option<BoxedAnswer>,
) -> (BoxedAnswer, String, By) {
    let fall_back = |reason: String| {
        let (value, text) = question.fallback();
        (value, text, By::Fallback(reason))
    };
    match &outcome.ending {
        Ending::Answered { text, .. } => match judged.map_or_else(|| question.judge(text), Ok) {
            Ok(value) if outcome.refused.is_empty() => (value, text.clone(), By::Mind),
            Ok(value) => {
                let times = outcome.refused.len() as u32;
                (value, text.clone(), By::Repaired(times))
            }
            Err(broken) => {
                let rules: Vec<_> = broken.iter().map(|broken| broken.rule.as_str()).collect();
                fall_back(format!("the answer failed its check: {}", rules.join("; ")))
            }
        },
        Ending::Failed { reason } => fall_back(reason.clone()),
    }
}

/// The answer as the guards let it pass, with what they did. Of an answer in JSON they judge every text.
fn guard_answer(
    world: &World,
    question: &dyn ErasedAsk,
    (value, text, by): (BoxedAnswer, String, By),
    mut guarded: Vec<GuardAct>,
) -> (BoxedAnswer, String, By, Vec<GuardAct>) {
    let guards = world.get_resource::<Guards>();
    let guards = guards.filter(|guards| guards.watch(Point::Answer));
    let (Some(guards), false) = (guards, matches!(by, By::Fallback(_))) else {
        return (value, text, by, guarded);
    };
    let language = world.get_resource().copied().unwrap_or_default();
    let mut judge = |text: &str| {
        let judgement = guards.judge(Judged {
            point: Point::Answer,
            text,
            kind: question.purpose(),
            speaker: None,
            receiver: None,
            public: true,
            language,
        });
        let left = match judgement.blocked() {
            Some(reason) => withheld(world, reason),
            None if judgement.text == text => return None,
            None => judgement.text.to_string(),
        };
        guarded.extend(judgement.acts);
        Some(left)
    };
    let left = match question.form() {
        Form::Prose { .. } => judge(&text),
        Form::Json { .. } => guarded_json(&text, &mut judge),
    };
    let Some(left) = left else {
        return (value, text, by, guarded);
    };
    match question.judge(&left) {
        Ok(value) => (value, left, by, guarded),
        Err(_) => {
            let (value, text) = question.fallback();
            let by = By::Fallback("what the guards left of the answer fails its check".into());
            (value, text, by, guarded)
        }
    }
}

/// JSON with its texts as guards left them; nothing where they let all of them pass.
fn guarded_json(text: &str, judge: &mut impl FnMut(&str) -> Option<String>) -> Option<String> {
    let mut json: Value = serde_json::from_str(json_in(text)?).ok()?;
    guard_json(&mut json, Parts::Texts, judge).then(|| json.to_string())
}

fn withheld(world: &World, reason: &str) -> String {
    let phrases = world.get_resource::<Phrasebook>();
    let facts = serde_json::json!({"reason": reason});
    let said = phrases.and_then(|phrases| phrases.say("engine/withheld", &facts).ok());
    said.unwrap_or_else(|| format!("({reason})"))
}

fn answer_body(outcome: &Outcome, text: &str, by: &By, name: Arc<str>) -> Body {
    let metadata = match by {
        By::Fallback(reason) => {
            let metadata = ResponseMetadata::new("playhouse", "fallback", Default::default())
                .with("fallback", reason.as_str());
            return Body::text(text).from_sender(name).with_response(metadata);
        }
        _ => ResponseMetadata::new(
            outcome.provider.clone(),
            outcome.model.clone(),
            usage_after_rounds(outcome),
        ),
    };
    let body = match &outcome.ending {
        Ending::Answered {
            thinking: Some(thinking),
            ..
        } => Body::blocks(vec![Block::thinking(thinking.as_str()), Block::text(text)]),
        _ => Body::text(text),
    };
    body.from_sender(name).with_response(metadata)
}

/// The usage of the answer itself and of refused ones: each round's message carries its own.
fn usage_after_rounds(outcome: &Outcome) -> TokenUsage {
    let rounds = outcome.rounds.iter().map(|round| round.usage);
    rounds.fold(outcome.usage, |left, round| TokenUsage {
        input: left.input.saturating_sub(round.input),
        output: left.output.saturating_sub(round.output),
        cached: left.cached.saturating_sub(round.cached),
        reasoning: left.reasoning.saturating_sub(round.reasoning),
    })
}

fn spent(outcome: &Outcome, by: &By) -> Spent {
    let refused = outcome.refused.iter();
    let sent_back = refused.filter(|refused| !refused.complaint.is_empty());
    let mut spent = Spent {
        asks: 1,
        calls: outcome.calls,
        retries: u64::from(outcome.retries),
        repairs: sent_back.count() as u64,
        fallbacks: u64::from(matches!(by, By::Fallback(_))),
        usage: outcome.usage,
        cost: outcome.cost,
    };
    // What tools spent on minds is booked to whoever called them.
    let results = outcome.rounds.iter().flat_map(|round| &round.results);
    for result in results {
        spent += result.spent.into();
    }
    spent
}

fn place_of(world: &World, entity: Entity, here: CurrentStage) -> Option<Entity> {
    match here {
        CurrentStage::Place(place) => Some(place),
        CurrentStage::Meeting => {
            let stage = world.get::<OnStage>(entity).map(|stage| stage.0);
            Some(stage.unwrap_or(entity))
        }
    }
}

/// What makes messages of an outcome's rounds.
fn round_maker<'a>(world: &'a World, outcome: &'a Outcome) -> RoundMaker<'a> {
    RoundMaker {
        name: &outcome.entity,
        made_by: (&outcome.provider, &outcome.model),
        guards: world.resource(),
        phrases: world.resource(),
        language: *world.resource::<Language>(),
    }
}

/// The calls of a round, for the feeds.
fn call_records(at: usize, round: &ToolRound) -> Vec<CallRecord> {
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
            round: at as u32,
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

/// So many body ids of a place, its name and its time.
fn stamp(
    world: &mut World,
    place: Entity,
    count: usize,
) -> Option<(std::vec::IntoIter<BodyId>, Arc<str>, u64)> {
    let mut place = world.get_entity_mut(place).ok()?;
    let id = place.get::<StableId>().copied()?;
    let name = place.get::<EntityName>()?.0.clone();
    let mut clock = place.get_mut::<Clock>()?;
    let ids: Vec<_> = (0..count).map(|_| clock.next_body(id)).collect();
    Some((ids.into_iter(), name, clock.time))
}
