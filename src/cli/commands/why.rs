//! `why`: who got an event, and by which rule.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use bevy_ecs::prelude::*;
use playhouse::cast::{CastList, EntityName, StableId};
use playhouse::event::{AudienceRule, EventRecord, Feed, Record};
use playhouse::message::BodyId;
use playhouse::session::replay_with;
use serde_json::json;

use super::play;
use crate::cli::app::App;
use crate::cli::error::{Failure, Fault};
use crate::cli::output::{Ink, Paragraph};
use crate::cli::saved::{Saved, session_failure};
use crate::cli::words::Words;

/// Explains the audience of an event, by playing the story again up to it.
pub(super) fn why(app: &App, slot: &str, event: &str) -> Result<(), Failure> {
    let words = app.words;
    let id: BodyId = event.parse().map_err(|_| {
        let failure = Failure::new(Fault::Usage, words.bad_event_id(event));
        failure.try_this(words.event_id_form())
    })?;
    let saved = Saved::find(app, slot)?;
    let found = Arc::new(Mutex::new(None));
    let sink = found.clone();
    let replayed = play::runtime()?.block_on(async {
        replay_with(&saved.slot, saved.played.game(), None, |engine| {
            let brake = engine.cancellation_token();
            engine.add_feed(Feed::observer(move |record| match record {
                Record::Event(event) if event.id == id => {
                    *sink.lock().unwrap_or_else(PoisonError::into_inner) = Some(event.clone());
                    brake.cancel();
                }
                _ => {}
            }));
        })
        .await
    });
    let replayed = replayed.map_err(session_failure)?;
    let found = found.lock().unwrap_or_else(PoisonError::into_inner).take();
    match found {
        Some(event) => tell(app, &event, &names(&replayed.engine.world)),
        None => {
            let failure = Failure::new(Fault::Usage, words.no_such_event(event));
            return Err(failure.at(slot).try_this(words.event_id_form()));
        }
    }
    Ok(())
}

fn names(world: &World) -> BTreeMap<StableId, String> {
    let all = world.resource::<CastList>().all();
    all.filter_map(|(id, entity)| Some((id, world.get::<EntityName>(entity)?.to_string())))
        .collect()
}

fn tell(app: &App, event: &EventRecord, names: &BTreeMap<StableId, String>) {
    let words = app.words;
    let named = |id: &StableId| names.get(id).cloned().unwrap_or_else(|| format!("#{id}"));
    let told: Vec<_> = event.audience.iter().map(named).collect();
    let others = names.iter().filter(|(id, _)| !event.audience.contains(id));
    let others: Vec<_> = others.map(|(_, name)| name.clone()).collect();
    let mut out = app.out();
    if app.settings.json {
        return out.pretty_json(&json!({"event": event, "told": told, "not_told": others}));
    }
    let place = match &*event.place {
        "" => words.the_meeting(),
        place => place.to_owned(),
    };
    let heading = format!("{} · {}", event.id, event.kind);
    let by = event.speaker.as_ref().map(|who| words.by_speaker(who));
    let mut heading = Paragraph::of(Ink::Bold, heading).plain(" · ");
    heading = heading.plain(words.event_at(event.turn, &place));
    if let Some(by) = by {
        heading = heading.plain(" · ").plain(by);
    }
    out.paragraph(&heading);
    out.paragraph(&Paragraph::indented(2, 2).plain(&event.text));
    let comma = words.comma();
    for (name, text) in [
        (words.rule(), rule(words, &event.rule)),
        (words.told_to(), told.join(&comma)),
        (words.not_told(), others.join(&comma)),
    ] {
        let row = Paragraph::indented(0, 2).add(Ink::Dim, name);
        out.paragraph(&row.plain(words.colon()).plain(text));
    }
    for act in &event.guarded {
        let (guard, reason) = (&act.guard, &act.reason);
        out.line(words.guard_note(&words.error_text(guard), &reason.in_language(words.0)));
    }
}

fn rule(words: Words, rule: &AudienceRule) -> String {
    let (mut text, exclude) = match rule {
        AudienceRule::BroadcastToStage { stage, exclude } => {
            (words.rule_stage(stage), &exclude[..])
        }
        AudienceRule::Notified => (words.rule_notified(), &[][..]),
        AudienceRule::Announced { exclude } => (words.rule_announced(), &exclude[..]),
        AudienceRule::Private => (words.rule_private(), &[][..]),
    };
    if !exclude.is_empty() {
        text.push_str(&words.except(&exclude.join(&*words.comma())));
    }
    text
}
