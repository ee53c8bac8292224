//! Days at home: stages describe themselves, actors plan and act, voices of the world announce.
//!
//! Start reading at `plans.rs`.

mod herald;
mod known;
mod plans;
mod scene;

pub use herald::{ask_announcement, take_announcement};
pub use plans::{ask_plans, take_plans};
pub use scene::{ask_scene, take_scene};

use bevy_ecs::prelude::*;
use serde_json::Value;

use super::phase::{Part, Phase, at};
use super::world_file::WorldFile;
use crate::engine::Setup;
use crate::event::Phrasebook;
use crate::exchange::{Ask, Prose, ProseRules};

/// Adds the systems of this room.
pub fn plugin(setup: &mut Setup) {
    let systems = (
        take_scene.run_if(at(Phase::SceneDone)),
        ask_scene.run_if(at(Phase::Scene)),
        take_plans.run_if(at(Phase::PlanDone)),
        ask_plans.run_if(at(Phase::Plan)),
        take_announcement.run_if(at(Phase::HeraldDone)),
        ask_announcement.run_if(at(Phase::Herald)),
    );
    setup.step.add_systems(systems.chain().in_set(Part::Home));
}

/// An ask for free text whose phrases are `asks/NAME`, `asks/NAME_short` and `fallback/NAME`. The
/// facts of the prompt are its notes too.
fn prose_ask(
    phrases: &Phrasebook,
    purpose: &'static str,
    name: &str,
    facts: Value,
    (max_chars, world): (usize, &WorldFile),
) -> Result<Ask<Prose>, String> {
    let rules = ProseRules {
        max_chars,
        language: Some(world.language),
        ..ProseRules::default()
    };
    let fallback = Prose(phrases.say(&format!("fallback/{name}"), &facts)?);
    let question = phrases.say(&format!("asks/{name}"), &facts)?;
    let short = phrases.say(&format!("asks/{name}_short"), &facts)?;
    let ask = Ask::new(purpose, question, rules, fallback).condensed(short);
    Ok(ask.max_tokens(reply_tokens(world)).notes(facts))
}

/// The most tokens of an answer.
fn reply_tokens(world: &WorldFile) -> u32 {
    world.limits.reply_tokens.max(1) as u32
}
