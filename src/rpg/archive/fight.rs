//! A fight is over: everybody who will remember it summarizes it, and the summary replaces it. The
//! stage has told it already, so its account is its summary.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::Serialize;

use super::range::fight_range;
use super::summary::{close_chapter, summary_ask};
use crate::cast::{EntityName, Whereabouts};
use crate::context::{AgentContext, Chapters};
use crate::event::{AgentEvent, EventWriter, PhraseError, Phrasebook, PromptSet, PromptTemplate};
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

/// Asks every hero, fallen ones included, and every foe that may be met again.
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
    for entity in whereabouts.on_stage(stage) {
        let Some(EntityName(name)) = whereabouts.name(entity) else {
            continue;
        };
        if !remembers(entity, name) {
            continue;
        }
        let ask = fight_ask(events.phrases(), &world.0, seen_by_fighter(fight, name));
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
    let Ok(FinishedFight {
        outcome, account, ..
    }) = fights.get(stage)
    else {
        return;
    };
    current.set_phase(Phase::Idle);
    commands.entity(stage).remove::<FinishedFight>();
    let answers = answers.take().into_iter();
    let mut summaries: Vec<_> = answers
        .map(|(entity, Prose(summary), _by)| (entity, summary, true))
        .collect();
    let told = serde_json::to_value(outcome).map_err(PhraseError::from);
    match told.and_then(|data| outcome.text(events.phrases(), &data)) {
        Ok(told) => summaries.insert(0, (stage, format!("{told}\n{account}"), false)),
        Err(error) => events.fault(error.into()),
    }
    let stage = &outcome.stage;
    let title = events.phrases().render(&TITLE, &TitleData { stage });
    let title = title.unwrap_or_else(|error| {
        events.fault(error.into());
        stage.clone()
    });
    for (entity, summary, was_asked) in summaries {
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
                (summary, context.last_exchange().filter(|_| was_asked)),
            ),
            Err(reason) => {
                tracing::warn!(entity = %context.name(), "'{title}' is not archived: {reason}");
            }
        }
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
