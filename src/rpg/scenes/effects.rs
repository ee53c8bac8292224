//! What choices and scenes change.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use crate::cast::{CastList, Dead, EntityName, Exits, Faction, Kind, Occupants, OnStage, StableId};
use crate::context::{AgentContext, Chapters, Happening, Pledge};
use crate::drama::{
    Effect, History, Promise, PromiseState, Promises, Qualities, StoryData, change_bond,
    entities_of, holder_of, move_item,
};
use crate::event::kinds::{Announce, Death};
use crate::event::{AgentEvent, deliver, write_events_at_meeting};
use crate::knowledge::{Knowledge, Today};
use crate::rpg::combat::wounds::tell_wound;
use crate::rpg::components::{ClosedDungeons, Health, Wounded};
use crate::rpg::events::PromiseKept;
use crate::rpg::everybody::{public_of, publish};
use crate::rpg::spawn::{HERO, NEUTRAL};
use crate::rpg::travel::send;

/// Something that the world file tells everybody at a place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Told {
    /// What is told.
    pub(crate) message: String,
}

impl AgentEvent for Told {
    const TYPE: &'static str = "told";
}

/// Applies effects one after the other, each whole or not at all. One that can't apply is skipped
/// with a line in the log. At a meeting.
pub(crate) fn apply_effects(world: &mut World, stage: Entity, effects: &[Effect]) {
    for effect in effects {
        if apply(world, stage, effect).is_none() {
            tracing::debug!(?effect, "skipped, since it can't apply any more");
        }
    }
    // What was taught is known before other conditions are checked at this meeting.
    if let Err(error) = world.run_system_cached(deliver) {
        tracing::error!("events of effects are delivered later: {error}");
    }
}

