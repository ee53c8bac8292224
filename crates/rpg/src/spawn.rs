//! Spawns the cast of a world file, and the foes of a fight when the party reaches them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{
    Appearance, CastError, CastList, Dead, Exits, Faction, Kind, OnStage, SpawnSpec, StableId,
    spawn,
};
use playhouse_engine::context::AgentContext;
use playhouse_engine::event::{PhraseError, Phrasebook, Prompt};
use playhouse_engine::knowledge::FactBook;
use playhouse_engine::locale::Localize;
use playhouse_engine::message::Text;
use playhouse_engine::mind::MindAlias;
use playhouse_tools::ToolSet;
use serde::Serialize;
use thiserror::Error;

use super::attempt::pending::PendingAttempts;
use super::components::{
    Acquaintances, ClosedDungeons, FallenFoes, Fighter, Foe, Health, HomeStage, Residence, Resolve,
    RpgWorld, StatusEffects, insert_data,
};
use super::lore::always_known;
use super::past;
use super::phase::Phase;
use super::talk::Talk;
use super::world_file::{
    Actor, ActorFaction, FoeSpec, Skill, Stage, StageKind, Stats, WorldAgent, WorldFile,
};
use crate::drama::{
    Belongings, Bond, BondSpec, Bonds, GoalState, Goals, Hidden, Item, Promises, Qualities,
};

/// Why the cast of a world file can't be spawned.
#[derive(Debug, Error, Localize)]
pub enum SpawnError {
    Cast(#[from] CastError),
    /// A system message could not be made.
    #[text(rpg_system_message)]
    SystemMessage {
        name: String,
        source: PhraseError,
    },
}

pub(super) const HERO: &str = "hero";
/// The faction of those whom the party fights.
pub(super) const FOE: &str = "foe";
/// The faction of those who stay at home.
pub(super) const NEUTRAL: &str = "neutral";

#[derive(Serialize, Prompt)]
#[prompt("system/actor")]
pub(super) struct ActorIdentity<'a> {
    name: &'a str,
    profile: &'a str,
    look: &'a str,
    facts: Vec<OwnFact<'a>>,
    bonds: Vec<&'a BondSpec>,
    goals: Vec<&'a str>,
    items: Vec<&'a Item>,
    /// Whether it knows how these look.
    sees: bool,
    skills: Vec<&'a Skill>,
    fights: bool,
    has_items: bool,
    /// Whether there is more than one place at home.
    walks: bool,
    whispers: bool,
    attempts: bool,
    together: bool,
    speech_chars: i32,
    voice: &'a [String],
}

/// What an actor knows from the start.
#[derive(Serialize)]
struct OwnFact<'a> {
    /// As it is listed to be told; empty for what can't be.
    id: &'a str,
    text: Cow<'a, str>,
}

#[derive(Serialize, Prompt)]
#[prompt("system/foe")]
pub(super) struct FoeIdentity<'a> {
    name: &'a str,
    profile: &'a str,
    kickoff: &'a str,
    look: &'a str,
    skills: Vec<&'a Skill>,
    voice: &'a [String],
}

#[derive(Serialize, Prompt)]
#[prompt("system/stage")]
pub(super) struct StageIdentity<'a> {
    name: &'a str,
    profile: &'a str,
    kickoff: &'a str,
    exits: &'a [String],
    home: bool,
}

#[derive(Serialize, Prompt)]
#[prompt("system/world_agent")]
pub(super) struct AgentIdentity<'a> {
    name: &'a str,
    profile: &'a str,
    kickoff: &'a str,
}

