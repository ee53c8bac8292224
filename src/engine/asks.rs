//! Asks are taken up: counted, guarded, hashed, and looked for in the recording.

use std::sync::Arc;

use bevy_ecs::prelude::*;

use super::Engine;
use super::calls::Job;
use super::compact::folded_note;
use super::{AskCount, CallFigures, EngineError};
use crate::cast::{CurrentStage, OnStage, StableId, WorldSeed, stable_id};
use crate::context::{AgentContext, View};
use crate::event::guard::{GuardAct, Guards, Judged, Point};
use crate::event::{Fault, Phrasebook};
use crate::exchange::{ErasedAsk, OpenAsks, Spent, request_hash};
use crate::journal::{Outcome, Recorded};
use crate::message::{Body, Language, Role, TokenUsage};
use crate::mind::{AnswerStream, FixedCalls, Mind, MindAlias};

impl Engine {
    /// Takes up the asks that were opened, in stable order.
    pub(super) fn open_asks(&mut self) -> Result<(), EngineError> {
        let fresh = self.world.resource_mut::<OpenAsks>().take_fresh();
        let mut fresh: Vec<_> = fresh
            .into_iter()
            .map(|entity| (stable_id(&self.world, entity), entity))
            .collect();
        fresh.sort_unstable();
        for (id, entity) in fresh {
            let mut job = self.prepare(id, entity)?;
            self.open.entry(job.place).or_default().0 += 1;
            match self.recorded(&job)? {
                Some(outcome) => {
                    let place = job.place;
                    let done = Box::new(job).done(outcome, None);
                    self.arrived.push((place, done, false));
                }
                None => {
                    self.take_up_rounds(&mut job);
                    self.calls.waiting.push_back(Box::new(job));
                }
            }
        }
        Ok(())
    }

    pub(super) fn prepare(&mut self, id: StableId, entity: Entity) -> Result<Job, EngineError> {
        let open = self.world.resource::<OpenAsks>().get(entity).cloned();
        let bad = |engine: &Self, purpose: &str, reason: &str| EngineError::Fault {
            place: engine.name(entity).to_string(),
            turn: engine.turn(),
            fault: Fault::BadAsk {
                entity: engine.name(entity).to_string(),
                purpose: purpose.to_owned(),
                reason: reason.to_owned(),
            },
        };
        let Some(question) = open else {
            return Err(bad(self, "?", "its ask is gone"));
        };
        let place = self
            .world
            .get::<OnStage>(entity)
            .map_or(entity, |stage| stage.0);
        if let CurrentStage::Place(here) = *self.world.resource::<CurrentStage>()
            && here != place
        {
            return Err(bad(
                self,
                question.purpose(),
                "it stands at another place than the step",
            ));
        }
        let (asked, guarded) = self.guard_question(&*question);
        let number = {
            let Some(mut count) = self.world.get_mut::<AskCount>(entity) else {
                return Err(bad(self, question.purpose(), "it has no conversation"));
            };
            count.0 += 1;
            count.0
        };
        let name = self.name(entity);
        let alias = self.world.get::<MindAlias>(entity);
        let (mind, tools) = match question.calls() {
            [] => {
                let mind = self.minds.of(&name, alias).clone();
                let tools = self.tools_for(entity, &*question, &*mind)?;
                (mind, tools)
            }
            calls => {
                let (tools, calls) = self.tools_called(&name, calls)?;
                (Arc::new(FixedCalls::new(calls)) as Arc<dyn Mind>, tools)
            }
        };
        let mut view = self.view_of(entity);
        let Some(mut context) = self.world.get_mut::<AgentContext>(entity) else {
            return Err(bad(self, question.purpose(), "it has no conversation"));
        };
        let shown = view.as_deref_mut().unwrap_or(&mut context);
        let hash = request_hash(shown, &asked, &*question, tools.digest);
        let shared_prefix = context
            .entries()
            .first()
            .filter(|entry| entry.role() == Role::System);
        let shared_prefix =
            shared_prefix.and_then(|entry| Some(entry.body().shared_prefix()?.digest()));
        let shared_prefix = shared_prefix.filter(|_| mind.info().caches_prompts);
        let stream = self.stream_of(&*question, &name, number);
        let seed = self.world.resource::<WorldSeed>();
        let mixed = seed.mixed(&[name.as_bytes(), &hash.0]);
        let mut short = [0; 8];
        short.copy_from_slice(&mixed[..8]);
        Ok(Job {
            entity,
            id,
            name,
            place: stable_id(&self.world, place),
            question,
            asked,
            guarded,
            number,
            hash,
            seed: u64::from_le_bytes(short),
            mind,
            stream,
            shared_prefix,
            rounds: Vec::new(),
            tools,
            recorded: Vec::new(),
            calling: None,
            last_usage: TokenUsage::default(),
            view,
            folded: 0,
            spent: Spent::default(),
            estimated: Some(0),
            worst: Spent::default(),
            prompt_tokens: 0,
            figures: CallFigures::default(),
            latency: Default::default(),
            model: None,
        })
    }

