//! A fight is over: everybody who will remember it summarizes it, and the summary replaces it.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::Serialize;

use super::range::fight_range;
use super::summary::{close_chapter, summary_ask};
use crate::cast::{EntityName, Whereabouts};
use crate::context::{AgentContext, Chapters};
use crate::event::{EventWriter, PhraseError, Phrasebook, PromptSet, PromptTemplate};
use crate::exchange::{Answers, Ask, AskTemplate, Prose};
use crate::rpg::combat::FinishedFight;
use crate::rpg::components::{FightResult, Foe, RpgWorld};
use crate::rpg::phase::{CurrentPlace, Phase};
use crate::rpg::world_file::WorldFile;

const QUESTION: AskTemplate<FightData> = AskTemplate::new("archive", "asks/archive_fight");
const FALLBACK: PromptTemplate<FightData> = PromptTemplate::new("fallback/archive_fight");
const OUTCOME: PromptTemplate<OutcomeData> = PromptTemplate::new("archive/outcome");
const TITLE: PromptTemplate<TitleData> = PromptTemplate::new("archive/fight_title");

/// What somebody is asked for a summary of a fight with.
#[derive(Default, Serialize)]
struct FightData<'a> {
    me: &'a str,
    kind: &'a str,
    place: &'a str,
    what: &'a str,
    foes: Vec<&'a str>,
    with: Vec<&'a str>,
    result: &'a str,
    outcome: &'a str,
    fallen: Vec<&'a str>,
    gains: Vec<&'a str>,
    must: &'a [String],
    // Empty, since the notes of all summaries have the same fields.
    day: u32,
    said: [&'a str; 0],
}

#[derive(Default, Serialize)]
struct OutcomeData<'a> {
    result: &'a str,
}

#[derive(Default, Serialize)]
struct TitleData<'a> {
    stage: &'a str,
}

/// Adds the templates of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    QUESTION.add_to(prompts);
    prompts.add(&FALLBACK).add(&OUTCOME).add(&TITLE);
}

/// Asks the stage, every hero, fallen ones included, and every foe that may be met again.
pub(super) fn ask_fight_summaries(
    world: Res<RpgWorld>,
    whereabouts: Whereabouts,
    fights: Query<&FinishedFight>,
    foes: Query<&Foe>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(stage) = current.entity() else {
        return;
    };
    let Ok(fight) = fights.get(stage) else {
        return;
    };
    current.set_phase(Phase::Summarized);
    let remembers = |entity: Entity, name: &Arc<str>| {
        let returns = foes.get(entity).is_ok_and(|foe| foe.returns);
        fight.heroes.contains(name) || (fight.foes.contains(name) && returns)
    };
    for entity in std::iter::once(stage).chain(whereabouts.on_stage(stage)) {
        let Some(EntityName(name)) = whereabouts.name(entity) else {
            continue;
        };
        let data = if entity == stage {
            seen_by_stage(fight, name)
        } else if remembers(entity, name) {
            seen_by_fighter(fight, name)
        } else {
            continue;
        };
        let ask = fight_ask(events.phrases(), &world.0, data);
        events.insert_or_fault(&mut commands, entity, ask);
    }
}

/// Replaces the fight with its summaries. A fight whose tags are doubtful stays as it is, and so
/// does the summary after it.
pub(super) fn take_fight_summaries(
    mut answers: Answers<Prose>,
    fights: Query<&FinishedFight>,
    minds: Query<(&AgentContext, &Chapters)>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(stage) = current.entity() else {
        return;
    };
    let Ok(FinishedFight { outcome, .. }) = fights.get(stage) else {
        return;
    };
    current.set_phase(Phase::Idle);
    commands.entity(stage).remove::<FinishedFight>();
    let stage = &outcome.stage;
    let title = events.phrases().render(&TITLE, &TitleData { stage });
    let title = title.unwrap_or_else(|error| {
        events.fault(error.into());
        stage.clone()
    });
    for (entity, Prose(summary), _by) in answers.take() {
        let Ok((context, chapters)) = minds.get(entity) else {
            continue;
        };
        match fight_range(context, &outcome.combat_id) {
            Ok(range) => close_chapter(
                &mut events,
                (entity, context, chapters),
                range,
                stage.clone(),
                title.clone(),
                summary,
            ),
            Err(reason) => {
                tracing::warn!(entity = %context.name(), "'{title}' is not archived: {reason}");
            }
        }
    }
}

/// The stage saw everything, and tells it as the party's fight.
fn seen_by_stage<'a>(fight: &'a FinishedFight, name: &'a str) -> FightData<'a> {
    let outcome = &fight.outcome;
    FightData {
        me: name,
        kind: "stage",
        place: &outcome.stage,
        what: "fight",
        foes: fight.foes.iter().map(|name| &**name).collect(),
        with: fight.heroes.iter().map(|name| &**name).collect(),
        result: result_name(outcome.result, true),
        fallen: outcome.fallen.iter().map(String::as_str).collect(),
        gains: outcome.gains.iter().map(|gain| bare(gain)).collect(),
        ..FightData::default()
    }
}

/// A fighter remembers the fight from its own side.
fn seen_by_fighter<'a>(fight: &'a FinishedFight, me: &'a Arc<str>) -> FightData<'a> {
    let outcome = &fight.outcome;
    let is_hero = fight.heroes.contains(me);
    let (ours, theirs, fallen) = if is_hero {
        (&fight.heroes, &fight.foes, &outcome.fallen)
    } else {
        (&fight.foes, &fight.heroes, &outcome.felled)
    };
    let gains: &[String] = if is_hero { &outcome.gains } else { &[] };
    let others = |name: &&str| *name != &**me;
    FightData {
        me,
        kind: "actor",
        place: &outcome.stage,
        what: "fight",
        foes: theirs.iter().map(|name| &**name).collect(),
        with: ours.iter().map(|name| &**name).filter(others).collect(),
        result: result_name(outcome.result, is_hero),
        fallen: fallen.iter().map(String::as_str).filter(others).collect(),
        gains: gains.iter().map(|gain| bare(gain)).collect(),
        ..FightData::default()
    }
}

/// The question for a summary, which must contain the foes, the outcome, the fallen and the gains.
fn fight_ask(
    phrases: &Phrasebook,
    world: &WorldFile,
    data: FightData,
) -> Result<Ask<Prose>, PhraseError> {
    let result = data.result;
    let outcome = phrases.render(&OUTCOME, &OutcomeData { result })?;
    let facts = data.foes.iter().copied().chain([outcome.as_str()]);
    let facts = facts.chain(data.fallen.iter().copied());
    let facts = facts.chain(data.gains.iter().copied());
    let must: Vec<_> = facts.map(String::from).collect();
    let data = FightData {
        result: if result == "drawn" { "" } else { result },
        outcome: &outcome,
        must: &must,
        ..data
    };
    summary_ask(phrases, world, (&QUESTION, &FALLBACK), &data, must.clone())
}

/// What prompts call the result of a fight, from the party's point of view or its foes'.
fn result_name(result: FightResult, for_party: bool) -> &'static str {
    match (result, for_party) {
        (FightResult::Drawn, _) => "drawn",
        (FightResult::Won, true) | (FightResult::Lost, false) => "won",
        (FightResult::Won, false) | (FightResult::Lost, true) => "lost",
    }
}

/// A gain without its full stop, so that it fits into a sentence.
fn bare(gain: &str) -> &str {
    gain.trim_end_matches(['.', '。', '！', '!', ' '])
}
