//! The view `events`, and why entities received an event.

use crate::cli::prelude::*;
use std::sync::Arc;

use crate::cast::{Kind, turn_number};
use crate::event::{AudienceRule, EventRecord, EventTypes, Recipients};
use crate::journal::AskEnding;
use crate::message::one_line;
use crate::story::{EventEntry, WhyNot};

use super::told;
use crate::cli::event_types;
use crate::cli::labels::{event_label, guard_note};
use crate::cli::printed::NotTold;
use crate::cli::record_printer::numbered_event;
use crate::cli::saved::{Being, Contents, Saved, nobody};

/// How many of several events are named.
const MOST_NAMED: usize = 8;

/// Lists the events of a save, or those that one entity learned, with their IDs.
pub(super) fn events(app: &App, slot: &str, name: Option<&str>) -> Result<()> {
    let view = told::read(&Saved::as_stored(app, slot)?, None)?;
    let contents = view.read();
    let learned = |name| {
        let known = contents.names().map(|(name, _)| &**name);
        contents.id_of(name).ok_or_else(|| nobody(name, known))
    };
    let who = name.map(learned).transpose()?;
    let events = contents.events.iter();
    list(
        app,
        events.filter(|event| who.is_none_or(|who| event.audience.contains(&who))),
    );
    Ok(())
}

/// Explains the audience of an event, which is named by its ID, or by a part of its text that
/// nothing else that happened has.
pub(super) fn why(app: &App, slot: &str, wanted: &str) -> Result<()> {
    let saved = Saved::as_stored(app, slot)?;
    let found = find(app, &told::read(&saved, None)?.read(), slot, wanted)?;
    for event in found {
        // Who was in the world then.
        let then = told::read(&saved, Some(turn_number(event.turn)))?;
        let contents = then.read();
        let others: Vec<_> = contents
            .not_told(&event)
            .filter(|(_, why)| *why != WhyNot::Later)
            .collect();
        print(app, &saved, &contents, &event.record(), &others);
    }
    Ok(())
}

/// The event of this ID, of this number on the page, or those that tell of the one happening whose
/// text has these words, such as that somebody leaves a place and reaches another.
fn find(app: &App, contents: &Contents, slot: &str, wanted: &str) -> Result<Vec<Arc<EventEntry>>> {
    let usage = |message| CommandError::usage(message).at(slot);
    let list_help = || text!(cli_event_id_help, slot = app.in_command(slot));
    let of_page = wanted.strip_prefix('#').unwrap_or(wanted).parse().ok();
    let id = wanted.parse().ok();
    if id.is_some() || of_page.is_some() {
        let of_id = id.and_then(|id| contents.by_body.get(&id).copied());
        let number = of_id.or(of_page);
        let event = number.and_then(|number: u32| contents.events.get(number as usize));
        let missing = || usage(text!(cli_no_such_event, id = wanted)).help(list_help());
        return event
            .map(|event| vec![Arc::clone(event)])
            .ok_or_else(missing);
    }
    // As people copy it, with the sign before it.
    let copied = one_line(wanted);
    let words = copied.trim_start_matches(['→', '◆', '·', '*', ' ', '（', '(']);
    let types = event_types();
    let says = |event: &&Arc<EventEntry>| {
        let record = event.record();
        let is_said = |text: &str| one_line(text).contains(words);
        !words.is_empty() && (is_said(&record.text) || to_readers(app, &types, &record, is_said))
    };
    let found: Vec<_> = contents.events.iter().filter(says).cloned().collect();
    let mut told: Vec<_> = found.iter().filter(|event| !event.repeats).collect();
    if told.is_empty() {
        told.extend(&found);
    }
    match told.len() {
        0 => Err(usage(text!(cli_no_event_says, words = wanted)).help(list_help())),
        1 => Ok(found),
        count => {
            let first = told.iter().take(MOST_NAMED);
            let ids = Argument::list(first.map(|event| event.id.to_string()));
            let error = usage(text!(cli_many_events_say, words = wanted, count));
            Err(error.help(text!(cli_many_events_help, ids)))
        }
    }
}

