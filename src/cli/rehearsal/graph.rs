//! What followed what in the runs, as a drawing: from the start on top down to the end, what
//! belongs to one turn side by side.

use crate::cli::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;

use crate::rpg::rehearsal::{CourseNode, NodeKind, Rehearsal};
use crate::statistics::Share;

use super::html::escape;
use crate::cli::output::cells;
use crate::cli::statistics::percent;

/// The size of a node, and the space around it.
const WIDTH: usize = 190;
const HEIGHT: usize = 46;
const GAP: (usize, usize) = (24, 44);
/// So many nodes stand side by side; this fits into 1,300 pixels.
const IN_ROW: usize = 6;
/// A longer name is cut; the tip of its node says all of it.
const NAME_CELLS: usize = 24;

/// The drawing as SVG; empty if nothing ever followed anything.
pub(super) fn graph(language: Language, rehearsal: &Rehearsal) -> String {
    if rehearsal.edges.is_empty() {
        return String::new();
    }
    let places = places(&rehearsal.nodes);
    let end = |part: fn(&(usize, usize)) -> usize| places.iter().map(part).max().unwrap_or(0);
    let (width, height) = (
        end(|place| place.0) + WIDTH + 4,
        end(|place| place.1) + HEIGHT + 4,
    );
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
        let (x1, y1) = (from.0 + WIDTH / 2, from.1 + HEIGHT);
        let (x2, y2) = (to.0 + WIDTH / 2, to.1);
        let bend = GAP.1 / 2 + y2.abs_diff(y1) / 4;
        let (c1, c2) = (y1 + bend, y2 as i64 - bend as i64);
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
            "<path d=\"M{x1} {y1}C{x1} {c1} {x2} {c2} {x2} {y2}\" stroke-width=\"{stroke:.1}\"><title>{}</title></path>",
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

/// The upper left corner of each node: its row is when it happened, on average; in a row the most
/// frequent comes first.
fn places(nodes: &[CourseNode]) -> Vec<(usize, usize)> {
    let mut turns = BTreeMap::<u64, Vec<usize>>::new();
    for (index, node) in nodes.iter().enumerate() {
        let position = node.position.value().unwrap_or_default();
        let turn = turns.entry(position.round() as u64).or_default();
        turn.push(index);
    }
    let mut places = vec![(0, 0); nodes.len()];
    let mut row = 0;
    for mut members in turns.into_values() {
        members.sort_by_key(|index| (std::cmp::Reverse(nodes[*index].runs.hits), *index));
        for line in members.chunks(IN_ROW) {
            for (column, index) in line.iter().enumerate() {
                places[*index] = (2 + column * (WIDTH + GAP.0), 2 + row * (HEIGHT + GAP.1));
            }
            row += 1;
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
