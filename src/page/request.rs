//! The requests of a call, made again from the journal: what was sent, and what changed since the
//! last call of the same entity.

use std::sync::PoisonError;

use serde_json::{Value, json};

use super::board::Contents;
use super::library::Story;
use crate::session::{
    CallRequest, ChangeKind, PromptMessage, PromptPart, SessionError, Wanted, changes, requests,
};

/// Adds to a call what was sent, by playing the story again up to it.
///
/// # Errors
/// As [`requests`].
pub(super) fn add(json: &mut Value, story: &Story, number: u32) -> Result<(), SessionError> {
    let contents = story.board.read();
    let call = contents.calls.get(number as usize);
    let Some((call, outcome)) = call.and_then(|call| Some((call, call.outcome.clone()?))) else {
        return Ok(());
    };
    let earlier = contents.calls.iter().take(number as usize).rev();
    let before = earlier
        .filter(|earlier| earlier.who == call.who)
        .find_map(|earlier| Some(earlier.outcome.as_ref()?.number));
    let wanted = Wanted {
        entity: Some(outcome.entity.to_string()),
        numbers: before.into_iter().chain([outcome.number]).collect(),
        turns: Some(call.turn + 1),
        ..Wanted::default()
    };
    // Nothing of the board is held while the story is played.
    drop(contents);
    let answered = story.answered.clone();
    let found = requests(&story.slot, &*story.game, wanted, move |outcome| {
        let mut answered = answered.lock().unwrap_or_else(PoisonError::into_inner);
        (*answered)(outcome)
    });
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let Ok(runtime) = runtime else {
        return Ok(());
    };
    let found = runtime.block_on(found)?;
    let last = |number| {
        let mut found = found.iter().rev();
        found.find(|request| request.outcome.number == number)
    };
    if let Some(request) = last(outcome.number) {
        add_request(json, &story.board.read(), request, before.and_then(last));
    }
    Ok(())
}

fn add_request(
    json: &mut Value,
    contents: &Contents,
    request: &CallRequest,
    before: Option<&CallRequest>,
) {
    let body = request.body.as_ref();
    let body = body.map(|body| String::from_utf8_lossy(body).into_owned());
    json["request_is"] = if body.is_some() { "exact" } else { "none" }.into();
    json["request"] = body.unwrap_or_else(|| as_text(&request.messages)).into();
    let Some(before) = before else {
        return;
    };
    let mut rows = Vec::new();
    for change in changes(&before.messages, &request.messages) {
        let op = match change.kind {
            ChangeKind::Same => {
                let lines = change
                    .messages
                    .iter()
                    .map(|message| message.text.lines().count());
                rows.push(json!({"op": "=", "lines": lines.sum::<usize>()}));
                continue;
            }
            ChangeKind::Added => "+",
            ChangeKind::Asked | ChangeKind::Archived(_) | ChangeKind::Cut => "-",
        };
        rows.extend(
            change
                .messages
                .iter()
                .map(|message| row(contents, op, message)),
        );
    }
    json["diff"] = rows.into();
}

fn row(contents: &Contents, op: &str, message: &PromptMessage) -> Value {
    let mut row = json!({"op": op, "text": message.text});
    if let PromptPart::Memory { body, .. } = message.part
        && let Some(number) = contents.by_body.get(&body)
    {
        row["n"] = (*number).into();
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
