//! What games add to the picture of a world.
//!
//! A game registers a type of its own. Code that knows the game finds its picture by the type;
//! pages and commands that don't know it print the members and lists that it gives.

use std::any::Any;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::context::EntryId;
use playhouse_engine::event::EventRecord;
use playhouse_engine::locale::UiText;
use serde_json::{Map, Value, json};

use super::data::{ToldChoice, ToldVote};
use super::state::Being;
use super::view::{Contents, EventEntry};

/// Members of a JSON object.
pub type Members = Map<String, Value>;

/// What a game adds to the picture of its world, and how readers are shown it.
pub trait Picture: Any + Send + Sync {
    fn of(world: &World) -> Self
    where
        Self: Sized;

    /// What stands of an entity in a list, for a reader who may see all of it.
    fn in_list(&self, _being: &Being, _reader: PictureReader) -> Members {
        Members::new()
    }

    /// What stands of an entity on its own page.
    fn alone(&self, _being: &Being, _story: &Contents) -> Members {
        Members::new()
    }

    /// The numbers of the events that told an entity what it is to keep to itself.
    fn secrets(&self, _being: &Being, _story: &Contents) -> Vec<u32> {
        Vec::new()
    }

    /// What an entity believes of another, for a reader who may see all of the first.
    fn beliefs(&self, _pair: [&Being; 2], _story: &Contents, _reader: PictureReader) -> Members {
        Members::new()
    }

    /// Lists of the game, by their names, for a reader.
    fn lists(&self, _reader: PictureReader) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    /// What of an entity's conversation will be archived next.
    fn next_fold(&self, _being: &Being) -> Option<NextFold> {
        None
    }

    /// The call whose choice an event tells, and what could have been chosen instead.
    fn alternatives(&self, _event: &EventEntry, _story: &Contents) -> Option<(u32, Vec<Value>)> {
        None
    }

    /// The choice that an event tells.
    fn told_choice(&self, _event: &EventRecord) -> Option<ToldChoice> {
        None
    }

    /// The votes that an event tells.
    fn told_votes(&self, _event: &EventRecord) -> Vec<ToldVote> {
        Vec::new()
    }

    /// The ending that an event tells, by its id or by who won.
    fn told_ending(&self, _event: &EventRecord) -> Option<String> {
        None
    }

    /// The names of what a host can do in the story now, beside telling its people something.
    fn deeds(&self, _story: &Contents) -> Vec<&'static str> {
        Vec::new()
    }

    /// The input that tells a world of a deed of the host, whose name is under `do`; `None` if the
    /// game has no such deed.
    ///
    /// # Errors
    /// Why it can't be done.
    fn input(&self, _deed: &Value, _story: &Contents) -> Option<Result<Value, UiText>> {
        None
    }
}

/// Members that a page shows under these labels.
pub fn notes<'n>(rows: impl IntoIterator<Item = (&'n str, String)>) -> Members {
    let rows = rows.into_iter().map(|(label, value)| json!([label, value]));
    Members::from_iter([("notes".to_owned(), rows.collect())])
}

/// Who is shown a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureReader {
    /// One who sees everything.
    Host,
    /// The player of this entity.
    Seat(u32),
}

/// What of a conversation is archived next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextFold {
    /// The first and the last message.
    pub messages: (EntryId, EntryId),
    /// How many tokens the past has that can be archived.
    pub past: u64,
    /// How many it may have.
    pub most: u64,
}

/// The pictures that the games of a world take.
#[derive(Resource, Default)]
struct PictureTypes(Vec<fn(&World) -> Arc<dyn Picture>>);

pub fn register_picture<P: Picture>(world: &mut World) {
    let mut types = world.get_resource_or_init::<PictureTypes>();
    types.0.push(|world| Arc::new(P::of(world)));
}

/// The pictures of the games of a world.
#[derive(Clone, Default)]
pub struct Pictures(Vec<Arc<dyn Picture>>);

impl Pictures {
    pub(super) fn of(world: &World) -> Self {
        let types = world.get_resource::<PictureTypes>();
        let types = types.into_iter().flat_map(|types| &types.0);
        Self(types.map(|take| take(world)).collect())
    }

    /// The picture of this type, if its game is played.
    pub fn get<P: Picture>(&self) -> Option<&P> {
        self.all().find_map(|picture| {
            let picture: &dyn Any = picture;
            picture.downcast_ref()
        })
    }

    /// The pictures of all games that are played in the world.
    pub fn all(&self) -> impl Iterator<Item = &dyn Picture> {
        self.0.iter().map(|picture| &**picture)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Resource)]
    struct Coins(u32);

    struct Purse(u32);

    impl Picture for Purse {
        fn of(world: &World) -> Self {
            Self(world.resource::<Coins>().0)
        }
    }

    struct OfAnotherGame;

    impl Picture for OfAnotherGame {
        fn of(_: &World) -> Self {
            Self
        }
    }

    #[test]
    fn a_picture_is_found_by_its_type() {
        let mut world = World::new();
        world.insert_resource(Coins(3));
        register_picture::<Purse>(&mut world);
        let pictures = Pictures::of(&world);
        assert_eq!(pictures.get().map(|Purse(coins)| *coins), Some(3));
        assert!(pictures.get::<OfAnotherGame>().is_none());
        assert_eq!(pictures.all().count(), 1);
    }
}
