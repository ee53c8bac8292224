//! The end of a step: its events reach contexts and feeds.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde_json::{Map, Value};

use super::guard::{GuardAct, Guards, Judged, Point, Receiver};
use super::{AudienceRule, ChapterClose, EventQueue, EventRecord, PendingEvent, Record, Records};
use crate::cast::{
    Clock, CurrentStage, EntityName, Kind, MEETING, MeetingClock, StableId, WorldTurn,
};
use crate::context::{AgentContext, Chapter, Chapters};
use crate::message::{Body, BodyId, Language, Tag, Tags};

/// Adds one human message to the context of each audience member, all sharing one body for each
/// distinct result of the guards, and one record for the feeds. Runs last in every step and
/// meeting.
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
) {
    let (place, place_name, clock) = match *current {
        CurrentStage::Meeting => (MEETING, Arc::from(""), &mut meeting.0),
        CurrentStage::Place(entity) => match places.get_mut(entity) {
            Ok((id, name, clock)) => (*id, name.0.clone(), clock.into_inner()),
            Err(_) => return,
        },
    };
    for event in queue.0.drain(..) {
        let id = clock.next_body(place);
        let time = clock.time;
        let metadata = metadata_of(&mut kinds, event.kind);
        let mut bodies = Bodies::new(&event, id, time, metadata);
        let mut audience = Vec::with_capacity(event.audience.len());
        let mut masked = Vec::new();
        for &receiver in &event.audience {
            let Ok((mut context, mut chapters, kind, &receiver)) = cast.get_mut(receiver) else {
                continue;
            };
            let mut next_id = || clock.next_body(place);
            let copy = bodies.for_kind(*kind, &event, &guards, *language, &mut next_id);
            if event.blocked || copy.blocked {
                continue;
            }
            audience.push(receiver);
            if let Some(words) = &copy.masked {
                masked.push((receiver, words.clone()));
            }
            if let Some(close) = &event.chapter_close {
                if let Some(chapter) =
                    close_chapter(&mut context, &mut chapters, close, copy, turn.0)
                {
                    let record = chapter_record(&context, receiver, chapter);
                    records.0.push(record);
                }
            } else if event.rule != AudienceRule::Private {
                context.add_human_message(copy.body.clone(), copy.tags.clone());
            }
        }
        records.0.push(Record::Event(EventRecord {
            id,
            turn: turn.0,
            time,
            place: place_name.clone(),
            kind: event.kind.into(),
            speaker: event.speaker,
            data: event.data,
            text: event.text,
            audience,
            masked,
            rule: event.rule,
            guarded: event.guarded.into_iter().chain(bodies.guarded).collect(),
        }));
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
    });
    chapters.all().last()
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
        Self {
            original: body_of(event, &event.text, id, time, metadata.clone()),
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
            text: &event.text,
            kind: event.kind,
            speaker: event.speaker.as_deref(),
            receiver: Some(match kind {
                Kind::Actor => Receiver::Actor,
                Kind::Stage => Receiver::Stage,
                Kind::WorldAgent => Receiver::WorldAgent,
            }),
            public: event.public,
            language,
        });
        if judgement.text != event.text {
            let time = self.original.time();
            let metadata = self.metadata.clone();
            copy.body = body_of(event, &judgement.text, next_id(), time, metadata);
            copy.masked = Some(judgement.text.to_string());
        }
        if let Some(flag) = judgement.flagged().next() {
            copy.tags = copy.tags.with(Tag::Suspicious(flag.to_string().into()));
        }
        copy.blocked = judgement.blocked().is_some();
        self.guarded.extend(judgement.acts);
        copy
    }
}

/// The metadata of the bodies of one kind of event, which they share.
type Metadata = Arc<Map<String, Value>>;

fn metadata_of(known: &mut BTreeMap<&'static str, Metadata>, kind: &'static str) -> Metadata {
    let metadata = || Map::from_iter([("event".to_owned(), Value::from(kind))]).into();
    known.entry(kind).or_insert_with(metadata).clone()
}

fn body_of(event: &PendingEvent, text: &str, id: BodyId, time: u64, metadata: Metadata) -> Body {
    let body = Body::text(text)
        .with_id(id)
        .at(time)
        .with_metadata(metadata);
    match &event.speaker {
        Some(speaker) => body.from_sender(speaker.clone()),
        None => body,
    }
}
