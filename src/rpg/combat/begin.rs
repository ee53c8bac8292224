//! A fight begins: the stage is told, and each combatant is asked for its first thought.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::Serialize;

use super::arena::{Arena, Combatant, FightStage, Look, looks, names};
use super::state::Combat;
use crate::event::{EventWriter, PromptTemplate};
use crate::exchange::{Answers, AskTemplate, Prose};
use crate::message::Tag;
use crate::rpg::events::CombatStart;
use crate::rpg::phase::Phase;
use crate::rpg::question::ProseQuestion;

pub(super) const FIRST_THOUGHT: ProseQuestion<FirstThoughtData> = ProseQuestion {
    question: AskTemplate::new("combat.initiation", "asks/combat_initiation"),
    fallback: PromptTemplate::new("fallback/combat_thought"),
    max_chars: 600,
};

/// What a combatant is asked for its first thought with.
#[derive(Default, Serialize)]
pub(super) struct FirstThoughtData<'a> {
    me: &'a str,
    kind: &'a str,
    place: &'a str,
    scene: &'a str,
    foes: Vec<Look>,
    allies: Vec<String>,
    companions: Vec<Look>,
    hp: i32,
    max_hp: i32,
    camp: &'a str,
}

/// Gives the fight its number and its combatants, tells the stage and asks everybody who stands.
pub(super) fn begin_fight(mut arena: Arena, mut events: EventWriter, mut commands: Commands) {
    let Some(stage) = arena.stage() else { return };
    let combatants = arena.able_to_fight();
    let side = |heroes: bool| -> Vec<Arc<str>> {
        let side = combatants.iter().filter(|each| each.is_hero() == heroes);
        side.map(|each| each.name.clone()).collect()
    };
    let combat = Combat {
        number: arena.combat(&stage).number + 1,
        heroes: side(true),
        foes: side(false),
        ..Combat::default()
    };
    let id = combat.id(&stage.name);
    let start = CombatStart {
        stage: stage.name.to_string(),
        combat_id: id.clone(),
        heroes: combat.heroes.iter().map(ToString::to_string).collect(),
        foes: combat.foes.iter().map(ToString::to_string).collect(),
    };
    arena.update_combat(&stage, |current| *current = combat);
    arena.set_phase(&stage, Phase::FightBegun);
    events.notify_entities(&[stage.entity], start);
    let world = arena.world();
    for me in &combatants {
        let data = data(&stage, me, &combatants);
        let ask = FIRST_THOUGHT.ask(events.phrases(), &world, &data);
        let ask = ask.map(|ask| {
            ask.tag(Tag::CombatInitialization(stage.name.clone()))
                .tag(Tag::CombatId(id.as_str().into()))
                .without_tools()
        });
        events.insert_or_fault(&mut commands, me.entity, ask);
    }
}

/// First thoughts are private, and already in the contexts of those who had them. The first round
/// begins.
pub(super) fn take_first_thoughts(mut arena: Arena, mut thoughts: Answers<Prose>) {
    let Some(stage) = arena.stage() else { return };
    thoughts.take();
    arena.set_phase(&stage, Phase::Draw);
}

fn data<'a>(
    stage: &'a FightStage,
    me: &'a Combatant,
    combatants: &[Combatant],
) -> FirstThoughtData<'a> {
    let others = || combatants.iter().filter(|other| other.entity != me.entity);
    let allies = || others().filter(|other| other.is_ally_of(me));
    FirstThoughtData {
        me: &me.name,
        kind: "actor",
        place: &stage.name,
        scene: &stage.look,
        foes: looks(others().filter(|other| !other.is_ally_of(me))),
        allies: names(allies()),
        companions: looks(allies()),
        hp: me.health.hp,
        max_hp: me.health.max,
        camp: &me.faction,
    }
}
