//! `why`: who received an event, and by which rule; or all events with their IDs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::cast::{CastList, EntityName, StableId};
use crate::event::{AudienceRule, EventRecord, Feed, Record};
use crate::locale::{Argument, UiText, text};
use crate::message::BodyId;
use crate::session::replay_with;
use bevy_ecs::prelude::*;
use serde_json::json;

use super::play;
use crate::cli::app::App;
use crate::cli::error::{CommandError, ErrorKind};
use crate::cli::labels::{event_label, guard_note};
use crate::cli::output::{Paragraph, Style};
use crate::cli::saved::{Saved, session_error};
use crate::cli::say::say;

/// Explains the audience of an event, or lists all events, by playing the story again.
pub(super) fn why(app: &App, slot: &str, event: Option<&str>) -> Result<(), CommandError> {
    let wanted: Option<BodyId> = event
        .map(|id| {
            id.parse().map_err(|_| {
                let error = CommandError::new(ErrorKind::Usage, text!(cli_bad_event_id, id));
                error.help(text!(cli_event_id_help, slot))
            })
        })
        .transpose()?;
    let saved = Saved::find(app, slot)?;
    let found = Arc::new(Mutex::new(Vec::new()));
    let sink = found.clone();
    let replayed = play::runtime()?.block_on(async {
        replay_with(&saved.slot, saved.played.game(), None, |engine| {
            let token = engine.cancellation_token();
            engine.add_feed(Feed::observer(move |record| match record {
                Record::Event(event) if wanted.is_none_or(|id| event.id == id) => {
                    let mut found = sink.lock().unwrap_or_else(PoisonError::into_inner);
                    found.push(event.clone());
                    if wanted.is_some() {
                        token.cancel();
                    }
                }
                _ => {}
            }));
        })
        .await
    });
    let replayed = replayed.map_err(session_error)?;
    let found = std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
    let Some(id) = event else {
        list(app, &found);
        return Ok(());
    };
    match found.first() {
        Some(event) => print(app, event, &names(&replayed.engine.world)),
        None => {
            let error = CommandError::new(ErrorKind::Usage, text!(cli_no_such_event, id));
            return Err(error.at(slot).help(text!(cli_event_id_help, slot)));
        }
    }
    Ok(())
}

/// Lists events with their IDs.
fn list(app: &App, events: &[EventRecord]) {
    let mut out = app.out();
    if app.settings.json {
        return events.iter().for_each(|event| {
            out.json(&json!({
                "record": "event", "id": event.id, "turn": event.turn, "place": &*event.place,
                "type": event.kind, "speaker": event.speaker.as_deref(), "text": event.text,
            }))
        });
    }
    let language = app.language;
    for event in events {
        let kind = event_label(&event.kind).in_language(language);
        let heading = Paragraph::indented(0, 2).add(Style::Bold, event.id.to_string());
        let text = event.text.lines().next().unwrap_or_default();
        let turn = say!(language, cli_turn);
        let row = format!(" · {turn} {} · {kind} · {text}", event.turn);
        out.paragraph(&heading.plain(row));
    }
}

fn names(world: &World) -> BTreeMap<StableId, String> {
    let entities = world.resource::<CastList>().all();
    entities
        .filter_map(|(id, entity)| Some((id, world.get::<EntityName>(entity)?.to_string())))
        .collect()
}

fn print(app: &App, event: &EventRecord, names: &BTreeMap<StableId, String>) {
    let told = event.audience.iter().map(|who| who.name.to_string());
    let told: Vec<_> = told.collect();
    let is_told = |id: &StableId| event.audience.iter().any(|who| who.id == *id);
    let others = names.iter().filter(|(id, _)| !is_told(id));
    let others: Vec<_> = others.map(|(_, name)| name.clone()).collect();
    let mut out = app.out();
    if app.settings.json {
        return out.json(&json!({
            "record": "why", "event": event, "told": told, "not_told": others,
        }));
    }
    let language = app.language;
    let kind = event_label(&event.kind).in_language(language);
    let place = if event.place.is_empty() {
        text!(cli_everywhere)
    } else {
        UiText::verbatim(&*event.place)
    };
    let mut details = vec![say!(language, cli_event_at, turn = event.turn, place)];
    if let Some(who) = &event.speaker {
        details.push(say!(language, cli_event_by, who = &**who));
    }
    let heading = Paragraph::of(Style::Bold, format!("{} · {kind}", event.id));
    out.paragraph(&heading.plain(format!(" · {}", details.join(" · "))));
    out.paragraph(&Paragraph::indented(2, 2).plain(&event.text));
    let list = |names: Vec<String>| text!(cli_list, items = Argument::list(names));
    for (name, text) in [
        (text!(cli_rule), rule(&event.rule)),
        (text!(cli_recipients), list(told)),
        (text!(cli_others_not_told), list(others)),
    ] {
        let row = Paragraph::indented(0, 2).add(Style::Dim, name.in_language(language));
        let row = row.plain(say!(language, cli_colon));
        out.paragraph(&row.plain(text.in_language(language)));
    }
    for act in &event.guarded {
        out.line(guard_note(act).in_language(language));
    }
}

fn rule(rule: &AudienceRule) -> UiText {
    let (rule, excluded) = match rule {
        AudienceRule::BroadcastToStage { stage, exclude } => {
            (text!(cli_rule_stage, stage = &**stage), &exclude[..])
        }
        AudienceRule::Notified => (text!(cli_rule_named), &[][..]),
        AudienceRule::Announced { exclude } => (text!(cli_rule_everywhere), &exclude[..]),
        AudienceRule::Private => (text!(cli_rule_private), &[][..]),
    };
    if excluded.is_empty() {
        return rule;
    }
    let names = Argument::list(excluded.iter().map(|name| &**name));
    text!(cli_rule_except, rule, names)
}
