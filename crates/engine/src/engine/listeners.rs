//! Who is told what a run does: feeds, callbacks and watchers.

use std::sync::Arc;
use std::time::Duration;

use bevy_ecs::prelude::*;

use super::{EngineError, Signal, Stop};
use crate::cast::Kind;
use crate::event::Feed;
use crate::journal::{Journal, Outcome};
use crate::mind::{Mind, Prompt, StreamSender};

/// A request that led to a recorded answer.
#[derive(Clone, Copy)]
pub struct SentRequest<'a> {
    /// What the entity that was asked is.
    pub kind: Option<Kind>,
    /// What the mind was asked.
    pub prompt: Prompt<'a>,
    /// Who answered, if that is known; else a mind that sends nothing.
    pub mind: &'a dyn Mind,
    pub outcome: &'a Arc<Outcome>,
    /// Which of the requests of the ask it is, from 1: tools and refused answers make more of them.
    pub attempt: u32,
    /// The number of meetings before it.
    pub turn: u64,
    /// The name of the place at which it was asked.
    pub place: &'a Arc<str>,
}

type MindOf = Box<dyn FnMut(&Outcome) -> Option<Arc<dyn Mind>> + Send>;
pub(super) type OnRequest = Box<dyn FnMut(&SentRequest<'_>) + Send>;

/// Who looks at the requests of recorded answers.
pub(super) struct RequestViewer {
    /// Who answered; `None` leaves an outcome out.
    pub(super) mind_of: MindOf,
    pub(super) act: OnRequest,
}

type OnTurn =
    Box<dyn FnMut(&mut World, &mut Journal, Option<&Stop>) -> Result<(), EngineError> + Send>;
type OnCommit = Box<dyn FnMut(&World, &[Arc<Outcome>]) + Send>;
type OnCall = Box<dyn FnMut(&World, &Arc<str>) + Send>;
type OnWait = Box<dyn FnMut(&World) -> Option<Duration> + Send>;
type OnSignal = Box<dyn FnMut(Signal) + Send>;

/// Who is told what a run does.
#[derive(Default)]
pub(super) struct Listeners {
    pub(super) feeds: Vec<Feed>,
    pub(super) on_turn: Option<OnTurn>,
    pub(super) on_call: Option<OnCall>,
    pub(super) on_commit: Vec<OnCommit>,
    pub(super) on_wait: Option<OnWait>,
    pub(super) on_signal: Vec<OnSignal>,
    pub(super) requests: Option<RequestViewer>,
    /// Where answers are shown while they are written.
    pub(super) stream: Option<StreamSender>,
    /// Whether its receiver may see everything.
    pub(super) streams_all: bool,
}

impl Listeners {
    /// Makes and sends a signal if anybody listens.
    pub(super) fn signal(&mut self, signal: impl FnOnce() -> Signal) {
        if self.on_signal.is_empty() {
            return;
        }
        let signal = signal();
        for act in &mut self.on_signal {
            act(signal.clone());
        }
    }
}
