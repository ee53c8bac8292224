//! A round begins: everybody sees how all stand, and each combatant makes cards of its hand.

use bevy_ecs::prelude::*;
use rand::Rng;
use rand::seq::SliceRandom;
use serde_json::{Value, json};

use super::arena::{Arena, Combatant, Ground, standing};
use super::hand::{Card, DESCRIPTION_CHARS, Hand, Legal, NAME_CHARS};
use super::reply_tokens;
use super::rules::{kind_word, legal_targets};
use crate::cast::StageRng;
use crate::event::{EventWriter, Fault, Phrasebook};
use crate::exchange::Ask;
use crate::rpg::events::CombatRound;
use crate::rpg::phase::Phase;
use crate::rpg::world_file::{Skill, SkillKind, WorldFile};

/// A skill in hand and its legal targets, by index, best first.
pub type Dealt<'a> = (&'a Skill, Vec<usize>);

/// Opens a round and asks everybody who stands and has a legal card; the others pass.
pub fn draw_hands(
    mut arena: Arena,
    chance: StageRng,
    mut tell: EventWriter,
    mut commands: Commands,
) {
    let Some(ground) = arena.ground() else { return };
    arena.change(&ground, |combat| {
        combat.round += 1;
        combat.deeds.clear();
    });
    arena.enter(&ground, Phase::Play);
    let combat = arena.combat(&ground);
    let all = arena.combatants(&combat);
    let opening = CombatRound {
        stage: ground.name.to_string(),
        round: combat.round,
        standing: standing(&all),
    };
    tell.broadcast_to_stage(ground.entity, opening, &[]);
    let world = arena.world();
    for (at, me) in all.iter().enumerate().filter(|(_, one)| one.stands()) {
        let mut stream = chance.stream(&format!("combat/hand/{}", me.name));
        let hand = deal(&world, at, &all, &mut stream);
        if hand.is_empty() {
            continue;
        }
        match ask(
            tell.phrases(),
            &world,
            &ground,
            combat.round,
            me,
            &all,
            &hand,
        ) {
            Ok(ask) => {
                commands.entity(me.entity).insert(ask);
            }
            Err(reason) => tell.fault(Fault::Game(reason)),
        }
    }
}

/// Samples a hand from what a combatant knows, can pay for and has somebody for. Where nobody needs
/// it, a healing skill comes up only if there is nothing else.
pub fn deal<'a>(
    world: &'a WorldFile,
    me: usize,
    all: &[Combatant],
    chance: &mut impl Rng,
) -> Vec<Dealt<'a>> {
    let Some(actor) = all.get(me) else {
        return Vec::new();
    };
    let knows = |skill: &&Skill| actor.skills.iter().any(|name| **name == *skill.name);
    let known = world.skills.iter().filter(knows);
    let payable: Vec<_> = known
        .filter(|skill| skill.cost <= actor.stats.energy)
        .collect();
    let legal = payable
        .iter()
        .map(|skill| (*skill, legal_targets(skill.kind, me, all)));
    let mut hand: Vec<_> = legal.filter(|(_, targets)| !targets.is_empty()).collect();
    if hand.is_empty() {
        let heals = payable.iter().filter(|skill| skill.kind == SkillKind::Heal);
        let for_allies = legal_targets(SkillKind::Guard, me, all);
        hand = heals.map(|skill| (*skill, for_allies.clone())).collect();
    }
    hand.shuffle(chance);
    hand.truncate(world.limits.hand_size.max(1) as usize);
    hand
}

fn ask(
    phrases: &Phrasebook,
    world: &WorldFile,
    ground: &Ground,
    round: u32,
    me: &Combatant,
    all: &[Combatant],
    hand: &[Dealt<'_>],
) -> Result<Ask<Hand>, String> {
    let facts = facts(ground, round, me, all, hand);
    let prompt = phrases.say("asks/combat_draw", &facts)?;
    let short = phrases.say("asks/combat_draw_short", &facts)?;
    let legal: Vec<_> = hand.iter().map(|dealt| legal(dealt, all)).collect();
    let fallback = fallback(phrases, me, &legal)?;
    let ask = Ask::new("combat.draw", prompt, legal, fallback).condensed(short);
    let ask = ask.notes(facts).max_tokens(reply_tokens(world));
    // All that counts in a fight is told; a look elsewhere would only cost time.
    Ok(ask.without_tools())
}

fn facts(
    ground: &Ground,
    round: u32,
    me: &Combatant,
    all: &[Combatant],
    hand: &[Dealt<'_>],
) -> Value {
    let card = |dealt: &Dealt<'_>| {
        let (skill, _) = dealt;
        json!({
            "skill": skill.name, "kind": kind_word(skill.kind), "cost": skill.cost,
            "power": skill.power, "accuracy": skill.accuracy, "rounds": skill.duration,
            "about": skill.about, "legal": legal(dealt, all).targets,
        })
    };
    let standing_now = || all.iter().filter(|one| one.stands());
    json!({
        "me": me.name, "kind": "actor", "place": ground.name,
        "round": round,
        "hp": me.health.hp, "max_hp": me.health.max, "energy": me.stats.energy,
        "effects": me.effect_names(),
        "hand": hand.iter().map(card).collect::<Vec<_>>(),
        "foes": standing(standing_now().filter(|one| !one.sides_with(me))),
        "allies": standing(standing_now().filter(|one| one.sides_with(me))),
    })
}

fn legal((skill, targets): &Dealt<'_>, all: &[Combatant]) -> Legal {
    let targets = targets.iter().filter_map(|at| all.get(*at));
    Legal {
        skill: skill.name.as_str().into(),
        targets: targets.map(|one| one.name.clone()).collect(),
    }
}

/// A card of each skill, named after it, on the targets that the rules find best.
fn fallback(phrases: &Phrasebook, me: &Combatant, hand: &[Legal]) -> Result<Hand, String> {
    let card = |legal: &Legal| {
        let facts = json!({"me": me.name, "skill": legal.skill});
        let description = phrases.say("fallback/combat_card", &facts)?;
        Ok(Card {
            skill: legal.skill.to_string(),
            name: legal.skill.chars().take(NAME_CHARS).collect(),
            description: description.chars().take(DESCRIPTION_CHARS).collect(),
            targets: legal.targets.iter().map(ToString::to_string).collect(),
        })
    };
    let cards: Result<_, String> = hand.iter().map(card).collect();
    Ok(Hand { cards: cards? })
}