/// `None` if the effect can't apply.
fn apply(world: &mut World, stage: Entity, effect: &Effect) -> Option<()> {
    match effect {
        Effect::Teach(who, fact) => {
            let learners = living(world, who);
            let learners = some(learners)?;
            write_events_at_meeting(world, |events| events.teach(&learners, fact, ""));
        }
        Effect::Tells(from, to, fact) => {
            let teller = living(world, from).first().copied()?;
            let knowledge = world.get::<Knowledge>(teller)?;
            knowledge.knows(fact).then_some(())?;
            let teller = name_of(world, teller);
            let learners = some(living(world, to))?;
            write_events_at_meeting(world, |events| events.teach(&learners, fact, &teller));
        }
        Effect::Reveal(fact) => {
            let mut learners = vec![stage];
            let occupants = world.get::<Occupants>(stage);
            learners.extend(occupants.into_iter().flat_map(Occupants::in_order));
            learners.retain(|entity| world.get::<Dead>(*entity).is_none());
            learners.extend(public_of(world, stage));
            write_events_at_meeting(world, |events| events.teach(&learners, fact, ""));
        }
        Effect::Give(item, to) => {
            let to = living(world, to).first().copied()?;
            exists(world, item)?;
            note_loss(world, item, Some(to));
            move_item(world, item, Some(to));
            let (who, item) = (name_of(world, to).into(), item.as_str().into());
            note(world, to, Happening::Took { who, item });
        }
        Effect::Put(item, place) => {
            let place = entity(world, place)?;
            exists(world, item)?;
            note_loss(world, item, Some(place));
            move_item(world, item, Some(place));
        }
        Effect::Destroy(item) => {
            holder_of(world, item)?;
            note_loss(world, item, None);
            move_item(world, item, None);
        }
        Effect::Add(quality, by) => change_quality(world, quality, *by)?,
        Effect::Bond(from, to, by) => {
            let from = living(world, from);
            for from in some(from)? {
                change_bond(world, from, to, *by);
                let (about, change, why) = (to.as_str().into(), *by, "".into());
                note(world, from, Happening::Felt { about, change, why });
            }
        }
        Effect::Promise(from, to, words) => {
            let from = living(world, from).first().copied()?;
            note_promise(world, from, to, words, Pledge::Made);
            let mut from = world.entity_mut(from);
            let mut promises = from.entry::<Promises>().or_default();
            promises.get_mut().0.push(Promise {
                to: to.as_str().into(),
                words: words.as_str().into(),
                state: PromiseState::Open,
            });
        }
        Effect::Break(from, to) => {
            let broken = settle(world, from, to, PromiseState::Broken)?;
            let from = entity(world, from)?;
            for words in broken {
                note_promise(world, from, to, &words, Pledge::Broken);
            }
        }
        Effect::Keep(from, to) => {
            let kept = settle(world, from, to, PromiseState::Kept)?;
            let told = [living(world, from), living(world, to)].concat();
            for words in kept {
                let (actor, to) = (from.clone(), to.clone());
                let event = PromiseKept { actor, to, words };
                write_events_at_meeting(world, |events| events.notify_entities(&told, event));
            }
        }
        Effect::Move(who, place) => {
            let place = entity(world, place)?;
            let who = some(living(world, who))?;
            send(world, &who, place);
        }
        Effect::Hurt(who, by) => {
            for who in some(living(world, who))? {
                let mut health = world.get_mut::<Health>(who)?;
                health.hp = (health.hp - by.max(&0)).clamp(1, health.max);
            }
        }
        Effect::Heal(who, by) => {
            for who in some(living(world, who))? {
                world.get_mut::<Health>(who)?.heal(*by);
            }
        }
        Effect::Wound(who, days) => {
            for who in some(living(world, who))? {
                world.get::<Health>(who)?;
                world.entity_mut(who).insert(Wounded { days: *days });
                tell_wound(world, who, *days);
            }
        }
        Effect::Kill(who) => {
            for who in some(living(world, who))? {
                let name: Arc<str> = name_of(world, who).into();
                let event = Death {
                    actor: name.to_string(),
                    by: String::new(),
                    stage: name_of(world, stage),
                };
                tell_stage(world, stage, event);
                world.entity_mut(who).insert(Dead);
                world.resource_mut::<History>().fallen.insert(name);
            }
        }
        Effect::Revive(who, place) => {
            let (who, place) = (entity(world, who)?, entity(world, place)?);
            world.entity_mut(who).remove::<Dead>();
            if let Some(mut health) = world.get_mut::<Health>(who) {
                health.hp = health.hp.max(1);
            }
            send(world, &[who], place);
        }
        Effect::Join(who) => set_faction(world, who, HERO)?,
        Effect::Leave(who) => set_faction(world, who, NEUTRAL)?,
        Effect::OpenWay(from, to) => change_way(world, from, to, true)?,
        Effect::CloseWay(from, to) => change_way(world, from, to, false)?,
        Effect::CloseDungeon(dungeon) => {
            let mut closed = world.resource_mut::<ClosedDungeons>();
            closed.0.insert(dungeon.as_str().into());
        }
        Effect::Tell(message) => {
            publish(world, stage, message);
            let message = message.clone();
            tell_stage(world, stage, Told { message });
        }
        Effect::Announce(message) => announce(world, message),
        Effect::End(ending) => {
            world.resource_mut::<History>().ending = Some(ending.as_str().into());
        }
    }
    Some(())
}

fn announce(world: &mut World, message: &str) {
    let event = Announce {
        message: message.to_owned(),
        ..Announce::default()
    };
    write_events_at_meeting(world, |events| events.announce(event, &[]));
}

fn change_quality(world: &mut World, id: &str, by: i32) -> Option<()> {
    let quality = world.resource::<StoryData>().quality(id)?.clone();
    let (before, after) = world.resource_mut::<Qualities>().change(&quality, by);
    let reached = |at: i32| (before < at && at <= after) || (after <= at && at < before);
    let steps = quality.steps.iter().filter(|step| reached(step.at));
    for step in steps.filter(|_| !quality.hidden) {
        announce(world, &step.text);
    }
    Some(())
}

