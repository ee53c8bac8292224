//! The stage tells the round from what was done on it in public.

use bevy_ecs::prelude::*;
use serde_json::json;

use super::arena::{Arena, Ground, standing};
use super::{prose_rules, reply_tokens};
use crate::event::{EventWriter, Fault, Phrasebook};
use crate::exchange::{Answers, Ask, Prose};
use crate::rpg::events::Narration;
use crate::rpg::phase::Phase;

/// Asks the stage to tell the round.
pub fn ask_narration(mut arena: Arena, mut tell: EventWriter, mut commands: Commands) {
    let Some(ground) = arena.ground() else { return };
    arena.enter(&ground, Phase::RoundDone);
    match ask(tell.phrases(), &arena, &ground) {
        Ok(ask) => {
            commands.entity(ground.entity).insert(ask);
        }
        Err(reason) => tell.fault(Fault::Game(reason)),
    }
}

/// Whoever stands hears what the stage tells; the stage has said it.
pub fn take_narration(arena: Arena, mut answers: Answers<Prose>, mut tell: EventWriter) {
    let Some(ground) = arena.ground() else { return };
    for (teller, Prose(message), _by) in answers.take() {
        let stage = ground.name.to_string();
        tell.broadcast_to_stage(ground.entity, Narration { stage, message }, &[teller]);
    }
}

fn ask(phrases: &Phrasebook, arena: &Arena, ground: &Ground) -> Result<Ask<Prose>, String> {
    let combat = arena.combat(ground);
    let world = arena.world();
    let facts = json!({
        "me": ground.name, "kind": "stage", "place": ground.name,
        "round": combat.round,
        "deeds": combat.deeds,
        "standing": standing(&arena.combatants(&combat)),
    });
    let prompt = phrases.say("asks/combat_narrate", &facts)?;
    let short = phrases.say("asks/combat_narrate_short", &facts)?;
    let fallback = Prose(phrases.say("fallback/combat_round", &facts)?);
    let ask = Ask::new("combat.narrate", prompt, prose_rules(&world, 0), fallback);
    Ok(ask
        .condensed(short)
        .notes(facts)
        .max_tokens(reply_tokens(&world)))
}
