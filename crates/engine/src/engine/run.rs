//! The engine: one world, its schedules, its minds and its journal.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bevy_ecs::prelude::*;
use serde_json::Value;

use super::calls::{Calls, Embeddings, LastPrompts};
use super::gate::CallGate;
use super::listeners::{Listeners, RequestViewer, SentRequest};
use super::outages::Failures;
use super::places::{Arrival, Places};
use super::state::{AskCount, IdleTurns, Inputs};
use super::{
    Account, CancellationToken, EngineError, Lead, ModelBudget, Pace, Setup, Signal, SpendLimits,
    Stop, StoryEnd, Totals,
};
use crate::cast::{
    CastList, Clock, CurrentStage, EntityName, MeetingClock, Occupants, Place, StableId, WorldSeed,
    WorldTurn, agents_context,
};
use crate::context::buffer;
use crate::event::{DeferredCommands, EventQueue, Fault, Faults, Feed, Record, Records, deliver};
use crate::exchange::UntakenAnswers;
use crate::journal::{
    Input, Journal, JournalHeader, Line, Meeting, Outcome, Recording, Replica, Stopped, new_minds,
    new_seed,
};
use crate::locale::{UiText, text};
use crate::message::tokens::Correction;
use crate::mind::{Mind, MindAlias, Minds, StreamReceiver, stream_channel};
use crate::save::state_hashes;
use crate::tool::ToolSpec;

#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// The maximum number of calls at a time, over all minds.
    pub width: usize,
    /// The maximum number of steps of a place in one turn.
    pub max_steps: u32,
    /// The most that may be spent from the account.
    pub limits: SpendLimits,
    /// What the run pays from. Runs that share one share its limits.
    pub account: Account,
    /// What may be spent on single models, by their names at their providers.
    pub models: BTreeMap<Arc<str>, ModelBudget>,
    /// What calls wait for, before they are sent.
    pub pace: Option<Arc<dyn Pace>>,
    /// Whether the run goes on with default answers when a server can't answer. Else it stops, and
    /// a resumed run asks again.
    pub falls_back: bool,
    /// How many asks of this run may end without a usable answer; by default it depends on the
    /// model, see [`MaxDefaults`](crate::mind::MaxDefaults).
    pub max_defaults: Option<u64>,
    /// Whether all answers come from the recording; no mind is asked.
    pub replay: bool,
    /// Whether what follows from the recording is verified: the state is hashed at each meeting and
    /// compared with the recorded one, and what came to minds is found anew.
    pub verify: bool,
    /// Whether memories come to minds by themselves, as asks wish. Without them prompts are
    /// shorter, and all else is the same for minds that don't read them.
    pub recalls: bool,
    /// Whether tools of servers may be missing, as in a run that connects to none.
    pub without_servers: bool,
    /// The clock by which answers are dated, in milliseconds since 1970, so that readers learn when
    /// something was said. The world does not learn it.
    pub clock: Option<fn() -> u64>,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self {
            width: 16,
            max_steps: 1_000,
            limits: SpendLimits::default(),
            account: Account::default(),
            models: BTreeMap::new(),
            pace: None,
            falls_back: false,
            max_defaults: None,
            replay: false,
            verify: true,
            recalls: true,
            without_servers: false,
            clock: None,
        }
    }
}

/// A world that plays: systems, minds, journal and feeds.
///
/// ```
/// use playhouse_engine::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut setup = Setup::new(1);
/// setup.spawn_stage("Mill", "You are a mill.")?;
/// let mind = ScriptMind::by_rule(|_| ScriptLine::say("Hm."));
/// let mut engine = Engine::in_memory(setup, mind)?;
/// engine.settings.limits.calls = Some(100);
/// engine.add_feed(Feed::observer(|record| println!("{record:?}")));
/// assert_eq!(engine.run(Some(3)).await?, Stop::TurnReached(3));
/// # Ok(())
/// # }
/// ```
pub struct Engine {
    /// The world. Change it between runs only.
    pub world: World,
    pub settings: EngineSettings,
    step: Schedule,
    meet: Schedule,
    pub(super) minds: Minds,
    pub(super) record: RunRecord,
    pub(super) listeners: Listeners,
    pub(super) token: CancellationToken,
    pub(super) totals: Totals,
    pub(super) places: Places,
    pub(super) calls: Calls,
    pub(super) gate: CallGate,
    /// Outcomes that wait to be recorded and committed.
    pub(super) arrived: Vec<Arrival>,
    pub(super) failures: Failures,
    /// Why a limit does not allow the next call; `None` if it does.
    pub(super) over_limit: Option<UiText>,
    pub(super) last_prompts: LastPrompts,
    pub(super) embeddings: Embeddings,
    /// What minds are told of the tools that were offered so far.
    pub(super) tool_specs: BTreeMap<Arc<str>, Arc<ToolSpec>>,
    /// What the world is told as soon as a turn begins that no earlier run left in the middle.
    next_inputs: Vec<Value>,
    idle_turns: u32,
    /// When the last answer of each entity came, by name, and the last of all.
    pub(super) answered_at: (BTreeMap<Arc<str>, u64>, u64),
}

