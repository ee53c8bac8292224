//! A round begins: everybody sees the state of all, and each combatant makes cards of its hand.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use rand::Rng;
use rand::seq::SliceRandom;
use serde::Serialize;

use super::arena::{Arena, Combatant, FightStage, statuses};
use super::hand::{Card, DESCRIPTION_CHARS, Hand, NAME_CHARS, PlayableSkill};
use super::rules::{kind_name, legal_targets};
use crate::cast::StageRng;
use crate::event::{EventWriter, PhraseError, Phrasebook, PromptSet, PromptTemplate};
use crate::exchange::{Ask, AskTemplate};
use crate::rpg::events::{CombatRound, CombatantStatus};
use crate::rpg::phase::Phase;
use crate::rpg::world_file::{Skill, SkillKind, WorldFile};

const DRAW: AskTemplate<DrawData> =
    AskTemplate::condensed("combat.draw", "asks/combat_draw", "asks/combat_draw_short");
const DEFAULT_CARD: PromptTemplate<CardData> = PromptTemplate::new("fallback/combat_card");

/// What a combatant is asked for its cards with.
#[derive(Default, Serialize)]
struct DrawData<'a> {
    me: &'a str,
    kind: &'a str,
    place: &'a str,
    round: u32,
    hp: i32,
    max_hp: i32,
    energy: i32,
    effects: Vec<String>,
    hand: Vec<SkillData<'a>>,
    foes: Vec<CombatantStatus>,
    allies: Vec<CombatantStatus>,
}

/// A skill in hand.
#[derive(Serialize)]
struct SkillData<'a> {
    skill: &'a str,
    kind: &'a str,
    cost: i32,
    power: i32,
    accuracy: i32,
    rounds: i32,
    about: &'a str,
    legal: Vec<Arc<str>>,
}

/// What the description of a default card is made from.
#[derive(Default, Serialize)]
struct CardData<'a> {
    me: &'a str,
    skill: &'a str,
}

/// Adds the templates of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    DRAW.add_to(prompts);
    prompts.add(&DEFAULT_CARD);
}

/// A skill in hand, and the indices of its legal targets, best first.
struct DrawnSkill<'a> {
    skill: &'a Skill,
    targets: Vec<usize>,
}

impl DrawnSkill<'_> {
    fn playable(&self, combatants: &[Combatant]) -> PlayableSkill {
        let targets = self.targets.iter();
        let targets = targets.filter_map(|index| combatants.get(*index));
        PlayableSkill {
            skill: self.skill.name.as_str().into(),
            targets: targets.map(|target| target.name.clone()).collect(),
        }
    }
}

/// Begins a round and asks everybody who stands and has a legal card; the others pass.
pub(super) fn draw_hands(
    mut arena: Arena,
    rng: StageRng,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(stage) = arena.stage() else { return };
    arena.update_combat(&stage, |combat| {
        combat.round += 1;
        combat.actions.clear();
    });
    arena.set_phase(&stage, Phase::Play);
    let combat = arena.combat(&stage);
    let combatants = arena.combatants(&combat);
    let round = CombatRound {
        stage: stage.name.to_string(),
        round: combat.round,
        standing: statuses(&combatants),
    };
    events.broadcast_to_stage(stage.entity, round, &[]);
    let world = arena.world();
    for (index, me) in combatants.iter().enumerate() {
        if !me.is_standing() {
            continue;
        }
        let mut rng = rng.stream(&format!("combat/hand/{}", me.name));
        let hand = draw_hand(&world, index, &combatants, &mut rng);
        if hand.is_empty() {
            continue;
        }
        let data = data(&stage, combat.round, me, &combatants, &hand);
        let playable = hand.iter().map(|drawn| drawn.playable(&combatants));
        let ask = draw_ask(events.phrases(), &world, &data, playable.collect());
        events.insert_or_fault(&mut commands, me.entity, ask);
    }
}

