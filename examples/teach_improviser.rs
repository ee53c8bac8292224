//! A game of one's own teaches the improviser and the seat to give a toast; see
//! `docs/improviser.md`.
//!
//! Run it with `cargo run --example teach_improviser`.

use std::io::{self, Cursor, Write};
use std::sync::Arc;

use playhouse::context::AgentContext;
use playhouse::locale::UiText;
use playhouse::message::Body;
use playhouse::mind::human::{Dialogue, HumanMind, SeatLessons, TextConsole};
use playhouse::mind::improviser::{Improviser, Lessons, Writer};
use playhouse::mind::{AnswerForm, Language, Mind, Notes, Prompt};
use serde_json::{Value, json};

const ENGLISH: &str = r#"{
    "toast": ["To {guest}<hope>!", "[wry] To {guest}, who came for the wine."],
    "hope": [", and to many more", ", long life", (3, ", fair winds")],
}"#;
const CHINESE: &str = r#"{"toast": ["敬{guest}！", "{guest}，干杯！"]}"#;

/// What the grammars of the game are made of, and a skill for the purpose of its ask.
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
    Some(json!({"words": writer.line("toast"), "cups": 1 + writer.rng().below(3)}))
}

/// The same for people: a dialogue instead of menus by the schema.
fn teach_seat(lessons: &mut SeatLessons) {
    lessons.skill("feast.toast", type_toast);
}

fn type_toast(notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>> {
    let label = format!("Your toast to {}", notes.text("guest"));
    let words = dialogue.text(UiText::verbatim(label))?;
    Ok(Some(json!({"words": words, "cups": 1})))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let improviser = Improviser::taught(teach_improviser)?;
    let console = TextConsole::new(Cursor::new("Long live Bram!\n"), io::stdout());
    let person = HumanMind::taught(console, Language::En, teach_seat);

    // What an engine asks for `Ask::new("feast.toast", …).notes(…)`.
    let schema = json!({"type": "object", "required": ["words", "cups"], "properties": {
        "words": {"type": "string"}, "cups": {"type": "integer", "maximum": 3}}});
    let (ida, question) = (
        AgentContext::new("Ida"),
        Body::text("Give a toast to Bram."),
    );
    let ask = Prompt {
        form: AnswerForm::Json {
            name: "toast",
            schema: &Arc::from(schema.to_string()),
            constrained: &schema,
            notes: &json!({"me": "Ida", "guest": "Bram"}),
        },
        seed: 7,
        ..Prompt::new("feast.toast", &ida, &question)
    };
    for mind in [&improviser as &dyn Mind, &person] {
        let answer = mind.answer(&ask).await?.text;
        writeln!(io::stdout(), "\n{}: {answer}", mind.info().alias)?;
    }
    Ok(())
}
