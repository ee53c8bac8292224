//! Law 1: one event, one audience, which code computed when it was told.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce;
use playhouse_engine::cast::{CurrentStage, Dead, EntityName, Kind, OnStage, StableId, spawn};
use playhouse_engine::context::{AgentContext, EntryId};
use playhouse_engine::engine::{EngineError, StepSet};
use playhouse_engine::event::guard::{Guard, GuardVerdict, Guards, Judged, Point};
use playhouse_engine::event::kinds::{Archive, Mind, Speak, Whisper};
use playhouse_engine::event::{
    AgentEvent, ChapterClose, EventWriter, Fault, Faults, Feed, Recipient, Record, Records, deliver,
};
use playhouse_engine::locale::UiText;
use playhouse_engine::message::{BodyId, Role};
use playhouse_engine::mind::ScriptMind;
use playhouse_engine::testing::{spawn_spec, tiny};
use serde::{Deserialize, Serialize};

use super::game::{Game, reader, unfolded};

fn speech(words: &str) -> Speak {
    Speak {
        actor: "Ann".into(),
        target: "all".into(),
        message: words.into(),
        tells: Vec::new(),
    }
}

/// Ann, Bob, Cid (dead) and Dora in the hall, where the step is; Eve in the yard.
struct House {
    world: World,
    cast: BTreeMap<&'static str, Entity>,
}

fn house() -> House {
    let mut tiny = tiny();
    let mut cast = BTreeMap::from([("Hall", tiny.hall), ("Ann", tiny.ann), ("Bob", tiny.bob)]);
    let others = [
        ("Yard", Kind::Stage, None),
        ("Cid", Kind::Actor, Some("Hall")),
        ("Dora", Kind::Actor, Some("Hall")),
        ("Eve", Kind::Actor, Some("Yard")),
    ];
    for (name, kind, stage) in others {
        let entity = spawn(tiny.world(), spawn_spec(name, kind, stage)).unwrap();
        cast.insert(name, entity);
    }
    tiny.world().entity_mut(cast["Cid"]).insert(Dead);
    House {
        world: tiny.setup.world,
        cast,
    }
}

impl House {
    /// Lets one system tell, and delivers.
    fn step(
        &mut self,
        act: impl Fn(&mut EventWriter, &BTreeMap<&'static str, Entity>) + Send + Sync + 'static,
    ) {
        let cast = self.cast.clone();
        let tells = move |mut events: EventWriter| act(&mut events, &cast);
        self.world.run_system_once(tells).unwrap();
        self.world.run_system_once(deliver).unwrap();
    }

    /// Who has a message with these words.
    fn heard(&self, words: &str) -> Vec<&'static str> {
        let hears = |entity: &Entity| {
            let context = self.world.get::<AgentContext>(*entity).unwrap();
            let mut texts = context
                .entries()
                .iter()
                .map(|entry| entry.body().full_text());
            texts.any(|text| text.contains(words))
        };
        let hearers = self.cast.iter().filter(|(_, entity)| hears(entity));
        hearers.map(|(name, _)| *name).collect()
    }

    fn faults(&self) -> Vec<String> {
        let faults = self.world.resource::<Faults>().0.iter();
        faults.map(ToString::to_string).collect()
    }
}

#[test]
fn a_broadcast_reaches_the_stage_and_its_living_less_exactly_the_excluded() {
    let mut house = house();
    house
        .step(|events, cast| events.broadcast_to_stage(cast["Ann"], speech("one"), &[cast["Ann"]]));
    house.step(|events, cast| events.broadcast_to_stage(cast["Hall"], speech("two"), &[]));
    house.step(|events, cast| {
        events.broadcast_to_stage(cast["Bob"], speech("three"), &[cast["Hall"], cast["Dora"]]);
    });
    assert_eq!(house.heard("one"), ["Bob", "Dora", "Hall"]);
    assert_eq!(house.heard("two"), ["Ann", "Bob", "Dora", "Hall"]);
    assert_eq!(house.heard("three"), ["Ann", "Bob"]);
}

#[test]
fn a_whisper_reaches_its_ear_alone_and_once() {
    let mut house = house();
    house.step(|events, cast| {
        let whisper = Whisper {
            actor: "Ann".into(),
            target: "Bob".into(),
            message: "psst".into(),
            tells: Vec::new(),
        };
        events.notify_entities(&[cast["Bob"], cast["Bob"]], whisper);
    });
    assert_eq!(house.heard("psst"), ["Bob"]);
    let bob = house.world.get::<AgentContext>(house.cast["Bob"]).unwrap();
    assert_eq!(bob.len(), 2);
}

