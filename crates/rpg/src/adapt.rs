//! Fits a story that runs to a world file that its author has changed since.
//!
//! [`check`] says why a file can't be taken over, [`changes`] what is another in it, and [`apply`]
//! takes it over at a meeting. What counts at the start of a story only, such as where an actor
//! begins, stays as it was.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{
    Appearance, CastList, Dead, EntityName, Kind, OnStage, set_system_message,
};
use playhouse_engine::knowledge::{FactBook, Knowledge, Known};
use playhouse_engine::locale::{Argument, Localize, UiText, text};
use serde_json::Value;
use thiserror::Error;

use super::campaign_phase::CampaignState;
use super::components::{CurrentFight, Fighter, Foe, Health, HomeStage, StatusEffects};
use super::scenes::choose::PendingChoice;
use super::scenes::open::{CalledScene, OpenScene};
use super::spawn::{
    SpawnError, actor_identity, agent_identity, connect, fighter, foe_identity, rules_text,
    stage_identity,
};
use super::world_file::{StageKind, Stats, WorldFile};
use crate::drama::{Belongings, GoalState, Goals, Qualities};

/// Why a story can't continue with a world file.
#[derive(Debug, Error, Localize)]
#[text(rpg_unfit, reasons = all_of(reasons))]
pub struct Unfit(Vec<UiText>);

fn all_of(reasons: &[UiText]) -> UiText {
    let reasons = reasons.iter().cloned();
    let all = reasons.reduce(|before, next| text!(rpg_unfit_and, before, next));
    all.unwrap_or_default()
}

/// What stays as it is in a story that runs: members of the world file, or of the parts of one.
const AT_START: [(&str, &str); 14] = [
    ("bonds", ""),
    ("agents", "kickoff"),
    ("agents", "model"),
    ("stages", "kickoff"),
    ("stages", "model"),
    ("actors", "kickoff"),
    ("actors", "model"),
    ("actors", "faction"),
    ("actors", "past"),
    ("actors", "stage"),
    ("actors", "tools"),
    ("items", "at"),
    ("qualities", "start"),
    ("facts", "known_by"),
];

/// Refuses a file that lacks what is alive, held, known or going on, that has new people or places,
/// or whose past is another one.
pub(super) fn check(world: &mut World, old: &WorldFile, new: &WorldFile) -> Result<(), Unfit> {
    let mut reasons = Vec::new();
    if old.language != new.language {
        reasons.push(text!(rpg_unfit_language));
    }
    check_cast(world, new, &mut reasons);
    check_newcomers(world, old, new, &mut reasons);
    check_possessions(world, old, new, &mut reasons);
    check_course(world, old, new, &mut reasons);
    if reasons.is_empty() {
        Ok(())
    } else {
        Err(Unfit(reasons))
    }
}

fn check_cast(world: &mut World, new: &WorldFile, reasons: &mut Vec<UiText>) {
    for entity in members(world) {
        let entity = world.entity(entity);
        let (Some(name), Some(kind)) = (entity.get::<EntityName>(), entity.get::<Kind>()) else {
            continue;
        };
        let name: &str = &name.0;
        let is_there = match kind {
            Kind::Stage => new.stage(name).is_some(),
            Kind::WorldAgent => new.agent(name).is_some(),
            Kind::Actor if entity.contains::<Foe>() => new.foe(name).is_some(),
            Kind::Actor => new.actor(name).is_some(),
        };
        // A foe that comes back is nowhere between its fights.
        let is_away = entity.contains::<Foe>() && !entity.contains::<OnStage>();
        if !is_there && !is_away && !entity.contains::<Dead>() {
            reasons.push(text!(rpg_unfit_gone, name));
        }
        let is_home = entity.contains::<HomeStage>();
        let stage = new.stage(name);
        if stage.is_some_and(|stage| (stage.kind == StageKind::Home) != is_home) {
            reasons.push(text!(rpg_unfit_kind, name));
        }
        let goals = entity.get::<Goals>().map_or(0, |goals| goals.0.len());
        let actor = new.actor(name);
        if actor.is_some_and(|actor| actor.goals.len() < goals) {
            reasons.push(text!(rpg_unfit_goals, name));
        }
        for skill in skills_of(entity) {
            if new.skill(&skill).is_none() {
                reasons.push(text!(rpg_unfit_skill, skill = &*skill, name));
            }
        }
    }
}

