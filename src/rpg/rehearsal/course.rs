//! What followed what, over all runs, as a graph.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use serde::Serialize;

use super::figures::{Moment, RunFigures};
use crate::statistics::{Mean, Share};

/// The kinds of nodes of the graph of courses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// Where every run begins.
    Start,
    /// A scene.
    Scene,
    /// An option of a scene that was chosen.
    Choice,
    /// A dungeon that won a vote, or to stay.
    Vote,
    /// A fight.
    Fight,
    /// An ending.
    Ending,
}

/// Something that happened in at least one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CourseNode {
    /// Its kind.
    pub kind: NodeKind,
    /// The id of a scene or an ending, `scene: option` of a choice, the stage of a fight; empty for
    /// the start.
    pub name: String,
    /// Of the runs, those in which it happened.
    pub runs: Share,
    /// How many things had happened before it.
    pub position: Mean,
}

/// Something that directly followed something else, in at least one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CourseEdge {
    /// The index of the node before.
    pub from: usize,
    /// The index of the node after.
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
    /// Adds a run.
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
        let ending = run.ending.iter();
        let ending = ending.map(|ending| (NodeKind::Ending, ending.clone()));
        let nodes = std::iter::once(start).chain(moments).chain(ending);
        let mut seen = BTreeSet::new();
        let mut last = None;
        for (position, node) in nodes.enumerate() {
            let entry = self.nodes.entry(node);
            let index = entry.index();
            let (runs, positions) = entry.or_default();
            *runs += u64::from(seen.insert(index));
            positions.add(position as f64);
            if let Some(last) = last.replace(index) {
                *self.edges.entry((last, index)).or_default() += 1;
            }
        }
    }

    /// The graph of so many runs.
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
