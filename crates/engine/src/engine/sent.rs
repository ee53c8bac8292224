//! The requests of recorded answers, made again when the world is as it was when they were sent.

use std::sync::Arc;

use super::Engine;
use super::job::Job;
use super::listeners::{OnRequest, SentRequest};
use crate::cast::{CastList, StableId, WorldSeed};
use crate::context::AgentContext;
use crate::journal::Outcome;
use crate::mind::{Mind, Prompt};

impl Engine {
    /// Shows every request that led to this outcome, if anybody looks.
    pub(super) fn show_requests(&mut self, job: &mut Job, outcome: &Arc<Outcome>) {
        let Some(mut viewer) = self.listeners.requests.take() else {
            return;
        };
        let mind = (viewer.mind_of)(outcome).filter(|_| outcome.calls > 0);
        if let Some(mind) = mind {
            self.show_requests_to(job, mind, outcome, &mut viewer.act);
        }
        self.listeners.requests = Some(viewer);
    }

    fn show_requests_to(
        &self,
        job: &mut Job,
        mind: Arc<dyn Mind>,
        outcome: &Arc<Outcome>,
        act: &mut OnRequest,
    ) {
        if job.ask.question.parts().calls.is_empty() {
            self.prepare_tools(&mut job.tools, &*mind);
            job.mind = mind;
        }
        job.view.folded = outcome.folded;
        self.fold_as_recorded(job);
        let mut attempt = 0;
        let mut show = |job: &Job| {
            let Some(prompt) = self.prompt_of(job) else {
                return;
            };
            attempt += 1;
            act(&SentRequest {
                kind: self.world.get(job.ask.entity).copied(),
                prompt,
                mind: &*job.mind,
                outcome,
                attempt,
                turn: self.turn(),
                place: &self.place_name(job.ask.place),
            });
        };
        show(job);
        // The last refused answer was not sent back if its complaint is empty.
        let sent_back = |refused: usize| {
            let refused = outcome.refused.get(refused);
            refused.is_some_and(|refused| !refused.complaint.is_empty())
        };
        let mut refused = 0;
        for round in &outcome.rounds {
            while refused < round.refused_before as usize && sent_back(refused) {
                refused += 1;
                job.rounds.add_refused(&outcome.refused, refused);
                show(job);
            }
            self.add_round(job, round.clone());
            if !job.is_ended_by_tools() {
                show(job);
            }
        }
        while sent_back(refused) {
            refused += 1;
            job.rounds.add_refused(&outcome.refused, refused);
            show(job);
        }
    }

    /// What the mind of an ask is asked next; `None` if the entity has left the world.
    pub(super) fn prompt_of<'a>(&'a self, job: &'a Job) -> Option<Prompt<'a>> {
        let ask = &job.ask;
        let whole = || self.world.get::<AgentContext>(ask.entity);
        Some(Prompt {
            entity: &ask.name,
            purpose: ask.question.parts().purpose,
            number: ask.number,
            language: *self.world.resource(),
            history: job.view.context.as_deref().or_else(whole)?,
            question: &ask.body,
            ask_short: ask.question.parts().ask_short(),
            recalled: job.recalled.as_ref().map(|recalled| &recalled.text),
            rounds: &job.rounds.list,
            tools: job.prompt_tools(),
            form: ask.question.parts().form(),
            max_tokens: job.answer_limit(),
            seed: ask.seed,
            story_seed: self.world.resource::<WorldSeed>().0,
            stream: job.stream.as_ref(),
        })
    }

    fn place_name(&self, id: StableId) -> Arc<str> {
        let cast = self.world.resource::<CastList>();
        let place = cast.by_id(id);
        place.map_or_else(|| "".into(), |place| self.name(place))
    }
}
