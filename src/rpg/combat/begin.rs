//! A fight begins: the stage is told, and each combatant is asked what goes through its mind.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde_json::{Value, json};

use super::arena::{Arena, Combatant, Ground, looks, names};
use super::{Combat, prose_rules, reply_tokens};
use crate::event::{EventWriter, Fault, Phrasebook};
use crate::exchange::{Answers, Ask, Prose};
use crate::message::Tag;
use crate::rpg::events::CombatStart;
use crate::rpg::phase::Phase;
use crate::rpg::world_file::WorldFile;

/// Gives the fight its number and its combatants, tells the stage and asks everybody who stands.
pub fn begin_fight(mut arena: Arena, mut tell: EventWriter, mut commands: Commands) {
    let Some(ground) = arena.ground() else { return };
    let all = arena.ready();
    let combat = Combat {
        number: arena.combat(&ground).number + 1,
        heroes: side(&all, true),
        foes: side(&all, false),
        ..Combat::default()
    };
    let id = combat.id(&ground.name);
    let start = CombatStart {
        stage: ground.name.to_string(),
        combat_id: id.clone(),
        heroes: combat.heroes.iter().map(ToString::to_string).collect(),
        foes: combat.foes.iter().map(ToString::to_string).collect(),
    };
    arena.change(&ground, |here| *here = combat);
    arena.enter(&ground, Phase::FightBegun);
    tell.notify_entities(&[ground.entity], start);
    let world = arena.world();
    for me in &all {
        match ask(tell.phrases(), &world, &ground, me, &all) {
            Ok(ask) => {
                let ask = ask
                    .tag(Tag::CombatInitialization(ground.name.clone()))
                    .tag(Tag::CombatId(id.as_str().into()));
                commands.entity(me.entity).insert(ask);
            }
            Err(reason) => tell.fault(Fault::Game(reason)),
        }
    }
}

/// First thoughts are private: they are in their thinkers' contexts already. The first round begins.
pub fn take_first_thoughts(mut arena: Arena, mut thoughts: Answers<Prose>) {
    let Some(ground) = arena.ground() else { return };
    thoughts.take();
    arena.enter(&ground, Phase::Draw);
}

fn side(all: &[Combatant], heroes: bool) -> Vec<Arc<str>> {
    let side = all.iter().filter(|one| one.is_hero() == heroes);
    side.map(|one| one.name.clone()).collect()
}

fn ask(
    phrases: &Phrasebook,
    world: &WorldFile,
    ground: &Ground,
    me: &Combatant,
    all: &[Combatant],
) -> Result<Ask<Prose>, String> {
    let facts = facts(ground, me, all);
    let prompt = phrases.say("asks/combat_initiation", &facts)?;
    let fallback = Prose(phrases.say("fallback/combat_thought", &facts)?);
    let rules = prose_rules(world, 600);
    let ask = Ask::new("combat.initiation", prompt, rules, fallback);
    let ask = ask.notes(facts).max_tokens(reply_tokens(world));
    Ok(ask.without_tools())
}

fn facts(ground: &Ground, me: &Combatant, all: &[Combatant]) -> Value {
    let others = || all.iter().filter(|one| one.entity != me.entity);
    let foes = others().filter(|one| !one.sides_with(me));
    let allies = || others().filter(|one| one.sides_with(me));
    json!({
        "me": me.name, "kind": "actor", "place": ground.name,
        "scene": ground.look,
        "foes": looks(foes),
        "allies": names(allies()),
        "companions": looks(allies()),
        "hp": me.health.hp, "max_hp": me.health.max,
        "camp": me.camp,
    })
}