/// Somebody notes what no event tells.
fn note(world: &mut World, who: Entity, happening: Happening) {
    let day = world.resource::<Today>().0;
    let place = world
        .get::<OnStage>(who)
        .map(|stage| name_of(world, stage.0));
    let mut minds = world.query::<(&AgentContext, &mut Chapters)>();
    if let Ok((context, mut chapters)) = minds.get_mut(world, who) {
        chapters.note(context, day, &place.unwrap_or_default(), happening);
    }
}

/// Whoever has an item notes its loss, unless it stays there.
fn note_loss(world: &mut World, item: &str, to: Option<Entity>) {
    if let Some(holder) = holder_of(world, item).filter(|holder| Some(*holder) != to) {
        let (who, item) = (name_of(world, holder).into(), item.into());
        note(world, holder, Happening::Lost { who, item });
    }
}

fn note_promise(world: &mut World, from: Entity, to: &str, words: &str, state: Pledge) {
    let (who, to, words) = (name_of(world, from).into(), to.into(), words.into());
    note(
        world,
        from,
        Happening::Promised {
            who,
            to,
            words,
            state,
        },
    );
}

/// Settles the open promises of somebody to somebody; returns their words.
fn settle(world: &mut World, from: &str, to: &str, state: PromiseState) -> Option<Vec<String>> {
    let from = entity(world, from)?;
    let mut promises = world.get_mut::<Promises>(from)?;
    let open = promises.0.iter_mut();
    let open = open.filter(|it| *it.to == *to && it.state == PromiseState::Open);
    let settled = open.map(|promise| {
        promise.state = state;
        promise.words.to_string()
    });
    Some(settled.collect())
}

fn set_faction(world: &mut World, who: &str, faction: &str) -> Option<()> {
    let who = entity(world, who)?;
    world.get::<Health>(who)?;
    world.entity_mut(who).insert(Faction(faction.into()));
    Some(())
}

fn change_way(world: &mut World, from: &str, to: &str, open: bool) -> Option<()> {
    let (from, to) = (entity(world, from)?, entity(world, to)?);
    for (from, to) in [(from, to), (to, from)] {
        let to = *world.get::<StableId>(to)?;
        let mut exits = world.get_mut::<Exits>(from)?;
        exits.0.retain(|exit| *exit != to);
        if open {
            exits.0.push(to);
        }
    }
    Some(())
}

/// Whether an item is in the world: one that was never anywhere may appear, one that was destroyed
/// may not.
fn exists(world: &mut World, item: &str) -> Option<()> {
    let begins_nowhere = world.resource::<StoryData>().item(item)?.at.is_empty();
    (begins_nowhere || holder_of(world, item).is_some()).then_some(())
}

fn entity(world: &World, name: &str) -> Option<Entity> {
    world.resource::<CastList>().by_name(name)
}

fn living(world: &World, who: &str) -> Vec<Entity> {
    let mut entities = entities_of(world, who);
    let is_actor = |entity: Entity| world.get::<Kind>(entity) == Some(&Kind::Actor);
    entities.retain(|entity| !is_actor(*entity) || world.get::<Dead>(*entity).is_none());
    entities
}

fn some(entities: Vec<Entity>) -> Option<Vec<Entity>> {
    (!entities.is_empty()).then_some(entities)
}

/// Tells everybody at a stage something, at a meeting.
fn tell_stage(world: &mut World, stage: Entity, event: impl AgentEvent) {
    write_events_at_meeting(world, |events| events.broadcast_to_stage(stage, event, &[]));
}

/// The name of an entity; empty if it has none.
fn name_of(world: &World, entity: Entity) -> String {
    let name = world.get::<EntityName>(entity);
    name.map(ToString::to_string).unwrap_or_default()
}
