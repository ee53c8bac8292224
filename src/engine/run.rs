//! The engine: one world, its schedules, its minds and its journal.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use bevy_ecs::prelude::*;
use futures_util::{FutureExt, StreamExt};

use super::calls::{Calls, Done, Job, Returned, rules_of};
use super::compact::{fold, fold_into_chapter, next_fold};
use super::totals::worst_case;
use super::{AskCount, Brake, CallFigures, Caps, EngineError, Finale, Setup, Signal, Stop, Totals};
use crate::cast::{
    CastList, Clock, EntityName, Here, MeetingClock, OnStage, Place, StableId, WorldSeed,
    WorldTurn, stable_id,
};
use crate::context::{AgentContext, Chapters, Tally};
use crate::event::guard::{GuardAct, Guards, Judged, Point};
use crate::event::{
    By, Fault, Faults, Feed, Later, Phrasebook, Record, Records, TellQueue, deliver,
};
use crate::exchange::{
    Budget, Ledger, OpenAsks, Question, Spent, UntakenAnswers, commit, request_hash,
};
use crate::journal::{Ending, Journal, Line, Meeting, Outcome, Recorded, Recording, Stopped};
use crate::message::tokens::Correction;
use crate::message::{Body, Language, Role};
use crate::mind::{Answering, FailedCall, MindAlias, MindError, Minds, Prompt};
use crate::save::state_hashes;

/// How an engine runs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many calls may be under way at once, over all minds.
    pub width: usize,
    /// The most steps that a place may take in one turn.
    pub max_steps: u32,
    /// The most that this run may spend.
    pub caps: Caps,
    /// After how many failed calls in a row the run stops; never where absent.
    pub give_up_after: Option<u32>,
    /// Whether to stop at once, before anything is recorded, where the first calls are refused.
    pub stop_on_first_refusal: bool,
    /// Whether the recording is the only mind; no other is ever asked.
    pub replay: bool,
    /// Whether meetings are hashed and compared; always in a replay.
    pub hash_meetings: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            width: 16,
            max_steps: 1_000,
            caps: Caps::default(),
            give_up_after: None,
            stop_on_first_refusal: false,
            replay: false,
            hash_meetings: true,
        }
    }
}

type OnTurn = Box<dyn FnMut(&mut World) -> Result<(), EngineError> + Send>;
type OnSignal = Box<dyn FnMut(Signal) + Send>;

/// A world that plays: systems, minds, journal and feeds.
pub struct Engine {
    /// The world. Change it between runs only.
    pub world: World,
    /// How the engine runs.
    pub settings: Settings,
    step: Schedule,
    meet: Schedule,
    minds: Minds,
    journal: Journal,
    recording: Recording,
    feeds: Vec<Feed>,
    on_turn: Option<OnTurn>,
    on_signal: Option<OnSignal>,
    brake: Brake,
    totals: Totals,
    /// Places that may step, in stable order.
    ready: BTreeSet<StableId>,
    /// Places with open asks: how many have no outcome yet, and the outcomes of the others.
    open: BTreeMap<StableId, (usize, Vec<Done>)>,
    /// Steps that places took in this turn.
    steps: BTreeMap<StableId, u32>,
    calls: Calls,
    /// Outcomes that were recorded, and new ones that the journal must hold before they count.
    arrived: Vec<(StableId, Done, IsNew)>,
    /// What of each entity's last prompt its next one will repeat.
    repeats: BTreeMap<Entity, Repeats>,
    capped: Option<String>,
    failures_in_row: u32,
    any_success: bool,
    idle_turns: u32,
}

/// The bytes of an entity's last prompt that its next one will repeat.
struct Repeats {
    /// The context's revisions, and how many messages were folded away.
    shape: (u32, u32),
    /// All of it, which a repair repeats.
    sent: u64,
    /// What the next ask repeats.
    kept: u64,
}

/// Whether an outcome is new to the journal.
type IsNew = bool;

/// After so many turns without asks and events a story is over.
const IDLE_TURNS: u32 = 100;

