//! `config`: every setting and where it comes from; of keys only whether they are set.

use crate::cli::prelude::*;
use crate::message::Price;
use crate::mind::models::{ModelSummary, SettingSource, ToolServerSummary};

/// Prints the settings, then the models, then the tool servers.
pub(super) fn config(app: &App) -> Result<()> {
    let language = app.language;
    let models = app.models()?;
    let (models, servers) = (models.summaries(), models.server_summaries());
    let settings = app.settings.rows();
    let mut out = app.out();
    if app.settings.json {
        for (setting, value, origin) in settings {
            let from = origin.text().to_string();
            out.json(&Printed::Setting {
                setting,
                value,
                from,
            });
        }
        for model in &models {
            out.json(&match model {
                Ok(model) => Printed::Configured(model),
                Err(error) => Printed::Misconfigured {
                    error: error.to_string(),
                },
            });
        }
        for server in &servers {
            out.json(&Printed::ConfiguredServer(server));
        }
        return Ok(());
    }
    let settings = settings.into_iter().map(|(setting, value, origin)| {
        [setting.into(), value, origin.text().in_language(language)]
    });
    let columns = columns!(language, < cli_setting, < cli_value, < cli_from);
    TextTable::of(columns, settings).write(&mut out);
    out.paragraph(&Paragraph::blank());
    let mut errors = Vec::new();
    let models = models.into_iter();
    let models = models.filter_map(|model| model.map_err(|error| errors.push(error)).ok());
    let columns = columns!(
        language, < cli_name, < cli_model, < cli_server, < cli_key, < cli_price
    );
    TextTable::of(columns, models.map(|model| model_row(language, model))).write(&mut out);
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
    let price = price.map_or_else(
        || say!(language, cli_unknown),
        |price| shown(language, price),
    );
    let server = with_variable(row.base_url, Some(&row.base_url_from));
    let key = with_variable(key_state(language, row.key), row.key_from.as_ref());
    [row.alias, row.model, server, key, price]
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
    let rows = servers.into_iter().map(|row| {
        let tools = if row.tools.is_empty() {
            say!(language, cli_all)
        } else {
            say!(language, cli_list, items = Argument::list(row.tools))
        };
        let token = with_variable(key_state(language, row.token), row.token_from.as_ref());
        [row.server, row.place, token, tools]
    });
    let columns = columns!(language, < cli_tool_server, < cli_at, < cli_key, < cli_tools);
    TextTable::of(columns, rows)
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
