//! Tables whose columns line up, whatever the script.

use bevy_ecs::prelude::*;
use playhouse::cast::{CastList, EntityName};
use playhouse::engine::Totals;
use playhouse::exchange::{Ledger, PastLedgers, Spent};
use serde_json::{Value, json};

use super::output::{Ink, Page, Paragraph, cells, padded, padded_left};
use super::words::Words;

/// Which side of its column a cell keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table: columns with a heading, and rows.
pub(crate) struct Table {
    columns: Vec<(String, Side)>,
    rows: Vec<Vec<String>>,
    /// How many of the last rows are sums.
    sums: usize,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(columns: impl IntoIterator<Item = (String, Side)>) -> Self {
        Self {
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
            sums: 0,
        }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Adds a row that sums the others up.
    pub(crate) fn sum(&mut self, cells: impl IntoIterator<Item = String>) {
        self.row(cells);
        self.sums += 1;
    }

    /// Writes it.
    pub(crate) fn write(&self, page: &mut Page) {
        let widths: Vec<_> = (0..self.columns.len()).map(|at| self.width(at)).collect();
        let heads = self.columns.iter().map(|(name, _)| name.as_str());
        page.paragraph(&self.laid_out(Ink::Dim, heads, &widths));
        for (number, row) in self.rows.iter().enumerate() {
            let is_sum = number + self.sums >= self.rows.len();
            let ink = if is_sum { Ink::Bold } else { Ink::Plain };
            page.paragraph(&self.laid_out(ink, row.iter().map(String::as_str), &widths));
        }
    }

    fn width(&self, column: usize) -> usize {
        let head = self.columns.get(column).map_or("", |(name, _)| name);
        let rows = self.rows.iter().filter_map(|row| row.get(column));
        let all = rows.map(String::as_str).chain([head]);
        all.map(cells).max().unwrap_or(0)
    }

    fn laid_out<'a>(
        &self,
        ink: Ink,
        row: impl Iterator<Item = &'a str>,
        widths: &[usize],
    ) -> Paragraph {
        let columns = self.columns.iter().zip(widths);
        let cells = row
            .zip(columns)
            .map(|(text, ((_, side), width))| match side {
                Side::Left => padded(text, *width),
                Side::Right => padded_left(text, *width),
            });
        let row = cells.collect::<Vec<_>>().join("  ");
        Paragraph::row().add(ink, row.trim_end())
    }
}

/// What every entity has spent, in stable order, without those who were never asked; then, by name, those
/// who left the world.
pub(crate) fn spent_by_entity(world: &World) -> Vec<(String, Spent)> {
    let mut rows = Vec::<(String, Spent)>::new();
    for (name, ledger) in ledgers(world) {
        let spent = ledger.total();
        match rows.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += spent,
            None => rows.push((name, spent)),
        }
    }
    rows.retain(|(_, spent)| spent.asks > 0);
    rows
}

/// What was spent on every purpose.
pub(crate) fn spent_by_purpose(world: &World) -> Vec<(String, Spent)> {
    let mut sum = Ledger::default();
    ledgers(world).for_each(|(_, ledger)| sum.add(ledger));
    sum.purposes.into_iter().collect()
}

fn ledgers(world: &World) -> impl Iterator<Item = (String, &Ledger)> {
    let present = world.resource::<CastList>().all();
    let present = present.filter_map(|(_, entity)| {
        let name = world.get::<EntityName>(entity)?.to_string();
        Some((name, world.get::<Ledger>(entity)?))
    });
    let past = world.get_resource::<PastLedgers>();
    let past = past.into_iter().flat_map(|past| &past.ledgers);
    present.chain(past.map(|(name, ledger)| (name.clone(), ledger)))
}

