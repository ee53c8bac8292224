//! `why`: who received an event, and by which rule.

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

/// Explains the audience of an event, by playing the story again up to it.
pub(super) fn why(app: &App, slot: &str, event: &str) -> Result<(), CommandError> {
    let id: BodyId = event.parse().map_err(|_| {
        let error = CommandError::new(ErrorKind::Usage, text!(cli_bad_event_id, id = event));
        error.help(text!(cli_event_id_help))
    })?;
    let saved = Saved::find(app, slot)?;
    let found = Arc::new(Mutex::new(None));
    let sink = found.clone();
    let replayed = play::runtime()?.block_on(async {
        replay_with(&saved.slot, saved.played.game(), None, |engine| {
            let token = engine.cancellation_token();
            engine.add_feed(Feed::observer(move |record| match record {
                Record::Event(event) if event.id == id => {
                    *sink.lock().unwrap_or_else(PoisonError::into_inner) = Some(event.clone());
                    token.cancel();
                }
                _ => {}
            }));
        })
        .await
    });
    let replayed = replayed.map_err(session_error)?;
    let found = found.lock().unwrap_or_else(PoisonError::into_inner).take();
    match found {
        Some(event) => print(app, &event, &names(&replayed.engine.world)),
        None => {
            let error = CommandError::new(ErrorKind::Usage, text!(cli_no_such_event, id = event));
            return Err(error.at(slot).help(text!(cli_event_id_help)));
        }
    }
    Ok(())
}

fn names(world: &World) -> BTreeMap<StableId, String> {
    let entities = world.resource::<CastList>().all();
    entities
        .filter_map(|(id, entity)| Some((id, world.get::<EntityName>(entity)?.to_string())))
        .collect()
}

fn print(app: &App, event: &EventRecord, names: &BTreeMap<StableId, String>) {
    let named = |id: &StableId| names.get(id).cloned().unwrap_or_else(|| format!("#{id}"));
    let told: Vec<_> = event.audience.iter().map(named).collect();
    let others = names.iter().filter(|(id, _)| !event.audience.contains(id));
    let others: Vec<_> = others.map(|(_, name)| name.clone()).collect();
    let mut out = app.out();
    if app.settings.json {
        return out.pretty_json(&json!({"event": event, "told": told, "not_told": others}));
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
