//! A story while it is read and played: it only grows, and nothing waits for its readers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, Kind, WorldTurn, turn_number};
use playhouse_engine::context::EntryId;
use playhouse_engine::engine::Signal;
use playhouse_engine::event::{EventRecord, EventStyle, EventTypes, Record, Telling, Watching};
use playhouse_engine::journal::{AskEnding, Line, Outcome};
use playhouse_engine::locale::{Language, UiText, text};
use playhouse_engine::message::BodyId;
use playhouse_engine::mind::{StreamDelta, StreamDeltaKind, stopwatch};
use playhouse_engine::session::{Answered, Logged, Stay, answered};
use playhouse_engine::world_data::Problem;
use serde::Serialize;
use tokio::sync::{broadcast, watch};

use super::call::{Call, CallState, Segment, made_by, recorded_segments};
use super::event::Form;
use super::kept::{Kept, TOGETHER};
use super::state::WorldState;
use super::told::Told;

/// How many deltas of answers a reader may be behind before it is given the whole answers again.
const MAX_DELTAS: usize = 1024;
/// How many records of a log are read before readers get their turn.
const READ_AT_ONCE: usize = 1_000;
/// The least time between two pictures of the world while it is played, in milliseconds.
const BETWEEN_STATES: u64 = 20;
/// How much longer than taking a picture of the world the time between two of them is.
const STATE_SHARE: u64 = 50;

#[derive(Clone, Copy, Debug, Serialize)]
pub struct TableGame {
    /// The purpose of calls in which a player writes down what it takes the others for.
    pub belief: &'static str,
}

/// What a story is, before anything happens.
#[derive(Clone, Debug, Default, Serialize)]
pub struct About {
    pub slot: String,
    pub world: String,
    /// The title for people.
    pub title: String,
    /// What it is about, for those who begin to read: paragraphs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub premise: Vec<String>,
    /// The game's name for programs, such as `campaign`.
    pub game: &'static str,
    /// Of a game at a table, with a card for each player. Nobody dies in it: players are out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<TableGame>,
    /// Whether it is one conversation, without calls to which one may go back.
    #[serde(skip)]
    pub is_conversation: bool,
    /// Whether another process plays it, so that it is shown here and has seats.
    #[serde(skip)]
    pub is_elsewhere: bool,
    /// The language of the world.
    pub language: Language,
    pub seed: u64,
    /// The unit of money, such as `USD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// The models that an entity may have in a branch. Only the host sees them.
    #[serde(skip)]
    pub models: Vec<String>,
    #[serde(skip)]
    pub events: EventTypes,
    /// Who watches what from an event on, beside what it learns.
    #[serde(skip)]
    pub watchers: Option<fn(&EventRecord) -> Vec<(String, Watching)>>,
}

impl About {
    pub fn titled(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }
}

/// An event with what the story so far adds to it.
#[derive(Clone, Debug)]
pub struct EventEntry {
    pub number: u32,
    pub id: BodyId,
    /// The turn (meetings before it).
    pub turn: u64,
    record: Kept<EventRecord>,
    /// The numbers of those who learned it.
    pub audience: Box<[u32]>,
    pub day: u32,
    pub style: EventStyle,
    pub form: Form,
    pub place: Option<u32>,
    pub by: Option<u32>,
    pub to: Option<u32>,
    /// Whether a reader who sees everything was told the same before.
    pub repeats: bool,
    /// The call whose answer it tells.
    pub call: Option<u32>,
    /// Those for whom the program answered, as far as readers were not told before, and why.
    pub defaults: Vec<(Arc<str>, UiText)>,
}

impl EventEntry {
    pub fn record(&self) -> Arc<EventRecord> {
        self.record.get().unwrap_or_default()
    }

    /// Whether a scene, a fight, a round or a day begins with it, or a fight ends.
    fn bounds_scene(&self) -> bool {
        let bounds = [
            EventStyle::SceneText,
            EventStyle::ContestBegins,
            EventStyle::ContestEnds,
        ];
        self.form.is_heading() || bounds.contains(&self.style)
    }
}

/// The events and calls of a turn: from the first to before the second.
#[derive(Clone, Debug, Serialize)]
pub struct TurnRange {
    pub turn: u64,
    pub day: u32,
    pub from: u32,
    pub to: u32,
    pub calls: (u32, u32),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    Playing,
    /// A turn is being finished.
    Pausing,
    Paused,
    /// What was played before is read.
    Reading,
    Finished,
    Stopped,
    Failed,
    #[default]
    Saved,
}

