//! What is counted while a run takes place.

use std::collections::BTreeMap;

use bevy_ecs::prelude::*;
use playhouse_engine::event::kinds::{Announce, Archive, Mind, Speak, Whisper};
use playhouse_engine::event::{AgentEvent, EventRecord, Record};
use serde::Deserialize;

use super::clauses::{Clauses, Wording};
use super::figures::Moment;
use crate::drama::History;
use crate::events::{CardPlayed, CombatOutcome, CombatRound, Narration, StageDescription};
use crate::scenes::effects::EffectSkipped;

/// Counts what a run tells its feed, and how its history grows.
#[derive(Default)]
pub(super) struct Watch {
    pub(super) course: Vec<Moment>,
    pub(super) falls: BTreeMap<String, u32>,
    pub(super) skipped: BTreeMap<String, u32>,
    pub(super) clauses: Clauses,
    /// How much of the history is in the course: scenes, choices, fights and votes.
    seen: [usize; 4],
    /// The rounds of the last fight on each stage, and how many heroes fell in it.
    fights: BTreeMap<String, (u32, u32)>,
}

impl Watch {
    pub(super) fn note(&mut self, record: &Record) {
        let Record::Event(event) = record else { return };
        if let Some((wording, member)) = worded(&event.kind)
            && !is_told_elsewhere(event)
            && let Some(text) = event.data.get(member).and_then(|text| text.as_str())
        {
            self.clauses.note(wording, text);
        }
        if let Some(EffectSkipped { of, effect, .. }) = read(event) {
            *self.skipped.entry(format!("{of}: {effect}")).or_default() += 1;
        }
        if let Some(round) = read::<CombatRound>(event) {
            self.fights.entry(round.stage).or_default().0 = round.round;
        }
        if let Some(outcome) = read::<CombatOutcome>(event) {
            for hero in &outcome.fallen {
                *self.falls.entry(hero.clone()).or_default() += 1;
            }
            let fight = self.fights.entry(outcome.stage).or_default();
            fight.1 = outcome.fallen.len() as u32;
        }
    }

    /// Adds what has happened since the last turn: first what was chosen and voted before the world
    /// met, then the fight that was over, then the scenes that began.
    pub(super) fn note_turn(&mut self, world: &World) {
        let history = world.resource::<History>();
        let [scenes, choices, fights, votes] = &mut self.seen;
        for (scene, option, who) in new(&history.choices, choices) {
            self.course.push(Moment::Choice {
                scene: scene.to_string(),
                option: option.to_string(),
                who: who.to_string(),
            });
        }
        for (result, _) in new(&history.votes, votes) {
            let result = result.to_string();
            self.course.push(Moment::Vote { result });
        }
        for (stage, result) in new(&history.fights, fights) {
            let (rounds, fallen) = self.fights.remove(&**stage).unwrap_or_default();
            self.course.push(Moment::Fight {
                stage: stage.to_string(),
                result: *result,
                rounds,
                fallen,
            });
        }
        for (id, day) in new(&history.scenes, scenes) {
            let (id, day) = (id.to_string(), *day);
            self.course.push(Moment::Scene { id, day });
        }
    }
}

/// The part of a list that was not seen yet.
fn new<'a, T>(list: &'a [T], seen: &mut usize) -> &'a [T] {
    let from = std::mem::replace(seen, list.len());
    list.get(from..).unwrap_or_default()
}

/// The event in a record, if it is of this type.
fn read<E: AgentEvent + for<'a> Deserialize<'a>>(event: &EventRecord) -> Option<E> {
    let is_it = event.kind == E::TYPE;
    is_it.then(|| E::deserialize(&event.data).ok()).flatten()
}

/// Whether it is what was announced on a stage, as everybody elsewhere hears it at the meeting.
fn is_told_elsewhere(event: &EventRecord) -> bool {
    let announced = read::<Announce>(event).filter(|_| event.place.is_empty());
    announced.is_some_and(|announced| !announced.stage.is_empty())
}

/// Which kind of text an event carries, and in which member.
fn worded(kind: &str) -> Option<(Wording, &'static str)> {
    match kind {
        Speak::TYPE | Whisper::TYPE | Announce::TYPE => Some((Wording::Speech, "message")),
        Mind::TYPE => Some((Wording::Thought, "message")),
        CardPlayed::TYPE => Some((Wording::Card, "description")),
        Narration::TYPE | StageDescription::TYPE => Some((Wording::Narration, "message")),
        Archive::TYPE => Some((Wording::Memory, "message")),
        _ => None,
    }
}