/// The skills that a fighter has, and those whose effects last.
fn skills_of(entity: EntityRef<'_>) -> BTreeSet<Arc<str>> {
    let own = entity
        .get::<Fighter>()
        .into_iter()
        .flat_map(|fighter| &fighter.skills);
    let effects = entity
        .get::<StatusEffects>()
        .into_iter()
        .flat_map(|effects| &effects.0);
    own.chain(effects.map(|effect| &effect.skill))
        .cloned()
        .collect()
}

/// People and places are there from the start; only foes may come later.
fn check_newcomers(world: &World, old: &WorldFile, new: &WorldFile, reasons: &mut Vec<UiText>) {
    let cast = world.resource::<CastList>();
    let is_old = |name: &str| {
        old.stage(name).is_some() || old.agent(name).is_some() || old.actor(name).is_some()
    };
    let stages = new.stages.iter().map(|stage| &stage.name);
    let agents = new.agents.iter().map(|agent| &agent.name);
    let actors = new.actors.iter().map(|actor| &actor.name);
    for name in stages.chain(agents).chain(actors) {
        if !is_old(name) && cast.by_name(name).is_none() {
            reasons.push(text!(rpg_unfit_new, name));
        }
    }
}

fn check_possessions(world: &World, old: &WorldFile, new: &WorldFile, reasons: &mut Vec<UiText>) {
    let has_fact = |file: &WorldFile, id: &str| file.facts.iter().any(|fact| fact.id == id);
    for entity in members(world) {
        let entity = world.entity(entity);
        let name = entity
            .get::<EntityName>()
            .map_or_else(String::new, ToString::to_string);
        let held = entity.get::<Belongings>();
        for item in held.iter().flat_map(|held| &held.0) {
            if new.items.iter().all(|known| known.name != **item) {
                reasons.push(text!(rpg_unfit_held, item = &**item, name = &name));
            }
        }
        let knowledge = entity.get::<Knowledge>();
        for (fact, _) in knowledge.iter().flat_map(|knowledge| knowledge.all()) {
            // What play made is in no file.
            if has_fact(old, fact) && !has_fact(new, fact) {
                reasons.push(text!(rpg_unfit_known, fact = &**fact, name = &name));
            }
        }
    }
}

/// What has begun stays as it began.
fn check_course(world: &World, old: &WorldFile, new: &WorldFile, reasons: &mut Vec<UiText>) {
    let state = world.resource::<CampaignState>();
    let steps = state.steps_done;
    if !old
        .schedule
        .iter()
        .take(steps)
        .eq(new.schedule.iter().take(steps))
    {
        reasons.push(text!(rpg_unfit_schedule, steps));
    }
    let mut dungeons: BTreeSet<Arc<str>> = state.phase.dungeons().iter().cloned().collect();
    let ahead = state.ahead.iter().flat_map(|step| step.dungeons());
    dungeons.extend(ahead.map(|name| name.as_str().into()));
    let mut scenes: BTreeSet<Arc<str>> = BTreeSet::new();
    for entity in members(world) {
        let entity = world.entity(entity);
        let fight = entity.get::<CurrentFight>();
        dungeons.extend(fight.map(|fight| fight.dungeon.clone()));
        scenes.extend(entity.get::<OpenScene>().map(|scene| scene.id.clone()));
        scenes.extend(entity.get::<CalledScene>().map(|scene| scene.0.clone()));
        let choice = entity.get::<PendingChoice>();
        scenes.extend(choice.map(|choice| choice.scene.clone()));
    }
    for dungeon in dungeons {
        let fights = |file: &WorldFile| Some(file.dungeon(&dungeon)?.fights.clone());
        if fights(old) != fights(new) {
            reasons.push(text!(rpg_unfit_dungeon, dungeon = &*dungeon));
        }
    }
    let options_of = |file: &WorldFile, id: &str| -> Option<Vec<String>> {
        let scene = file.scenes.iter().find(|scene| scene.id == id)?;
        let options = scene.options();
        Some(options.map(|option| option.id.clone()).collect())
    };
    for scene in scenes {
        if options_of(old, &scene) != options_of(new, &scene) {
            reasons.push(text!(rpg_unfit_scene, scene = &*scene));
        }
    }
}

