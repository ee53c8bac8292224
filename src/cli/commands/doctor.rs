//! `doctor`: one cheap question to each configured model, a look at each server of tools, and what they show.

use futures_util::future::{join, join_all};
use playhouse::mind::http::{KeyState, ProbeReport};
use playhouse::mind::models::{ModelError, Models};
use playhouse::tool::servers::{ServerExamination, ServerPlan};
use serde_json::json;

use crate::cli::app::App;
use crate::cli::error::{Failure, Fault};
use crate::cli::output::{Ink, Page, Paragraph};
use crate::cli::tables::{Side, Table};
use crate::cli::words::Words;

/// Examines one model or server of tools, or all of the model file.
pub(super) fn doctor(app: &App, name: Option<&str>) -> Result<(), Failure> {
    let models = app.models()?;
    let (aliases, servers) = asked_for(&models, name);
    let plans = models.tool_servers(servers.iter().map(String::as_str));
    let plans = plans.map_err(|error| Failure::of(Fault::Server, &error))?;
    let runtime = super::play::runtime()?;
    let looking = join_all(plans.into_iter().map(ServerPlan::examine));
    let (found, servers) = runtime.block_on(join(examine(&models, &aliases), looking));
    let (found, wrong): (Vec<_>, Vec<_>) = found.into_iter().partition(Result::is_ok);
    let found: Vec<_> = found.into_iter().filter_map(Result::ok).collect();
    let healthy = found.iter().all(|one| one.answers) && servers.iter().all(|one| one.answers);
    tell(app, &found, &servers);
    match wrong.into_iter().find_map(Result::err) {
        Some(error) => Err(Failure::of(Fault::Server, &error)),
        // Of all together, some may well be out of use.
        None if healthy || name.is_none() => Ok(()),
        None => Err(Failure::told(Fault::Server)),
    }
}

/// The models and the servers of tools that are meant. A name of both is the model's.
fn asked_for(models: &Models, name: Option<&str>) -> (Vec<String>, Vec<String>) {
    let servers = || models.server_names().map(str::to_owned);
    match name {
        None => (
            models.aliases().map(str::to_owned).collect(),
            servers().collect(),
        ),
        Some(name)
            if !models.aliases().any(|alias| alias == name)
                && servers().any(|server| server == name) =>
        {
            (Vec::new(), vec![name.to_owned()])
        }
        Some(name) => (vec![name.to_owned()], Vec::new()),
    }
}

async fn examine(models: &Models, aliases: &[String]) -> Vec<Result<ProbeReport, ModelError>> {
    join_all(aliases.iter().map(|alias| models.probe(alias))).await
}

fn tell(app: &App, models: &[ProbeReport], servers: &[ServerExamination]) {
    let words = app.words;
    let mut out = app.out();
    if app.settings.json {
        return out.pretty_json(&json!({"models": models, "servers": servers}));
    }
    if !models.is_empty() {
        table_of_models(words, models).write(&mut out);
    }
    if !servers.is_empty() {
        if !models.is_empty() {
            out.paragraph(&Paragraph::blank());
        }
        table_of_servers(words, servers).write(&mut out);
    }
    for one in models {
        let notes = one.notes.iter().map(|note| note.in_language(words.0));
        tell_notes(words, &mut out, &one.alias, notes);
    }
    for one in servers {
        let notes = one.notes.iter().map(|note| words.error_text(note));
        tell_notes(words, &mut out, &one.server, notes);
    }
}

fn tell_notes(words: Words, out: &mut Page, name: &str, notes: impl Iterator<Item = String>) {
    for note in notes {
        let name = Paragraph::indented(0, 2).add(Ink::Bold, name);
        out.paragraph(&name.plain(words.colon()).plain(note));
    }
}

fn table_of_servers(words: Words, found: &[ServerExamination]) -> Table {
    let heads = [
        words.tool_server(),
        words.place(),
        words.answers(),
        words.tools(),
    ];
    let mut table = Table::new(heads.map(|head| (head, Side::Left)));
    for one in found {
        let tools = match one.tools.is_empty() {
            true => words.none(),
            false => one.tools.join(&words.comma()),
        };
        let answers = if one.answers { words.yes() } else { words.no() };
        table.row([one.server.clone(), one.place.clone(), answers, tools]);
    }
    table
}

fn table_of_models(words: Words, found: &[ProbeReport]) -> Table {
    let heads = [
        words.model(),
        words.server(),
        words.reachable(),
        words.key(),
        words.answers(),
        words.window(),
        words.streaming(),
        words.schema(),
        words.cache_fields(),
        words.milliseconds(),
    ];
    let mut table = Table::new(heads.map(|head| (head, Side::Left)));
    for one in found {
        table.row(row(words, one));
    }
    table
}

fn row(words: Words, one: &ProbeReport) -> Vec<String> {
    let sure = |is: bool| if is { words.yes() } else { words.no() };
    let maybe = |is: Option<bool>| is.map_or_else(|| words.unknown(), sure);
    let number = |number: Option<u64>| number.map_or_else(|| words.unknown(), |n| n.to_string());
    let key = match one.key {
        KeyState::Accepted => words.yes(),
        KeyState::Refused => words.key_refused(),
        KeyState::Missing => words.key_missing(),
        KeyState::NotNeeded => words.none(),
        KeyState::Untried => words.unknown(),
    };
    let schema = one.schema.as_ref().map(|mode| serde_json::json!(mode));
    let schema = schema.and_then(|mode| mode.as_str().map(str::to_owned));
    vec![
        one.alias.clone(),
        one.server.clone(),
        sure(one.reachable),
        key,
        sure(one.answers),
        number(one.window),
        maybe(one.streaming),
        schema.unwrap_or_else(|| words.unknown()),
        maybe(one.cache_fields),
        number(one.latency_ms),
    ]
}
