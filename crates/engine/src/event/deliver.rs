//! The end of a step: its events reach contexts and feeds.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use serde_json::{Map, Value};

use super::guard::{GuardAct, Guards, Judged, Point};
use super::learning::Learned;
use super::{
    AgentEvent, AudienceRule, ChapterClose, EventQueue, EventRecord, Fault, Faults, PendingEvent,
    PhraseError, Phrasebook, Recipient, Record, Records,
};
use crate::cast::{
    CastList, Clock, CurrentStage, EntityName, Kind, MEETING, MeetingClock, StableId, WorldTurn,
};
use crate::context::{AgentContext, Chapter, Chapters, Common, Happening};
use crate::knowledge::{Fact, FactBook, Knowledge, Known, Today, is_made};
use crate::message::{Block, Body, BodyId, Language, Tag, Tags};

/// Adds one message to the context of each audience member, all sharing one body for each distinct
/// result of the guards, and one record for the feeds. It is a human message, unless the receivers
/// said it themselves. Runs last in every step and meeting.
pub fn deliver(
    mut queue: ResMut<EventQueue>,
    mut records: ResMut<Records>,
    mut meeting: ResMut<MeetingClock>,
    current: Res<CurrentStage>,
    turn: Res<WorldTurn>,
    guards: Res<Guards>,
    language: Res<Language>,
    mut kinds: Local<BTreeMap<&'static str, Metadata>>,
    mut places: Query<(&StableId, &EntityName, &mut Clock)>,
    mut cast: Query<(&mut AgentContext, &mut Chapters, &Kind, &StableId)>,
    mut teaching: Teaching,
) {
    let (place, place_name, clock) = match *current {
        CurrentStage::Meeting => (MEETING, Arc::from(""), &mut meeting.0),
        CurrentStage::Place(entity) => match places.get_mut(entity) {
            Ok((id, name, clock)) => (*id, name.0.clone(), clock.into_inner()),
            Err(_) => return,
        },
    };
    let mut queue = VecDeque::from(std::mem::take(&mut queue.0));
    while let Some(mut event) = queue.pop_front() {
        let place_name = event.place.clone().unwrap_or_else(|| place_name.clone());
        let mut reached = teaching.leave_out_known(&mut event);
        let id = clock.next_body(place);
        if event.kind == Learned::TYPE && event.audience.is_empty() {
            teaching.teach(&event, id, turn.0, &reached);
            continue;
        }
        let time = clock.time;
        let metadata = || Map::from_iter([("event".to_owned(), Value::from(event.kind))]).into();
        let metadata = kinds.entry(event.kind).or_insert_with(metadata).clone();
        let mut bodies = Bodies::new(&event, id, time, metadata.clone());
        let mut audience = Vec::with_capacity(event.audience.len());
        let mut masked = Vec::new();
        for &entity in &event.audience {
            let Ok((mut context, mut chapters, kind, &receiver)) = cast.get_mut(entity) else {
                continue;
            };
            let mut next_id = || clock.next_body(place);
            let copy = bodies.for_kind(*kind, &event, &guards, *language, &mut next_id);
            if event.blocked || copy.blocked {
                continue;
            }
            let recipient = || Recipient {
                id: receiver,
                name: context.name().clone(),
            };
            let own = event
                .own_texts
                .iter()
                .find(|(doer, _)| doer == context.name());
            let body = match own.filter(|_| copy.masked.is_none()) {
                Some((_, text)) => {
                    body_of(&event, text, clock.next_body(place), time, metadata.clone())
                }
                None => copy.body.clone(),
            };
            audience.push(recipient());
            if !event.tells.is_empty() {
                reached.push(entity);
            }
            if let Some(words) = &copy.masked {
                masked.push((recipient(), words.clone()));
            }
            if let Some(close) = &event.chapter_close {
                if let Some(chapter) =
                    close_chapter(&mut context, &mut chapters, close, copy, turn.0)
                {
                    let record = chapter_record(&context, receiver, chapter);
                    records.0.push(record);
                }
            } else if event.own {
                // Adding fails for an empty list only.
                let _ = context.add_ai_message([body]);
            } else if event.rule != AudienceRule::Private {
                context.add_human_message(body, copy.tags.clone());
            }
            let is_own = |(doer, _): &(Arc<str>, _)| doer == context.name();
            if let Some(happening) = &event.happening
                && !event.own_happening.as_ref().is_some_and(is_own)
            {
                let seen = match &copy.masked {
                    None => Some(&happening.whole),
                    Some(_) => happening.without_words.as_ref(),
                };
                if let Some(seen) = seen.cloned() {
                    chapters.note(&context, teaching.today.0, &place_name, seen);
                }
            }
        }
        let lessons = teaching.teach(&event, id, turn.0, &reached);
        let own = event.own_happening.filter(|_| !event.blocked);
        let told = lessons.iter().filter_map(|lesson| {
            let is_actor = |entity: &Entity| {
                let found = cast.get(*entity);
                found.is_ok_and(|(.., kind, _)| *kind == Kind::Actor)
            };
            let learners = lesson.learners.iter().copied().filter(is_actor);
            let names = learners.filter_map(|entity| cast.get(entity).ok());
            lesson.told_to(names.map(|(context, ..)| context.name().clone()).collect())
        });
        // The actor notes its own deed, though it is not in the audience.
        for (doer, happening) in own.into_iter().chain(told.collect::<Vec<_>>()) {
            let doer = teaching.list.by_name(&doer);
            if let Some(Ok((context, mut chapters, ..))) = doer.map(|doer| cast.get_mut(doer)) {
                chapters.note(&context, teaching.today.0, &place_name, happening);
            }
        }
        // What is learned is told right after the event that taught it.
        for learned in lessons.into_iter().rev().filter_map(|lesson| lesson.event) {
            queue.push_front(learned);
        }
        records.0.push(Record::Event(EventRecord {
            id,
            turn: turn.0,
            time,
            said_at: None,
            place: event.place.unwrap_or_else(|| place_name.clone()),
            kind: event.kind.into(),
            speaker: event.speaker,
            without: event.without,
            data: event.data,
            text: event.text,
            audience,
            masked,
            rule: event.rule,
            guarded: event.guarded.into_iter().chain(bodies.guarded).collect(),
        }));
    }
}

