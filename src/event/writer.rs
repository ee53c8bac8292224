//! The one door through which systems tell what happened.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use bevy_ecs::system::{SystemParam, SystemState};
use serde_json::Value;

use super::guard::{GuardAct, Guards, Judged, Point};
use super::kinds::Archive;
use super::{AgentEvent, EventTypes, Fault, Faults, Phrasebook, Rule};
use crate::cast::{CastList, CurrentStage, Dead, EntityName, Kind, Occupants, OnStage, StableId};
use crate::context::EntryId;
use crate::message::{Language, Tag, Tags};

/// An event on its way: its words and audience are fixed, its body is not made yet.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingEvent {
    /// The name of its type.
    pub kind: &'static str,
    /// Who did it.
    pub speaker: Option<Arc<str>>,
    /// The event itself.
    pub data: Value,
    /// The words its receivers will read.
    pub text: String,
    /// Marks for the receivers' messages.
    pub tags: Tags,
    /// Who gets it, in stable order of telling.
    pub audience: Vec<Entity>,
    /// By which rule.
    pub rule: Rule,
    /// What guards did before it was sent.
    pub guarded: Vec<GuardAct>,
    /// Whether everybody in the audience may repeat it.
    pub public: bool,
    /// Whether a guard stopped it: it is recorded, and reaches nobody.
    pub blocked: bool,
    /// The range of the one receiver's context that the message takes the place of.
    pub closing: Option<ChapterClose>,
}

/// A range of a context that becomes a chapter, with the summary in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct ChapterClose {
    /// The first message of the range.
    pub begin: EntryId,
    /// The last message of the range.
    pub end: EntryId,
    /// The request for the summary and its answer, which go to the chapter too.
    pub summing_up: Option<(EntryId, EntryId)>,
    /// What the chapter was, such as a fight on a stage.
    pub title: String,
}

/// What was told in this step and not delivered yet, in order.
#[derive(Resource, Debug, Default)]
pub struct EventQueue(pub Vec<PendingEvent>);

type Crossing = Box<dyn FnOnce(&mut World) + Send + Sync>;

/// What was queued to cross stages; it takes effect at the meeting, in order of place and number.
#[derive(Resource, Default)]
pub struct DeferredCommands(Vec<(StableId, Crossing)>);