impl RunState {
    pub fn is_played(self) -> bool {
        matches!(self, Self::Playing | Self::Pausing | Self::Paused)
    }
}

/// How the run is going.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub state: RunState,
    pub error: Option<UiText>,
    /// Whether it pauses between two calls of a turn.
    pub at_gate: bool,
    /// Whether answers wait for the host.
    pub reviews: bool,
    /// What is wrong in the story's data, which were changed while it is played.
    pub problems: Vec<Problem>,
    /// The slot in which the story continues, since the host went back in it.
    pub moved: Option<Arc<str>>,
}

/// A part of an answer that is being written.
#[derive(Clone, Debug)]
pub struct AnswerDelta {
    pub call: u32,
    /// `None`: what was shown is taken back.
    pub text: Option<Arc<str>>,
}

/// What a view holds.
#[derive(Default)]
pub struct Contents {
    pub events: Vec<Arc<EventEntry>>,
    pub calls: Vec<Arc<Call>>,
    /// Each change of a call, by its number, oldest first.
    pub changes: Vec<u32>,
    pub turns: Vec<TurnRange>,
    /// The events of each entity: what it learned, and what it did itself.
    pub learned: BTreeMap<u32, Vec<u32>>,
    /// The same of those whose seats watch or have watched, with what they watched, and what they
    /// watch now.
    watched: BTreeMap<u32, (Vec<u32>, Watching)>,
    watchers: Option<fn(&EventRecord) -> Vec<(String, Watching)>>,
    pub by_body: BTreeMap<BodyId, u32>,
    pub state: Arc<WorldState>,
    pub run: Run,
    pub day: u32,
    pub turn: u64,
    /// How often run or state changed.
    pub run_version: u64,
    pub state_version: u64,
    /// The words of open answers so far, by call.
    pub open_text: BTreeMap<u32, String>,
    /// The numbers of entities by name, those that are gone included.
    names: BTreeMap<Arc<str>, u32>,
    /// The open calls by name of the entity.
    open: BTreeMap<Arc<str>, u32>,
    /// The calls that were answered, in the order in which their places took the answers.
    taken: Vec<u32>,
    /// The last call of each entity that has been committed and told nothing yet.
    answered: BTreeMap<u32, u32>,
    /// Calls that ended with a default answer of which no event has told yet.
    defaults: BTreeMap<u32, (Arc<str>, UiText)>,
    /// Those of turns that are over.
    overdue: Vec<(Arc<str>, UiText)>,
    /// By entity, the last question that it was asked: what came before it was sent with it.
    pub sent: BTreeMap<u32, EntryId>,
    /// By entity, where it was from an event on.
    stays: BTreeMap<u32, Vec<(u32, Stay)>>,
    /// The places where an actor has been.
    visited: BTreeSet<u32>,
    told: Told,
    /// When each place is free in a story that comes from its journal.
    clocks: BTreeMap<u32, u64>,
    /// When that ends, once a call was measured, whose time goes on from there.
    recorded: Option<u64>,
    /// When the next picture of the world may be taken.
    next_state: u64,
    /// Whether something has happened since the last one.
    is_stale: bool,
}

/// All that can be shown of one story. The engine's thread adds to it; readers take what they
/// need. Nothing waits for a reader.
pub struct StoryView {
    pub about: About,
    contents: RwLock<Contents>,
    news: watch::Sender<u64>,
    deltas: broadcast::Sender<AnswerDelta>,
    clock: Box<dyn Fn() -> u64 + Send + Sync>,
}

impl StoryView {
    /// An empty view of a story.
    pub fn new(about: About) -> Self {
        let contents = Contents {
            watchers: about.watchers,
            ..Contents::default()
        };
        Self {
            about,
            contents: RwLock::new(contents),
            news: watch::Sender::new(0),
            deltas: broadcast::Sender::new(MAX_DELTAS),
            clock: Box::new(stopwatch()),
        }
    }

    /// As [`Self::new`], of a story that is played in this world.
    pub fn of(world: &World, about: About) -> Self {
        Self::new(About {
            events: world.resource::<EventTypes>().clone(),
            ..about
        })
    }

    /// Milliseconds since the view was made.
    fn now(&self) -> u64 {
        (self.clock)()
    }

    /// The time of calls: what is measured follows what was recorded.
    pub fn time(&self, contents: &Contents) -> u64 {
        self.now() + contents.recorded.unwrap_or_else(|| contents.recorded_end())
    }

