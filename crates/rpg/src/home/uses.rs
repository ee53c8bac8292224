//! The uses of items: checked at meetings, when conditions can be, and offered to those who could
//! make them.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{Kind, all_of};

use crate::drama::{Effect, History, ItemUse, StoryData};
use crate::scenes::effects::{Cause, apply_effects};

/// On stages: the uses whose conditions held when the world last met. It follows from the rest at
/// each meeting, so it is not saved.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OpenUses {
    /// The items, and which of their uses.
    open: Vec<(Arc<str>, usize)>,
    /// The items that a use takes away at the next meeting.
    spent: Vec<Arc<str>>,
}

impl OpenUses {
    /// The uses that are open, of items that are at hand with what is there.
    pub(crate) fn offered<'s>(
        &self,
        story: &'s StoryData,
        is_at_hand: impl Fn(&str) -> bool,
        is_there: impl Fn(&str) -> bool,
    ) -> Vec<OfferedUse<'s>> {
        let open = self.open.iter().filter(|(item, _)| is_at_hand(item));
        let open = open.filter_map(|(item, number)| {
            let (item, number) = (story.item(item)?, *number);
            let does = item.uses.get(number)?;
            let fits = does.with.is_empty() || is_there(&does.with);
            fits.then_some(OfferedUse {
                item: &item.name,
                number,
                does,
            })
        });
        open.collect()
    }

    /// Closes a use that an actor makes until the next meeting.
    pub(crate) fn close(&mut self, used: &str, number: usize, does: &ItemUse) {
        let is_it = |open: &(Arc<str>, usize)| *open.0 == *used && open.1 == number;
        self.open.retain(|open| !is_it(open));
        let moves = |effect: &Effect| match effect {
            Effect::Give(item, _)
            | Effect::Put(item, _)
            | Effect::Destroy(item)
            | Effect::Become(item, _) => item == used,
            _ => false,
        };
        if does.effects.iter().any(moves) {
            self.spent.push(used.into());
        }
    }

    /// Whether an item has been used and will be gone from where it is.
    pub(super) fn is_spent(&self, item: &str) -> bool {
        self.spent.iter().any(|spent| **spent == *item)
    }
}

pub(crate) struct OfferedUse<'s> {
    pub(crate) item: &'s str,
    pub(crate) number: usize,
    pub(crate) does: &'s ItemUse,
}

/// Looks which uses are open now. At a meeting.
pub(crate) fn open_uses(world: &mut World) {
    let story = world.resource::<StoryData>();
    if story.items.iter().all(|item| item.uses.is_empty()) {
        return;
    }
    let history = world.resource::<History>();
    let mut open = Vec::new();
    for item in &story.items {
        for (number, does) in item.uses.iter().enumerate() {
            let is_left = does.again || !history.used(&item.name, number);
            let key = format_args!("items/{}/{number}", item.name);
            if is_left && does.when.holds(world, &key) {
                open.push((item.name.as_str().into(), number));
            }
        }
    }
    for stage in all_of(world, Kind::Stage) {
        let uses = OpenUses {
            open: open.clone(),
            spent: Vec::new(),
        };
        world.entity_mut(stage).insert(uses);
    }
}

/// Applies the effects of a use. At a meeting.
pub(crate) fn finish_use(world: &mut World, stage: Entity, item: &str, number: usize) {
    let story = world.resource::<StoryData>();
    let does = story
        .item(item)
        .and_then(|item| item.uses.get(number))
        .cloned()
        .unwrap_or_default();
    let mut history = world.resource_mut::<History>();
    history.uses.push((item.into(), number as u32));
    let cause = Cause {
        told: &does.seen,
        is_seen: !does.seen.is_empty(),
        ..Cause::at(stage)
    };
    apply_effects(world, cause, &does.effects);
}
