//! Facts, and the book of all facts of a world.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Knowledge;
use crate::world_data::prose;

/// Who knows a fact when the story begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum KnownBy {
    /// Everyone, for the whole story.
    Everyone,
    /// Only these, by name.
    Only(Vec<String>),
}

impl Default for KnownBy {
    fn default() -> Self {
        Self::Only(Vec::new())
    }
}

/// What happens to a public text that gives a fact or another secret away.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum SecretAction {
    /// It is delivered, marked as suspicious.
    #[serde(alias = "Flag")]
    Flag,
    /// The secret is covered.
    #[default]
    #[serde(alias = "Mask")]
    Mask,
    /// It is not delivered.
    #[serde(alias = "Block")]
    Block,
}

/// Something that can be known, told and looked up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Fact {
    /// Its unique short name.
    pub id: String,
    /// What it is about, in a few words that give nothing away.
    pub title: String,
    /// The fact, as those who know it would tell it.
    #[serde(deserialize_with = "prose")]
    pub text: String,
    /// Who knows it at the start.
    pub known_by: KnownBy,
    /// Words that give it away. A speaker who knows the fact tells it by saying them; from any
    /// other they are masked. A `*` stands for up to 40 characters of any kind.
    pub phrases: Vec<String>,
    /// What happens to these words of a speaker who does not know it.
    pub guard: SecretAction,
    /// Words by which those who know it can look it up.
    pub keys: Vec<String>,
    /// Whether it can't be told, not even by those who know it.
    pub sworn: bool,
    /// The id of the fact that can't be true if this one is.
    pub contradicts: String,
}

impl Fact {
    /// Whether everyone knows it, for the whole story.
    pub fn is_common(&self) -> bool {
        self.known_by == KnownBy::Everyone
    }

    /// Whether it is about an entity or a thing of this name: it says the name, or its first word.
    pub fn tells_of(&self, name: &str) -> bool {
        let first = name.split_whitespace().next().unwrap_or(name);
        let is_whole = |text: &str, start: usize, word: &str| {
            let is_letter =
                |next: Option<char>| next.is_some_and(|letter| letter.is_ascii_alphanumeric());
            let (before, after) = (text.get(..start), text.get(start + word.len()..));
            !is_letter(before.and_then(|before| before.chars().next_back()))
                && !is_letter(after.and_then(|after| after.chars().next()))
        };
        // Articles begin the names of places.
        let is_article = ["the", "a", "an", "of"].contains(&first.to_lowercase().as_str());
        let words = [name, if is_article { name } else { first }];
        let texts = [&self.title, &self.text].into_iter().chain(&self.phrases);
        texts.chain(&self.keys).any(|text| {
            let mut found = words
                .iter()
                .flat_map(|word| text.match_indices(word).map(|(start, _)| (start, *word)));
            found.any(|(start, word)| is_whole(text, start, word))
        })
    }

    /// Whether the entity of this name knows it at the start.
    pub fn is_known_at_start(&self, name: &str) -> bool {
        match &self.known_by {
            KnownBy::Everyone => true,
            KnownBy::Only(names) => names.iter().any(|known| known == name),
        }
    }
}

/// All facts of a world: those of its file in order, then those that play made, which
/// [`MadeFacts`](super::MadeFacts) saves. The others are data, not state.
#[derive(Resource, Clone, Debug, Default)]
pub struct FactBook {
    facts: Vec<Arc<Fact>>,
    by_id: BTreeMap<Arc<str>, usize>,
    /// By id of a fact, those that contradict it.
    denied_by: BTreeMap<Arc<str>, Vec<usize>>,
}

impl FactBook {
    /// A book of these facts. Of facts with the same id, the first counts.
    pub fn new(facts: impl IntoIterator<Item = Fact>) -> Self {
        let mut book = Self::default();
        facts.into_iter().for_each(|fact| book.add(fact));
        book
    }

    /// Adds a fact unless there is one with its id.
    pub(super) fn add(&mut self, fact: Fact) {
        let id: Arc<str> = fact.id.as_str().into();
        if !self.by_id.contains_key(&id) {
            let number = self.facts.len();
            if !fact.contradicts.is_empty() {
                let denied = self.denied_by.entry(fact.contradicts.as_str().into());
                denied.or_default().push(number);
            }
            self.by_id.insert(id, number);
            self.facts.push(Arc::new(fact));
        }
    }