/// A fact that some have just learned.
struct Lesson {
    about: Arc<Fact>,
    /// The name of the teller; empty if there is none.
    from: Arc<str>,
    learners: Vec<Entity>,
    /// The event by which they are told; `None` if it has told them.
    event: Option<PendingEvent>,
}

impl Lesson {
    /// What the teller of the fact notes, and its name.
    fn told_to(&self, to: Vec<Arc<str>>) -> Option<(Arc<str>, Happening)> {
        let Fact {
            id, title, text, ..
        } = &*self.about;
        // What play made has no title of its own.
        let about = if is_made(id) { text } else { title };
        let (fact, about) = (id.as_str().into(), about.as_str().into());
        let is_told = !self.from.is_empty() && !to.is_empty();
        is_told.then(|| (self.from.clone(), Common::Told { fact, about, to }.into()))
    }
}

/// The only place where knowledge grows: those whom an event reached know what it tells.
#[derive(SystemParam)]
pub struct Teaching<'w, 's> {
    facts: Res<'w, FactBook>,
    list: Res<'w, CastList>,
    today: Res<'w, Today>,
    phrases: Res<'w, Phrasebook>,
    faults: ResMut<'w, Faults>,
    knowledge: Query<'w, 's, (&'static EntityName, &'static mut Knowledge)>,
}

