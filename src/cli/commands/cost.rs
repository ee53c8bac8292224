//! `cost`: what a save, or all games of a tournament, have cost, by entity and by purpose, with the
//! vectors for recall.

use std::collections::BTreeMap;

use crate::exchange::{Ledger, Spent, recorded_ledgers};
use crate::journal::Line;
use crate::locale::Language;
use crate::message::{PromptBytes, TokenUsage};
use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::app::App;
use crate::cli::error::CommandError;
use crate::cli::labels::purpose_label;
use crate::cli::output::Paragraph;
use crate::cli::saved::{damaged, slots_of};
use crate::cli::say::say;
use crate::cli::tables::{Alignment, TextTable, spending, spending_by_purpose};

/// The purpose of vectors for recall, which no entity is asked for.
const VECTORS: &str = "vectors";

/// Prints what a save has cost, by its journal: also what was paid after the last snapshot.
pub(super) fn cost(app: &App, name: &str) -> Result<(), CommandError> {
    let mut by_entity = Vec::<(String, Spent)>::new();
    let mut total = Ledger::default();
    let mut vectors = Spent::default();
    let mut prompts = Vec::<(String, Prompts)>::new();
    for slot in slots_of(app, name)? {
        let lines = slot.read_journal();
        let lines = lines.map_err(|error| damaged(error, &app.in_command(slot.name().as_str())))?;
        for (name, of_outcome) in lines.iter().filter_map(Prompts::of) {
            match prompts.iter_mut().find(|(known, _)| **known == *name) {
                Some((_, sum)) => sum.add(&of_outcome),
                None => prompts.push((name.to_string(), of_outcome)),
            }
        }
        for line in &lines {
            if let Line::Outcome(outcome) = line
                && outcome.id != 0
            {
                app.out().names().add(&outcome.entity, outcome.id);
            }
        }
        for spent in lines.iter().filter_map(on_vectors) {
            vectors += spent;
        }
        for (name, ledger) in recorded_ledgers(&lines) {
            total.add(&ledger);
            let spent = ledger.total();
            match by_entity.iter_mut().find(|(known, _)| **known == *name) {
                Some((_, sum)) => *sum += spent,
                None => by_entity.push((name.to_string(), spent)),
            }
        }
    }
    if vectors != Spent::default() {
        total.purposes.insert(VECTORS.to_owned(), vectors);
    }
    print(app, &by_entity, &total.purposes, &prompts);
    Ok(())
}

/// What vectors have cost.
fn on_vectors(line: &Line) -> Option<Spent> {
    let (input, cost) = match line {
        Line::Vectors(vectors) => (vectors.tokens, vectors.cost),
        Line::Question(question) => (question.tokens, question.cost),
        _ => return None,
    };
    let usage = TokenUsage {
        input,
        ..TokenUsage::default()
    };
    Some(Spent {
        usage,
        cost,
        ..Spent::default()
    })
}

/// The prompts of an entity: their bytes, and the memories that came with questions.
#[derive(Default, Serialize)]
struct Prompts {
    bytes: PromptBytes,
    recalled: u64,
    /// Those that answers seem to use.
    used: u64,
}

impl Prompts {
    /// Those of an outcome, and whose they are.
    fn of(line: &Line) -> Option<(&str, Self)> {
        let Line::Outcome(outcome) = line else {
            return None;
        };
        let used = outcome.recalled.iter().filter(|recalled| recalled.used);
        let prompts = Self {
            bytes: outcome.prompt_bytes,
            recalled: outcome.recalled.len() as u64,
            used: used.count() as u64,
        };
        Some((&outcome.entity, prompts))
    }

    fn add(&mut self, other: &Self) {
        self.bytes += other.bytes;
        self.recalled += other.recalled;
        self.used += other.used;
    }
}

fn print(
    app: &App,
    by_entity: &[(String, Spent)],
    by_purpose: &BTreeMap<String, Spent>,
    prompts: &[(String, Prompts)],
) {
    let mut out = app.out();
    if app.settings.json {
        for (name, spent) in by_entity {
            out.json(&record("cost", ("entity", name), spent));
        }
        for (purpose, spent) in by_purpose {
            out.json(&record("cost", ("purpose", purpose), spent));
        }
        for (name, prompts) in prompts {
            let mut record = record("prompts", ("entity", name), prompts);
            record["repeated_share"] = prompts.bytes.repeated_share().into();
            out.json(&record);
        }
        return;
    }
    let name = say!(app.language, cli_name);
    let vectors = by_purpose.get(VECTORS).map(|spent| {
        let label = purpose_label(VECTORS).in_language(app.language);
        (label, *spent)
    });
    let by_entity: Vec<_> = by_entity.iter().cloned().chain(vectors).collect();
    spending(app.language, name, &by_entity).write(&mut out);
    out.paragraph(&Paragraph::blank());
    spending_by_purpose(app.language, by_purpose).write(&mut out);
    if prompts
        .iter()
        .any(|(_, prompts)| !prompts.bytes.is_nothing())
    {
        out.paragraph(&Paragraph::blank());
        out.paragraph(&Paragraph::default().plain(say!(app.language, cli_prompts)));
        prompt_table(app.language, prompts).write(&mut out);
    }
}

/// A record of what somebody or something has, with the members of its parts beside its own.
fn record(kind: &str, (what, name): (&str, &str), figures: &impl Serialize) -> Value {
    let mut record = json!({"record": kind, what: name});
    if let (Some(record), Value::Object(figures)) = (record.as_object_mut(), json!(figures)) {
        for (key, value) in figures {
            match value {
                Value::Object(parts) => record.extend(parts),
                value => {
                    record.insert(key, value);
                }
            }
        }
    }
    record
}

/// How much of the prompts of each entity repeats its last one, and what the rest is.
fn prompt_table(language: Language, prompts: &[(String, Prompts)]) -> TextTable {
    let numbers = [
        say!(language, cli_prompts_sent),
        say!(language, cli_prompts_repeated),
        say!(language, cli_prompts_new),
        say!(language, cli_prompts_asked),
        say!(language, cli_prompts_recalled),
        say!(language, cli_prompts_archived),
        say!(language, cli_prompts_folded),
        say!(language, cli_prompts_first),
    ];
    let numbers = numbers.into_iter().map(|name| (name, Alignment::Right));
    let name = say!(language, cli_name);
    let mut table = TextTable::new([(name, Alignment::Left)].into_iter().chain(numbers));
    let mut sum = PromptBytes::default();
    for (name, prompts) in prompts {
        sum += prompts.bytes;
        table.row(prompt_row(name, &prompts.bytes));
    }
    table.sum(prompt_row(&say!(language, cli_total), &sum));
    table
}

fn prompt_row(name: &str, bytes: &PromptBytes) -> Vec<String> {
    let share = |part: u64| format!("{:.1}%", part as f64 * 100.0 / bytes.sent.max(1) as f64);
    vec![
        name.to_owned(),
        (bytes.sent / 1000).to_string(),
        share(bytes.repeated),
        share(bytes.new),
        share(bytes.asked),
        share(bytes.recalled),
        share(bytes.archived),
        share(bytes.folded),
        share(bytes.first),
    ]
}
