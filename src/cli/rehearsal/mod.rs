//! What a rehearsal came to: the same tables on a terminal and in a page.
//!
//! `sections.rs` makes tables of figures; [`write`] prints them, `page.rs` puts them into a page
//! with bars, and `graph.rs` draws what followed what.

use crate::cli::prelude::*;
mod graph;
mod html;
mod page;
mod report;
mod sections;

use self::report::{found, one_end};
use self::sections::{Cell, Section, map, sections, why_told, whys};
use super::statistics::with_interval;
use crate::page::{Column, Table};

pub(crate) use self::page::page;
pub(crate) use self::report::{PricedAs, Report};

/// Writes all tables, and how one story ended.
pub(crate) fn write(out: &mut Output, language: Language, report: &Report<'_>) {
    if let Some(name) = report.why {
        return write_why(out, language, report, name);
    }
    if report.map {
        return write_sections(out, map(language, &report.rehearsal.drama));
    }
    if let Some(found) = found(language, report) {
        return out.paragraph(&Paragraph::default().plain(found));
    }
    write_sections(out, sections(language, report));
    out.paragraph(&Paragraph::blank());
    if let Some(end) = one_end(language, report) {
        out.paragraph(&Paragraph::default().plain(end));
        out.paragraph(&Paragraph::blank());
    }
    out.paragraph(&Paragraph::of(Style::Dim, say!(language, cli_stat_note)));
}

/// All tables and the map as a story's page shows them.
pub(crate) fn tables(language: Language, report: &Report<'_>) -> Vec<Table> {
    let map = map(language, &report.rehearsal.drama);
    let sections = sections(language, report).into_iter().chain(map);
    let table = |section: Section| Table {
        title: section.title,
        columns: section
            .columns
            .into_iter()
            .map(|(name, side)| Column {
                name,
                number: side == Alignment::Right,
            })
            .collect(),
        rows: section
            .rows
            .into_iter()
            .map(|row| row.into_iter().map(written).collect())
            .collect(),
    };
    sections.map(table).collect()
}

fn written(cell: Cell) -> String {
    match cell {
        Cell::Text(text) => text,
        Cell::Share(share) => with_interval(share),
    }
}

/// Writes what was missing of something that has this name.
fn write_why(out: &mut Output, language: Language, report: &Report<'_>, name: &str) {
    let told = why_told(language, &report.rehearsal.drama, name);
    let whys = whys(language, report.rehearsal, name);
    if whys.is_empty() && told.is_empty() {
        out.paragraph(&Paragraph::default().plain(say!(language, cli_rehearsal_always, name)));
    }
    for words in told {
        out.paragraph(&Paragraph::default().plain(words));
    }
    for (words, table) in whys {
        out.paragraph(&Paragraph::blank());
        out.paragraph(&Paragraph::default().plain(words));
        write_sections(out, vec![table]);
    }
}

fn write_sections(out: &mut Output, sections: Vec<Section>) {
    for section in sections {
        out.paragraph(&Paragraph::blank());
        out.paragraph(&Paragraph::of(Style::Bold, &section.title));
        let rows = section
            .rows
            .into_iter()
            .map(|row| row.into_iter().map(written));
        TextTable::of(section.columns, rows).write(out);
    }
}
