//! `doctor`: tests each model with a cheap request, and each tool server.

use crate::locale::{Argument, Language, Localize, UiText};
use crate::mind::http::{KeyState, ProbeReport};
use crate::mind::models::{ModelError, Models};
use crate::tool::servers::{ServerExamination, ServerPlan};
use futures_util::future::{join, join_all};
use serde_json::json;

use super::play::joined;
use crate::cli::app::App;
use crate::cli::error::{CommandError, ErrorKind};
use crate::cli::loader;
use crate::cli::output::{Output, Paragraph, Style};
use crate::cli::say::say;
use crate::cli::settings::IMPROVISER;
use crate::cli::tables::{Alignment, TextTable};

/// Tests one model or tool server, or all of the model file.
pub(super) fn doctor(app: &App, name: Option<&str>) -> Result<(), CommandError> {
    let models = app.models()?;
    let (aliases, servers) = asked_for(&models, name);
    let plans = models.tool_servers(servers.iter().map(String::as_str));
    let plans = plans.map_err(|error| CommandError::of(ErrorKind::Server, &error))?;
    let runtime = super::play::runtime()?;
    let servers = join_all(plans.into_iter().map(ServerPlan::examine));
    let (examined, servers) = runtime.block_on(join(examine(app, &models, &aliases), servers));
    let mut models = Vec::new();
    let mut error = None;
    for examined in examined {
        match examined {
            Ok(model) => models.push(model),
            Err(first) => error = error.or(Some(first)),
        }
    }
    let all_answer = models.iter().all(|model| model.answers == Some(true))
        && servers.iter().all(|server| server.answers);
    print(app, &models, &servers);
    match error {
        Some(error) => Err(CommandError::of(ErrorKind::Server, &error)),
        // Of all models together, some may well not be in use.
        None if all_answer || name.is_none() => Ok(()),
        None => Err(CommandError::printed(ErrorKind::Server)),
    }
}

/// The models and the tool servers to test. If both have the name, the model.
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

async fn examine(
    app: &App,
    models: &Models,
    aliases: &[String],
) -> Vec<Result<ProbeReport, ModelError>> {
    join_all(aliases.iter().map(|alias| examine_one(app, models, alias))).await
}

async fn examine_one(app: &App, models: &Models, alias: &str) -> Result<ProbeReport, ModelError> {
    if alias == IMPROVISER {
        return Ok(improviser(app));
    }
    models.probe(alias).await
}

/// The improviser is in this program and answers unless its grammars have mistakes.
fn improviser(app: &App) -> ProbeReport {
    let mut report = ProbeReport::untried(IMPROVISER, "-", IMPROVISER);
    report.reachable = Some(true);
    report.key = KeyState::NotNeeded;
    report.notes = match loader::teach_improviser(app) {
        Ok(Ok(_)) => Vec::new(),
        Ok(Err(mistakes)) => mistakes.0.iter().map(Localize::text).collect(),
        Err(error) => error.message.into_iter().collect(),
    };
    report.answers = Some(report.notes.is_empty());
    report
}

fn print(app: &App, models: &[ProbeReport], servers: &[ServerExamination]) {
    let language = app.language;
    let mut out = app.out();
    if app.settings.json {
        for model in models {
            out.json(&joined(vec![json!({"record": "model"}), json!(model)]));
        }
        for server in servers {
            out.json(&joined(vec![
                json!({"record": "tool_server"}),
                json!(server),
            ]));
        }
        return;
    }
    if !models.is_empty() {
        table_of_models(language, models).write(&mut out);
    }
    if !servers.is_empty() {
        if !models.is_empty() {
            out.paragraph(&Paragraph::blank());
        }
        table_of_servers(language, servers).write(&mut out);
    }
    for model in models {
        print_notes(language, &mut out, &model.alias, &model.notes);
    }
    for server in servers {
        print_notes(language, &mut out, &server.server, &server.notes);
    }
}

fn print_notes(language: Language, out: &mut Output, name: &str, notes: &[UiText]) {
    for note in notes {
        let row = Paragraph::indented(0, 2).add(Style::Bold, name);
        let row = row.plain(say!(language, cli_colon));
        out.paragraph(&row.plain(note.in_language(language)));
    }
}

fn table_of_servers(language: Language, servers: &[ServerExamination]) -> TextTable {
    let heads = [
        say!(language, cli_tool_server),
        say!(language, cli_at),
        say!(language, cli_answers),
        say!(language, cli_tools),
    ];
    let mut table = TextTable::new(heads.map(|head| (head, Alignment::Left)));
    for row in servers {
        let tools = if row.tools.is_empty() {
            say!(language, cli_none)
        } else {
            say!(language, cli_list, items = Argument::list(&row.tools))
        };
        let answers = yes_or_no(language, row.answers);
        table.row([row.server.clone(), row.place.clone(), answers, tools]);
    }
    table
}

fn table_of_models(language: Language, models: &[ProbeReport]) -> TextTable {
    let heads = [
        say!(language, cli_model),
        say!(language, cli_server),
        say!(language, cli_reachable),
        say!(language, cli_key),
        say!(language, cli_answers),
        say!(language, cli_window),
        say!(language, cli_streaming),
        say!(language, cli_schema),
        say!(language, cli_cache_fields),
        say!(language, cli_milliseconds),
    ];
    let mut table = TextTable::new(heads.map(|head| (head, Alignment::Left)));
    for model in models {
        table.row(row(language, model));
    }
    table
}

fn row(language: Language, model: &ProbeReport) -> [String; 10] {
    let unknown = || "?".to_owned();
    let maybe = |is: Option<bool>| is.map_or_else(unknown, |is| yes_or_no(language, is));
    let number = |number: Option<u64>| number.map_or_else(unknown, |number| number.to_string());
    let key = match model.key {
        KeyState::Accepted => say!(language, cli_yes),
        KeyState::Refused => say!(language, cli_key_refused),
        KeyState::Missing => say!(language, cli_key_missing),
        KeyState::NotNeeded => say!(language, cli_none),
        KeyState::Untried => unknown(),
    };
    let schema = model.schema.as_ref().map(|mode| json!(mode));
    let schema = schema.and_then(|mode| mode.as_str().map(str::to_owned));
    [
        model.alias.clone(),
        model.server.clone(),
        maybe(model.reachable),
        key,
        maybe(model.answers),
        number(model.window),
        maybe(model.streaming),
        schema.unwrap_or_else(unknown),
        maybe(model.cache_fields),
        number(model.latency_ms),
    ]
}

fn yes_or_no(language: Language, is: bool) -> String {
    if is {
        say!(language, cli_yes)
    } else {
        say!(language, cli_no)
    }
}
