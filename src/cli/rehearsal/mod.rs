//! What a rehearsal came to: the same tables on a terminal and in a page.
//!
//! `sections.rs` makes tables of figures; [`write`] prints them, `page.rs` puts them into a page
//! with bars, and `graph.rs` draws what followed what.

mod graph;
mod page;
mod sections;

use playhouse::locale::{Argument, Language};
use playhouse::message::{Cost, Price};
use playhouse::rpg::rehearsal::{Rehearsal, RunEnd, RunFigures};
use playhouse::rpg::world_file::WorldFile;
use playhouse::world_data::Problems;

use self::sections::{Cell, sections};
use super::output::{Output, Paragraph, Style};
use super::say::say;
use super::statistics::with_interval;
use super::tables::Table;

pub(crate) use self::page::page;

/// Of the seeds that were found, so many are told.
const SEEDS: usize = 20;

/// What is reported.
pub(crate) struct Report<'a> {
    /// The world.
    pub(crate) world: &'a WorldFile,
    /// Its runs.
    pub(crate) runs: &'a [RunFigures],
    /// What they came to.
    pub(crate) rehearsal: &'a Rehearsal,
    /// What a run is priced as.
    pub(crate) price: Option<&'a PricedAs>,
    /// Expectations that are not met.
    pub(crate) unmet: &'a Problems,
}

impl Report<'_> {
    /// The seeds of the runs at whose end the condition holds; `None` if none was looked for.
    pub(crate) fn found(&self) -> Option<Vec<u64>> {
        let looked_for = self.runs.iter().any(|run| run.found.is_some());
        let found = self.runs.iter().filter(|run| run.found == Some(true));
        looked_for.then(|| found.map(|run| run.seed).collect())
    }
}

/// A model and its price.
pub(crate) struct PricedAs {
    /// The model.
    pub(crate) model: String,
    /// Its price.
    pub(crate) price: Price,
}

impl PricedAs {
    /// What a run would cost on average.
    pub(crate) fn cost(&self, rehearsal: &Rehearsal) -> Cost {
        self.price.of(rehearsal.usage())
    }
}

/// Writes all tables, and how one story ended.
pub(crate) fn write(out: &mut Output, language: Language, report: &Report<'_>) {
    for section in sections(language, report) {
        out.paragraph(&Paragraph::blank());
        out.paragraph(&Paragraph::of(Style::Bold, &section.title));
        let mut table = Table::new(section.columns);
        for row in section.rows {
            table.row(row.into_iter().map(|cell| match cell {
                Cell::Text(text) => text,
                Cell::Share(share) => with_interval(share),
            }));
        }
        table.write(out);
    }
    out.paragraph(&Paragraph::blank());
    if let Some(end) = one_end(language, report) {
        out.paragraph(&Paragraph::default().plain(end));
        out.paragraph(&Paragraph::blank());
    }
    if let Some(found) = found(language, report) {
        out.paragraph(&Paragraph::of(Style::Bold, found));
        out.paragraph(&Paragraph::blank());
    }
    out.paragraph(&Paragraph::of(Style::Dim, say!(language, cli_stat_note)));
}

/// In which runs the condition that was looked for holds.
fn found(language: Language, report: &Report<'_>) -> Option<String> {
    let found = report.found()?;
    let (count, of) = (found.len(), report.runs.len());
    let first = found.iter().take(SEEDS);
    let seeds = Argument::list(first);
    Some(if found.is_empty() {
        say!(language, cli_rehearsal_found_none, of)
    } else if count > SEEDS {
        say!(
            language,
            cli_rehearsal_found_many,
            count,
            of,
            first = SEEDS,
            seeds
        )
    } else {
        say!(language, cli_rehearsal_found, count, of, seeds)
    })
}

/// How the first story ended.
fn one_end(language: Language, report: &Report<'_>) -> Option<String> {
    report.runs.iter().find_map(|run| match &run.end {
        RunEnd::Finished(text) => Some(say!(language, cli_rehearsal_end, seed = run.seed, text)),
        RunEnd::Failed(_) => None,
    })
}
