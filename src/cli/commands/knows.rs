//! Who knows a fact and from whom, and what an entity knows.

use crate::cli::prelude::*;
use std::sync::Arc;

use crate::cast::{Gone, turn_number};
use crate::drama::Promise;
use crate::knowledge::{Fact, Known};
use crate::rpg::CampaignPicture;
use crate::rpg::world_file::instead_of;

use crate::cli::labels::gone_label;
use crate::cli::saved::{Being, Saved, WorldState, being};

/// How many of the last messages about an entity are shown.
const LAST_HEARD: usize = 10;

/// Prints all facts, and how many know each.
pub(super) fn facts(app: &App, slot: &str) -> Result<()> {
    let state = Saved::find(app, slot)?.contents()?.state;
    let language = app.language;
    let columns = columns!(language, < cli_knows_fact, < cli_knows_title, > cli_knows_known_by);
    let known_by = |fact: &Fact| state.who_knows(&fact.id).count();
    let json = |fact: &&Arc<Fact>| {
        json!(Printed::Fact {
            fact: &fact.id,
            title: &fact.title,
            everyone: fact.is_common(),
            known_by: Some(known_by(fact)),
        })
    };
    app.list(columns, state.facts.value.all(), json, |fact| {
        let known_by = match fact.is_common() {
            true => say!(language, cli_knows_all),
            false => known_by(fact).to_string(),
        };
        [fact.id.clone(), fact.title.clone(), known_by]
    });
    Ok(())
}

/// Prints everybody who knows anything, and how many facts.
pub(super) fn knowers(app: &App, slot: &str) -> Result<()> {
    let state = Saved::find(app, slot)?.contents()?.state;
    let columns = columns!(app.language, < cli_name, > cli_knows_facts);
    let facts = |being: &Being| state.known_by(being).count();
    let knowers = state.beings.iter().filter(|being| facts(being) > 0);
    let json = |being: &&Being| {
        json!(Printed::Knower {
            id: being.id,
            name: &being.name,
            facts: facts(being),
        })
    };
    app.list(columns, knowers, json, |being| {
        [being.name.to_string(), facts(being).to_string()]
    });
    Ok(())
}

/// Prints who knows a fact, since when, and the chain back to its source.
pub(super) fn who(app: &App, slot: &str, fact: &str) -> Result<()> {
    let state = Saved::find(app, slot)?.contents()?.state;
    let fact = find_fact(&state, fact)?;
    let mut rows: Vec<_> = state.who_knows(&fact.id).collect();
    // Those who knew it first are first.
    rows.sort_by_key(|(_, known)| known.turn);
    let (language, everyone) = (app.language, fact.is_common());
    if app.settings.json {
        app.out().json(&Printed::Fact {
            fact: &fact.id,
            title: &fact.title,
            everyone: fact.is_common(),
            known_by: None,
        });
    } else {
        app.out().line(format!("{} · {}", fact.id, fact.title));
        if everyone {
            app.out().line(say!(language, cli_knows_everyone));
            return Ok(());
        }
    }
    let columns = columns!(
        language, < cli_knows_who, < cli_knows_since, < cli_knows_from, < cli_knows_event
    );
    let json = |(being, known): &(&Being, &Known)| {
        known_record(&state, &being.name, fact, known, Some(being.gone))
    };
    app.list(columns, rows, json, |(being, known)| {
        let gone = being.gone.map(|how| gone_label(how).in_language(language));
        [
            std::iter::once(being.name.to_string())
                .chain(gone)
                .collect::<Vec<_>>()
                .join(" · "),
            since(language, known),
            shown(&state.sources(&fact.id, known)),
            known.event.to_string(),
        ]
    });
    Ok(())
}

/// Prints what an entity knows, and from whom.
pub(super) fn knows(app: &App, slot: &str, name: &str) -> Result<()> {
    let state = Saved::find(app, slot)?.contents()?.state;
    let being = being(&state, name)?;
    let (facts, held) = (&state.facts.value, &being.knowledge.value);
    let language = app.language;
    let columns = columns!(
        language, < cli_knows_fact, < cli_knows_title, < cli_knows_since, < cli_knows_from,
        < cli_knows_event
    );
    let json = |(fact, known): &(&Arc<Fact>, &Known)| {
        let mut row = known_record(&state, name, fact, known, None);
        let denials = facts.denials(fact, held);
        row["denies"] = denials.map(|denial| json!(denial.id)).collect();
        row
    };
    app.list(columns, state.known_by(being), json, |(fact, known)| {
        let denials = facts.denials(fact, held).map(|denial| {
            let title = &denial.title;
            say!(language, cli_knows_denies, title)
        });
        [
            fact.id.clone(),
            std::iter::once(fact.title.clone()).chain(denials).collect(),
            since(language, known),
            shown(&state.sources(&fact.id, known)),
            known.event.to_string(),
        ]
    });
    Ok(())
}

