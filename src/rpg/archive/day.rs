//! A day at home is over: those whose conversations have grown too long summarize their past.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use super::range::{EntryRange, past_to_fold};
use super::summary::{close_chapter, summary_ask};
use crate::cast::{CastList, EntityName, Kind, Whereabouts};
use crate::context::{AgentContext, Chapters, Entry, EntryId};
use crate::event::{EventWriter, PromptSet, PromptTemplate};
use crate::exchange::{Answers, AskTemplate, Prose};
use crate::message::Role;
use crate::rpg::components::RpgWorld;
use crate::rpg::conversation::{SpokenLine, is_speech};
use crate::rpg::kickoff::kind_name;
use crate::rpg::phase::{CurrentPlace, Phase};

/// The maximum number of people that a summary must name.
const MAX_PEOPLE: usize = 4;
/// The maximum number of spoken lines that the notes quote.
const MAX_LINES: usize = 8;

const QUESTION: AskTemplate<DayData> = AskTemplate::new("archive", "asks/archive_day");
const FALLBACK: PromptTemplate<DayData> = PromptTemplate::new("fallback/archive_day");
const TITLE: PromptTemplate<TitleData> = PromptTemplate::new("archive/day_title");

/// What somebody is asked for a summary of its days with.
#[derive(Default, Serialize)]
struct DayData<'a> {
    me: &'a str,
    kind: &'a str,
    place: &'a str,
    what: &'a str,
    day: u32,
    with: &'a [String],
    must: &'a [String],
    said: Vec<SpokenLine>,
    // Empty, since the notes of all summaries have the same fields.
    foes: [&'a str; 0],
    result: &'a str,
    fallen: [&'a str; 0],
    gains: [&'a str; 0],
}

#[derive(Default, Serialize)]
struct TitleData {
    day: u32,
}

/// Adds the templates of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    QUESTION.add_to(prompts);
    prompts.add(&FALLBACK).add(&TITLE);
}

/// On an entity that is asked for a summary: what the summary will replace.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PendingSummary {
    /// The first message of the range.
    begin: EntryId,
    /// The last message of the range.
    end: EntryId,
    /// The title of the chapter.
    title: String,
}

/// Asks those here whose conversations have passed their limit of tokens.
pub(super) fn ask_day_summaries(
    world: Res<RpgWorld>,
    list: Res<CastList>,
    whereabouts: Whereabouts,
    contexts: Query<&AgentContext>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(place) = current.entity() else {
        return;
    };
    let limit = world.0.limits.context_tokens.max(0) as u64;
    let mut next = Phase::Idle;
    for entity in std::iter::once(place).chain(whereabouts.living_on(place)) {
        let (Ok(context), Some(kind)) = (contexts.get(entity), whereabouts.kind(entity)) else {
            continue;
        };
        if context.tokens() <= limit {
            continue;
        }
        let past = past_to_fold(context, limit / 8);
        let (Some(past), Some(EntityName(place))) = (past, whereabouts.name(place)) else {
            continue;
        };
        let mut with = people(context, past);
        let is_person = |name: &String| {
            let entity = list.by_name(name);
            entity.and_then(|entity| whereabouts.kind(entity)) == Some(Kind::Actor)
        };
        with.retain(is_person);
        let mut must = with.clone();
        if kind == Kind::Actor {
            must.insert(0, place.to_string());
        }
        let data = DayData {
            me: context.name(),
            kind: kind_name(kind),
            place: if kind == Kind::WorldAgent { "" } else { place },
            what: "day",
            day: last_day(context, past),
            with: &with,
            must: &must,
            said: spoken_lines(context, past),
            ..DayData::default()
        };
        let (phrases, templates) = (events.phrases(), (&QUESTION, &FALLBACK));
        let ask = summary_ask(phrases, &world.0, templates, &data, must.clone());
        let title = phrases.render(&TITLE, &TitleData { day: data.day });
        let EntryRange { begin, end } = past;
        let bundle =
            ask.and_then(|ask| title.map(|title| (ask, PendingSummary { begin, end, title })));
        if bundle.is_ok() {
            next = Phase::Summarized;
        }
        events.insert_or_fault(&mut commands, entity, bundle);
    }
    current.set_phase(next);
}

/// Replaces the past with its summaries.
pub(super) fn take_day_summaries(
    mut answers: Answers<Prose>,
    whereabouts: Whereabouts,
    minds: Query<(&AgentContext, &Chapters, &PendingSummary)>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(place) = current.entity() else {
        return;
    };
    for (entity, Prose(summary), _by) in answers.take() {
        let Ok((context, chapters, pending)) = minds.get(entity) else {
            continue;
        };
        let PendingSummary { begin, end, title } = pending.clone();
        close_chapter(
            &mut events,
            (entity, context, chapters),
            EntryRange { begin, end },
            whereabouts.name_text(place),
            title,
            (summary, context.last_exchange()),
        );
        commands.entity(entity).remove::<PendingSummary>();
    }
    current.set_phase(Phase::Idle);
}

/// The messages of a range.
fn entries(context: &AgentContext, range: EntryRange) -> impl DoubleEndedIterator<Item = &Entry> {
    let entries = context.entries().iter();
    entries.filter(move |entry| range.contains(entry.id()))
}

/// The last day that a range mentions; 0 if it mentions none.
fn last_day(context: &AgentContext, range: EntryRange) -> u32 {
    let mut newest_first = entries(context, range).rev();
    let day = newest_first.find_map(|entry| {
        let tags = context.tags(entry.id())?;
        let day = tags.text("day_end").or(tags.text("day_begin"));
        day?.parse().ok()
    });
    day.unwrap_or(0)
}

/// The other people with most messages in a range.
fn people(context: &AgentContext, range: EntryRange) -> Vec<String> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let heard = entries(context, range).filter(|entry| entry.role() == Role::Human);
    let senders = heard.filter_map(|entry| entry.body().sender());
    for sender in senders.filter(|sender| *sender != context.name()) {
        *counts.entry(sender).or_default() += 1;
    }
    let mut people: Vec<_> = counts.into_iter().collect();
    people.sort_by_key(|(name, count)| (Reverse(*count), *name));
    people.truncate(MAX_PEOPLE);
    people.into_iter().map(|(name, _)| name.into()).collect()
}

/// The last lines that were spoken in a range, oldest first.
fn spoken_lines(context: &AgentContext, range: EntryRange) -> Vec<SpokenLine> {
    let newest_first = entries(context, range).rev();
    let speech = newest_first.filter(|entry| is_speech(entry));
    let mut lines: Vec<_> = speech
        .take(MAX_LINES)
        .map(|entry| SpokenLine::new(entry, entry.body().short_text()))
        .collect();
    lines.reverse();
    lines
}
