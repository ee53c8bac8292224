//! Those outside the conversation: the user, and the controller of a run.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use playhouse_engine::locale::{Language, text};
use playhouse_engine::message::TokenUsage;
use playhouse_engine::mind::{Answering, Completion, Mind, MindError, MindInfo, Prompt, stopwatch};

use super::message::ChatMessage;
use super::stage::{Approval, ControlMessage, UserInput, warn_absent};

/// The mind of the user and of the controller of a run: a queue of input, and what to do at the
/// next turn. Clones share both.
#[derive(Clone)]
#[must_use]
pub struct UserProxy {
    info: MindInfo,
    state: Arc<Mutex<State>>,
    clock: Arc<dyn Fn() -> u64 + Send + Sync>,
    person: Option<Arc<dyn Mind>>,
}

#[derive(Default)]
struct State {
    inputs: VecDeque<UserInput>,
    control: ControlMessage,
    /// The clock when the run began or its control was last asked for.
    last: Option<u64>,
}

impl Default for UserProxy {
    fn default() -> Self {
        Self::new()
    }
}

impl UserProxy {
    /// A proxy without input, with the clock of the computer.
    pub fn new() -> Self {
        Self {
            info: MindInfo::unmetered("user"),
            state: Arc::default(),
            clock: Arc::new(stopwatch()),
            person: None,
        }
    }

    /// Sets another clock, in milliseconds: for tests, and for time limits in other time.
    pub fn with_clock(mut self, clock: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Sets a person who answers what else the user is asked, and gives tasks if there is no input.
    pub fn with_person(mut self, person: Arc<dyn Mind>) -> Self {
        self.person = Some(person);
        self
    }

    /// Adds an input. During a run, it is heard at the next turn.
    pub fn add_input(&self, input: UserInput) {
        self.with_state(|state| state.inputs.push_back(input));
    }

    /// Whether there is input that was not heard yet.
    pub fn has_input(&self) -> bool {
        self.with_state(|state| !state.inputs.is_empty())
    }

    /// Adds a task to those that were not heard yet, with which it becomes one.
    pub(super) fn add_task(&self, input: UserInput, user: &str) {
        self.with_state(
            |state| match state.inputs.back_mut().filter(|waiting| !waiting.reset) {
                Some(_) if input.continues => {}
                Some(waiting) if waiting.continues => *waiting = input,
                Some(waiting) => {
                    let mut messages = std::mem::take(waiting).into_messages(user);
                    messages.extend(input.into_messages(user));
                    waiting.messages = messages;
                }
                None => state.inputs.push_back(input),
            },
        );
    }

    /// Stops the run at the next turn.
    pub fn stop(&self) {
        self.with_state(|state| state.control.stop = true);
    }

    /// Lets a participant join at the next turn.
    pub fn join(&self, name: impl Into<String>) {
        let name = name.into();
        self.with_state(|state| {
            state.control.leave.retain(|leaves| *leaves != name);
            state.control.join.push(name);
        });
    }

    /// Lets a participant leave at the next turn.
    pub fn leave(&self, name: impl Into<String>) {
        let name = name.into();
        self.with_state(|state| {
            state.control.join.retain(|joins| *joins != name);
            state.control.leave.push(name);
        });
    }

    /// Says something to everybody at the next turn. A participant who has left is not heard.
    pub fn say(&self, message: ChatMessage) {
        self.with_state(|state| {
            if state.control.leave.contains(&message.source) {
                warn_absent(&message.source);
            } else {
                state.control.say.push(message);
            }
        });
    }

    /// Drops all input and control.
    pub(super) fn clear(&self) {
        self.with_state(|state| *state = State::default());
    }

    fn with_state<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn next_input(&self) -> Option<UserInput> {
        let now = (self.clock)();
        self.with_state(|state| {
            let input = state.inputs.pop_front()?;
            // A run begins with its task, not when the team is created.
            state.last = Some(now);
            Some(input)
        })
    }

    fn next_control(&self) -> String {
        let now = (self.clock)();
        let control = self.with_state(|state| {
            let last = state.last.replace(now).unwrap_or(now);
            ControlMessage {
                elapsed_ms: now.saturating_sub(last),
                ..std::mem::take(&mut state.control)
            }
        });
        serde_json::to_string(&control).unwrap_or_default()
    }
}

/// Without a person, no code is approved.
fn refusal(language: Language) -> String {
    let approval = Approval {
        approved: false,
        reason: text!(groupchat_no_approval).in_language(language),
    };
    serde_json::to_string(&approval).unwrap_or_default()
}

impl Mind for UserProxy {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let text = match prompt.purpose {
            "chat.control" => Some(self.next_control()),
            "chat.task" => self.next_input().map(|input| input.to_answer()),
            "chat.approve" if self.person.is_none() => Some(refusal(prompt.language)),
            _ => None,
        };
        match (text, &self.person) {
            (Some(text), _) => {
                let completion = Completion {
                    // No model was called.
                    usage: Some(TokenUsage::default()),
                    ..Completion::instant("user", text)
                };
                Box::pin(std::future::ready(Ok(completion)))
            }
            (None, Some(person)) => person.answer(prompt),
            (None, None) => {
                let entity = prompt.entity.to_string();
                let error = MindError::SeatEmpty { entity };
                Box::pin(std::future::ready(Err(error.into())))
            }
        }
    }
}