/// Spawns everybody in the world file but its foes: stages, then world agents, then actors.
///
/// # Errors
/// A name is refused or a system message can't be made; neither happens with a checked world file.
pub(super) fn spawn_cast(world: &mut World, file: &Arc<WorldFile>) -> Result<(), SpawnError> {
    insert_data(world, file);
    world.insert_resource(Qualities::at_start(&file.qualities));
    let closed = file
        .dungeons
        .iter()
        .filter(|dungeon| dungeon.closed)
        .map(|dungeon| dungeon.name.as_str().into());
    world.insert_resource(ClosedDungeons(closed.collect()));
    let rules = rules_text(file);
    for stage in &file.stages {
        spawn_stage(world, file, stage, &rules)?;
    }
    for stage in &file.stages {
        connect(world, stage);
    }
    for agent in &file.agents {
        let identity = agent_identity(world, agent)?;
        let new = NewEntity {
            name: &agent.name,
            kind: Kind::WorldAgent,
            model: &agent.model,
            stage: None,
        };
        let entity = new.spawn(world, &rules, identity)?;
        world.entity_mut(entity).insert(Phase::Idle);
    }
    for actor in &file.actors {
        spawn_actor(world, file, actor, &rules)?;
    }
    Ok(())
}

fn spawn_stage(
    world: &mut World,
    file: &WorldFile,
    stage: &Stage,
    rules: &Arc<Text>,
) -> Result<(), SpawnError> {
    let identity = stage_identity(world, stage)?;
    let new = NewEntity {
        name: &stage.name,
        kind: Kind::Stage,
        model: &stage.model,
        stage: None,
    };
    let entity = new.spawn(world, rules, identity)?;
    let mut entity = world.entity_mut(entity);
    entity.insert((
        Phase::Idle,
        Appearance(stage.profile.as_str().into()),
        Talk::default(),
        PendingAttempts::default(),
        belongings(file, &stage.name),
        hidden(file, &stage.name),
    ));
    if stage.kind == StageKind::Home {
        entity.insert(HomeStage);
    }
    Ok(())
}

/// The own part of a place's system message.
pub(super) fn stage_identity(world: &World, stage: &Stage) -> Result<String, SpawnError> {
    let data = StageIdentity {
        name: &stage.name,
        profile: &stage.profile,
        exits: &stage.exits(),
        kickoff: &stage.kickoff,
        home: stage.kind == StageKind::Home,
    };
    identity(world, &stage.name, &data)
}

/// The own part of a world agent's system message.
pub(super) fn agent_identity(world: &World, agent: &WorldAgent) -> Result<String, SpawnError> {
    let data = AgentIdentity {
        name: &agent.name,
        profile: &agent.profile,
        kickoff: &agent.kickoff,
    };
    identity(world, &agent.name, &data)
}

/// The own part of an actor's system message.
pub(super) fn actor_identity(
    world: &World,
    file: &WorldFile,
    actor: &Actor,
) -> Result<String, SpawnError> {
    let book = file.fact_book();
    let known = book
        .all()
        .filter(|fact| !fact.is_common())
        .filter(|fact| fact.is_known_at_start(&actor.name));
    let data = ActorIdentity {
        name: &actor.name,
        profile: &actor.profile,
        look: &actor.look,
        facts: known
            .map(|fact| (&*fact.id, Cow::from(&*fact.text)))
            .chain(always_known(world, &actor.name).map(|text| ("", text.into())))
            .map(|(id, text)| OwnFact { id, text })
            .collect(),
        bonds: bonds_of(file, &actor.name).collect(),
        goals: actor.goals.iter().map(|goal| goal.words.as_str()).collect(),
        items: items_of(file, &actor.name).collect(),
        sees: file.sees(&actor.name),
        skills: skills(file, &actor.skills).collect(),
        fights: file.has_fights(),
        has_items: !file.items.is_empty(),
        walks: home_places(file) > 1,
        whispers: file.limits.whisper,
        attempts: file.limits.attempts > 0,
        together: file.limits.together,
        speech_chars: file.limits.speech_chars.max(1),
        voice: &actor.voice.lines,
    };
    identity(world, &actor.name, &data)
}

/// The own part of a foe's system message.
pub(super) fn foe_identity(
    world: &World,
    file: &WorldFile,
    foe: &FoeSpec,
) -> Result<String, SpawnError> {
    let data = FoeIdentity {
        name: &foe.name,
        profile: &foe.profile,
        kickoff: &foe.kickoff,
        look: &foe.look,
        skills: skills(file, &foe.skills).collect(),
        voice: &foe.voice.lines,
    };
    identity(world, &foe.name, &data)
}

