//! The engine: one world, its schedules, its minds and its journal.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy_ecs::prelude::*;

use super::calls::{Calls, Done};
use super::{
    CancellationToken, EngineError, IdleTurns, Setup, Signal, SpendLimits, Stop, StoryEnd, Totals,
};
use crate::cast::{
    CastList, Clock, CurrentStage, EntityName, MeetingClock, Place, StableId, WorldTurn,
};
use crate::event::{DeferredCommands, EventQueue, Fault, Faults, Feed, Record, Records, deliver};
use crate::exchange::{Spent, UntakenAnswers};
use crate::journal::{Journal, Line, Meeting, Recording, Stopped};
use crate::message::tokens::Correction;
use crate::mind::{MindAlias, Minds, StreamReceiver, StreamSender, stream_channel};
use crate::save::state_hashes;
use crate::tool::ToolSpec;

/// How an engine runs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many calls may be under way at once, over all minds.
    pub width: usize,
    /// The most steps that a place may take in one turn.
    pub max_steps: u32,
    /// The most that this run may spend.
    pub caps: SpendLimits,
    /// After how many failed calls in a row the run stops; never where absent.
    pub give_up_after: Option<u32>,
    /// Whether to stop at once, before anything is recorded, where the first calls are refused.
    pub stop_on_first_refusal: bool,
    /// Whether the recording is the only mind; no other is ever asked.
    pub replay: bool,
    /// Whether meetings are hashed and compared; always in a replay.
    pub hash_meetings: bool,
    /// Whether tools of servers may be missing, as in a run that connects none.
    pub without_servers: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            width: 16,
            max_steps: 1_000,
            caps: SpendLimits::default(),
            give_up_after: None,
            stop_on_first_refusal: false,
            replay: false,
            hash_meetings: true,
            without_servers: false,
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
    pub(super) step: Schedule,
    pub(super) meet: Schedule,
    pub(super) minds: Minds,
    pub(super) journal: Journal,
    pub(super) recording: Recording,
    pub(super) feeds: Vec<Feed>,
    pub(super) on_turn: Option<OnTurn>,
    pub(super) on_signal: Option<OnSignal>,
    /// Where answers are shown while they are written.
    pub(super) watched: Option<StreamSender>,
    pub(super) brake: CancellationToken,
    pub(super) totals: Totals,
    /// Places that may step, in stable order.
    pub(super) ready: BTreeSet<StableId>,
    /// Places with open asks: how many have no outcome yet, and the outcomes of the others.
    pub(super) open: BTreeMap<StableId, (usize, Vec<Done>)>,
    /// Steps that places took in this turn.
    pub(super) steps: BTreeMap<StableId, u32>,
    pub(super) calls: Calls,
    /// Outcomes that were recorded, and new ones that the journal must hold before they count.
    pub(super) arrived: Vec<(StableId, Done, IsNew)>,
    /// Lines that the journal must hold before the next call goes out.
    pub(super) lines: Vec<Line>,
    /// What minds are told of the tools that were offered so far.
    pub(super) tool_specs: BTreeMap<Arc<str>, Arc<ToolSpec>>,
    /// What of each entity's last prompt its next one will repeat.
    pub(super) repeats: BTreeMap<Entity, Repeats>,
    pub(super) capped: Option<String>,
    pub(super) failures_in_row: u32,
    pub(super) any_success: bool,
    pub(super) idle_turns: u32,
}

/// The bytes of an entity's last prompt that its next one will repeat.
pub(super) struct Repeats {
    /// The context's revisions, and how many messages were folded away.
    pub(super) shape: (u32, u32),
    /// All of it, which a repair repeats.
    pub(super) sent: u64,
    /// What the next ask repeats.
    pub(super) kept: u64,
}

/// Whether an outcome is new to the journal.
pub(super) type IsNew = bool;

/// After so many turns without asks and events a story is over.
const IDLE_TURNS: u32 = 100;

