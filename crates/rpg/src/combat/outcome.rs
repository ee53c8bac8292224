//! How a fight ended, and what remains of it.

use bevy_ecs::prelude::*;
use playhouse_engine::event::EventWriter;

use super::arena::{Arena, Combatant, FightStage, names};
use super::rules::has_standing;
use super::state::{Combat, FinishedFight, Hand};
use super::wounds::wound;
use crate::components::{CurrentFight, Departure, FallenFoes, FightResult, LastFight};
use crate::events::CombatOutcome;
use crate::phase::Phase;
use crate::world_file::WorldFile;

/// Ends a fight. The stage and all who fought, fallen ones included, learn the result.
pub(super) fn end_fight(
    mut arena: Arena,
    stage: &FightStage,
    account: String,
    mut fights: Query<&mut CurrentFight>,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let combat = arena.combat(stage);
    let mut combatants = arena.combatants(&combat);
    let world = arena.world();
    let mut fight = fights.get_mut(stage.entity).ok();
    let outcome = outcome_of(&world, fight.as_deref(), stage, &combat, &combatants);
    let result = outcome.result;
    if let Some(fight) = &mut fight {
        fight.end = Some(result);
    }
    let mut audience = vec![stage.entity];
    audience.extend(combatants.iter().map(|each| each.entity));
    events.notify_entities(&audience, outcome.clone());
    for hero in combatants.iter().filter(|each| each.is_hero()) {
        commands.entity(hero.entity).insert(LastFight {
            place: stage.name.clone(),
            result,
            foes: combat.foes.clone(),
        });
        if hero.departure == Some(Departure::Fell) {
            commands.entity(hero.entity).insert(wound());
        }
    }
    remember_gone_foes(&world, &outcome, &mut events);
    commands.entity(stage.entity).insert(FinishedFight {
        outcome,
        account,
        heroes: combat.heroes,
        foes: combat.foes,
    });
    for combatant in &mut combatants {
        combatant.effects.clear();
        let hand = combatant.hand.put_down();
        if hand == Hand::default() {
            commands.entity(combatant.entity).remove::<Hand>();
        } else {
            commands.entity(combatant.entity).insert(hand);
        }
    }
    arena.write_back(&combatants);
    arena.set_phase(stage, Phase::ArchiveCombat);
}

/// Foes who fell or yielded are never met again, unless the world file lets them return.
fn remember_gone_foes(world: &WorldFile, outcome: &CombatOutcome, events: &mut EventWriter) {
    let has_fallen = |name: &&String| !world.foe(name).is_some_and(|foe| foe.returns);
    let has_left = |name: &&String| {
        world
            .foe(name)
            .is_some_and(|foe| !foe.returns_after_yielding)
    };
    let felled = outcome.felled.iter().filter(has_fallen);
    let gone: Vec<_> = felled
        .chain(outcome.yielded.iter().filter(has_left))
        .map(|name| name.as_str().into())
        .collect();
    events.defer(move |world| world.resource_mut::<FallenFoes>().0.extend(gone));
}

/// How a fight stands, as its outcome.
pub(super) fn outcome_of(
    world: &WorldFile,
    fight: Option<&CurrentFight>,
    stage: &FightStage,
    combat: &Combat,
    combatants: &[Combatant],
) -> CombatOutcome {
    let result = result_of(combatants);
    let left = |how| {
        combatants
            .iter()
            .filter(move |each| each.departure == Some(how))
    };
    let fallen = |heroes| names(left(Departure::Fell).filter(|each| each.is_hero() == heroes));
    let lost_by = match result {
        FightResult::Won => Some(&combat.foes),
        FightResult::Lost => Some(&combat.heroes),
        FightResult::Drawn => None,
    };
    let last = lost_by.and_then(|side| {
        let mut last = combat.departures.iter().rev();
        last.find(|(name, _)| side.contains(name))
    });
    CombatOutcome {
        stage: stage.name.to_string(),
        combat_id: combat.id(&stage.name),
        result,
        fallen: fallen(true),
        felled: fallen(false),
        fled: names(left(Departure::Fled)),
        yielded: names(left(Departure::Yielded)),
        how: last.map(|(_, how)| *how),
        gains: fight.map_or_else(Vec::new, |fight| gains(world, fight, result)),
    }
}

/// How the fight ended, from the party's point of view.
fn result_of(combatants: &[Combatant]) -> FightResult {
    if !has_standing(true, combatants) {
        FightResult::Lost
    } else if has_standing(false, combatants) {
        FightResult::Drawn
    } else {
        FightResult::Won
    }
}

/// What the party gains by the world file, which is nothing unless it has won.
fn gains(world: &WorldFile, current: &CurrentFight, result: FightResult) -> Vec<String> {
    let dungeon = world.dungeon(&current.dungeon);
    let fight = dungeon.and_then(|dungeon| dungeon.fights.get(current.fight));
    let gain = fight.map(|fight| fight.gain.trim());
    let gain = gain.filter(|gain| result == FightResult::Won && !gain.is_empty());
    gain.map(str::to_owned).into_iter().collect()
}
