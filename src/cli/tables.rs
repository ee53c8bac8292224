//! Tables: of anything, and of what was spent.

use crate::cli::prelude::*;
use std::collections::BTreeMap;

use crate::engine::Totals;
use crate::exchange::{Spent, ledgers};
use bevy_ecs::prelude::World;

use super::labels::purpose_label;
use super::output::{cells, padded, padded_left, rows};

const GAP: usize = 2;
/// The cells of a column of text, at least, if the table is too wide and its cells are wrapped.
const NARROW: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alignment {
    Left,
    Right,
}

/// The columns of a table, by the keys of their headings: `<` to the left, `>` to the right.
macro_rules! columns {
    (@ <) => { $crate::cli::tables::Alignment::Left };
    (@ >) => { $crate::cli::tables::Alignment::Right };
    ($language:expr, $($side:tt $heading:ident),+ $(,)?) => {
        [$(($crate::cli::say::say!($language, $heading), columns!(@ $side))),+]
    };
}

pub(crate) use columns;

/// A table: columns with a heading, and rows. If it is wider than its output, long texts are
/// wrapped; if it still is, its rows are printed as paragraphs.
pub(crate) struct TextTable {
    columns: Vec<(String, Alignment)>,
    rows: Vec<Vec<String>>,
    /// How many rows at the end are sums.
    sums: usize,
}

impl TextTable {
    /// A table without rows.
    pub(crate) fn new(columns: impl IntoIterator<Item = (String, Alignment)>) -> Self {
        Self {
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
            sums: 0,
        }
    }

