//! `why`: who received an event, and by which rule; or all events with their IDs.

use std::sync::{Arc, Mutex, PoisonError};

use crate::cast::turn_number;
use crate::event::{AudienceRule, EventRecord, Feed, Record};
use crate::locale::{Argument, UiText, text};
use crate::message::{BodyId, one_line};
use crate::session::{NotTold, WhyNot, not_told, replay_with};
use serde_json::json;

use super::play;
use crate::cli::app::App;
use crate::cli::error::{CommandError, ErrorKind};
use crate::cli::labels::{event_label, guard_note};
use crate::cli::output::{Paragraph, Style};
use crate::cli::record_printer::numbered_event;
use crate::cli::saved::{Saved, session_error};
use crate::cli::say::say;

/// How many of several events are named.
const MOST_NAMED: usize = 8;

/// Explains the audience of an event, or lists all events, by playing the story again. The event
/// is named by its ID, or by a part of its text that no other event has.
pub(super) fn why(app: &App, slot: &str, event: Option<&str>) -> Result<(), CommandError> {
    let saved = Saved::find(app, slot)?;
    let Some(wanted) = event else {
        list(app, &events(&saved, |_| true)?);
        return Ok(());
    };
    let id = match wanted.parse() {
        Ok(id) => id,
        Err(_) => id_by_text(app, &saved, slot, wanted)?,
    };
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
    let world = &replayed.map_err(session_error)?.engine.world;
    let found = found.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(event) = found else {
        let error = CommandError::new(ErrorKind::Usage, text!(cli_no_such_event, id = wanted));
        return Err(error
            .at(slot)
            .help(text!(cli_event_id_help, slot = app.in_command(slot))));
    };
    print(app, &event, &not_told(world, &event));
    Ok(())
}

/// The events of a save that are wanted, in order.
fn events(
    saved: &Saved,
    is_wanted: impl Fn(&EventRecord) -> bool + Send + Sync + 'static,
) -> Result<Vec<EventRecord>, CommandError> {
    let found = Arc::new(Mutex::new(Vec::new()));
    let sink = found.clone();
    let replayed = play::runtime()?.block_on(async {
        replay_with(&saved.slot, saved.played.game(), None, |engine| {
            engine.add_feed(Feed::observer(move |record| match record {
                Record::Event(event) if is_wanted(event) => {
                    let mut found = sink.lock().unwrap_or_else(PoisonError::into_inner);
                    found.push(event.clone());
                }
                _ => {}
            }));
        })
        .await
    });
    replayed.map_err(session_error)?;
    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *found))
}

/// The event whose text alone has these words.
fn id_by_text(app: &App, saved: &Saved, slot: &str, words: &str) -> Result<BodyId, CommandError> {
    // As people copy it.
    let wanted = one_line(words);
    let found = events(saved, move |event| {
        !wanted.is_empty() && one_line(&event.text).contains(&wanted)
    })?;
    if let [event] = &found[..] {
        return Ok(event.id);
    }
    let usage = |message| CommandError::new(ErrorKind::Usage, message).at(slot);
    if found.is_empty() {
        let error = usage(text!(cli_no_event_says, words));
        return Err(error.help(text!(cli_event_id_help, slot = app.in_command(slot))));
    }
    let (count, first) = (found.len(), found.iter().take(MOST_NAMED));
    let ids = Argument::list(first.map(|event| event.id.to_string()));
    let error = usage(text!(cli_many_events_say, words, count));
    Err(error.help(text!(cli_many_events_help, ids)))
}

/// Lists events with their IDs.
fn list(app: &App, events: &[EventRecord]) {
    let mut out = app.out();
    if app.settings.json {
        return events.iter().for_each(|event| {
            out.json(&json!({
                "record": "event", "id": event.id, "turn": turn_number(event.turn), "place": &*event.place,
                "type": event.kind, "speaker": event.speaker.as_deref(), "text": event.text,
            }))
        });
    }
    let language = app.language;
    for event in events {
        let kind = event_label(&event.kind).in_language(language);
        let heading = Paragraph::indented(0, 2).add(Style::Bold, event.id.to_string());
        let text = event.text.lines().next().unwrap_or_default();
        let turn = say!(language, story_turn, turn = turn_number(event.turn));
        let row = format!(" · {turn} · {kind} · {text}");
        out.paragraph(&heading.plain(row));
    }
}

fn print(app: &App, event: &EventRecord, others: &[NotTold]) {
    let told = event.audience.iter().map(|who| who.name.to_string());
    let told: Vec<_> = told.collect();
    let mut out = app.out();
    if app.settings.json {
        let others = others.iter().map(|other| {
            let mut json = json!({"id": other.id, "name": other.name, "why": key(&other.why)});
            if let WhyNot::Elsewhere { place } = &other.why {
                json["at"] = json!(place);
            }
            json
        });
        return out.json(&json!({
            "record": "why", "event": numbered_event(event), "told": told,
            "not_told": others.collect::<Vec<_>>(),
        }));
    }
    let language = app.language;
    let others = others.iter().map(|other| {
        let (who, why) = (&other.name, reason(&other.why));
        say!(language, cli_not_told, who, why)
    });
    let others: Vec<_> = others.collect();
    let kind = event_label(&event.kind).in_language(language);
    let (turn, place) = (turn_number(event.turn), &*event.place);
    // What is told while the world meets has no place.
    let at = if place.is_empty() {
        say!(language, story_turn, turn)
    } else {
        say!(language, cli_event_at, turn, place)
    };
    let mut details = vec![at];
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

/// Why somebody was not told, for programs.
fn key(why: &WhyNot) -> &'static str {
    match why {
        WhyNot::Elsewhere { .. } => "elsewhere",
        WhyNot::LeftOut => "left_out",
        WhyNot::NotNamed => "not_named",
        WhyNot::Private => "private",
        WhyNot::Dead => "dead",
        WhyNot::Withheld => "withheld",
    }
}

/// Why somebody was not told, for people.
fn reason(why: &WhyNot) -> UiText {
    match why {
        WhyNot::Elsewhere { place } if place.is_empty() => text!(cli_why_not_elsewhere),
        WhyNot::Elsewhere { place } => text!(cli_why_not_at, place),
        WhyNot::LeftOut => text!(cli_why_not_left_out),
        WhyNot::NotNamed => text!(cli_why_not_named),
        WhyNot::Private => text!(cli_why_not_private),
        WhyNot::Dead => text!(cli_why_not_dead),
        WhyNot::Withheld => text!(cli_why_not_withheld),
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