/// Notes where one can walk to from a place.
pub(super) fn connect(world: &mut World, stage: &Stage) {
    let list = world.resource::<CastList>();
    let id_of = |name: &String| world.get::<StableId>(list.by_name(name)?).copied();
    let exits = Exits(stage.exits().iter().filter_map(id_of).collect());
    if let Some(stage) = list.by_name(&stage.name) {
        world.entity_mut(stage).insert(exits);
    }
}

fn spawn_actor(
    world: &mut World,
    file: &WorldFile,
    actor: &Actor,
    rules: &Arc<Text>,
) -> Result<(), SpawnError> {
    let identity = actor_identity(world, file, actor)?;
    let new = NewEntity {
        name: &actor.name,
        kind: Kind::Actor,
        model: &actor.model,
        stage: Some(&actor.stage),
    };
    let entity = new.spawn(world, rules, identity)?;
    past::remember(world, entity, actor);
    if !actor.tools.is_empty() {
        let tools = ToolSet::of(actor.tools.iter().map(String::as_str));
        world.entity_mut(entity).insert(tools);
    }
    let faction = match actor.faction {
        ActorFaction::Hero => HERO,
        ActorFaction::Neutral => NEUTRAL,
    };
    let bonds = bonds_of(file, &actor.name).map(|spec| (spec.to.as_str().into(), bond(spec)));
    world.entity_mut(entity).insert((
        Faction(faction.into()),
        Appearance(actor.look.as_str().into()),
        fighter(actor.stats, &actor.skills),
        Residence(actor.stage.as_str().into()),
        Acquaintances::default(),
        belongings(file, &actor.name),
        Bonds(bonds.collect()),
        Promises::default(),
        Goals(vec![GoalState::Open; actor.goals.len()]),
    ));
    if !actor.stats.are_missing() {
        let body = (Health::full(actor.stats.hp), StatusEffects::default());
        world.entity_mut(entity).insert(body);
    }
    Ok(())
}

/// Puts the foes of a fight on its stage, at a meeting. One that was met before and returns comes
/// back with its memory; one that fell or yielded and does not return stays away.
pub(super) fn spawn_foes(
    world: &mut World,
    names: &[String],
    stage: &str,
) -> Result<(), SpawnError> {
    let file = world.resource::<RpgWorld>().0.clone();
    for name in names {
        let Some(foe) = file.foe(name) else {
            continue;
        };
        if world.resource::<FallenFoes>().0.contains(name.as_str()) {
            continue;
        }
        match world.resource::<CastList>().by_name(name) {
            Some(entity) => revive_foe(world, entity, foe, stage),
            None => spawn_foe(world, &file, foe, stage)?,
        }
    }
    Ok(())
}

fn spawn_foe(
    world: &mut World,
    file: &WorldFile,
    foe: &FoeSpec,
    stage: &str,
) -> Result<(), SpawnError> {
    let identity = foe_identity(world, file, foe)?;
    let rules = shared_rules(world, file);
    let new = NewEntity {
        name: &foe.name,
        kind: Kind::Actor,
        model: &foe.model,
        stage: Some(stage),
    };
    let entity = new.spawn(world, &rules, identity)?;
    set_resolve(world, entity, foe);
    world.entity_mut(entity).insert((
        Faction(FOE.into()),
        Appearance(foe.look.as_str().into()),
        Health::full(foe.stats.hp),
        fighter(foe.stats, &foe.skills),
        StatusEffects::default(),
        Acquaintances::default(),
        Foe {
            returns: foe.returns,
        },
        belongings(file, &foe.name),
    ));
    Ok(())
}

fn revive_foe(world: &mut World, entity: Entity, foe: &FoeSpec, stage: &str) {
    let stage = world.resource::<CastList>().by_name(stage);
    // What has shaken it is not forgotten.
    let resolve = world.get::<Resolve>(entity);
    if resolve.is_none_or(|resolve| resolve.left == 0) {
        set_resolve(world, entity, foe);
    }
    let mut entity = world.entity_mut(entity);
    entity.remove::<Dead>();
    entity.insert((Health::full(foe.stats.hp), StatusEffects::default()));
    if let Some(stage) = stage {
        entity.insert(OnStage(stage));
    }
}

