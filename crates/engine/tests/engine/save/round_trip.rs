//! Random worlds: what was written is read back to the same bytes, with its sharing.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, Dead, Kind, MeetingClock, OnStage, WorldTurn, spawn};
use playhouse_engine::context::{AgentContext, Chapter, Chapters, StoredMessage};
use playhouse_engine::message::{Block, Body, BodyId, Message, ResponseMetadata, Role, Tags, Text};
use playhouse_engine::save::{Meta, restore, snapshot};
use playhouse_engine::session::Game;
use playhouse_engine::testing::spawn_spec;
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::save::town::{Annals, Purse, Town};

#[derive(Clone, Debug)]
struct Person {
    stage: Option<usize>,
    dead: bool,
    purse: Option<u32>,
    /// Body, role and tags of each message.
    messages: Vec<(usize, Role, Tags)>,
    /// Which messages become a chapter.
    chapter: Option<(usize, usize)>,
}

#[derive(Clone, Debug)]
struct Plan {
    turn: u64,
    mornings: u64,
    bodies: Vec<Body>,
    people: Vec<Person>,
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z ]{0,12}", "[一-龥，。]{0,8}", any::<String>()]
}

fn any_json() -> impl Strategy<Value = Value> {
    let number = prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        number.prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    let name = || {
        let known = [
            "type", "text", "source", "url", "thinking", "input", "id", "name",
        ];
        prop_oneof![
            prop::sample::select(known.to_vec()).prop_map(str::to_owned),
            text()
        ]
    };
    leaf.prop_recursive(3, 16, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn members() -> impl Strategy<Value = Map<String, Value>> {
    let members = prop::collection::vec((text(), any_json()), 0..3);
    (members, any::<bool>()).prop_map(|(members, event)| {
        let mut map: Map<String, Value> = members.into_iter().collect();
        if event {
            map.insert("event".into(), "speak".into());
        }
        map
    })
}

fn tags() -> impl Strategy<Value = Tags> {
    let key = prop_oneof![
        Just("kickoff".to_owned()),
        Just("compressed_prompt".to_owned()),
        text()
    ];
    prop::collection::vec((key, any_json()), 0..3).prop_map(|list| {
        list.into_iter().fold(Tags::new(), |tags, (key, value)| {
            tags.clone().with_user(&key, value).unwrap_or(tags)
        })
    })
}

fn body() -> impl Strategy<Value = Body> {
    let blocks = prop::collection::vec(any_json().prop_map(Block::from), 0..3);
    let content = prop_oneof![
        3 => text().prop_map(Body::from),
        1 => blocks.prop_map(Body::blocks),
    ];
    let parts = (
        content,
        prop::option::of((any::<u16>(), any::<u16>())),
        prop::option::of(text()),
        prop::option::of(text()),
        prop::option::of(members()),
        prop::option::of(members()),
        prop::option::of(0..2usize),
    );
    parts.prop_map(|(body, id, sender, short, metadata, response, opening)| {
        let mut body = body;
        if let Some((place, number)) = id {
            body = body.at(number.into()).with_id(BodyId {
                place: place.into(),
                number: number.into(),
            });
        }
        if let Some(sender) = sender {
            body = body.from_sender(sender);
        }
        if let Some(short) = short {
            body = body.with_short(short);
        }
        if let Some(metadata) = metadata {
            body = body.with_metadata(metadata);
        }
        if let Some(response) = response {
            body = body.with_response(ResponseMetadata::from(response));
        }
        match opening {
            Some(opening) => body.after(Arc::new(Text::from(format!("Opening {opening}\n")))),
            None => body,
        }
    })
}

fn message(bodies: usize) -> impl Strategy<Value = (usize, Role, Tags)> {
    let roles = prop::sample::select(vec![Role::Human, Role::Ai, Role::Tool]);
    let tags = prop_oneof![2 => Just(Tags::new()), 1 => tags()];
    (0..bodies, roles, tags)
}

fn plan() -> impl Strategy<Value = Plan> {
    let bodies = prop::collection::vec(body(), 1..8);
    (bodies, any::<u16>(), any::<u16>()).prop_flat_map(|(bodies, turn, mornings)| {
        let person = (
            prop::option::of(0..2usize),
            any::<bool>(),
            prop::option::of(any::<u32>()),
            prop::collection::vec(message(bodies.len()), 0..12),
            prop::option::of((0..8usize, 0..8usize)),
        );
        let person = person.prop_map(|(stage, dead, purse, messages, chapter)| Person {
            stage,
            dead,
            purse,
            messages,
            chapter,
        });
        prop::collection::vec(person, 0..5).prop_map(move |people| Plan {
            turn: turn.into(),
            mornings: mornings.into(),
            bodies: bodies.clone(),
            people,
        })
    })
}

fn build(plan: &Plan) -> World {
    let mut world = Town::default().set_up(9).unwrap().world;
    world.insert_resource(WorldTurn(plan.turn));
    world.resource_mut::<MeetingClock>().0.time = plan.turn;
    world.insert_resource(Annals {
        mornings: plan.mornings,
    });
    let stages = ["Market", "Harbour"].map(|name| {
        let stage = spawn_spec(name, Kind::Stage, None);
        spawn(&mut world, stage).unwrap()
    });
    let mut everybody = Vec::new();
    for (index, person) in plan.people.iter().enumerate() {
        let name = format!("Person \"{index}\"");
        let entity = spawn(&mut world, spawn_spec(&name, Kind::Actor, None)).unwrap();
        fill(&mut world, entity, person, &plan.bodies);
        everybody.push(entity);
    }
    // They arrive in another order than that of their numbers.
    for (person, entity) in plan.people.iter().zip(&everybody).rev() {
        if let Some(stage) = person.stage {
            world.entity_mut(*entity).insert(OnStage(stages[stage]));
        }
    }
    world
}

fn fill(world: &mut World, entity: Entity, person: &Person, bodies: &[Body]) {
    let mut entity = world.entity_mut(entity);
    if person.dead {
        entity.insert(Dead);
    }
    if let Some(purse) = person.purse {
        entity.insert(Purse(purse));
    }
    let mut context = entity.get_mut::<AgentContext>().unwrap();
    for (body, role, tags) in &person.messages {
        let message = Message::new(*role, bodies[*body].clone());
        context.add_message(message.tagged(tags.clone())).unwrap();
    }
    let ids: Vec<_> = context.entries().iter().map(|entry| entry.id()).collect();
    let Some((begin, end)) = person.chapter else {
        return;
    };
    let (Some(begin), Some(end)) = (ids.get(begin), ids.get(end)) else {
        return;
    };
    let summary = Body::text("So it was.");
    let removed = context.replace_message_range(*begin, *end, summary.clone(), Tags::new());
    let Ok(messages) = removed else { return };
    let mut chapters = entity.get_mut::<Chapters>().unwrap();
    let id = chapters.next_id("x");
    chapters.close(Chapter {
        id,
        title: "A \"day\"".into(),
        turn: 1,
        summing_up: messages.iter().take(1).cloned().collect(),
        messages,
        summary,
        record: None,
    });
}

/// For each body that is remembered anywhere, the first place that remembers the very same one.
fn sharing(world: &World) -> Vec<usize> {
    let mut bodies: Vec<Body> = Vec::new();
    for (_, entity) in world.resource::<CastList>().all() {
        let entries = world.get::<AgentContext>(entity).unwrap().entries();
        bodies.extend(entries.iter().map(|entry| entry.body().clone()));
        for chapter in world.get::<Chapters>(entity).unwrap().all() {
            let held = chapter.messages.iter().chain(&chapter.summing_up);
            bodies.extend(held.map(|held| held.message.body.clone()));
            bodies.push(chapter.summary.clone());
        }
    }
    let first = |body: &Body| bodies.iter().position(|other| other.same(body));
    bodies.iter().filter_map(first).collect()
}

/// What everybody remembers, with ids, roles, bodies and tags.
fn remembered(world: &World) -> Vec<(Vec<StoredMessage>, Chapters)> {
    let everybody = world.resource::<CastList>().all();
    let held = everybody.map(|(_, entity)| {
        let context = world.get::<AgentContext>(entity).unwrap();
        let chapters = world.get::<Chapters>(entity).unwrap();
        (context.messages().collect(), chapters.clone())
    });
    held.collect()
}

fn meta() -> Meta {
    Town::default().meta()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_world_that_is_loaded_and_saved_again_is_the_same_to_the_byte(plan in plan()) {
        let world = build(&plan);
        let bytes = snapshot(&world, &meta()).unwrap();
        let mut again = Town::default().set_up(0).unwrap().world;
        let read = restore(&mut again, &bytes, Some("town-1"));
        prop_assert_eq!(read.map_err(|error| error.to_string()), Ok(meta()));
        let rewritten = snapshot(&again, &meta()).unwrap();
        prop_assert_eq!(
            String::from_utf8_lossy(&rewritten), String::from_utf8_lossy(&bytes)
        );
        prop_assert_eq!(sharing(&again), sharing(&world));
        prop_assert_eq!(remembered(&again), remembered(&world));
    }
}

#[test]
fn shared_prefixes_are_written_once_and_shared_again() {
    let mut setup = Town::default().set_up(1).unwrap();
    Town::default().populate(&mut setup).unwrap();
    let bytes = snapshot(&setup.world, &meta()).unwrap();
    let text = String::from_utf8(bytes.clone()).unwrap();
    assert_eq!(text.matches("These are the rules").count(), 1);
    let mut again = Town::default().set_up(1).unwrap().world;
    restore(&mut again, &bytes, None).unwrap();
    let prefixes: Vec<_> = again
        .resource::<CastList>()
        .all()
        .filter_map(|(_, entity)| {
            let context = again.get::<AgentContext>(entity)?;
            context.entries().first()?.body().shared_prefix().cloned()
        })
        .collect();
    assert_eq!(prefixes.len(), 8);
    assert!(
        prefixes
            .iter()
            .all(|opening| Arc::ptr_eq(opening, &prefixes[0]))
    );
}