impl Engine {
    /// An engine of what was set up, with minds and a journal to write.
    ///
    /// # Errors
    /// Two systems have no declared order but touch the same things.
    pub fn new(setup: Setup, minds: Minds, journal: Journal) -> Result<Self, EngineError> {
        let (world, step, meet) = setup.finish()?;
        Ok(Self {
            world,
            settings: Settings::default(),
            step,
            meet,
            minds,
            journal,
            recording: Recording::default(),
            feeds: Vec::new(),
            on_turn: None,
            on_signal: None,
            brake: Brake::default(),
            totals: Totals::default(),
            ready: BTreeSet::new(),
            open: BTreeMap::new(),
            steps: BTreeMap::new(),
            calls: Calls::default(),
            arrived: Vec::new(),
            repeats: BTreeMap::new(),
            capped: None,
            failures_in_row: 0,
            any_success: false,
            idle_turns: 0,
        })
    }

    /// Answers from this recording where it holds one, before any mind is asked.
    pub fn play_back(&mut self, recording: Recording) {
        self.recording = recording;
    }

    /// Adds a client.
    pub fn add_feed(&mut self, feed: Feed) {
        self.feeds.push(feed);
    }

    /// Calls this after every turn, when the whole world rests: the moment for a snapshot.
    pub fn on_turn(
        &mut self,
        act: impl FnMut(&mut World) -> Result<(), EngineError> + Send + 'static,
    ) {
        self.on_turn = Some(Box::new(act));
    }

    /// Calls this with news of the run.
    pub fn on_signal(&mut self, act: impl FnMut(Signal) + Send + 'static) {
        self.on_signal = Some(Box::new(act));
    }

    /// Stops the run when pulled, from any thread.
    pub fn brake(&self) -> Brake {
        self.brake.clone()
    }

    /// What the run has spent.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// The journal.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Plays on until something stops the run. Call it on a world that rests: a new one, a loaded
    /// one, or one whose run stopped at a turn.
    ///
    /// # Errors
    /// A system made a mistake, a recording does not fit, or the journal can't be written. What was
    /// committed before is safe.
    pub async fn run(&mut self, until: Option<u64>) -> Result<Stop, EngineError> {
        self.check_minds()?;
        let stop = self.play(until).await;
        self.calls = Calls::default();
        self.totals.reserved = Spent::default();
        if let Ok(stop) = &stop
            && !self.settings.replay
            && !matches!(stop, Stop::TurnReached(_))
        {
            let turn = self.turn();
            let reason = format!("{stop:?}");
            self.journal
                .append(&[Line::Stopped(Stopped { turn, reason })])?;
        }
        stop
    }

    async fn play(&mut self, until: Option<u64>) -> Result<Stop, EngineError> {
        if let Some(stop) = self.stop_at_turn(until) {
            return Ok(stop);
        }
        self.open_turn()?;
        loop {
            while let Some(place) = self.ready.pop_first() {
                self.step_place(place)?;
            }
            self.commit_arrived()?;
            if self.brake.is_pulled() {
                return Ok(Stop::Braked);
            }
            self.start_calls();
            if !self.arrived.is_empty() {
                // Outcomes that needed no call: recorded ones, budgets, exhausted windows.
            } else if !self.calls.under_way.is_empty() {
                if let Some(stop) = self.wait().await {
                    // What has come is paid for.
                    self.record_arrived()?;
                    return Ok(stop);
                }
            } else if let Some(reason) = self.capped.take() {
                return Ok(Stop::CapReached(reason));
            } else if self.settings.replay && !self.calls.waiting.is_empty() {
                return Ok(Stop::EndOfRecording);
            } else {
                self.close_turn()?;
                if let Some(stop) = self.stop_at_turn(until) {
                    return Ok(stop);
                }
                self.open_turn()?;
            }
        }
    }

    // --- turns ---

    fn turn(&self) -> u64 {
        self.world.resource::<WorldTurn>().0
    }

    fn stop_at_turn(&self, until: Option<u64>) -> Option<Stop> {
        if let Some(finale) = self.world.get_resource::<Finale>() {
            return Some(Stop::Finished(finale.0.clone()));
        }
        if self.idle_turns >= IDLE_TURNS {
            return Some(Stop::Idle);
        }
        if self.settings.replay && self.recording.ends_at(self.turn()) {
            return Some(Stop::EndOfRecording);
        }
        let turn = self.turn();
        until
            .filter(|until| turn >= *until)
            .map(|_| Stop::TurnReached(turn))
    }

