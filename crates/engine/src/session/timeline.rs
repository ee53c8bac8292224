//! The calls of a story, from its journal alone.

use std::sync::Arc;

use crate::journal::{Line, Outcome};

/// A call whose answer was recorded.
#[derive(Clone, Debug)]
pub struct TimedCall {
    /// Its number among all of the story, from 0.
    pub index: usize,
    /// The number of meetings before it.
    pub turn: u64,
    pub outcome: Arc<Outcome>,
}

/// All calls in the order in which they were answered.
pub fn timeline(lines: &[Line]) -> Vec<TimedCall> {
    let (mut calls, mut turn) = (Vec::new(), 0);
    for line in lines {
        match line {
            Line::Meeting(meeting) => turn = meeting.turn,
            Line::Outcome(outcome) => calls.push(TimedCall {
                index: calls.len(),
                turn,
                outcome: outcome.clone(),
            }),
            _ => {}
        }
    }
    calls
}
