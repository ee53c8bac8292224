//! The rules of a fight, as pure functions over copied combatants.
//!
//! A round: in order of [`initiative`] each combatant plays its cards as it prefers and as far as
//! its energy goes ([`play_round`]); an attack takes `max(1, power + attack − defense / 2)` hit
//! points, a healing gives its power, all else leaves an [`Effect`] that [`wear_off`] counts down.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::arena::Combatant;
use super::hand::{Card, Hand};
use crate::rpg::components::Effect;
use crate::rpg::events::Struck;
use crate::rpg::world_file::{Skill, SkillKind};

/// The word for a kind of skill in prompts, events and notes.
pub fn kind_word(kind: SkillKind) -> &'static str {
    match kind {
        SkillKind::Attack => "attack",
        SkillKind::Heal => "heal",
        SkillKind::Guard => "guard",
        SkillKind::Weaken => "weaken",
        SkillKind::Strengthen => "strengthen",
    }
}

/// Whom a skill of this kind may be used on, by index, best first: against the weakest foe, for the
/// ally who misses most. Healing has no legal target while nobody is hurt.
pub fn legal_targets(kind: SkillKind, me: usize, all: &[Combatant]) -> Vec<usize> {
    let Some(actor) = all.get(me) else {
        return Vec::new();
    };
    let standing = all.iter().enumerate().filter(|(_, one)| one.stands());
    let mut legal: Vec<_> = standing
        .filter(|(_, one)| match kind {
            SkillKind::Attack | SkillKind::Weaken => !one.sides_with(actor),
            SkillKind::Heal => one.sides_with(actor) && one.health.hp < one.health.max,
            SkillKind::Guard | SkillKind::Strengthen => one.sides_with(actor),
        })
        .collect();
    legal.sort_by_key(|(at, one)| match kind {
        SkillKind::Heal => (one.health.hp - one.health.max, *at),
        SkillKind::Strengthen => (-one.attack(), *at),
        _ => (one.health.hp, *at),
    });
    legal.into_iter().map(|(at, _)| at).collect()
}

/// Who acts when, by index: the faster first, then the higher roll, then the stable order.
pub fn initiative(all: &[Combatant], mut roll: impl FnMut(&str) -> u32) -> Vec<usize> {
    let mut order: Vec<_> = all
        .iter()
        .enumerate()
        .filter(|(_, one)| one.stands())
        .map(|(at, one)| (Reverse(one.stats.speed), Reverse(roll(&one.name)), at))
        .collect();
    order.sort_unstable();
    order.into_iter().map(|(.., at)| at).collect()
}

/// What an attack takes, before hit points bound it.
pub fn damage(power: i32, attack: i32, defense: i32) -> i32 {
    power
        .saturating_add(attack)
        .saturating_sub(defense / 2)
        .max(1)
}

/// A card that was played and what it did.
#[derive(Clone, Debug, PartialEq)]
pub struct Played<'a> {
    /// Who played it, by index.
    pub by: usize,
    /// On whom, by index.
    pub target: usize,
    /// The card.
    pub card: Card,
    /// Its skill.
    pub skill: &'a Skill,
    /// What it did.
    pub struck: Struck,
}

/// Plays a round. `roll` gives a number from 0 to 99 for one use of a skill, by names of combatant
/// and skill. Cards that cost too much or find nobody are passed over.
pub fn play_round<'a>(
    all: &mut [Combatant],
    order: &[usize],
    hands: &BTreeMap<usize, Hand>,
    skill: impl Fn(&str) -> Option<&'a Skill>,
    mut roll: impl FnMut(&str, &str) -> i32,
) -> Vec<Played<'a>> {
    let mut played = Vec::new();
    for &by in order {
        let Some(hand) = hands.get(&by) else { continue };
        let mut energy = all[by].stats.energy;
        for card in &hand.cards {
            if !all[by].stands() || !has_foe(by, all) {
                break;
            }
            let Some(skill) = skill(&card.skill).filter(|skill| skill.cost <= energy) else {
                continue;
            };
            let Some(target) = target_of(card, skill.kind, by, all) else {
                continue;
            };
            energy -= skill.cost;
            let roll = roll(&all[by].name, &skill.name);
            let struck = resolve(skill, by, target, all, roll);
            played.push(Played {
                by,
                target,
                card: card.clone(),
                skill,
                struck,
            });
        }
    }
    played
}

/// Whether somebody on another side still stands; a decided fight needs no more cards.
fn has_foe(me: usize, all: &[Combatant]) -> bool {
    let mut others = all.iter().filter(|one| one.stands());
    others.any(|one| !one.sides_with(&all[me]))
}

/// The first wanted target that is still legal, else the best legal one.
fn target_of(card: &Card, kind: SkillKind, by: usize, all: &[Combatant]) -> Option<usize> {
    let legal = legal_targets(kind, by, all);
    let wanted = card.targets.iter();
    let mut found = wanted.filter_map(|name| legal.iter().find(|at| *all[**at].name == **name));
    found.next().or(legal.first()).copied()
}

fn resolve(skill: &Skill, by: usize, target: usize, all: &mut [Combatant], roll: i32) -> Struck {
    let attack = all[by].attack();
    let target = &mut all[target];
    let mut struck = Struck {
        name: target.name.to_string(),
        hit: roll < skill.accuracy,
        amount: 0,
        effect: String::new(),
        fell: false,
    };
    if !struck.hit {
        return struck;
    }
    match skill.kind {
        SkillKind::Attack => {
            let damage = damage(skill.power, attack, target.defense());
            struck.amount = target.health.hurt(damage);
            struck.fell = !target.stands();
        }
        SkillKind::Heal => struck.amount = target.health.heal(skill.power),
        SkillKind::Guard | SkillKind::Weaken | SkillKind::Strengthen => {
            struck.amount = skill.power;
            struck.effect.clone_from(&skill.name);
            put_effect(target, skill);
        }
    }
    struck
}

/// Leaves an effect; one of the same skill begins anew instead of adding up.
fn put_effect(target: &mut Combatant, skill: &Skill) {
    let (attack, defense) = match skill.kind {
        SkillKind::Guard => (0, skill.power),
        SkillKind::Weaken => (-skill.power, 0),
        _ => (skill.power, 0),
    };
    target.effects.retain(|effect| *effect.skill != *skill.name);
    target.effects.push(Effect {
        skill: skill.name.as_str().into(),
        attack,
        defense,
        rounds: skill.duration.max(1),
    });
}

/// A round ends: effects last a round less. Returns those that ended, with whose they were.
pub fn wear_off(all: &mut [Combatant]) -> Vec<(usize, Effect)> {
    let mut ended = Vec::new();
    for (at, one) in all.iter_mut().enumerate() {
        for effect in &mut one.effects {
            effect.rounds -= 1;
        }
        let over = one.effects.extract_if(.., |effect| effect.rounds <= 0);
        ended.extend(over.map(|effect| (at, effect)));
    }
    ended
}
