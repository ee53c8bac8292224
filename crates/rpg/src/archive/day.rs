//! Conversations that have grown too long: what is oldest in them becomes a chapter, chapters
//! become a volume, volumes a life.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, EntityName, Kind, Whereabouts, all_of};
use playhouse_engine::context::{AgentContext, Chapter, ChapterId, Chapters, Entry, Level};
use playhouse_engine::event::kinds::Archive;
use playhouse_engine::event::{AgentEvent, EventWriter, Prompt};
use playhouse_engine::exchange::{Answers, Prose};
use playhouse_engine::knowledge::FactBook;
use playhouse_engine::message::{Role, cut};
use playhouse_story::NextFold;
use serde::Serialize;

use super::range::{EntryRange, past_to_fold, past_tokens, room};
use super::summary::{
    ClosedChapter, PendingSummary, SummaryData, entries, learned_and_felt, pending, spoken_lines,
    summary_ask,
};
use crate::campaign_phase::CampaignState;
use crate::components::RpgWorld;
use crate::conversation::event_type;
use crate::everybody::{living_on, set_phase};
use crate::happening::Happening;
use crate::kickoff::kind_name;
use crate::phase::{CurrentPlace, Phase};

/// The maximum number of people that a question names.
const MAX_PEOPLE: usize = 4;
/// The maximum number of characters of a message by which a question names it.
const NAMING_CHARS: usize = 90;

/// The question what an entity remembers of its past.
#[derive(Serialize, Prompt)]
#[serde(transparent)]
#[prompt("asks/archive_day", purpose = "archive")]
pub(super) struct DayQuestion<'a>(pub(super) SummaryData<'a>);

#[derive(Serialize, Prompt)]
#[prompt("archive/day_title")]
pub(super) struct DayTitle {
    from: u32,
    to: u32,
    level: Level,
}

/// The budget of each entity's prompt in tokens.
pub(crate) fn budget(world: &RpgWorld) -> u64 {
    world.0.limits.prompt_tokens()
}

/// The tokens that a fight may take, which is archived only when it is over.
const FIGHT_TOKENS: u64 = 2_400;

/// Begins to archive wherever an actor's conversation takes most of its room. Where a fight may
/// come next, there must be room for it. Returns whether anybody's does.
pub(crate) fn archive_overdue(world: &mut World, before_fight: bool) -> bool {
    let budget = budget(world.resource::<RpgWorld>());
    let is_overdue = |world: &World, entity: Entity| {
        let mind = world.get::<AgentContext>(entity);
        let Some((context, chapters)) = mind.zip(world.get::<Chapters>(entity)) else {
            return false;
        };
        let room = room(context, budget);
        let most = if before_fight {
            most_before_fight(room)
        } else {
            room * 4 / 5
        };
        past_tokens(context) > most && past_to_fold(context, chapters, room).is_some()
    };
    let mut places = all_of(world, Kind::Stage);
    places.extend(all_of(world, Kind::WorldAgent));
    places.retain(|place| {
        let mut minds = std::iter::once(*place).chain(living_on(world, *place));
        minds.any(|entity| is_overdue(world, entity))
    });
    for place in &places {
        set_phase(world, *place, Phase::Summarize);
    }
    !places.is_empty()
}

/// What of a conversation will be archived next; `None` if nothing can become shorter.
pub fn next_archive(context: &AgentContext, chapters: &Chapters, budget: u64) -> Option<NextFold> {
    let room = room(context, budget);
    let range = past_to_fold(context, chapters, room)?;
    Some(NextFold {
        messages: (range.begin, range.end),
        past: past_tokens(context),
        most: room * 4 / 5,
    })
}

/// How many tokens of its room a conversation may take when a part of the story ends.
pub(super) fn most_at_rest(campaign: &CampaignState, room: u64) -> u64 {
    let most = room * 2 / 3;
    if campaign.phase.may_meet_foes() {
        most.min(most_before_fight(room))
    } else {
        most
    }
}

/// How many tokens of its room a conversation may take before a fight.
fn most_before_fight(room: u64) -> u64 {
    let without = room.saturating_sub(FIGHT_TOKENS);
    without.clamp(room / 2, room * 4 / 5)
}

