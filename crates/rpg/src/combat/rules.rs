//! The rules of a fight, as pure functions on copies of the combatants.
//!
//! In a round, in order of [`initiative`], each combatant plays its cards in its own order as far
//! as its energy allows ([`play_cards`]). An attack takes `max(1, power + attack − defense / 2)`
//! hit points, a healing restores its power, and any other skill leaves an [`StatusEffect`] that
//! [`wear_off`] counts down.

use std::cmp::Reverse;

use super::arena::Combatant;
use super::choice::Card;
use crate::components::StatusEffect;
use crate::events::TargetResult;
use crate::world_file::{Skill, SkillKind};

/// What prompts, events and notes call a kind of skill.
pub(super) fn kind_name(kind: SkillKind) -> &'static str {
    match kind {
        SkillKind::Attack => "attack",
        SkillKind::Heal => "heal",
        SkillKind::Guard => "guard",
        SkillKind::Weaken => "weaken",
        SkillKind::Strengthen => "strengthen",
    }
}

/// The indices of the combatants that a skill of this kind may be used on, best first: the weakest
/// foe, the ally who is hurt most. Healing has no legal target while nobody is hurt.
pub(super) fn legal_targets(kind: SkillKind, me: usize, combatants: &[Combatant]) -> Vec<usize> {
    let Some(actor) = combatants.get(me) else {
        return Vec::new();
    };
    let is_legal = |target: &Combatant| match kind {
        SkillKind::Attack | SkillKind::Weaken => !target.is_ally_of(actor),
        SkillKind::Heal => target.is_ally_of(actor) && target.health.hp < target.health.max,
        SkillKind::Guard | SkillKind::Strengthen => target.is_ally_of(actor),
    };
    let all = combatants.iter().enumerate();
    let may_be = |(_, target): &(usize, &Combatant)| target.is_standing() && is_legal(target);
    let mut legal: Vec<_> = all.filter(may_be).collect();
    legal.sort_by_key(|(index, target)| match kind {
        SkillKind::Heal => (target.health.hp - target.health.max, *index),
        SkillKind::Strengthen => (-target.attack(), *index),
        _ => (target.health.hp, *index),
    });
    legal.into_iter().map(|(index, _)| index).collect()
}

/// The indices of those who act, in order: the faster first, then the higher roll, then by index.
pub(super) fn initiative(
    combatants: &[Combatant],
    mut roll: impl FnMut(&str) -> u32,
) -> Vec<usize> {
    let all = 0..combatants.len();
    let mut order: Vec<_> = all
        .filter(|index| combatants[*index].is_standing())
        .collect();
    order.sort_by_cached_key(|index| {
        let each = &combatants[*index];
        (Reverse(each.stats.speed), Reverse(roll(&each.name)))
    });
    order
}

/// The hit points that an attack takes, not limited by those that are left.
fn damage(power: i32, attack: i32, defense: i32) -> i32 {
    let strength = power.saturating_add(attack);
    strength.saturating_sub(defense / 2).max(1)
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum PlayedCard<'a> {
    /// It was played with this skill on the combatant of this index.
    Played(&'a Skill, usize, TargetResult),
    /// It was not played: `no_target` or `no_energy`.
    Held(&'static str),
}

/// Plays the cards of a combatant in order, and says what became of each. `roll` gives a number
/// from 0 to 99 for one use of a skill, by the names of the combatant and the skill. A card is used
/// on the first of its targets that is still legal, and on nobody else.
pub(super) fn play_cards<'a>(
    combatants: &mut [Combatant],
    by: usize,
    cards: &[Card],
    skill: impl Fn(&str) -> Option<&'a Skill>,
    mut roll: impl FnMut(&str, &str) -> i32,
) -> Vec<PlayedCard<'a>> {
    let mut energy = combatants[by].stats.energy;
    let mut play = |card: &Card| {
        let Some(skill) = skill(&card.skill).filter(|skill| skill.cost <= energy) else {
            return PlayedCard::Held("no_energy");
        };
        let Some(target) = target_of(card, skill.kind, by, combatants) else {
            return PlayedCard::Held("no_target");
        };
        energy -= skill.cost;
        let roll = roll(&combatants[by].name, &skill.name);
        PlayedCard::Played(skill, target, resolve(skill, by, target, combatants, roll))
    };
    cards.iter().map(&mut play).collect()
}

/// Whether a side has nobody left who stands.
pub(super) fn is_decided(combatants: &[Combatant]) -> bool {
    !has_standing(true, combatants) || !has_standing(false, combatants)
}

/// Whether anybody of the party, or of its foes, still stands.
pub(super) fn has_standing(heroes: bool, combatants: &[Combatant]) -> bool {
    let mut side = combatants.iter().filter(|each| each.is_hero() == heroes);
    side.any(Combatant::is_standing)
}

/// The first wanted target that is still legal. Once the fight is decided, no card has one.
fn target_of(card: &Card, kind: SkillKind, by: usize, combatants: &[Combatant]) -> Option<usize> {
    if is_decided(combatants) {
        return None;
    }
    let legal = legal_targets(kind, by, combatants);
    let named = |name: &String| {
        legal
            .iter()
            .find(|index| *combatants[**index].name == **name)
    };
    card.targets.iter().find_map(named).copied()
}

fn resolve(
    skill: &Skill,
    by: usize,
    target: usize,
    combatants: &mut [Combatant],
    roll: i32,
) -> TargetResult {
    let attack = combatants[by].attack();
    let target = &mut combatants[target];
    let mut result = TargetResult {
        name: target.name.to_string(),
        hit: roll < skill.accuracy,
        amount: 0,
        effect: String::new(),
        fell: false,
    };
    if !result.hit {
        return result;
    }
    match skill.kind {
        SkillKind::Attack => {
            let damage = damage(skill.power, attack, target.defense());
            result.amount = target.health.hurt(damage);
            result.fell = !target.is_standing();
        }
        SkillKind::Heal => result.amount = target.health.heal(skill.power),
        SkillKind::Guard | SkillKind::Weaken | SkillKind::Strengthen => {
            result.amount = skill.power;
            result.effect.clone_from(&skill.name);
            add_effect(target, skill);
        }
    }
    result
}

/// Adds the effect of a skill; it replaces an earlier one of the same skill.
fn add_effect(target: &mut Combatant, skill: &Skill) {
    let (attack, defense) = match skill.kind {
        SkillKind::Guard => (0, skill.power),
        SkillKind::Weaken => (-skill.power, 0),
        _ => (skill.power, 0),
    };
    target.effects.retain(|effect| *effect.skill != *skill.name);
    target.effects.push(StatusEffect {
        skill: skill.name.as_str().into(),
        attack,
        defense,
        rounds: skill.duration.max(1),
    });
}

/// A round ends: effects last one round less.
pub(super) fn wear_off(combatants: &mut [Combatant]) {
    for combatant in combatants {
        for effect in &mut combatant.effects {
            effect.rounds -= 1;
        }
        combatant.effects.retain(|effect| effect.rounds > 0);
    }
}