    /// The world's systems run and every place wakes.
    fn open_turn(&mut self) -> Result<(), EngineError> {
        self.world.insert_resource(Here::Meeting);
        self.meet.run(&mut self.world);
        self.idle_turns += 1;
        self.serve_feeds();
        self.check_step(None)?;
        self.open_asks()?;
        self.steps.clear();
        let mut places = self.world.query_filtered::<&StableId, With<Place>>();
        self.ready = places.iter(&self.world).copied().collect();
        let open = &self.open;
        self.ready.retain(|place| !open.contains_key(place));
        Ok(())
    }

    /// All rest: what was queued to cross stages takes effect, and the world is fixed in journal and
    /// snapshot.
    fn close_turn(&mut self) -> Result<(), EngineError> {
        self.world.insert_resource(Here::Meeting);
        self.world.resource_mut::<MeetingClock>().0.time += 1;
        self.cross()?;
        self.check_step(None)?;
        let mut corrections = self.world.query::<&mut Correction>();
        for mut correction in corrections.iter_mut(&mut self.world) {
            correction.settle();
        }
        self.world.resource_mut::<WorldTurn>().0 += 1;
        let turn = self.turn();
        self.world
            .resource_mut::<Records>()
            .0
            .push(Record::Turn { turn });
        self.serve_feeds();
        if self.settings.hash_meetings || self.settings.replay {
            self.note_meeting(turn)?;
        }
        match &mut self.on_turn {
            Some(act) => act(&mut self.world),
            None => Ok(()),
        }
    }

    /// Runs what was queued to cross stages, and what that queues in turn, within bounds.
    fn cross(&mut self) -> Result<(), EngineError> {
        let mut waves = 0;
        while !self.world.resource::<Later>().is_empty() {
            waves += 1;
            if waves > self.settings.max_steps {
                return Err(EngineError::NeverRests {
                    place: "the meeting".into(),
                    steps: self.settings.max_steps,
                    turn: self.turn(),
                });
            }
            for crossing in self.world.resource_mut::<Later>().take() {
                crossing(&mut self.world);
            }
        }
        self.deliver_crossings();
        Ok(())
    }

    fn deliver_crossings(&mut self) {
        if !self.world.resource::<TellQueue>().0.is_empty()
            && let Err(error) = self.world.run_system_cached(deliver)
        {
            let fault = Fault::Game(error.to_string());
            self.world.resource_mut::<Faults>().note(fault);
        }
    }

    /// Compares the state with the recording, or records it.
    fn note_meeting(&mut self, turn: u64) -> Result<(), EngineError> {
        let hashes = state_hashes(&mut self.world);
        let Some(recorded) = self.recording.meeting(turn) else {
            if self.settings.replay {
                return Ok(());
            }
            let meeting = Line::Meeting(Meeting { turn, hashes });
            return Ok(self.journal.append(&[meeting])?);
        };
        let differs = |name: &&Arc<str>| recorded.hashes.get(*name) != hashes.get(*name);
        let mut names = recorded.hashes.keys().chain(hashes.keys());
        match names.find(differs) {
            Some(place) => Err(EngineError::OtherState {
                turn,
                place: place.to_string(),
            }),
            None => Ok(()),
        }
    }

    // --- steps ---

    fn step_place(&mut self, id: StableId) -> Result<(), EngineError> {
        let Some(place) = self.world.resource::<CastList>().by_id(id) else {
            return Ok(());
        };
        let steps = self.steps.entry(id).or_default();
        *steps += 1;
        if *steps > self.settings.max_steps {
            return Err(EngineError::NeverRests {
                place: self.name(place).to_string(),
                steps: self.settings.max_steps,
                turn: self.turn(),
            });
        }
        self.world.insert_resource(Here::Place(place));
        if let Some(mut clock) = self.world.get_mut::<Clock>(place) {
            clock.time += 1;
        }
        self.step.run(&mut self.world);
        self.serve_feeds();
        self.check_step(Some(place))?;
        self.open_asks()
    }

