//! Combat archive: a fight is over. For its stage, for every hero, fallen ones included, and for
//! every foe that may be met again, a summary replaces it: the record by code, and the words of who
//! was asked what it keeps of the fight. Who is not asked keeps what it thought and said itself,
//! and the stage's account if it saw the end of the fight.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::Whereabouts;
use playhouse_engine::context::{AgentContext, Chapters, Entry};
use playhouse_engine::event::{EventWriter, PhraseError, Phrasebook, Prompt};
use playhouse_engine::exchange::{Ask, Prose};
use playhouse_engine::knowledge::FactBook;
use playhouse_engine::message::{Role, cut};
use serde::Serialize;

use super::day::{budget, most_at_rest};
use super::range::{EntryRange, fight_range, past_tokens, room};
use super::summary::{
    ClosedChapter, PendingSummary, SummaryData, entries, learned_and_felt, pending, spoken_lines,
    summary_ask,
};
use crate::campaign_phase::CampaignState;
use crate::combat::{CombatChoice, FinishedFight, REFLECTION_TAG};
use crate::components::{Foe, RpgWorld};
use crate::phase::{CurrentPlace, Phase};
use crate::world_file::FightSummary;

/// How much of what a fighter said in a fight it keeps in mind: sayings, and characters of each.
const MAX_SAID: usize = 3;
const SAID_CHARS: usize = 200;
/// How much of what it thought before the fight.
const THOUGHT_CHARS: usize = 300;

/// The question what an actor keeps of a fight.
#[derive(Serialize, Prompt)]
#[serde(transparent)]
#[prompt("asks/archive_combat", purpose = "archive.combat")]
pub(super) struct FightQuestion<'a>(pub(super) SummaryData<'a>);

/// What a fight is remembered by without asking.
#[derive(Serialize, Prompt)]
#[prompt("archive/fight")]
pub(super) struct FightWords<'a> {
    account: &'a str,
    thought: String,
    said: Vec<String>,
}

#[derive(Serialize, Prompt)]
#[prompt("archive/fight_title")]
pub(super) struct FightTitle<'a> {
    stage: &'a str,
}

/// Asks the characters who still stand what they keep of the fight, and replaces it at once for
/// everybody else who will remember it, and for those who are about to be asked about more.
pub(super) fn archive_combat(
    (world, campaign): (Res<RpgWorld>, Res<CampaignState>),
    facts: Res<FactBook>,
    whereabouts: Whereabouts,
    fights: Query<&FinishedFight>,
    foes: Query<&Foe>,
    minds: Query<(&AgentContext, &Chapters)>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(stage) = current.begin(Phase::Idle) else {
        return;
    };
    let Ok(fight) = fights.get(stage) else {
        return;
    };
    commands.entity(stage).remove::<FinishedFight>();
    let remembers = |entity: &Entity| {
        let returns = foes.get(*entity).is_ok_and(|foe| foe.returns);
        whereabouts.name(*entity).is_some_and(|name| {
            fight.heroes.contains(&name.0) || (fight.foes.contains(&name.0) && returns)
        })
    };
    let asks_minds = world.0.fights.summary == FightSummary::Mind;
    let fought = whereabouts.on_stage(stage).into_iter().filter(remembers);
    for entity in std::iter::once(stage).chain(fought) {
        let Ok(mind) = minds.get(entity) else {
            continue;
        };
        let Some(range) = range_of(mind.0, fight) else {
            continue;
        };
        let phrases = events.phrases();
        let is_standing = entity != stage && whereabouts.is_alive(entity);
        let account = if is_standing { &*fight.account } else { "" };
        let words = words_of(phrases, account, mind.0, range);
        let summary = pending_of(phrases, &world, fight, mind, range);
        let summary = summary.and_then(|summary| Ok((summary, words?)));
        if asks_minds && is_standing && !is_asked_soon(&world, &campaign, mind.0, range) {
            let question = summary.and_then(|(summary, words)| {
                let said = (mind.0, range, &*words);
                let question = question(phrases, &world, &facts, fight, &summary, said)?;
                Ok((question, summary))
            });
            if question.is_ok() {
                current.set_phase(Phase::Summarized);
            }
            events.insert_or_fault(&mut commands, entity, question);
            continue;
        }
        match summary {
            Ok((summary, words)) => {
                let stage = fight.outcome.stage.clone();
                let ClosedChapter { event, close } = summary.close(mind, stage, (words, None));
                events.close_chapter(entity, event, close);
            }
            Err(error) => events.fault(error.into()),
        }
    }
}

