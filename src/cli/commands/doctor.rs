//! `doctor`: tests each model with a cheap request, and each tool server; or finds out what an
//! unknown server can do.

use playhouse_engine::files::{self, Durability, Folder};

use crate::locale::{Argument, Language, Localize, UiText, text};
use crate::mind::http::{KeyState, ProbeReport};
use crate::mind::models::{ModelError, ModelFile, Models, ServerExamination};
use crate::mind::survey::{Survey, SurveyError, SurveyPlan, survey};
use futures_util::future::{join, join_all};
use serde_json::json;
use std::path::Path;

use super::play::joined;
use crate::cli::app::App;
use crate::cli::args::DoctorArgs;
use crate::cli::env::{random_seed, variable};
use crate::cli::error::{CommandError, ErrorKind};
use crate::cli::loader;
use crate::cli::output::{Output, Paragraph, Style};
use crate::cli::say::say;
use crate::cli::servers::examine as examine_server;
use crate::cli::settings::IMPROVISER;
use crate::cli::tables::{Alignment, TextTable};
use crate::cli::trust::read_text;

/// Tests one model or tool server, or all of the model file, or finds out what is at a URL.
pub(super) fn doctor(app: &App, args: &DoctorArgs) -> Result<(), CommandError> {
    let models = app.models()?;
    let name = args.name.as_deref();
    if let Some(url) = name.filter(|name| is_address(name) && !models.has_name(name)) {
        return find_out(app, &models, url, args);
    }
    let of_url = [&args.model, &args.key_env]
        .iter()
        .any(|given| given.is_some());
    if of_url || args.write || args.api.is_some() || args.ca.is_some() {
        let message = text!(cli_doctor_needs_url);
        return Err(CommandError::new(ErrorKind::Usage, message));
    }
    let (aliases, servers) = asked_for(&models, name);
    let plans = models.tool_servers(servers.iter().map(String::as_str));
    let plans = plans.map_err(|error| CommandError::of(ErrorKind::Server, &error))?;
    let runtime = super::play::runtime()?;
    let servers = join_all(plans.into_iter().map(examine_server));
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

/// Whether a name is that of a place: a URL, or a host with a port.
fn is_address(name: &str) -> bool {
    let host = name.split('/').next().unwrap_or_default();
    let port = host.rsplit_once(':').map(|(_, port)| port);
    name.contains("://") || port.is_some_and(|port| port.parse::<u16>().is_ok())
}

/// Finds out what the server at a URL can do, and makes an entry for the model file of it.
fn find_out(app: &App, models: &Models, url: &str, args: &DoctorArgs) -> Result<(), CommandError> {
    let key_env = args.key_env.as_deref();
    if let Some(name) = key_env.filter(|name| variable(name).is_none()) {
        let message = text!(cli_doctor_no_key, variable = name);
        return Err(CommandError::new(ErrorKind::Usage, message));
    }
    let plan = SurveyPlan {
        url,
        model: args.model.as_deref(),
        key_env,
        api: args.api,
        ca: args.ca.as_deref(),
        known: models,
        env: &variable,
        seed: random_seed(),
    };
    let progress = |what: UiText| {
        if !app.settings.quiet {
            let tried = say!(app.language, cli_doctor_trying, what);
            app.err().paragraph(&Paragraph::of(Style::Dim, tried));
        }
    };
    let found = super::play::runtime()?.block_on(survey(&plan, &progress));
    let found = found.map_err(|error| match error {
        SurveyError::ChooseModel(_) => CommandError::of(ErrorKind::Usage, &error),
        error => CommandError::of(ErrorKind::Server, &error).at(url),
    })?;
    print_findings(app, &found);
    if !found.reads_all {
        let message = text!(cli_doctor_unread);
        return Err(CommandError::new(ErrorKind::Server, message).at(url));
    }
    if args.write {
        write_entry(app, &found)?;
    }
    Ok(())
}

fn print_findings(app: &App, found: &Survey) {
    let (language, mut out) = (app.language, app.out());
    let entry = found.entry.file(language);
    let (alias, usage) = (found.entry.alias.as_str(), found.usage);
    if app.settings.json {
        return out.json(&json!({
            "record": "survey", "alias": alias, "model": found.model, "findings": found.findings,
            "requests": found.requests, "usage": usage, "entry": entry,
        }));
    }
    let heads = [say!(language, cli_finding), say!(language, cli_found)];
    let mut table = TextTable::new(heads.map(|head| (head, Alignment::Left)));
    for finding in &found.findings {
        let about = finding.about().in_language(language);
        table.row([about, finding.text.in_language(language)]);
    }
    table.write(&mut out);
    let (read, written, requests) = (usage.input, usage.output, found.requests);
    let cost = say!(language, cli_doctor_cost, requests, read, written);
    out.paragraph(&Paragraph::blank());
    out.paragraph(&Paragraph::of(Style::Dim, cost));
    let works = say!(language, cli_doctor_entry, alias);
    out.paragraph(&Paragraph::of(Style::Plain, works));
    out.paragraph(&Paragraph::blank());
    entry.lines().for_each(|line| out.line(line));
}

/// Adds the entry to the user's own model file.
fn write_entry(app: &App, found: &Survey) -> Result<(), CommandError> {
    let failed = |error: files::FileError| CommandError::of(ErrorKind::Other, &error);
    let refused = |message| CommandError::new(ErrorKind::Usage, message);
    let path = app.own_models_path();
    let path = path.ok_or_else(|| refused(text!(cli_doctor_no_folder)))?;
    // Whoever keeps it elsewhere keeps the link.
    let path = path.canonicalize().unwrap_or(path);
    if let Some(alias) = &found.known_as {
        let message = text!(cli_doctor_known, alias);
        return Err(refused(message).at(&path));
    }
    let text =
        read_text(&path)?.unwrap_or_else(|| "(\n    providers: {},\n    models: {},\n)\n".into());
    let known = ModelFile::built_in();
    let added = known.and_then(|known| found.entry.added_to(&text, app.language, &known));
    let added = added.map_err(|error| CommandError::of(ErrorKind::Server, &error))?;
    let added = added.ok_or_else(|| refused(text!(cli_doctor_by_hand)).at(&path))?;
    let parent = path.parent().filter(|parent| *parent != Path::new(""));
    let folder = Folder::open_or_create(parent.unwrap_or(Path::new("."))).map_err(failed)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let written = folder.replace(&name, added.as_bytes(), Durability::Synced);
    written.map_err(failed)?;
    if app.prints_text() {
        let (file, alias) = (&path, found.entry.alias.as_str());
        let said = say!(app.language, cli_doctor_written, file, alias);
        app.err().paragraph(&Paragraph::of(Style::Good, said));
    }
    Ok(())
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
