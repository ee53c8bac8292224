//! Who knows what after what was said: chains, masks, and what is told twice. Whole worlds are
//! compared with a plain model in `crates/rpg/src/knowledge_tests.rs`.
#![expect(clippy::unwrap_used, reason = "tests")]

use playhouse::event::guard::{FactPhrases, Guards, Secrets};
use playhouse::event::kinds::{Speak, Whisper};
use playhouse::event::{deliver, write_events_at_meeting};
use playhouse::knowledge::{Fact, FactBook, Knowledge, KnownBy};
use playhouse::locale::Language;
use playhouse::prelude::*;
use playhouse::world_data::DataFolder;

const ACTORS: [&str; 3] = ["Ann", "Bob", "Cid"];
const FACTS: [&str; 4] = ["key", "map", "oath", "coin"];

struct Village {
    world: World,
    actors: Vec<Entity>,
}

fn book() -> FactBook {
    FactBook::new(FACTS.map(|id| Fact {
        id: id.into(),
        title: format!("About the {id}"),
        text: format!("The {id} is under the stair."),
        known_by: KnownBy::Only(vec!["Ann".into()]),
        phrases: vec![format!("the {id} is under")],
        sworn: id == "oath",
        ..Fact::default()
    }))
}

fn village() -> Village {
    let mut setup = Setup::new(1);
    setup.spawn_stage("Hall", "A place.").unwrap();
    let actors = ACTORS.map(|name| setup.spawn_actor(name, "Hall", "Somebody.").unwrap());
    let mut world = setup.world;
    let phrases = playhouse::rpg::phrases::load(&DataFolder::embedded(), Language::En);
    world.insert_resource(phrases.unwrap().0);
    let book = book();
    world.insert_resource(Guards::built_in(1_000, Secrets::of_facts(&book).collect()));
    world.insert_resource(FactPhrases::new(&book));
    world.insert_resource(book);
    Village {
        world,
        actors: actors.to_vec(),
    }
}

#[test]
fn a_stranger_is_masked_and_told_so_and_one_who_knows_is_heard() {
    let mut village = village();
    let [ann, bob, ..] = village.actors[..] else {
        panic!("three actors")
    };
    village
        .world
        .entity_mut(ann)
        .insert(Knowledge::at_start(["key", "oath"]));
    village
        .world
        .entity_mut(bob)
        .insert(Knowledge::at_start([]));
    let mut say = |speaker: Entity, name: &str, message: &str| {
        let event = Speak {
            actor: name.into(),
            message: message.into(),
            ..Speak::default()
        };
        write_events_at_meeting(&mut village.world, |events| {
            events.broadcast_to_stage(speaker, event, &[speaker]);
        });
        village.world.run_system_cached(deliver).unwrap();
        let text = |entity: Entity| {
            let context = village.world.get::<AgentContext>(entity).unwrap();
            context
                .entries()
                .last()
                .unwrap()
                .body()
                .full_text()
                .into_owned()
        };
        (text(ann), text(bob))
    };
    let (ann_heard, bob_was_told) = say(bob, "Bob", "I guess the key is under it.");
    assert_eq!(ann_heard, "Bob says: “I guess ███ it.”");
    assert!(bob_was_told.contains("“I guess ███ it.”"), "{bob_was_told}");
    let (_, bob_learned) = say(ann, "Ann", "Yes: the key is under it.");
    assert_eq!(
        bob_learned,
        "Ann lets you know: The key is under the stair."
    );
    let (ann_was_told, bob_heard) = say(ann, "Ann", "And the oath is under it.");
    assert_eq!(bob_heard, "Ann says: “And ███ it.”");
    assert!(ann_was_told.contains("“And ███ it.”"), "{ann_was_told}");
}

#[test]
fn what_is_told_and_shown_at_once_is_learned_once() {
    let mut village = village();
    let [ann, bob, cid, ..] = village.actors[..] else {
        panic!("three actors")
    };
    for (entity, known) in [(ann, vec!["key"]), (bob, vec![]), (cid, vec!["key"])] {
        let knowledge = Knowledge::at_start(known);
        village.world.entity_mut(entity).insert(knowledge);
    }
    let event = Whisper {
        actor: "Ann".into(),
        target: "Bob".into(),
        message: "See?".into(),
        tells: vec!["key".into()],
    };
    write_events_at_meeting(&mut village.world, |events| {
        events.notify_entities(&[bob], event);
        events.teach(&[bob, cid], "key", "Ann");
    });
    village.world.run_system_cached(deliver).unwrap();
    let context = village.world.get::<AgentContext>(bob).unwrap();
    let heard = context.entries().iter();
    let heard: Vec<_> = heard.map(|entry| entry.body().full_text()).collect();
    let learned = heard
        .iter()
        .filter(|text| text.starts_with("Ann lets you know: "));
    assert_eq!(learned.count(), 1, "{heard:?}");
}
