//! Who knows what, and from whom.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use playhouse_engine::cast::Kind;
use playhouse_engine::knowledge::{Fact, Known};
use playhouse_engine::message::{Body, Role};

use super::state::{Being, WorldState};

/// What an entity knows in one of two stories only: the ids of facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnowledgeDifference {
    pub id: u32,
    pub name: Arc<str>,
    /// What it knows in the first story alone.
    pub first: Vec<Arc<str>>,
    /// What it knows in the second story alone.
    pub second: Vec<Arc<str>>,
}

impl WorldState {
    /// Those who know a fact; places, which hear all, are not among them.
    pub fn who_knows<'s>(&'s self, fact: &str) -> impl Iterator<Item = (&'s Being, &'s Known)> {
        let beings = self.beings.iter().filter(|being| being.kind != Kind::Stage);
        beings.filter_map(move |being| Some((being, being.knowledge.value.get(fact)?)))
    }

    /// What an entity knows, in the order of the book of facts.
    pub fn known_by<'s>(
        &'s self,
        being: &'s Being,
    ) -> impl Iterator<Item = (&'s Arc<Fact>, &'s Known)> {
        let facts = self.facts.value.all();
        facts.filter_map(|fact| Some((fact, being.knowledge.value.get(&fact.id)?)))
    }

    /// From whom an entity has a fact, then from whom that one has it, back to the source.
    pub fn sources(&self, fact: &str, known: &Known) -> Vec<Arc<str>> {
        let mut sources = Vec::<Arc<str>>::new();
        let mut next = known.from.clone();
        while let Some(from) = next.filter(|from| !sources.contains(from)) {
            let being = self.named(&from);
            let known = being.and_then(|being| being.knowledge.value.get(fact));
            next = known.and_then(|known| known.from.clone());
            sources.push(from);
        }
        sources
    }
}

impl Being {
    /// The last events that it got from another, or that name it, oldest first; also those that
    /// are in chapters. Questions are not events, and summaries are not news.
    pub fn heard_of(&self, about: &str, most: usize) -> Vec<&Body> {
        let chapters = self.chapters.value.all();
        let summaries: BTreeSet<_> = chapters
            .iter()
            .map(|chapter| chapter.summary.id())
            .collect();
        let past = chapters
            .iter()
            .flat_map(|chapter| &chapter.messages)
            .map(|held| (held.message.role, &held.message.body));
        let now = self.context.value.entries().iter();
        let mut heard: Vec<_> = past
            .chain(now.map(|entry| (entry.role(), entry.body())))
            .filter(|(role, body)| {
                let metadata = body.metadata();
                let is_event = metadata.is_some_and(|metadata| metadata.contains_key("event"));
                let is_by = body.sender().is_some_and(|by| **by == *about);
                *role == Role::Human
                    && is_event
                    && !summaries.contains(&body.id())
                    && (is_by || body.full_text().contains(about))
            })
            .map(|(_, body)| body)
            .collect();
        heard.split_off(heard.len().saturating_sub(most))
    }
}

/// What everybody knows in one of two stories only, by name.
pub fn knowledge_differences(first: &WorldState, second: &WorldState) -> Vec<KnowledgeDifference> {
    let beings = first.beings.iter().chain(&second.beings);
    let named: BTreeMap<_, _> = beings.map(|being| (&being.name, being.id)).collect();
    let only = |name: &str, here: &WorldState, there: &WorldState| {
        let other = there.named(name).map(|being| &being.knowledge.value);
        here.named(name)
            .into_iter()
            .flat_map(|being| being.knowledge.value.all())
            .map(|(fact, _)| fact.clone())
            .filter(|fact| !other.is_some_and(|other| other.knows(fact)))
            .collect()
    };
    named
        .into_iter()
        .map(|(name, id)| KnowledgeDifference {
            id,
            name: name.clone(),
            first: only(name, first, second),
            second: only(name, second, first),
        })
        .filter(|found| !found.first.is_empty() || !found.second.is_empty())
        .collect()
}
