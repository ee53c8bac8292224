//! `doctor`: tests each model with a cheap request, and each tool server; or finds out what an
//! unknown server can do.

use crate::cli::prelude::*;
use playhouse_engine::files::{self, Durability, Folder};

use crate::mind::http::{KeyState, ProbeReport};
use crate::mind::models::{ModelError, ModelFile, Models, ServerExamination};
use crate::mind::survey::{Survey, SurveyError, SurveyPlan, survey};
use futures_util::future::{join, join_all};
use std::path::Path;

use crate::cli::args::DoctorArgs;
use crate::cli::env::{random_seed, variable};
use crate::cli::loader;
use crate::cli::servers::examine as examine_server;
use crate::cli::settings::IMPROVISER;
use crate::cli::trust::read_text;

/// Tests one model or tool server, or all of the model file, or finds out what is at a URL.
pub(super) fn doctor(app: &App, args: &DoctorArgs) -> Result<()> {
    let models = app.models()?;
    let name = args.name.as_deref();
    if let Some(url) = name.filter(|name| is_address(name) && !models.has_name(name)) {
        return find_out(app, &models, url, args);
    }
    let of_url = args.model.is_some() || args.key_env.is_some() || args.ca.is_some();
    if of_url || args.write || args.api.is_some() {
        return Err(CommandError::usage(text!(cli_doctor_needs_url)));
    }
    let (aliases, servers) = asked_for(&models, name);
    let plans = models
        .tool_servers(servers.iter().map(String::as_str))
        .or_fail(ErrorKind::Server)?;
    let runtime = super::play::runtime()?;
    let servers = join_all(plans.into_iter().map(examine_server));
    let (examined, servers) = runtime.block_on(join(examine(app, &models, &aliases), servers));
    let mut errors = Vec::new();
    let examined = examined.into_iter();
    let models: Vec<_> = examined
        .filter_map(|model| model.map_err(|error| errors.push(error)).ok())
        .collect();
    let all_answer = models.iter().all(|model| model.answers == Some(true))
        && servers.iter().all(|server| server.answers);
    print(app, &models, &servers);
    match errors.into_iter().next() {
        Some(error) => Err(error.into()),
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
fn find_out(app: &App, models: &Models, url: &str, args: &DoctorArgs) -> Result<()> {
    let key_env = args.key_env.as_deref();
    if let Some(name) = key_env.filter(|name| variable(name).is_none()) {
        let message = text!(cli_doctor_no_key, variable = name);
        return Err(CommandError::usage(message));
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
        return out.json(&Printed::Survey {
            alias,
            model: &found.model,
            findings: &found.findings,
            requests: found.requests,
            usage,
            entry,
        });
    }
    let findings = found.findings.iter().map(|finding| {
        [finding.about(), finding.text.clone()].map(|text| text.in_language(language))
    });
    TextTable::of(columns!(language, < cli_finding, < cli_found), findings).write(&mut out);
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
fn write_entry(app: &App, found: &Survey) -> Result<()> {
    let failed = |error: files::FileError| CommandError::of(ErrorKind::Other, &error);
    let refused = |message| CommandError::usage(message);
    let path = app.own_models_path();
    let path = path.ok_or_else(|| refused(text!(cli_doctor_no_folder)))?;
    // A link stays a link.
    let path = path.canonicalize().unwrap_or(path);
    if let Some(alias) = &found.known_as {
        let message = text!(cli_doctor_known, alias);
        return Err(refused(message).at(&path));
    }
    let text =
        read_text(&path)?.unwrap_or_else(|| "(\n    providers: {},\n    models: {},\n)\n".into());
    let known = ModelFile::built_in();
    let added = known
        .and_then(|known| found.entry.added_to(&text, app.language, &known))?
        .ok_or_else(|| refused(text!(cli_doctor_by_hand)).at(&path))?;
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
    join_all(aliases.iter().map(|alias| async move {
        match alias.as_str() {
            IMPROVISER => Ok(improviser(app)),
            alias => models.probe(alias).await,
        }
    }))
    .await
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
            out.json(&Printed::Model(model));
        }
        for server in servers {
            out.json(&Printed::ToolServer(server));
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
    let rows = servers.iter().map(|row| {
        let tools = if row.tools.is_empty() {
            say!(language, cli_none)
        } else {
            say!(language, cli_list, items = Argument::list(&row.tools))
        };
        let answers = yes_or_no(language, row.answers);
        [row.server.clone(), row.place.clone(), answers, tools]
    });
    let columns = columns!(language, < cli_tool_server, < cli_at, < cli_answers, < cli_tools);
    TextTable::of(columns, rows)
}

fn table_of_models(language: Language, models: &[ProbeReport]) -> TextTable {
    let columns = columns!(
        language, < cli_model, < cli_server, < cli_reachable, < cli_key, < cli_answers,
        < cli_window, < cli_streaming, < cli_schema, < cli_cache_fields, < cli_milliseconds
    );
    TextTable::of(columns, models.iter().map(|model| row(language, model)))
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
    let schema = schema.as_ref().and_then(Value::as_str).map(str::to_owned);
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