#[test]
fn a_thought_adds_nothing_to_any_context() {
    let mut house = house();
    house.step(|events, cast| {
        let thought = Mind {
            actor: "Ann".into(),
            message: "hm".into(),
        };
        events.think(cast["Ann"], thought);
    });
    assert!(house.heard("hm").is_empty());
    let records = &house.world.resource::<Records>().0;
    let ann = *house.world.get::<StableId>(house.cast["Ann"]).unwrap();
    assert!(
        matches!(&records[..], [Record::Event(event)] if event.audience.iter().map(|told| told.id).eq([ann]))
    );
}

#[test]
fn the_audience_is_fixed_when_told() {
    let mut house = house();
    let cast = house.cast.clone();
    let system = move |mut events: EventWriter, mut commands: Commands| {
        events.broadcast_to_stage(cast["Ann"], speech("last words"), &[]);
        commands.entity(cast["Bob"]).insert(Dead);
        commands.entity(cast["Dora"]).insert(OnStage(cast["Yard"]));
        commands.entity(cast["Eve"]).insert(OnStage(cast["Hall"]));
    };
    house.world.run_system_once(system).unwrap();
    house.world.run_system_once(deliver).unwrap();
    assert_eq!(house.heard("last words"), ["Ann", "Bob", "Dora", "Hall"]);
    house.step(|events, cast| events.broadcast_to_stage(cast["Ann"], speech("after"), &[]));
    assert_eq!(house.heard("after"), ["Ann", "Eve", "Hall"]);
}

