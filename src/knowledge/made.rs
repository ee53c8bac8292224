//! Facts that play made: what somebody's attempt brought about.

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Fact, FactBook};
use crate::message::cut;

/// The maximum number of characters of the title of a made fact.
const TITLE_CHARS: usize = 60;

/// The facts that play made, oldest first. They are in the [`FactBook`] too, but that is not saved.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MadeFacts(Vec<Fact>);

impl MadeFacts {
    /// The facts, newest first.
    pub fn newest_first(&self) -> impl Iterator<Item = &Fact> {
        self.0.iter().rev()
    }
}

/// What the ids of facts that play made begin with.
const ID: &str = "made-";

/// Whether the fact with this id was made by play.
pub fn is_made(id: &str) -> bool {
    id.starts_with(ID)
}

/// Makes a fact that nobody knows yet, and returns its id. A text that was made a fact before stays
/// that fact. At a meeting, since everybody reads the book.
pub fn make_fact(world: &mut World, text: String) -> String {
    let made = world.get_resource_or_init::<MadeFacts>();
    if let Some(same) = made.0.iter().find(|fact| fact.text == text) {
        return same.id.clone();
    }
    let book = world.resource::<FactBook>();
    let mut ids = (1..).map(|number| format!("{ID}{number}"));
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
        let first = make_fact(&mut world, "The door is open.".into());
        let second = make_fact(&mut world, "The rope holds.".into());
        assert_eq!([&first, &second], ["made-2", "made-3"]);
        assert_eq!(make_fact(&mut world, "The door is open.".into()), first);
        world.insert_resource(FactBook::new([taken()]));
        restore_made_facts(&mut world);
        let book = world.resource::<FactBook>();
        let ids: Vec<_> = book.all().map(|fact| fact.id.as_str()).collect();
        assert_eq!(ids, ["made-1", "made-2", "made-3"]);
        assert_eq!(book.get(&second).expect("is there").text, "The rope holds.");
    }
}
