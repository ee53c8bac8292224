//! Asks are taken up: counted, guarded, hashed, and looked for in the recording.

use std::sync::Arc;

use bevy_ecs::prelude::*;

use super::ask_tools::AskTools;
use super::calls::Continuation;
use super::compact::folded_note;
use super::embedding::RecallQuery;
use super::job::{FinishedAsk, Job, JobUsage, JobView, LengthGuess, PreparedAsk, Rounds};
use super::places::Arrival;
use super::{AskCount, Engine, EngineError};
use crate::cast::{CurrentStage, StableId, WorldSeed, place_of, stable_id};
use crate::context::{AgentContext, View};
use crate::event::guard::{GuardAct, Guards, Judged, Judgement, Point};
use crate::event::{Fault, Phrasebook};
use crate::exchange::{ErasedAsk, OpenAsks, request_hash};
use crate::journal::{Outcome, Recorded};
use crate::locale::{UiText, text};
use crate::memory::Vectors;
use crate::message::{Body, Digest, Role, Text, Vector};
use crate::mind::{AnswerForm, AnswerStream, FixedCalls, Mind, MindAlias};

impl Engine {
    /// Takes up the asks that were opened, in stable order.
    pub(super) fn open_asks(&mut self) -> Result<(), EngineError> {
        let mut fresh: Vec<_> = self
            .world
            .resource_mut::<OpenAsks>()
            .take_fresh()
            .into_iter()
            .map(|entity| (stable_id(&self.world, entity), entity))
            .collect();
        fresh.sort_unstable();
        for (id, entity) in fresh {
            let (mut job, asking) = self.prepare(id, entity)?;
            self.places.open.entry(job.ask.place).or_default().missing += 1;
            let vector = match self.recall_query(&job, asking) {
                RecallQuery::Nothing => None,
                RecallQuery::Recorded(vector) => Some(vector),
                RecallQuery::Text(text) => {
                    let about = Vectors::key(&text);
                    let then = Continuation::Ask { about, asking };
                    self.ask_for_vectors(job, [(about, text)], then);
                    continue;
                }
            };
            self.remember(&mut job, vector.as_deref(), asking);
            match self.recorded(&job.ask)? {
                Some((outcome, is_new)) => self.arrive(job, outcome, is_new),
                None => {
                    self.resume_rounds(&mut job);
                    self.wait_for_slot(job);
                }
            }
        }
        Ok(())
    }

    /// The outcome of an ask was recorded.
    pub(super) fn arrive(&mut self, mut job: Box<Job>, outcome: Arc<Outcome>, is_new: bool) {
        self.show_requests(&mut job, &outcome);
        let finished = FinishedAsk {
            ask: job.ask,
            outcome,
            value: None,
        };
        self.arrived.push(Arrival { finished, is_new });
    }

