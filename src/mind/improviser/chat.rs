//! The purposes of group chats.

use serde_json::{Value, json};

use super::names::{Fact, Root};
use super::notes::{Notes, bare, fragment};
use super::writer::{Writer, paragraph};
use crate::message::Language;
use crate::mind::Prompt;

/// The longest quotation, in characters.
const QUOTED: usize = 40;

/// Answers in prose.
pub(super) fn write<'a>(purpose: &str, notes: &'a Notes, writer: &mut Writer<'a>) -> String {
    match purpose {
        "chat.select" | "chat.pick" => {
            let names: Vec<_> = notes.present.iter().map(|one| one.name.as_str()).collect();
            let picked = writer.chance.pick(&names).copied();
            picked.unwrap_or_default().to_owned()
        }
        "chat.conclude" => writer.line(Root::ChatLast),
        _ => turn(notes, writer),
    }
}

/// What is said in a turn, with the words that end the conversation where it is ours to end it.
fn turn<'a>(notes: &'a Notes, writer: &mut Writer<'a>) -> String {
    let mut said = vec![words(notes, writer)];
    said.extend(notes.must.iter().cloned());
    paragraph(writer.language, &said)
}

fn words<'a>(notes: &'a Notes, writer: &mut Writer<'a>) -> String {
    if !notes.found.is_empty() {
        let between = match writer.language {
            Language::En => "; ",
            Language::Zh => "；",
        };
        // The line ends the sentence.
        let found = notes.found.iter().map(|found| bare(found));
        writer.set(Fact::Found, found.collect::<Vec<_>>().join(between));
        return writer.line(Root::ChatFound);
    }
    let Some(last) = notes
        .said
        .last()
        .filter(|last| !last.text.trim().is_empty())
    else {
        return writer.line(Root::ChatOpen);
    };
    writer.set(Fact::Speaker, last.who.as_str());
    // A line of several sentences is quoted by its first; what it quotes itself is left out.
    let own = last.text.rsplit_once('”').map_or("", |(_, own)| own);
    let own = own.trim_start_matches([' ', ',', ':', '.', '?', '!', '，', '：', '。', '？', '！']);
    let own = if own.is_empty() { &last.text } else { own };
    let first = own
        .split_inclusive(['.', '!', '?', '。', '！', '？'])
        .next();
    let first = first.unwrap_or_default().trim_matches(['“', '”', '"', ' ']);
    let quoted = fragment(bare(first), QUOTED).replace(['“', '”'], "");
    writer.set(Fact::Said, quoted);
    match notes.must.is_empty() {
        true => writer.line(Root::ChatAnswer),
        false => writer.line(Root::ChatLast),
    }
}

/// Answers in JSON; nothing where the purpose is none of a group chat.
pub(super) fn answer<'a>(
    prompt: &Prompt<'_>,
    schema: &Value,
    notes: &'a Notes,
    writer: &mut Writer<'a>,
) -> Option<Value> {
    match prompt.purpose {
        "chat.bell" => Some(json!({"stop": false, "elapsed_ms": 0})),
        "chat.say" => Some(say(schema, notes, writer)),
        // It can't read code, so that it lets none run.
        "chat.approve" => Some(json!({"approved": false, "reason": writer.line(Root::ChatUnread)})),
        "chat.analyse" | "chat.replan" => Some(analysis(notes, writer)),
        "chat.progress" => Some(progress(prompt.notes(), notes)),
        _ => None,
    }
}

fn say<'a>(schema: &Value, notes: &'a Notes, writer: &mut Writer<'a>) -> Value {
    let mut said = json!({"message": words(notes, writer)});
    let targets = schema
        .pointer("/properties/handoff/enum")
        .and_then(Value::as_array);
    let target = targets
        .and_then(|targets| writer.chance.pick(targets))
        .cloned();
    // Mostly the word goes on, so that everybody comes to speak.
    if let Some(target) = target.filter(|_| writer.chance.happens(60)) {
        said["handoff"] = target;
    }
    said
}

/// One piece for each of the team, each after the one before.
fn analysis<'a>(notes: &'a Notes, writer: &mut Writer<'a>) -> Value {
    let count = notes.present.len().clamp(1, 8);
    let pieces = (1..=count).map(|number| {
        let before: Vec<_> = (number > 1)
            .then(|| format!("t{}", number - 1))
            .into_iter()
            .collect();
        json!({
            "id": format!("t{number}"), "description": writer.clause(Root::ChatStep),
            "skill": "", "complexity": "low", "depends_on": before,
        })
    });
    json!({"subtasks": pieces.collect::<Vec<_>>(), "resources": [], "time": "", "risks": []})
}

/// Whoever was asked has done it, and the next one is next.
fn progress(raw: &Value, notes: &Notes) -> Value {
    let open = raw.get("open").and_then(Value::as_array).map(Vec::as_slice);
    let open = open.unwrap_or_default();
    let part = |at: usize, name: &str| open.get(at).and_then(|one| one.get(name)).cloned();
    let anybody = notes
        .present
        .first()
        .map(|one| one.name.as_str())
        .unwrap_or_default();
    json!({
        "is_request_satisfied": open.len() <= 1, "is_in_loop": false,
        "is_progress_being_made": true,
        "next_speaker": part(1, "to").unwrap_or_else(|| anybody.into()),
        "instruction": part(1, "text").unwrap_or_else(|| "".into()),
        "done": part(0, "id").into_iter().collect::<Vec<_>>(), "failed": [],
    })
}
