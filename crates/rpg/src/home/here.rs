//! Who and what is here.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::Whereabouts;

use crate::drama::{Belongings, Item, StoryData};
use crate::talk::Talk;

/// The living who are on a stage and have not left it in this round.
pub(crate) fn present(whereabouts: &Whereabouts, talk: &Talk, stage: Entity) -> Vec<Entity> {
    let mut living = whereabouts.living_on(stage);
    living.retain(|actor| {
        let name = whereabouts.name(*actor);
        name.is_some_and(|name| !talk.has_left(&name.0))
    });
    living
}

/// The items that an actor has or that lie somewhere, in the order of the world file.
pub(super) fn items_of<'s>(
    story: &'s StoryData,
    belongings: Option<&'s Belongings>,
) -> impl Iterator<Item = &'s Item> {
    let is_held =
        move |item: &&Item| belongings.is_some_and(|held| held.0.contains(item.name.as_str()));
    story.items.iter().filter(is_held)
}
