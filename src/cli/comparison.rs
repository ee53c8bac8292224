//! How conditions differ: tables for people, records for programs.

use crate::cli::prelude::*;
use crate::rpg::experiment::{ConditionRuns, Figure, Outcome, OutcomeReport, compare};
use crate::statistics::{Comparison, EffectSize};

use super::provenance::Provenance;
use super::statistics::{margin, number, with_interval};

/// Differences that are less likely than this by chance are marked.
const LEVEL: f64 = 0.05;

/// A condition: what it was played with, and its stories.
pub(crate) struct Arm<'a> {
    pub(crate) provenance: &'a Provenance,
    /// The seed of its first story.
    pub(crate) seed: u64,
    pub(crate) runs: ConditionRuns<'a>,
}

/// Compares the conditions with the first, and prints that.
pub(crate) fn print_report(app: &App, arms: &[Arm<'_>], outcomes: &[Outcome]) {
    let runs: Vec<_> = arms.iter().map(|arm| arm.runs).collect();
    let reports = compare(&runs, outcomes);
    let mut out = app.out();
    if app.settings.json {
        arms.iter()
            .enumerate()
            .for_each(|(index, arm)| out.json(&condition(arm, index, &reports)));
        comparisons(arms, &reports).for_each(|record| out.json(&record));
    } else if !app.settings.quiet {
        write(&mut out, app.language, arms, &reports);
    }
    out.flush();
}

fn condition<'a>(arm: &'a Arm<'_>, index: usize, reports: &[OutcomeReport]) -> Printed<'a> {
    let outcomes = reports.iter().map(|report| {
        let figure = report.figures.get(index).copied().flatten();
        (report.outcome.to_string(), figure)
    });
    Printed::Condition {
        seed: arm.seed,
        runs: arm.runs.ended().count(),
        outcomes: outcomes.collect(),
        provenance: arm.provenance,
    }
}

/// A record for each outcome and condition after the first.
fn comparisons<'r>(
    arms: &'r [Arm<'_>],
    reports: &'r [OutcomeReport],
) -> impl Iterator<Item = Printed<'r>> {
    let against = arms.first().map_or("", |arm| arm.runs.name);
    reports.iter().flat_map(move |report| {
        let others = arms.iter().skip(1).zip(&report.comparisons);
        others.filter_map(move |(arm, comparison)| {
            Some(Printed::Comparison {
                outcome: report.outcome.to_string(),
                against,
                seed: arm.seed,
                provenance: arm.provenance,
                figures: comparison.as_ref()?,
            })
        })
    })
}

fn write(out: &mut Output, language: Language, arms: &[Arm<'_>], reports: &[OutcomeReport]) {
    let titled = |out: &mut Output, title: String, table: TextTable| {
        out.paragraph(&Paragraph::blank());
        out.paragraph(&Paragraph::of(Style::Bold, title));
        table.write(out);
    };
    let title = say!(language, cli_experiment_outcomes);
    titled(out, title, outcomes_table(language, arms, reports));
    let title = say!(language, cli_experiment_differences);
    titled(out, title, differences_table(language, arms, reports));
    out.paragraph(&Paragraph::blank());
    out.paragraph(&Paragraph::of(
        Style::Dim,
        say!(language, cli_experiment_note),
    ));
}

fn outcomes_table(language: Language, arms: &[Arm<'_>], reports: &[OutcomeReport]) -> TextTable {
    let names = arms
        .iter()
        .map(|arm| (arm.runs.name.to_owned(), Alignment::Right));
    let columns = columns!(language, < cli_experiment_outcome)
        .into_iter()
        .chain(names);
    let mut table = TextTable::new(columns);
    let ended = arms.iter().map(|arm| arm.runs.ended().count().to_string());
    table.row(std::iter::once(say!(language, cli_rehearsal_runs)).chain(ended));
    for report in reports {
        let words = report.outcome.words().in_language(language);
        let cells = report.figures.iter().map(|figure| match figure {
            None => "-".to_owned(),
            Some(Figure::Share(share)) => with_interval(*share),
            Some(Figure::Mean(mean)) => {
                let digits = digits(mean.value());
                format!("{} {}", number(mean.value(), digits), margin(*mean, digits))
            }
        });
        table.row(std::iter::once(words).chain(cells));
    }
    table
}

fn differences_table(language: Language, arms: &[Arm<'_>], reports: &[OutcomeReport]) -> TextTable {
    let columns = columns!(
        language, < cli_experiment_outcome, < cli_experiment_condition, > cli_experiment_pairs,
        > cli_experiment_difference, > cli_stat_interval, > cli_experiment_effect,
        > cli_experiment_p, > cli_experiment_p_holm
    );
    let rows = reports.iter().flat_map(|report| {
        let others = arms.iter().skip(1).zip(&report.comparisons);
        others.filter_map(|(arm, comparison)| {
            let words = report.outcome.words().in_language(language);
            Some(difference_row(words, arm.runs.name, comparison.as_ref()?))
        })
    });
    TextTable::of(columns, rows)
}

fn difference_row(outcome: String, condition: &str, comparison: &Comparison) -> [String; 8] {
    let Comparison {
        difference,
        low,
        high,
        ..
    } = *comparison;
    let (shown, interval) = match comparison.effect_size {
        EffectSize::CohensH => (
            format!("{:+.1}%", difference * 100.0),
            format!("{:+.1} – {:+.1}%", low * 100.0, high * 100.0),
        ),
        EffectSize::CohensDz => {
            let digits = digits(Some(difference));
            (
                format!("{difference:+.digits$}"),
                format!("{low:+.digits$} – {high:+.digits$}"),
            )
        }
    };
    let effect = match comparison.effect_size {
        EffectSize::CohensH => "h",
        EffectSize::CohensDz => "d",
    };
    let mark = if comparison.p_holm < LEVEL { " *" } else { "" };
    [
        outcome,
        condition.to_owned(),
        comparison.pairs.to_string(),
        shown,
        interval,
        comparison
            .effect
            .map_or("-".into(), |value| format!("{effect} {value:+.2}")),
        probability(comparison.p),
        probability(comparison.p_holm) + mark,
    ]
}

fn probability(p: f64) -> String {
    if p < 0.0001 {
        "< 0.0001".into()
    } else {
        format!("{p:.4}")
    }
}

/// The digits after the point of a number of this size.
fn digits(value: Option<f64>) -> usize {
    match value.unwrap_or_default().abs() {
        0.0 => 2,
        small if small < 0.01 => 6,
        small if small < 100.0 => 2,
        _ => 0,
    }
}
