//! The course of a game, moved on when the table rests and the world meets: a turn for each phase.

use bevy_ecs::prelude::*;
use rand::seq::SliceRandom;
use serde_json::json;

use super::at_table::{Next, stream};
use super::events::{RoundBegins, Seated};
use super::rules::{Rules, SpeakingOrder};
use super::secret::deal_cards;
use super::table::{Phase, PlayerId, Side, Table};
use crate::cast::{Kind, StableId, WorldSeed, all_of};
use crate::engine::StoryEnd;
use crate::event::{Phrasebook, write_events_at_meeting};

/// Moves every table on to its next phase, and ends the story when all games are over.
pub fn direct(world: &mut World) {
    let mut tables = all_of(world, Kind::Stage);
    tables.retain(|stage| world.get::<Table>(*stage).is_some());
    for stage in &tables {
        move_on(world, *stage);
    }
    let winner = |stage: &Entity| world.get::<Table>(*stage)?.winner;
    let winners: Vec<_> = tables.iter().filter_map(winner).collect();
    if !tables.is_empty() && winners.len() == tables.len() {
        let words = last_words(world, &winners);
        world.insert_resource(StoryEnd(words));
    }
}

fn move_on(world: &mut World, stage: Entity) {
    let Some(table) = world.get::<Table>(stage) else {
        return;
    };
    match (table.phase, table.order.is_empty()) {
        (Phase::Setup, _) => {
            deal_cards(world, stage);
            begin_round(world, stage);
        }
        (Phase::Description, true) => begin_round(world, stage),
        (Phase::Description, false) => enter(world, stage, Phase::Voting, Next::Vote),
        (Phase::Voting, _) => enter(world, stage, Phase::Check, Next::Check),
        (Phase::Check | Phase::End, _) => {}
    }
}

fn enter(world: &mut World, stage: Entity, phase: Phase, next: Next) {
    let mut stage = world.entity_mut(stage);
    if let Some(mut table) = stage.get_mut::<Table>() {
        table.phase = phase;
    }
    stage.insert(next);
}

/// A round begins: its order is drawn, and everybody learns it.
fn begin_round(world: &mut World, stage: Entity) {
    let order_rule = world.resource::<Rules>().order;
    let seed = *world.resource::<WorldSeed>();
    let id = world.get::<StableId>(stage).copied().unwrap_or(StableId(0));
    let Some(mut table) = world.get_mut::<Table>(stage) else {
        return;
    };
    table.round = table.round.max(1);
    let round = table.round;
    let mut order: Vec<PlayerId> = table.living().map(|player| player.id).collect();
    if order_rule == SpeakingOrder::Shuffled {
        order.shuffle(&mut stream(seed, id, "order", round));
    }
    let seated = order.iter().map(|id| Seated {
        player_id: *id,
        player: table.name(*id),
    });
    let order_shown = seated.collect();
    table.order = order;
    let event = RoundBegins {
        round,
        order: order_shown,
    };
    enter(world, stage, Phase::Description, Next::Describe);
    write_events_at_meeting(world, |tell| tell.broadcast_to_stage(stage, event, &[]));
}

fn last_words(world: &World, winners: &[Side]) -> String {
    let phrases = world.resource::<Phrasebook>();
    let words = winners.iter().map(|winner| {
        let words = phrases.say("undercover/over", &json!({"winner": winner}));
        words.unwrap_or_else(|_| json!(winner).to_string())
    });
    words.collect::<Vec<_>>().join("\n")
}