/// What is another in the new file: by list and name, with the members that changed.
pub(super) fn changes(old: &WorldFile, new: &WorldFile) -> Vec<UiText> {
    let (Ok(Value::Object(old)), Ok(Value::Object(new))) =
        (serde_json::to_value(old), serde_json::to_value(new))
    else {
        return Vec::new();
    };
    let members: BTreeSet<_> = old.keys().chain(new.keys()).collect();
    let nothing = Value::Null;
    let (mut taken, mut at_start) = (Vec::new(), Vec::new());
    for member in members {
        let [before, after] = [&old, &new].map(|file| file.get(member).unwrap_or(&nothing));
        if before == after {
            continue;
        }
        let (Some(before), Some(after)) = (by_name(before), by_name(after)) else {
            let is_at_start = AT_START.contains(&(member, ""));
            let changes = if is_at_start {
                &mut at_start
            } else {
                &mut taken
            };
            changes.push(text!(rpg_changed_member, member));
            continue;
        };
        let names: BTreeSet<_> = before.keys().chain(after.keys()).collect();
        for name in names {
            match (before.get(name), after.get(name)) {
                (None, _) => taken.push(text!(rpg_changed_added, member, name)),
                (_, None) => taken.push(text!(rpg_changed_removed, member, name)),
                (Some(before), Some(after)) => {
                    let (later, now): (Vec<_>, Vec<_>) = fields_that_differ(before, after)
                        .into_iter()
                        .partition(|field| AT_START.contains(&(member, field)));
                    for (fields, place) in [(now, &mut taken), (later, &mut at_start)] {
                        if !fields.is_empty() {
                            let fields = Argument::list(&fields);
                            place.push(text!(rpg_changed_fields, member, name, fields));
                        }
                    }
                }
            }
        }
    }
    taken.extend(
        at_start
            .into_iter()
            .map(|change| text!(rpg_changed_later, change)),
    );
    taken
}

/// The parts of a list, by name or id; `None` if it is no such list.
fn by_name(list: &Value) -> Option<BTreeMap<String, Value>> {
    let parts = list.as_array()?.iter().map(|part| {
        let name = part.get("id").or_else(|| part.get("name"))?;
        Some((name.as_str()?.to_owned(), part.clone()))
    });
    parts.collect()
}

fn fields_that_differ(before: &Value, after: &Value) -> Vec<String> {
    let (Value::Object(before), Value::Object(after)) = (before, after) else {
        return Vec::new();
    };
    let fields: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let differ = |field: &&String| before.get(*field) != after.get(*field);
    fields.into_iter().filter(differ).cloned().collect()
}

