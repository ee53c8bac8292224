//! The view `costs`: what a save, or all games of a batch, have cost, by entity and by
//! purpose, with the vectors for recall.

use crate::cli::prelude::*;
use std::sync::Arc;

use crate::exchange::Spent;
use crate::message::PromptBytes;
use crate::story::{Costs, Prompts};

use crate::cli::labels::purpose_label;
use crate::cli::saved::{Contents, damaged, nobody, slots_of};
use crate::cli::tables::{cost_text, spending, spending_by_purpose};

/// The purpose of vectors for recall, which no entity is asked for.
const VECTORS: &str = "vectors";

/// Prints what a save has cost, by its journal: also what was paid after the last snapshot.
pub(super) fn cost(app: &App, name: &str, who: Option<&str>) -> Result<()> {
    let mut costs = Costs::default();
    for slot in slots_of(app, name)? {
        let lines = slot.read_journal();
        let lines = lines.map_err(|error| damaged(error, &app.in_command(slot.name().as_str())))?;
        let story = Contents::of_journal(&lines);
        for (name, id) in story.names() {
            app.out().names().add(name, id);
        }
        costs.add(&lines);
    }
    if let Some(who) = who {
        let known = |costs: &Costs| costs.by_entity.iter().any(|(name, _)| **name == *who);
        if !known(&costs) {
            return Err(nobody(who, costs.by_entity.iter().map(|(name, _)| &**name)));
        }
        costs.keep(who);
    }
    print(app, &costs);
    Ok(())
}

fn print(app: &App, costs: &Costs) {
    let mut by_purpose = costs.by_purpose();
    let vectors = Some(costs.vectors).filter(|spent| *spent != Spent::default());
    by_purpose.extend(vectors.map(|spent| (VECTORS.to_owned(), spent)));
    let by_entity = costs.by_entity.iter();
    let by_entity = by_entity.map(|(name, ledger)| (name.to_string(), ledger.total()));
    let mut out = app.out();
    if app.settings.json {
        for (name, spent) in by_entity {
            out.json(&Printed::Cost {
                entity: Some(&name),
                purpose: None,
                spent: flat(&spent),
            });
        }
        for (purpose, spent) in &by_purpose {
            out.json(&Printed::Cost {
                entity: None,
                purpose: Some(purpose),
                spent: flat(spent),
            });
        }
        for (name, prompts) in &costs.prompts {
            out.json(&Printed::Prompts {
                entity: name,
                bytes: prompts.bytes,
                repeated_share: prompts.bytes.repeated_share(),
                recalled: prompts.recalled,
                used: prompts.used,
            });
        }
        for (name, most) in &costs.lost {
            out.json(&Printed::UnknownCost {
                entity: name,
                requests: most.calls,
                most_tokens: most.usage.total(),
                most_cost: most.known_cost(),
            });
        }
        return;
    }
    let name = say!(app.language, cli_name);
    let vectors = vectors.map(|spent| {
        let label = purpose_label(VECTORS).in_language(app.language);
        (label, spent)
    });
    let by_entity: Vec<_> = by_entity.chain(vectors).collect();
    spending(app.language, name, &by_entity).write(&mut out);
    out.paragraph(&Paragraph::blank());
    spending_by_purpose(app.language, &by_purpose).write(&mut out);
    if !costs.lost.is_empty() {
        let mut most = Spent::default();
        costs.lost.values().for_each(|lost| most += *lost);
        let (requests, tokens) = (most.calls, most.usage.total());
        let cost = cost_text(app.language, &most);
        out.paragraph(&Paragraph::blank());
        let words = say!(app.language, cli_cost_unknown, requests, tokens, cost);
        out.paragraph(&Paragraph::default().plain(words));
    }
    let mut prompts = costs.prompts.iter();
    if prompts.any(|(_, prompts)| !prompts.bytes.is_nothing()) {
        out.paragraph(&Paragraph::blank());
        out.paragraph(&Paragraph::default().plain(say!(app.language, cli_prompts)));
        prompt_table(app.language, &costs.prompts).write(&mut out);
    }
}

/// The members of `usage` beside those of the others.
fn flat(spent: &Spent) -> Value {
    let mut figures = json!(spent);
    if let Value::Object(members) = &mut figures
        && let Some(Value::Object(usage)) = members.remove("usage")
    {
        members.extend(usage);
    }
    figures
}

/// How much of the prompts of each entity repeats its last one, and what the rest is.
fn prompt_table(language: Language, prompts: &[(Arc<str>, Prompts)]) -> TextTable {
    let columns = columns!(
        language, < cli_name, > cli_prompts_sent, > cli_prompts_repeated, > cli_prompts_new,
        > cli_prompts_asked, > cli_prompts_recalled, > cli_prompts_archived, > cli_prompts_folded,
        > cli_prompts_first
    );
    let rows = prompts
        .iter()
        .map(|(name, prompts)| prompt_row(name, &prompts.bytes));
    let mut table = TextTable::of(columns, rows);
    let mut sum = PromptBytes::default();
    prompts.iter().for_each(|(_, prompts)| sum += prompts.bytes);
    table.sum(prompt_row(&say!(language, cli_total), &sum));
    table
}

fn prompt_row(name: &str, bytes: &PromptBytes) -> [String; 9] {
    let share = |part: u64| format!("{:.1}%", part as f64 * 100.0 / bytes.sent.max(1) as f64);
    [
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
