//! `show`: what the entities of a save remember, and what their minds were sent.

use std::sync::Arc;

use crate::cast::{Kind, turn_number};
use crate::context::{buffer, context_to_json};
use crate::locale::text;
use crate::session::{CallRequest, Wanted, state_at};
use serde_json::json;

use super::{play, sent};
use crate::cli::app::App;
use crate::cli::args::ShowAs;
use crate::cli::error::{CommandError, ErrorKind};
use crate::cli::labels::purpose_label;
use crate::cli::saved::{Saved, WorldState, being, session_error};
use crate::cli::say::say;
use crate::cli::tables::{Alignment, TextTable};

/// The moment of which something is shown; now by default.
#[derive(Clone, Copy, Default)]
pub(super) struct StoryPoint {
    /// The end of this turn.
    pub(super) turn: Option<u64>,
    /// The call with this number among those of the entity.
    pub(super) call: Option<u32>,
    /// Which of the requests of that call.
    pub(super) attempt: Option<u32>,
}

/// Prints the memory of one entity, or lists all.
pub(super) fn show(
    app: &App,
    slot: &str,
    name: Option<&str>,
    form: ShowAs,
    moment: StoryPoint,
) -> Result<(), CommandError> {
    let saved = Saved::find(app, slot)?;
    if let Some(name) = name
        && (moment.call.is_some() || form == ShowAs::Request)
    {
        return show_request(app, &saved, name, form, moment);
    }
    let state = match moment.turn {
        None => saved.contents()?.state,
        Some(turn) => {
            let past = state_at(&saved.slot, saved.played.game(), turn);
            let past = play::runtime()?.block_on(past);
            let world = past.map_err(session_error)?.engine.world;
            Arc::new(WorldState::of(&world, &WorldState::default()))
        }
    };
    match name {
        None => list(app, &state),
        Some(name) => show_one(app, &state, name, form)?,
    }
    Ok(())
}

/// Prints what an entity's mind was sent: with a call, for that one; else its last request.
fn show_request(
    app: &App,
    saved: &Saved,
    name: &str,
    form: ShowAs,
    moment: StoryPoint,
) -> Result<(), CommandError> {
    let request = match moment.call {
        Some(number) => sent::of_call(app, saved, name, number, moment.attempt)?,
        None => {
            let wanted = Wanted {
                entity: Some(name.to_owned()),
                turns: moment.turn,
                last: true,
                ..Wanted::default()
            };
            let last = sent::find(app, saved, wanted)?.pop();
            match last {
                Some(last) => last,
                None => {
                    // Refuses unknown names.
                    being(&saved.contents()?.state, name)?;
                    let message = text!(cli_nothing_sent, who = name);
                    return Err(CommandError::new(ErrorKind::Usage, message));
                }
            }
        }
    };
    let body = request.body.as_deref().filter(|_| form == ShowAs::Request);
    if app.settings.json {
        let mut json = sent::request_json(&request);
        json["messages"] = request.messages.iter().map(sent::message_json).collect();
        json["tools"] = json!(request.tools);
        if let Some(body) = body {
            let body = String::from_utf8_lossy(body);
            json["body"] = json!(body);
        }
        app.out().json(&json);
        return Ok(());
    }
    if !app.settings.quiet {
        app.err().line(which(app, &request));
    }
    let mut out = app.out();
    match (form, body) {
        (_, Some(body)) => out.bytes(body),
        (ShowAs::Buffer | ShowAs::Request, None) => {
            for message in &request.messages {
                let name = message.speaker.as_deref().unwrap_or_default();
                out.line(format!("{} {name}", message.role.name()).trim_end());
                out.line(&message.text);
                out.line("");
            }
        }
        (ShowAs::Json, None) => {
            let messages: Vec<_> = request.messages.iter().map(sent::message_json).collect();
            out.pretty_json(&messages);
        }
    }
    Ok(())
}

/// Which request it is, and whether it was sent.
fn which(app: &App, request: &CallRequest) -> String {
    let outcome = &request.outcome;
    let (who, number, turn) = (&*outcome.entity, outcome.number, turn_number(request.turn));
    let (attempt, purpose) = (request.attempt, purpose_label(&outcome.purpose));
    let model = format!("{}/{}", outcome.provider, outcome.model);
    let text = if request.body.is_some() {
        text!(cli_request_sent, who, number, attempt, turn, purpose, model)
    } else {
        text!(
            cli_request_unsent,
            who,
            number,
            attempt,
            turn,
            purpose,
            model
        )
    };
    text.in_language(app.language)
}

fn show_one(app: &App, state: &WorldState, name: &str, form: ShowAs) -> Result<(), CommandError> {
    let context = &being(state, name)?.context.value;
    let mut out = app.out();
    if form == ShowAs::Buffer && !app.settings.json {
        out.line(buffer(context).trim_end());
        return Ok(());
    }
    let json = context_to_json(context);
    if app.settings.json {
        let head = json!({"record": "context"});
        out.json(&play::joined(vec![head, json]));
    } else {
        out.pretty_json(&json);
    }
    Ok(())
}

fn list(app: &App, state: &WorldState) {
    let mut out = app.out();
    if app.settings.json {
        for being in &state.beings {
            let context = &being.context.value;
            out.json(&json!({
                "record": "entity", "id": being.id, "name": being.name, "kind": being.kind,
                "messages": context.len(), "tokens": context.tokens(),
                "chapters": being.chapters.value.all().len(),
                "hand": being.game.hand.names().collect::<Vec<_>>(),
            }));
        }
        return;
    }
    let language = app.language;
    let mut table = TextTable::new([
        (say!(language, cli_name), Alignment::Left),
        (say!(language, cli_kind), Alignment::Left),
        (say!(language, cli_messages), Alignment::Right),
        (say!(language, cli_tokens), Alignment::Right),
        (say!(language, cli_chapters), Alignment::Right),
        (say!(language, cli_hand), Alignment::Left),
    ]);
    for being in &state.beings {
        let kind = match being.kind {
            Kind::Actor => say!(language, cli_actor),
            Kind::Stage => say!(language, cli_stage),
            Kind::WorldAgent => say!(language, cli_world_agent),
        };
        let context = &being.context.value;
        table.row([
            being.name.to_string(),
            kind,
            context.len().to_string(),
            context.tokens().to_string(),
            being.chapters.value.all().len().to_string(),
            being.game.hand.names().collect::<Vec<_>>().join(", "),
        ]);
    }
    table.write(&mut out);
}