/// The models that inputs give entities, by name; of several the last.
fn told_minds(inputs: Option<&Inputs>) -> BTreeMap<String, String> {
    let inputs = inputs.iter().flat_map(|inputs| &inputs.0);
    inputs.flat_map(new_minds).collect()
}

/// Lets entities prefer other models, by name, as an input does when a turn begins.
pub fn give_minds(world: &mut World, minds: &BTreeMap<String, String>) {
    for (name, model) in minds {
        if let Some(entity) = world.resource::<CastList>().by_name(name) {
            world
                .entity_mut(entity)
                .insert(MindAlias(model.as_str().into()));
        }
    }
}

/// What comes from outside, written and read back.
pub(super) struct RunRecord {
    pub(super) journal: Journal,
    /// What an earlier run recorded.
    pub(super) recording: Recording,
    /// What another engine records meanwhile, for a replay.
    pub(super) lead: Option<Box<dyn Lead>>,
}

/// After this many turns without asks and events a story is over.
const MAX_IDLE_TURNS: u32 = 100;

impl Engine {
    /// An engine for what was set up, with minds and a journal to write.
    ///
    /// # Errors
    /// Two systems have no declared order but access the same data.
    pub fn new(setup: Setup, minds: Minds, journal: Journal) -> Result<Self, EngineError> {
        let (world, step, meet) = setup.finish()?;
        let idle = world.get_resource::<IdleTurns>();
        Ok(Self {
            idle_turns: idle.map_or(0, |idle| idle.0),
            answered_at: Default::default(),
            world,
            settings: EngineSettings::default(),
            step,
            meet,
            minds,
            record: RunRecord {
                journal,
                recording: Recording::default(),
                lead: None,
            },
            listeners: Listeners::default(),
            token: CancellationToken::default(),
            totals: Totals::default(),
            places: Places::default(),
            calls: Calls::default(),
            gate: CallGate::default(),
            arrived: Vec::new(),
            failures: Failures::default(),
            over_limit: None,
            last_prompts: LastPrompts::default(),
            embeddings: Embeddings::default(),
            tool_specs: BTreeMap::new(),
            next_inputs: Vec::new(),
        })
    }

    /// As [`Engine::new`], with a journal in memory that is lost with the engine: for tests, and
    /// for games without saves. [`session::Session`](crate::session::Session) keeps it in a
    /// save.
    ///
    /// # Errors
    /// Two systems have no declared order but access the same data.
    pub fn in_memory(setup: Setup, minds: impl Into<Minds>) -> Result<Self, EngineError> {
        let seed = setup.world.resource::<WorldSeed>().0;
        let journal = Journal::in_memory(JournalHeader::new("none", "none", seed));
        Self::new(setup, minds.into(), journal)
    }

    /// Takes answers from this recording if it holds them, before any mind is asked.
    pub fn play_back(&mut self, recording: Recording) {
        self.failures = Failures::after(&recording);
        self.record.recording = recording;
    }

    /// Tells the world something between two turns, which is recorded: the systems of the next
    /// meeting find it in [`Inputs`]. Call it on a world that rests and
    /// [has no outcomes](Self::has_recorded_outcomes) of its next turn, which were recorded without
    /// the input.
    pub fn add_input(&mut self, value: Value) -> Result<(), EngineError> {
        let input = Input {
            turn: self.turn(),
            value,
        };
        let line = Line::Input(input.clone());
        self.record.journal.append(&[line])?;
        self.world
            .get_resource_or_init::<Inputs>()
            .0
            .push(input.value);
        Ok(())
    }

