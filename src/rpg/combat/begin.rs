//! A fight begins: everybody who can fight takes part, and hears it.

use std::sync::Arc;

use super::arena::Arena;
use super::state::Combat;
use crate::event::EventWriter;
use crate::rpg::events::CombatStart;
use crate::rpg::phase::Phase;

/// Gives the fight its number and its combatants.
pub(super) fn begin_fight(mut arena: Arena, mut events: EventWriter) {
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
    let start = CombatStart {
        stage: stage.name.to_string(),
        combat_id: combat.id(&stage.name),
        heroes: combat.heroes.iter().map(ToString::to_string).collect(),
        foes: combat.foes.iter().map(ToString::to_string).collect(),
    };
    let mut audience = vec![stage.entity];
    audience.extend(combatants.iter().map(|each| each.entity));
    events.notify_entities(&audience, start);
    arena.update_combat(&stage, |current| *current = combat);
    arena.set_phase(&stage, Phase::Act);
}