    /// A table of these rows.
    pub(crate) fn of<R: IntoIterator<Item = String>>(
        columns: impl IntoIterator<Item = (String, Alignment)>,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let mut table = Self::new(columns);
        rows.into_iter().for_each(|row| table.row(row));
        table
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Adds a row with the sums of the others.
    pub(crate) fn sum(&mut self, cells: impl IntoIterator<Item = String>) {
        self.row(cells);
        self.sums += 1;
    }

    pub(crate) fn write(&self, out: &mut Output) {
        self.without_empty_columns().write_all(out);
    }

    /// The table without the columns in which no row has anything.
    fn without_empty_columns(&self) -> Self {
        let has_any = |column: &usize| {
            let mut cells = self.rows.iter().filter_map(|row| row.get(*column));
            self.rows.is_empty() || cells.any(|cell| !cell.is_empty())
        };
        let kept: Vec<_> = (0..self.columns.len()).filter(has_any).collect();
        let columns = kept.iter().filter_map(|column| self.columns.get(*column));
        let row = |row: &Vec<String>| {
            let cells = kept.iter().map(|column| row.get(*column).cloned());
            cells.map(Option::unwrap_or_default).collect()
        };
        Self {
            columns: columns.cloned().collect(),
            rows: self.rows.iter().map(row).collect(),
            sums: self.sums,
        }
    }

    fn write_all(&self, out: &mut Output) {
        let Some(widths) = self.fitting(out.width()) else {
            return self
                .rows
                .iter()
                .for_each(|row| self.write_paragraph(out, row));
        };
        for heads in self.heads(&widths) {
            out.paragraph(&self.aligned(Style::Dim, &heads, &widths));
        }
        for (number, row) in self.rows.iter().enumerate() {
            let is_sum = number + self.sums >= self.rows.len();
            let style = if is_sum { Style::Bold } else { Style::Plain };
            for line in wrapped(row, &widths) {
                out.paragraph(&self.aligned(style, &line, &widths));
            }
        }
    }

    /// The widths of the columns, of which the widest texts are wrapped if need be; `None` if even
    /// that is too wide.
    fn fitting(&self, available: usize) -> Option<Vec<usize>> {
        let columns = 0..self.columns.len();
        let mut widths: Vec<_> = columns.map(|column| self.width(column)).collect();
        let gaps = GAP * widths.len().saturating_sub(1);
        while widths.iter().sum::<usize>() + gaps > available {
            let columns = widths.iter_mut().zip(&self.columns);
            let texts = columns.filter(|(_, (_, side))| *side == Alignment::Left);
            let (widest, _) = texts.max_by_key(|(width, _)| **width)?;
            if *widest <= NARROW {
                return None;
            }
            *widest -= 1;
        }
        Some(widths)
    }

    fn write_paragraph(&self, out: &mut Output, row: &[String]) {
        let mut columns = self.columns.iter().zip(row);
        match columns.next() {
            // A number alone says nothing.
            Some(((head, Alignment::Right), number)) => {
                out.paragraph(&Paragraph::of(Style::Bold, format!("{head} {number}")));
            }
            Some((_, name)) => out.paragraph(&Paragraph::of(Style::Bold, name)),
            None => {}
        }
        let mut paragraph = Paragraph::indented(2, 4);
        // A heading without a value says nothing.
        let columns = columns.filter(|(_, cell)| !cell.is_empty());
        for (number, ((head, _), cell)) in columns.enumerate() {
            let separator = if number == 0 { "" } else { " · " };
            paragraph = paragraph
                .add(Style::Dim, format!("{separator}{head} "))
                .plain(cell);
        }
        out.paragraph(&paragraph);
    }

    /// As wide as the widest cell, or word of the heading.
    fn width(&self, column: usize) -> usize {
        let head = self.columns.get(column).map_or("", |(head, _)| head);
        let rows = self.rows.iter().filter_map(|row| row.get(column));
        let texts = rows.map(String::as_str).chain(head.split(' '));
        texts.map(cells).max().unwrap_or(0)
    }

    /// The headings in as many rows as they need.
    fn heads(&self, widths: &[usize]) -> Vec<Vec<String>> {
        let columns = self.columns.iter().zip(widths);
        let heads: Vec<_> = columns
            .map(|((head, _), width)| broken(head, *width))
            .collect();
        let height = heads.iter().map(Vec::len).max().unwrap_or(0);
        let row = |row: usize| {
            let cell = |lines: &Vec<String>| {
                let line = (row + lines.len()).checked_sub(height);
                line.and_then(|line| lines.get(line))
                    .cloned()
                    .unwrap_or_default()
            };
            heads.iter().map(cell).collect()
        };
        (0..height).map(row).collect()
    }

    fn aligned(&self, style: Style, row: &[String], widths: &[usize]) -> Paragraph {
        let columns = self.columns.iter().zip(widths);
        let cells = row.iter().zip(columns);
        let cells = cells.map(|(text, ((_, side), width))| match side {
            Alignment::Left => padded(text, *width),
            Alignment::Right => padded_left(text, *width),
        });
        let row = cells.collect::<Vec<_>>().join(&" ".repeat(GAP));
        Paragraph::row().add(style, row.trim_end())
    }
}

/// A row in as many lines as its cells need.
fn wrapped(row: &[String], widths: &[usize]) -> Vec<Vec<String>> {
    let cells = row.iter().zip(widths).map(|(cell, width)| {
        if cells(cell) <= *width {
            return vec![cell.clone()];
        }
        let cell = Paragraph::indented(0, 0).plain(cell);
        rows(&cell, *width, false)
    });
    let cells: Vec<_> = cells.collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let line = |line: usize| {
        let cells = cells.iter().map(|cell| cell.get(line).cloned());
        cells.map(Option::unwrap_or_default).collect()
    };
    (0..height).map(line).collect()
}

/// A heading in lines of at most this width.
fn broken(head: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in head.split(' ') {
        match lines.last_mut() {
            Some(line) if cells(line) + 1 + cells(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// What each entity has spent, in stable order, then, by name, those who left the world. Those who
/// were never asked are left out.
pub(crate) fn spent_by_entity(world: &World) -> Vec<(String, Spent)> {
    let mut rows = Vec::<(String, Spent)>::new();
    for (name, ledger) in ledgers(world) {
        let spent = ledger.total();
        match rows.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => *sum += spent,
            None => rows.push((name.to_owned(), spent)),
        }
    }
    rows.retain(|(_, spent)| spent.asks > 0);
    rows
}

/// A table of what was spent, with its sum. `first` is the heading of its first column.
pub(crate) fn spending(language: Language, first: String, rows: &[(String, Spent)]) -> TextTable {
    let numbers = columns!(
        language, > cli_calls, > cli_prompt_tokens, > cli_cached, > cli_answer_tokens, > cli_cost,
        > cli_default_answers, > cli_refusals, > cli_retries
    );
    let columns = [(first, Alignment::Left)].into_iter().chain(numbers);
    let mut table = TextTable::of(
        columns,
        rows.iter()
            .map(|(name, spent)| spending_row(language, name, spent)),
    );
    let mut sum = Spent::default();
    rows.iter().for_each(|(_, spent)| sum += *spent);
    table.sum(spending_row(language, &say!(language, cli_total), &sum));
    table
}

/// A table of what was spent on each purpose.
pub(crate) fn spending_by_purpose(
    language: Language,
    spent: &BTreeMap<String, Spent>,
) -> TextTable {
    let label = |id: &str| purpose_label(id).in_language(language);
    let rows = spent.iter().map(|(id, spent)| (label(id), *spent));
    let rows: Vec<_> = rows.collect();
    spending(language, say!(language, cli_purpose), &rows)
}

/// What something cost, as far as the prices are known.
pub(crate) fn cost_text(language: Language, spent: &Spent) -> String {
    let cost = spent
        .known_cost()
        .filter(|_| spent.unpriced < spent.calls.max(1));
    match cost {
        None => say!(language, cli_price_unknown),
        Some(cost) if spent.unpriced == 0 => cost.to_string(),
        Some(cost) => say!(language, cli_cost_at_least, cost = cost.to_string()),
    }
}

fn spending_row(language: Language, name: &str, spent: &Spent) -> [String; 9] {
    let cached = match spent.usage.input {
        0 => "-".into(),
        input => format!("{:.1}%", spent.usage.cached as f64 * 100.0 / input as f64),
    };
    let refusals = match spent.refusals {
        0 => String::new(),
        refusals => refusals.to_string(),
    };
    [
        name.to_owned(),
        spent.calls.to_string(),
        spent.usage.input.to_string(),
        cached,
        spent.usage.output.to_string(),
        cost_text(language, spent),
        spent.fallbacks.to_string(),
        refusals,
        spent.repairs.to_string(),
    ]
}

pub(crate) fn write_entities(out: &mut Output, language: Language, world: &World) {
    out.paragraph(&Paragraph::blank());
    let rows = spent_by_entity(world);
    spending(language, say!(language, cli_name), &rows).write(out);
}

/// Writes what a run has spent.
pub(crate) fn write_totals(out: &mut Output, language: Language, totals: &Totals) {
    let spent = &totals.spent;
    let (calls, tokens) = (spent.calls, spent.usage.total());
    let cost = cost_text(language, spent);
    let share = format!("{:.1}", totals.repeated_share() * 100.0);
    let [p50, p95] = [0.5, 0.95].map(|share| totals.latency(share).as_secs_f64());
    let [p50, p95] = [p50, p95].map(|seconds| format!("{seconds:.2}"));
    for figure in [
        say!(language, cli_this_run, calls, tokens, cost),
        say!(language, cli_prompt_reuse, share),
        say!(language, cli_latency, p50, p95),
    ] {
        out.paragraph(&Paragraph::of(Style::Dim, figure));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::output;
    use super::*;
    use crate::message::TokenUsage;
    use crate::mind::Cost;

    fn written(language: Language, width: usize) -> String {
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
        let (mut out, text) = output(width);
        spending(language, say!(language, cli_name), &rows).write(&mut out);
        text.get()
    }

    #[test]
    fn columns_line_up_in_every_script() {
        insta::assert_snapshot!(written(Language::Zh, 100), @r"
                              提示词           回答
        名称            调用   token  缓存率  token    费用  默认回答  重试
        米拉               3    1200   75.0%     40  0.0123         1     0
        Tobin the Tall     3       0       -     40  0.0123         1     0
        合计               6    1200   75.0%     80  0.0246         2     0
        ");
        insta::assert_snapshot!(written(Language::En, 80), @r"
                               prompt          answer          default
        name            calls  tokens  cached  tokens    cost  answers  retries
        米拉                3    1200   75.0%      40  0.0123        1        0
        Tobin the Tall      3       0       -      40  0.0123        1        0
        total               6    1200   75.0%      80  0.0246        2        0
        ");
    }

    #[test]
    fn an_unknown_price_is_not_nothing() {
        let spent = |calls, unpriced| Spent {
            calls,
            unpriced,
            cost: Cost::from_units(0.5),
            ..Spent::default()
        };
        let shown = |calls, unpriced| cost_text(Language::En, &spent(calls, unpriced));
        assert_eq!(
            [shown(2, 0), shown(2, 1), shown(2, 2)],
            ["0.5000", "at least 0.5000", "unknown"]
        );
        // Beside a person, whose turns cost nothing.
        let free = Spent {
            cost: Cost::default(),
            ..spent(2, 1)
        };
        assert_eq!(cost_text(Language::En, &free), "unknown");
    }

    #[test]
    fn a_paragraph_names_the_number_that_heads_it_and_no_heading_without_a_value() {
        let heads = [
            ("turn", Alignment::Right),
            ("said", Alignment::Left),
            ("result", Alignment::Left),
        ];
        let mut table = TextTable::new(heads.map(|(head, side)| (head.to_owned(), side)));
        table.row(["3".to_owned(), "a long word".repeat(3), String::new()]);
        table.row(["4".to_owned(), "a long word".repeat(3), "yes".to_owned()]);
        let (mut out, text) = output(16);
        table.write(&mut out);
        let text = text.get();
        assert!(
            text.starts_with("turn 3\n") && text.matches("result").count() == 1,
            "{text}"
        );
    }

    #[test]
    fn long_texts_are_wrapped_in_their_columns_and_empty_columns_left_out() {
        let heads = ["name", "fact", "result"].map(|head| (head.to_owned(), Alignment::Left));
        let mut table = TextTable::new(heads);
        let fact = "What the watchdog of the ropewalk is waiting for";
        table.row(["Ann".to_owned(), fact.to_owned(), String::new()]);
        table.row([
            "周".to_owned(),
            "祠堂里的灯为什么不能灭，谁也不肯说出来".to_owned(),
            String::new(),
        ]);
        let (mut out, text) = output(32);
        table.write(&mut out);
        insta::assert_snapshot!(text.get(), @r"
        name  fact
        Ann   What the watchdog of the
              ropewalk is waiting for
        周    祠堂里的灯为什么不能灭，谁
              也不肯说出来
        ");
    }

    #[test]
    fn a_table_that_is_too_wide_becomes_paragraphs() {
        insta::assert_snapshot!(written(Language::En, 50), @r"
        米拉
          calls 3 · prompt tokens 1200 · cached 75.0% ·
            answer tokens 40 · cost 0.0123 · default
            answers 1 · retries 0
        Tobin the Tall
          calls 3 · prompt tokens 0 · cached - · answer
            tokens 40 · cost 0.0123 · default answers 1 ·
            retries 0
        total
          calls 6 · prompt tokens 1200 · cached 75.0% ·
            answer tokens 80 · cost 0.0246 · default
            answers 2 · retries 0
        ");
    }
}
