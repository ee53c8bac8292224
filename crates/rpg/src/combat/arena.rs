//! The current stage as a fight sees it: the combatants and their state.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use playhouse_engine::cast::{Dead, EntityName, Faction, StageQuery};
use playhouse_engine::knowledge::Knowledge;

use super::state::{Combat, Hand};
use crate::components::{
    Departure, Fighter, Health, Resolve, RpgWorld, StatusEffect, StatusEffects, Wounded,
};
use crate::drama::Belongings;
use crate::events::CombatantStatus;
use crate::phase::Phase;
use crate::spawn::HERO;
use crate::world_file::{Stats, WorldFile};

/// How much a wound takes from attack until it heals.
const WOUND_ATTACK: i32 = 2;
/// How much a wound takes from defense until it heals.
const WOUND_DEFENSE: i32 = 1;

/// A copy of one combatant: the rules change copies, and the arena writes them back.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Combatant {
    pub(super) entity: Entity,
    pub(super) name: Arc<str>,
    pub(super) faction: Arc<str>,
    pub(super) stats: Stats,
    pub(super) skills: Vec<Arc<str>>,
    pub(super) health: Health,
    pub(super) effects: Vec<StatusEffect>,
    /// Whether it bears a wound from an earlier fight.
    pub(super) wounded: bool,
    /// How firmly it means to fight; 0 if only blows can move it.
    pub(super) resolve: i32,
    /// The facts that it knows, by id.
    pub(super) facts: Vec<Arc<str>>,
    pub(super) items: Vec<Arc<str>>,
    pub(super) hand: Hand,
    /// How it left the fight; `None` while it stands.
    pub(super) departure: Option<Departure>,
}

impl Combatant {
    pub(super) fn is_standing(&self) -> bool {
        self.health.hp > 0 && self.departure.is_none()
    }

    pub(super) fn is_hero(&self) -> bool {
        &*self.faction == HERO
    }

    pub(super) fn is_ally_of(&self, other: &Self) -> bool {
        self.faction == other.faction
    }

    /// Its attack with all effects and wounds, at least 0.
    pub(super) fn attack(&self) -> i32 {
        self.changed(self.stats.attack, |effect| effect.attack, WOUND_ATTACK)
    }

    /// Its defense with all effects and wounds, at least 0.
    pub(super) fn defense(&self) -> i32 {
        self.changed(self.stats.defense, |effect| effect.defense, WOUND_DEFENSE)
    }

    fn changed(&self, own: i32, by: fn(&StatusEffect) -> i32, wound: i32) -> i32 {
        let sum = self.effects.iter().map(by).fold(own, i32::saturating_add);
        let wound = if self.wounded { wound } else { 0 };
        sum.saturating_sub(wound).max(0)
    }

    /// Its state, for everybody to see.
    fn status(&self) -> CombatantStatus {
        let effects = self.effects.iter().map(|effect| effect.skill.to_string());
        CombatantStatus {
            name: self.name.to_string(),
            hp: self.health.hp,
            max_hp: self.health.max,
            faction: self.faction.to_string(),
            effects: effects.collect(),
            attack: self.attack(),
            defense: self.defense(),
            wounded: self.wounded,
            resolve: self.resolve,
            departure: self.departure,
        }
    }
}

pub(super) fn names<'a>(combatants: impl IntoIterator<Item = &'a Combatant>) -> Vec<String> {
    let combatants = combatants.into_iter();
    combatants.map(|each| each.name.to_string()).collect()
}

pub(super) fn statuses<'a>(
    combatants: impl IntoIterator<Item = &'a Combatant>,
) -> Vec<CombatantStatus> {
    combatants.into_iter().map(Combatant::status).collect()
}