    /// As [`Self::add_input`], as soon as a turn begins whose asks have no recorded outcomes.
    pub fn tell_next(&mut self, value: Value) {
        self.next_inputs.push(value);
    }

    /// Whether asks that are still to come have recorded outcomes: those of a turn that an earlier
    /// run left in the middle.
    pub fn has_recorded_outcomes(&mut self) -> bool {
        let mut counts = self.world.query::<(&EntityName, &AskCount)>();
        let counts: BTreeMap<_, _> = counts
            .iter(&self.world)
            .map(|(name, count)| (&name.0, count.0))
            .collect();
        self.record.recording.outcomes().any(|outcome| {
            let asked = counts.get(&outcome.entity);
            asked.is_none_or(|asked| outcome.number > *asked)
        })
    }

    /// Lets this mind answer for the entity of this name: a person at a seat.
    pub fn seat(&mut self, entity: &str, mind: Arc<dyn Mind>) {
        self.minds = self.minds.clone().with_seat(entity, mind);
    }

    /// Adds a client that is told what happens.
    pub fn add_feed(&mut self, feed: Feed) {
        self.listeners.feeds.push(feed);
    }

    /// Calls this after every turn, when the whole world rests: the moment for a snapshot. It is
    /// told why the run stops after the turn, if it does. What it appends to the journal comes
    /// after the line of the turn's meeting.
    pub fn on_turn(
        &mut self,
        act: impl FnMut(&mut World, &mut Journal, Option<&Stop>) -> Result<(), EngineError>
        + Send
        + 'static,
    ) {
        self.listeners.on_turn = Some(Box::new(act));
    }

    /// Calls this, too, whenever a place has committed the outcomes of its asks, with the world as
    /// they left it. They may be recorded ones.
    pub fn on_commit(&mut self, act: impl FnMut(&World, &[Arc<Outcome>]) + Send + 'static) {
        self.listeners.on_commit.push(Box::new(act));
    }

    /// Calls this whenever a mind is about to be asked, with the world as the question found it and
    /// the name of who is asked.
    pub fn on_call(&mut self, act: impl FnMut(&World, &Arc<str>) + Send + 'static) {
        self.listeners.on_call = Some(Box::new(act));
    }

    /// Calls this, with the world as it is meanwhile, whenever the run waits for answers, and again
    /// after the time that it returns if none has come.
    pub fn on_wait(&mut self, act: impl FnMut(&World) -> Option<Duration> + Send + 'static) {
        self.listeners.on_wait = Some(Box::new(act));
    }

    /// Calls this, too, with news of the run.
    pub fn on_signal(&mut self, act: impl FnMut(Signal) + Send + 'static) {
        self.listeners.on_signal.push(Box::new(act));
    }

