//! How readers are told of events.

use playhouse_engine::event::kinds::Learned;
use playhouse_engine::event::{EventRecord, EventTypes, Recipients, Telling};
use playhouse_engine::locale::Language;
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
    let look = json!({"actor": "Pell", "look": "A large man."});
    let archive = json!({
        "actor": "Pell", "stage": "The Lamp", "chapter": "1", "message": "The lamp went out.",
    });
    let held = json!({"actor": "Pell", "card": "Lamp", "reason": "no_energy"});
    let aimless = json!({"actor": "Pell", "card": "Lamp", "reason": "no_target"});
    let masked = json!({"actor": "Pell", "message": "The … is out."});
    let read = json!({"actor": "Pell", "item": "the log", "says": []});
    let query = json!({"actor": "Pell", "message": "the lamp", "found": ["It is out.", "Oil."]});
    let vain = json!({"actor": "Pell", "message": "the lamp", "found": []});
    let refusal = json!({"actor": "Pell", "action": "give", "reason": "Jory is elsewhere."});
    let whisper = json!({"actor": "Pell", "target": "Jory", "message": "Not here."});
    let cases = [
        ("appearance", look, "Pell: A large man."),
        (
            "archive",
            archive,
            "❧ Pell will remember: The lamp went out.",
        ),
        ("card_held", held, "Pell has no energy left for “Lamp”."),
        ("card_held", aimless, "Pell’s “Lamp” has no target left."),
        ("masked", masked, "Pell could not say it."),
        ("nothing_new", read, "Pell finds nothing new in the log."),
        (
            "query",
            query,
            "Pell searches memory for “the lamp”: It is out. … Oil.",
        ),
        (
            "query",
            vain,
            "Pell searches memory for “the lamp”: nothing comes to mind",
        ),
        (
            "refusal",
            refusal,
            "Pell can't give something to somebody: Jory is elsewhere.",
        ),
        ("whisper", whisper, "Pell whispers to Jory: “Not here.”"),
    ];
    for (kind, data, told) in cases {
        assert_eq!(third_person(kind, &data).as_deref(), Some(told), "{kind}");
    }
    let speech = json!({"actor": "Pell", "target": "Jory", "message": "Not here."});
    assert_eq!(third_person("speak", &speech), None);
    // Data that don't fit.
    assert!(telling("whisper", &json!({"actor": 3})).is_none());
}

#[test]
fn what_is_learned_names_who_and_from_whom() {
    let mut fact = Learned {
        from: "Odile".into(),
        ..Learned::default()
    };
    let names = &["Pell".to_owned(), "Jory".to_owned()];
    let to = |language| Recipients { names, language };
    assert_eq!(
        fact.told_to(&to(Language::En), "The lamp is out.")
            .to_string(),
        "Pell and Jory learned from Odile: The lamp is out."
    );
    fact.from.clear();
    let text = fact.told_to(&to(Language::Zh), "灯灭了。");
    assert_eq!(text.in_language(Language::Zh), "Pell、Jory得知：灯灭了。");
}

#[test]
fn what_begins_has_a_heading() {
    let day = |part: &str, round: u32, rounds: u32| {
        let day = json!({"day": 2, "part": part, "round": round, "rounds": rounds});
        heading("day", &day)
    };
    assert_eq!(day("begin", 0, 0).as_deref(), Some("Day 2"));
    assert_eq!(day("round", 1, 2).as_deref(), Some("Morning"));
    assert_eq!(day("round", 2, 2).as_deref(), Some("Afternoon"));
    assert_eq!(day("round", 2, 3).as_deref(), Some("Round 2 of the day"));
    assert_eq!(day("end", 0, 0), None);
    let way = |part: &str| {
        let way = json!({"dungeon": "The Deep", "part": part, "stage": "The Hold", "party": []});
        heading("dungeon", &way)
    };
    assert_eq!(way("enter").as_deref(), Some("Journey to The Deep"));
    assert_eq!(way("advance").as_deref(), Some("The Hold"));
    assert_eq!(way("return").as_deref(), Some("The way home"));
    let scene = json!({"stage": "The Stair", "scene": "1", "message": "Rain."});
    assert_eq!(place("scene_opens", &scene).as_deref(), Some("The Stair"));
    let epilogue = json!({"actor": "Pell", "message": "I left."});
    assert_eq!(place("epilogue", &epilogue).as_deref(), Some(""));
    let speech = json!({"actor": "Pell", "target": "Jory", "message": "Not here."});
    assert_eq!(place("speak", &speech), None);
}