    /// Names the first mistake of the schedule that just ran.
    fn check_step(&mut self, place: Option<Entity>) -> Result<(), EngineError> {
        let turn = self.turn();
        let place_name = place.map_or("the meeting".into(), |place| self.name(place).to_string());
        let faults = std::mem::take(&mut self.world.resource_mut::<Faults>().0);
        if let Some(fault) = faults.into_iter().next() {
            return Err(EngineError::Fault {
                place: place_name,
                turn,
                fault,
            });
        }
        let untaken = self.world.resource::<UntakenAnswers>().0.iter().next();
        match untaken.map(|(entity, reply)| (*entity, *reply)) {
            Some((entity, reply)) => Err(EngineError::NotTaken {
                place: place_name,
                turn,
                entity: self.name(entity).to_string(),
                reply,
            }),
            None => Ok(()),
        }
    }

    fn serve_feeds(&mut self) {
        let records = std::mem::take(&mut self.world.resource_mut::<Records>().0);
        if records
            .iter()
            .any(|record| !matches!(record, Record::Turn { .. }))
        {
            self.idle_turns = 0;
        }
        for record in &records {
            for feed in &mut self.feeds {
                feed.offer(record);
            }
        }
    }

    fn name(&self, entity: Entity) -> Arc<str> {
        let name = self.world.get::<EntityName>(entity);
        name.map_or_else(|| "?".into(), |name| name.0.clone())
    }

    // --- asks ---

    /// Takes up the asks that were opened, in stable order.
    fn open_asks(&mut self) -> Result<(), EngineError> {
        let fresh = self.world.resource_mut::<OpenAsks>().take_fresh();
        let mut fresh: Vec<_> = fresh
            .into_iter()
            .map(|entity| (stable_id(&self.world, entity), entity))
            .collect();
        fresh.sort_unstable();
        for (id, entity) in fresh {
            let job = self.prepare(id, entity)?;
            self.open.entry(job.place).or_default().0 += 1;
            match self.recorded(&job)? {
                Some(outcome) => {
                    let place = job.place;
                    let done = Box::new(job).done(outcome);
                    self.arrived.push((place, done, false));
                }
                None => self.calls.waiting.push_back(Box::new(job)),
            }
        }
        Ok(())
    }

