//! Answers, and how systems take them.

use std::collections::BTreeMap;

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_ecs::world::DeferredWorld;

use super::Reply;
use crate::cast::StableId;
use crate::event::AnsweredBy;

/// An answer that passed its check. A system takes it in the next step of its place. It is small,
/// since every world has room for 64 of each type.
#[derive(Component, Debug)]
#[component(storage = "SparseSet", on_insert = answered::<R>, on_discard = taken)]
pub struct Answer<R: Reply>(Option<Box<(R, AnsweredBy)>>);

impl<R: Reply> Answer<R> {
    /// An answer, for unit tests of systems to insert.
    pub fn new(value: R, by: AnsweredBy) -> Self {
        Self(Some(Box::new((value, by))))
    }
}

/// Takes answers of one type, in stable order of entity. Two systems that take the same type must
/// have a declared order; otherwise building the schedule fails.
#[derive(SystemParam)]
pub struct Answers<'w, 's, R: Reply> {
    answers: Query<'w, 's, (Entity, Option<&'static StableId>, &'static mut Answer<R>)>,
    commands: Commands<'w, 's>,
}

impl<R: Reply> Answers<'_, '_, R> {
    /// Takes all answers of this type: who answered, what, and who made the answer.
    pub fn take(&mut self) -> Vec<(Entity, R, AnsweredBy)> {
        let mut answers: Vec<_> = self.answers.iter_mut().collect();
        answers.sort_by_key(|(entity, id, _)| (id.copied(), *entity));
        answers
            .into_iter()
            .filter_map(|(entity, _, mut answer)| {
                self.commands.entity(entity).remove::<Answer<R>>();
                let (value, by) = *answer.0.take()?;
                Some((entity, value, by))
            })
            .collect()
    }

    /// Whether there is none of this type.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }
}

/// Answers that no system has taken yet: entity → name of the reply. Empty after every step.
#[derive(Resource, Debug, Default)]
pub struct UntakenAnswers(pub BTreeMap<Entity, &'static str>);

fn answered<R: Reply>(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut untaken) = world.get_resource_mut::<UntakenAnswers>() {
        untaken.0.insert(context.entity, R::NAME);
    }
}

fn taken(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut untaken) = world.get_resource_mut::<UntakenAnswers>() {
        untaken.0.remove(&context.entity);
    }
}
