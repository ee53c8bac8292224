//! An engine that plays again what another one plays, while it does.

use std::pin::Pin;

use super::{Engine, EngineError, Stop};
use crate::journal::Line;
use crate::mind::Prompt;

/// Further lines of a journal, once they are there; `None` if there will be none.
pub type NextLines<'a> = Pin<Box<dyn Future<Output = Option<Vec<Line>>> + Send + 'a>>;

/// The journal of a story that another engine plays.
pub trait Lead: Send {
    /// Takes note of an ask of which nothing is recorded yet. It may be told of one again.
    fn note_open(&mut self, prompt: &Prompt<'_>);

    /// Waits for further lines.
    fn next(&mut self) -> NextLines<'_>;
}

impl Engine {
    /// Lets a replay go on with what another engine records, as soon as that is known.
    pub fn follow(&mut self, lead: Box<dyn Lead>) {
        self.record.lead = Some(lead);
    }

    /// Waits until the next turn can be followed; why it can't be, if so.
    pub(super) async fn await_turn(&mut self) -> Option<Stop> {
        while self.record.lead.is_some() && !self.record.recording.may_follow(self.turn()) {
            if let Some(stop) = self.read_on().await {
                return Some(stop);
            }
        }
        None
    }

    /// Waits for outcomes of what is asked; why there will be none, if so.
    pub(super) async fn await_outcomes(&mut self) -> Result<Option<Stop>, EngineError> {
        if let Some(mut lead) = self.record.lead.take() {
            let prompts = self.calls.waiting.iter();
            let prompts = prompts.filter_map(|job| self.prompt_of(job));
            prompts.for_each(|prompt| lead.note_open(&prompt));
            self.record.lead = Some(lead);
        }
        if let Some(stop) = self.read_on().await {
            return Ok(Some(stop));
        }
        for job in std::mem::take(&mut self.calls.waiting) {
            match self.recorded(&job.ask)? {
                Some((outcome, is_new)) => self.arrive(job, outcome, is_new),
                None => self.calls.waiting.push_back(job),
            }
        }
        Ok(None)
    }

    async fn read_on(&mut self) -> Option<Stop> {
        let Some(lead) = &mut self.record.lead else {
            return Some(Stop::EndOfRecording);
        };
        let lines = tokio::select! {
            biased;
            () = self.token.cancelled() => return Some(Stop::Cancelled),
            lines = lead.next() => lines,
        };
        match lines {
            Some(lines) => self.record.recording.extend(lines),
            None => return Some(Stop::EndOfRecording),
        }
        None
    }
}