    /// All facts, in order.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Fact>> {
        self.facts.iter()
    }

    pub fn get(&self, id: &str) -> Option<&Arc<Fact>> {
        self.facts.get(*self.by_id.get(id)?)
    }

    /// The facts that can't be true if this one is, of those that an entity knows.
    pub fn denials<'a>(
        &'a self,
        fact: &'a Fact,
        knowledge: &'a Knowledge,
    ) -> impl Iterator<Item = &'a Arc<Fact>> {
        let contradicted = Some(fact.contradicts.as_str()).filter(|id| !id.is_empty());
        let denied = contradicted.and_then(|id| self.by_id.get(id));
        let denying = self.denied_by.get(fact.id.as_str());
        let mut numbers: Vec<usize> = denied
            .into_iter()
            .chain(denying.into_iter().flatten())
            .copied()
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        let facts = numbers
            .into_iter()
            .filter_map(|number| self.facts.get(number));
        facts.filter(|known| known.is_common() || knowledge.knows(&known.id))
    }

    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// What an entity knows when the story begins. Common facts are not in it: everyone knows them
    /// anyway.
    pub fn known_at_start(&self, name: &str) -> Knowledge {
        let known = self
            .facts
            .iter()
            .filter(|fact| !fact.is_common())
            .filter(|fact| fact.is_known_at_start(name));
        Knowledge::at_start(known.map(|fact| fact.id.as_str()))
    }

    /// What an entity finds for a question: the facts that the question names by title or key and
    /// that are common or known to it.
    pub fn find<'a>(
        &'a self,
        knowledge: Option<&'a Knowledge>,
        question: &str,
    ) -> impl Iterator<Item = &'a Arc<Fact>> {
        let question = question.to_lowercase();
        let is_known = move |fact: &&Arc<Fact>| {
            fact.is_common() || knowledge.is_some_and(|knowledge| knowledge.knows(&fact.id))
        };
        let asks_for = move |subject: &String| {
            !subject.is_empty() && question.contains(&subject.to_lowercase())
        };
        let open = self.facts.iter().filter(is_known);
        open.filter(move |fact| asks_for(&fact.title) || fact.keys.iter().any(&asks_for))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_found_by_key_and_only_by_those_who_know_them() {
        let fact = |id: &str, known_by| Fact {
            id: id.into(),
            title: format!("About {id}"),
            keys: vec!["bell".into()],
            known_by,
            ..Fact::default()
        };
        let only = KnownBy::Only(vec!["Ann".into()]);
        let book = FactBook::new([fact("crack", only), fact("bell", KnownBy::Everyone)]);
        let found = |name: &str, question: &str| {
            let knowledge = book.known_at_start(name);
            let found = book.find(Some(&knowledge), question);
            found.map(|fact| fact.id.clone()).collect::<Vec<_>>()
        };
        assert_eq!(found("Ann", "Who cast the Bell?"), ["crack", "bell"]);
        assert_eq!(found("Bob", "Who cast the Bell?"), ["bell"]);
        assert!(found("Ann", "soup").is_empty());
    }

    #[test]
    fn whoever_knows_two_facts_that_deny_each_other_sees_it_from_both_sides() {
        let fact = |id: &str, contradicts: &str| Fact {
            id: id.into(),
            contradicts: contradicts.into(),
            ..Fact::default()
        };
        let book = FactBook::new([fact("truth", ""), fact("rumour", "truth"), fact("soup", "")]);
        let denied = |id: &str, knows: &[&str]| {
            let knowledge = Knowledge::at_start(knows.iter().copied());
            let fact = book.get(id).expect("is in it");
            let denials = book.denials(fact, &knowledge);
            denials.map(|fact| fact.id.clone()).collect::<Vec<_>>()
        };
        assert_eq!(denied("truth", &["truth", "rumour"]), ["rumour"]);
        assert_eq!(denied("rumour", &["truth", "rumour"]), ["truth"]);
        assert!(denied("truth", &["truth", "soup"]).is_empty());
    }
}