/// Whether what readers are told of an event is this, in their language or that of the story.
fn to_readers(
    app: &App,
    types: &EventTypes,
    event: &EventRecord,
    is_said: impl Fn(&str) -> bool,
) -> bool {
    let Some(telling) = types.telling(event) else {
        return false;
    };
    [app.language, Language::En, Language::Zh]
        .into_iter()
        .any(|language| {
            let to = Recipients {
                names: &[],
                language,
            };
            let told = [telling.third_person(&to), telling.line(&to)];
            let mut told = told.into_iter().flatten();
            told.any(|text| is_said(&text.in_language(language)))
        })
}

/// What a character thought as it chose, if this is a choice and the mind said it.
fn thought(saved: &Saved, event: &EventRecord) -> Option<String> {
    let told = |name: &str| event.data.get(name)?.as_str();
    let (actor, question, option) = (told("actor")?, told("question")?, told("option")?);
    let journal = Contents::of_journal(&saved.story.lines);
    let answers = journal.answers().filter_map(|(_, outcome)| {
        let is_it = &*outcome.entity == actor && outcome.asked.contains(question);
        let AskEnding::Answered { text, .. } = outcome.ending.clone() else {
            return None;
        };
        let answer = serde_json::from_str::<Value>(&text)
            .ok()
            .filter(|_| is_it)?;
        let is_chosen = answer.get("option")?.as_str() == Some(option);
        let mind = answer.get("mind")?.as_str()?.trim().to_owned();
        Some(mind).filter(|mind| is_chosen && !mind.is_empty())
    });
    answers.last()
}

fn list<'e>(app: &App, events: impl Iterator<Item = &'e Arc<EventEntry>>) {
    let mut out = app.out();
    let language = app.language;
    for event in events {
        let event = event.record();
        if app.settings.json {
            out.json(&Printed::Event(numbered_event(&event)));
            continue;
        }
        let kind = event_label(&event.kind).in_language(language);
        let heading = Paragraph::indented(0, 2).add(Style::Bold, event.id.to_string());
        let text = event.text.lines().next().unwrap_or_default();
        let turn = say!(language, story_turn, turn = turn_number(event.turn));
        let row = format!(" · {turn} · {kind} · {text}");
        out.paragraph(&heading.plain(row));
    }
}

fn print(
    app: &App,
    saved: &Saved,
    contents: &Contents,
    event: &EventRecord,
    others: &[(&Being, WhyNot)],
) {
    let told: Vec<_> = event
        .audience
        .iter()
        .map(|who| who.name.to_string())
        .collect();
    let place_of = |why: &WhyNot| match why {
        WhyNot::Elsewhere(place) => place.and_then(|place| contents.name_of(place)),
        _ => None,
    };
    let mut out = app.out();
    if app.settings.json {
        let others = others.iter().map(|(other, why)| NotTold {
            id: other.id,
            name: &other.name,
            why: why.name(),
            at: place_of(why),
        });
        return out.json(&Printed::Why {
            event: numbered_event(event),
            told,
            not_told: others.collect(),
        });
    }
    let language = app.language;
    // A place learns what happens in it; nobody asks why another did not.
    let others = others.iter().filter(|(other, _)| other.kind != Kind::Stage);
    let others = others.map(|(other, why)| {
        let (who, why) = (&*other.name, reason(*why, place_of(why)));
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
    if let Some(thought) = thought(saved, event) {
        let row = Paragraph::indented(0, 2).add(Style::Dim, say!(language, cli_why_chosen));
        let row = row.plain(say!(language, cli_colon));
        out.paragraph(&row.plain(one_line(&thought)));
    }
    for act in &event.guarded {
        out.line(guard_note(act).in_language(language));
    }
}

/// Why an entity was not told, for people.
fn reason(why: WhyNot, place: Option<Arc<str>>) -> UiText {
    match (why, place) {
        (WhyNot::Elsewhere(_), Some(place)) => text!(cli_why_not_at, place = &*place),
        (WhyNot::Elsewhere(_) | WhyNot::Later, _) => text!(cli_why_not_elsewhere),
        (WhyNot::LeftOut, _) => text!(cli_why_not_left_out),
        (WhyNot::NotNamed, _) => text!(cli_why_not_named),
        (WhyNot::Private, _) => text!(cli_why_not_private),
        (WhyNot::Dead, _) => text!(cli_why_not_dead),
        (WhyNot::Withheld | WhyNot::Own, _) => text!(cli_why_not_withheld),
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