#[test]
fn telling_somebody_elsewhere_is_a_named_fault_and_reaches_nobody() {
    type Act = fn(&mut EventWriter, &BTreeMap<&'static str, Entity>);
    let acts: [Act; 4] = [
        |events, cast| events.broadcast_to_stage(cast["Eve"], speech("far"), &[]),
        |events, cast| events.notify_entities(&[cast["Bob"], cast["Eve"]], speech("far")),
        |events, cast| {
            let thought = Mind {
                actor: "Eve".into(),
                message: "far".into(),
            };
            events.think(cast["Eve"], thought);
        },
        |events, cast| {
            let archive = Archive {
                actor: "Eve".into(),
                stage: "Yard".into(),
                chapter: "1".into(),
                record: String::new(),
                message: "far".into(),
            };
            let closing = ChapterClose {
                begin: EntryId(2),
                end: EntryId(2),
                summing_up: None,
                title: String::new(),
                record: None,
            };
            events.close_chapter(cast["Eve"], archive, closing);
        },
    ];
    for act in acts {
        let mut house = house();
        house.step(act);
        assert!(house.heard("far").is_empty());
        assert!(house.world.resource::<Records>().0.is_empty());
        let [fault] = &house.faults()[..] else {
            panic!("{:?}", house.faults())
        };
        assert!(
            fault.contains("Hall") && fault.contains("elsewhere"),
            "{fault}"
        );
        assert!(fault.contains("Eve") || fault.contains("Yard"), "{fault}");
    }
}

#[test]
fn at_the_meeting_anybody_may_be_told() {
    let mut house = house();
    house.world.insert_resource(CurrentStage::Meeting);
    house.step(|events, cast| events.notify_entities(&[cast["Eve"]], speech("far")));
    house.step(|events, cast| events.announce(speech("hear ye"), &[cast["Bob"]]));
    assert_eq!(house.heard("far"), ["Eve"]);
    assert_eq!(
        house.heard("hear ye"),
        ["Ann", "Dora", "Eve", "Hall", "Yard"]
    );
}

#[derive(Serialize, Deserialize, AgentEvent)]
#[event("unknown_to_all", style = Deed)]
struct Unknown {}

#[tokio::test]
async fn an_unregistered_event_stops_the_run_and_is_named() {
    fn tells(mut events: EventWriter, stage: Res<CurrentStage>) {
        if let CurrentStage::Place(place) = *stage {
            events.broadcast_to_stage(place, Unknown {}, &[]);
        }
    }
    let mut tiny = tiny();
    tiny.setup.step.add_systems(tells.in_set(StepSet::Rules));
    let mut engine = tiny.engine(ScriptMind::lines([])).unwrap();
    let error = engine.run(Some(1)).await.unwrap_err();
    assert!(
        matches!(&error, EngineError::Fault { place, turn: 0, fault: Fault::UnregisteredEvent(name) }
            if place.to_string() == "Hall" && name == "unknown_to_all"),
        "{error}"
    );
}

/// Hides a word from actors, not from stages.
struct Hider;

impl Guard for Hider {
    fn name(&self) -> &str {
        "hider"
    }

    fn points(&self) -> &[Point] {
        &[Point::Store]
    }

    fn judge(&self, message: &Judged<'_>) -> GuardVerdict {
        match message.receiver {
            Some(Kind::Actor) => GuardVerdict::Mask {
                text: message.text.replace("treasure", "███"),
                reason: UiText::verbatim("not for actors"),
            },
            _ => GuardVerdict::Pass,
        }
    }
}

#[test]
fn a_seat_reads_the_words_that_guards_left_its_entity() {
    let mut house = house();
    let mut guards = Guards::none();
    guards.add(Hider);
    house.world.insert_resource(guards);
    house.step(|events, cast| events.broadcast_to_stage(cast["Ann"], speech("the treasure"), &[]));
    assert_eq!(house.heard("treasure"), ["Hall"]);

    let seen = |entity: Option<Entity>, house: &House| {
        let sink = Arc::new(Mutex::new(String::new()));
        let text = sink.clone();
        let note = move |record: &Record| {
            *text.lock().unwrap() += &serde_json::to_string(record).unwrap();
        };
        let mut feed = match entity {
            Some(entity) => Feed::seat(recipient(&house.world, entity), note),
            None => Feed::observer(note),
        };
        for record in &house.world.resource::<Records>().0 {
            feed.offer(record);
        }
        sink.lock().unwrap().clone()
    };
    assert!(!seen(Some(house.cast["Bob"]), &house).contains("treasure"));
    assert!(seen(Some(house.cast["Bob"]), &house).contains("███"));
    assert!(seen(Some(house.cast["Hall"]), &house).contains("treasure"));
    assert!(!seen(Some(house.cast["Hall"]), &house).contains("███"));
    let prompts = seen(None, &house);
    assert!(
        prompts.contains("treasure") && prompts.contains("███"),
        "{prompts}"
    );
}

fn recipient(world: &World, entity: Entity) -> Recipient {
    Recipient {
        id: *world.get::<StableId>(entity).unwrap(),
        name: world.get::<EntityName>(entity).unwrap().0.clone(),
    }
}

#[tokio::test]
async fn a_seat_sees_exactly_what_its_entity_was_told_and_did() {
    let mut engine = Game::default().engine(Arc::new(reader(0, Arc::default())));
    let mut query = engine.world.query::<(Entity, &StableId)>();
    let cast: Vec<_> = query.iter(&engine.world).map(|(e, id)| (e, *id)).collect();
    let seen: Arc<Mutex<BTreeMap<u32, BTreeSet<BodyId>>>> = Arc::default();
    let told = Arc::new(Mutex::new(BTreeMap::new()));
    for (entity, id) in &cast {
        let (seen, id) = (seen.clone(), *id);
        let seat = recipient(&engine.world, *entity);
        engine.add_feed(Feed::seat(seat.clone(), move |record| {
            if let Record::Event(event) = record {
                let is_own = event.speaker.as_ref() == Some(&seat.name);
                assert!(is_own || event.audience.contains(&seat));
                seen.lock()
                    .unwrap()
                    .entry(id.0)
                    .or_default()
                    .insert(event.id);
            }
        }));
    }
    let audiences = told.clone();
    engine.add_feed(Feed::observer(move |record| {
        if let Record::Event(event) = record {
            let audience: BTreeSet<_> = event.audience.iter().map(|told| told.id).collect();
            assert_eq!(audience.len(), event.audience.len(), "nobody is told twice");
            // Whoever arrives is told so in words of its own.
            let arrives = event.data["actor"]
                .as_str()
                .filter(|_| event.kind == "arrive");
            let heard = (event.speaker.clone(), audience, arrives.map(str::to_owned));
            let before = audiences.lock().unwrap().insert(event.id, heard);
            assert!(before.is_none(), "two events share the id {}", event.id);
        }
    }));
    engine.run(Some(3)).await.unwrap();
    let (seen, told) = (seen.lock().unwrap(), told.lock().unwrap());
    assert!(told.len() > 30, "{}", told.len());
    for (entity, id) in cast {
        let name = &engine.world.get::<EntityName>(entity).unwrap().0;
        let events = told
            .iter()
            .filter(|(_, (_, audience, _))| audience.contains(&id));
        let is_own = |event: &BodyId| told[event].2.as_deref() == Some(&**name);
        let (own, others): (BTreeSet<_>, _) = events.map(|(event, _)| *event).partition(is_own);
        let done = told
            .iter()
            .filter(|(_, (speaker, ..))| speaker.as_ref() == Some(name))
            .map(|(event, _)| *event);
        let held: BTreeSet<_> = unfolded(&engine.world, entity)
            .into_iter()
            .filter(|held| held.message.role == Role::Human)
            .map(|held| held.message.body.id())
            .filter(|body| told.contains_key(body))
            .collect();
        assert_eq!(held, others, "entity {id}");
        let events: BTreeSet<_> = others.into_iter().chain(own).chain(done).collect();
        assert_eq!(seen.get(&id.0).cloned().unwrap_or_default(), events);
    }
}
