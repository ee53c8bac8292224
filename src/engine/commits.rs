//! Outcomes are recorded, and places whose asks are all done are committed.

use bevy_ecs::prelude::*;

use super::Engine;
use super::EngineError;
use super::calls::Done;
use super::compact::fold_into_chapter;
use crate::cast::{CastList, CurrentStage, StableId};
use crate::context::{AgentContext, Chapters};
use crate::event::Phrasebook;
use crate::exchange::commit;
use crate::journal::Line;

impl Engine {
    /// Syncs what has arrived to the journal, once, and commits every place whose asks are all done.
    pub(super) fn commit_arrived(&mut self) -> Result<(), EngineError> {
        self.record_arrived()?;
        let mut complete = Vec::new();
        for (place, done, _) in std::mem::take(&mut self.arrived) {
            let (missing, all) = self.open.entry(place).or_default();
            all.push(done);
            *missing = missing.saturating_sub(1);
            if *missing == 0 {
                complete.push(place);
            }
        }
        complete.sort_unstable();
        for place in complete {
            if let Some((_, all)) = self.open.remove(&place) {
                self.commit_place(place, all);
                // Its answers are taken before those of another place exist.
                self.step_place(place)?;
            }
        }
        Ok(())
    }

    /// Syncs what has arrived and is new to the journal, once.
    pub(super) fn record_arrived(&mut self) -> Result<(), EngineError> {
        let new = self.arrived.iter_mut();
        let new = new.filter_map(|(_, done, is_new)| std::mem::take(is_new).then_some(done));
        let outcomes = new.map(|done| Line::Outcome(done.outcome.clone()));
        let lines: Vec<_> = self.lines.drain(..).chain(outcomes).collect();
        if !lines.is_empty() {
            self.journal.append(lines)?;
        }
        Ok(())
    }

    pub(super) fn commit_place(&mut self, id: StableId, mut all: Vec<Done>) {
        if let Some(place) = self.world.resource::<CastList>().by_id(id) {
            self.world.insert_resource(CurrentStage::Place(place));
        }
        all.sort_unstable_by_key(|done| done.id);
        for done in all {
            if done.outcome.folded > 0 {
                self.fold_for_good(done.entity, done.outcome.folded);
            }
            commit(
                &mut self.world,
                done.entity,
                &done.asked,
                &done.outcome,
                done.value,
                done.guarded,
            );
        }
        self.serve_feeds();
    }

    pub(super) fn fold_for_good(&mut self, entity: Entity, count: u32) {
        let phrases = self.world.resource::<Phrasebook>().clone();
        let turn = self.turn();
        let mut query = self.world.query::<(&mut AgentContext, &mut Chapters)>();
        if let Ok((mut context, mut chapters)) = query.get_mut(&mut self.world, entity) {
            fold_into_chapter(&mut context, &mut chapters, count, turn, &phrases);
        }
    }
}
