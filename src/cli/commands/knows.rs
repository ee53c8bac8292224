//! `who` and `knows`: who knows a fact and from whom, and what somebody knows.

use std::collections::BTreeSet;

use playhouse_engine::wording::nearest;

use crate::cast::{CastList, EntityName, turn_number};
use crate::context::{AgentContext, Chapters};
use crate::drama::{Bonds, Promise, Promises};
use crate::knowledge::{Fact, FactBook, Knowledge, Known};
use crate::locale::{Language, text};
use crate::message::{Body, Role};
use bevy_ecs::prelude::*;
use serde_json::{Value, json};

use crate::cli::app::App;
use crate::cli::error::{CommandError, ErrorKind};
use crate::cli::output::Paragraph;
use crate::cli::saved::{Saved, entity};
use crate::cli::say::say;
use crate::cli::tables::{Alignment, TextTable};

/// How many of the last messages that tell of somebody are shown.
const LAST_HEARD: usize = 10;

/// Prints who knows a fact, since when, and the chain back to its source.
pub(super) fn who(app: &App, slot: &str, fact: &str) -> Result<(), CommandError> {
    let setup = Saved::find(app, slot)?.world(true)?;
    let world = &setup.world;
    let fact = find_fact(world, fact)?;
    let mut rows = Vec::new();
    for (_, entity) in world.resource::<CastList>().all() {
        let known = world
            .get::<Knowledge>(entity)
            .and_then(|knowledge| knowledge.get(&fact.id));
        if let (Some(name), Some(known)) = (world.get::<EntityName>(entity), known) {
            rows.push((
                name.to_string(),
                known.clone(),
                chain(world, &fact.id, known),
            ));
        }
    }
    // Those who knew it first are first.
    rows.sort_by_key(|(_, known, _)| known.turn);
    let mut out = app.out();
    if app.settings.json {
        let everyone = fact.is_common();
        out.json(&json!({
            "record": "fact", "fact": fact.id, "title": fact.title, "everyone": everyone,
        }));
        for (name, known, chain) in &rows {
            out.json(&row(name, known, chain));
        }
        return Ok(());
    }
    let language = app.language;
    out.line(format!("{} · {}", fact.id, fact.title));
    if fact.is_common() {
        out.line(say!(language, cli_knows_everyone));
        return Ok(());
    }
    let heads = [
        say!(language, cli_knows_who),
        say!(language, cli_knows_since),
        say!(language, cli_knows_from),
        say!(language, cli_knows_event),
    ];
    let mut table = TextTable::new(heads.map(|head| (head, Alignment::Left)));
    for (name, known, chain) in rows {
        table.row([
            name,
            since(language, &known),
            shown(&chain),
            known.event.to_string(),
        ]);
    }
    table.write(&mut out);
    Ok(())
}

/// Prints what somebody knows, and from whom.
pub(super) fn knows(app: &App, slot: &str, name: &str) -> Result<(), CommandError> {
    let setup = Saved::find(app, slot)?.world(true)?;
    let world = &setup.world;
    let entity = entity(world, name)?;
    let book = world.resource::<FactBook>();
    let knowledge = world.get::<Knowledge>(entity);
    let known = |fact: &Fact| {
        knowledge
            .and_then(|knowledge| knowledge.get(&fact.id))
            .cloned()
    };
    let facts = book.all().filter_map(|fact| Some((fact, known(fact)?)));
    let denials = |fact| {
        let denials = knowledge.map(|knowledge| book.denials(fact, knowledge));
        denials.into_iter().flatten()
    };
    let mut out = app.out();
    if app.settings.json {
        for (fact, known) in facts {
            let mut row = row_of_fact(world, name, fact, &known);
            row["denies"] = json!(
                denials(fact)
                    .map(|denial| denial.id.clone())
                    .collect::<Vec<_>>()
            );
            out.json(&row);
        }
        return Ok(());
    }
    let language = app.language;
    let heads = [
        say!(language, cli_knows_fact),
        say!(language, cli_knows_title),
        say!(language, cli_knows_since),
        say!(language, cli_knows_from),
        say!(language, cli_knows_event),
    ];
    let mut table = TextTable::new(heads.map(|head| (head, Alignment::Left)));
    for (fact, known) in facts {
        let from = shown(&chain(world, &fact.id, &known));
        let denials = denials(fact).map(|denial| {
            let title = &denial.title;
            say!(language, cli_knows_denies, title)
        });
        table.row([
            fact.id.clone(),
            std::iter::once(fact.title.clone()).chain(denials).collect(),
            since(language, &known),
            from,
            known.event.to_string(),
        ]);
    }
    table.write(&mut out);
    Ok(())
}

