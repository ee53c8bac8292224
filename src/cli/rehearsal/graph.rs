//! What followed what in the runs, as a drawing: columns from the start to the end.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::locale::Language;
use crate::rpg::rehearsal::{CourseNode, NodeKind, Rehearsal};
use crate::statistics::Share;

use super::html::escape;
use crate::cli::output::cells;
use crate::cli::say::say;
use crate::cli::statistics::percent;

/// The size of a node, and the space around it.
const WIDTH: usize = 190;
const HEIGHT: usize = 46;
const GAP: (usize, usize) = (80, 18);
/// A longer name is cut; the tip of its node says all of it.
const NAME_CELLS: usize = 24;

/// The drawing as SVG; empty if nothing ever followed anything.
pub(super) fn graph(language: Language, rehearsal: &Rehearsal) -> String {
    if rehearsal.edges.is_empty() {
        return String::new();
    }
    let places = places(&rehearsal.nodes);
    let end = |part: fn(&(usize, usize)) -> usize| places.iter().map(part).max().unwrap_or(0);
    let (width, height) = (end(|at| at.0) + WIDTH + 4, end(|at| at.1) + HEIGHT + 4);
    let mut svg = format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n"
    );
    for edge in &rehearsal.edges {
        let ends = (places.get(edge.from), places.get(edge.to));
        let (Some(from), Some(to)) = ends else {
            continue;
        };
        let share = Share {
            hits: edge.times,
            of: rehearsal.runs,
        };
        let stroke = 0.6 + 7.0 * share.value().unwrap_or_default().min(1.0);
        let (x1, y1) = (from.0 + WIDTH, from.1 + HEIGHT / 2);
        let (x2, y2) = (to.0, to.1 + HEIGHT / 2);
        let bend = GAP.0 / 2 + x2.abs_diff(x1) / 4;
        let (c1, c2) = (x1 + bend, x2 as i64 - bend as i64);
        let name = |index: usize| rehearsal.nodes.get(index).map(|node| label(language, node));
        let (a, b) = (name(edge.from), name(edge.to));
        let tip = format!(
            "{} → {}: {}",
            a.unwrap_or_default(),
            b.unwrap_or_default(),
            edge.times
        );
        // Writing to a string never fails.
        let _ = writeln!(
            svg,
            "<path d=\"M{x1} {y1}C{c1} {y1} {c2} {y2} {x2} {y2}\" stroke-width=\"{stroke:.1}\"><title>{}</title></path>",
            escape(&tip)
        );
    }
    for (node, (x, y)) in rehearsal.nodes.iter().zip(&places) {
        let class = match node.kind {
            NodeKind::Start => "start",
            NodeKind::Scene => "scene",
            NodeKind::Choice | NodeKind::Vote => "choice",
            NodeKind::Fight => "fight",
            NodeKind::Ending => "ending",
        };
        let name = label(language, node);
        let (tip, short) = (escape(&name), escape(&shortened(&name)));
        let (share, middle) = (percent(node.runs), x + WIDTH / 2);
        let (first, second) = (y + 20, y + 37);
        let _ = writeln!(
            svg,
            "<g class=\"{class}\"><title>{tip}</title><rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\"/>\
             <text x=\"{middle}\" y=\"{first}\" text-anchor=\"middle\">{short}</text>\
             <text class=\"runs\" x=\"{middle}\" y=\"{second}\" text-anchor=\"middle\">{share}</text></g>"
        );
    }
    svg + "</svg>"
}

/// The upper left corner of each node: its column is when it happened, on average; in a column the
/// most frequent is on top.
fn places(nodes: &[CourseNode]) -> Vec<(usize, usize)> {
    let mut columns = BTreeMap::<u64, Vec<usize>>::new();
    for (index, node) in nodes.iter().enumerate() {
        let position = node.position.value().unwrap_or_default();
        columns
            .entry(position.round() as u64)
            .or_default()
            .push(index);
    }
    let mut places = vec![(0, 0); nodes.len()];
    for (column, mut members) in columns.into_values().enumerate() {
        members.sort_by_key(|index| (std::cmp::Reverse(nodes[*index].runs.hits), *index));
        for (row, index) in members.into_iter().enumerate() {
            places[index] = (2 + column * (WIDTH + GAP.0), 2 + row * (HEIGHT + GAP.1));
        }
    }
    places
}

fn label(language: Language, node: &CourseNode) -> String {
    match node.kind {
        NodeKind::Start => say!(language, cli_rehearsal_start),
        _ => node.name.clone(),
    }
}

fn shortened(name: &str) -> String {
    if cells(name) <= NAME_CELLS {
        return name.to_owned();
    }
    let mut short = String::new();
    for character in name.chars() {
        short.push(character);
        if cells(&short) >= NAME_CELLS {
            break;
        }
    }
    short + "…"
}