/// A foe that something can move has its whole resolve.
fn set_resolve(world: &mut World, entity: Entity, foe: &FoeSpec) {
    if foe.resolve > 0 {
        let (left, moved) = (foe.resolve, BTreeSet::new());
        world.entity_mut(entity).insert(Resolve { left, moved });
    }
}

/// The part of the system message that all share: the rules, then what everybody knows.
pub(super) fn rules_text(file: &WorldFile) -> Arc<Text> {
    let parts = [file.rules.trim_end(), file.common.trim_end()];
    let parts = parts.iter().filter(|part| !part.is_empty());
    let text: String = parts.map(|part| format!("{part}\n\n")).collect();
    Arc::new(Text::from(text))
}

fn home_places(file: &WorldFile) -> usize {
    let places = file.stages.iter();
    places.filter(|stage| stage.kind == StageKind::Home).count()
}

fn bonds_of<'a>(file: &'a WorldFile, name: &'a str) -> impl Iterator<Item = &'a BondSpec> {
    file.bonds.iter().filter(move |bond| bond.from == name)
}

fn bond(spec: &BondSpec) -> Bond {
    Bond {
        word: spec.word.as_str().into(),
        value: spec.value.clamp(-3, 3),
    }
}

fn items_of<'a>(file: &'a WorldFile, name: &'a str) -> impl Iterator<Item = &'a Item> {
    file.items.iter().filter(move |item| item.at == name)
}

fn belongings(file: &WorldFile, name: &str) -> Belongings {
    let items = items_of(file, name);
    Belongings(items.map(|item| item.name.as_str().into()).collect())
}

/// The items that lie hidden on a stage at the start, of which nobody knows.
fn hidden(file: &WorldFile, stage: &str) -> Hidden {
    let hidden = items_of(file, stage).filter(|item| item.hidden);
    let unknown = hidden.map(|item| (item.name.as_str().into(), "".into()));
    Hidden(unknown.collect())
}

/// The rules as the bodies in the world already share them.
fn shared_rules(world: &mut World, file: &WorldFile) -> Arc<Text> {
    let mut contexts = world.query::<&AgentContext>();
    // All are the same, so it does not matter which is found first.
    let shared = contexts
        .iter(world)
        .find_map(|context| context.entries().first()?.body().shared_prefix().cloned());
    shared.unwrap_or_else(|| rules_text(file))
}

fn identity(world: &World, name: &str, data: &impl Prompt) -> Result<String, SpawnError> {
    let identity = world.resource::<Phrasebook>().fill(data);
    identity.map_err(|source| SpawnError::SystemMessage {
        name: name.to_owned(),
        source,
    })
}

struct NewEntity<'a> {
    name: &'a str,
    kind: Kind,
    /// The alias of the model that the world's author chose for it; may be empty.
    model: &'a str,
    stage: Option<&'a str>,
}

impl NewEntity<'_> {
    /// Spawns it with its part of the system message and what it knows at the start.
    fn spawn(
        self,
        world: &mut World,
        rules: &Arc<Text>,
        identity: String,
    ) -> Result<Entity, SpawnError> {
        let spec = SpawnSpec {
            name: self.name.into(),
            kind: self.kind,
            rules: Some(rules.clone()),
            identity,
            stage: self.stage.map(Into::into),
        };
        let entity = spawn(world, spec)?;
        let knowledge = world.resource::<FactBook>().known_at_start(self.name);
        world.entity_mut(entity).insert(knowledge);
        if !self.model.is_empty() {
            world
                .entity_mut(entity)
                .insert(MindAlias(self.model.into()));
        }
        Ok(entity)
    }
}

pub(super) fn fighter(stats: Stats, skills: &[String]) -> Fighter {
    Fighter {
        stats,
        skills: skills.iter().map(|skill| skill.as_str().into()).collect(),
    }
}

fn skills<'a>(file: &'a WorldFile, names: &'a [String]) -> impl Iterator<Item = &'a Skill> {
    let skills = file.skills.iter();
    skills.filter(|skill| names.contains(&skill.name))
}