impl DeferredCommands {
    /// Takes everything, ordered by place; within a place in order of queueing.
    pub fn take(&mut self) -> Vec<Box<dyn FnOnce(&mut World) + Send + Sync>> {
        let mut all = std::mem::take(&mut self.0);
        all.sort_by_key(|(place, _)| *place);
        all.into_iter().map(|(_, crossing)| crossing).collect()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Tells entities what happened. Two systems that tell must have a declared order; otherwise
/// building the schedule fails.
#[derive(SystemParam)]
pub struct EventWriter<'w, 's> {
    queue: ResMut<'w, EventQueue>,
    later: ResMut<'w, DeferredCommands>,
    faults: ResMut<'w, Faults>,
    here: Res<'w, CurrentStage>,
    guards: Res<'w, Guards>,
    phrases: Res<'w, Phrasebook>,
    types: Res<'w, EventTypes>,
    language: Res<'w, Language>,
    list: Res<'w, CastList>,
    cast: Query<
        'w,
        's,
        (
            &'static StableId,
            &'static EntityName,
            &'static Kind,
            Has<Dead>,
        ),
    >,
    stages: Query<'w, 's, &'static Occupants>,
    on_stage: Query<'w, 's, &'static OnStage>,
}

impl EventWriter<'_, '_> {
    /// Tells the stage on which `entity` stands, or which it is, and its living occupants, less
    /// exactly `exclude`.
    pub fn broadcast_to_stage(
        &mut self,
        entity: Entity,
        event: impl AgentEvent,
        exclude: &[Entity],
    ) {
        let stage = self.place_of(entity);
        let mut audience =
            Vec::with_capacity(1 + self.stages.get(stage).map_or(0, |o| o.in_order().len()));
        self.add_stage(stage, exclude, &mut audience);
        let rule = Rule::BroadcastToStage {
            stage: self.name(stage),
            exclude: exclude.iter().map(|entity| self.name(*entity)).collect(),
        };
        if *self.here == CurrentStage::Meeting || *self.here == CurrentStage::Place(stage) {
            self.queue(event, audience, rule);
        } else {
            self.told_elsewhere(stage, &event);
        }
    }

    /// Tells exactly these entities, dead or alive. At a step they must stand where the step is.
    pub fn notify_entities(&mut self, who: &[Entity], event: impl AgentEvent) {
        self.tell_these(who, event, Rule::Notified);
    }

    /// Records a thought: its thinker's own seat and observers see it. It is in the thinker's context
    /// already, as its own answer, so nothing is added there.
    pub fn think(&mut self, thinker: Entity, event: impl AgentEvent) {
        self.tell_these(&[thinker], event, Rule::Private);
    }

    /// Closes a chapter of one entity: the event's words take the place of a range of its context,
    /// and what stood there moves to the chapter.
    pub fn close_chapter(&mut self, owner: Entity, event: Archive, closing: ChapterClose) {
        let before = self.queue.0.len();
        self.tell_these(&[owner], event, Rule::Notified);
        if let Some(told) = self.queue.0.get_mut(before) {
            told.closing = Some(closing);
        }
    }

    /// Tells every stage and everybody alive on one, and the voices of the world, less exactly
    /// `exclude`. At a step it is queued for the meeting.
    pub fn announce(&mut self, event: impl AgentEvent, exclude: &[Entity]) {
        if *self.here == CurrentStage::Meeting {
            self.announce_now(event, exclude);
        } else {
            let exclude = exclude.to_vec();
            self.later(move |world| {
                write_events_at_meeting(world, |tell| tell.announce_now(event, &exclude))
            });
        }
    }

    /// Queues a change that crosses stages; it runs at the meeting, before its systems.
    pub fn later(&mut self, crossing: impl FnOnce(&mut World) + Send + Sync + 'static) {
        let place = match *self.here {
            CurrentStage::Meeting => crate::cast::MEETING,
            CurrentStage::Place(place) => self
                .cast
                .get(place)
                .map_or(crate::cast::MEETING, |(id, ..)| *id),
        };
        self.later.0.push((place, Box::new(crossing)));
    }

    /// What was told last in this step, as the guards left it; nothing where telling failed.
    pub fn last(&self) -> Option<&PendingEvent> {
        self.queue.0.last()
    }

    /// The phrases of the world's language.
    pub fn phrases(&self) -> &Phrasebook {
        &self.phrases
    }

    /// Notes a mistake that stops the run when the step is over.
    pub fn fault(&mut self, fault: Fault) {
        self.faults.note(fault);
    }

    fn announce_now(&mut self, event: impl AgentEvent, exclude: &[Entity]) {
        let mut audience = Vec::new();
        for stage in self.all_of(Kind::Stage) {
            self.add_stage(stage, exclude, &mut audience);
        }
        let voices = self.all_of(Kind::WorldAgent);
        audience.extend(voices.into_iter().filter(|voice| !exclude.contains(voice)));
        let exclude = exclude.iter().map(|entity| self.name(*entity)).collect();
        self.queue(event, audience, Rule::Announced { exclude });
    }

    /// Tells these entities once each, all of whom must stand where the step is.
    fn tell_these(&mut self, who: &[Entity], event: impl AgentEvent, rule: Rule) {
        let elsewhere = match *self.here {
            CurrentStage::Meeting => None,
            CurrentStage::Place(place) => who.iter().find(|who| self.place_of(**who) != place),
        };
        if let Some(&receiver) = elsewhere {
            return self.told_elsewhere(receiver, &event);
        }
        let mut audience = Vec::with_capacity(who.len());
        for entity in who {
            if !audience.contains(entity) {
                audience.push(*entity);
            }
        }
        self.queue(event, audience, rule);
    }

    fn queue<E: AgentEvent>(&mut self, mut event: E, audience: Vec<Entity>, rule: Rule) {
        if !self.types.knows(E::TYPE) {
            return self.faults.note(Fault::UnregisteredEvent(E::TYPE.into()));
        }
        let speaker: Option<Arc<str>> = event.speaker().map(Into::into);
        let mut tags = event.tags();
        let mut blocked = false;
        let mut guarded = Vec::new();
        let is_public = event.is_public();
        if let Some(spoken) = event.spoken() {
            let judgement = self.guards.judge(Judged {
                point: Point::Send,
                text: spoken,
                kind: E::TYPE,
                speaker: speaker.as_deref(),
                receiver: None,
                public: is_public,
                language: *self.language,
            });
            blocked = judgement.blocked().is_some();
            if let Some(flag) = judgement.flagged().next() {
                tags = tags.with(Tag::Suspicious(flag.into()));
            }
            guarded = judgement.acts;
            let text = judgement.text.into_owned();
            *spoken = text;
        }
        let data = serde_json::to_value(&event).map_err(|error| error.to_string());
        let told = data.and_then(|data| Ok((event.text(&self.phrases, &data)?, data)));
        match told {
            Ok((text, data)) => self.queue.0.push(PendingEvent {
                kind: E::TYPE,
                speaker,
                data,
                text,
                tags,
                audience,
                rule,
                guarded,
                public: is_public,
                blocked,
                closing: None,
            }),
            Err(reason) => self.faults.note(Fault::NoText {
                event: E::TYPE.into(),
                reason,
            }),
        }
    }

    /// Adds a stage and its living occupants, less exactly `exclude`.
    fn add_stage(&self, stage: Entity, exclude: &[Entity], audience: &mut Vec<Entity>) {
        let alive = |entity: Entity| self.cast.get(entity).is_ok_and(|(.., dead)| !dead);
        let occupants = self.stages.get(stage).map(Occupants::in_order);
        let all = std::iter::once(&stage).chain(occupants.unwrap_or_default());
        audience.extend(all.filter(|entity| !exclude.contains(entity) && alive(**entity)));
    }

    fn place_of(&self, entity: Entity) -> Entity {
        self.on_stage.get(entity).map_or(entity, |stage| stage.0)
    }

    /// All entities of a kind, in stable order.
    fn all_of(&self, wanted: Kind) -> Vec<Entity> {
        let is_wanted = |entity: &Entity| {
            let found = self.cast.get(*entity);
            found.is_ok_and(|(_, _, kind, _)| *kind == wanted)
        };
        let all = self.list.all().map(|(_, entity)| entity);
        all.filter(is_wanted).collect()
    }

    fn name(&self, entity: Entity) -> Arc<str> {
        let name = self.cast.get(entity).map(|(_, name, ..)| name.0.clone());
        name.unwrap_or_else(|_| "?".into())
    }

    fn told_elsewhere<E: AgentEvent>(&mut self, receiver: Entity, _event: &E) {
        let place = match *self.here {
            CurrentStage::Place(place) => self.name(place),
            CurrentStage::Meeting => "the meeting".into(),
        };
        let receiver = self.name(receiver);
        self.faults.note(Fault::ToldElsewhere {
            place: place.to_string(),
            receiver: receiver.to_string(),
            event: E::TYPE.into(),
        });
    }
}

/// What [`tell_at_meeting`] has looked up of the world.
#[derive(Resource)]
struct AtMeeting(SystemState<EventWriter<'static, 'static>>);

/// Tells from a crossing, where there is a world and no system.
pub(crate) fn write_events_at_meeting(world: &mut World, act: impl FnOnce(&mut EventWriter)) {
    let known = world.remove_resource::<AtMeeting>();
    let mut state = known.map_or_else(|| SystemState::new(world), |AtMeeting(state)| state);
    match state.get_mut(world) {
        Ok(mut tell) => act(&mut tell),
        Err(error) => world
            .get_resource_or_init::<Faults>()
            .note(Fault::Game(error.to_string())),
    }
    state.apply(world);
    world.insert_resource(AtMeeting(state));
}
