//! What is counted while a run takes place.

use std::collections::{BTreeMap, BTreeSet};

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, EntityName, Kind, WorldTurn, is_dead, stage_of};
use playhouse_engine::event::kinds::{Announce, Archive, Mind, Speak, Whisper};
use playhouse_engine::event::{AgentEvent, EventRecord, Record};
use playhouse_engine::knowledge::{FactBook, Knowledge, Today};
use serde::Deserialize;

use super::clauses::{Clauses, Wording};
use super::figures::{Moment, Spot, SpotSeen};
use super::play::{Find, FindWhen};
use crate::campaign_phase::round_of;
use crate::components::RpgWorld;
use crate::drama::{History, Occasion, StoryData};
use crate::events::{CardPlayed, CombatOutcome, CombatRound, Narration, StageDescription};
use crate::scenes::effects::EffectSkipped;

/// Counts what a run tells its feed, and how its history grows.
#[derive(Default)]
pub(super) struct Watch {
    pub(super) course: Vec<Moment>,
    pub(super) falls: BTreeMap<String, u32>,
    pub(super) skipped: BTreeMap<String, u32>,
    pub(super) clauses: Clauses,
    /// Who was where, and which scenes began there.
    pub(super) spots: BTreeMap<Spot, SpotSeen>,
    /// The facts that somebody who knew them could have told somebody who was there.
    pub(super) near_told: BTreeSet<String>,
    /// What is looked for before the end.
    pub(super) find: Option<Find>,
    /// The first turn in which it held.
    pub(super) found_in: Option<u64>,
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
        let begun = history.scenes.get(self.seen[0]..).unwrap_or_default();
        let begun: Vec<_> = begun.iter().map(|(id, _)| id.to_string()).collect();
        self.look_for(world, &begun);
        self.note_places(world, &begun);
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

impl Watch {
    /// Looks whether what is looked for holds now.
    fn look_for(&mut self, world: &World, begun: &[String]) {
        let Some(find) = &self.find else { return };
        let is_moment = match &find.when {
            FindWhen::End => false,
            FindWhen::Ever => true,
            FindWhen::Scene(id) => begun.contains(id),
        };
        if is_moment && self.found_in.is_none() && find.condition.holds(world, &"find") {
            self.found_in = Some(world.resource::<WorldTurn>().0);
        }
    }

    /// Notes who is where, what begins there, and what could be told.
    fn note_places(&mut self, world: &World, begun: &[String]) {
        let day = world.resource::<Today>().0;
        if day == 0 {
            return;
        }
        let occasion = *world.resource::<Occasion>();
        let round = round_of(world);
        // In the evening people go to sleep.
        if round == 0 && matches!(occasion, Occasion::Morning | Occasion::Afternoon) {
            return;
        }
        let hour = world.resource::<RpgWorld>().0.hour(round);
        let mut places = BTreeMap::<&str, Vec<(&str, Entity)>>::new();
        let actors = world.resource::<CastList>().all().map(|(_, entity)| entity);
        for actor in actors.filter(|actor| world.get::<Kind>(*actor) == Some(&Kind::Actor)) {
            let place = stage_of(world, actor).filter(|_| !is_dead(world, actor));
            let place = place.and_then(|place| world.get::<EntityName>(place));
            if let (Some(place), Some(name)) = (place, world.get::<EntityName>(actor)) {
                places.entry(&*place.0).or_default().push((&*name.0, actor));
            }
        }
        let scenes = world.resource::<StoryData>().scenes.iter();
        let begun: Vec<_> = scenes.filter(|scene| begun.contains(&scene.id)).collect();
        for (place, people) in places {
            let spot = Spot {
                day,
                occasion,
                round,
                hour: hour.to_owned(),
                place: place.to_owned(),
            };
            let seen = self.spots.entry(spot).or_default();
            let names = people.iter().map(|(name, _)| (*name).to_owned());
            seen.people.extend(names);
            let here = begun.iter().filter(|scene| scene.at == place);
            seen.scenes.extend(here.map(|scene| scene.id.clone()));
            self.near_told.extend(tellable(world, &people));
        }
    }
}

/// The facts that some of these people know and others don't.
fn tellable(world: &World, people: &[(&str, Entity)]) -> Vec<String> {
    let facts = world.resource::<FactBook>().all();
    let tellable = facts.filter(|fact| {
        let knows = |(_, person): &(&str, Entity)| {
            let knowledge = world.get::<Knowledge>(*person);
            knowledge.is_some_and(|knowledge| knowledge.knows(&fact.id))
        };
        let knowing = people.iter().filter(|person| knows(person)).count();
        0 < knowing && knowing < people.len()
    });
    tellable.map(|fact| fact.id.clone()).collect()
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
