//! `config`: every setting and where it comes from; of keys only whether they are set.

use crate::locale::{Argument, Language, Localize};
use crate::message::Price;
use crate::mind::models::{ModelSummary, SettingSource, ToolServerSummary};
use serde_json::json;

use super::play::joined;
use crate::cli::app::App;
use crate::cli::error::CommandError;
use crate::cli::output::Paragraph;
use crate::cli::say::say;
use crate::cli::tables::{Alignment, TextTable};

/// Prints the settings, then the models, then the tool servers.
pub(super) fn config(app: &App) -> Result<(), CommandError> {
    let language = app.language;
    let models = app.models()?;
    let (models, servers) = (models.summaries(), models.server_summaries());
    let settings = app.settings.rows();
    let mut out = app.out();
    if app.settings.json {
        for (name, value, origin) in settings {
            out.json(&json!({
                "record": "setting", "setting": name, "value": value, "from": origin.text(),
            }));
        }
        for model in &models {
            let model = match model {
                Ok(model) => json!(model),
                Err(error) => json!({"error": error.to_string()}),
            };
            out.json(&joined(vec![json!({"record": "model"}), model]));
        }
        for server in &servers {
            out.json(&joined(vec![
                json!({"record": "tool_server"}),
                json!(server),
            ]));
        }
        return Ok(());
    }
    let heads = [
        say!(language, cli_setting),
        say!(language, cli_value),
        say!(language, cli_from),
    ];
    let mut table = TextTable::new(heads.map(|head| (head, Alignment::Left)));
    for (name, value, origin) in settings {
        table.row([name.into(), value, origin.text().in_language(language)]);
    }
    table.write(&mut out);
    out.paragraph(&Paragraph::blank());
    let heads = [
        say!(language, cli_name),
        say!(language, cli_model),
        say!(language, cli_server),
        say!(language, cli_key),
        say!(language, cli_price),
    ];
    let mut table = TextTable::new(heads.map(|head| (head, Alignment::Left)));
    let mut errors = Vec::new();
    for row in models {
        match row {
            Ok(row) => table.row(model_row(language, row)),
            Err(error) => errors.push(error),
        }
    }
    table.write(&mut out);
    if !servers.is_empty() {
        out.paragraph(&Paragraph::blank());
        table_of_servers(language, servers).write(&mut out);
    }
    for error in errors {
        out.line(error.text().in_language(language));
    }
    Ok(())
}

fn model_row(language: Language, row: ModelSummary) -> [String; 5] {
    let price = row.price.as_ref();
    [
        row.alias,
        row.model,
        with_variable(row.base_url, Some(&row.base_url_from)),
        with_variable(key_state(language, row.key), row.key_from.as_ref()),
        price.map_or_else(
            || say!(language, cli_unknown),
            |price| shown(language, price),
        ),
    ]
}

fn shown(language: Language, price: &Price) -> String {
    let (input, cached, output) = (price.input, price.cached, price.output);
    if input == 0.0 && cached == 0.0 && output == 0.0 {
        return say!(language, cli_free);
    }
    let (unit, date) = (&price.currency, &price.date);
    format!("{input}/{cached}/{output} {unit} ({date})")
}

/// The tool servers, and which of their tools may be called.
fn table_of_servers(language: Language, servers: Vec<ToolServerSummary>) -> TextTable {
    let heads = [
        say!(language, cli_tool_server),
        say!(language, cli_at),
        say!(language, cli_key),
        say!(language, cli_tools),
    ];
    let mut table = TextTable::new(heads.map(|head| (head, Alignment::Left)));
    for row in servers {
        let tools = if row.tools.is_empty() {
            say!(language, cli_all)
        } else {
            say!(language, cli_list, items = Argument::list(row.tools))
        };
        let token = with_variable(key_state(language, row.token), row.token_from.as_ref());
        table.row([row.server, row.place, token, tools]);
    }
    table
}

/// A value, and the environment variable that it comes from, if it does.
fn with_variable(value: String, from: Option<&SettingSource>) -> String {
    match from {
        Some(SettingSource::Environment(variable)) => format!("{value} ← {variable}"),
        _ => value,
    }
}

fn key_state(language: Language, key: &str) -> String {
    match key {
        "set" => say!(language, cli_key_set),
        "missing" => say!(language, cli_key_missing),
        _ => say!(language, cli_none),
    }
}