    /// What it holds, to read. Take what you need and let go: the engine waits to write.
    pub fn read(&self) -> RwLockReadGuard<'_, Contents> {
        self.contents.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Contents> {
        let contents = self.contents.write();
        contents.unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes whenever there is something new.
    pub fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    /// Answers while they are written.
    pub fn deltas(&self) -> broadcast::Receiver<AnswerDelta> {
        self.deltas.subscribe()
    }

    fn announce(&self) {
        self.news.send_modify(|news| *news += 1);
    }

    /// Changes what it holds, and tells readers that there is something new.
    fn change(&self, change: impl FnOnce(&mut Contents)) {
        change(&mut self.write());
        self.announce();
    }

    fn set_in_run(&self, set: impl FnOnce(&mut Run)) {
        self.change(|contents| {
            set(&mut contents.run);
            contents.run_version += 1;
        });
    }

    pub(super) fn record(&self, record: &Record) {
        match record {
            Record::Event(event) => self.change(|contents| {
                contents.add_event(event.clone(), &self.about.events);
                contents.is_stale = true;
            }),
            Record::Turn { turn } => self.change(|contents| contents.end_turn(*turn)),
            Record::Answer(_) | Record::Chapter { .. } => {}
        }
    }

    /// Takes note of a signal of the run.
    pub(super) fn signal(&self, signal: &Signal) {
        let mut contents = self.write();
        if let Signal::CallStarted { .. } = signal {
            let end = contents.recorded_end();
            contents.recorded.get_or_insert(end);
        }
        let now = self.time(&contents);
        match signal {
            Signal::CallStarted {
                entity,
                number,
                purpose,
                mind,
            } => contents.start_call(entity, *number, purpose, mind, now),
            Signal::ToolCalled { entity, tool, .. } => contents.change_open(entity, |call| {
                call.tools.push((tool.as_str().into(), now));
                call.enter(Segment::Tools, now);
            }),
            Signal::CallEnded { entity, by, .. } => contents.change_open(entity, |call| {
                call.end = Some(now);
                call.state = CallState::Done;
                call.by = Some(by.clone());
                call.held = None;
            }),
            Signal::AnswerHeld { entity, answer, .. } => contents.change_open(entity, |call| {
                call.state = CallState::InReview;
                call.enter(Segment::Review, now);
                call.held = Some(answer.clone());
            }),
            Signal::CallsWait(wait) => {
                contents.run.at_gate = *wait;
                contents.run.state = if *wait {
                    RunState::Paused
                } else {
                    RunState::Playing
                };
                contents.run_version += 1;
            }
            Signal::LimitNear(_) => return,
            Signal::ServerAwaited { .. }
            | Signal::ServerBack { .. }
            | Signal::PromptsUnread { .. } => {
                let Some(notice) = signal.notice() else {
                    return;
                };
                let is_good = matches!(signal, Signal::ServerBack { .. });
                contents.run.error = Some(notice).filter(|_| !is_good);
                contents.run_version += 1;
            }
            Signal::RecallByWords(reason) => {
                tracing::warn!("{}", text!(engine_recall_by_words, reason));
                return;
            }
        }
        drop(contents);
        self.announce();
    }

    /// Adds a part of an answer that is being written.
    pub(super) fn delta(&self, delta: &StreamDelta) {
        let mut contents = self.write();
        let now = self.time(&contents);
        let Some(number) = contents.open.get(&delta.entity).copied() else {
            return;
        };
        // Deltas are followed apart from the run, and may come after the end of their call.
        let call = contents.calls.get(number as usize).cloned();
        let is_open = |call: &Arc<Call>| call.end.is_none() && call.number == delta.number;
        let Some(call) = call.filter(is_open) else {
            return;
        };
        let text = match &delta.kind {
            StreamDeltaKind::Text(text) => Some(text),
            StreamDeltaKind::Retract => None,
            StreamDeltaKind::Tools(_) => return,
        };
        let shown = contents.open_text.entry(number).or_default();
        let is_first = shown.is_empty();
        match text {
            Some(text) => shown.push_str(text),
            None => shown.clear(),
        }
        // Those of an answer that is held come late.
        let begins = is_first && text.is_some() && call.held.is_none();
        if begins {
            contents.change_open(&delta.entity, |call| {
                call.first.get_or_insert(now);
                call.state = CallState::Writing;
                call.enter(Segment::Writing, now);
            });
        }
        // A reader of the words so far must not get the same delta again.
        let _ = self.deltas.send(AnswerDelta {
            call: number,
            text: text.map(|text| text.as_str().into()),
        });
        drop(contents);
        if begins {
            self.announce();
        }
    }

    /// Adds the outcomes that a place has just committed, and what became of the world.
    pub(super) fn commit(&self, world: &World, outcomes: &[Arc<Outcome>]) {
        let turn = world.resource::<WorldTurn>().0;
        self.change(|contents| {
            let now = self.time(contents);
            contents.take(&answered(world, outcomes), turn, now);
            contents.is_stale = true;
        });
        self.update_state(world, false);
    }

    /// Adds what a log of events holds.
    pub fn fill(&self, records: impl IntoIterator<Item = Logged>) {
        let mut records = records.into_iter().peekable();
        // Readers need not wait until all is read.
        while records.peek().is_some() {
            self.change(|contents| {
                let some = records.by_ref().take(READ_AT_ONCE);
                some.for_each(|logged| contents.add_logged(logged, &self.about.events));
            });
        }
    }

    /// Takes a picture of the world, unless the last one is so new that it would cost too much.
    pub fn update_state(&self, world: &World, is_at_rest: bool) {
        let begin = self.now();
        self.write().note_stays(world);
        let before = self.read();
        if !is_at_rest && begin < before.next_state {
            return;
        }
        let last = before.state.clone();
        drop(before);
        let state = Arc::new(WorldState::of(world, &last));
        let end = self.now();
        self.change(|contents| {
            contents.next_state = end + (STATE_SHARE * (end - begin)).max(BETWEEN_STATES);
            contents.is_stale = false;
            contents.set_state(state);
        });
    }

    /// Takes the picture of what has happened since the last one, while the run waits; returns for
    /// how long it is too early.
    pub(super) fn catch_up(&self, world: &World) -> Option<Duration> {
        let next = Some(self.read())
            .filter(|contents| contents.is_stale)?
            .next_state;
        let early = next.saturating_sub(self.now());
        if early == 0 {
            self.update_state(world, true);
        }
        (early > 0).then(|| Duration::from_millis(early))
    }

    /// Shows the cast of a story that is about to be read or to begin.
    pub fn expect(&self, world: &World) {
        let state = Arc::new(WorldState::of(world, &WorldState::default()));
        self.write().set_state(state);
        self.set_run(RunState::Reading, None);
    }

    /// Waits until what was played before is read.
    pub async fn is_read(&self) {
        let mut news = self.news();
        while self.is_reading() && news.changed().await.is_ok() {}
    }

    /// Whether what was played before is being read.
    pub fn is_reading(&self) -> bool {
        self.read().run.state == RunState::Reading
    }

    /// Takes the first picture of a world.
    pub(super) fn begin(&self, world: &World) {
        let state = Arc::new(WorldState::of(world, &WorldState::default()));
        self.change(|contents| {
            contents.note_stays(world);
            contents.turn = world.resource::<WorldTurn>().0;
            contents.day = contents.day.max(state.day);
            contents.set_state(state);
        });
    }

    pub fn is_played(&self) -> bool {
        self.read().run.state.is_played()
    }

    /// Changes the state of the run, if it is still in the given one.
    pub fn change_run(&self, from: RunState, to: RunState) {
        let state = self.read().run.state;
        if state == from {
            self.set_run(to, None);
        }
    }

    /// Says that it is not played here, and why, if it could be played.
    pub fn only_shown(&self, reason: Option<UiText>) {
        self.set_run(RunState::Saved, reason);
    }

    /// Says whether answers wait for the host.
    pub fn set_reviews(&self, reviews: bool) {
        self.set_in_run(|run| run.reviews = reviews);
    }

    /// Says in which slot the story continues.
    pub fn set_moved(&self, slot: &str) {
        self.set_in_run(|run| run.moved = Some(slot.into()));
    }

    /// Takes note that a seat was given or taken back.
    pub fn note_seats(&self) {
        self.set_in_run(|_| {});
    }

    pub fn events(&self) -> usize {
        self.read().events.len()
    }

    /// Whether a part of the story begins or ends in the events from this one on.
    pub fn has_scene_since(&self, event: usize) -> bool {
        let contents = self.read();
        let events = contents.events.get(event..).unwrap_or_default();
        events.iter().any(|event| event.bounds_scene())
    }

    /// Says what is wrong in the story's data, which were changed while it is played with what they
    /// were before.
    pub fn set_problems(&self, problems: Vec<Problem>) {
        if self.read().run.problems != problems {
            self.set_in_run(|run| run.problems = problems);
        }
    }

    /// Says how the run is going.
    pub fn set_run(&self, state: RunState, error: Option<UiText>) {
        let mut contents = self.write();
        if contents.run.state == state && contents.run.error == error {
            return;
        }
        contents.run.state = state;
        contents.run.error = error;
        contents.run_version += 1;
        if !state.is_played() {
            contents.run.at_gate = false;
            contents.drop_open_calls();
        }
        drop(contents);
        self.announce();
    }
}

impl Contents {
    /// Whether the story is played; one that is over is finished, wherever it comes from.
    pub fn run_state(&self) -> RunState {
        match self.run.state {
            RunState::Saved if self.state.is_over => RunState::Finished,
            state => state,
        }
    }

