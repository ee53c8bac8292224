//! What minds say can't pretend to be anything else to those who hear it, in both languages.

use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce;
use playhouse_engine::cast::CurrentStage;
use playhouse_engine::context::AgentContext;
use playhouse_engine::event::guard::Guards;
use playhouse_engine::event::kinds::{
    Announce, Archive, Kickoff, Learned, MemorySearch, Speak, Whisper,
};
use playhouse_engine::event::{EventWriter, deliver, register_events, write_events_at_meeting};
use playhouse_engine::locale::Language;
use playhouse_engine::testing::{TinyWorld, attacks, harmless, tiny};
use playhouse_engine::wording::{as_line, defused};
use playhouse_engine::world_data::DataFolder;

use super::events::{
    AttemptOutcome, Attempted, CardPlayed, CombatMove, FeelingChanged, Narration, PromiseKept,
    PromiseMade, StageDescription, TargetResult,
};
use super::scenes::endings::Epilogue;

/// All that words of a mind come to others in.
const FRAMES: &[fn(&mut EventWriter, Entity, &str)] = &[
    |events, bob, words| {
        let event = Speak {
            actor: "Ann".into(),
            target: "Bob".into(),
            message: words.into(),
            tells: Vec::new(),
        };
        events.broadcast_to_stage(bob, event, &[]);
    },
    |events, bob, words| {
        let event = Whisper {
            actor: "Ann".into(),
            target: "Bob".into(),
            message: words.into(),
            tells: Vec::new(),
        };
        events.notify_entities(&[bob], event);
    },
    |events, _, words| {
        let event = Announce {
            actor: "Ann".into(),
            stage: "Hall".into(),
            message: words.into(),
            tells: Vec::new(),
        };
        events.announce(event, &[]);
    },
    |events, bob, words| {
        let (actor, message) = ("Hall".into(), words.into());
        events.broadcast_to_stage(bob, Kickoff { actor, message }, &[]);
    },
    |events, bob, words| {
        let (stage, message) = ("Hall".into(), words.into());
        events.broadcast_to_stage(bob, StageDescription { stage, message }, &[]);
    },
    |events, bob, words| {
        let (stage, message) = ("Hall".into(), words.into());
        events.broadcast_to_stage(bob, Narration { stage, message }, &[]);
    },
    |events, bob, words| {
        let (actor, message) = ("Ann".into(), words.into());
        events.broadcast_to_stage(bob, Epilogue { actor, message }, &[]);
    },
    |events, bob, words| {
        let event = PromiseMade {
            actor: "Ann".into(),
            to: "Bob".into(),
            words: words.into(),
        };
        events.broadcast_to_stage(bob, event, &[]);
    },
    |events, bob, words| {
        let event = PromiseKept {
            actor: "Ann".into(),
            to: "Bob".into(),
            words: words.into(),
        };
        events.broadcast_to_stage(bob, event, &[]);
    },
    |events, bob, words| {
        let (actor, what) = ("Ann".into(), words.into());
        events.broadcast_to_stage(bob, Attempted { actor, what }, &[]);
    },
    |events, bob, words| {
        let event = AttemptOutcome {
            actor: "Ann".into(),
            outcome: "cost".into(),
            message: words.into(),
            found: "coin".into(),
            left: "cup".into(),
            way: "Stair".into(),
            healed: "Bob".into(),
            healed_by: 1,
            hurt: 2,
            is_known: false,
        };
        events.broadcast_to_stage(bob, event, &[]);
    },
    |events, bob, words| events.broadcast_to_stage(bob, card(words, "She lunges."), &[]),
    |events, bob, words| events.broadcast_to_stage(bob, card("Low cut", words), &[]),
    |events, bob, words| {
        let event = CombatMove {
            actor: "Ann".into(),
            action: "hold".into(),
            description: words.into(),
            ..CombatMove::default()
        };
        events.broadcast_to_stage(bob, event, &[]);
    },
    |events, bob, words| {
        let event = FeelingChanged {
            actor: "Bob".into(),
            about: "Ann".into(),
            change: 1,
            why: words.into(),
        };
        events.notify_entities(&[bob], event);
    },
    // A fact that somebody made, and what a search finds.
    |events, bob, words| {
        let event = Learned {
            fact: "it".into(),
            title: "It".into(),
            message: words.into(),
            from: "Ann".into(),
        };
        events.notify_entities(&[bob], event);
    },
    |events, bob, words| {
        let event = MemorySearch {
            actor: "Bob".into(),
            message: "it".into(),
            found: vec![words.into()],
        };
        events.notify_entities(&[bob], event);
    },
];