/// Asks those here whose conversations take two thirds of their room, or leave too little for a
/// fight that may come. Each is asked once, for all that is archived now; a place where nobody is
/// keeps the record alone.
pub(super) fn ask_summaries(
    (world, campaign): (Res<RpgWorld>, Res<CampaignState>),
    (list, facts): (Res<CastList>, Res<FactBook>),
    whereabouts: Whereabouts,
    minds: Query<(&AgentContext, &Chapters)>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(place) = current.entity() else {
        return;
    };
    let budget = budget(&world);
    let mut next = Phase::Idle;
    let living = whereabouts.living_on(place);
    let is_in_use = !living.is_empty() || whereabouts.kind(place) == Some(Kind::WorldAgent);
    let stage = place;
    for entity in std::iter::once(place).chain(living) {
        let (Ok((context, chapters)), Some(kind)) = (minds.get(entity), whereabouts.kind(entity))
        else {
            continue;
        };
        let room = room(context, budget);
        if past_tokens(context) <= most_at_rest(&campaign, room) {
            continue;
        }
        let past = past_to_fold(context, chapters, room);
        let Some((past, EntityName(place))) = past.zip(whereabouts.name(place)) else {
            continue;
        };
        let is_person = |name: &String| {
            let entity = list.by_name(name);
            entity.and_then(|entity| whereabouts.kind(entity)) == Some(Kind::Actor)
        };
        let mut with = people(context, past);
        with.retain(is_person);
        let phrases = events.phrases();
        let pending = pending(phrases, (context, chapters), past, room, |record| {
            record.with = with.iter().map(|name| name.as_str().into()).collect();
            if kind == Kind::Actor && record.places.is_empty() {
                record.places.push(place.clone());
            }
            let ((from, to), level) = (record.days, record.level);
            phrases.fill(&DayTitle { from, to, level })
        });
        if entity == stage && !is_in_use {
            let place = place.to_string();
            match pending {
                Ok(pending) => {
                    let words = (String::new(), None);
                    let ClosedChapter { event, close } =
                        pending.close((context, chapters), place, words);
                    events.close_chapter(entity, event, close);
                }
                Err(error) => events.fault(error.into()),
            }
            continue;
        }
        with.truncate(MAX_PEOPLE);
        let bundle = pending.and_then(|pending| {
            let (learned, felt) = learned_and_felt(&pending.record, &facts);
            let data = SummaryData {
                me: context.name(),
                kind: kind_name(kind),
                place: if kind == Kind::WorldAgent { "" } else { place },
                level: pending.record.level,
                day: pending.record.days.1,
                with: &with,
                record: &pending.text,
                begins: beginning(context, past),
                until: first_kept(context, past),
                fights: match kind {
                    Kind::Actor => fights(context, chapters, past),
                    _ => Vec::new(),
                },
                said: spoken_lines(context, past),
                learned,
                felt,
            };
            let ask = summary_ask(phrases, &world.0, data, DayQuestion, &pending.text)?;
            Ok((ask, pending))
        });
        if bundle.is_ok() {
            next = Phase::Summarized;
        }
        events.insert_or_fault(&mut commands, entity, bundle);
    }
    current.set_phase(next);
}

/// Replaces what was summed up.
pub(super) fn take_summaries(
    mut answers: Answers<Prose>,
    whereabouts: Whereabouts,
    minds: Query<(&AgentContext, &Chapters, &PendingSummary)>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(place) = current.begin(Phase::Idle) else {
        return;
    };
    for (entity, Prose(mut words), _by) in answers.take() {
        let Ok((context, chapters, pending)) = minds.get(entity) else {
            continue;
        };
        // Without words of its own, the owner has the record.
        if words == pending.text {
            words.clear();
        }
        let stage = whereabouts.name_text(place);
        let words = (words, context.last_exchange());
        let closing = pending.clone().close((context, chapters), stage, words);
        events.close_chapter(entity, closing.event, closing.close);
        commands.entity(entity).remove::<PendingSummary>();
    }
}

/// By what the first message of a range is known, if something but the rules stands before it.
fn beginning(context: &AgentContext, range: EntryRange) -> String {
    let is_older = |entry: &Entry| entry.role() != Role::System && entry.id() < range.begin;
    let has_older = context.entries().iter().any(is_older);
    known_by(entries(context, range).filter(|_| has_older))
}

/// By what the first message after a range is known, if something happened after it.
fn first_kept(context: &AgentContext, range: EntryRange) -> String {
    let kept = context.entries().iter();
    known_by(kept.filter(|entry| entry.id() > range.end))
}

/// The beginning of the first of these messages that tells what happened and is not a memory.
fn known_by<'a>(mut entries: impl Iterator<Item = &'a Entry>) -> String {
    let is_news = |entry: &&Entry| event_type(entry).is_some_and(|kind| kind != Archive::TYPE);
    let happened = entries.find(is_news);
    let beginning = happened.map(|entry| cut(&entry.body().short_text(), NAMING_CHARS));
    beginning.unwrap_or_default()
}

/// The places of the fights in a range, whose memories go into the new one, and of one right before
/// it that was archived without asking.
fn fights(context: &AgentContext, chapters: &Chapters, range: EntryRange) -> Vec<Arc<str>> {
    let mut newest_first = context.entries().iter().rev();
    let before = newest_first.find(|entry| entry.id() < range.begin);
    let chapter_of = |entry: &Entry| {
        let id = context.tags(entry.id())?.text("chapter")?;
        chapters.get(&ChapterId(id.into()))
    };
    let place_of = |chapter: &Chapter| {
        let notes = chapter.record.iter().flat_map(|record| &record.notes);
        let mut places = notes.filter_map(|note| match note.happening.read() {
            Some(Happening::Fight(fight)) => Some(fight.place),
            _ => None,
        });
        places.next()
    };
    let before = before.and_then(chapter_of);
    let unasked = before.filter(|chapter| chapter.summing_up.is_empty());
    let within = entries(context, range).filter_map(chapter_of);
    unasked
        .into_iter()
        .chain(within)
        .filter_map(place_of)
        .collect()
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
    people.into_iter().map(|(name, _)| name.into()).collect()
}
