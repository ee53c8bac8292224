//! Scenes and options that wait for each other: which of them can never come about.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::prospects::{Around, Moment, Node, Prospects};
use crate::drama::{Cases, Condition, PARTY, Scene};
use crate::world_file::types::WorldFile;

/// What all scenes and options wait for, each a node.
#[derive(Default)]
struct Graph<'a> {
    nodes: Vec<Node<'a>>,
    numbers: BTreeMap<Node<'a>, usize>,
    /// The cases of each: the nodes that must have come about first.
    cases: Vec<Vec<Vec<usize>>>,
}

/// Finds the scenes that can never open and the options that nobody can ever take.
pub(super) fn find<'a>(world: &'a WorldFile, prospects: &mut Prospects<'a>) {
    let graph = Graph::of(world, prospects);
    let possible = graph.possible();
    let never = graph.nodes.iter().zip(&possible);
    let never = never.filter(|(_, possible)| !**possible);
    prospects.never = never.map(|(node, _)| *node).collect();
    for circle in graph.circles(&possible) {
        let mut scenes: Vec<&str> = circle.into_iter().map(|(scene, _)| scene).collect();
        scenes.sort_unstable();
        scenes.dedup();
        let scenes = Rc::new(scenes);
        for scene in scenes.iter() {
            prospects.circles.insert(scene, scenes.clone());
        }
    }
}

/// That the only one who may decide is there.
pub(super) fn presence(scene: &Scene) -> Option<Condition> {
    match scene.choice.as_ref()?.who.as_slice() {
        [who] if who != PARTY => Some(Condition::At(who.clone(), scene.at.clone())),
        _ => None,
    }
}

/// Whether somebody who may decide may be there.
pub(super) fn may_be_decided(scene: &Scene, prospects: &Prospects<'_>) -> bool {
    let who = scene.choice.iter().flat_map(|choice| &choice.who);
    let mut who = who.peekable();
    who.peek().is_none() || who.any(|who| prospects.may_be_at(who, &scene.at))
}

impl<'a> Graph<'a> {
    fn of(world: &'a WorldFile, prospects: &Prospects<'a>) -> Self {
        let mut graph = Self::default();
        for scene in &world.scenes {
            graph.add((&scene.id, None));
            for option in scene.choice.iter().flat_map(|choice| &choice.options) {
                graph.add((&scene.id, Some(&option.id)));
            }
        }
        for scene in &world.scenes {
            let opening = Around {
                prospects,
                moment: Moment::Opening(scene),
            };
            let cases = Cases::of(&[(&scene.when, true)], &opening);
            let needed = graph.needed(cases, None);
            graph.cases.push(needed);
            let choice = Around {
                prospects,
                moment: Moment::Choice(scene),
            };
            let presence = presence(scene);
            let may_be_decided = may_be_decided(scene, prospects);
            let own = graph.numbers.get(&(scene.id.as_str(), None)).copied();
            for option in scene.choice.iter().flat_map(|choice| &choice.options) {
                let mut conditions = vec![(&option.when, true)];
                conditions.extend(presence.as_ref().map(|presence| (presence, true)));
                let cases = Cases::of(&conditions, &choice);
                let needed = if may_be_decided {
                    graph.needed(cases, own)
                } else {
                    Vec::new()
                };
                graph.cases.push(needed);
            }
        }
        graph
    }

    fn add(&mut self, node: Node<'a>) {
        let number = self.nodes.len();
        self.nodes.push(node);
        self.numbers.entry(node).or_insert(number);
    }

    /// The nodes that must have come about in each case.
    fn needed(&self, cases: Option<Cases<'_>>, also: Option<usize>) -> Vec<Vec<usize>> {
        let Some(cases) = cases else {
            // What is not understood needs nothing.
            return vec![also.into_iter().collect()];
        };
        let node = |condition: &Condition| match condition {
            Condition::Happened(scene) => self.numbers.get(&(scene.as_str(), None)).copied(),
            Condition::Chose(scene, option) => {
                let node = (scene.as_str(), Some(option.as_str()));
                self.numbers.get(&node).copied()
            }
            _ => None,
        };
        let cases = cases.required().map(|case| {
            let needed = case.into_iter().filter_map(node);
            needed.chain(also).collect()
        });
        cases.collect()
    }

    /// Which nodes can come about, one after the other.
    fn possible(&self) -> Vec<bool> {
        let mut possible = vec![false; self.nodes.len()];
        let mut waiting: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.nodes.len()];
        let mut missing: Vec<Vec<usize>> = Vec::new();
        let mut ready = Vec::new();
        for (node, cases) in self.cases.iter().enumerate() {
            for (case, needed) in cases.iter().enumerate() {
                for other in needed {
                    if let Some(waiting) = waiting.get_mut(*other) {
                        waiting.push((node, case));
                    }
                }
                if needed.is_empty() {
                    ready.push(node);
                }
            }
            missing.push(cases.iter().map(Vec::len).collect());
        }
        while let Some(node) = ready.pop() {
            match possible.get_mut(node) {
                Some(possible) if !*possible => *possible = true,
                _ => continue,
            }
            for (node, case) in waiting.get(node).into_iter().flatten() {
                let missing = missing
                    .get_mut(*node)
                    .and_then(|cases| cases.get_mut(*case));
                let Some(missing) = missing else { continue };
                *missing -= 1;
                if *missing == 0 {
                    ready.push(*node);
                }
            }
        }
        possible
    }

    /// The circles among those that wait in vain.
    fn circles(&self, possible: &[bool]) -> Vec<Vec<Node<'a>>> {
        let can_be = |node: usize| possible.get(node).copied().unwrap_or(true);
        let waits_for = |node: usize| {
            let cases = self.cases.get(node).into_iter().flatten();
            let mut needed = cases.flatten().copied();
            needed.find(|needed| !can_be(*needed))
        };
        let mut seen = vec![0; self.nodes.len()];
        let mut circles = Vec::new();
        for start in (0..self.nodes.len()).filter(|node| !can_be(*node)) {
            let mut way = Vec::new();
            let mut next = Some(start);
            while let Some(node) = next
                && let Some(seen) = seen.get_mut(node).filter(|seen| **seen == 0)
            {
                *seen = start + 1;
                way.push(node);
                next = waits_for(node);
            }
            let Some(again) = next else { continue };
            if let Some(first) = way.iter().position(|node| *node == again) {
                let circle = way.iter().skip(first);
                let circle = circle.filter_map(|node| self.nodes.get(*node).copied());
                circles.push(circle.collect());
            }
        }
        circles
    }
}