    fn prepare(&mut self, id: StableId, entity: Entity) -> Result<Job, EngineError> {
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
        if let Here::Place(here) = *self.world.resource::<Here>()
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
        let mind = self.minds.of(&name, alias).clone();
        let Some(mut context) = self.world.get_mut::<AgentContext>(entity) else {
            return Err(bad(self, question.purpose(), "it has no conversation"));
        };
        let hash = request_hash(&mut context, &asked, &*question);
        let opening = context
            .entries()
            .first()
            .filter(|entry| entry.role() == Role::System);
        let opening = opening.and_then(|entry| Some(entry.body().opening()?.digest()));
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
            opening,
            refused: Vec::new(),
            view: None,
            folded: 0,
            spent: Spent::default(),
            estimated: Some(0),
            worst: Spent::default(),
            prompt_tokens: 0,
            figures: CallFigures::default(),
            latency: Default::default(),
            model: String::new(),
        })
    }

    /// The question as the guards let it pass. A blocked one is emptied to the guard's reason, so
    /// that nothing of it reaches a mind.
    fn guard_question(&self, question: &dyn Question) -> (Body, Vec<GuardAct>) {
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

    fn recorded(&self, job: &Job) -> Result<Option<Outcome>, EngineError> {
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

    // --- calls ---

    /// Starts as many waiting calls as slots, caps and the warming of caches allow.
    fn start_calls(&mut self) {
        if self.settings.replay {
            return;
        }
        // A cap may have refused a call for what was only reserved then.
        self.capped = None;
        let width = self.settings.width.max(1);
        let mut held = VecDeque::new();
        while self.capped.is_none() && self.calls.under_way.len() < width {
            let Some(job) = self.calls.waiting.pop_front() else {
                break;
            };
            let info = job.mind.info();
            let warm = match job.opening {
                Some(opening) if info.warms => self.calls.warmth.lets_start(&info.alias, opening),
                _ => true,
            };
            match warm {
                true => self.start_call(job),
                false => held.push_back(job),
            }
        }
        // Those held back go first when the cache is warm.
        if !held.is_empty() {
            held.append(&mut self.calls.waiting);
            self.calls.waiting = held;
        }
    }

    fn start_call(&mut self, mut job: Box<Job>) {
        let tally = self.fit_window(&mut job);
        job.prompt_tokens = job.estimate(&tally);
        job.worst = self.worst_of(&job);
        if let Some(reason) = self.over_budget(&job, &job.worst) {
            return self.end(job, Ending::Failed { reason });
        }
        if let Some(reason) = self.totals.refuses(&self.settings.caps, &job.worst) {
            self.capped = Some(reason);
            self.calls.waiting.push_front(job);
            return;
        }
        let Some(answering) = self.ask_mind(&job) else {
            let reason = "the entity is gone".into();
            return self.end(job, Ending::Failed { reason });
        };
        self.totals.reserve(job.worst);
        self.note_repeats(&mut job, tally);
        let info = job.mind.info();
        if let Some(opening) = job.opening {
            self.calls.warmth.started(&info.alias, opening);
        }
        let signal = Signal::CallStarted {
            entity: job.name.clone(),
            purpose: job.question.purpose(),
            mind: info.alias.clone(),
        };
        self.signal(signal);
        self.calls.under_way.push(Box::pin(async move {
            let result = answering.await;
            (job, result)
        }));
    }

    /// The worst case of a job's next call.
    fn worst_of(&self, job: &Job) -> Spent {
        let info = job.mind.info();
        let prompt = self.correction(job.entity).apply(job.prompt_tokens);
        let answer = job.question.max_tokens().min(info.max_output);
        worst_case(prompt, answer, |usage| {
            let price = info.price.as_ref();
            price.map(|price| price.of(usage)).unwrap_or_default()
        })
    }

    fn correction(&self, entity: Entity) -> Correction {
        let correction = self.world.get::<Correction>(entity);
        correction.copied().unwrap_or_default()
    }

    /// Hands a prompt to its mind; nothing where the entity has left the world.
    fn ask_mind(&self, job: &Job) -> Option<Answering> {
        let whole = || self.world.get::<AgentContext>(job.entity);
        let history = job.view.as_deref().or_else(whole)?;
        let span = tracing::debug_span!("call", entity = %job.name, purpose = job.question.purpose(), tokens = job.prompt_tokens);
        let _entered = span.enter();
        Some(job.mind.answer(&Prompt {
            entity: &job.name,
            purpose: job.question.purpose(),
            number: job.number,
            language: *self.world.resource::<Language>(),
            history,
            question: &job.asked,
            ask_short: job.question.ask_short(),
            refused: &job.refused,
            form: job.question.form(),
            max_tokens: job.question.max_tokens().min(job.mind.info().max_output),
            seed: job.seed,
        }))
    }

    /// Folds the oldest messages away until the prompt fits a window that is known.
    fn fit_window(&mut self, job: &mut Job) -> Tally {
        loop {
            let tally = match (
                &mut job.view,
                self.world.get_mut::<AgentContext>(job.entity),
            ) {
                (Some(view), _) => view.tally(),
                (None, Some(mut context)) => context.tally(),
                (None, None) => Tally::default(),
            };
            let info = job.mind.info();
            let Some(window) = info.window else {
                return tally;
            };
            let answer = u64::from(job.question.max_tokens().min(info.max_output));
            let prompt = self.correction(job.entity).apply(job.estimate(&tally));
            if prompt + answer <= window || !self.fold_once(job) {
                return tally;
            }
        }
    }

    /// Folds about half of the messages away; false where nothing is left to fold.
    fn fold_once(&mut self, job: &mut Job) -> bool {
        let Some(context) = self.world.get::<AgentContext>(job.entity) else {
            return false;
        };
        let more = next_fold(job.view.as_deref().unwrap_or(context));
        if more == 0 {
            return false;
        }
        // A folded view has one line in the place of what was folded before.
        let folded = if job.folded == 0 {
            more
        } else {
            job.folded + more - 1
        };
        let mut view = Box::new(context.clone());
        fold(&mut view, folded, self.world.resource::<Phrasebook>());
        job.folded = folded;
        job.view = Some(view);
        true
    }

    fn over_budget(&self, job: &Job, worst: &Spent) -> Option<String> {
        let budget = self.world.get::<Budget>(job.entity)?;
        let mut spent = self
            .world
            .get::<Ledger>(job.entity)
            .map(Ledger::total)
            .unwrap_or_default();
        spent += job.spent;
        (!budget.allows(&spent, worst)).then(|| "the entity's budget is used up".to_owned())
    }

    /// Notes how much of a prompt its provider has seen before.
    fn note_repeats(&mut self, job: &mut Job, tally: Tally) {
        let Some(context) = self.world.get::<AgentContext>(job.entity) else {
            return;
        };
        let shape = (context.revisions(), job.folded);
        let short = job.asked.short().map(|short| short.as_str().len() as u64);
        let asked = match short {
            Some(short) if job.question.ask_short() => short,
            _ => job.asked.full_text().len() as u64,
        };
        let refused = job.refused.iter().map(|refused| {
            (refused.answer.as_str().len() + refused.complaint.as_str().len()) as u64
        });
        let before = self.repeats.get(&job.entity);
        let before = before.filter(|before| before.shape == shape);
        let repeated = before.map_or(0, |before| match job.refused.is_empty() {
            true => before.kept,
            false => before.sent,
        });
        let sent = tally.bytes + asked + refused.sum::<u64>();
        // A full question is replaced by its short form in the next prompt, others are kept.
        let keeps_question = short.is_none() || job.question.ask_short();
        let kept = tally.bytes + if keeps_question { asked } else { 0 };
        job.figures = CallFigures {
            prompt_bytes: sent,
            repeated_bytes: repeated.min(sent),
            ..CallFigures::default()
        };
        let repeats = Repeats { shape, sent, kept };
        self.repeats.insert(job.entity, repeats);
    }

    /// Waits for the next answer, and takes all that have arrived with it.
    async fn wait(&mut self) -> Option<Stop> {
        let brake = self.brake.clone();
        let first = tokio::select! {
            biased;
            () = brake.pulled() => return Some(Stop::Braked),
            returned = self.calls.under_way.next() => returned?,
        };
        let mut stop = self.returned(first);
        while let Some(Some(next)) = self.calls.under_way.next().now_or_never() {
            stop = self.returned(next).or(stop);
        }
        stop
    }

    fn returned(&mut self, (mut job, result): Returned) -> Option<Stop> {
        let spent = job.book(&result);
        self.totals.calls.push(job.figures);
        self.totals.settle(job.worst, spent);
        if let Some(words) = self.totals.warning(&self.settings.caps) {
            self.signal(Signal::CapNear(words));
        }
        if let Some(opening) = job.opening {
            let alias = job.mind.info().alias.clone();
            self.calls.warmth.ended(&alias, opening);
        }
        match result {
            Ok(completion) => {
                self.failures_in_row = 0;
                self.any_success = true;
                match job.question.judge(&completion.text) {
                    Ok(_) => self.end(
                        job,
                        Ending::Answered {
                            text: completion.text,
                            thinking: completion.thinking,
                            finish: completion.finish,
                        },
                    ),
                    Err(broken) => self.repair(job, &completion.text, &broken),
                }
                None
            }
            Err(FailedCall { error, .. }) => self.failed(job, error),
        }
    }

    fn repair(&mut self, mut job: Box<Job>, answer: &str, broken: &[crate::exchange::Broken]) {
        if job.refused.len() as u32 >= job.question.repairs() {
            let rules: Vec<_> = broken.iter().map(|broken| broken.rule.as_str()).collect();
            let reason = format!("the answer failed its check: {}", rules.join("; "));
            job.refuse(answer, String::new());
            return self.end(job, Ending::Failed { reason });
        }
        let phrases = self.world.resource::<Phrasebook>();
        let facts = serde_json::json!({"broken": rules_of(broken)});
        let complaint = phrases
            .say("engine/repair", &facts)
            .unwrap_or_else(|_| facts.to_string());
        job.refuse(answer, complaint);
        self.calls.waiting.push_front(job);
    }

    fn failed(&mut self, mut job: Box<Job>, error: MindError) -> Option<Stop> {
        if matches!(error, MindError::TooLong { .. }) && self.fold_once(&mut job) {
            self.calls.waiting.push_front(job);
            return None;
        }
        if matches!(error, MindError::Cancelled | MindError::SeatEmpty { .. }) {
            self.calls.waiting.push_front(job);
            return Some(Stop::Braked);
        }
        tracing::warn!(entity = %job.name, purpose = job.question.purpose(), "{error}");
        let refused = matches!(
            error,
            MindError::Denied { .. } | MindError::Unreachable { .. }
        );
        if self.settings.stop_on_first_refusal && refused && !self.any_success {
            return Some(Stop::ServerDown(error.to_string()));
        }
        self.failures_in_row += 1;
        let gave_up = self
            .settings
            .give_up_after
            .is_some_and(|most| self.failures_in_row >= most);
        let reason = error.to_string();
        if gave_up {
            // Who resumes asks this one again.
            self.calls.waiting.push_front(job);
            return Some(Stop::ServerDown(reason));
        }
        self.end(job, Ending::Failed { reason });
        None
    }

    fn end(&mut self, job: Box<Job>, ending: Ending) {
        let by = match &ending {
            Ending::Failed { reason } => By::Fallback(reason.clone()),
            Ending::Answered { .. } if job.refused.is_empty() => By::Mind,
            Ending::Answered { .. } => By::Repaired(job.refused.len() as u32),
        };
        let signal = Signal::CallEnded {
            entity: job.name.clone(),
            purpose: job.question.purpose(),
            by,
            latency: job.latency,
        };
        self.signal(signal);
        let outcome = job.outcome(ending);
        let place = job.place;
        self.arrived.push((place, job.done(outcome), true));
    }

    fn signal(&mut self, signal: Signal) {
        if let Some(act) = &mut self.on_signal {
            act(signal);
        }
    }

    // --- commits ---

    /// Syncs what has arrived to the journal, once, and commits every place whose asks are all done.
    fn commit_arrived(&mut self) -> Result<(), EngineError> {
        self.record_arrived()?;
        let mut complete = Vec::new();
        for (place, done, _) in std::mem::take(&mut self.arrived) {
            let (missing, all) = self.open.entry(place).or_default();
            all.push(done);
            *missing = missing.saturating_sub(1);
            if *missing == 0 {
                complete.push(place);
            }
        }
        complete.sort_unstable();
        for place in complete {
            if let Some((_, all)) = self.open.remove(&place) {
                self.commit_place(place, all);
                // Its answers are taken before those of another place exist.
                self.step_place(place)?;
            }
        }
        Ok(())
    }

    /// Syncs what has arrived and is new to the journal, once.
    fn record_arrived(&mut self) -> Result<(), EngineError> {
        let new = self.arrived.iter_mut();
        let new = new.filter_map(|(_, done, is_new)| std::mem::take(is_new).then_some(done));
        let lines: Vec<_> = new
            .map(|done| Line::Outcome(Box::new(done.outcome.clone())))
            .collect();
        if !lines.is_empty() {
            self.journal.append(lines)?;
        }
        Ok(())
    }

    fn commit_place(&mut self, id: StableId, mut all: Vec<Done>) {
        if let Some(place) = self.world.resource::<CastList>().by_id(id) {
            self.world.insert_resource(Here::Place(place));
        }
        all.sort_unstable_by_key(|done| done.id);
        for done in all {
            if done.outcome.folded > 0 {
                self.fold_for_good(done.entity, done.outcome.folded);
            }
            commit(
                &mut self.world,
                done.entity,
                &done.asked,
                &done.outcome,
                done.guarded,
            );
        }
        self.serve_feeds();
    }

    fn fold_for_good(&mut self, entity: Entity, count: u32) {
        let phrases = self.world.resource::<Phrasebook>().clone();
        let turn = self.turn();
        let mut query = self.world.query::<(&mut AgentContext, &mut Chapters)>();
        if let Ok((mut context, mut chapters)) = query.get_mut(&mut self.world, entity) {
            fold_into_chapter(&mut context, &mut chapters, count, turn, &phrases);
        }
    }

    fn check_minds(&mut self) -> Result<(), EngineError> {
        if self.settings.replay {
            return Ok(());
        }
        let mut preferences = self.world.query::<(&EntityName, &MindAlias)>();
        let unknown = preferences
            .iter(&self.world)
            .filter(|(_, alias)| !self.minds.knows(&alias.0))
            .min();
        match unknown {
            Some((name, alias)) => Err(EngineError::UnknownMind {
                entity: name.to_string(),
                alias: alias.0.to_string(),
            }),
            None => Ok(()),
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
