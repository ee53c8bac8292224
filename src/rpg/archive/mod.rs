//! What is over becomes a memory: a mind sums it up, and the summary takes the place of the rest.
//!
//! [`fight`] closes a fight for everybody who will remember it, [`day`] closes the past of whoever's
//! conversation has grown too long. Both ask for the summary as one more turn on the old prompt, and
//! cut only what [`range`] finds whole: a doubtful range is left as it is. The originals, the request
//! and its answer stay readable in a chapter. Start reading at `fight.rs`.

pub mod day;
pub mod fight;
pub mod range;
#[cfg(test)]
mod tests;

use bevy_ecs::prelude::*;
use serde_json::Value;

use super::combat::Aftermath;
use super::phase::{Part, Phase, at};
use super::world_file::WorldFile;
use crate::cast::CurrentStage;
use crate::context::{AgentContext, EntryId};
use crate::engine::Setup;
use crate::event::Phrasebook;
use crate::exchange::{Ask, Prose, ProseRules, Reply};
use crate::message::Role;

/// The phrases of the archive, with the variables each may use.
pub const PROMPTS: &[(&str, &[&str])] = &[
    (
        "asks/archive_fight",
        &[
            "kind", "place", "foes", "with", "outcome", "fallen", "gains",
        ],
    ),
    ("asks/archive_day", &["kind", "day", "must"]),
    (
        "fallback/archive_fight",
        &[
            "kind", "place", "foes", "with", "outcome", "fallen", "gains",
        ],
    ),
    ("fallback/archive_day", &["kind", "place", "day", "with"]),
    ("archive/outcome", &["result"]),
    ("archive/fight_title", &["stage"]),
    ("archive/day_title", &["day"]),
];

/// Adds the systems of this room.
pub fn plugin(setup: &mut Setup) {
    setup
        .saves()
        .component::<day::PendingSummary>("day_closing");
    let systems = (
        fight::take_fight_summaries
            .run_if(at(Phase::SummedUp))
            .run_if(after_a_fight),
        day::take_day_summaries
            .run_if(at(Phase::SummedUp))
            .run_if(not(after_a_fight)),
        fight::ask_fight_summaries
            .run_if(at(Phase::SumUp))
            .run_if(after_a_fight),
        day::ask_day_summaries
            .run_if(at(Phase::SumUp))
            .run_if(not(after_a_fight)),
    );
    setup
        .step
        .add_systems(systems.chain().in_set(Part::Archive));
}

/// A run condition: a fight on the place that steps is over and not summed up.
fn after_a_fight(here: Res<CurrentStage>, fights: Query<(), With<Aftermath>>) -> bool {
    matches!(*here, CurrentStage::Place(place) if fights.contains(place))
}

/// The question for a summary. Its fallback is made of the facts that must survive.
fn summary_ask(
    phrases: &Phrasebook,
    world: &WorldFile,
    phrase: &str,
    facts: Value,
    must: Vec<String>,
) -> Result<Ask<Prose>, String> {
    let prompt = phrases.say(&format!("asks/{phrase}"), &facts)?;
    let text = phrases.say(&format!("fallback/{phrase}"), &facts)?;
    let length = |text: &str| text.chars().count();
    let mut rules = ProseRules {
        max_chars: 2_000 + length(&text) + must.iter().map(|fact| 1 + length(fact)).sum::<usize>(),
        language: Some(world.language),
        must_hold: must,
    };
    let fallback = Prose(with_facts(text, &rules.must_hold));
    if !fallback.check(&rules).is_empty() {
        // Names of another script can outweigh the words around them.
        rules.language = None;
    }
    let ask = Ask::new("archive", prompt, rules, fallback);
    let tokens = world.limits.reply_tokens.max(1) as u32;
    Ok(ask.notes(facts).max_tokens(tokens).without_tools())
}

/// The text, with the facts that a changed template may have left out.
fn with_facts(mut text: String, must: &[String]) -> String {
    for fact in must {
        if !text.contains(fact.as_str()) {
            text.push('\n');
            text.push_str(fact);
        }
    }
    text
}

/// The last question and its answer, which are the summing-up when a summary is taken.
fn last_exchange(context: &AgentContext) -> Option<(EntryId, EntryId)> {
    match context.entries() {
        [.., asked, answered] if asked.role() == Role::Human && answered.role() == Role::Ai => {
            Some((asked.id(), answered.id()))
        }
        _ => None,
    }
}