/// Whether somebody is asked about its past right after the fight, and so about the fight, too.
fn is_asked_soon(
    world: &RpgWorld,
    campaign: &CampaignState,
    context: &AgentContext,
    range: EntryRange,
) -> bool {
    let fight = entries(context, range).map(|entry| u64::from(entry.body().short_tokens()));
    let room = room(context, budget(world));
    past_tokens(context) - fight.sum::<u64>() > most_at_rest(campaign, room)
}

/// The messages of the fight. `None` if its tags are doubtful: then they stay as they are.
fn range_of(context: &AgentContext, fight: &FinishedFight) -> Option<EntryRange> {
    let range = fight_range(context, &fight.outcome.combat_id);
    if let Err(reason) = &range {
        let (entity, stage) = (context.name(), &fight.outcome.stage);
        tracing::warn!(%entity, "the fight at '{stage}' is not archived: {reason}");
    }
    range.ok()
}

/// What will replace the fight in a context.
fn pending_of(
    phrases: &Phrasebook,
    world: &RpgWorld,
    fight: &FinishedFight,
    (context, chapters): (&AgentContext, &Chapters),
    range: EntryRange,
) -> Result<PendingSummary, PhraseError> {
    let room = room(context, budget(world));
    let stage = &fight.outcome.stage;
    pending(phrases, (context, chapters), range, room, |record| {
        record.places = vec![stage.as_str().into()];
        record.with = companions(fight, context.name());
        phrases.fill(&FightTitle { stage })
    })
}

/// A fighter was there with its own side, the stage with both.
fn companions(fight: &FinishedFight, name: &Arc<str>) -> Vec<Arc<str>> {
    let sides = [&fight.heroes[..], &fight.foes[..]];
    let own_side = sides.into_iter().find(|side| side.contains(name));
    let there = own_side.map_or_else(|| sides.concat(), <[_]>::to_vec);
    there.into_iter().filter(|other| other != name).collect()
}

/// The question what an actor keeps of a fight. Its default answer is what it keeps without one.
fn question(
    phrases: &Phrasebook,
    world: &RpgWorld,
    facts: &FactBook,
    fight: &FinishedFight,
    summary: &PendingSummary,
    (context, range, words): (&AgentContext, EntryRange, &str),
) -> Result<Ask<Prose>, PhraseError> {
    let with: Vec<_> = summary
        .record
        .with
        .iter()
        .map(ToString::to_string)
        .collect();
    let (learned, felt) = learned_and_felt(&summary.record, facts);
    let data = SummaryData {
        me: context.name(),
        kind: "actor",
        place: &fight.outcome.stage,
        day: summary.record.days.1,
        with: &with,
        record: &summary.text,
        fights: vec![fight.outcome.stage.as_str().into()],
        said: spoken_lines(context, range),
        learned,
        felt,
        ..SummaryData::default()
    };
    summary_ask(phrases, &world.0, data, FightQuestion, words)
}

/// What a fight is remembered by without asking.
fn words_of(
    phrases: &Phrasebook,
    account: &str,
    context: &AgentContext,
    range: EntryRange,
) -> Result<String, PhraseError> {
    let data = FightWords {
        account,
        thought: thought_in(context, range),
        said: said_in(context, range),
    };
    Ok(phrases.fill(&data)?.trim().to_owned())
}

/// What an actor thought before the fight, if it was asked.
fn thought_in(context: &AgentContext, range: EntryRange) -> String {
    let mut entries = entries(context, range);
    let is_reflection = |entry: &Entry| {
        let tags = context.tags(entry.id());
        tags.is_some_and(|tags| tags.get(REFLECTION_TAG).is_some())
    };
    let was_asked = entries.any(is_reflection);
    let thought = entries
        .find(|entry| was_asked && entry.role() == Role::Ai)
        .map(|entry| cut(&entry.body().full_text(), THOUGHT_CHARS));
    thought.unwrap_or_default()
}

/// The last that an actor said in a fight, oldest first.
fn said_in(context: &AgentContext, range: EntryRange) -> Vec<String> {
    let newest_first = entries(context, range).rev();
    let own = newest_first.filter(|entry| entry.role() == Role::Ai);
    let said = own.filter_map(|entry| {
        let choice = serde_json::from_str::<CombatChoice>(&entry.body().full_text());
        Some(cut(choice.ok()?.say?.trim(), SAID_CHARS))
    });
    let mut said: Vec<_> = said.take(MAX_SAID).collect();
    said.reverse();
    said
}
