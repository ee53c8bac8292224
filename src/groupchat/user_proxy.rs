//! Who stands outside a conversation: the user's orders and the bell, as minds.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::stage::{Approval, ControlMessage, UserInput};
use crate::message::{Language, TokenUsage};
use crate::mind::{Answering, Completion, Mind, MindError, MindInfo, Prompt};

/// The user's desk: orders that were given, and what the bell will tell. Clones share it.
#[derive(Clone)]
pub struct UserProxy {
    info: MindInfo,
    state: Arc<Mutex<State>>,
    clock: Arc<dyn Fn() -> u64 + Send + Sync>,
    /// Who answers what is asked of the user beside tasks.
    person: Option<Arc<dyn Mind>>,
}

#[derive(Default)]
struct State {
    orders: VecDeque<UserInput>,
    bell: ControlMessage,
    began: Option<u64>,
}

impl Default for UserProxy {
    fn default() -> Self {
        Self::new()
    }
}

impl UserProxy {
    /// An empty desk, whose clock stands still.
    pub fn new() -> Self {
        Self {
            info: MindInfo::unmetered("desk"),
            state: Arc::default(),
            clock: Arc::new(|| 0),
            person: None,
        }
    }

    /// The same desk with a clock in milliseconds.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// The same desk with a person who answers what is asked of the user beside tasks, and tasks too
    /// where no order lies ready.
    #[must_use]
    pub fn with_person(mut self, person: Arc<dyn Mind>) -> Self {
        self.person = Some(person);
        self
    }

    /// Lays an order ready.
    pub fn order(&self, order: UserInput) {
        self.lock(|state| state.orders.push_back(order));
    }

    /// Asks the conversation to end at its next turn.
    pub fn stop(&self) {
        self.lock(|state| state.bell.stop = true);
    }

    /// Lets a participant join at the next turn.
    pub fn join(&self, name: impl Into<String>) {
        let name = name.into();
        self.lock(|state| state.bell.join.push(name));
    }

    /// Lets a participant leave at the next turn.
    pub fn leave(&self, name: impl Into<String>) {
        let name = name.into();
        self.lock(|state| state.bell.leave.push(name));
    }

    /// Says something to all at the next turn.
    pub fn say(&self, message: super::message::ChatMessage) {
        self.lock(|state| state.bell.say.push(message));
    }

    /// Takes back what was ordered and not heard.
    pub(super) fn clear(&self) {
        self.lock(|state| *state = State::default());
    }

    fn lock<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn next_order(&self) -> Option<UserInput> {
        let now = (self.clock)();
        self.lock(|state| {
            let order = state.orders.pop_front()?;
            // A run begins with its task, whenever the team was made.
            state.began = Some(now);
            Some(order)
        })
    }

    fn ring(&self) -> String {
        let now = (self.clock)();
        let bell = self.lock(|state| {
            let began = *state.began.get_or_insert(now);
            let bell = std::mem::take(&mut state.bell);
            ControlMessage {
                elapsed_ms: now.saturating_sub(began),
                ..bell
            }
        });
        serde_json::to_string(&bell).unwrap_or_default()
    }
}

/// Where nobody sits at the desk, no code is let through.
fn refusal(language: Language) -> String {
    let reason = match language {
        Language::En => "nobody is there who could say yes",
        Language::Zh => "没有人在场可以批准",
    };
    let approval = Approval {
        approved: false,
        reason: reason.into(),
    };
    serde_json::to_string(&approval).unwrap_or_default()
}

impl Mind for UserProxy {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let text = match prompt.purpose {
            "chat.bell" => Some(self.ring()),
            "chat.task" => self.next_order().map(|order| order.to_answer()),
            "chat.approve" if self.person.is_none() => Some(refusal(prompt.language)),
            _ => None,
        };
        match (text, &self.person) {
            (Some(text), _) => {
                let said = Completion {
                    // No model read or wrote anything.
                    usage: Some(TokenUsage::default()),
                    ..Completion::instant("desk", text)
                };
                Box::pin(std::future::ready(Ok(said)))
            }
            (None, Some(person)) => person.answer(prompt),
            (None, None) => {
                let entity = prompt.entity.to_string();
                Box::pin(std::future::ready(Err(
                    MindError::SeatEmpty { entity }.into()
                )))
            }
        }
    }
}
