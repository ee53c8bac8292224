//! A call of a mind, while it goes on and as the journal has it.

use std::sync::Arc;

use playhouse_engine::engine::AnswerInReview;
use playhouse_engine::event::AnsweredBy;
use playhouse_engine::journal::{AskEnding, Outcome, RefusedAnswer, ToolRoundRecord};
use serde::Serialize;

use super::kept::Kept;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    #[default]
    Thinking,
    Writing,
    /// Answered; the host has not decided yet.
    InReview,
    Done,
    /// The run was stopped; it is asked again when the story continues.
    Dropped,
}

/// What a call does for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Segment {
    /// The mind was asked, and has written nothing yet.
    Waiting,
    Writing,
    Tools,
    /// The mind was asked again, since its answer failed its check.
    Repair,
    Review,
}

/// A call of a mind. Times are in milliseconds since the story began: recorded ones follow one
/// another at each place, then come those that were measured.
#[derive(Clone, Debug, Default)]
pub struct Call {
    pub call: u32,
    pub who: u32,
    /// The number of the ask among all of its entity.
    pub number: u32,
    pub purpose: Arc<str>,
    pub mind: Arc<str>,
    pub place: u32,
    pub turn: u64,
    pub start: u64,
    pub first: Option<u64>,
    pub end: Option<u64>,
    /// What it did, from when on; empty if its times were not measured.
    pub segments: Vec<(Segment, u64)>,
    /// The tools that were called, and when.
    pub tools: Vec<(Arc<str>, u64)>,
    pub state: CallState,
    /// The answer on which the host decides.
    pub held: Option<AnswerInReview>,
    pub by: Option<AnsweredBy>,
    pub(super) outcome: Option<Kept<Outcome>>,
}

impl Call {
    /// What the journal keeps of it; `None` while it is open.
    pub fn outcome(&self) -> Option<Arc<Outcome>> {
        self.outcome.as_ref()?.get()
    }

    pub fn is_answered(&self) -> bool {
        self.outcome.is_some()
    }

    /// Whether its times were measured.
    pub fn is_timed(&self) -> bool {
        !self.mind.is_empty()
    }

    /// What it does from now on.
    pub fn enter(&mut self, segment: Segment, now: u64) {
        let last = self.segments.last().map(|(last, _)| *last);
        // What a mind writes to correct its answer belongs to the repair.
        let goes_on =
            last == Some(segment) || (last == Some(Segment::Repair) && segment == Segment::Writing);
        if !goes_on {
            self.segments.push((segment, now));
        }
    }

    /// Its mind is asked: for the first time, with the results of tools, or again.
    pub fn ask(&mut self, now: u64) {
        let segment = match self.segments.last() {
            Some((Segment::Waiting | Segment::Writing | Segment::Repair, _)) => Segment::Repair,
            _ => Segment::Waiting,
        };
        self.enter(segment, now);
    }
}

/// What a recorded call did, as far as its journal knows: what its mind wrote, which tools it used
/// and what it had to repair. Empty if it only answered.
pub(super) fn recorded_segments(
    refused: &[RefusedAnswer],
    rounds: &[ToolRoundRecord],
    start: u64,
) -> Vec<(Segment, u64)> {
    let repairs = refused.iter().map(|answer| (answer.ms, Segment::Repair));
    let rounds = rounds.iter().map(|round| (round.ms, Segment::Tools));
    let mut ends: Vec<_> = repairs.chain(rounds).filter(|(ms, _)| *ms > 0).collect();
    if ends.is_empty() {
        return Vec::new();
    }
    ends.sort_by_key(|(ms, _)| *ms);
    let mut segments = vec![(Segment::Writing, start)];
    for (ms, next) in ends {
        segments.push((next, start + ms));
        if next == Segment::Tools {
            segments.push((Segment::Writing, start + ms));
        }
    }
    segments
}

pub(super) fn made_by(outcome: &Outcome) -> AnsweredBy {
    match &outcome.ending {
        AskEnding::Failed { reason } => AnsweredBy::Fallback(reason.clone()),
        AskEnding::Answered { .. } => match outcome.refused.len() {
            0 => AnsweredBy::Mind,
            times => AnsweredBy::Repaired(times as u32),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use playhouse_engine::message::TokenUsage;

    #[test]
    fn a_call_waits_writes_uses_tools_and_repairs() {
        let mut call = Call::default();
        call.ask(0);
        call.enter(Segment::Writing, 10);
        call.enter(Segment::Tools, 20);
        call.enter(Segment::Tools, 21);
        call.ask(30);
        call.enter(Segment::Writing, 40);
        call.ask(50);
        call.enter(Segment::Writing, 60);
        call.enter(Segment::Review, 70);
        call.ask(80);
        let found = json(&call);
        let wanted =
            "waiting 0 writing 10 tools 20 waiting 30 writing 40 repair 50 review 70 waiting 80";
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_recorded_call_writes_uses_tools_and_repairs() {
        let refused = |ms| RefusedAnswer {
            answer: "no".into(),
            complaint: "why".into(),
            ms,
        };
        let round = ToolRoundRecord {
            said: Vec::new(),
            results: Vec::new(),
            usage: TokenUsage::default(),
            refused_before: 1,
            ms: 20,
        };
        let call = |refused: &[RefusedAnswer]| Call {
            segments: recorded_segments(refused, std::slice::from_ref(&round), 100),
            ..Call::default()
        };
        assert_eq!(
            json(&call(&[refused(10), refused(30)])),
            "writing 100 repair 110 tools 120 writing 120 repair 130"
        );
        assert_eq!(recorded_segments(&[refused(0)], &[], 100), []);
    }

    fn json(call: &Call) -> String {
        let words = call.segments.iter().map(|(segment, from)| {
            let segment = serde_json::to_value(segment).unwrap();
            format!("{} {from}", segment.as_str().unwrap())
        });
        words.collect::<Vec<_>>().join(" ")
    }
}
