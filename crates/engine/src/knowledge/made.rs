//! Facts that play made: the result of an attempt, and where a thing is hidden.

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Fact, FactBook};
use crate::message::{Language, cut};

/// The maximum number of characters of the title of a made fact.
const TITLE_CHARS: usize = 60;

/// The facts that play made, oldest first. They are in the [`FactBook`] too, but that is not saved.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MadeFacts(Vec<Fact>);

impl MadeFacts {
    pub fn newest_first(&self) -> impl Iterator<Item = &Fact> {
        self.0.iter().rev()
    }
}

/// The kinds of facts that play makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadeKind {
    /// What an attempt brought about.
    Outcome,
    /// Where a thing is hidden. It is true as long as the thing is there.
    Hiding,
}

impl MadeKind {
    const ALL: [Self; 2] = [Self::Outcome, Self::Hiding];

    /// What the ids of such facts begin with, before a number. Minds read them.
    fn prefix(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Outcome, Language::En) => "made-",
            (Self::Outcome, Language::Zh) => "见闻",
            (Self::Hiding, Language::En) => "hidden-",
            (Self::Hiding, Language::Zh) => "藏处",
        }
    }

    /// The kind of the fact with this id; `None` if a writer made it.
    pub fn of(id: &str) -> Option<Self> {
        let is_number =
            |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
        let is_id = |kind: &Self| {
            let mut prefixes = [Language::En, Language::Zh]
                .map(|language| kind.prefix(language))
                .into_iter();
            prefixes.any(|prefix| id.strip_prefix(prefix).is_some_and(is_number))
        };
        Self::ALL.into_iter().find(is_id)
    }
}

/// Whether the fact with this id was made by play.
pub fn is_made(id: &str) -> bool {
    MadeKind::of(id).is_some()
}

/// Makes a fact that is unknown to all, and returns its id. A text that was made a fact before
/// stays that fact. At a meeting, since everybody reads the book.
pub fn make_fact(world: &mut World, kind: MadeKind, text: String) -> String {
    let language = world.get_resource().copied().unwrap_or_default();
    let made = world.get_resource_or_init::<MadeFacts>();
    if let Some(same) = made.0.iter().find(|fact| fact.text == text) {
        return same.id.clone();
    }
    let book = world.resource::<FactBook>();
    let prefix = kind.prefix(language);
    let mut ids = (1..).map(|number| format!("{prefix}{number}"));
    let id = ids.find(|id| book.get(id).is_none()).unwrap_or_default();
    let fact = Fact {
        id: id.clone(),
        title: cut(&text, TITLE_CHARS),
        text,
        ..Fact::default()
    };
    world.resource_mut::<MadeFacts>().0.push(fact.clone());
    world.resource_mut::<FactBook>().add(fact);
    id
}

/// Adds the made facts of a save to the book.
pub fn restore_made_facts(world: &mut World) {
    let made = world.get_resource_or_init::<MadeFacts>().clone();
    let mut book = world.get_resource_or_init::<FactBook>();
    for fact in made.0 {
        book.add(fact);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_facts_have_ids_of_their_own_and_come_back_with_a_save() {
        let taken = || Fact {
            id: "made-1".into(),
            ..Fact::default()
        };
        let mut world = World::new();
        world.insert_resource(FactBook::new([taken()]));
        let mut make = |text: &str| make_fact(&mut world, MadeKind::Outcome, text.into());
        let [first, second] = ["The door is open.", "The rope holds."].map(&mut make);
        assert_eq!([&first, &second], ["made-2", "made-3"]);
        assert_eq!(make("The door is open."), first);
        world.insert_resource(FactBook::new([taken()]));
        restore_made_facts(&mut world);
        let book = world.resource::<FactBook>();
        let ids: Vec<_> = book.all().map(|fact| fact.id.as_str()).collect();
        assert_eq!(ids, ["made-1", "made-2", "made-3"]);
        assert_eq!(book.get(&second).expect("is there").text, "The rope holds.");
    }

    #[test]
    fn an_id_tells_what_play_made() {
        for (kind, language, id) in [
            (MadeKind::Outcome, Language::En, "made-1"),
            (MadeKind::Outcome, Language::Zh, "见闻1"),
            (MadeKind::Hiding, Language::En, "hidden-1"),
            (MadeKind::Hiding, Language::Zh, "藏处1"),
        ] {
            let mut world = World::new();
            world.insert_resource(FactBook::default());
            world.insert_resource(language);
            assert_eq!(make_fact(&mut world, kind, "It is so.".into()), id);
            assert_eq!(MadeKind::of(id), Some(kind));
        }
        for of_a_writer in ["", "made-", "made-up", "hidden-way", "见闻录"] {
            assert_eq!(MadeKind::of(of_a_writer), None);
        }
    }
}
