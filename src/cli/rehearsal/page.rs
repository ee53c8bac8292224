//! A rehearsal as one page of HTML that needs nothing else.

use crate::cli::prelude::*;
use std::fmt::Write;

use crate::statistics::Share;

use super::graph::graph;
use super::html::escape;
use super::report::{Report, found, one_end};
use super::sections::{Cell, Section, map, sections};
use crate::cli::statistics::{interval, percent};

const STYLE: &str = include_str!("page.css");

/// The page of a rehearsal, in the language of the interface.
pub(crate) fn page(language: Language, report: &Report<'_>) -> String {
    let mut body = String::new();
    let map = map(language, &report.rehearsal.drama);
    for section in sections(language, report).into_iter().chain(map) {
        add_section(&mut body, language, &section);
    }
    let graph = graph(language, report.rehearsal);
    if !graph.is_empty() {
        let title = escape(&say!(language, cli_rehearsal_course));
        let note = escape(&say!(language, cli_rehearsal_course_note));
        body += &format!(
            "<section><h2>{title}</h2><p class=\"dim\">{note}</p><div class=\"wide\">{graph}</div></section>\n"
        );
    }
    let runs = report.rehearsal.runs;
    let seed = report.runs.first().map_or(0, |run| run.seed);
    let subtitle = escape(&say!(language, cli_rehearsal_subtitle, runs, seed));
    let unmet = unmet(language, report);
    let end = one_end(language, report).unwrap_or_default();
    let found = found(language, report).unwrap_or_default();
    let [name, end, found] = [&report.world.name, &end, &found].map(|text| escape(text));
    let note = escape(&say!(language, cli_stat_note));
    let code = language.code();
    format!(
        "<!doctype html>\n<html lang=\"{code}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{name}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>{name}</h1>\n<p class=\"dim\">{subtitle}</p>\n{unmet}{body}\
         <p>{end}</p>\n<p>{found}</p>\n<p class=\"dim\">{note}</p>\n</main>\n</body>\n</html>\n"
    )
}

/// The expectations that are not met.
fn unmet(language: Language, report: &Report<'_>) -> String {
    if report.unmet.is_empty() {
        return String::new();
    }
    let title = escape(&say!(language, cli_rehearsal_unmet_title));
    let items = report.unmet.iter();
    let items = items.map(|unmet| escape(&unmet.message.in_language(language)));
    let items: String = items.map(|item| format!("<li>{item}</li>")).collect();
    format!("<section class=\"unmet\"><h2>{title}</h2><ul>{items}</ul></section>\n")
}

fn add_section(page: &mut String, language: Language, section: &Section) {
    // Writing to a string never fails.
    let _ = write!(
        page,
        "<section><h2>{}</h2><div class=\"wide\"><table><thead><tr>",
        escape(&section.title)
    );
    for (head, side) in &section.columns {
        let _ = write!(page, "<th class=\"{}\">{}</th>", class(*side), escape(head));
    }
    *page += "</tr></thead><tbody>\n";
    for row in &section.rows {
        *page += "<tr>";
        for (cell, (_, side)) in row.iter().zip(&section.columns) {
            let _ = match cell {
                Cell::Text(text) => {
                    write!(page, "<td class=\"{}\">{}</td>", class(*side), escape(text))
                }
                Cell::Share(share) => {
                    write!(page, "<td class=\"share\">{}</td>", bar(language, *share))
                }
            };
        }
        *page += "</tr>\n";
    }
    *page += "</tbody></table></div></section>\n";
}

fn class(side: Alignment) -> &'static str {
    match side {
        Alignment::Left => "text",
        Alignment::Right => "number",
    }
}

fn bar(language: Language, share: Share) -> String {
    let (Some(value), Some((low, high))) = (share.value(), share.interval()) else {
        return "–".into();
    };
    let [value, low, wide] = [value, low, high - low].map(|part| part * 100.0);
    let (hits, of) = (share.hits, share.of);
    let tip = say!(
        language,
        cli_rehearsal_bar,
        hits,
        of,
        interval = interval(share)
    );
    format!(
        "<span title=\"{}\"><span class=\"value\">{}</span><span class=\"bar\">\
         <i style=\"width:{value:.1}%\"></i><b style=\"left:{low:.1}%;width:{wide:.1}%\"></b></span></span>",
        escape(&tip),
        percent(share),
    )
}