    /// An ask without memories, and the tokens of its prompt.
    fn prepare(&mut self, id: StableId, entity: Entity) -> Result<(Box<Job>, u64), EngineError> {
        let Some(question) = self.world.resource::<OpenAsks>().get(entity).cloned() else {
            return Err(self.bad_ask(entity, "?", text!(event_ask_gone)));
        };
        let purpose = question.parts().purpose;
        let place = place_of(&self.world, entity);
        if let CurrentStage::Place(current) = *self.world.resource::<CurrentStage>()
            && current != place
        {
            return Err(self.bad_ask(entity, purpose, text!(event_ask_elsewhere)));
        }
        let (body, guard_acts) = self.guard_question(&*question);
        let no_conversation = text!(event_no_conversation);
        let Some(mut count) = self.world.get_mut::<AskCount>(entity) else {
            return Err(self.bad_ask(entity, purpose, no_conversation));
        };
        count.0 += 1;
        let number = count.0;
        let name = self.name(entity);
        let (mind, tools) = self.mind_and_tools(entity, &name, &*question)?;
        let mut view = self.view_of(entity);
        let Some(mut context) = self.world.get_mut::<AgentContext>(entity) else {
            return Err(self.bad_ask(entity, purpose, no_conversation));
        };
        let shown = view.as_deref_mut().unwrap_or(&mut context);
        let asked = request_hash(shown, &body, &*question, tools.digest);
        let stats = shown.last_stats();
        let shared_prefix = if mind.info().caches_prompts {
            shared_prefix(&context)
        } else {
            None
        };
        let stream = self.stream_of(&*question, &*mind, &name, number);
        let world_seed = *self.world.resource::<WorldSeed>();
        // What comes to mind changes no dice.
        let retakes = self.record.recording.retakes(&name, id.0, number).iter();
        let vectors = self.record.recording.questions(&name, id.0, number);
        let parts: Vec<_> = [name.as_bytes(), &asked.0]
            .into_iter()
            .chain(retakes.map(String::as_bytes))
            .collect();
        let mixed = world_seed.mixed(&parts);
        let mut seed = [0; 8];
        seed.copy_from_slice(&mixed[..8]);
        let job = Box::new(Job {
            mind,
            is_metered: false,
            stream,
            shared_prefix,
            tools,
            recalled: None,
            rounds: Rounds::default(),
            view: JobView {
                context: view,
                folded: 0,
                guess: LengthGuess::default(),
            },
            usage: JobUsage::default(),
            written_by: None,
            span: None,
            ask: PreparedAsk {
                entity,
                id,
                name,
                place: stable_id(&self.world, place),
                question,
                body,
                guard_acts,
                number,
                hash: asked,
                seed: u64::from_le_bytes(seed),
                vectors,
            },
        });
        let asking = job.estimate(&stats);
        Ok((job, asking))
    }

    /// Adds what comes to an entity's mind to its ask, which had no memories yet.
    pub(super) fn remember(&mut self, job: &mut Job, vector: Option<&Vector>, asking: u64) {
        let known = self.known_for(&job.ask, asking);
        let recorded = self.recalled_before(&job.ask, &known);
        job.recalled =
            recorded.unwrap_or_else(|| self.recall_for(&job.ask, vector, asking, &known));
        job.ask.hash = job.ask.hash_with(job.recalled.as_ref());
    }

    fn bad_ask(&self, entity: Entity, purpose: &str, reason: UiText) -> EngineError {
        EngineError::Fault {
            place: UiText::verbatim(&*self.name(entity)),
            turn: self.turn(),
            fault: Fault::BadAsk {
                entity: self.name(entity).to_string(),
                purpose: purpose.to_owned(),
                reason,
            },
        }
    }

    /// Who answers, and with which tools. Calls that code chose have a mind of their own.
    fn mind_and_tools(
        &mut self,
        entity: Entity,
        name: &Arc<str>,
        question: &dyn ErasedAsk,
    ) -> Result<(Arc<dyn Mind>, AskTools), EngineError> {
        if question.parts().calls.is_empty() {
            let alias = self.world.get::<MindAlias>(entity);
            let mind = self.minds.of(name, alias).clone();
            let tools = self.tools_for(entity, question, &*mind)?;
            return Ok((mind, tools));
        }
        let (tools, calls) = self.tools_called(name, &question.parts().calls)?;
        Ok((Arc::new(FixedCalls::new(calls)), tools))
    }

    /// Where the answer to a question is shown while it is written; `None` if it is not watched, or
    /// if a guard might hide parts of the whole that viewers must not see.
    fn stream_of(
        &self,
        question: &dyn ErasedAsk,
        mind: &dyn Mind,
        name: &Arc<str>,
        number: u32,
    ) -> Option<AnswerStream> {
        let stream = self.listeners.stream.as_ref()?;
        if !self.listeners.streams_all {
            let may_show =
                question.parts().streamed() && !self.world.resource::<Guards>().may_hide();
            return may_show.then(|| stream.answer(name.clone(), number));
        }
        // Who answers at once writes nothing that one could watch.
        mind.info().metered.then(|| match question.parts().form() {
            AnswerForm::Prose { .. } => stream.answer(name.clone(), number),
            AnswerForm::Json { constrained, .. } => {
                stream.words_of_answer(name.clone(), number, constrained)
            }
        })
    }