/// Prints what somebody believes of somebody else: the facts about them, how it feels, what was
/// promised between them, and what it saw or heard of them last.
pub(super) fn about(app: &App, slot: &str, name: &str, about: &str) -> Result<(), CommandError> {
    let setup = Saved::find(app, slot)?.world(true)?;
    let world = &setup.world;
    let (who, other) = (entity(world, name)?, entity(world, about)?);
    let book = world.resource::<FactBook>();
    let knowledge = world.get::<Knowledge>(who);
    let facts = book.all().filter(|fact| fact.tells_of(about));
    let facts = facts.filter_map(|fact| Some((fact, knowledge?.get(&fact.id)?.clone())));
    let bond = world.get::<Bonds>(who).and_then(|bonds| bonds.0.get(about));
    let promises = [(who, name, about), (other, about, name)];
    let promises = promises.iter().flat_map(|(by, from, to)| {
        let promises = world
            .get::<Promises>(*by)
            .into_iter()
            .flat_map(|promises| &promises.0);
        let promises = promises.filter(|promise| *promise.to == **to);
        promises.map(|promise| (*from, promise))
    });
    let heard = heard_of(world, who, about);
    let (mut out, language) = (app.out(), app.language);
    if app.settings.json {
        for (fact, known) in facts {
            out.json(&row_of_fact(world, name, fact, &known));
        }
        if let Some(bond) = bond {
            let (word, value) = (&bond.word, bond.value);
            out.json(&json!({
                "record": "bond", "name": name, "to": about, "word": word, "value": value,
            }));
        }
        for (by, promise) in promises {
            let Promise { to, words, state } = promise;
            out.json(&json!({
                "record": "promise", "name": by, "to": to, "words": words, "state": state,
            }));
        }
        for body in heard {
            out.json(&json!({
                "record": "heard", "name": name, "about": about, "event": body.id(),
                "text": body.full_text(),
            }));
        }
        return Ok(());
    }
    for (fact, known) in facts {
        let (title, event) = (&fact.title, &*known.event);
        let since = since(language, &known);
        let heading = match &chain(world, &fact.id, &known)[..] {
            [] if event.is_empty() => say!(language, cli_knows_about_start, title, since),
            [] => say!(language, cli_knows_about_found, title, since, event),
            from => say!(
                language,
                cli_knows_about,
                title,
                since,
                from = shown(from),
                event
            ),
        };
        out.paragraph(&Paragraph::indented(0, 2).plain(heading));
        out.paragraph(&Paragraph::indented(2, 2).plain(&fact.text));
    }
    if let Some(bond) = bond {
        let (word, value) = (&*bond.word, bond.value);
        out.line(say!(language, cli_knows_feels, about, word, value));
    }
    for (by, promise) in promises {
        let (to, words) = (&*promise.to, &*promise.words);
        let promise = say!(language, cli_knows_promise, by, to, words);
        out.paragraph(&Paragraph::indented(0, 2).plain(promise));
    }
    if !heard.is_empty() {
        out.line(say!(language, cli_knows_heard));
        for body in heard {
            let text = body.full_text().replace('\n', " ");
            let row = Paragraph::indented(2, 4).plain(format!("{} · {text}", body.id()));
            out.paragraph(&row);
        }
    }
    Ok(())
}

/// The last events that somebody got from somebody else, or that name them, oldest first; also
/// those that are in chapters. Questions are not events, and summaries are not news.
fn heard_of<'w>(world: &'w World, who: Entity, about: &str) -> Vec<&'w Body> {
    let chapters = world.get::<Chapters>(who).into_iter();
    let chapters = chapters.flat_map(Chapters::all);
    let past = chapters.clone().flat_map(|chapter| &chapter.messages);
    let past = past.map(|held| (held.message.role, &held.message.body));
    let context = world.get::<AgentContext>(who).into_iter();
    let now = context.flat_map(AgentContext::entries);
    let now = now.map(|entry| (entry.role(), entry.body()));
    let summaries: BTreeSet<_> = chapters.map(|chapter| chapter.summary.id()).collect();
    let heard = past.chain(now).filter(|(role, body)| {
        let is_event = body
            .metadata()
            .is_some_and(|metadata| metadata.contains_key("event"));
        let is_by = body.sender().is_some_and(|by| **by == *about);
        let is_news = *role == Role::Human && is_event && !summaries.contains(&body.id());
        is_news && (is_by || body.full_text().contains(about))
    });
    let heard: Vec<_> = heard.map(|(_, body)| body).collect();
    let older = heard.len().saturating_sub(LAST_HEARD);
    heard.into_iter().skip(older).collect()
}

/// From whom somebody knows a fact, then from whom that one knows it, back to the source.
fn chain(world: &World, fact: &str, known: &Known) -> Vec<String> {
    let mut chain = Vec::new();
    let mut next = known.from.clone();
    while let Some(from) = next {
        if chain.contains(&from.to_string()) {
            break;
        }
        let entity = world.resource::<CastList>().by_name(&from);
        chain.push(from.to_string());
        let known = entity.and_then(|entity| world.get::<Knowledge>(entity)?.get(fact));
        next = known.and_then(|known| known.from.clone());
    }
    chain
}

/// The chain in a table; nobody told what was known from the start or found out.
fn shown(chain: &[String]) -> String {
    match chain {
        [] => "-".to_owned(),
        chain => chain.join(" ← "),
    }
}

/// A fact that somebody knows, as JSON.
fn row_of_fact(world: &World, name: &str, fact: &Fact, known: &Known) -> Value {
    let mut row = row(name, known, &chain(world, &fact.id, known));
    row["fact"] = json!(fact.id);
    row["title"] = json!(fact.title);
    row["text"] = json!(fact.text);
    row
}

fn since(language: Language, known: &Known) -> String {
    if known.by.is_empty() {
        say!(language, cli_knows_from_start)
    } else {
        let turn = turn_number(known.turn);
        say!(language, cli_knows_day, day = known.day, turn)
    }
}

fn row(name: &str, known: &Known, chain: &[String]) -> Value {
    json!({
        "record": "known",
        "name": name,
        "day": known.day,
        "turn": turn_number(known.turn),
        "by": known.by,
        "event": known.event,
        "from": chain,
    })
}

fn find_fact(world: &World, id: &str) -> Result<Fact, CommandError> {
    let book = world.resource::<FactBook>();
    let by_title = || book.all().find(|fact| fact.title == id);
    if let Some(fact) = book.get(id).or_else(by_title) {
        return Ok(Fact::clone(fact));
    }
    let error = CommandError::new(ErrorKind::Usage, text!(cli_knows_no_fact, id));
    Err(match nearest(id, book.all().map(|fact| fact.id.as_str())) {
        Some(near) => error.help(text!(drama_did_you_mean, near)),
        None => error,
    })
}
