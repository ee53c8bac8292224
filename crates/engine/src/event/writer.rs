//! How systems tell entities what happened.

use std::borrow::Cow;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use bevy_ecs::system::{SystemParam, SystemState};
use serde_json::Value;

use super::guard::{FactPhrases, Guards, Judged, Point};
use super::learning::{Learned, Masked};
use super::{
    AgentEvent, AudienceRule, ChapterClose, DeferredCommands, EventQueue, EventTypes, Fault,
    Faults, MeetingPlace, PendingEvent, PhraseError, Phrasebook, change_at,
};
use crate::cast::{
    CastList, CurrentStage, Dead, EntityName, Kind, MEETING, Occupants, OnStage, Sense, Senses,
    StableId,
};
use crate::knowledge::{FactBook, Knowledge};
use crate::locale::UiText;
use crate::message::{Language, Tag};

/// Tells entities what happened. Two systems with an `EventWriter` must have a declared order;
/// otherwise building the schedule fails.
///
/// ```
/// use playhouse_engine::prelude::*;
///
/// #[derive(Serialize, Deserialize, AgentEvent)]
/// #[event("rang", style = Deed, text = format!("{who} rings the bell."))]
/// struct Rang {
///     who: String,
/// }
///
/// fn ring(actors: Query<(Entity, &EntityName, &Kind)>, mut events: EventWriter) {
///     for (actor, name, _) in actors.iter().filter(|(.., kind)| **kind == Kind::Actor) {
///         // All on its stage hear it, itself included unless it is left out.
///         events.broadcast_to_stage(actor, Rang { who: name.to_string() }, &[actor]);
///     }
/// }
///
/// let mut tiny = playhouse_engine::testing::tiny();
/// register_event::<Rang>(tiny.world());
/// tiny.world().run_system_cached(ring).unwrap();
/// assert_eq!(tiny.told()[0], ("rang", "Ann rings the bell.".to_owned()));
/// ```
///
/// In a step, everybody in an audience must be at the place of the step. What crosses stages is
/// [deferred](Self::defer) to the meeting.
#[derive(SystemParam)]
pub struct EventWriter<'w, 's> {
    queue: ResMut<'w, EventQueue>,
    deferred: ResMut<'w, DeferredCommands>,
    meeting_place: Res<'w, MeetingPlace>,
    faults: ResMut<'w, Faults>,
    current: Res<'w, CurrentStage>,
    guards: Res<'w, Guards>,
    phrases: Res<'w, Phrasebook>,
    types: Res<'w, EventTypes>,
    language: Res<'w, Language>,
    list: Res<'w, CastList>,
    senses: Res<'w, Senses>,
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
    facts: Res<'w, FactBook>,
    fact_phrases: Res<'w, FactPhrases>,
    knowledge: Query<'w, 's, &'static Knowledge>,
}

