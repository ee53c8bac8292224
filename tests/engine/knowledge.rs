//! Who knows what, by the engine and by a plain model of who heard what, over many worlds of random
//! comings and goings.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;

use playhouse::cast::{Dead, OnStage};
use playhouse::event::guard::{FactPhrases, Guards, Secrets};
use playhouse::event::kinds::{Announce, Speak, Whisper};
use playhouse::event::{deliver, write_events_at_meeting};
use playhouse::knowledge::{Fact, FactBook, Knowledge, KnownBy};
use playhouse::locale::Language;
use playhouse::prelude::*;
use playhouse::world_data::DataFolder;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const ACTORS: [&str; 5] = ["Ann", "Bob", "Cid", "Dot", "Eve"];
const STAGES: [&str; 3] = ["Hall", "Yard", "Loft"];
const FACTS: [&str; 4] = ["key", "map", "oath", "coin"];

struct Village {
    world: World,
    actors: Vec<Entity>,
    stages: Vec<Entity>,
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
    let stages = STAGES.map(|name| setup.spawn_stage(name, "A place.").unwrap());
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
        stages: stages.to_vec(),
    }
}

/// What is true, kept by hand: where everybody is, who is dead, who knows what.
#[derive(Default)]
struct Truth {
    at: [usize; 5],
    dead: [bool; 5],
    knows: [BTreeSet<&'static str>; 5],
}

impl Truth {
    /// Whoever of `hearers` is alive learns what the speaker told and may tell.
    fn tell(&mut self, speaker: usize, fact: &'static str, hearers: impl Fn(&Self, usize) -> bool) {
        if fact == "oath" || !self.knows[speaker].contains(fact) {
            return;
        }
        for hearer in 0..ACTORS.len() {
            if !self.dead[hearer] && hearers(self, hearer) {
                self.knows[hearer].insert(fact);
            }
        }
    }
}

#[test]
fn who_knows_what_is_what_everybody_heard() {
    compare_with_truth(1_000);
}

#[test]
#[ignore = "takes a minute"]
fn who_knows_what_is_what_everybody_heard_in_ten_thousand_worlds() {
    compare_with_truth(10_000);
}

fn compare_with_truth(worlds: u64) {
    let mut village = village();
    for seed in 0..worlds {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut truth = Truth::default();
        for (actor, entity) in village.actors.clone().into_iter().enumerate() {
            let known: Vec<_> = FACTS
                .into_iter()
                .filter(|_| rng.random_range(0..4) == 0)
                .collect();
            truth.knows[actor] = known.iter().copied().collect();
            let hall = village.stages[0];
            let mut entity = village.world.entity_mut(entity);
            entity.remove::<Dead>();
            entity.insert((OnStage(hall), Knowledge::at_start(known)));
        }
        for _ in 0..20 {
            step(&mut village, &mut truth, &mut rng);
        }
        for (actor, entity) in village.actors.iter().enumerate() {
            let knowledge = village.world.get::<Knowledge>(*entity).unwrap();
            let knows: BTreeSet<_> = knowledge.all().map(|(id, _)| id.to_string()).collect();
            let expected: BTreeSet<_> =
                truth.knows[actor].iter().map(ToString::to_string).collect();
            assert_eq!(knows, expected, "{} in world {seed}", ACTORS[actor]);
        }
    }
}

/// Something happens, in the engine and in truth.
fn step(village: &mut Village, truth: &mut Truth, rng: &mut ChaCha8Rng) {
    let speaker = rng.random_range(0..ACTORS.len());
    if truth.dead[speaker] {
        return;
    }
    let entity = village.actors[speaker];
    let fact = *FACTS.choose(rng).unwrap();
    // Half of the time a fact is told by its words alone.
    let by_words = rng.random_range(0..2) == 0;
    let message = if by_words {
        format!("Well, the {fact} is under it.")
    } else {
        "Well.".into()
    };
    let tells = if by_words {
        Vec::new()
    } else {
        vec![fact.to_owned()]
    };
    let actor = ACTORS[speaker].to_owned();
    let place = truth.at[speaker];
    match rng.random_range(0..8) {
        0..3 => {
            let event = Speak {
                actor,
                target: String::new(),
                message,
                tells,
            };
            write_events_at_meeting(&mut village.world, |events| {
                events.broadcast_to_stage(entity, event, &[entity]);
            });
            truth.tell(speaker, fact, |truth, hearer| truth.at[hearer] == place);
        }
        3 => {
            let target = rng.random_range(0..ACTORS.len());
            if target == speaker || truth.at[target] != place || truth.dead[target] {
                return;
            }
            let event = Whisper {
                actor,
                target: ACTORS[target].into(),
                message,
                tells,
            };
            let listener = village.actors[target];
            write_events_at_meeting(&mut village.world, |events| {
                events.notify_entities(&[listener], event);
            });
            truth.tell(speaker, fact, |_, hearer| hearer == target);
        }
        4 => {
            let event = Announce {
                actor,
                stage: String::new(),
                message,
                tells,
            };
            write_events_at_meeting(&mut village.world, |events| {
                events.announce(event, &[entity])
            });
            truth.tell(speaker, fact, |_, _| true);
        }
        5 => {
            write_events_at_meeting(&mut village.world, |events| {
                events.teach(&[entity], fact, "")
            });
            truth.knows[speaker].insert(fact);
        }
        6 => {
            truth.at[speaker] = rng.random_range(0..STAGES.len());
            let to = village.stages[truth.at[speaker]];
            village.world.entity_mut(entity).insert(OnStage(to));
        }
        _ if rng.random_range(0..4) == 0 => {
            truth.dead[speaker] = true;
            village.world.entity_mut(entity).insert(Dead);
        }
        _ => {}
    }
    village.world.run_system_cached(deliver).unwrap();
}

#[test]
fn every_step_back_leads_to_the_source() {
    let mut village = village();
    let [ann, bob, cid, ..] = village.actors[..] else {
        panic!("five actors")
    };
    for (entity, known) in [(ann, vec!["key"]), (bob, vec![]), (cid, vec![])] {
        village
            .world
            .entity_mut(entity)
            .insert(Knowledge::at_start(known));
    }
    for (from, to, listener) in [("Ann", "Bob", bob), ("Bob", "Cid", cid)] {
        let event = Whisper {
            actor: from.into(),
            target: to.into(),
            message: "Under the stair.".into(),
            tells: vec!["key".into()],
        };
        write_events_at_meeting(&mut village.world, |events| {
            events.notify_entities(&[listener], event);
        });
        village.world.run_system_cached(deliver).unwrap();
    }
    let known = |entity| {
        village
            .world
            .get::<Knowledge>(entity)
            .unwrap()
            .get("key")
            .unwrap()
    };
    assert_eq!(known(cid).from.as_deref(), Some("Bob"));
    assert_eq!(known(bob).from.as_deref(), Some("Ann"));
    assert_eq!((known(ann).from.as_deref(), &*known(ann).by), (None, ""));
    assert_eq!(&*known(cid).by, "whisper");
    assert!(!known(cid).event.is_empty());
}

#[test]
fn a_stranger_is_masked_and_told_so_and_one_who_knows_is_heard() {
    let mut village = village();
    let [ann, bob, ..] = village.actors[..] else {
        panic!("five actors")
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
        "You learn from Ann: The key is under the stair."
    );
    let (ann_was_told, bob_heard) = say(ann, "Ann", "And the oath is under it.");
    assert_eq!(bob_heard, "Ann says: “And ███ it.”");
    assert!(ann_was_told.contains("“And ███ it.”"), "{ann_was_told}");
}

#[test]
fn what_is_told_and_shown_at_once_is_learned_once() {
    let mut village = village();
    let [ann, bob, cid, ..] = village.actors[..] else {
        panic!("five actors")
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
    let learned = heard.iter().filter(|text| text.starts_with("You learn"));
    assert_eq!(learned.count(), 1, "{heard:?}");
}