impl Engine {
    /// An engine of what was set up, with minds and a journal to write.
    ///
    /// # Errors
    /// Two systems have no declared order but touch the same things.
    pub fn new(setup: Setup, minds: Minds, journal: Journal) -> Result<Self, EngineError> {
        let (world, step, meet) = setup.finish()?;
        let idle = world.get_resource::<IdleTurns>();
        Ok(Self {
            idle_turns: idle.map_or(0, |idle| idle.0),
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
            watched: None,
            brake: CancellationToken::default(),
            totals: Totals::default(),
            ready: BTreeSet::new(),
            open: BTreeMap::new(),
            steps: BTreeMap::new(),
            calls: Calls::default(),
            arrived: Vec::new(),
            lines: Vec::new(),
            tool_specs: BTreeMap::new(),
            repeats: BTreeMap::new(),
            capped: None,
            failures_in_row: 0,
            any_success: false,
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

    /// Lets somebody watch, from now on, what minds write while they write it; whoever watched before sees no
    /// more of it. Only answers to asks that allow it are shown ([`Ask::in_pieces`](crate::exchange::Ask::in_pieces)),
    /// none while a guard stands that may hide something, and recorded ones never: nobody writes them. It
    /// changes nothing that is told or recorded, and a watcher who falls behind loses pieces.
    pub fn watch(&mut self) -> StreamReceiver {
        let (sender, receiver) = stream_channel();
        self.watched = Some(sender);
        receiver
    }

    /// Stops the run when pulled, from any thread.
    pub fn brake(&self) -> CancellationToken {
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
        self.check_tools()?;
        let was_over = self.world.contains_resource::<StoryEnd>();
        let stop = self.play(until).await;
        self.calls = Calls::default();
        self.totals.reserved = Spent::default();
        // A story that was over before has its last line already.
        if let Ok(stop) = &stop
            && !self.settings.replay
            && !was_over
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

    pub(super) fn turn(&self) -> u64 {
        self.world.resource::<WorldTurn>().0
    }

    pub(super) fn stop_at_turn(&self, until: Option<u64>) -> Option<Stop> {
        if let Some(finale) = self.world.get_resource::<StoryEnd>() {
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
    pub(super) fn open_turn(&mut self) -> Result<(), EngineError> {
        self.world.insert_resource(CurrentStage::Meeting);
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
    pub(super) fn close_turn(&mut self) -> Result<(), EngineError> {
        self.world.insert_resource(CurrentStage::Meeting);
        self.world.resource_mut::<MeetingClock>().0.time += 1;
        self.cross()?;
        self.check_step(None)?;
        let mut corrections = self.world.query::<&mut Correction>();
        for mut correction in corrections.iter_mut(&mut self.world) {
            // Who learned nothing has not changed.
            if correction.has_pending() {
                correction.settle();
            }
        }
        self.world.resource_mut::<WorldTurn>().0 += 1;
        let turn = self.turn();
        self.world
            .resource_mut::<Records>()
            .0
            .push(Record::Turn { turn });
        self.serve_feeds();
        self.note_idle();
        if self.settings.hash_meetings || self.settings.replay {
            self.note_meeting(turn)?;
        }
        match &mut self.on_turn {
            Some(act) => act(&mut self.world),
            None => Ok(()),
        }
    }

    /// Keeps the count of idle turns where a save finds it. A story that moves has none.
    fn note_idle(&mut self) {
        match self.idle_turns {
            0 => drop(self.world.remove_resource::<IdleTurns>()),
            turns => self.world.insert_resource(IdleTurns(turns)),
        }
    }

    /// Runs what was queued to cross stages, and what that queues in turn, within bounds.
    pub(super) fn cross(&mut self) -> Result<(), EngineError> {
        let mut waves = 0;
        while !self.world.resource::<DeferredCommands>().is_empty() {
            waves += 1;
            if waves > self.settings.max_steps {
                return Err(EngineError::NeverRests {
                    place: "the meeting".into(),
                    steps: self.settings.max_steps,
                    turn: self.turn(),
                });
            }
            for crossing in self.world.resource_mut::<DeferredCommands>().take() {
                crossing(&mut self.world);
            }
        }
        self.deliver_crossings();
        Ok(())
    }

    pub(super) fn deliver_crossings(&mut self) {
        if !self.world.resource::<EventQueue>().0.is_empty()
            && let Err(error) = self.world.run_system_cached(deliver)
        {
            let fault = Fault::Game(error.to_string());
            self.world.resource_mut::<Faults>().note(fault);
        }
    }

    /// Compares the state with the recording, or records it.
    pub(super) fn note_meeting(&mut self, turn: u64) -> Result<(), EngineError> {
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

    pub(super) fn step_place(&mut self, id: StableId) -> Result<(), EngineError> {
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
        self.world.insert_resource(CurrentStage::Place(place));
        if let Some(mut clock) = self.world.get_mut::<Clock>(place) {
            clock.time += 1;
        }
        self.step.run(&mut self.world);
        self.serve_feeds();
        self.check_step(Some(place))?;
        self.open_asks()
    }

    /// Names the first mistake of the schedule that just ran.
    pub(super) fn check_step(&mut self, place: Option<Entity>) -> Result<(), EngineError> {
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

    pub(super) fn serve_feeds(&mut self) {
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

    pub(super) fn name(&self, entity: Entity) -> Arc<str> {
        let name = self.world.get::<EntityName>(entity);
        name.map_or_else(|| "?".into(), |name| name.0.clone())
    }

    pub(super) fn check_minds(&mut self) -> Result<(), EngineError> {
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