    /// Where the answer to a question is shown while it is written: only where somebody watches, and no guard
    /// might hide of the whole what people saw in pieces.
    fn stream_of(
        &self,
        question: &dyn ErasedAsk,
        name: &Arc<str>,
        number: u32,
    ) -> Option<AnswerStream> {
        let watched = self.watched.as_ref()?;
        let open = question.streamed() && !self.world.resource::<Guards>().may_hide();
        open.then(|| watched.answer(name.clone(), number))
    }

    /// As much of an entity's conversation as its own view shows; nothing where that is the whole.
    pub(super) fn view_of(&self, entity: Entity) -> Option<Box<AgentContext>> {
        let view = self.world.get::<View>(entity)?;
        let context = self.world.get::<AgentContext>(entity)?;
        let phrases = self.world.resource::<Phrasebook>();
        view.of(context, &|count| folded_note(count, phrases))
            .map(Box::new)
    }

    /// The question as the guards let it pass. A blocked one is emptied to the guard's reason, so
    /// that nothing of it reaches a mind.
    pub(super) fn guard_question(&self, question: &dyn ErasedAsk) -> (Body, Vec<GuardAct>) {
        let body = question.body();
        let guards = self.world.resource::<Guards>();
        let text = body.full_text();
        if !guards.watch(Point::Ask) {
            return (body.clone(), Vec::new());
        }
        let judgement = guards.judge(Judged {
            point: Point::Ask,
            text: &text,
            kind: question.purpose(),
            speaker: None,
            receiver: None,
            public: false,
            language: *self.world.resource::<Language>(),
        });
        let acts = judgement.acts.clone();
        let asked = match judgement.blocked() {
            Some(reason) => Body::text(reason),
            None if judgement.text == text => body.clone(),
            None => match body.short() {
                Some(short) => Body::text(judgement.text.as_ref()).with_short(short.as_str()),
                None => Body::text(judgement.text.as_ref()),
            },
        };
        (asked, acts)
    }

    pub(super) fn recorded(&self, job: &Job) -> Result<Option<Arc<Outcome>>, EngineError> {
        match self
            .recording
            .find(&job.name, job.id.0, job.number, job.hash)
        {
            Recorded::Outcome(outcome) => Ok(Some(outcome.clone())),
            Recorded::Nothing => Ok(None),
            Recorded::OtherRequest(outcome) => Err(EngineError::OtherRequest {
                turn: self.turn(),
                entity: job.name.to_string(),
                number: job.number,
                purpose: job.question.purpose().to_owned(),
                difference: difference(&outcome.asked, &job.asked.full_text()),
            }),
        }
    }
}

/// The first lines in which a recorded question and this run's differ.
fn difference(recorded: &str, now: &str) -> String {
    if recorded == now {
        return "the question is the same; the history before it, or the wanted form, differs"
            .into();
    }
    let mut pairs = recorded.lines().zip(now.lines()).enumerate();
    let (line, was, is) = match pairs.find(|(_, (was, is))| was != is) {
        Some((at, (was, is))) => (at + 1, was, is),
        None => (
            recorded.lines().count().min(now.lines().count()) + 1,
            "",
            "",
        ),
    };
    format!("line {line}\n  recorded: {was}\n  now:      {is}")
}
