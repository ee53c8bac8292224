//! A gate that a host of a story holds: how many calls may begin, and which answers are used.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{oneshot, watch};

use crate::locale::UiText;

/// Which ask it is: the name of the entity, and the number of the ask among all of its own.
pub type AskKey = (Arc<str>, u32);

/// Lets calls begin one by one, and holds answers until they are decided on. Clones are
/// the same gate. A new one is open: nothing waits for anybody.
///
/// It moves nothing by itself: which calls begin first changes no story, and the journal keeps an
/// answer as it is used.
#[derive(Clone, Debug)]
pub struct CallGate(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    state: Mutex<State>,
    /// Changes with every decision.
    changed: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    /// How many calls may begin; `None` for all.
    allowed: Option<u64>,
    reviews: bool,
    held: BTreeMap<AskKey, PendingReview>,
}

#[derive(Debug)]
struct PendingReview {
    answer: AnswerInReview,
    decision: oneshot::Sender<Decision>,
}

/// An answer that waits for a decision.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerInReview {
    /// The answer of the mind, or the words that were to replace it.
    pub text: String,
    /// Why these words can't be the answer; `None` if they can.
    pub complaint: Option<UiText>,
}

/// What becomes of an answer that was held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    Use,
    /// These words are used in its place, if they pass the check of the ask; else they are held.
    Replace {
        /// The answer, in the form that the mind was asked for.
        text: String,
        /// Who wrote it: the provider in the journal.
        by: Arc<str>,
    },
    /// The mind is asked once more.
    AskAgain,
}

impl Default for CallGate {
    fn default() -> Self {
        Self(Arc::new(Inner {
            state: Mutex::default(),
            changed: watch::Sender::new(0),
        }))
    }
}

impl CallGate {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn announce(&self) {
        self.0.changed.send_modify(|changes| *changes += 1);
    }

    /// All calls may begin.
    pub fn open(&self) {
        self.state().allowed = None;
        self.announce();
    }

    /// So many more calls may begin, and no others.
    pub fn allow(&self, calls: u64) {
        let mut state = self.state();
        state.allowed = Some(state.allowed.unwrap_or(0).saturating_add(calls));
        drop(state);
        self.announce();
    }

    /// Whether answers are held from now on. If not, those that are held are used.
    pub fn set_review(&self, reviews: bool) {
        let mut state = self.state();
        state.reviews = reviews;
        let held = if reviews {
            BTreeMap::new()
        } else {
            std::mem::take(&mut state.held)
        };
        drop(state);
        for held in held.into_values() {
            // A stopped run does not wait for it.
            let _ = held.decision.send(Decision::Use);
        }
        self.announce();
    }

    /// Whether answers are held.
    pub fn reviews(&self) -> bool {
        self.state().reviews
    }

    /// The answers that wait for a decision.
    pub fn held(&self) -> BTreeMap<AskKey, AnswerInReview> {
        let state = self.state();
        let held = state.held.iter();
        held.map(|(key, held)| (key.clone(), held.answer.clone()))
            .collect()
    }

    /// Decides on an answer; returns whether it was held.
    pub fn decide(&self, key: &AskKey, decision: Decision) -> bool {
        let held = self.state().held.remove(key);
        let is_held = held.is_some_and(|held| held.decision.send(decision).is_ok());
        self.announce();
        is_held
    }

    /// Changes with every decision and every answer that is held.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.0.changed.subscribe()
    }

    /// Takes one call from those that may begin; returns whether there was one.
    pub(super) fn take_call(&self) -> bool {
        match &mut self.state().allowed {
            None => true,
            Some(0) => false,
            Some(calls) => {
                *calls -= 1;
                true
            }
        }
    }

    pub(super) fn allows_calls(&self) -> bool {
        self.state().allowed != Some(0)
    }

    /// Holds an answer until it is decided on. If answers are not held any more, it is used.
    pub(super) fn hold(&self, key: AskKey, answer: AnswerInReview) -> oneshot::Receiver<Decision> {
        let (decision, decided) = oneshot::channel();
        let mut state = self.state();
        if state.reviews {
            state.held.insert(key, PendingReview { answer, decision });
        } else {
            let _ = decision.send(Decision::Use);
        }
        drop(state);
        self.announce();
        decided
    }

    /// Forgets what a run held that was stopped.
    pub(super) fn drop_held(&self) {
        self.state().held.clear();
        self.announce();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_comes_after_the_review_is_used() {
        let gate = CallGate::default();
        let hold = |name: &str| {
            let answer = AnswerInReview {
                text: "Yes.".into(),
                complaint: None,
            };
            gate.hold((name.into(), 1), answer)
        };
        gate.set_review(true);
        let mut first = hold("Ann");
        assert!(first.try_recv().is_err());
        gate.set_review(false);
        assert_eq!(first.try_recv(), Ok(Decision::Use));
        assert_eq!(hold("Bob").try_recv(), Ok(Decision::Use));
        assert!(gate.held().is_empty());
    }
}