impl EventWriter<'_, '_> {
    /// Tells the stage that `entity` is or is on, and its living occupants, except `exclude`. Each
    /// gets a human message, and feeds (seats, `--json`) get the event.
    ///
    /// ```
    /// use playhouse_engine::event::kinds::Speak;
    /// use playhouse_engine::prelude::*;
    /// use playhouse_engine::testing::tiny;
    ///
    /// let mut tiny = tiny();
    /// let ann = tiny.ann;
    /// let speak = move |mut events: EventWriter| {
    ///     let [actor, target, message] = ["Ann", "Bob", "Good evening."].map(Into::into);
    ///     let event = Speak { actor, target, message, tells: Vec::new() };
    ///     events.broadcast_to_stage(ann, event, &[ann]);
    /// };
    /// tiny.setup.meet.add_systems(speak.in_set(MeetSet::Rules));
    /// let mut engine = tiny.engine(ScriptMind::lines([]))?;
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// engine.run(Some(1)).await?;
    /// # Ok::<(), EngineError>(()) })?;
    /// let heard: Vec<_> = agents_context(&engine.world)
    ///     .filter(|(_, context)| buffer(context).contains("Good evening."))
    ///     .map(|(name, _)| name)
    ///     .collect();
    /// assert_eq!(heard, ["Hall", "Bob"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn broadcast_to_stage<E: AgentEvent>(
        &mut self,
        entity: Entity,
        event: E,
        exclude: &[Entity],
    ) {
        let stage = self.place_of(entity);
        if *self.current != CurrentStage::Meeting && *self.current != CurrentStage::Place(stage) {
            return self.note_elsewhere(stage, E::TYPE);
        }
        let occupants = self.stages.get(stage);
        let count = occupants.map_or(0, |occupants| occupants.in_order().len());
        let mut audience = Vec::with_capacity(1 + count);
        self.add_stage(stage, exclude, &mut audience);
        let rule = AudienceRule::BroadcastToStage {
            stage: self.name(stage),
            exclude: self.names(exclude),
        };
        self.queue(event, audience, rule);
    }

    /// Tells exactly these entities, dead or alive.
    ///
    /// ```
    /// use playhouse_engine::bevy_ecs::system::RunSystemOnce;
    /// use playhouse_engine::event::EventQueue;
    /// use playhouse_engine::event::kinds::Speak;
    /// use playhouse_engine::prelude::*;
    /// use playhouse_engine::testing::tiny;
    ///
    /// let mut tiny = tiny();
    /// let (ann, bob) = (tiny.ann, tiny.bob);
    /// let system = move |mut events: EventWriter| {
    ///     let [actor, target, message] = ["Ann", "Bob", "Good evening."].map(Into::into);
    ///     let event = Speak { actor, target, message, tells: Vec::new() };
    ///     events.notify_entities(&[ann, bob], event);
    /// };
    /// tiny.world().run_system_once(system).unwrap();
    /// let queue = tiny.world().resource::<EventQueue>();
    /// assert_eq!(queue.0[0].audience, [ann, bob]);
    /// ```
    pub fn notify_entities(&mut self, receivers: &[Entity], event: impl AgentEvent) {
        self.write_to(receivers, event, AudienceRule::Notified);
    }

    /// As [`Self::notify_entities`], but before the last event of this type that is not delivered
    /// yet.
    pub fn notify_entities_before(
        &mut self,
        kind: &str,
        receivers: &[Entity],
        event: impl AgentEvent,
    ) {
        let before = self.queue.0.len();
        let place = self.queue.0.iter().rposition(|event| event.kind == kind);
        self.notify_entities(receivers, event);
        let added = self.queue.0.len() - before;
        if let Some(later) = place.and_then(|place| self.queue.0.get_mut(place..)) {
            later.rotate_right(added);
        }
    }

    /// Records a thought: its thinker's own seat and observers see it. It is in the thinker's
    /// context already, as its own answer, so nothing is added there.
    pub fn think(&mut self, thinker: Entity, event: impl AgentEvent) {
        self.write_to(&[thinker], event, AudienceRule::Private);
    }

    /// Teaches a fact to those of these entities that don't know it yet, and notes who tells it
    /// again to the others, and that all of them know it; without a teller if `from` is empty. A
    /// teller among them learns it first, from no one: from what it tells the others of. An
    /// id that no fact has teaches nothing.
    pub fn teach(&mut self, learners: &[Entity], fact: &str, from: &str) {
        let Some(fact) = self.facts.get(fact).cloned() else {
            return;
        };
        let is_new = |entity: &Entity| {
            let knowledge = self.knowledge.get(*entity);
            knowledge.is_ok_and(|knowledge| !knowledge.knows(&fact.id))
        };
        let is_teller = |entity: &Entity| !from.is_empty() && *self.name(*entity) == *from;
        let (mut teller, others): (Vec<_>, Vec<_>) = learners.iter().partition(|it| is_teller(it));
        teller.retain(is_new);
        for (learners, from) in [(teller, ""), (others, from)] {
            if !learners.is_empty() && !fact.is_common() {
                self.notify_entities(&learners, Learned::of(&fact, from));
            }
        }
    }

    /// Teaches an entity a fact that its own deed made. It has read of that deed, so nothing is
    /// added to its context.
    pub fn teach_own_deed(&mut self, doer: Entity, fact: &str) {
        if let Some(fact) = self.facts.get(fact).cloned() {
            self.think(doer, Learned::of(&fact, ""));
        }
    }

    /// Whether words give away only what all of these know.
    pub fn is_known_to_all(&self, hearers: &[Entity], words: &str) -> bool {
        let knows = |entity: &Entity, fact: &str| {
            let knowledge = self.knowledge.get(*entity);
            knowledge.is_ok_and(|knowledge| knowledge.knows(fact))
        };
        let facts = self.fact_phrases.facts_in(words);
        facts
            .iter()
            .all(|fact| hearers.iter().all(|hearer| knows(hearer, fact)))
    }

    /// Closes a chapter of an entity: the event's words replace a range of its context, and what
    /// was there moves to the chapter.
    pub fn close_chapter(&mut self, owner: Entity, event: impl AgentEvent, close: ChapterClose) {
        let before = self.queue.0.len();
        self.write_to(&[owner], event, AudienceRule::Notified);
        if let Some(event) = self.queue.0.get_mut(before) {
            event.chapter_close = Some(close.into());
        }
    }

    /// Tells every stage, everybody alive on one, and the world agents, without `exclude`. In a
    /// step it is deferred to the meeting.
    pub fn announce(&mut self, event: impl AgentEvent, exclude: &[Entity]) {
        if *self.current == CurrentStage::Meeting {
            self.announce_now(event, exclude);
        } else {
            let exclude = exclude.to_vec();
            self.defer(move |world| {
                write_events_at_meeting(world, |events| events.announce_now(event, &exclude));
            });
        }
    }

    /// Queues a change that crosses stages. It runs at the meeting, before its systems, and may use
    /// [`write_events_at_meeting`]; what it tells belongs to the place of the step.
    pub fn defer(&mut self, command: impl FnOnce(&mut World) + Send + Sync + 'static) {
        let place = match *self.current {
            CurrentStage::Meeting => None,
            CurrentStage::Place(place) => Some(place),
        };
        let id = place.and_then(|place| self.cast.get(place).ok());
        let id = id.map_or(MEETING, |(id, ..)| *id);
        let command = move |world: &mut World| change_at(world, place, command);
        self.deferred.push(id, Box::new(command));
    }

    /// The last event of this step that is not delivered yet, as the guards left it.
    pub fn last(&self) -> Option<&PendingEvent> {
        self.queue.0.last()
    }

    /// The last event of this type in this step that is not delivered yet, as the guards left it.
    pub fn last_of(&self, kind: &str) -> Option<&PendingEvent> {
        self.queue.0.iter().rfind(|event| event.kind == kind)
    }

    /// The phrases of the world's language.
    pub fn phrases(&self) -> &Phrasebook {
        &self.phrases
    }

    /// Reports a mistake, which stops the run after the step.
    pub fn fault(&mut self, fault: Fault) {
        self.faults.note(fault);
    }

    fn announce_now(&mut self, event: impl AgentEvent, exclude: &[Entity]) {
        let mut audience = Vec::new();
        for stage in self.all_of(Kind::Stage) {
            self.add_stage(stage, exclude, &mut audience);
        }
        let agents = self.all_of(Kind::WorldAgent);
        audience.extend(agents.into_iter().filter(|agent| !exclude.contains(agent)));
        let exclude = self.names(exclude);
        self.queue(event, audience, AudienceRule::Announced { exclude });
    }

    fn write_to<E: AgentEvent>(&mut self, receivers: &[Entity], event: E, rule: AudienceRule) {
        if let CurrentStage::Place(place) = *self.current {
            let elsewhere = receivers.iter().find(|who| self.place_of(**who) != place);
            if let Some(&receiver) = elsewhere {
                return self.note_elsewhere(receiver, E::TYPE);
            }
        }
        let mut audience = Vec::with_capacity(receivers.len());
        for entity in receivers {
            if !audience.contains(entity) {
                audience.push(*entity);
            }
        }
        self.queue(event, audience, rule);
    }

    /// Queues an event; before it the rest of it, for those in the audience who lack the sense by
    /// which it is perceived.
    fn queue<E: AgentEvent>(&mut self, event: E, mut audience: Vec<Entity>, rule: AudienceRule) {
        if let Some((sense, fields)) = E::PERCEIVED {
            let lacks = |who: &Entity| {
                let found = self.cast.get(*who);
                found.is_ok_and(|(_, name, ..)| !self.senses.has(&name.0, sense))
            };
            let mut lacking: Vec<_> = audience.iter().copied().filter(lacks).collect();
            if !lacking.is_empty()
                && let Ok(mut data) = serde_json::to_value(&event)
            {
                let doer = data.get("actor").and_then(Value::as_str);
                lacking.retain(|who| Some(&*self.name(*who)) != doer);
                audience.retain(|who| !lacking.contains(who));
                for field in fields {
                    match data.get_mut(*field) {
                        Some(Value::Array(items)) => items.clear(),
                        Some(value) => *value = Value::String(String::new()),
                        None => {}
                    }
                }
                if let (Ok(rest), false) = (E::deserialize(data), lacking.is_empty()) {
                    self.queue_to(rest, lacking, AudienceRule::Notified, Some(sense));
                }
            }
        }
        self.queue_to(event, audience, rule, None);
    }

    /// Queues an event as its guards leave it. This is compiled for every type of event; what needs
    /// no type is in [`Self::judge`] and [`Self::push`].
    fn queue_to<E: AgentEvent>(
        &mut self,
        mut event: E,
        audience: Vec<Entity>,
        rule: AudienceRule,
        without: Option<Sense>,
    ) {
        if !self.types.knows(E::TYPE) {
            return self.faults.note(Fault::UnregisteredEvent(E::TYPE.into()));
        }
        let mut pending = PendingEvent {
            kind: E::TYPE,
            speaker: event
                .speaker()
                .filter(|_| without.is_none())
                .map(Into::into),
            place: self.meeting_place.0.clone(),
            without,
            tags: event.tags(),
            audience,
            rule,
            public: event.is_public(),
            own: event.is_own(),
            tells: event.tells().iter().map(|id| id.as_str().into()).collect(),
            ..PendingEvent::default()
        };
        // Without facts nobody knows any.
        let knower = { event.knower().filter(|_| !self.facts.is_empty()) }
            .and_then(|name| self.list.by_name(name));
        let tells_by_words = event.tells_by_words();
        let spoken = event.spoken();
        let heard_instead =
            spoken.and_then(|spoken| self.judge(&mut pending, spoken, knower, tells_by_words));
        let data = serde_json::to_value(&event).map_err(PhraseError::from);
        let texts = data.and_then(|data| {
            let short = E::short_template()
                .map(|name| self.phrases.say(&name, &data))
                .transpose()?;
            Ok((self.words(&event, &data, &pending.audience)?, short, data))
        });
        match texts {
            Ok(((text, _), ..)) if without.is_some() && text.trim().is_empty() => {}
            Ok((texts, short, data)) => {
                (pending.text, pending.own_texts) = texts;
                (pending.short, pending.data) = (short, data);
                pending.media = event.media();
                pending.happening = event.happening();
                let own = event.own_happening().filter(|_| without.is_none());
                pending.own_happening = own.map(|(doer, noting)| (doer.into(), noting.whole));
                self.push(pending, knower, heard_instead);
            }
            Err(reason) => self.faults.note(Fault::NoText {
                event: E::TYPE.into(),
                reason,
            }),
        }
    }

    /// The words of an event, and those for each of those who did it and receive them, by name.
    fn words<E: AgentEvent>(
        &self,
        event: &E,
        data: &Value,
        audience: &[Entity],
    ) -> Result<(String, Vec<(Arc<str>, String)>), PhraseError> {
        let Some(doer) = event.doer() else {
            return Ok((event.text(&self.phrases, data)?, Vec::new()));
        };
        let along = event.along().iter().map(String::as_str);
        let doers: Vec<&str> = std::iter::once(doer).chain(along).collect();
        let say = |own: Option<&str>| {
            let mut data = data.clone();
            if let Some(fields) = data.as_object_mut() {
                fields.insert("own".to_owned(), own.is_some().into());
                if own.is_some() && doers.len() > 1 {
                    let others = doers.iter().filter(|who| Some(**who) != own);
                    fields.insert("along".to_owned(), others.copied().collect());
                }
            }
            event.text(&self.phrases, &data)
        };
        let told = audience.iter().map(|who| self.name(*who));
        let own = told
            .filter(|name| doers.contains(&&**name))
            .map(|name| Ok((name.clone(), say(Some(&name))?)));
        Ok((say(None)?, own.collect::<Result<_, PhraseError>>()?))
    }

    /// Lets guards judge what is spoken, and adds the facts that its words tell. Returns what is
    /// heard instead, if a guard hid something; empty if it was blocked.
    fn judge(
        &self,
        pending: &mut PendingEvent,
        spoken: &mut String,
        knower: Option<Entity>,
        tells_by_words: bool,
    ) -> Option<String> {
        let knowledge = knower.and_then(|entity| self.knowledge.get(entity).ok());
        // A speaker without knowledge tells nothing by its words.
        let knows_any = knowledge.is_some_and(|knowledge| !knowledge.is_empty());
        if tells_by_words && knows_any {
            for fact in self.fact_phrases.facts_in(spoken) {
                if !pending.tells.contains(&fact) {
                    pending.tells.push(fact);
                }
            }
        }
        let judgement = self.guards.judge(Judged {
            point: Point::Send,
            text: spoken,
            kind: pending.kind,
            speaker: pending.speaker.as_deref(),
            receiver: None,
            knowledge,
            public: pending.public,
            language: *self.language,
        });
        pending.blocked = judgement.blocked().is_some();
        if let Some(flag) = judgement.flagged().next() {
            let flagged = Tag::SUSPICIOUS.of(flag.to_string());
            pending.tags = std::mem::take(&mut pending.tags).with(flagged);
        }
        let is_hidden = self.guards.hid(&judgement.acts);
        let heard_instead = is_hidden.then(|| {
            if pending.blocked {
                String::new()
            } else {
                judgement.text.to_string()
            }
        });
        pending.guarded = judgement.acts;
        if let Cow::Owned(text) = judgement.text {
            *spoken = text;
        }
        heard_instead
    }

    /// Queues an event without what its speaker can't tell, and lets a speaker who is here know
    /// what is heard instead of its words.
    fn push(
        &mut self,
        mut pending: PendingEvent,
        knower: Option<Entity>,
        heard_instead: Option<String>,
    ) {
        let heard_instead = heard_instead.and_then(|message| {
            let speaker = self.list.by_name(pending.speaker.as_deref()?)?;
            Some((message, speaker))
        });
        if pending.speaker.is_some() {
            // A speaker can tell neither what it does not know, nor what is sworn.
            let knowledge = knower.and_then(|entity| self.knowledge.get(entity).ok());
            pending.tells.retain(|id| {
                let is_sworn = self.facts.get(id).is_none_or(|fact| fact.sworn);
                !is_sworn && knowledge.is_some_and(|knowledge| knowledge.knows(id))
            });
        }
        self.queue.0.push(pending);
        let is_here = |entity: &Entity| match *self.current {
            CurrentStage::Meeting => true,
            CurrentStage::Place(place) => self.place_of(*entity) == place,
        };
        if let Some((message, entity)) = heard_instead.filter(|(_, entity)| is_here(entity)) {
            let actor = self.name(entity).to_string();
            self.notify_entities(&[entity], Masked { actor, message });
        }
    }

    /// Adds a stage and its living occupants, without `exclude`.
    fn add_stage(&self, stage: Entity, exclude: &[Entity], audience: &mut Vec<Entity>) {
        let is_alive = |entity: Entity| self.cast.get(entity).is_ok_and(|(.., dead)| !dead);
        let occupants = self.stages.get(stage).map(Occupants::in_order);
        let present = std::iter::once(&stage).chain(occupants.unwrap_or_default());
        audience.extend(present.filter(|entity| !exclude.contains(entity) && is_alive(**entity)));
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
        let entities = self.list.all().map(|(_, entity)| entity);
        entities.filter(is_wanted).collect()
    }

    fn name(&self, entity: Entity) -> Arc<str> {
        let name = self.cast.get(entity).map(|(_, name, ..)| name.0.clone());
        name.unwrap_or_else(|_| "?".into())
    }

    fn names(&self, entities: &[Entity]) -> Vec<Arc<str>> {
        entities.iter().map(|entity| self.name(*entity)).collect()
    }

    fn note_elsewhere(&mut self, receiver: Entity, kind: &str) {
        let CurrentStage::Place(place) = *self.current else {
            return;
        };
        let fault = Fault::ToldElsewhere {
            place: self.name(place).to_string(),
            receiver: self.name(receiver).to_string(),
            event: kind.into(),
        };
        self.faults.note(fault);
    }
}