/// The current stage and the combatants on it.
#[derive(SystemParam)]
pub(super) struct Arena<'w, 's> {
    world: Res<'w, RpgWorld>,
    stages: Query<'w, 's, (&'static EntityName, &'static mut Phase, &'static mut Combat)>,
    occupants: StageQuery<
        'w,
        's,
        (
            &'static EntityName,
            &'static Faction,
            &'static Fighter,
            &'static mut Health,
            &'static mut StatusEffects,
            Has<Wounded>,
            Option<&'static Resolve>,
            Option<&'static Knowledge>,
            Option<&'static Belongings>,
            Option<&'static Hand>,
            Has<Dead>,
        ),
    >,
}

#[derive(Clone, Debug)]
pub(super) struct FightStage {
    pub(super) entity: Entity,
    pub(super) name: Arc<str>,
}

impl Arena<'_, '_> {
    pub(super) fn world(&self) -> Arc<WorldFile> {
        self.world.0.clone()
    }

    /// The current stage; `None` if there can be no fight on it.
    pub(super) fn stage(&self) -> Option<FightStage> {
        let entity = self.occupants.stage()?;
        let (name, ..) = self.stages.get(entity).ok()?;
        let name = name.0.clone();
        Some(FightStage { entity, name })
    }

    /// The current stage, its fight and the combatants; `None` if there can be no fight on it.
    pub(super) fn fight(&self) -> Option<(FightStage, Combat, Vec<Combatant>)> {
        let stage = self.stage()?;
        let combat = self.combat(&stage);
        let combatants = self.combatants(&combat);
        Some((stage, combat, combatants))
    }

    pub(super) fn combat(&self, stage: &FightStage) -> Combat {
        let stage = self.stages.get(stage.entity).ok();
        stage.map_or_else(Combat::default, |(_, _, combat)| combat.clone())
    }

    pub(super) fn update_combat(&mut self, stage: &FightStage, update: impl FnOnce(&mut Combat)) {
        if let Ok((_, _, mut combat)) = self.stages.get_mut(stage.entity) {
            update(&mut combat);
        }
    }

    pub(super) fn set_phase(&mut self, stage: &FightStage, next: Phase) {
        if let Ok((_, mut phase, _)) = self.stages.get_mut(stage.entity) {
            *phase = next;
        }
    }

    /// Everybody on the stage who could fight now, in stable order.
    pub(super) fn able_to_fight(&self) -> Vec<Combatant> {
        let everybody = self.everybody();
        let able = everybody.filter(|(combatant, dead)| !dead && combatant.is_standing());
        able.map(|(combatant, _)| combatant).collect()
    }

    /// The combatants of a fight, fallen ones included, in stable order.
    pub(super) fn combatants(&self, combat: &Combat) -> Vec<Combatant> {
        let everybody = self.everybody().map(|(combatant, _)| combatant);
        let fighting = everybody.filter(|combatant| combat.includes(&combatant.name));
        let with_departure = |combatant: Combatant| Combatant {
            departure: combat.departure(&combatant.name),
            ..combatant
        };
        fighting.map(with_departure).collect()
    }

    /// Writes the state of combatants back.
    pub(super) fn write_back(&mut self, combatants: &[Combatant]) {
        for combatant in combatants {
            let components = self.occupants.get_mut(combatant.entity);
            if let Some((_, _, _, mut health, mut effects, ..)) = components {
                health.set_if_neq(combatant.health);
                if effects.0 != combatant.effects {
                    effects.0.clone_from(&combatant.effects);
                }
            }
        }
    }

    /// All fighters on the stage, and whether they are dead.
    fn everybody(&self) -> impl Iterator<Item = (Combatant, bool)> {
        self.occupants.entities().into_iter().filter_map(|entity| {
            let components = self.occupants.get(entity)?;
            let (name, faction, fighter, health, effects, ..) = components;
            let (.., wounded, resolve, knowledge, belongings, hand, dead) = components;
            let facts = knowledge.into_iter().flat_map(Knowledge::all);
            let items = belongings.into_iter().flat_map(|held| &held.0);
            let combatant = Combatant {
                entity,
                name: name.0.clone(),
                faction: faction.0.clone(),
                stats: fighter.stats,
                skills: fighter.skills.clone(),
                health: *health,
                effects: effects.0.clone(),
                wounded,
                resolve: resolve.map_or(0, |resolve| resolve.left),
                facts: facts.map(|(id, _)| id.clone()).collect(),
                items: items.cloned().collect(),
                hand: hand.cloned().unwrap_or_default(),
                departure: None,
            };
            Some((combatant, dead))
        })
    }
}