    /// The calls of a journal, without what they led to.
    pub fn of_journal(journal: &[Line]) -> Self {
        let mut contents = Self::default();
        for line in journal {
            match line {
                Line::Outcome(outcome) => contents.answer(outcome, contents.turn, 0),
                Line::Meeting(meeting) => contents.end_turn(meeting.turn),
                _ => {}
            }
        }
        contents
    }

    /// A story as it was saved: the calls of its journal, and everybody in this world.
    pub fn saved(journal: &[Line], world: &World) -> Self {
        let mut contents = Self::of_journal(journal);
        contents.set_state(Arc::new(WorldState::of(world, &WorldState::default())));
        contents
    }

    /// All calls that were answered, in that order, and how.
    pub fn answers(&self) -> impl Iterator<Item = (&Call, Arc<Outcome>)> {
        let taken = self.taken.iter();
        let calls = taken.filter_map(|call| self.calls.get(*call as usize));
        calls.filter_map(|call| Some((&**call, call.outcome()?)))
    }

    /// The events that whoever has the seat of an entity sees.
    pub fn seen(&self, who: u32) -> &[u32] {
        let watched = self.watched.get(&who).map(|(seen, _)| seen);
        let seen = watched.or_else(|| self.learned.get(&who));
        seen.map_or(&[], Vec::as_slice)
    }

