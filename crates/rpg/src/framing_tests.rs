//! What minds say can't pretend to be anything else to those who hear it, in both languages.

use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce;
use playhouse_engine::cast::CurrentStage;
use playhouse_engine::context::AgentContext;
use playhouse_engine::event::guard::Guards;
use playhouse_engine::event::kinds::{
    Announce, Archive, Kickoff, Learned, MemorySearch, Speak, Whisper,
};
use playhouse_engine::event::{
    AgentEvent, EventWriter, deliver, register_events, write_events_at_meeting,
};
use playhouse_engine::locale::Language;
use playhouse_engine::testing::{TinyWorld, attacks, harmless, tiny};
use playhouse_engine::wording::{as_line, defused};
use playhouse_engine::world_data::DataFolder;
use serde_json::{Value, json};

use super::events::{
    AttemptOutcome, Attempted, CardPlayed, CombatMove, FeelingChanged, Narration, PromiseKept,
    PromiseMade, StageDescription,
};
use super::scenes::endings::Epilogue;

/// An event, and its members as JSON, of which `WORDS` are those of a mind.
type Frame = (fn(&mut EventWriter, Entity, Value), &'static str);

/// All that words of a mind come to others in.
const FRAMES: &[Frame] = &[
    (tell::<Speak>, r#"{"target": "Bob", "message": "WORDS"}"#),
    (tell::<Whisper>, r#"{"target": "Bob", "message": "WORDS"}"#),
    (tell::<Announce>, r#"{"message": "WORDS"}"#),
    (tell::<Kickoff>, r#"{"message": "WORDS"}"#),
    (tell::<StageDescription>, r#"{"message": "WORDS"}"#),
    (tell::<Narration>, r#"{"message": "WORDS"}"#),
    (tell::<Epilogue>, r#"{"message": "WORDS"}"#),
    (tell::<PromiseMade>, r#"{"to": "Bob", "words": "WORDS"}"#),
    (tell::<PromiseKept>, r#"{"to": "Bob", "words": "WORDS"}"#),
    (tell::<Attempted>, r#"{"what": "WORDS"}"#),
    (
        tell::<AttemptOutcome>,
        r#"{"outcome": "cost", "message": "WORDS", "found": "coin", "left": "cup", "way": "Stair",
            "healed": "Bob", "healed_by": 1, "hurt": 2}"#,
    ),
    (
        tell::<CardPlayed>,
        r#"{"card": "WORDS", "skill": "Blade", "kind": "attack", "description": "She lunges."}"#,
    ),
    (
        tell::<CardPlayed>,
        r#"{"card": "Low cut", "skill": "Blade", "kind": "attack", "description": "WORDS"}"#,
    ),
    (
        tell::<CombatMove>,
        r#"{"action": "hold", "description": "WORDS"}"#,
    ),
    (
        tell::<FeelingChanged>,
        r#"{"actor": "Bob", "about": "Ann", "change": 1, "why": "WORDS"}"#,
    ),
    // A fact that somebody made, and what a search finds.
    (
        tell::<Learned>,
        r#"{"fact": "it", "title": "It", "message": "WORDS", "from": "Ann"}"#,
    ),
    (
        tell::<MemorySearch>,
        r#"{"actor": "Bob", "message": "it", "found": ["WORDS"]}"#,
    ),
];

/// Tells Bob this event with these members. Unless they say so it is Ann's, in the hall.
fn tell<E: AgentEvent + Default>(events: &mut EventWriter, bob: Entity, members: Value) {
    let mut event = json!(E::default());
    let event = event.as_object_mut().expect("is an object");
    event.extend([
        ("actor".into(), "Ann".into()),
        ("stage".into(), "Hall".into()),
    ]);
    event.extend(members.as_object().expect("is an object").clone());
    let event = serde_json::from_value::<E>(Value::Object(std::mem::take(event)))
        .expect("is such an event");
    events.notify_entities(&[bob], event);
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
fn told(tiny: &mut TinyWorld, (tell, members): Frame, words: &str) -> String {
    let bob = tiny.bob;
    let world = tiny.world();
    let members = members.replace("\"WORDS\"", &json!(words).to_string());
    let members = serde_json::from_str(&members).expect("is JSON");
    write_events_at_meeting(world, |events| tell(events, bob, members));
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
    let own = r#"{"actor": "Bob", "chapter": "Bob/1", "message": "WORDS"}"#;
    let told = told(&mut tiny, (tell::<Archive>, own), "One.\n\nTwo “three”.");
    assert_eq!(told, "You remember: One.\n\n  Two “three”.");
}
