//! What a rehearsal came to: the same tables on a terminal and in a page.
//!
//! `sections.rs` makes tables of figures; [`write`] prints them, `page.rs` puts them into a page
//! with bars, and `graph.rs` draws what followed what.

mod graph;
mod page;
mod sections;

use playhouse::locale::Language;
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
    out.paragraph(&Paragraph::of(Style::Dim, say!(language, cli_stat_note)));
}

/// How the first story ended.
fn one_end(language: Language, report: &Report<'_>) -> Option<String> {
    report.runs.iter().find_map(|run| match &run.end {
        RunEnd::Finished(text) => Some(say!(language, cli_rehearsal_end, seed = run.seed, text)),
        RunEnd::Failed(_) => None,
    })
}