    pub fn id_of(&self, name: &str) -> Option<u32> {
        self.names.get(name).copied()
    }

    /// When the last of the calls that were recorded ends.
    fn recorded_end(&self) -> u64 {
        self.clocks.values().max().copied().unwrap_or_default()
    }

    pub fn name_of(&self, id: u32) -> Option<Arc<str>> {
        let known = self.names.iter().find(|(_, known)| **known == id);
        known.map(|(name, _)| name.clone())
    }

    /// Everybody and everything that ever had a name, with its number.
    pub fn names(&self) -> impl Iterator<Item = (&Arc<str>, u32)> {
        self.names.iter().map(|(name, id)| (name, *id))
    }

    /// Takes note of those who are at another place, or dead, since the last events.
    fn note_stays(&mut self, world: &World) {
        let cast = world.resource::<CastList>().everybody();
        cast.into_iter()
            .filter_map(|(_, entity)| Stay::of(world, entity))
            .for_each(|stay| self.note(stay));
    }

    fn note(&mut self, stay: Stay) {
        let from = self.events.len() as u32;
        let stays = self.stays.entry(stay.id.0).or_default();
        if stays.last().is_none_or(|(_, last)| *last != stay) {
            self.visited.extend(stay.place.map(|place| place.0));
            stays.push((from, stay));
        }
    }

    fn add_logged(&mut self, logged: Logged, types: &EventTypes) {
        match logged {
            Logged::Name(id, name) => drop(self.names.insert(name, id.0)),
            Logged::Event(event) => self.add_event(*event, types),
            Logged::Answers(answered) => self.take(&answered, self.turn, 0),
            Logged::Stays(stays) => stays.into_iter().for_each(|stay| self.note(stay)),
            Logged::Turn(turn) => self.end_turn(turn),
        }
    }

    /// A place has taken outcomes.
    fn take(&mut self, answered: &[Answered], turn: u64, now: u64) {
        for (outcome, question) in answered {
            self.answer(outcome, turn, now);
            let id = self.id_of(&outcome.entity);
            self.sent.extend(id.zip(*question));
        }
    }

    /// Where everybody was, and since which event.
    pub fn stays(&self) -> &BTreeMap<u32, Vec<(u32, Stay)>> {
        &self.stays
    }

