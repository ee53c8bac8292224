//! A round is over: another one begins, or the fight ends.

use bevy_ecs::prelude::*;

use super::arena::{Arena, Combatant, names};
use super::rules::wear_off;
use super::state::{Combat, FinishedFight};
use crate::event::EventWriter;
use crate::rpg::components::{CurrentFight, FightResult, LastFight};
use crate::rpg::events::{CombatOutcome, StatusChange};
use crate::rpg::phase::Phase;
use crate::rpg::world_file::WorldFile;

/// Ends the fight if nobody of a side is standing or the rounds have run out. The stage and all who
/// fought, fallen ones included, learn the result.
pub(super) fn end_fight(
    mut arena: Arena,
    mut fights: Query<&mut CurrentFight>,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(stage) = arena.stage() else { return };
    let combat = arena.combat(&stage);
    let mut combatants = arena.combatants(&combat);
    let world = arena.world();
    let max_rounds = world.limits.combat_rounds.max(1) as u32;
    let Some(result) = result_of(&combatants, combat.round >= max_rounds) else {
        return;
    };
    let gains = match fights.get_mut(stage.entity) {
        Ok(mut fight) => {
            fight.end = Some(result);
            gains(&world, &fight, result)
        }
        Err(_) => Vec::new(),
    };
    let fallen = |heroes: bool| {
        let fallen = combatants.iter().filter(|each| !each.is_standing());
        names(fallen.filter(|each| each.is_hero() == heroes))
    };
    let outcome = CombatOutcome {
        stage: stage.name.to_string(),
        combat_id: combat.id(&stage.name),
        result,
        fallen: fallen(true),
        felled: fallen(false),
        gains,
    };
    let mut audience = vec![stage.entity];
    audience.extend(combatants.iter().map(|each| each.entity));
    events.notify_entities(&audience, outcome.clone());
    for hero in combatants.iter().filter(|each| each.is_hero()) {
        commands.entity(hero.entity).insert(LastFight {
            place: stage.name.clone(),
            result,
            foes: combat.foes.clone(),
        });
    }
    let Combat { heroes, foes, .. } = combat;
    commands.entity(stage.entity).insert(FinishedFight {
        outcome,
        heroes,
        foes,
    });
    for combatant in &mut combatants {
        combatant.effects.clear();
    }
    arena.write_back(&combatants);
    arena.set_phase(&stage, Phase::Summarize);
}

/// The fight is undecided: effects last one round less, and the next round begins.
pub(super) fn next_round(mut arena: Arena, mut events: EventWriter) {
    let Some(stage) = arena.stage() else { return };
    let mut combatants = arena.combatants(&arena.combat(&stage));
    for (index, effect) in wear_off(&mut combatants) {
        let combatant = &combatants[index];
        if combatant.is_standing() {
            let lost = StatusChange {
                actor: combatant.name.to_string(),
                stage: stage.name.to_string(),
                effect: effect.skill.to_string(),
                change: "lost".into(),
            };
            events.broadcast_to_stage(stage.entity, lost, &[]);
        }
    }
    arena.write_back(&combatants);
    arena.set_phase(&stage, Phase::Draw);
}

/// How the fight ended, from the party's point of view; `None` while it is undecided.
fn result_of(combatants: &[Combatant], out_of_rounds: bool) -> Option<FightResult> {
    let is_standing = |heroes: bool| {
        let mut side = combatants.iter().filter(|each| each.is_hero() == heroes);
        side.any(Combatant::is_standing)
    };
    match (is_standing(true), is_standing(false)) {
        (false, _) => Some(FightResult::Lost),
        (true, false) => Some(FightResult::Won),
        (true, true) => out_of_rounds.then_some(FightResult::Drawn),
    }
}

/// What the party gains by the world file, which is nothing unless it has won.
fn gains(world: &WorldFile, current: &CurrentFight, result: FightResult) -> Vec<String> {
    let mut dungeons = world.dungeons.iter();
    let dungeon = dungeons.find(|dungeon| dungeon.name == *current.dungeon);
    let fight = dungeon.and_then(|dungeon| dungeon.fights.get(current.fight));
    let gain = fight.map(|fight| fight.gain.trim()).unwrap_or_default();
    match result {
        FightResult::Won if !gain.is_empty() => vec![gain.to_owned()],
        _ => Vec::new(),
    }
}
