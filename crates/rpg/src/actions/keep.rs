//! An actor keeps what it has promised.

use playhouse_engine::event::write_events_at_meeting;
use playhouse_engine::exchange::Violation;

use super::member::distinct;
use super::rules::{Acting, Rules};
use super::{Action, Keep, PlanConstraints};
use crate::drama::PromiseState;
use crate::events::PromiseKept;
use crate::talk::TurnTaken;

impl Action for Keep {
    /// Everybody there sees it; the one to whom it was promised learns it at the meeting if it is
    /// elsewhere.
    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, _taken: &mut TurnTaken) {
        let Ok(mut promises) = rules.promises.get_mut(acting.entity) else {
            return;
        };
        let mut open: Vec<_> = promises
            .0
            .iter_mut()
            .filter(|promise| promise.state == PromiseState::Open)
            .collect();
        let meant = self.find(open.iter().map(|promise| &*promise.to));
        let Some(promise) = meant.and_then(|meant| open.get_mut(meant)) else {
            return;
        };
        promise.state = PromiseState::Kept;
        let event = PromiseKept {
            actor: acting.name.to_string(),
            to: promise.to.to_string(),
            words: promise.words.to_string(),
        };
        let promisee = rules.list.by_name(&event.to);
        if let Some(promisee) = promisee.filter(|promisee| !acting.present.contains(promisee)) {
            let event = event.clone();
            rules.events.defer(move |world| {
                write_events_at_meeting(world, |events| {
                    events.notify_entities(&[promisee], event);
                });
            });
        }
        rules.show_all(acting, event);
    }

    /// One of the two members is enough if it leaves no doubt.
    fn check(&self, constraints: &PlanConstraints) -> Option<Violation> {
        let Self { to, promise } = self;
        let open = &constraints.promised_to;
        if self.find(open.iter().map(String::as_str)).is_some() {
            return None;
        }
        if !to.is_empty() && !open.contains(to) {
            return Violation::unless_offered("keep.to", to, &distinct(open));
        }
        let numbers: Vec<_> = open
            .iter()
            .zip(1_u64..)
            .filter(|(other, _)| to.is_empty() || *other == to)
            .map(|(_, number)| number.to_string())
            .collect();
        Violation::unless_offered("keep.promise", &promise.to_string(), &numbers)
    }
}

impl Keep {
    /// The index of the promise that is meant, if only one can be, given to whom each open promise
    /// was made.
    fn find<'a>(&self, open: impl IntoIterator<Item = &'a str>) -> Option<usize> {
        let open = open.into_iter().zip(1..).enumerate();
        let mut meant = open.filter(|(_, (to, number))| {
            (self.to.is_empty() || self.to == *to) && (self.promise == 0 || self.promise == *number)
        });
        let found = meant.next();
        let (index, _) = found.filter(|_| meant.next().is_none())?;
        Some(index)
    }
}