impl Teaching<'_, '_> {
    /// Teaches what an event tells, and returns what was learned.
    fn teach(
        &mut self,
        event: &PendingEvent,
        id: BodyId,
        turn: u64,
        reached: &[Entity],
    ) -> Vec<Lesson> {
        let mut lessons = Vec::new();
        for fact in &event.tells {
            let about = self.facts.get(fact).filter(|about| !about.is_common());
            let Some(about) = about.cloned() else {
                continue;
            };
            let from = match event.data.get("from").and_then(Value::as_str) {
                Some(from) if event.kind == Learned::TYPE => {
                    Some(from).filter(|from| !from.is_empty())
                }
                _ => event.speaker.as_deref(),
            };
            let how = Known {
                from: from.map(Into::into),
                by: event.kind.into(),
                event: id.to_string().into(),
                turn,
                day: self.today.0,
                ..Known::default()
            };
            let teller = from.and_then(|from| self.list.by_name(from));
            let mut learners = Vec::new();
            for who in reached.iter().copied().chain(teller) {
                let Ok((name, mut knowledge)) = self.knowledge.get_mut(who) else {
                    continue;
                };
                // A teller knew its fact before.
                if how.from.as_ref() != Some(&name.0) && knowledge.learn(fact, &how) {
                    learners.push(who);
                }
                knowledge.share(fact, &how.event);
            }
            if !learners.is_empty() {
                let from = from.unwrap_or_default();
                let is_told = event.kind == Learned::TYPE;
                let told = (!is_told).then(|| self.learned(&about, from, learners.clone()));
                let place = event.place.clone();
                lessons.push(Lesson {
                    event: told.flatten().map(|told| PendingEvent { place, ..told }),
                    from: from.into(),
                    about,
                    learners,
                });
            }
        }
        lessons
    }

    /// Takes those out of the audience of a lesson who know its fact already, and returns them.
    fn leave_out_known(&self, event: &mut PendingEvent) -> Vec<Entity> {
        // One that follows what taught it tells nothing more.
        let fact = event.tells.first().filter(|_| event.kind == Learned::TYPE);
        let Some(fact) = fact else {
            return Vec::new();
        };
        let knows = |who: &Entity| {
            let knowledge = self.knowledge.get(*who);
            knowledge.is_ok_and(|(_, known)| known.knows(fact))
        };
        let audience = std::mem::take(&mut event.audience).into_iter();
        let (known, new) = audience.partition(knows);
        event.audience = new;
        known
    }

    /// The event by which learners are told a fact that they just learned.
    fn learned(&mut self, fact: &Fact, from: &str, learners: Vec<Entity>) -> Option<PendingEvent> {
        let event = Learned::of(fact, from);
        let data = serde_json::to_value(&event).map_err(PhraseError::from);
        let text = data.and_then(|data| Ok((event.text(&self.phrases, &data)?, data)));
        match text {
            Ok((text, data)) => Some(PendingEvent {
                kind: Learned::TYPE,
                happening: event.happening(),
                data,
                text,
                tags: event.tags(),
                audience: learners,
                ..PendingEvent::default()
            }),
            Err(reason) => {
                let event = Learned::TYPE.into();
                self.faults.note(Fault::NoText { event, reason });
                None
            }
        }
    }
}

/// Cuts a range out of a context, replaces it by the summary, and moves both into a chapter. If the
/// range can't be cut, nothing changes.
fn close_chapter<'a>(
    context: &mut AgentContext,
    chapters: &'a mut Chapters,
    close: &ChapterClose,
    copy: &Copy,
    turn: u64,
) -> Option<&'a Chapter> {
    let (body, tags) = (copy.body.clone(), copy.tags.clone());
    let messages = match context.replace_message_range(close.begin, close.end, body, tags) {
        Ok(messages) => messages,
        Err(error) => {
            tracing::warn!("'{}' was not archived: {error}", close.title);
            return None;
        }
    };
    let range = close.summing_up;
    let summing_up = range.and_then(|(begin, end)| context.remove_message_range(begin, end).ok());
    chapters.close(Chapter {
        id: chapters.next_id(context.name()),
        title: close.title.clone(),
        turn,
        messages,
        summing_up: summing_up.unwrap_or_default(),
        summary: copy.body.clone(),
        record: close.record.clone(),
    });
    chapters.all().last().map(Arc::as_ref)
}