    /// Where an entity was when an event happened; `None` if it was not there yet.
    pub fn stay(&self, id: u32, event: u32) -> Option<Stay> {
        let stays = self.stays.get(&id)?;
        let next = stays.partition_point(|(from, _)| *from <= event);
        Some(stays.get(next.checked_sub(1)?)?.1)
    }

    /// The last call of an entity that was answered.
    pub fn last_call_of(&self, id: u32) -> Option<&Arc<Call>> {
        let mut calls = self.calls.iter().rev();
        calls.find(|call| call.who == id && call.is_answered())
    }

    /// The calls that have no answer yet.
    pub fn open_calls(&self) -> impl Iterator<Item = &Arc<Call>> {
        self.open
            .values()
            .filter_map(|call| self.calls.get(*call as usize))
            .filter(|call| call.state != CallState::Done)
    }

    /// Whether no actor has reached a place yet.
    fn is_far(&self, place: &str) -> bool {
        let place = self.id_of(place);
        place.is_some_and(|place| !self.visited.contains(&place))
    }

    /// Whether only places got an event.
    fn is_for_places(&self, record: &EventRecord) -> bool {
        record.audience.iter().all(|who| {
            let being = self.state.being(who.id.0);
            being.is_some_and(|being| being.kind == Kind::Stage)
        })
    }

    fn add_event(&mut self, record: EventRecord, types: &EventTypes) {
        for who in &record.audience {
            if self.names.get(&who.name) != Some(&who.id.0) {
                self.names.insert(who.name.clone(), who.id.0);
            }
        }
        let number = self.events.len() as u32;
        let by = record.speaker.as_ref().and_then(|name| self.id_of(name));
        let telling = types.telling(&record);
        let telling = telling.as_deref();
        let style = telling.map(Telling::style).unwrap_or_default();
        // Those who don't perceive all of it read the rest.
        let style = record.without.map_or(style, |_| EventStyle::Deed);
        let form = match style {
            // Places learn too, but readers need not be told.
            EventStyle::Lesson if self.is_for_places(&record) => Form::Own,
            // How a place looks is told when it is reached.
            EventStyle::Opening if record.speaker.as_ref() == Some(&record.place) => {
                if self.is_far(&record.place) {
                    Form::Own
                } else {
                    Form::Narration
                }
            }
            style => style.into(),
        };
        if form == Form::Day
            && let Some(day) = telling.and_then(Telling::day)
        {
            self.day = day;
        }
        // A report is for those who were not there.
        let repeats = record.without.is_some()
            || [EventStyle::Past, EventStyle::Report].contains(&style)
            || form != Form::Own
                && telling.is_some_and(|telling| self.told.repeats(&record, telling));
        let call = by.and_then(|by| self.answered.get(&by).copied());
        let mut defaults = Vec::new();
        if form != Form::Own {
            defaults.append(&mut self.overdue);
            defaults.extend(call.and_then(|call| self.defaults.remove(&call)));
        }
        let told: BTreeSet<_> = record
            .audience
            .iter()
            .map(|who| who.id.0)
            .chain(by)
            .collect();
        for (who, (seen, watching)) in &mut self.watched {
            if told.contains(who) || watching.shows(&record) {
                seen.push(number);
            }
        }
        for who in told {
            self.learned.entry(who).or_default().push(number);
        }
        let watchers = self.watchers.map(|watchers| watchers(&record));
        for (name, watching) in watchers.into_iter().flatten() {
            if let Some(who) = self.id_of(&name) {
                let learned = self.learned.get(&who);
                let seen = || (learned.cloned().unwrap_or_default(), Watching::Nothing);
                self.watched.entry(who).or_insert_with(seen).1 = watching;
            }
        }
        self.by_body.insert(record.id, number);
        let place = telling.and_then(Telling::place);
        let target = telling.and_then(Telling::target);
        self.events.push(Arc::new(EventEntry {
            number,
            id: record.id,
            turn: record.turn,
            audience: record.audience.iter().map(|who| who.id.0).collect(),
            day: self.day,
            style,
            form,
            place: self.id_of(place.unwrap_or(&record.place)),
            by,
            to: target.and_then(|name| self.id_of(name)),
            repeats,
            call,
            defaults,
            record: Kept::Whole(Arc::new(record)),
        }));
        if self.events.len().is_multiple_of(TOGETHER) {
            let last = self.events.iter_mut().rev().take(TOGETHER);
            let records = last.map(|event| &mut Arc::make_mut(event).record);
            // The reasons of guards would lose their languages.
            let is_guarded = |record: &Kept<EventRecord>| {
                record
                    .get()
                    .is_some_and(|record| !record.guarded.is_empty())
            };
            Kept::pack(records.filter(|record| !is_guarded(record)).collect());
        }
    }

