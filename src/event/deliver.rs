//! The end of a step: what was told reaches contexts and feeds.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde_json::{Map, Value};

use super::guard::{Guards, Judged, Point, Receiver};
use super::{ChapterClose, EventQueue, EventRecord, PendingEvent, Record, Records, Rule};
use crate::cast::{
    Clock, CurrentStage, EntityName, Kind, MEETING, MeetingClock, StableId, WorldTurn,
};
use crate::context::{AgentContext, Chapter, Chapters};
use crate::message::{Body, BodyId, Language, Tag, Tags};

/// Writes one human message into the context of each audience member, all sharing one body for each
/// distinct result of the guards, and one record for the feeds. Runs last in every step and meeting.
pub fn deliver(
    mut queue: ResMut<EventQueue>,
    mut records: ResMut<Records>,
    mut meeting: ResMut<MeetingClock>,
    here: Res<CurrentStage>,
    turn: Res<WorldTurn>,
    guards: Res<Guards>,
    language: Res<Language>,
    mut kinds: Local<BTreeMap<&'static str, Metadata>>,
    mut places: Query<(&StableId, &EntityName, &mut Clock)>,
    mut cast: Query<(&mut AgentContext, &mut Chapters, &Kind, &StableId)>,
) {
    let (place, place_name, clock) = match *here {
        CurrentStage::Meeting => (MEETING, Arc::from(""), &mut meeting.0),
        CurrentStage::Place(entity) => match places.get_mut(entity) {
            Ok((id, name, clock)) => (*id, name.0.clone(), clock.into_inner()),
            Err(_) => return,
        },
    };
    for told in queue.0.drain(..) {
        let id = clock.next_body(place);
        let mut bodies = Bodies::new(&told, id, clock.time, metadata_of(&mut kinds, told.kind));
        let mut audience = Vec::with_capacity(told.audience.len());
        let mut masked = Vec::new();
        for &receiver in &told.audience {
            let Ok((mut context, mut chapters, kind, receiver)) = cast.get_mut(receiver) else {
                continue;
            };
            let mut renumber = || clock.next_body(place);
            let copy = bodies.for_kind(*kind, &told, &guards, *language, &mut renumber);
            if told.blocked || copy.blocked {
                continue;
            }
            audience.push(*receiver);
            if let Some(words) = &copy.masked {
                masked.push((*receiver, words.clone()));
            }
            match &told.closing {
                Some(closing) => {
                    let closed = close(&mut context, &mut chapters, closing, copy, turn.0);
                    records
                        .0
                        .extend(closed.map(|chapter| chapter_record(&context, *receiver, chapter)));
                }
                None if told.rule == Rule::Private => {}
                None => {
                    context.add_human_message(copy.body.clone(), copy.tags.clone());
                }
            }
        }
        records.0.push(Record::Event(EventRecord {
            id,
            turn: turn.0,
            time: clock.time,
            place: place_name.clone(),
            kind: told.kind.into(),
            speaker: told.speaker,
            data: told.data,
            text: told.text,
            audience,
            masked,
            rule: told.rule,
            guarded: told.guarded.into_iter().chain(bodies.guarded).collect(),
        }));
    }
}

/// Cuts a range out of a context, puts the summary in its place and both into a chapter. A range that
/// can't be cut leaves everything as it is.
fn close<'a>(
    context: &mut AgentContext,
    chapters: &'a mut Chapters,
    closing: &ChapterClose,
    copy: &Copy,
    turn: u64,
) -> Option<&'a Chapter> {
    let ChapterClose {
        begin,
        end,
        summing_up,
        title,
    } = closing;
    let messages =
        context.replace_message_range(*begin, *end, copy.body.clone(), copy.tags.clone());
    let messages = match messages {
        Ok(messages) => messages,
        Err(error) => {
            tracing::warn!("'{title}' was not archived: {error}");
            return None;
        }
    };
    let summing_up = summing_up.and_then(|(from, to)| context.remove_message_range(from, to).ok());
    chapters.close(Chapter {
        id: chapters.next_id(context.name()),
        title: title.clone(),
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
    /// Its words, where guards put others in the place of the event's.
    masked: Option<String>,
}

/// The distinct results of the guards for one event, made when first needed.
struct Bodies {
    metadata: Metadata,
    original: Body,
    copies: Vec<Copy>,
    guarded: Vec<super::guard::GuardAct>,
}

impl Bodies {
    fn new(told: &PendingEvent, id: BodyId, time: u64, metadata: Metadata) -> Self {
        Self {
            original: body_of(told, &told.text, id, time, metadata.clone()),
            metadata,
            copies: Vec::new(),
            guarded: Vec::new(),
        }
    }

    fn for_kind(
        &mut self,
        kind: Kind,
        told: &PendingEvent,
        guards: &Guards,
        language: Language,
        next_id: &mut dyn FnMut() -> BodyId,
    ) -> &Copy {
        if let Some(at) = self.copies.iter().position(|copy| copy.kind == kind) {
            return &self.copies[at];
        }
        if !guards.watch(Point::Store) {
            self.copies.push(Copy {
                kind,
                body: self.original.clone(),
                tags: told.tags.clone(),
                blocked: false,
                masked: None,
            });
            return &self.copies[self.copies.len() - 1];
        }
        let judgement = guards.judge(Judged {
            point: Point::Store,
            text: &told.text,
            kind: told.kind,
            speaker: told.speaker.as_deref(),
            receiver: Some(match kind {
                Kind::Actor => Receiver::Actor,
                Kind::Stage => Receiver::Stage,
                Kind::WorldAgent => Receiver::WorldAgent,
            }),
            public: told.public,
            language,
        });
        let masked = (judgement.text != told.text).then(|| judgement.text.to_string());
        let body = match &masked {
            None => self.original.clone(),
            Some(words) => {
                let time = self.original.time();
                body_of(told, words, next_id(), time, self.metadata.clone())
            }
        };
        let mut tags = told.tags.clone();
        if let Some(flag) = judgement.flagged().next() {
            tags = tags.with(Tag::Suspicious(flag.into()));
        }
        let blocked = judgement.blocked().is_some();
        self.guarded.extend(judgement.acts);
        self.copies.push(Copy {
            kind,
            body,
            tags,
            blocked,
            masked,
        });
        &self.copies[self.copies.len() - 1]
    }
}

/// The metadata of the bodies of each kind of event, which they share.
type Metadata = Arc<Map<String, Value>>;

fn metadata_of(known: &mut BTreeMap<&'static str, Metadata>, kind: &'static str) -> Metadata {
    let metadata = || Map::from_iter([("event".to_owned(), Value::from(kind))]).into();
    known.entry(kind).or_insert_with(metadata).clone()
}

fn body_of(told: &PendingEvent, text: &str, id: BodyId, time: u64, metadata: Metadata) -> Body {
    let body = Body::text(text)
        .with_id(id)
        .at(time)
        .with_metadata(metadata);
    match &told.speaker {
        Some(speaker) => body.from_sender(speaker.clone()),
        None => body,
    }
}