/// Takes over a file that passed the [`check`], at a meeting. Its data are in the world already.
pub(super) fn apply(world: &mut World, old: &WorldFile, new: &WorldFile) -> Result<(), SpawnError> {
    let rules = rules_text(new);
    let facts = new.fact_book();
    for entity in members(world) {
        let Some(name) = world.get::<EntityName>(entity).map(|name| name.0.clone()) else {
            continue;
        };
        let identity = fit_entity(world, entity, &name, old, new)?;
        if let Some(identity) = identity {
            set_system_message(world, entity, Some(&rules), &identity);
        }
        learn_new_facts(world, entity, &name, old, &facts);
    }
    for item in &new.items {
        let is_new = old.items.iter().all(|known| known.name != item.name);
        let holder = world.resource::<CastList>().by_name(&item.at);
        if let Some(holder) = holder.filter(|_| is_new)
            && let Some(mut held) = world.get_mut::<Belongings>(holder)
        {
            held.0.insert(item.name.as_str().into());
        }
    }
    let at_start = Qualities::at_start(&new.qualities);
    let mut qualities = world.resource_mut::<Qualities>();
    for (id, start) in at_start.0 {
        qualities.0.entry(id).or_insert(start);
    }
    for quality in &new.qualities {
        qualities.change(quality, 0);
    }
    Ok(())
}

/// Gives an entity what the file says of it, and returns its own part of the system message; `None`
/// if the file has nothing of it.
fn fit_entity(
    world: &mut World,
    entity: Entity,
    name: &str,
    old: &WorldFile,
    new: &WorldFile,
) -> Result<Option<String>, SpawnError> {
    if let Some(stage) = new.stage(name) {
        let look = Appearance(stage.profile.as_str().into());
        world.entity_mut(entity).insert(look);
        connect(world, stage);
        return stage_identity(world, stage).map(Some);
    }
    if let Some(agent) = new.agent(name) {
        return agent_identity(world, agent).map(Some);
    }
    if let Some(actor) = new.actor(name) {
        let before = old.actor(name).map(|actor| actor.stats);
        fit_fighter(world, entity, before, fighter(actor.stats, &actor.skills));
        let look = Appearance(actor.look.as_str().into());
        let mut fitted = world.entity_mut(entity);
        fitted.insert(look);
        if let Some(mut goals) = fitted.get_mut::<Goals>() {
            let count = goals.0.len().max(actor.goals.len());
            goals.0.resize(count, GoalState::Open);
        }
        return actor_identity(world, new, actor).map(Some);
    }
    if let Some(foe) = new.foe(name) {
        let before = old.foe(name).map(|foe| foe.stats);
        fit_fighter(world, entity, before, fighter(foe.stats, &foe.skills));
        let look = Appearance(foe.look.as_str().into());
        let returns = foe.returns;
        world.entity_mut(entity).insert((look, Foe { returns }));
        return foe_identity(world, new, foe).map(Some);
    }
    Ok(None)
}

fn fit_fighter(world: &mut World, entity: Entity, before: Option<Stats>, fighter: Fighter) {
    let mut entity = world.entity_mut(entity);
    let stats = fighter.stats;
    entity.insert(fighter);
    let is_other = before.is_some_and(|before| before.hp != stats.hp);
    if is_other && let Some(mut health) = entity.get_mut::<Health>() {
        let is_whole = health.hp == health.max;
        let hp = if is_whole { stats.hp } else { health.hp };
        *health = Health {
            hp: hp.min(stats.hp),
            max: stats.hp,
        };
    }
}

/// A fact that is new in the file is known as if it had been there from the start.
fn learn_new_facts(
    world: &mut World,
    entity: Entity,
    name: &str,
    old: &WorldFile,
    facts: &FactBook,
) {
    let Some(mut knowledge) = world.get_mut::<Knowledge>(entity) else {
        return;
    };
    for fact in facts.all() {
        let is_new = old.facts.iter().all(|known| known.id != fact.id);
        if is_new && !fact.is_common() && fact.is_known_at_start(name) {
            knowledge.learn(&fact.id.as_str().into(), &Known::default());
        }
    }
}

/// Everybody and every place, in stable order.
fn members(world: &World) -> Vec<Entity> {
    let all = world.resource::<CastList>().all();
    all.map(|(_, entity)| entity).collect()
}
