//! A fight is over: everybody who will remember it summarizes it, and the summary replaces it. The
//! stage has told it already, so its account is its summary.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::Serialize;

use super::day::budget;
use super::range::{fight_range, fight_so_far, room};
use super::summary::{PendingSummary, close_chapter, pending, summary_ask};
use crate::cast::{EntityName, Whereabouts};
use crate::context::{AgentContext, Chapters, Level, Note, Record};
use crate::event::{AgentEvent, EventWriter, PhraseError, Phrasebook, PromptSet, PromptTemplate};
use crate::exchange::{Answers, AskTemplate, Prose};
use crate::knowledge::Today;
use crate::rpg::combat::FinishedFight;
use crate::rpg::components::{FightResult, Foe, RpgWorld};
use crate::rpg::phase::{CurrentPlace, Phase};

const QUESTION: AskTemplate<FightData> = AskTemplate::new("archive", "asks/archive_fight");
const TITLE: PromptTemplate<TitleData> = PromptTemplate::new("archive/fight_title");

/// What somebody is asked for a summary of a fight with.
#[derive(Default, Serialize)]
struct FightData<'a> {
    me: &'a str,
    kind: &'a str,
    place: &'a str,
    what: &'a str,
    level: Level,
    foes: Vec<&'a str>,
    with: Vec<&'a str>,
    result: &'a str,
    fallen: Vec<&'a str>,
    gains: Vec<&'a str>,
    record: &'a str,
    // Empty, since the notes of all summaries have the same fields.
    day: u32,
    said: [&'a str; 0],
}

#[derive(Default, Serialize)]
struct TitleData<'a> {
    stage: &'a str,
}

/// Adds the templates of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    QUESTION.add_to(prompts);
    prompts.add(&TITLE);
}

/// Asks every hero, fallen ones included, and every foe that may be met again.
pub(super) fn ask_fight_summaries(
    world: Res<RpgWorld>,
    today: Res<Today>,
    whereabouts: Whereabouts,
    fights: Query<&FinishedFight>,
    foes: Query<&Foe>,
    minds: Query<(&AgentContext, &Chapters)>,
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
        let (Some(EntityName(name)), Ok(mind)) = (whereabouts.name(entity), minds.get(entity))
        else {
            continue;
        };
        if !remembers(entity, name) {
            continue;
        }
        let Some(range) = fight_so_far(mind.0, &fight.outcome.combat_id) else {
            continue;
        };
        let phrases = events.phrases();
        let data = seen_by_fighter(fight, name);
        let with: Vec<_> = data.with.iter().map(|name| (*name).into()).collect();
        // The outcome is delivered after this step.
        let outcome = fight.outcome.happening().map(|happening| Note {
            entry: range.end,
            day: today.0,
            place: fight.outcome.stage.as_str().into(),
            happening,
        });
        let room = room(mind.0, budget(&world));
        let pending = pending(phrases, mind, range, room, |record| {
            record.notes.extend(outcome);
            describe(phrases, record, fight, with)
        });
        let bundle = pending.and_then(|pending| {
            let record = pending.text.as_str();
            let data = FightData { record, ..data };
            let ask = summary_ask(phrases, &world.0, &QUESTION, &data, &pending.text)?;
            Ok((ask, pending))
        });
        events.insert_or_fault(&mut commands, entity, bundle);
    }
}

/// Completes the record of a fight, and returns its title.
fn describe(
    phrases: &Phrasebook,
    record: &mut Record,
    fight: &FinishedFight,
    with: Vec<Arc<str>>,
) -> Result<String, PhraseError> {
    let stage = &fight.outcome.stage;
    record.places = vec![stage.as_str().into()];
    record.with = with;
    phrases.render(&TITLE, &TitleData { stage })
}

/// What a fight will be replaced with in a context. `None` if its tags are doubtful: then it stays
/// as it is.
fn whole_fight(
    phrases: &Phrasebook,
    world: &RpgWorld,
    fight: &FinishedFight,
    (context, chapters): (&AgentContext, &Chapters),
    with: Vec<Arc<str>>,
) -> Option<Result<PendingSummary, PhraseError>> {
    let range = match fight_range(context, &fight.outcome.combat_id) {
        Ok(range) => range,
        Err(reason) => {
            let (entity, stage) = (context.name(), &fight.outcome.stage);
            tracing::warn!(%entity, "the fight at '{stage}' is not archived: {reason}");
            return None;
        }
    };
    let room = room(context, budget(world));
    let complete = |record: &mut Record| describe(phrases, record, fight, with);
    Some(pending(phrases, (context, chapters), range, room, complete))
}

/// Replaces what was summarized. A stage remembers a fight as it told it.
pub(super) fn take_summaries(
    world: Res<RpgWorld>,
    mut answers: Answers<Prose>,
    whereabouts: Whereabouts,
    fights: Query<&FinishedFight>,
    minds: Query<(&AgentContext, &Chapters, Option<&PendingSummary>)>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(place) = current.entity() else {
        return;
    };
    current.set_phase(Phase::Idle);
    let name = whereabouts.name_text(place);
    let fight = fights.get(place).ok();
    let mut closing = Vec::new();
    if let Some(fight) = fight {
        let with = fight.heroes.iter().chain(&fight.foes).cloned().collect();
        closing.push((place, fight.account.clone(), with, false));
        commands.entity(place).remove::<FinishedFight>();
    }
    for (entity, Prose(mut words), _by) in answers.take() {
        let Ok((_, _, Some(pending))) = minds.get(entity) else {
            continue;
        };
        // Whoever has no words of its own has the record.
        if words == pending.text {
            words.clear();
        }
        closing.push((entity, words, pending.record.with.clone(), true));
        commands.entity(entity).remove::<PendingSummary>();
    }
    for (entity, words, with, was_asked) in closing {
        let Ok((context, chapters, pending)) = minds.get(entity) else {
            continue;
        };
        let pending = match fight {
            Some(fight) => {
                let mind = (context, chapters);
                whole_fight(events.phrases(), &world, fight, mind, with).transpose()
            }
            None => Ok(pending.cloned()),
        };
        match pending {
            Ok(Some(pending)) => {
                let summing_up = context.last_exchange().filter(|_| was_asked);
                let mind = (entity, context, chapters);
                close_chapter(
                    &mut events,
                    mind,
                    name.clone(),
                    pending,
                    (words, summing_up),
                );
            }
            Ok(None) => {}
            Err(error) => events.fault(error.into()),
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
        result: match outcome.result {
            FightResult::Drawn => "",
            _ => result_name(outcome.result, is_hero),
        },
        fallen: fallen.iter().map(String::as_str).filter(others).collect(),
        gains: gains.iter().map(|gain| bare(gain)).collect(),
        ..FightData::default()
    }
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
