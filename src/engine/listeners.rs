//! Who is told what a run does: feeds, callbacks and watchers.

use std::sync::Arc;

use bevy_ecs::prelude::*;

use super::sent::RequestViewer;
use super::{EngineError, Signal};
use crate::event::Feed;
use crate::journal::{Journal, Outcome};
use crate::mind::StreamSender;

type OnTurn = Box<dyn FnMut(&mut World, &mut Journal) -> Result<(), EngineError> + Send>;
type OnCommit = Box<dyn FnMut(&World, &[Arc<Outcome>]) + Send>;
type OnSignal = Box<dyn FnMut(Signal) + Send>;

/// Who is told what a run does.
#[derive(Default)]
pub(super) struct Listeners {
    pub(super) feeds: Vec<Feed>,
    pub(super) on_turn: Option<OnTurn>,
    pub(super) on_commit: Option<OnCommit>,
    pub(super) on_signal: Vec<OnSignal>,
    pub(super) requests: Option<RequestViewer>,
    /// Where answers are shown while they are written.
    pub(super) stream: Option<StreamSender>,
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
