//! The stage that steps, as a fight sees it: who fights there and how each stands.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use serde_json::{Value, json};

use super::{Combat, PARTY};
use crate::cast::{Appearance, Dead, EntityName, Faction, StageQuery};
use crate::rpg::components::{Effect, Effects, Fighter, Health, RpgWorld};
use crate::rpg::events::Standing;
use crate::rpg::phase::Phase;
use crate::rpg::world_file::{Stats, WorldFile};

/// One combatant, copied out of the world: the rules change copies, the arena writes them back.
#[derive(Clone, Debug, PartialEq)]
pub struct Combatant {
    /// Its entity.
    pub entity: Entity,
    /// Its name.
    pub name: Arc<str>,
    /// Its side.
    pub camp: Arc<str>,
    /// What others see of it.
    pub look: Arc<str>,
    /// Its numbers.
    pub stats: Stats,
    /// The names of its skills.
    pub skills: Vec<Arc<str>>,
    /// Its hit points.
    pub health: Health,
    /// The status effects on it.
    pub effects: Vec<Effect>,
}

impl Combatant {
    /// Whether it can still fight.
    pub fn stands(&self) -> bool {
        self.health.hp > 0
    }

    /// Whether it fights for the party.
    pub fn is_hero(&self) -> bool {
        &*self.camp == PARTY
    }

    /// Whether both are on one side.
    pub fn sides_with(&self, other: &Self) -> bool {
        self.camp == other.camp
    }

    /// Its attack with all effects, at least 0.
    pub fn attack(&self) -> i32 {
        let effects = self.effects.iter().map(|effect| effect.attack);
        effects.fold(self.stats.attack, i32::saturating_add).max(0)
    }

    /// Its defense with all effects, at least 0.
    pub fn defense(&self) -> i32 {
        let effects = self.effects.iter().map(|effect| effect.defense);
        effects.fold(self.stats.defense, i32::saturating_add).max(0)
    }

    /// The names of the effects on it.
    pub fn effect_names(&self) -> Vec<String> {
        let names = self.effects.iter().map(|effect| effect.skill.to_string());
        names.collect()
    }

    /// How it stands, for everybody to see.
    pub fn standing(&self) -> Standing {
        Standing {
            name: self.name.to_string(),
            hp: self.health.hp,
            max_hp: self.health.max,
            camp: self.camp.to_string(),
            effects: self.effect_names(),
        }
    }
}

/// The name of each of some combatants.
pub fn names<'a>(all: impl IntoIterator<Item = &'a Combatant>) -> Vec<String> {
    let names = all.into_iter().map(|one| one.name.to_string());
    names.collect()
}

/// How each of some combatants stands.
pub fn standing<'a>(all: impl IntoIterator<Item = &'a Combatant>) -> Vec<Standing> {
    all.into_iter().map(Combatant::standing).collect()
}

/// Name and look of each of some combatants.
pub fn looks<'a>(all: impl IntoIterator<Item = &'a Combatant>) -> Vec<Value> {
    let look = |one: &Combatant| json!({"name": one.name, "look": one.look});
    all.into_iter().map(look).collect()
}

/// The stage that steps and the combatants on it.
#[derive(SystemParam)]
pub struct Arena<'w, 's> {
    world: Res<'w, RpgWorld>,
    stages: Query<
        'w,
        's,
        (
            &'static EntityName,
            &'static mut Phase,
            &'static mut Combat,
            Option<&'static Appearance>,
        ),
    >,
    company: StageQuery<
        'w,
        's,
        (
            &'static EntityName,
            &'static Faction,
            &'static Fighter,
            &'static mut Health,
            &'static mut Effects,
            Option<&'static Appearance>,
            Has<Dead>,
        ),
    >,
}

/// The stage of a fight.
#[derive(Clone, Debug)]
pub struct Ground {
    /// Its entity.
    pub entity: Entity,
    /// Its name.
    pub name: Arc<str>,
    /// What anyone there can see.
    pub look: Arc<str>,
}

impl Arena<'_, '_> {
    /// The world file that is played.
    pub fn world(&self) -> Arc<WorldFile> {
        self.world.0.clone()
    }

    /// The stage that steps, where it can hold a fight.
    pub fn ground(&self) -> Option<Ground> {
        let entity = self.company.stage()?;
        let (name, _, _, look) = self.stages.get(entity).ok()?;
        Some(Ground {
            entity,
            name: name.0.clone(),
            look: look.map(|look| look.0.clone()).unwrap_or_default(),
        })
    }

    /// The fight on a stage.
    pub fn combat(&self, ground: &Ground) -> Combat {
        let stage = self.stages.get(ground.entity);
        stage
            .map(|(_, _, combat, _)| combat.clone())
            .unwrap_or_default()
    }

    /// Changes the fight on a stage.
    pub fn change(&mut self, ground: &Ground, act: impl FnOnce(&mut Combat)) {
        if let Ok((_, _, mut combat, _)) = self.stages.get_mut(ground.entity) {
            act(&mut combat);
        }
    }

    /// Moves a stage on to its next phase.
    pub fn enter(&mut self, ground: &Ground, next: Phase) {
        if let Ok((_, mut phase, _, _)) = self.stages.get_mut(ground.entity) {
            *phase = next;
        }
    }

    /// Everybody on the stage who could fight now, in stable order.
    pub fn ready(&self) -> Vec<Combatant> {
        let mut ready = self.everybody();
        ready.retain(|(one, dead)| !dead && one.stands());
        ready.into_iter().map(|(one, _)| one).collect()
    }

    /// The combatants of a fight, fallen too, in stable order.
    pub fn combatants(&self, combat: &Combat) -> Vec<Combatant> {
        let mut all: Vec<_> = self.everybody().into_iter().map(|(one, _)| one).collect();
        all.retain(|one| combat.has(&one.name));
        all
    }

    /// Writes back how combatants stand.
    pub fn store(&mut self, all: &[Combatant]) {
        for one in all {
            if let Some((_, _, _, mut health, mut effects, ..)) = self.company.get_mut(one.entity) {
                health.set_if_neq(one.health);
                if effects.0 != one.effects {
                    effects.0.clone_from(&one.effects);
                }
            }
        }
    }

    fn everybody(&self) -> Vec<(Combatant, bool)> {
        let all = self.company.entities().into_iter();
        all.filter_map(|entity| {
            let (name, camp, fighter, health, effects, look, dead) = self.company.get(entity)?;
            let combatant = Combatant {
                entity,
                name: name.0.clone(),
                camp: camp.0.clone(),
                look: look.map(|look| look.0.clone()).unwrap_or_default(),
                stats: fighter.stats,
                skills: fighter.skills.clone(),
                health: *health,
                effects: effects.0.clone(),
            };
            Some((combatant, dead))
        })
        .collect()
    }
}
