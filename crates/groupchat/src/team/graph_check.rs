//! Finds the problems of a graph of speakers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::checker::{Checker, problem};
use super::graph_file::{Activation, EdgeCondition, EdgeFile, GraphFile};

/// How many edges a graph has: after each message those of its speaker are compared with all.
const MAX_EDGES: usize = 1_000;

/// Reports the problems of a team's graph.
pub(super) fn check_graph(checker: &mut Checker<'_>, graph: &GraphFile) {
    if graph.edges.len() > MAX_EDGES {
        return problem!(checker, "selection.edges":
            groupchat_too_many_edges(max = MAX_EDGES); groupchat_help_fewer_edges);
    }
    if checker.names.is_empty() {
        return;
    }
    check_edges(checker, graph);
    check_conditions(checker, graph);
    check_groups(checker, graph);
    check_reach(checker, graph);
    check_cycles(checker, graph);
}

fn check_edges(checker: &mut Checker<'_>, graph: &GraphFile) {
    for (index, edge) in graph.edges.iter().enumerate() {
        let path = format!("selection.edges[{index}]");
        for (field, name) in [("from", &edge.from), ("to", &edge.to)] {
            if !checker.names.contains(&name.as_str()) {
                checker.unknown_participant(&format!("{path}.{field}"), name);
            }
        }
        if matches!(&edge.when, EdgeCondition::Mentions(text) if text.is_empty()) {
            problem!(checker, "{path}.when":
                groupchat_condition_empty_text; groupchat_help_edge_text);
        }
    }
    if !graph.entry.is_empty() && !checker.names.contains(&graph.entry.as_str()) {
        checker.unknown_participant("selection.entry", &graph.entry);
    }
}

/// Either all edges from a speaker have a condition, or none has.
fn check_conditions(checker: &mut Checker<'_>, graph: &GraphFile) {
    let mut has_condition: BTreeMap<&str, BTreeSet<bool>> = BTreeMap::new();
    for edge in &graph.edges {
        let found = has_condition.entry(&edge.from).or_default();
        found.insert(edge.when != EdgeCondition::Always);
    }
    for (from, found) in has_condition {
        if found.len() > 1 {
            problem!(checker, "selection":
                groupchat_mixed_edges(name = from); groupchat_help_condition_for_all);
        }
    }
}

/// All edges of a group have the same activation.
fn check_groups(checker: &mut Checker<'_>, graph: &GraphFile) {
    let mut activations: BTreeMap<(&str, &str), BTreeSet<Activation>> = BTreeMap::new();
    for edge in &graph.edges {
        let found = activations.entry((&edge.to, edge.group())).or_default();
        found.insert(edge.activation);
    }
    for ((to, group), found) in activations {
        if found.len() > 1 {
            problem!(checker, "selection":
                groupchat_group_conflict(group, name = to); groupchat_help_activation);
        }
    }
}

/// A participant begins, each can be reached, and one is last.
fn check_reach(checker: &mut Checker<'_>, graph: &GraphFile) {
    let names = checker.names.clone();
    let mut open = graph.starts(&names);
    if open.is_empty() {
        problem!(checker, "selection": groupchat_no_start; groupchat_help_entry);
    } else {
        let mut reached: BTreeSet<&str> = open.iter().copied().collect();
        while let Some(from) = open.pop() {
            for edge in graph.edges.iter().filter(|edge| edge.from == from) {
                if reached.insert(&edge.to) {
                    open.push(&edge.to);
                }
            }
        }
        for name in names.iter().filter(|name| !reached.contains(**name)) {
            problem!(checker, "selection": groupchat_unreachable(name); groupchat_help_edge_to);
        }
    }
    let has_edge_from = |name: &str| graph.edges.iter().any(|edge| edge.from == name);
    if names.iter().all(|name| has_edge_from(name)) {
        problem!(checker, "selection": groupchat_no_exit; groupchat_help_exit);
    }
}

/// Every cycle has a way out.
fn check_cycles(checker: &mut Checker<'_>, graph: &GraphFile) {
    let edges = graph.edges.iter();
    let unconditional = edges.filter(|edge| edge.when == EdgeCondition::Always);
    for cycle in cycles(&unconditional.collect::<Vec<_>>()) {
        let cycle = cycle.join(" > ");
        problem!(checker, "selection":
            groupchat_endless_cycle(cycle); groupchat_help_condition_on_cycle);
    }
}

/// Whether a participant may speak again.
pub(super) fn has_cycle(graph: &GraphFile) -> bool {
    let edges: Vec<_> = graph.edges.iter().take(MAX_EDGES).collect();
    !cycles(&edges).is_empty()
}

/// For each speaker, a shortest cycle of which it is the first by name, if there is one. So every
/// cycle has at least one edge to a speaker of a cycle that is found.
fn cycles<'g>(edges: &[&'g EdgeFile]) -> Vec<Vec<&'g str>> {
    let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for edge in edges {
        next.entry(&edge.from).or_default().push(&edge.to);
    }
    next.keys()
        .filter_map(|start| shortest_cycle(&next, start))
        .collect()
}

/// A shortest cycle from `start` through speakers that come after it by name.
fn shortest_cycle<'g>(
    next: &BTreeMap<&'g str, Vec<&'g str>>,
    start: &'g str,
) -> Option<Vec<&'g str>> {
    let mut open = VecDeque::from([start]);
    // Whom each speaker that was reached comes after.
    let mut before: BTreeMap<&str, &'g str> = BTreeMap::new();
    while let Some(from) = open.pop_front() {
        for to in next.get(from).into_iter().flatten().copied() {
            if to == start {
                let mut path = vec![from];
                while let Some(earlier) = path.last().and_then(|last| before.get(last)) {
                    path.push(earlier);
                }
                path.reverse();
                return Some(path);
            }
            if to > start && !before.contains_key(to) {
                before.insert(to, from);
                open.push_back(to);
            }
        }
    }
    None
}
