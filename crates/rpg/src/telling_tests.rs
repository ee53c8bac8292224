//! How readers are told of events.

use playhouse_engine::event::{EventRecord, EventTypes, Recipients, Telling};
use playhouse_engine::locale::Language;
use playhouse_engine::testing::each_row;
use serde_json::{Value, json};

use super::events::EVENTS;

fn telling(kind: &str, data: &Value) -> Option<Box<dyn Telling>> {
    EventTypes::default()
        .with(EVENTS)
        .telling(&event(kind, data))
}

fn third_person(kind: &str, data: &Value) -> Option<String> {
    let to = Recipients {
        names: &["Pell".to_owned()],
        language: Language::En,
    };
    let told = telling(kind, data)?.third_person(&to)?;
    Some(told.to_string())
}

fn heading(kind: &str, data: &Value) -> Option<String> {
    let heading = telling(kind, data)?.heading()?;
    Some(heading.to_string())
}

fn place(kind: &str, data: &Value) -> Option<String> {
    telling(kind, data)?.place().map(str::to_owned)
}

fn event(kind: &str, data: &Value) -> EventRecord {
    serde_json::from_value(json!({
        "id": "1-1", "turn": 1, "time": 0, "place": "The Lamp", "type": kind, "speaker": null,
        "data": data, "text": "You …", "audience": [], "rule": "private",
    }))
    .unwrap()
}

#[test]
fn whoever_watches_is_never_addressed() {
    each_row(
        r#"
        appearance => {"actor": "Pell", "look": "A large man."} => Pell: A large man.
        archive => {"actor": "Pell", "stage": "The Lamp", "chapter": "1", "message": "It went out."} => ❧ Pell will remember: It went out.
        card_held => {"actor": "Pell", "card": "Lamp", "reason": "no_energy"} => Pell has no energy left for “Lamp”.
        card_held => {"actor": "Pell", "card": "Lamp", "reason": "no_target"} => Pell’s “Lamp” has no target left.
        masked => {"actor": "Pell", "message": "The … is out."} => Pell could not say it.
        nothing_new => {"actor": "Pell", "item": "the log", "says": []} => Pell finds nothing new in the log.
        query => {"actor": "Pell", "message": "the lamp", "found": ["It is out.", "Oil."]} => Pell searches memory for “the lamp”: It is out. … Oil.
        query => {"actor": "Pell", "message": "the lamp", "found": []} => Pell searches memory for “the lamp”: nothing comes to mind
        refusal => {"actor": "Pell", "action": "give", "reason": "Jory is elsewhere."} => Pell can't give something to somebody: Jory is elsewhere.
        whisper => {"actor": "Pell", "target": "Jory", "message": "Not here."} => Pell whispers to Jory: “Not here.”
    "#,
        |[kind, data, told]| {
            let data = serde_json::from_str(data).expect("is JSON");
            assert_eq!(third_person(kind, &data).as_deref(), Some(told));
        },
    );
    let speech = json!({"actor": "Pell", "target": "Jory", "message": "Not here."});
    assert_eq!(third_person("speak", &speech), None);
    // Data that don't fit.
    assert!(telling("whisper", &json!({"actor": 3})).is_none());
}

#[test]
fn what_begins_has_a_heading() {
    each_row(
        r#"
        day => {"day": 2, "part": "begin", "round": 0, "rounds": 0} => Day 2
        day => {"day": 2, "part": "round", "round": 1, "rounds": 2} => Morning
        day => {"day": 2, "part": "round", "round": 2, "rounds": 2} => Afternoon
        day => {"day": 2, "part": "round", "round": 2, "rounds": 3} => Round 2 of the day
        day => {"day": 2, "part": "end", "round": 0, "rounds": 0} => none
        dungeon => {"dungeon": "The Deep", "part": "enter", "stage": "The Hold", "party": []} => Journey to The Deep
        dungeon => {"dungeon": "The Deep", "part": "advance", "stage": "The Hold", "party": []} => The Hold
        dungeon => {"dungeon": "The Deep", "part": "return", "stage": "The Hold", "party": []} => The way home
    "#,
        |[kind, data, told]| {
            let data = serde_json::from_str(data).expect("is JSON");
            assert_eq!(heading(kind, &data).as_deref().unwrap_or("none"), told);
        },
    );
    let scene = json!({"stage": "The Stair", "scene": "1", "message": "Rain."});
    assert_eq!(place("scene_opens", &scene).as_deref(), Some("The Stair"));
    let epilogue = json!({"actor": "Pell", "message": "I left."});
    assert_eq!(place("epilogue", &epilogue).as_deref(), Some(""));
    let speech = json!({"actor": "Pell", "target": "Jory", "message": "Not here."});
    assert_eq!(place("speak", &speech), None);
}
