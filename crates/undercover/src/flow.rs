//! The phases of a game, advanced when the table is idle and the world meets: a turn for each
//! phase.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{Kind, StableId, WorldSeed, all_of};
use playhouse_engine::engine::StoryEnd;
use playhouse_engine::event::{Phrasebook, Prompt, write_events_at_meeting};
use rand::seq::SliceRandom;
use serde::Serialize;
use serde_json::json;

use super::current_table::{NextStep, rng};
use super::events::{NamedPlayer, RoundStarted};
use super::ids::{PlayerId, Side};
use super::rules::{Rules, SpeakingOrder};
use super::secret::deal_cards;
use super::table::{Phase, Table};

#[derive(Serialize, Prompt)]
#[prompt("undercover/over")]
pub(super) struct OverData {
    winner: Side,
}

/// Begins the next phase of every table, and ends the story when all games are over.
pub(super) fn advance_games(world: &mut World) {
    let mut tables = all_of(world, Kind::Stage);
    tables.retain(|stage| world.get::<Table>(*stage).is_some());
    for stage in &tables {
        advance_game(world, *stage);
    }
    let winner = |stage: &Entity| world.get::<Table>(*stage)?.winner;
    let winners: Vec<_> = tables.iter().filter_map(winner).collect();
    if !tables.is_empty() && winners.len() == tables.len() {
        let last_words = last_words(world, &winners);
        world.insert_resource(StoryEnd(last_words));
    }
}

fn advance_game(world: &mut World, stage: Entity) {
    let Some(table) = world.get::<Table>(stage) else {
        return;
    };
    match table.phase {
        Phase::Setup => {
            deal_cards(world, stage);
            begin_round(world, stage);
        }
        Phase::Description if table.order.is_empty() => begin_round(world, stage),
        Phase::Description => set_phase(world, stage, Phase::Voting, NextStep::Vote),
        Phase::Voting => set_phase(world, stage, Phase::Check, NextStep::Check),
        Phase::Check | Phase::End => {}
    }
}

fn set_phase(world: &mut World, stage: Entity, phase: Phase, next: NextStep) {
    let mut stage = world.entity_mut(stage);
    if let Some(mut table) = stage.get_mut::<Table>() {
        table.phase = phase;
    }
    stage.insert(next);
}

/// A round begins: its order is drawn, and everybody learns it.
fn begin_round(world: &mut World, stage: Entity) {
    let speaking_order = world.resource::<Rules>().order;
    let seed = *world.resource::<WorldSeed>();
    let id = world.get::<StableId>(stage).copied().unwrap_or(StableId(0));
    let Some(mut table) = world.get_mut::<Table>(stage) else {
        return;
    };
    table.round = table.round.max(1);
    let mut order: Vec<PlayerId> = table.living().map(|player| player.id).collect();
    if speaking_order == SpeakingOrder::Shuffled {
        order.shuffle(&mut rng(seed, id, "order", table.round));
    }
    let named = order.iter().map(|id| NamedPlayer {
        player_id: *id,
        player: table.name(*id),
    });
    let event = RoundStarted {
        round: table.round,
        order: named.collect(),
    };
    table.order = order;
    set_phase(world, stage, Phase::Description, NextStep::Describe);
    write_events_at_meeting(world, |events| events.broadcast_to_stage(stage, event, &[]));
}

fn last_words(world: &World, winners: &[Side]) -> String {
    let phrases = world.resource::<Phrasebook>();
    let lines = winners.iter().map(|&winner| {
        let line = phrases.fill(&OverData { winner });
        line.unwrap_or_else(|_| json!(winner).to_string())
    });
    lines.collect::<Vec<_>>().join("\n")
}