/// An [`EventWriter`] of this world, kept between uses.
#[derive(Resource)]
struct MeetingWriter(Box<SystemState<EventWriter<'static, 'static>>>);

/// Writes events with access to the whole world: in an exclusive system of a meeting, or in a
/// [deferred](EventWriter::defer) change.
///
/// ```
/// use playhouse_engine::event::kinds::Announce;
/// use playhouse_engine::prelude::*;
///
/// fn noon(world: &mut World) {
///     let event = Announce {
///         actor: "The clock".into(),
///         stage: String::new(),
///         message: "Twelve o'clock.".into(),
///         tells: Vec::new(),
///     };
///     write_events_at_meeting(world, |events| events.announce(event, &[]));
/// }
///
/// let mut setup = Setup::new(1);
/// setup.meet.add_systems(noon.in_set(MeetSet::Rules));
/// ```
pub fn write_events_at_meeting(world: &mut World, write: impl FnOnce(&mut EventWriter)) {
    let writer = world.remove_resource::<MeetingWriter>();
    let mut state = writer.map_or_else(
        || Box::new(SystemState::new(world)),
        |MeetingWriter(state)| state,
    );
    match state.get_mut(world) {
        Ok(mut events) => write(&mut events),
        Err(error) => world
            .get_resource_or_init::<Faults>()
            .note(Fault::Game(UiText::verbatim(error))),
    }
    state.apply(world);
    world.insert_resource(MeetingWriter(state));
}