    /// Calls `act` with every request that led to a recorded outcome, before the outcome is used.
    /// `mind_of` says who answered, since a request is in the form of its mind; without one,
    /// the outcome is left out.
    pub fn on_request(
        &mut self,
        mind_of: impl FnMut(&Outcome) -> Option<Arc<dyn Mind>> + Send + 'static,
        act: impl FnMut(&SentRequest<'_>) + Send + 'static,
    ) {
        self.listeners.requests = Some(RequestViewer {
            mind_of: Box::new(mind_of),
            act: Box::new(act),
        });
    }

    /// Streams what minds write while they write it. A new receiver replaces the one before.
    ///
    /// Only answers to asks that allow it are streamed
    /// ([`Ask::streamed`](crate::exchange::Ask::streamed)), none while a guard is installed that
    /// may hide something, and no recorded ones. Watching changes nothing that happens or is
    /// recorded, and a receiver that falls behind loses pieces.
    pub fn watch(&mut self) -> StreamReceiver {
        let (sender, receiver) = stream_channel();
        self.listeners.stream = Some(sender);
        self.listeners.streams_all = false;
        receiver
    }

    /// As [`Self::watch`], for a viewer who may see everything: answers of models to all asks are
    /// streamed, whatever guards hide later; of those in JSON, the words.
    pub fn watch_all(&mut self) -> StreamReceiver {
        let receiver = self.watch();
        self.listeners.streams_all = true;
        receiver
    }

    /// Lets the holder of this gate decide which calls begin and which answers are used. A run
    /// waits for them.
    pub fn set_gate(&mut self, gate: CallGate) {
        self.gate = gate;
    }

    /// Stops the run from any thread.
    pub fn cancellation_token(&self) -> CancellationToken {
        self.token.clone()
    }

    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// What each entity remembers: its name and its conversation as text, in stable order.
    pub fn conversations(&self) -> Vec<(Arc<str>, String)> {
        agents_context(&self.world)
            .map(|(name, context)| (name.into(), buffer(context)))
            .collect()
    }

    pub fn journal(&self) -> &Journal {
        &self.record.journal
    }

    /// Lets another place have everything that is recorded from now on before the save has it. It
    /// has this many bytes of the journal already.
    pub fn replicate(&mut self, known: u64, replica: Box<dyn Replica>) -> Result<(), EngineError> {
        Ok(self.record.journal.replicate(known, replica)?)
    }

    /// Plays until something stops the run, at the latest after turn `until`. Call it on a world
    /// that rests: a new one, a loaded one, or one whose run stopped at a turn.
    ///
    /// # Errors
    /// A system made a mistake, a recording does not fit, or the journal can't be written. What was
    /// committed before is safe.
    pub async fn run(&mut self, until: Option<u64>) -> Result<Stop, EngineError> {
        self.check_minds()?;
        self.check_tools()?;
        let was_over = self.world.contains_resource::<StoryEnd>();
        let stop = self.play(until).await;
        self.note_payments();
        self.calls = Calls::default();
        self.gate.drop_held();
        self.release_all();
        let stop = stop?;
        // A story that was over before has its last line already.
        if !self.settings.replay && !was_over && !matches!(stop, Stop::TurnReached(_)) {
            let stopped = Stopped {
                turn: self.turn(),
                reason: stop.journal_reason(),
            };
            self.record.journal.append(&[Line::Stopped(stopped)])?;
        }
        Ok(stop)
    }

    async fn play(&mut self, until: Option<u64>) -> Result<Stop, EngineError> {
        if let Some(stop) = self.stop_at_turn(until) {
            return Ok(stop);
        }
        if let Some(stop) = self.begin_turn().await? {
            return Ok(stop);
        }
        loop {
            while let Some(place) = self.places.ready.pop_first() {
                self.step_place(place)?;
            }
            self.commit_arrived()?;
            if self.token.is_cancelled() {
                return Ok(Stop::Cancelled);
            }
            self.start_calls();
            if let Some(stop) = self.take_stop() {
                self.record_arrived()?;
                return Ok(stop);
            }
            if !self.arrived.is_empty() {
                // Outcomes that needed no call: recorded ones, budgets, exhausted windows.
            } else if self.calls.are_awaited() {
                // A request is in the journal before it is sent.
                self.record.journal.append(Vec::<Line>::new())?;
                if let Some(stop) = self.wait().await {
                    // What has come is paid for.
                    self.record_arrived()?;
                    return Ok(stop);
                }
            } else if let Some(reason) = self.over_limit.take() {
                return Ok(Stop::LimitReached(reason));
            } else if !self.calls.seats.is_empty() {
                let names = self.calls.seats.iter().map(ToString::to_string);
                return Ok(Stop::SeatsAwaited(names.collect()));
            } else if self.settings.replay && !self.calls.waiting.is_empty() {
                if let Some(stop) = self.await_outcomes().await? {
                    return Ok(stop);
                }
            } else {
                if let Some(stop) = self.close_turn(until)? {
                    return Ok(stop);
                }
                if let Some(stop) = self.begin_turn().await? {
                    return Ok(stop);
                }
            }
        }
    }

    /// Begins the next turn, or returns why there is none.
    async fn begin_turn(&mut self) -> Result<Option<Stop>, EngineError> {
        if let Some(stop) = self.await_turn().await {
            return Ok(Some(stop));
        }
        if let Err(reason) = self.add_vectors().await {
            return Ok(Some(Stop::LimitReached(reason)));
        }
        self.open_turn()?;
        Ok(None)
    }

    // --- turns ---

    pub(super) fn turn(&self) -> u64 {
        self.world.resource::<WorldTurn>().0
    }

    fn stop_at_turn(&self, until: Option<u64>) -> Option<Stop> {
        let turn = self.turn();
        if let Some(end) = self.world.get_resource::<StoryEnd>() {
            Some(Stop::Finished(end.0.clone()))
        } else if self.idle_turns >= MAX_IDLE_TURNS {
            Some(Stop::Idle)
        } else if until.is_some_and(|until| turn >= until) {
            Some(Stop::TurnReached(turn))
        } else {
            let is_alone = self.settings.replay && self.record.lead.is_none();
            let is_over = is_alone && self.record.recording.ends_at(turn);
            is_over.then_some(Stop::EndOfRecording)
        }
    }

    /// The world's systems run and every place may step.
    fn open_turn(&mut self) -> Result<(), EngineError> {
        self.world.insert_resource(CurrentStage::Meeting);
        if !self.next_inputs.is_empty() && !self.has_recorded_outcomes() {
            for input in std::mem::take(&mut self.next_inputs) {
                self.add_input(input)?;
            }
        }
        let inputs = self.record.recording.inputs(self.turn());
        if !inputs.is_empty() {
            let mut told = self.world.get_resource_or_init::<Inputs>();
            let later = std::mem::replace(&mut told.0, inputs.to_vec());
            told.0.extend(later);
        }
        let told = self.world.get_resource::<Inputs>();
        if let Some(seed) = told.and_then(|told| new_seed(&told.0)) {
            self.world.insert_resource(WorldSeed(seed));
        }
        let told = told_minds(self.world.get_resource::<Inputs>());
        give_minds(&mut self.world, &told);
        self.meet.run(&mut self.world);
        self.world.remove_resource::<Inputs>();
        self.idle_turns += 1;
        self.serve_feeds();
        self.check_step(None)?;
        self.open_asks()?;
        self.places.steps_before = std::mem::take(&mut self.places.steps);
        // Which places take long is not known in the first turn: those, probably, where many are.
        let is_first = self.places.steps_before.is_empty();
        let mut places = self
            .world
            .query_filtered::<(&StableId, Option<&Occupants>), With<Place>>();
        for (place, occupants) in places.iter(&self.world) {
            self.places.ready.insert(*place);
            if is_first && let Some(occupants) = occupants {
                let count = occupants.in_order().len() as u32;
                self.places.steps_before.insert(*place, count);
            }
        }
        let open = &self.places.open;
        self.places.ready.retain(|place| !open.contains_key(place));
        Ok(())
    }

    /// All places rest: deferred commands run, and the state goes to journal and snapshot. Returns
    /// why the run stops here, if it does.
    fn close_turn(&mut self, until: Option<u64>) -> Result<Option<Stop>, EngineError> {
        self.world.insert_resource(CurrentStage::Meeting);
        self.world.resource_mut::<MeetingClock>().0.time += 1;
        self.run_deferred_commands()?;
        self.check_step(None)?;
        let mut corrections = self.world.query::<&mut Correction>();
        for mut correction in corrections.iter_mut(&mut self.world) {
            // Access marks it as changed, so only those with something to settle are touched.
            if correction.has_pending() {
                correction.settle();
            }
        }
        self.world.resource_mut::<WorldTurn>().0 += 1;
        let turn = self.turn();
        let mut records = self.world.resource_mut::<Records>();
        records.0.push(Record::Turn { turn });
        self.serve_feeds();
        // Saves keep the count of idle turns. A story that moves has none.
        match self.idle_turns {
            0 => drop(self.world.remove_resource::<IdleTurns>()),
            turns => self.world.insert_resource(IdleTurns(turns)),
        }
        if self.settings.verify {
            self.check_or_record_state(turn)?;
        }
        let stop = self.stop_at_turn(until);
        if let Some(act) = &mut self.listeners.on_turn {
            act(&mut self.world, &mut self.record.journal, stop.as_ref())?;
        }
        self.record.journal.append(Vec::<Line>::new())?;
        Ok(stop)
    }

    /// Runs deferred commands, and what they defer in turn, within bounds.
    fn run_deferred_commands(&mut self) -> Result<(), EngineError> {
        let mut waves = 0;
        while !self.world.resource::<DeferredCommands>().is_empty() {
            waves += 1;
            if waves > self.settings.max_steps {
                return Err(EngineError::NeverRests {
                    place: text!(engine_meeting),
                    steps: self.settings.max_steps,
                    turn: self.turn(),
                });
            }
            for command in self.world.resource_mut::<DeferredCommands>().take() {
                command(&mut self.world);
            }
        }
        if !self.world.resource::<EventQueue>().0.is_empty()
            && let Err(error) = self.world.run_system_cached(deliver)
        {
            let fault = Fault::Game(UiText::verbatim(error));
            self.world.resource_mut::<Faults>().note(fault);
        }
        Ok(())
    }

    /// Compares the state with the recording, or records it.
    fn check_or_record_state(&mut self, turn: u64) -> Result<(), EngineError> {
        let hashes = state_hashes(&mut self.world);
        let Some(recorded) = self.record.recording.meeting(turn) else {
            if !self.settings.replay {
                let meeting = Line::Meeting(Meeting { turn, hashes });
                // Synced with what is appended next, before the turn is over.
                self.record.journal.queue(meeting);
            }
            return Ok(());
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

    pub(super) fn step_place(&mut self, id: StableId) -> Result<(), EngineError> {
        let Some(place) = self.world.resource::<CastList>().by_id(id) else {
            return Ok(());
        };
        let steps = self.places.steps.entry(id).or_default();
        *steps += 1;
        if *steps > self.settings.max_steps {
            return Err(EngineError::NeverRests {
                place: UiText::verbatim(&*self.name(place)),
                steps: self.settings.max_steps,
                turn: self.turn(),
            });
        }
        self.world.insert_resource(CurrentStage::Place(place));
        if let Some(mut clock) = self.world.get_mut::<Clock>(place) {
            clock.time += 1;
        }
        self.step.run(&mut self.world);
        self.serve_feeds();
        self.check_step(Some(place))?;
        self.open_asks()
    }

    /// Returns the first mistake of the schedule that just ran.
    fn check_step(&mut self, place: Option<Entity>) -> Result<(), EngineError> {
        let turn = self.turn();
        let faults = std::mem::take(&mut self.world.resource_mut::<Faults>().0);
        let place = || match place {
            Some(place) => UiText::verbatim(&*self.name(place)),
            None => text!(engine_meeting),
        };
        if let Some(fault) = faults.into_iter().next() {
            return Err(EngineError::Fault {
                place: place(),
                turn,
                fault,
            });
        }
        let untaken = &self.world.resource::<UntakenAnswers>().0;
        match untaken.first_key_value() {
            Some((entity, reply)) => Err(EngineError::NotTaken {
                place: place(),
                turn,
                entity: self.name(*entity).to_string(),
                reply,
            }),
            None => Ok(()),
        }
    }

    pub(super) fn serve_feeds(&mut self) {
        let records = std::mem::take(&mut self.world.resource_mut::<Records>().0);
        let is_turn = |record: &Record| matches!(record, Record::Turn { .. });
        if !records.iter().all(is_turn) {
            self.idle_turns = 0;
        }
        for mut record in records {
            self.date(&mut record);
            for feed in &mut self.listeners.feeds {
                feed.offer(&record);
            }
        }
    }

    /// Notes when these answers came.
    pub(super) fn note_dates<'o>(&mut self, outcomes: impl IntoIterator<Item = &'o Outcome>) {
        let (by_entity, last) = &mut self.answered_at;
        for outcome in outcomes.into_iter().filter(|outcome| outcome.at > 0) {
            by_entity.insert(outcome.entity.clone(), outcome.at);
            *last = outcome.at.max(*last);
        }
    }

    /// Dates what happened by the last answer of its speaker, or else by the last of all.
    fn date(&self, record: &mut Record) {
        let Record::Event(event) = record else { return };
        let (by_entity, last) = &self.answered_at;
        let speaker = event.speaker.as_ref();
        let at = speaker.and_then(|speaker| by_entity.get(speaker));
        event.said_at = at.or(Some(last)).copied().filter(|at| *at > 0);
    }

    pub(super) fn name(&self, entity: Entity) -> Arc<str> {
        let name = self.world.get::<EntityName>(entity);
        name.map_or_else(|| "?".into(), |name| name.0.clone())
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
