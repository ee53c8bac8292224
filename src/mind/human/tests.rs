use std::io::Cursor;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::*;
use crate::context::AgentContext;
use crate::message::Body;
use crate::mind::{Refused, Round, Tools};

#[derive(Clone, Default)]
struct Shown(Arc<Mutex<Vec<u8>>>);

impl io::Write for Shown {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Ask<'a> {
    purpose: &'a str,
    narrowed: Option<Value>,
    notes: Value,
    complaint: &'a str,
}

/// What a person who types these lines answers, and what it saw.
async fn answer(
    ask: Ask<'_>,
    language: Language,
    typed: &str,
) -> (Result<String, MindError>, String) {
    let shown = Shown::default();
    let console = TextConsole::new(Cursor::new(typed.to_owned()), shown.clone());
    let mind = HumanMind::new(console, language);
    let schema: Arc<str> = "{}".into();
    let form = match &ask.narrowed {
        None => Form::Prose { notes: &ask.notes },
        Some(narrowed) => Form::Json {
            name: "reply",
            schema: &schema,
            narrowed,
            notes: &ask.notes,
        },
    };
    let refused = [Round::Refused(Refused {
        answer: "".into(),
        complaint: ask.complaint.into(),
    })];
    let answering = mind.answer(&Prompt {
        entity: &"Mira".into(),
        purpose: ask.purpose,
        number: 1,
        language,
        history: &AgentContext::new("Mira"),
        question: &Body::text("The tavern is full."),
        ask_short: false,
        rounds: if ask.complaint.is_empty() {
            &[]
        } else {
            &refused
        },
        tools: Tools::NONE,
        form,
        max_tokens: 100,
        seed: 0,
        stream: None,
    });
    let result = answering.await.map(|completion| completion.text);
    let result = result.map_err(|failed| failed.error);
    let shown = String::from_utf8(shown.0.lock().unwrap().clone()).unwrap();
    (result, shown)
}

fn plan(present: &[&str]) -> Value {
    let words = json!({"type": "object", "required": ["target", "text"], "properties": {
        "target": {"type": "string", "enum": present}, "text": {"type": "string"}}});
    json!({"type": "object",
        "properties": {"mind": {"type": "string"}, "speak": words,
            "wait": {"type": "object", "required": ["reason"], "properties": {"reason": {"type": "string"}}}},
        "oneOf": [{"required": ["mind", "speak"]}, {"required": ["mind", "wait"]}]})
}

fn ask_plan<'a>(present: &[&str]) -> Ask<'a> {
    Ask {
        purpose: "home.plan",
        narrowed: Some(plan(present)),
        notes: Value::Null,
        complaint: "",
    }
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn a_plan_is_chosen_from_menus() {
    let typed = "9\n1\nbob\n\nGood evening!\nI am tired.\n";
    let (result, shown) = answer(ask_plan(&["Ann", "Bob"]), Language::En, typed).await;
    assert_eq!(
        json_of(&result.unwrap()),
        json!({"mind": "I am tired.", "speak": {"target": "Bob", "text": "Good evening!"}})
    );
    insta::assert_snapshot!(shown, @r"
    *** You are Mira. ***
    The tavern is full.
      1) speak to somebody
      2) wait
    What do you do? > Type a number from 1 to 2, or a name from the list.
    What do you do? >   1) Ann
      2) Bob
    To whom? > Words > Type a line; Ctrl-D leaves the seat.
    Words > What do you think? [Enter: …] >
    ");
}

#[tokio::test]
async fn a_plan_in_chinese_needs_no_thought_and_asks_for_no_only_target() {
    let (result, shown) = answer(ask_plan(&["米拉"]), Language::Zh, "1\n晚上好！\n\n").await;
    assert_eq!(
        json_of(&result.unwrap()),
        json!({"mind": "…", "speak": {"target": "米拉", "text": "晚上好！"}})
    );
    assert!(shown.contains("1) 对人说话"), "{shown}");
}

fn ask_hand<'a>() -> Ask<'a> {
    let skill = |name: &str, kind: &str, legal: &[&str]| json!({"skill": name, "kind": kind, "cost": 1, "power": 5, "about": format!("{name}!"), "legal": legal});
    Ask {
        purpose: "combat.draw",
        narrowed: Some(json!({})),
        notes: json!({"hand": [
            skill("Strike", "attack", &["Wolf", "Bear"]), skill("Mend", "heal", &["Ann"])]}),
        complaint: "",
    }
}

#[tokio::test]
async fn cards_have_an_order_targets_and_names_of_ones_own() {
    let typed = "2\n\n\n2 1\nMoonfall\nA pale arc.\n";
    let (result, shown) = answer(ask_hand(), Language::En, typed).await;
    assert_eq!(
        json_of(&result.unwrap()),
        json!({"cards": [
            {"skill": "Mend", "name": "Mend", "description": "Mend!", "targets": ["Ann"]},
            {"skill": "Strike", "name": "Moonfall", "description": "A pale arc.", "targets": ["Bear", "Wolf"]}]})
    );
    assert!(
        shown.contains("1) Strike (attack, power 5, cost 1) Strike!"),
        "{shown}"
    );
}

#[tokio::test]
async fn cards_may_be_left_to_their_defaults() {
    let (result, _) = answer(ask_hand(), Language::Zh, "\n\n\n\n\n\n").await;
    let cards = json_of(&result.unwrap());
    assert_eq!(cards["cards"][0]["targets"], json!(["Wolf", "Bear"]));
    assert_eq!(cards["cards"][1]["name"], "Mend");
}

#[tokio::test]
async fn any_schema_can_be_filled() {
    let schema = json!({"type": "object", "required": ["count", "sure", "names", "tags", "free"], "properties": {
        "count": {"type": "integer", "minimum": 1, "maximum": 3},
        "sure": {"type": "boolean"},
        "names": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
        "tags": {"type": "array", "items": {"enum": ["a", "b", "c"]}},
        "free": {"anyOf": []}}});
    let ask = Ask {
        purpose: "other",
        narrowed: Some(schema),
        notes: Value::Null,
        complaint: "",
    };
    let typed = "seven\n7\n2\n2\nx\n1\ny\nno\nc a\n{bad\n{\"z\": [1]}\n";
    let (result, shown) = answer(ask, Language::En, typed).await;
    assert_eq!(
        json_of(&result.unwrap()),
        json!({"count": 2, "sure": false, "names": ["x", "y"], "tags": ["c", "a"], "free": {"z": [1]}}),
        "{shown}"
    );
}

#[tokio::test]
async fn who_is_asked_again_reads_what_was_wrong() {
    let ask = Ask {
        purpose: "kickoff",
        narrowed: None,
        notes: Value::Null,
        complaint: "Too long.",
    };
    let (result, shown) = answer(ask, Language::En, "\nShort.\n").await;
    assert_eq!(result.unwrap(), "Short.");
    assert!(
        shown.contains("Too long.") && !shown.contains("tavern"),
        "{shown}"
    );
}

#[tokio::test]
async fn the_end_of_the_input_leaves_the_seat() {
    let (result, _) = answer(ask_plan(&["Ann", "Bob"]), Language::En, "1\n").await;
    assert_eq!(
        result,
        Err(MindError::SeatEmpty {
            entity: "Mira".into()
        })
    );
}