    /// The part of an entity's conversation that its own view shows; `None` if that is the whole.
    pub(super) fn view_of(&self, entity: Entity) -> Option<Box<AgentContext>> {
        let view = self.world.get::<View>(entity)?;
        let context = self.world.get::<AgentContext>(entity)?;
        let phrases = self.world.resource::<Phrasebook>();
        view.of(context, &|count| folded_note(count, phrases))
            .map(Box::new)
    }

    /// The question as the guards let it pass. A blocked one becomes the guard's reason, so that
    /// nothing of it reaches a mind.
    fn guard_question(&self, question: &dyn ErasedAsk) -> (Body, Vec<GuardAct>) {
        let body = &question.parts().body;
        let guards = self.world.resource::<Guards>();
        if !guards.watch(Point::Ask) {
            return (body.clone(), Vec::new());
        }
        let language = *self.world.resource();
        let judge = |text| guards.judge(Judged::request(question.parts().purpose, text, language));
        let text = body.full_text();
        let full = judge(&text);
        let short = body.short().map(|short| judge(short.as_str()));
        let mut acts = full.acts.clone();
        let of_short = short.iter().flat_map(|short| &short.acts);
        acts.extend(of_short.filter(|act| !full.acts.contains(act)).cloned());
        let mut judged = [Some(&full), short.as_ref()].into_iter().flatten();
        if let Some(reason) = judged.find_map(Judgement::blocked) {
            return (Body::text(reason.to_string()), acts);
        }
        let guarded = if full.text == text {
            body.clone()
        } else {
            Body::text(full.text.as_ref())
        };
        match &short {
            Some(short) if guarded.short().map(Text::as_str) != Some(&*short.text) => {
                (guarded.with_short(short.text.as_ref()), acts)
            }
            _ => (guarded, acts),
        }
    }

    /// What the recording has for an ask, and whether that is still to be recorded here.
    pub(super) fn recorded(
        &self,
        ask: &PreparedAsk,
    ) -> Result<Option<(Arc<Outcome>, bool)>, EngineError> {
        let recording = &self.record.recording;
        match recording.find(&ask.name, ask.id.0, ask.number, ask.hash) {
            Recorded::Outcome(outcome) => Ok(Some((outcome.clone(), false))),
            Recorded::Nothing => {
                let spare = recording.spare(&ask.name, ask.id.0, ask.number, ask.hash);
                Ok(spare.map(|outcome| (outcome.clone(), true)))
            }
            Recorded::OtherRequest(outcome) => Err(EngineError::OtherRequest {
                turn: self.turn(),
                entity: ask.name.to_string(),
                number: ask.number,
                purpose: ask.question.parts().purpose.to_owned(),
                difference: difference(&outcome.asked, &ask.body.full_text()),
            }),
        }
    }
}

/// The digest of the start of a conversation that other entities share.
fn shared_prefix(context: &AgentContext) -> Option<Digest> {
    let first = context.entries().first()?;
    if first.role() != Role::System {
        return None;
    }
    Some(first.body().shared_prefix()?.digest())
}

/// The first line in which a recorded question and this run's differ.
fn difference(recorded: &str, now: &str) -> UiText {
    if recorded == now {
        return text!(engine_same_question);
    }
    let mut pairs = recorded.lines().zip(now.lines()).enumerate();
    let (line, recorded, now) = match pairs.find(|(_, (was, is))| was != is) {
        Some((index, (was, is))) => (index + 1, was, is),
        None => {
            let common = recorded.lines().count().min(now.lines().count());
            (common + 1, "", "")
        }
    };
    text!(engine_other_line, line, recorded, now)
}