fn chapter_record(context: &AgentContext, id: StableId, chapter: &Chapter) -> Record {
    Record::Chapter {
        entity: context.name().clone(),
        id,
        chapter: chapter.id.0.clone(),
        title: chapter.title.clone(),
        summary: chapter.summary.full_text().into_owned(),
        messages: chapter.messages.len(),
    }
}

/// What one kind of receiver gets.
struct Copy {
    kind: Kind,
    body: Body,
    tags: Tags,
    blocked: bool,
    /// Its words, if guards changed those of the event.
    masked: Option<String>,
}

/// The distinct results of the guards for one event, made when first needed.
struct Bodies {
    metadata: Metadata,
    original: Body,
    copies: Vec<Copy>,
    guarded: Vec<GuardAct>,
}

impl Bodies {
    fn new(event: &PendingEvent, id: BodyId, time: u64, metadata: Metadata) -> Self {
        let whole = body_of(event, &event.text, id, time, metadata.clone());
        Self {
            original: match &event.short {
                Some(short) => whole.with_short(short.as_str()),
                None => whole,
            },
            metadata,
            copies: Vec::new(),
            guarded: Vec::new(),
        }
    }

    fn for_kind(
        &mut self,
        kind: Kind,
        event: &PendingEvent,
        guards: &Guards,
        language: Language,
        next_id: &mut dyn FnMut() -> BodyId,
    ) -> &Copy {
        let known = self.copies.iter().position(|copy| copy.kind == kind);
        let index = known.unwrap_or_else(|| {
            let copy = self.copy_for(kind, event, guards, language, next_id);
            self.copies.push(copy);
            self.copies.len() - 1
        });
        &self.copies[index]
    }

    fn copy_for(
        &mut self,
        kind: Kind,
        event: &PendingEvent,
        guards: &Guards,
        language: Language,
        next_id: &mut dyn FnMut() -> BodyId,
    ) -> Copy {
        let mut copy = Copy {
            kind,
            body: self.original.clone(),
            tags: event.tags.clone(),
            blocked: false,
            masked: None,
        };
        if !guards.watch(Point::Store) {
            return copy;
        }
        let judgement = guards.judge(Judged {
            point: Point::Store,
            speaker: event.speaker.as_deref(),
            receiver: Some(kind),
            public: event.public,
            ..Judged::request(event.kind, &event.text, language)
        });
        if judgement.text != event.text {
            let time = self.original.time();
            let metadata = self.metadata.clone();
            copy.body = body_of(event, &judgement.text, next_id(), time, metadata);
            copy.masked = Some(judgement.text.to_string());
        }
        if let Some(flag) = judgement.flagged().next() {
            copy.tags = copy.tags.with(Tag::SUSPICIOUS.of(flag.to_string()));
        }
        copy.blocked = judgement.blocked().is_some();
        self.guarded.extend(judgement.acts);
        copy
    }
}

/// The metadata of the bodies of one kind of event, which they share.
type Metadata = Arc<Map<String, Value>>;

fn body_of(event: &PendingEvent, text: &str, id: BodyId, time: u64, metadata: Metadata) -> Body {
    let said = if event.media.is_empty() {
        Body::text(text)
    } else {
        let words = std::iter::once(Block::text(text));
        Body::blocks(words.chain(event.media.iter().cloned()).collect())
    };
    let body = said.with_id(id).at(time).with_metadata(metadata);
    match &event.speaker {
        Some(speaker) => body.from_sender(speaker.clone()),
        None => body,
    }
}