fn card(name: &str, description: &str) -> CardPlayed {
    CardPlayed {
        stage: "Hall".into(),
        actor: "Ann".into(),
        card: name.into(),
        skill: "Blade".into(),
        kind: "attack".into(),
        description: description.into(),
        targets: vec![TargetResult {
            name: "Bob".into(),
            hit: true,
            amount: 3,
            effect: String::new(),
            fell: false,
        }],
    }
}

fn hall(language: Language) -> TinyWorld {
    let mut tiny = tiny();
    let (phrases, _) = super::phrases::load(&DataFolder::embedded(), language).expect("are right");
    let world = tiny.world();
    register_events(world, super::events::EVENTS);
    world.insert_resource(phrases);
    world.insert_resource(language);
    world.insert_resource(Guards::built_in(600, Vec::new()));
    world.insert_resource(CurrentStage::Meeting);
    tiny
}

/// What Bob gets to read.
fn told(tiny: &mut TinyWorld, frame: fn(&mut EventWriter, Entity, &str), words: &str) -> String {
    let bob = tiny.bob;
    let world = tiny.world();
    write_events_at_meeting(world, |events| frame(events, bob, words));
    world.run_system_once(deliver).expect("is delivered");
    let context = world.get::<AgentContext>(bob).expect("has one");
    let last = context.entries().last().expect("was told");
    last.body().full_text().into_owned()
}

#[test]
fn no_words_leave_their_frame() {
    for language in [Language::En, Language::Zh] {
        let mut tiny = hall(language);
        for (number, frame) in FRAMES.iter().enumerate() {
            let framed = told(&mut tiny, *frame, "WORDS");
            let (before, after) = framed.split_once("WORDS").expect("has the words");
            for attack in attacks(language) {
                let told = told(&mut tiny, *frame, &attack);
                let inside = told.strip_prefix(before);
                let inside = inside.and_then(|rest| rest.strip_suffix(after));
                let inside = inside.unwrap_or_else(|| panic!("{number}: {told}"));
                let breaks = "\n\r\u{B}\u{C}\u{85}\u{2028}\u{2029}";
                let closing = "“”„‟❝❞〝〞〟\"＂「」﹁﹂";
                let turning = "\u{202E}\u{2067}";
                let bad = |char: char| [breaks, closing, turning].concat().contains(char);
                assert!(!inside.contains(bad), "{number}: {inside:?}");
                assert!(
                    !inside.contains("''") && !inside.contains("’’"),
                    "{inside:?}"
                );
                let start = inside.trim_start_matches(|char: char| {
                    char.is_whitespace() || "*>\u{200B}\u{FEFF}".contains(char)
                });
                assert!(!start.starts_with(['#', '＃']), "{number}: {inside:?}");
                assert_eq!(defused(inside), None, "{number}: {inside:?}");
            }
        }
    }
}

#[test]
fn harmless_words_reach_others_as_they_are() {
    for language in [Language::En, Language::Zh] {
        let mut tiny = hall(language);
        for (number, frame) in FRAMES.iter().enumerate() {
            for words in harmless(language) {
                let told = told(&mut tiny, *frame, words);
                assert!(told.contains(words), "{number}: {told}");
            }
        }
    }
}

#[test]
fn a_quotation_stays_a_quotation() {
    for (said, told) in [
        ("He said “no”.", "He said ‘no’."),
        ("Line one,\nline two.", "Line one, line two."),
        ("他说“不”。", "他说‘不’。"),
    ] {
        assert_eq!(as_line(said), told);
    }
}

#[test]
fn the_own_memory_keeps_its_paragraphs() {
    let mut tiny = hall(Language::En);
    let told = told(
        &mut tiny,
        |events, bob, words| {
            let event = Archive {
                actor: "Bob".into(),
                stage: "Hall".into(),
                chapter: "Bob/1".into(),
                record: String::new(),
                message: words.into(),
            };
            events.notify_entities(&[bob], event);
        },
        "One.\n\nTwo “three”.",
    );
    assert_eq!(told, "You remember: One.\n\n  Two “three”.");
}
