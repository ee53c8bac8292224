//! A round is over: another one, or the outcome.

use bevy_ecs::prelude::*;

use super::arena::{Arena, Combatant, names};
use super::rules::wear_off;
use super::{Aftermath, Combat};
use crate::event::EventWriter;
use crate::rpg::components::{FightEnd, FightHere, LastFight};
use crate::rpg::events::{CombatOutcome, StatusChange};
use crate::rpg::phase::Phase;
use crate::rpg::world_file::WorldFile;

/// Ends the fight where a side has nobody left or the rounds have run out: everybody who fought,
/// fallen too, and the stage learn how.
pub fn end_fight(
    mut arena: Arena,
    mut fights: Query<&mut FightHere>,
    mut tell: EventWriter,
    mut commands: Commands,
) {
    let Some(ground) = arena.ground() else { return };
    let combat = arena.combat(&ground);
    let mut all = arena.combatants(&combat);
    let world = arena.world();
    let Some(end) = end_of(&all, combat.round, world.limits.combat_rounds) else {
        return;
    };
    let gains = match fights.get_mut(ground.entity) {
        Ok(mut fight) => {
            fight.end = Some(end);
            gains(&world, &fight, end)
        }
        Err(_) => Vec::new(),
    };
    let fallen = |heroes: bool| {
        all.iter()
            .filter(move |one| !one.stands() && one.is_hero() == heroes)
    };
    let outcome = CombatOutcome {
        stage: ground.name.to_string(),
        combat_id: combat.id(&ground.name),
        result: end,
        fallen: names(fallen(true)),
        felled: names(fallen(false)),
        gains,
    };
    let mut audience = vec![ground.entity];
    audience.extend(all.iter().map(|one| one.entity));
    tell.notify_entities(&audience, outcome.clone());
    for hero in all.iter().filter(|one| one.is_hero()) {
        commands.entity(hero.entity).insert(LastFight {
            place: ground.name.clone(),
            result: end,
            foes: combat.foes.clone(),
        });
    }
    let Combat { heroes, foes, .. } = combat;
    commands.entity(ground.entity).insert(Aftermath {
        outcome,
        heroes,
        foes,
    });
    for one in &mut all {
        one.effects.clear();
    }
    arena.store(&all);
    arena.enter(&ground, Phase::SumUp);
}

/// Nothing is decided: effects last a round less, and the next round begins.
pub fn next_round(mut arena: Arena, mut tell: EventWriter) {
    let Some(ground) = arena.ground() else { return };
    let mut all = arena.combatants(&arena.combat(&ground));
    for (whose, effect) in wear_off(&mut all) {
        let lost = StatusChange {
            actor: all[whose].name.to_string(),
            stage: ground.name.to_string(),
            effect: effect.skill.to_string(),
            change: "lost".into(),
        };
        if all[whose].stands() {
            tell.broadcast_to_stage(ground.entity, lost, &[]);
        }
    }
    arena.store(&all);
    arena.enter(&ground, Phase::Draw);
}

/// How the fight ended, seen from the party; nothing while it goes on.
fn end_of(all: &[Combatant], round: u32, most: i32) -> Option<FightEnd> {
    let stands = |heroes: bool| {
        all.iter()
            .any(|one| one.stands() && one.is_hero() == heroes)
    };
    match (stands(true), stands(false)) {
        (false, _) => Some(FightEnd::Lost),
        (true, false) => Some(FightEnd::Won),
        (true, true) if round >= most.max(1) as u32 => Some(FightEnd::Drawn),
        (true, true) => None,
    }
}

/// What the party gains, by the world file; nothing but by winning.
fn gains(world: &WorldFile, here: &FightHere, end: FightEnd) -> Vec<String> {
    let dungeon = world
        .dungeons
        .iter()
        .find(|dungeon| dungeon.name == *here.dungeon);
    let fight = dungeon.and_then(|dungeon| dungeon.fights.get(here.fight));
    let gain = fight.map(|fight| fight.gain.trim()).unwrap_or_default();
    match end {
        FightEnd::Won if !gain.is_empty() => vec![gain.to_owned()],
        _ => Vec::new(),
    }
}
