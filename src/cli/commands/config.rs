//! `config`: every setting and where it came from; of keys only whether they are set.

use playhouse::locale::Localize;
use playhouse::mind::models::{SettingSource, ToolServerSummary};
use serde_json::json;

use crate::cli::app::App;
use crate::cli::error::Failure;
use crate::cli::output::Paragraph;
use crate::cli::tables::{Side, Table};
use crate::cli::words::Words;

/// Shows the settings, then the models, then the servers of tools.
pub(super) fn config(app: &App) -> Result<(), Failure> {
    let words = app.words;
    let models = app.models()?;
    let (models, servers) = (models.summaries(), models.server_summaries());
    let settings = app.settings.rows();
    let mut out = app.out();
    if app.settings.json {
        let settings = settings.iter().map(|(name, value, origin)| {
            json!({"setting": name, "value": value, "from": origin.shown(words)})
        });
        let models = models.iter().map(|row| match row {
            Ok(row) => json!(row),
            Err(error) => json!({"error": error.to_string()}),
        });
        let (settings, models): (Vec<_>, Vec<_>) = (settings.collect(), models.collect());
        out.pretty_json(&json!({"settings": settings, "models": models, "servers": servers}));
        return Ok(());
    }
    let heads = [words.setting(), words.value(), words.origin()];
    let mut table = Table::new(heads.map(|head| (head, Side::Left)));
    for (name, value, origin) in settings {
        table.row([name.into(), value, origin.shown(words)]);
    }
    table.write(&mut out);
    out.paragraph(&Paragraph::blank());
    let heads = [
        words.model(),
        words.value(),
        words.server(),
        words.key(),
        words.price(),
    ];
    let mut table = Table::new(heads.map(|head| (head, Side::Left)));
    let mut wrong = Vec::new();
    for row in models {
        match row {
            Ok(row) => {
                let key = key_and_origin(words, row.key, row.key_from.as_ref());
                let from = |source: &SettingSource| source.text().in_language(words.0);
                let price = row.price.as_ref().map_or_else(
                    || words.unknown_price(),
                    |price| {
                        let (input, cached, output) = (price.input, price.cached, price.output);
                        let (unit, date) = (&price.currency, &price.date);
                        format!("{input}/{cached}/{output} {unit} ({date})")
                    },
                );
                table.row([
                    row.alias,
                    format!("{} ← {}", row.model, from(&row.model_from)),
                    format!("{} ← {}", row.base_url, from(&row.base_url_from)),
                    key,
                    price,
                ]);
            }
            Err(error) => wrong.push(error),
        }
    }
    table.write(&mut out);
    if !servers.is_empty() {
        out.paragraph(&Paragraph::blank());
        table_of_servers(words, servers).write(&mut out);
    }
    for error in wrong {
        out.line(error.text().in_language(words.0));
    }
    Ok(())
}

/// The servers of tools and what of them may be called.
fn table_of_servers(words: Words, servers: Vec<ToolServerSummary>) -> Table {
    let heads = [
        words.tool_server(),
        words.place(),
        words.key(),
        words.tools(),
    ];
    let mut table = Table::new(heads.map(|head| (head, Side::Left)));
    for row in servers {
        let tools = match row.tools.is_empty() {
            true => words.all_tools(),
            false => row.tools.join(&words.comma()),
        };
        let token = key_and_origin(words, row.token, row.token_from.as_ref());
        table.row([row.server, row.place, token, tools]);
    }
    table
}

/// What is known of a key, and the variable that holds it.
fn key_and_origin(words: Words, key: &str, from: Option<&SettingSource>) -> String {
    let key = key_state(words, key);
    match from {
        Some(from) => format!("{key} ← {from}"),
        None => key,
    }
}

/// What is known of a key, in words.
fn key_state(words: Words, key: &str) -> String {
    match key {
        "set" => words.key_set(),
        "missing" => words.key_missing(),
        _ => words.none(),
    }
}
