//! Controls when a story continues.

use std::sync::{Mutex, MutexGuard, PoisonError};

use playhouse_engine::engine::{CallGate, CancellationToken};
use serde_json::Value;
use tokio::sync::{Notify, watch};

/// What is wanted of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Wanted {
    #[default]
    Play,
    Pause,
    /// One turn, then a pause.
    Step,
    /// Until a part of the story begins or ends, then a pause.
    StepScene,
    Stop,
}

/// Pauses, steps and stops a run between two turns, from any thread.
#[derive(Debug, Default)]
pub struct Control {
    wanted: watch::Sender<Wanted>,
    running: Mutex<Option<CancellationToken>>,
    /// Which calls begin, and which answers are used.
    gate: CallGate,
    /// What the world is told before its next turn.
    inputs: Mutex<Vec<Value>>,
    told: Notify,
}

impl Control {
    /// A run that begins with a pause.
    pub fn paused() -> Self {
        let control = Self::default();
        control.want(Wanted::Pause);
        control
    }

    pub(super) fn want(&self, wanted: Wanted) {
        // Who stops a run means it.
        let change = |now: &mut Wanted| {
            let changes = *now != wanted && *now != Wanted::Stop;
            if changes {
                *now = wanted;
            }
            changes
        };
        self.wanted.send_if_modified(change);
        if wanted == Wanted::Stop
            && let Some(token) = &*self.token()
        {
            token.cancel();
        }
    }

    /// Which calls begin, and which answers are used.
    pub(super) fn gate(&self) -> &CallGate {
        &self.gate
    }

    /// Ends the run: running calls are dropped, and asked again when it continues.
    pub fn stop(&self) {
        self.want(Wanted::Stop);
    }

    /// Tells the world something before its next turn.
    pub(super) fn tell(&self, input: Value) {
        self.inputs().push(input);
        self.told.notify_one();
    }

    /// Waits until the world is told something.
    pub(super) async fn is_told(&self) {
        self.told.notified().await;
    }

    pub(super) fn take_inputs(&self) -> Vec<Value> {
        std::mem::take(&mut *self.inputs())
    }

    fn inputs(&self) -> MutexGuard<'_, Vec<Value>> {
        self.inputs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is a turn to play; `false` if there is none any more.
    pub(super) async fn may_play(&self, on_pause: impl FnOnce()) -> bool {
        let mut wanted = self.wanted.subscribe();
        if *wanted.borrow_and_update() == Wanted::Pause {
            on_pause();
        }
        let is_decided = |wanted: &Wanted| *wanted != Wanted::Pause;
        // The sender is in `self`.
        let decided = wanted
            .wait_for(is_decided)
            .await
            .map_or(Wanted::Stop, |wanted| *wanted);
        if decided == Wanted::Step {
            self.want(Wanted::Pause);
        }
        decided != Wanted::Stop
    }

    /// Whether the run pauses once a part of the story begins or ends.
    pub(super) fn is_scene_wanted(&self) -> bool {
        *self.wanted.borrow() == Wanted::StepScene
    }

    /// Whether the run pauses after its turn.
    pub(super) fn will_pause(&self) -> bool {
        *self.wanted.borrow() == Wanted::Pause
    }

    pub fn begin(&self, token: CancellationToken) {
        *self.token() = Some(token.clone());
        if *self.wanted.borrow() == Wanted::Stop {
            token.cancel();
        }
    }

    fn token(&self) -> MutexGuard<'_, Option<CancellationToken>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
