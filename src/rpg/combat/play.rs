//! The cards are played: the rules resolve the round, and everybody learns of each card.

use std::collections::BTreeMap;

use bevy_ecs::prelude::*;
use rand::{Rng, RngExt};

use super::Deed;
use super::arena::{Arena, Combatant, Ground};
use super::hand::Hand;
use super::rules::{Played, initiative, kind_word, play_round};
use crate::cast::{Dead, StageRng};
use crate::event::EventWriter;
use crate::event::kinds::Death;
use crate::exchange::Answers;
use crate::rpg::events::CardPlayed;
use crate::rpg::phase::Phase;

/// Takes the hands of a round and plays them out.
pub fn play_hands(
    mut arena: Arena,
    mut hands: Answers<Hand>,
    chance: StageRng,
    mut tell: EventWriter,
    mut commands: Commands,
) {
    let Some(ground) = arena.ground() else { return };
    let mut all = arena.combatants(&arena.combat(&ground));
    let mut drawn = BTreeMap::new();
    for (entity, hand, _by) in hands.take() {
        let player = all.iter().position(|one| one.entity == entity);
        drawn.extend(player.map(|player| (player, hand)));
    }
    let world = arena.world();
    let order = initiative(&all, |name| {
        chance
            .stream(&format!("combat/initiative/{name}"))
            .next_u32()
    });
    let played = play_round(
        &mut all,
        &order,
        &drawn,
        |name| world.skills.iter().find(|skill| skill.name == name),
        |name, skill| {
            let mut stream = chance.stream(&format!("combat/hit/{name}/{skill}"));
            stream.random_range(0..100)
        },
    );
    for fallen in tell_cards(&mut tell, &ground, &all, &played) {
        commands.entity(fallen).insert(Dead);
    }
    let deeds = played.iter().map(|played| deed(&all, played)).collect();
    arena.store(&all);
    arena.change(&ground, |combat| combat.deeds = deeds);
    arena.enter(&ground, Phase::Narrate);
}

/// Tells each card and each death in order, and returns who fell. A fallen one learns of the card
/// that felled it and of its own death, and of nothing after.
fn tell_cards(
    tell: &mut EventWriter,
    ground: &Ground,
    all: &[Combatant],
    played: &[Played<'_>],
) -> Vec<Entity> {
    let mut fallen = Vec::new();
    for one in played {
        let (by, target) = (&all[one.by], &all[one.target]);
        let card = CardPlayed {
            stage: ground.name.to_string(),
            actor: by.name.to_string(),
            card: one.card.name.clone(),
            skill: one.skill.name.clone(),
            kind: kind_word(one.skill.kind).into(),
            description: one.card.description.clone(),
            targets: vec![one.struck.clone()],
        };
        tell.broadcast_to_stage(ground.entity, card, &fallen);
        if one.struck.fell {
            let death = Death {
                actor: target.name.to_string(),
                by: by.name.to_string(),
                stage: ground.name.to_string(),
            };
            tell.broadcast_to_stage(ground.entity, death, &fallen);
            fallen.push(target.entity);
        }
    }
    fallen
}

fn deed(all: &[Combatant], played: &Played<'_>) -> Deed {
    Deed {
        by: all[played.by].name.clone(),
        skill: played.skill.name.as_str().into(),
        card: played.card.name.clone(),
        kind: kind_word(played.skill.kind).into(),
        target: all[played.target].name.clone(),
        hit: played.struck.hit,
        amount: played.struck.amount,
        fell: played.struck.fell,
    }
}