/// A table of what was spent, with its sum.
pub(crate) fn spending(words: Words, first: String, rows: &[(String, Spent)]) -> Table {
    let numbers = [
        words.calls(),
        words.tokens_in(),
        words.tokens_cached(),
        words.tokens_out(),
        words.cache_share(),
        words.cost(),
        words.fallbacks(),
        words.repairs(),
    ];
    let numbers = numbers.into_iter().map(|name| (name, Side::Right));
    let mut table = Table::new([(first, Side::Left)].into_iter().chain(numbers));
    let mut sum = Spent::default();
    for (name, spent) in rows {
        sum += *spent;
        table.row(spending_row(name, spent));
    }
    table.sum(spending_row(&words.total(), &sum));
    table
}

fn spending_row(name: &str, spent: &Spent) -> Vec<String> {
    let share = match spent.usage.input {
        0 => "-".into(),
        input => format!("{:.1}", spent.usage.cached as f64 * 100.0 / input as f64),
    };
    vec![
        name.to_owned(),
        spent.calls.to_string(),
        spent.usage.input.to_string(),
        spent.usage.cached.to_string(),
        spent.usage.output.to_string(),
        share,
        spent.cost.to_string(),
        spent.fallbacks.to_string(),
        spent.repairs.to_string(),
    ]
}

/// What the entities of a world have spent, as people read it at the end of a run.
pub(crate) fn write_entities(page: &mut Page, words: Words, world: &World) {
    page.paragraph(&Paragraph::blank());
    spending(words, words.who(), &spent_by_entity(world)).write(page);
}

/// What a run spent, as people read it at its end.
pub(crate) fn write_totals(page: &mut Page, words: Words, totals: &Totals) {
    let spent = &totals.spent;
    let (calls, tokens) = (spent.calls, spent.usage.total());
    let run = words.this_run(calls, tokens, &spent.cost.to_string());
    let repeated = words.repeated(totals.repeated_share() * 100.0);
    let [p50, p95] = [0.5, 0.95].map(|share| totals.latency(share).as_secs_f64());
    for figure in [run, repeated, words.latency(p50, p95)] {
        page.paragraph(&Paragraph::of(Ink::Dim, figure));
    }
}

/// What the entities of a world have spent, for programs.
pub(crate) fn entities_json(world: &World) -> Value {
    json!({
        "by_entity": spending_json(&spent_by_entity(world)),
        "by_purpose": spending_json(&spent_by_purpose(world)),
    })
}

/// What a run spent, for programs.
pub(crate) fn totals_json(totals: &Totals) -> Value {
    json!({
        "spent": totals.spent,
        "repeated_share": totals.repeated_share(),
        "latency_ms": {
            "p50": totals.latency(0.5).as_millis() as u64,
            "p95": totals.latency(0.95).as_millis() as u64,
        },
    })
}

/// What was spent, for programs.
pub(crate) fn spending_json(rows: &[(String, Spent)]) -> Value {
    let rows = rows
        .iter()
        .map(|(name, spent)| (name.clone(), json!(spent)));
    Value::Object(rows.collect())
}

#[cfg(test)]
mod tests {
    use super::super::testing::paper;
    use super::*;
    use playhouse::message::TokenUsage;
    use playhouse::mind::{Cost, Language};

    #[test]
    fn columns_line_up_in_every_script() {
        let spent = |input, cached| Spent {
            calls: 3,
            usage: TokenUsage {
                input,
                cached,
                output: 40,
                ..TokenUsage::default()
            },
            cost: Cost::from_units(0.0123),
            fallbacks: 1,
            ..Spent::default()
        };
        let rows = [
            ("米拉".to_owned(), spent(1200, 900)),
            ("Tobin the Tall".to_owned(), spent(0, 0)),
        ];
        let words = Words(Language::Zh);
        let (mut page, text) = paper(100);
        spending(words, words.who(), &rows).write(&mut page);
        insta::assert_snapshot!(text.get(), @r"
        名字            调用  输入  缓存  输出  缓存率    费用  代答  修正
        米拉               3  1200   900    40    75.0  0.0123     1     0
        Tobin the Tall     3     0     0    40       -  0.0123     1     0
        合计               6  1200   900    80    75.0  0.0246     2     0
        ");
    }
}
