//! The requests of a call, rebuilt from the journal: what was sent, and what changed since the
//! last call of the same entity.

use std::sync::PoisonError;

use playhouse_engine::message::BodyId;
use playhouse_engine::session::{
    CallRequest, PromptMessage, PromptPart, SessionError, Wanted, requests,
};
use playhouse_story::{ChangeKind, Contents, StoryView, changes};
use serde_json::{Value, json};

use super::library::Story;

/// What was sent for a call, and for the call of the same entity before it.
pub(super) struct Sent {
    pub(super) request: CallRequest,
    pub(super) before: Option<CallRequest>,
}

/// What was sent for a call, found by playing the story again up to it; `None` if there is no such
/// call, or it is open.
///
/// # Errors
/// As [`requests`].
pub(super) fn sent(story: &Story, number: u32) -> Result<Option<Sent>, SessionError> {
    let contents = story.view.read();
    let call = contents.calls.get(number as usize);
    let Some((call, outcome)) = call.and_then(|call| Some((call, call.outcome()?))) else {
        return Ok(None);
    };
    let earlier = contents.calls.iter().take(number as usize).rev();
    let before = earlier
        .filter(|earlier| earlier.who == call.who)
        .find_map(|earlier| Some(earlier.outcome()?.number));
    let wanted = Wanted {
        entity: Some(outcome.entity.to_string()),
        numbers: before.into_iter().chain([outcome.number]).collect(),
        turns: Some(call.turn),
        ..Wanted::default()
    };
    // The view must not stay locked while the story is replayed.
    drop(contents);
    let answered = story.answered.clone();
    let found = requests(
        story.slot.read(false)?,
        &*story.game,
        wanted,
        move |outcome| {
            let mut answered = answered.lock().unwrap_or_else(PoisonError::into_inner);
            (*answered)(outcome)
        },
    );
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let Ok(runtime) = runtime else {
        return Ok(None);
    };
    let mut found = runtime.block_on(found)?;
    let mut last = |number| {
        let is_it = |request: &CallRequest| request.outcome.number == number;
        let index = found.iter().rposition(is_it)?;
        Some(found.remove(index))
    };
    let before = before.and_then(&mut last);
    Ok(last(outcome.number).map(|request| Sent { request, before }))
}

/// Adds to a call what was sent.
pub(super) fn add(json: &mut Value, view: &StoryView, sent: &Sent) {
    let request = &sent.request;
    json["asked"] = request.outcome.asked.as_str().into();
    let body = request
        .body
        .as_ref()
        .map(|body| String::from_utf8_lossy(body).into_owned());
    json["request_is"] = if body.is_some() { "exact" } else { "none" }.into();
    let messages = request
        .messages
        .iter()
        .map(|message| json!({"role": message.role.name(), "text": message.text}));
    json["messages"] = messages.collect();
    if let Some(settings) = body.as_deref().and_then(settings_of) {
        json["settings"] = settings;
    }
    json["request"] = body.unwrap_or_else(|| as_text(&request.messages)).into();
    if let Some(before) = &sent.before {
        let contents = view.read();
        json["diff"] = difference(
            (&contents, &before.messages),
            (&contents, &request.messages),
        );
    }
}

/// The lines of two prompts: what only one of them has, with the number of its event there.
pub(super) fn difference(
    (of_earlier, earlier): (&Contents, &[PromptMessage]),
    (of_later, later): (&Contents, &[PromptMessage]),
) -> Value {
    let mut rows = Vec::new();
    for change in changes(earlier, later) {
        let messages = change.messages.iter();
        let (contents, op, why) = match change.kind {
            ChangeKind::Same => {
                let lines = messages.map(|message| message.text.lines().count());
                rows.push(json!({"op": "=", "lines": lines.sum::<usize>()}));
                continue;
            }
            ChangeKind::Added => (of_later, "+", None),
            ChangeKind::SentOnce => (of_earlier, "-", Some("asked")),
            ChangeKind::Archived(_) => (of_earlier, "-", Some("archived")),
            ChangeKind::Cut => (of_earlier, "-", Some("cut")),
        };
        for message in messages {
            let other = match op {
                "+" => same_body(message, earlier),
                _ => same_body(message, later),
            };
            match other {
                // The same event in other words: its lines are shown where the later text is.
                Some(other) if op == "+" => add_lines(&mut rows, contents, other, message),
                Some(_) => {}
                None => {
                    let mut row = row(contents, op, message);
                    if let Some(why) = why {
                        row["why"] = why.into();
                    }
                    rows.push(row);
                }
            }
        }
    }
    rows.into()
}

/// The message of another prompt that tells the same event in other words.
fn same_body<'m>(
    message: &PromptMessage,
    others: &'m [PromptMessage],
) -> Option<&'m PromptMessage> {
    let PromptPart::Memory { body, .. } = message.part else {
        return None;
    };
    let is_it = |other: &&PromptMessage| {
        matches!(other.part, PromptPart::Memory { body: of_other, .. } if of_other == body)
            && other.text != message.text
    };
    others.iter().find(is_it).filter(|_| body != BodyId::NONE)
}

/// Adds the lines that differ between two texts of a message, without those at the beginning and
/// the end that are the same.
fn add_lines(
    rows: &mut Vec<Value>,
    contents: &Contents,
    earlier: &PromptMessage,
    later: &PromptMessage,
) {
    let old: Vec<_> = earlier.text.lines().collect();
    let new: Vec<_> = later.text.lines().collect();
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| {
        pairs.take_while(|(old, new)| old == new).count()
    };
    let first = same(&mut old.iter().zip(&new));
    let most = old.len().min(new.len()) - first;
    let last = same(&mut old.iter().rev().zip(new.iter().rev()).take(most));
    let add_same = |rows: &mut Vec<Value>, lines: usize| {
        if lines > 0 {
            rows.push(json!({"op": "=", "lines": lines}));
        }
    };
    add_same(rows, first);
    for (op, lines, message) in [("-", &old, earlier), ("+", &new, later)] {
        let lines = lines.get(first..lines.len() - last).unwrap_or_default();
        if !lines.is_empty() {
            let mut row = row(contents, op, message);
            row["text"] = lines.join("\n").into();
            if op == "-" {
                row["why"] = "changed".into();
            }
            rows.push(row);
        }
    }
    add_same(rows, last);
}

/// What is sent along with the messages: model, limits, schema and tools.
fn settings_of(body: &str) -> Option<Value> {
    let mut settings = serde_json::from_str::<Value>(body).ok()?;
    let fields = settings.as_object_mut()?;
    for messages in [
        "messages", "input", "contents", "system", "systemInstruction",
    ] {
        fields.remove(messages);
    }
    Some(settings)
}

fn row(contents: &Contents, op: &str, message: &PromptMessage) -> Value {
    let mut row = json!({"op": op, "text": message.text});
    if let PromptPart::Memory { body, .. } = message.part
        && let Some(number) = contents.by_body.get(&body)
    {
        row["number"] = (*number).into();
    }
    row
}

/// The messages as text, for a mind that is sent no request.
fn as_text(messages: &[PromptMessage]) -> String {
    let parts = messages
        .iter()
        .map(|message| format!("[{}]\n{}", message.role.name(), message.text));
    parts.collect::<Vec<_>>().join("\n\n")
}