    fn end_turn(&mut self, turn: u64) {
        let (from, first_call) = self
            .turns
            .last()
            .map_or((0, 0), |last| (last.to, last.calls.1));
        self.turns.push(TurnRange {
            turn,
            day: self.day,
            from,
            to: self.events.len() as u32,
            calls: (first_call, self.calls.len() as u32),
        });
        self.turn = turn;
        self.told.end_turn();
        self.answered.clear();
        let untold = std::mem::take(&mut self.defaults);
        self.overdue.extend(untold.into_values());
    }

    fn start_call(&mut self, entity: &Arc<str>, number: u32, purpose: &str, mind: &str, now: u64) {
        // A mind that is asked again, after a bad answer or tools, continues the same call.
        if self.open.contains_key(entity) {
            return self.change_open(entity, |call| {
                call.state = CallState::Thinking;
                call.held = None;
                call.ask(now);
            });
        }
        let who = self.id_of(entity).unwrap_or_default();
        let call = self.calls.len() as u32;
        let stay = self.stays.get(&who).and_then(|stays| stays.last());
        let mut started = Call {
            call,
            who,
            number,
            purpose: purpose.into(),
            mind: mind.into(),
            place: stay
                .and_then(|(_, stay)| stay.place)
                .map_or(who, |place| place.0),
            turn: turn_number(self.turn),
            start: now,
            ..Call::default()
        };
        // Those of a recording were never asked here.
        if started.is_timed() {
            started.ask(now);
        }
        self.calls.push(Arc::new(started));
        self.open.insert(entity.clone(), call);
        self.changes.push(call);
    }

    fn change_open(&mut self, entity: &str, change: impl FnOnce(&mut Call)) {
        let Some(number) = self.open.get(entity).copied() else {
            return;
        };
        if let Some(call) = self.calls.get_mut(number as usize) {
            let mut changed = Call::clone(call);
            change(&mut changed);
            *call = Arc::new(changed);
            self.changes.push(number);
        }
    }

    /// A call has its outcome: an open one, or one of a recording that was never open.
    fn answer(&mut self, outcome: &Arc<Outcome>, turn: u64, now: u64) {
        self.names.insert(outcome.entity.clone(), outcome.id);
        if !self.open.contains_key(&outcome.entity) {
            self.start_call(&outcome.entity, outcome.number, &outcome.purpose, "", 0);
            let call = self.open.get(&outcome.entity);
            let place = call
                .and_then(|call| self.calls.get(*call as usize))
                .map_or(0, |call| call.place);
            // Only its length is known: the calls of a place follow each other.
            let clock = self.clocks.entry(place).or_default();
            let start = *clock;
            *clock += outcome.ms;
            self.change_open(&outcome.entity, |call| {
                (call.start, call.end) = (start, Some(start + outcome.ms));
                call.segments = recorded_segments(&outcome.refused, &outcome.rounds, start);
            });
        }
        self.change_open(&outcome.entity, |call| {
            call.end.get_or_insert(now);
            call.state = CallState::Done;
            call.turn = turn_number(turn);
            call.by.get_or_insert_with(|| made_by(outcome));
            call.outcome = Some(Kept::Whole(outcome.clone()));
        });
        if let Some(call) = self.open.remove(&outcome.entity) {
            self.taken.push(call);
            self.pack_outcomes();
            self.open_text.remove(&call);
            let who = self.calls.get(call as usize).map(|call| call.who);
            self.answered.extend(who.map(|who| (who, call)));
            if let AskEnding::Failed { reason } = &outcome.ending {
                let default = (outcome.entity.clone(), reason.clone());
                self.defaults.insert(call, default);
            }
        }
    }

    /// Compresses the last outcomes, once there are enough of them.
    fn pack_outcomes(&mut self) {
        if !self.taken.len().is_multiple_of(TOGETHER) {
            return;
        }
        let taken = self.taken.iter().rev().take(TOGETHER).copied();
        let taken: BTreeSet<_> = taken.collect();
        let first = taken.first().copied().unwrap_or_default();
        let calls = self.calls.iter_mut().skip(first as usize);
        let calls = calls.filter(|call| taken.contains(&call.call));
        let outcomes = calls.filter_map(|call| Arc::make_mut(call).outcome.as_mut());
        Kept::pack(outcomes.collect());
    }

