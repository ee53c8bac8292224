//! An actor says that what was promised to it is kept.

use bevy_ecs::prelude::*;
use playhouse_engine::exchange::Violation;

use super::member::distinct;
use super::rules::{Acting, Reason, Rules};
use super::{Action, Keep, PlanConstraints};
use crate::drama::PromiseState;
use crate::talk::TurnTaken;

impl Action for Keep {
    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, _taken: &mut TurnTaken) {
        let mut open = Vec::new();
        for promiser in acting.present.iter().filter(|who| **who != acting.entity) {
            let promises = rules.promises.get(*promiser).map_or(&[][..], |all| &all.0);
            let numbered = promises.iter().enumerate();
            let owed =
                numbered.filter(|(_, promise)| promise.is_owed_to(acting.name, rules.turn.0));
            let by = rules.whereabouts.name_text(*promiser);
            open.extend(owed.map(|(number, _)| (*promiser, by.clone(), number)));
        }
        let meant = self.find(open.iter().map(|(_, by, _)| by.as_str()));
        let Some((promiser, _, number)) = meant.and_then(|meant| open.get(meant)) else {
            return rules.refuse(acting, "keep", &Reason::NotNow { action: "keep" });
        };
        let (promiser, number) = (*promiser, *number);
        rules.keep(acting, promiser, number);
    }

    /// One of the two members is enough if it leaves no doubt.
    fn check(&self, constraints: &PlanConstraints) -> Option<Violation> {
        let Self { by, promise } = self;
        let open = &constraints.owed_by;
        if self.find(open.iter().map(String::as_str)).is_some() {
            return None;
        }
        if !by.is_empty() && !open.contains(by) {
            return Violation::unless_offered("keep.by", by, &distinct(open));
        }
        let numbers: Vec<_> = open
            .iter()
            .zip(1_u64..)
            .filter(|(other, _)| by.is_empty() || *other == by)
            .map(|(_, number)| number.to_string())
            .collect();
        Violation::unless_offered("keep.promise", &promise.to_string(), &numbers)
    }
}

impl Rules<'_, '_> {
    /// Promises of those here are kept of something that whoever was promised it has here now.
    pub(super) fn keep_what_is_given(&mut self, acting: &Acting<'_>) {
        let has = |to: &str, item: &str| {
            let to = self
                .list
                .by_name(to)
                .filter(|to| acting.present.contains(to));
            to.is_some_and(|to| self.has(to, item))
        };
        let mut given = Vec::new();
        for promiser in acting.present.iter().copied() {
            let promises = self.promises.get(promiser).map_or(&[][..], |all| &all.0);
            let kept = promises.iter().enumerate().filter(|(_, promise)| {
                promise.state == PromiseState::Open && promise.is_of_gift(has)
            });
            given.extend(kept.map(|(number, _)| (promiser, number)));
        }
        for (promiser, number) in given {
            self.keep(acting, promiser, number);
        }
    }

    /// A promise is kept. Both learn it, and those here who heard it.
    fn keep(&mut self, acting: &Acting<'_>, promiser: Entity, number: usize) {
        let by = self.whereabouts.name_text(promiser);
        let promises = self.promises.get_mut(promiser).ok();
        let Some(mut promises) = promises else { return };
        let Some(promise) = promises.0.get_mut(number) else {
            return;
        };
        promise.state = PromiseState::Kept;
        let (event, promise) = (promise.kept_by(&by), promise.clone());
        let mut told = acting.present.clone();
        told.retain(|who| {
            let name = self.whereabouts.name_text(*who);
            *who == promiser || *name == *promise.to || promise.is_known_to(&name)
        });
        told.push(acting.stage);
        self.events.notify_entities(&told, event);
    }
}

impl Keep {
    /// The index of the promise that is meant, if only one can be, given by whom each open one was
    /// made.
    fn find<'a>(&self, open: impl IntoIterator<Item = &'a str>) -> Option<usize> {
        let open = open.into_iter().zip(1..).enumerate();
        let mut meant = open.filter(|(_, (by, number))| {
            (self.by.is_empty() || self.by == *by) && (self.promise == 0 || self.promise == *number)
        });
        let (index, _) = meant.next().filter(|_| meant.next().is_none())?;
        Some(index)
    }
}