/// Samples a hand from the skills that a combatant knows, can pay for and has a target for. If
/// there is no such skill, it may heal those who are not hurt.
fn draw_hand<'a>(
    world: &'a WorldFile,
    me: usize,
    combatants: &[Combatant],
    rng: &mut impl Rng,
) -> Vec<DrawnSkill<'a>> {
    let Some(actor) = combatants.get(me) else {
        return Vec::new();
    };
    let knows = |skill: &Skill| actor.skills.iter().any(|name| **name == *skill.name);
    let skills = world.skills.iter();
    let affordable: Vec<_> = skills
        .filter(|skill| knows(skill) && skill.cost <= actor.stats.energy)
        .collect();
    let drawn = |skill: &&'a Skill, kind: SkillKind| DrawnSkill {
        skill,
        targets: legal_targets(kind, me, combatants),
    };
    let all = affordable.iter().map(|skill| drawn(skill, skill.kind));
    let mut hand: Vec<_> = all.filter(|drawn| !drawn.targets.is_empty()).collect();
    if hand.is_empty() {
        let heals = affordable.iter();
        let heals = heals.filter(|skill| skill.kind == SkillKind::Heal);
        // Guarding may target any ally.
        hand = heals.map(|skill| drawn(skill, SkillKind::Guard)).collect();
    }
    hand.shuffle(rng);
    hand.truncate(world.limits.hand_size.max(1) as usize);
    hand
}

fn draw_ask(
    phrases: &Phrasebook,
    world: &WorldFile,
    data: &DrawData,
    hand: Vec<PlayableSkill>,
) -> Result<Ask<Hand>, PhraseError> {
    let fallback = default_hand(phrases, data.me, &hand)?;
    let ask = DRAW.ask(phrases, data, hand, fallback)?;
    let ask = ask.max_tokens(world.limits.max_reply_tokens());
    // The prompt says everything that matters in a fight; tools would only cost time.
    Ok(ask.without_tools())
}

fn data<'a>(
    stage: &'a FightStage,
    round: u32,
    me: &'a Combatant,
    combatants: &[Combatant],
    hand: &[DrawnSkill<'a>],
) -> DrawData<'a> {
    let skill_data = |drawn: &DrawnSkill<'a>| SkillData {
        skill: &drawn.skill.name,
        kind: kind_name(drawn.skill.kind),
        cost: drawn.skill.cost,
        power: drawn.skill.power,
        accuracy: drawn.skill.accuracy,
        rounds: drawn.skill.duration,
        about: &drawn.skill.about,
        legal: drawn.playable(combatants).targets,
    };
    let standing = || combatants.iter().filter(|each| each.is_standing());
    DrawData {
        me: &me.name,
        kind: "actor",
        place: &stage.name,
        round,
        hp: me.health.hp,
        max_hp: me.health.max,
        energy: me.stats.energy,
        effects: me.effect_names(),
        hand: hand.iter().map(skill_data).collect(),
        foes: statuses(standing().filter(|each| !each.is_ally_of(me))),
        allies: statuses(standing().filter(|each| each.is_ally_of(me))),
    }
}

/// A card of each skill, named after it, for the targets that the rules find best.
fn default_hand(
    phrases: &Phrasebook,
    me: &str,
    hand: &[PlayableSkill],
) -> Result<Hand, PhraseError> {
    let card = |playable: &PlayableSkill| {
        let skill = &*playable.skill;
        let description = phrases.render(&DEFAULT_CARD, &CardData { me, skill })?;
        Ok(Card {
            skill: skill.to_owned(),
            name: skill.chars().take(NAME_CHARS).collect(),
            description: description.chars().take(DESCRIPTION_CHARS).collect(),
            targets: playable.targets.iter().map(ToString::to_string).collect(),
        })
    };
    let cards: Result<_, PhraseError> = hand.iter().map(card).collect();
    Ok(Hand { cards: cards? })
}
