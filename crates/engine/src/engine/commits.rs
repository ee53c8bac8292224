//! Outcomes are recorded, and places whose asks are all done are committed.

use bevy_ecs::prelude::*;

use super::compact::fold_into_chapter;
use super::job::FinishedAsk;
use super::{Engine, EngineError};
use crate::cast::{CastList, CurrentStage, StableId};
use crate::context::{AgentContext, Chapters};
use crate::event::Phrasebook;
use crate::exchange::commit;
use crate::journal::Line;
use crate::memory::LookupVectors;

impl Engine {
    /// Syncs what has arrived to the journal, once, and commits every place whose asks are all
    /// done.
    pub(super) fn commit_arrived(&mut self) -> Result<(), EngineError> {
        self.record_arrived()?;
        let mut complete = Vec::new();
        for arrival in std::mem::take(&mut self.arrived) {
            let id = arrival.finished.ask.place;
            let place = self.places.open.entry(id).or_default();
            place.finished.reserve(place.missing);
            place.finished.push(arrival.finished);
            place.missing = place.missing.saturating_sub(1);
            if place.missing == 0 {
                complete.push(id);
            }
        }
        complete.sort_unstable();
        for id in complete {
            if let Some(place) = self.places.open.remove(&id) {
                self.commit_place(id, place.finished);
                // Its answers are taken before those of another place exist.
                self.step_place(id)?;
                self.world.insert_resource(LookupVectors::default());
            }
        }
        Ok(())
    }

    /// Syncs what has arrived and is new to the journal, once.
    pub(super) fn record_arrived(&mut self) -> Result<(), EngineError> {
        let held = std::mem::take(&mut self.calls.unrecorded_held);
        let mut lines: Vec<_> = held
            .iter()
            .map(|(outcome, ..)| Line::Held(outcome.clone()))
            .collect();
        for arrival in &mut self.arrived {
            if std::mem::take(&mut arrival.is_new) {
                lines.push(Line::Outcome(arrival.finished.outcome.clone()));
            }
        }
        self.record.journal.append(lines)?;
        for (_, job, answer) in held {
            self.hold_passed(job, answer);
        }
        let recorded = std::mem::take(&mut self.calls.unrecorded);
        self.calls.running.extend(recorded);
        Ok(())
    }

    fn commit_place(&mut self, id: StableId, mut finished: Vec<FinishedAsk>) {
        if let Some(place) = self.world.resource::<CastList>().by_id(id) {
            self.world.insert_resource(CurrentStage::Place(place));
        }
        finished.sort_unstable_by_key(|finished| finished.ask.id);
        let vectors = finished
            .iter_mut()
            .flat_map(|finished| std::mem::take(&mut finished.ask.vectors));
        self.world.insert_resource(LookupVectors(vectors.collect()));
        self.note_dates(finished.iter().map(|finished| &*finished.outcome));
        let is_watched = !self.listeners.on_commit.is_empty();
        let outcomes: Vec<_> = finished
            .iter()
            .filter(|_| is_watched)
            .map(|finished| finished.outcome.clone())
            .collect();
        for FinishedAsk {
            ask,
            outcome,
            value,
        } in finished
        {
            if outcome.folded > 0 {
                self.fold_for_good(ask.entity, outcome.folded);
            }
            self.note_recalled(ask.entity, &outcome.recalled);
            commit(
                &mut self.world, ask.entity, &ask.body, &outcome, value, ask.guard_acts,
            );
        }
        self.serve_feeds();
        for act in &mut self.listeners.on_commit {
            act(&self.world, &outcomes);
        }
    }

    fn fold_for_good(&mut self, entity: Entity, count: u32) {
        let phrases = self.world.resource::<Phrasebook>().clone();
        let turn = self.turn();
        let mut query = self.world.query::<(&mut AgentContext, &mut Chapters)>();
        if let Ok((mut context, mut chapters)) = query.get_mut(&mut self.world, entity) {
            fold_into_chapter(&mut context, &mut chapters, count, turn, &phrases);
        }
    }
}
