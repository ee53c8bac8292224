//! What followed what, over all runs, as a graph.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use playhouse_engine::statistics::{Mean, Share};
use schemars::JsonSchema;
use serde::Serialize;

use super::figures::{Moment, RunFigures};

/// The kinds of nodes of the graph of courses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// Where every run begins.
    Start,
    Scene,
    /// An option of a scene that was chosen.
    Choice,
    /// A dungeon that won a vote, or to stay.
    Vote,
    Fight,
    Ending,
}

/// Something that happened in at least one run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CourseNode {
    pub kind: NodeKind,
    /// The id of a scene or an ending, `scene: option` of a choice, the stage of a fight; empty for
    /// the start.
    pub name: String,
    /// Of the runs, those in which it happened.
    pub runs: Share,
    /// How many turns with something had passed before it.
    pub position: Mean,
}

/// Something that directly followed something else, in at least one run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CourseEdge {
    pub from: usize,
    pub to: usize,
    /// How often it did, in all runs.
    pub times: u64,
}

/// What happened after what, over all runs.
#[derive(Default)]
pub(super) struct Course {
    /// How often it happened in how many runs, and when.
    nodes: IndexMap<(NodeKind, String), (u64, Mean)>,
    edges: BTreeMap<(usize, usize), u64>,
}

impl Course {
    pub(super) fn add(&mut self, run: &RunFigures) {
        let start = (NodeKind::Start, String::new());
        let moments = run.course.iter().map(|moment| match moment {
            Moment::Scene { id, .. } => (NodeKind::Scene, id.clone()),
            Moment::Choice { scene, option, .. } => {
                (NodeKind::Choice, format!("{scene}: {option}"))
            }
            Moment::Vote { result } => (NodeKind::Vote, result.clone()),
            Moment::Fight { stage, .. } => (NodeKind::Fight, stage.clone()),
        });
        let ending = run.ending.clone().map(|ending| (NodeKind::Ending, ending));
        let nodes = std::iter::once(start).chain(moments).chain(ending);
        let mut seen = BTreeSet::new();
        // Scenes that begin side by side come one after the other in a run, and so do the choices
        // in them.
        let (mut before, mut now) = (Vec::new(), Vec::new());
        let (mut position, mut kind) = (0, NodeKind::Start);
        for node in nodes {
            if node.0 != kind {
                (position, kind) = (position + 1, node.0);
                before = std::mem::take(&mut now);
            }
            let entry = self.nodes.entry(node);
            let index = entry.index();
            let (runs, positions) = entry.or_default();
            *runs += u64::from(seen.insert(index));
            positions.add(f64::from(position));
            now.push(index);
            for last in self.leading_to(index, &before) {
                *self.edges.entry((last, index)).or_default() += 1;
            }
        }
    }

    /// Which of the nodes of the turn before lead to a node: to a choice its scene, else all.
    fn leading_to(&self, node: usize, before: &[usize]) -> Vec<usize> {
        let key = |index: &usize| self.nodes.get_index(*index).map(|(key, _)| key);
        let scene = key(&node).filter(|(kind, _)| *kind == NodeKind::Choice);
        let scene = scene.and_then(|(_, name)| name.split_once(": "));
        let is_its = |index: &&usize| match (scene, key(index)) {
            (Some((scene, _)), Some((NodeKind::Scene, id))) => id == scene,
            _ => true,
        };
        before.iter().filter(is_its).copied().collect()
    }

    /// The graph of this number of runs.
    pub(super) fn graph(self, of: u64) -> (Vec<CourseNode>, Vec<CourseEdge>) {
        let nodes = self.nodes.into_iter();
        let nodes = nodes.map(|((kind, name), (hits, position))| CourseNode {
            kind,
            name,
            runs: Share { hits, of },
            position,
        });
        let edges = self.edges.into_iter();
        let edges = edges.map(|((from, to), times)| CourseEdge { from, to, times });
        (nodes.collect(), edges.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_side_by_side_is_in_one_turn() {
        let scene = |id: &str| Moment::Scene {
            id: id.into(),
            day: 1,
        };
        let choice = |scene: &str| Moment::Choice {
            scene: scene.into(),
            option: "yes".into(),
            who: "Ann".into(),
        };
        let moments = [
            scene("eggs"),
            scene("bowls"),
            choice("eggs"),
            choice("bowls"),
        ];
        let mut course = Course::default();
        course.add(&RunFigures {
            course: moments.to_vec(),
            ..RunFigures::default()
        });
        let (nodes, edges) = course.graph(1);
        let positions = nodes.iter().map(|node| node.position.value().unwrap());
        assert_eq!(Vec::from_iter(positions), [0.0, 1.0, 1.0, 2.0, 2.0]);
        let edges = edges.iter().map(|edge| (edge.from, edge.to));
        assert_eq!(Vec::from_iter(edges), [(0, 1), (0, 2), (1, 3), (2, 4)]);
    }
}