/// Prints what an entity believes of another: the facts about it, how it feels, what was
/// promised between them, and what it saw or heard of them last.
pub(super) fn about(app: &App, slot: &str, name: &str, about: &str) -> Result<()> {
    let state = Saved::find(app, slot)?.contents()?.state;
    let (who, other) = (being(&state, name)?, being(&state, about)?);
    let facts = state.known_by(who).filter(|(fact, _)| fact.tells_of(about));
    let campaign = state.games.get::<CampaignPicture>();
    let of_campaign = |being| campaign.and_then(|campaign| campaign.being(being));
    let mut bonds = of_campaign(who).into_iter().flat_map(|own| &own.bonds);
    let bond = bonds.find(|(to, _)| **to == *about);
    let promises = [(who, name, about), (other, about, name)];
    let promises = promises.iter().flat_map(|(by, from, to)| {
        let promises = of_campaign(by).into_iter().flat_map(|own| &own.promises);
        let promises = promises.filter(|promise| *promise.to == **to);
        promises.map(|promise| (*from, promise))
    });
    let heard = who.heard_of(about, LAST_HEARD);
    let (mut out, language) = (app.out(), app.language);
    if app.settings.json {
        for (fact, known) in facts {
            out.json(&known_record(&state, name, fact, known, None));
        }
        if let Some((_, bond)) = bond {
            out.json(&Printed::Bond {
                name,
                to: about,
                word: &bond.word,
                value: bond.value,
            });
        }
        for (by, promise) in promises {
            let Promise {
                to, words, state, ..
            } = promise;
            out.json(&Printed::Promise {
                name: by,
                to,
                words,
                state: *state,
            });
        }
        for body in heard {
            out.json(&Printed::Heard {
                name,
                about,
                event: body.id().to_string(),
                text: &body.full_text(),
            });
        }
        return Ok(());
    }
    for (fact, known) in facts {
        let (title, event) = (&fact.title, &*known.event);
        let since = since(language, known);
        let heading = match &state.sources(&fact.id, known)[..] {
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
    if let Some((_, bond)) = bond {
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

/// The chain back to the source, in a table; nobody told what was known from the start or found
/// out.
fn shown(sources: &[Arc<str>]) -> String {
    match sources {
        [] => "-".to_owned(),
        sources => sources.join(" ← "),
    }
}

/// Somebody knows a fact; for a list of those who do, with how they have left the story.
fn known_record(
    state: &WorldState,
    name: &str,
    fact: &Fact,
    known: &Known,
    gone: Option<Option<Gone>>,
) -> Value {
    let of_fact = |text: &'_ String| gone.is_none().then(|| text.clone());
    json!(Printed::Known {
        name,
        day: known.day,
        turn: turn_number(known.turn),
        by: &known.by,
        event: &known.event,
        from: state.sources(&fact.id, known),
        fact: of_fact(&fact.id),
        title: of_fact(&fact.title),
        text: of_fact(&fact.text),
        denies: Vec::new(),
        gone,
    })
}

fn since(language: Language, known: &Known) -> String {
    if known.by.is_empty() {
        say!(language, cli_knows_from_start)
    } else {
        say!(language, cli_knows_day, day = known.day)
    }
}

fn find_fact<'s>(state: &'s WorldState, id: &str) -> Result<&'s Fact> {
    let book = &state.facts.value;
    let by_title = || book.all().find(|fact| fact.title == id);
    if let Some(fact) = book.get(id).or_else(by_title) {
        return Ok(fact);
    }
    let error = CommandError::usage(text!(cli_knows_no_fact, id));
    let ids: Vec<_> = book.all().map(|fact| fact.id.as_str()).collect();
    Err(error.help(instead_of(id, ids.into_iter())))
}
