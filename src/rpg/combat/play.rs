//! The cards are played: the rules resolve the round, and everybody learns of each card.

use std::collections::BTreeMap;

use bevy_ecs::prelude::*;
use rand::{Rng, RngExt};

use super::arena::{Arena, Combatant, FightStage};
use super::hand::Hand;
use super::rules::{ResolvedCard, initiative, kind_name, play_round};
use super::state::RoundAction;
use crate::cast::{Dead, StageRng};
use crate::event::EventWriter;
use crate::event::kinds::Death;
use crate::exchange::Answers;
use crate::rpg::events::CardPlayed;
use crate::rpg::phase::Phase;

/// Plays the hands of a round.
pub(super) fn play_hands(
    mut arena: Arena,
    mut answers: Answers<Hand>,
    rng: StageRng,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(stage) = arena.stage() else { return };
    let mut combatants = arena.combatants(&arena.combat(&stage));
    let mut hands = BTreeMap::new();
    for (entity, hand, _by) in answers.take() {
        let player = combatants.iter().position(|each| each.entity == entity);
        hands.extend(player.map(|player| (player, hand)));
    }
    let world = arena.world();
    let order = initiative(&combatants, |name| {
        let mut rng = rng.stream(&format!("combat/initiative/{name}"));
        rng.next_u32()
    });
    let played = play_round(
        &mut combatants,
        &order,
        &hands,
        |name| world.skills.iter().find(|skill| skill.name == name),
        |name, skill| {
            let mut rng = rng.stream(&format!("combat/hit/{name}/{skill}"));
            rng.random_range(0..100)
        },
    );
    for fallen in write_card_events(&mut events, &stage, &combatants, &played) {
        commands.entity(fallen).insert(Dead);
    }
    let actions = played.iter().map(|played| action(&combatants, played));
    let actions = actions.collect();
    arena.write_back(&combatants);
    arena.update_combat(&stage, |combat| combat.actions = actions);
    arena.set_phase(&stage, Phase::Narrate);
}

/// Writes an event for each card and each death in order, and returns who fell. A fallen combatant
/// learns of the card that felled it and of its own death, and of nothing after.
fn write_card_events(
    events: &mut EventWriter,
    stage: &FightStage,
    combatants: &[Combatant],
    played: &[ResolvedCard<'_>],
) -> Vec<Entity> {
    let mut fallen = Vec::new();
    for played in played {
        let (by, target) = (&combatants[played.by], &combatants[played.target]);
        let card = CardPlayed {
            stage: stage.name.to_string(),
            actor: by.name.to_string(),
            card: played.card.name.clone(),
            skill: played.skill.name.clone(),
            kind: kind_name(played.skill.kind).into(),
            description: played.card.description.clone(),
            targets: vec![played.result.clone()],
        };
        events.broadcast_to_stage(stage.entity, card, &fallen);
        if played.result.fell {
            let death = Death {
                actor: target.name.to_string(),
                by: by.name.to_string(),
                stage: stage.name.to_string(),
            };
            events.broadcast_to_stage(stage.entity, death, &fallen);
            fallen.push(target.entity);
        }
    }
    fallen
}

fn action(combatants: &[Combatant], played: &ResolvedCard<'_>) -> RoundAction {
    RoundAction {
        by: combatants[played.by].name.clone(),
        skill: played.skill.name.as_str().into(),
        card: played.card.name.clone(),
        kind: kind_name(played.skill.kind).into(),
        target: combatants[played.target].name.clone(),
        hit: played.result.hit,
        amount: played.result.amount,
        fell: played.result.fell,
    }
}
