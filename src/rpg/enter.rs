//! The cast enters: everybody of a world file, and the foes of a fight when the party reaches them.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde_json::{Value, json};
use thiserror::Error;

use super::components::{
    Acquainted, Effects, Fighter, Foe, Health, HomeStage, Homeward, RpgWorld, Secrets, insert_data,
};
use super::phase::Phase;
use super::world_file::{self, StageKind, WorldFile};
use crate::cast::{
    Appearance, CastError, CastList, Dead, Exits, Faction, Kind, OnStage, SpawnSpec, StableId,
    spawn,
};
use crate::event::Phrasebook;
use crate::message::Text;
use crate::mind::MindAlias;
use crate::tool::ToolSet;

/// Why the cast of a world file can't enter.
#[derive(Debug, Error)]
pub enum EnterError {
    /// Somebody was refused.
    #[error(transparent)]
    Cast(#[from] CastError),
    /// A system message could not be made.
    #[error("the system message of '{name}' can't be made: {reason}")]
    NoIdentity {
        /// Whose.
        name: String,
        /// Why.
        reason: String,
    },
}

/// The camp of the party.
pub const HERO: &str = "hero";
/// The camp of those whom the party fights.
pub const FOE: &str = "foe";
/// The camp of those who stay at home.
pub const NEUTRAL: &str = "neutral";

/// Brings everybody of the world file in, foes excepted: stages, then voices of the world, then actors.
///
/// # Errors
/// A name is refused or a system message can't be made; a checked world file gives neither.
pub fn enter_cast(world: &mut World, file: &Arc<WorldFile>) -> Result<(), EnterError> {
    insert_data(world, file);
    let rules: Arc<Text> = Arc::new(Text::from(format!("{}\n\n", file.rules.trim_end())));
    for stage in &file.stages {
        enter_stage(world, stage, &rules)?;
    }
    for stage in &file.stages {
        connect(world, stage);
    }
    for agent in &file.agents {
        let facts = json!({"name": agent.name, "profile": agent.profile});
        let identity = identity(world, "system/world_agent", &agent.name, &facts)?;
        let newcomer = newcomer(&agent.name, Kind::WorldAgent, &rules, identity, None);
        let entity = spawn(world, newcomer)?;
        world.entity_mut(entity).insert(Phase::Rest);
        prefer(world, entity, &agent.model);
    }
    for actor in &file.actors {
        enter_actor(world, file, actor, &rules)?;
    }
    Ok(())
}

fn enter_stage(
    world: &mut World,
    stage: &world_file::Stage,
    rules: &Arc<Text>,
) -> Result<(), EnterError> {
    let home = stage.kind == StageKind::Home;
    let facts = json!({
        "name": stage.name, "profile": stage.profile, "exits": stage.connects, "home": home,
    });
    let identity = identity(world, "system/stage", &stage.name, &facts)?;
    let entity = spawn(
        world,
        newcomer(&stage.name, Kind::Stage, rules, identity, None),
    )?;
    prefer(world, entity, &stage.model);
    let mut entity = world.entity_mut(entity);
    entity.insert((Phase::Rest, Appearance(stage.profile.as_str().into())));
    if home {
        entity.insert(HomeStage);
    }
    Ok(())
}

fn connect(world: &mut World, stage: &world_file::Stage) {
    let list = world.resource::<CastList>();
    let exits = stage.connects.iter().filter_map(|name| list.by_name(name));
    let exits: Vec<Entity> = exits.collect();
    let here = list.by_name(&stage.name);
    let exits = exits
        .iter()
        .filter_map(|exit| world.get::<StableId>(*exit).copied());
    let exits = Exits(exits.collect());
    if let Some(here) = here {
        world.entity_mut(here).insert(exits);
    }
}

fn enter_actor(
    world: &mut World,
    file: &WorldFile,
    actor: &world_file::Actor,
    rules: &Arc<Text>,
) -> Result<(), EnterError> {
    let secrets = file
        .secrets
        .iter()
        .filter(|secret| actor.secrets.contains(&secret.id));
    let facts = json!({
        "name": actor.name,
        "profile": actor.profile,
        "look": actor.look,
        "secrets": secrets.map(|secret| secret.text.as_str()).collect::<Vec<_>>(),
        "skills": skill_notes(file, &actor.skills),
    });
    let identity = identity(world, "system/actor", &actor.name, &facts)?;
    let newcomer = newcomer(
        &actor.name,
        Kind::Actor,
        rules,
        identity,
        Some(&actor.stage),
    );
    let entity = spawn(world, newcomer)?;
    prefer(world, entity, &actor.model);
    if !actor.tools.is_empty() {
        let tools = ToolSet::of(actor.tools.iter().map(String::as_str));
        world.entity_mut(entity).insert(tools);
    }
    let camp = match actor.camp {
        world_file::Faction::Hero => HERO,
        world_file::Faction::Neutral => NEUTRAL,
    };
    world.entity_mut(entity).insert((
        Faction(camp.into()),
        Appearance(actor.look.as_str().into()),
        Health::full(actor.stats.hp),
        fighter(actor.stats, &actor.skills),
        Effects::default(),
        Homeward(actor.stage.as_str().into()),
        Acquainted::default(),
        Secrets(actor.secrets.iter().map(|id| id.as_str().into()).collect()),
    ));
    Ok(())
}

/// Brings the foes of a fight onto its stage. One that was met before and returns stands up again,
/// with its memory; call it at a meeting.
///
/// # Errors
/// As [`enter_cast`].
pub fn enter_foes(world: &mut World, names: &[String], stage: &str) -> Result<(), EnterError> {
    let file = world.resource::<RpgWorld>().0.clone();
    for name in names {
        let Some(foe) = file.foes.iter().find(|foe| foe.name == *name) else {
            continue;
        };
        let known = world.resource::<CastList>().by_name(name);
        match known {
            Some(entity) => stand_up(world, entity, foe, stage),
            None => enter_foe(world, &file, foe, stage)?,
        }
    }
    Ok(())
}

fn enter_foe(
    world: &mut World,
    file: &WorldFile,
    foe: &world_file::Foe,
    stage: &str,
) -> Result<(), EnterError> {
    let facts = json!({
        "name": foe.name, "profile": foe.profile, "look": foe.look,
        "skills": skill_notes(file, &foe.skills),
    });
    let identity = identity(world, "system/foe", &foe.name, &facts)?;
    let rules = shared_rules(world, file);
    let entity = spawn(
        world,
        newcomer(&foe.name, Kind::Actor, &rules, identity, Some(stage)),
    )?;
    prefer(world, entity, &foe.model);
    world.entity_mut(entity).insert((
        Faction(FOE.into()),
        Appearance(foe.look.as_str().into()),
        Health::full(foe.stats.hp),
        fighter(foe.stats, &foe.skills),
        Effects::default(),
        Acquainted::default(),
        Foe {
            returns: foe.returns,
        },
    ));
    Ok(())
}

fn stand_up(world: &mut World, entity: Entity, foe: &world_file::Foe, stage: &str) {
    let stage = world.resource::<CastList>().by_name(stage);
    let mut entity = world.entity_mut(entity);
    entity.remove::<Dead>();
    entity.insert((Health::full(foe.stats.hp), Effects::default()));
    if let Some(stage) = stage {
        entity.insert(OnStage(stage));
    }
}

/// Notes the model that an entity's writer chose for it.
fn prefer(world: &mut World, entity: Entity, model: &str) {
    if !model.is_empty() {
        world.entity_mut(entity).insert(MindAlias(model.into()));
    }
}

/// The rules as the bodies in the world share them already.
fn shared_rules(world: &mut World, file: &WorldFile) -> Arc<Text> {
    let mut contexts = world.query::<&crate::context::AgentContext>();
    let openings = contexts.iter(world).filter_map(|context| {
        let first = context.entries().first()?;
        first.body().shared_prefix().cloned()
    });
    // Which one is found first does not matter: all are one and the same.
    let found = openings.into_iter().next();
    found.unwrap_or_else(|| Arc::new(Text::from(format!("{}\n\n", file.rules.trim_end()))))
}

fn identity(world: &World, phrase: &str, name: &str, facts: &Value) -> Result<String, EnterError> {
    let phrases = world.resource::<Phrasebook>();
    phrases
        .say(phrase, facts)
        .map_err(|reason| EnterError::NoIdentity {
            name: name.to_owned(),
            reason: reason.into(),
        })
}

fn newcomer(
    name: &str,
    kind: Kind,
    rules: &Arc<Text>,
    identity: String,
    stage: Option<&str>,
) -> SpawnSpec {
    SpawnSpec {
        name: name.into(),
        kind,
        rules: Some(rules.clone()),
        identity,
        stage: stage.map(Into::into),
    }
}

fn fighter(stats: world_file::Stats, skills: &[String]) -> Fighter {
    Fighter {
        stats,
        skills: skills.iter().map(|skill| skill.as_str().into()).collect(),
    }
}

fn skill_notes(file: &WorldFile, names: &[String]) -> Vec<Value> {
    let known = file
        .skills
        .iter()
        .filter(|skill| names.contains(&skill.name));
    known
        .map(|skill| json!({"name": skill.name, "about": skill.about}))
        .collect()
}