    /// Calls that were dropped with the run are asked again when it continues.
    fn drop_open_calls(&mut self) {
        for entity in self.open.keys().cloned().collect::<Vec<_>>() {
            self.change_open(&entity, |call| {
                call.state = CallState::Dropped;
                call.held = None;
            });
        }
        self.open.clear();
        self.open_text.clear();
    }

    fn set_state(&mut self, state: Arc<WorldState>) {
        for being in &state.beings {
            if self.names.get(&being.name) != Some(&being.id) {
                self.names.insert(being.name.clone(), being.id);
            }
        }
        self.state = state;
        self.state_version += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use playhouse_engine::cast::Dead;
    use playhouse_engine::engine::AnswerInReview;
    use playhouse_engine::message::{Cost, Digest, TokenUsage};
    use playhouse_engine::testing::tiny;
    use serde_json::json;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn calls_that_are_measured_follow_those_that_were_recorded() {
        let view = StoryView::new(About::default());
        let outcomes = (0..3).map(|number| {
            let outcome = json!({
                "entity": "Somebody", "id": 1, "number": number, "purpose": "home.speak",
                "hash": Digest::default(), "asked": "What do you say?",
                "ending": {"answered": {"text": "Yes.", "finish": "stop"}}, "calls": 1,
                "retries": 0, "usage": TokenUsage::default(), "estimated": 0,
                "cost": Cost::default(), "provider": "test", "model": "test", "ms": 2_000,
            });
            (Arc::new(serde_json::from_value(outcome).unwrap()), None)
        });
        view.fill(vec![Logged::Answers(outcomes.collect())]);
        let end = view.read().calls.last().unwrap().end.unwrap();
        view.signal(&Signal::CallStarted {
            entity: "Ann".into(),
            number: 1,
            purpose: "home.plan",
            mind: "test".into(),
        });
        let contents = view.read();
        assert!(end > 5_000 && contents.calls.last().unwrap().start >= end);
        assert!(view.time(&contents) >= contents.calls.last().unwrap().start);
    }

    #[test]
    fn a_picture_that_was_too_early_is_taken_while_the_run_waits() {
        let mut tiny = tiny();
        let time = Arc::new(AtomicU64::new(0));
        let clock = time.clone();
        let view = StoryView {
            clock: Box::new(move || clock.load(Ordering::SeqCst)),
            ..StoryView::new(About::default())
        };
        let is_dead = || view.read().state.named("Ann").map(|ann| ann.is_dead);
        view.update_state(tiny.world(), true);
        assert_eq!(
            (is_dead(), view.catch_up(tiny.world())),
            (Some(false), None)
        );
        let ann = tiny.ann;
        tiny.world().entity_mut(ann).insert(Dead);
        view.commit(tiny.world(), &[]);
        let early = view.catch_up(tiny.world()).unwrap();
        assert_eq!(is_dead(), Some(false));
        time.store(early.as_millis() as u64, Ordering::SeqCst);
        assert_eq!((view.catch_up(tiny.world()), is_dead()), (None, Some(true)));
        assert_eq!(view.catch_up(tiny.world()), None);
    }

    #[test]
    fn what_is_streamed_late_changes_no_state() {
        let view = StoryView::new(About::default());
        let entity: Arc<str> = "Ann".into();
        let start = || {
            view.signal(&Signal::CallStarted {
                entity: entity.clone(),
                number: 1,
                purpose: "home.speak",
                mind: "test".into(),
            });
        };
        let stream = |kind: StreamDeltaKind| {
            view.delta(&StreamDelta {
                entity: entity.clone(),
                number: 1,
                kind,
            });
            view.read().calls[0].state
        };
        let text = || StreamDeltaKind::Text("Yes.".into());
        start();
        assert_eq!(stream(StreamDeltaKind::Retract), CallState::Thinking);
        assert_eq!(stream(text()), CallState::Writing);
        stream(StreamDeltaKind::Retract);
        start();
        view.signal(&Signal::AnswerHeld {
            entity: entity.clone(),
            number: 1,
            answer: AnswerInReview {
                text: "Yes.".into(),
                complaint: None,
            },
        });
        assert_eq!(stream(text()), CallState::InReview);
        assert_eq!(stream(StreamDeltaKind::Retract), CallState::InReview);
        // It is asked once more.
        start();
        assert_eq!(stream(text()), CallState::Writing);
    }
}
