//! A game of one's own teaches the improviser and the seat: somebody gives a toast, and says how many
//! cups it drinks.
//!
//! Run it with `cargo run --example teach_improviser`. See `docs/improviser.md`.

use std::io::Cursor;
use std::sync::Arc;

use playhouse::context::AgentContext;
use playhouse::message::Body;
use playhouse::mind::human::{Dialogue, HumanMind, SeatLessons, TextConsole};
use playhouse::mind::improviser::{Improviser, Lessons, Writer};
use playhouse::mind::{Form, Language, Mind, Notes, Prompt, Tools};
use serde_json::{Value, json};

const ENGLISH: &str = r#"{
    "toast": ["To {guest}<hope>!", "[wry] To {guest}, who came for the <drink>.", "{guest}<hope>; drink up!"],
    "hope": [", and to many more", ", long life", ", fair winds"],
    "drink": ["cider", (3, "wine")],
}"#;
const CHINESE: &str = r#"{"toast": ["敬{guest}！", "{guest}，干杯！"]}"#;

/// The game's lesson: the fact and the symbol of its grammars, and a skill for its ask.
fn teach_improviser(lessons: &mut Lessons) {
    lessons
        .facts(&["guest"])
        .symbol("toast", &["guest"])
        .grammar(Language::En, "toast.ron", ENGLISH)
        .grammar(Language::Zh, "toast.ron", CHINESE)
        .skill("feast.toast", give_toast);
}

fn give_toast<'a>(prompt: &Prompt<'a>, writer: &mut Writer<'a>) -> Option<Value> {
    writer.set("guest", Notes::of(prompt).text("guest"));
    let cups = 1 + writer.rng().below(3);
    Some(json!({"words": writer.line("toast"), "cups": cups}))
}

/// The same for people: what the parts of an answer are called, and a dialogue instead of menus.
fn teach_seat(lessons: &mut SeatLessons) {
    lessons.member("cups", "How many cups?");
    lessons.skill(
        "feast.toast",
        |notes: Notes<'_>, dialogue: &mut Dialogue<'_>| {
            let guest = notes.text("guest");
            let words = dialogue.text_or(format!("Your toast to {guest}"), guest)?;
            // Nobody counts the cups of a short toast; `None` would ask by the schema instead.
            Ok(Some(json!({"words": words, "cups": 1})))
        },
    );
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let improviser = Improviser::taught(teach_improviser)?;
    let console = TextConsole::new(Cursor::new("Long live Bram!\n"), std::io::stdout());
    let person = HumanMind::taught(console, Language::En, teach_seat);

    // What an engine asks for `Ask::new("feast.toast", …).notes(…)`.
    let schema = json!({"type": "object", "required": ["words", "cups"], "properties": {
        "words": {"type": "string"}, "cups": {"type": "integer", "maximum": 3}}});
    let ask = Prompt {
        entity: &"Ida".into(),
        purpose: "feast.toast",
        number: 1,
        language: Language::En,
        history: &AgentContext::new("Ida"),
        question: &Body::text("Give a toast to Bram."),
        ask_short: false,
        rounds: &[],
        tools: Tools::NONE,
        form: Form::Json {
            name: "toast",
            schema: &Arc::from(schema.to_string()),
            narrowed: &schema,
            notes: &json!({"me": "Ida", "guest": "Bram"}),
        },
        max_tokens: 100,
        seed: 7,
        stream: None,
    };
    for mind in [&improviser as &dyn Mind, &person] {
        println!("\n{}: {}", mind.info().alias, mind.answer(&ask).await?.text);
    }
    Ok(())
}
