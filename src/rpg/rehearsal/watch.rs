//! What is counted while a run takes place.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::clauses::{Clauses, Wording};
use super::figures::Moment;
use crate::event::kinds::{Announce, Archive, Mind, Speak, Whisper};
use crate::event::{AgentEvent, EventRecord, Record};
use crate::rpg::events::{CardPlayed, CombatOutcome, CombatRound, Narration, Scene};

/// Counts what a run's feed tells.
#[derive(Default)]
pub(super) struct Watch {
    pub(super) course: Vec<Moment>,
    pub(super) falls: BTreeMap<String, u32>,
    pub(super) clauses: Clauses,
    /// The rounds so far of each fight that is not over, by stage.
    rounds: BTreeMap<String, u32>,
}

impl Watch {
    /// Counts a record.
    pub(super) fn note(&mut self, record: &Record) {
        let Record::Event(event) = record else { return };
        if let Some((wording, member)) = worded(&event.kind)
            && let Some(text) = event.data.get(member).and_then(|text| text.as_str())
        {
            self.clauses.note(wording, text);
        }
        if let Some(round) = read::<CombatRound>(event) {
            self.rounds.insert(round.stage, round.round);
        }
        if let Some(outcome) = read::<CombatOutcome>(event) {
            for hero in &outcome.fallen {
                *self.falls.entry(hero.clone()).or_default() += 1;
            }
            self.course.push(Moment::Fight {
                rounds: self.rounds.remove(&outcome.stage).unwrap_or_default(),
                stage: outcome.stage,
                result: outcome.result,
                fallen: outcome.fallen.len() as u32,
            });
        }
    }
}

/// The event in a record, if it is of this type.
fn read<E: AgentEvent + for<'a> Deserialize<'a>>(event: &EventRecord) -> Option<E> {
    let is_it = event.kind == E::TYPE;
    is_it.then(|| E::deserialize(&event.data).ok()).flatten()
}

/// Which kind of text an event carries, and in which member.
fn worded(kind: &str) -> Option<(Wording, &'static str)> {
    match kind {
        Speak::TYPE | Whisper::TYPE | Announce::TYPE => Some((Wording::Speech, "message")),
        Mind::TYPE => Some((Wording::Thought, "message")),
        CardPlayed::TYPE => Some((Wording::Card, "description")),
        Narration::TYPE | Scene::TYPE => Some((Wording::Narration, "message")),
        Archive::TYPE => Some((Wording::Memory, "message")),
        _ => None,
    }
}
