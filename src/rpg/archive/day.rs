//! A day at home is over: whoever's conversation has grown too long sums up its past.

use std::collections::BTreeMap;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::range::{Past, past_of};
use super::{last_exchange, summary_ask};
use crate::cast::{CurrentStage, EntityName, Kind, Whereabouts};
use crate::context::{AgentContext, Chapters, Entry, EntryId};
use crate::event::kinds::Archive;
use crate::event::{ChapterClose as Chapter, EventWriter, Fault};
use crate::exchange::{Answers, Prose};
use crate::message::Role;
use crate::rpg::components::RpgWorld;
use crate::rpg::kickoff::kind_word;
use crate::rpg::phase::Phase;

/// The most people that a summary must name.
const PEOPLE: usize = 4;
/// The most lines of speech that the notes quote.
const LINES: usize = 8;

/// On an entity that is asked to sum up: what the summary will stand for.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PendingSummary {
    /// The first message of the range.
    pub begin: EntryId,
    /// The last message of the range.
    pub end: EntryId,
    /// What the chapter will be called.
    pub title: String,
}

/// Asks those here whose conversation has passed its limit of tokens; the others keep theirs.
pub fn ask_day_summaries(
    here: Res<CurrentStage>,
    world: Res<RpgWorld>,
    whereabouts: Whereabouts,
    contexts: Query<&AgentContext>,
    mut phases: Query<&mut Phase>,
    mut tell: EventWriter,
    mut commands: Commands,
) {
    let CurrentStage::Place(place) = *here else {
        return;
    };
    let limit = world.0.limits.context_tokens.max(0) as u64;
    let mut asked = false;
    for entity in std::iter::once(place).chain(whereabouts.living_on(place)) {
        let (Ok(context), Some(kind)) = (contexts.get(entity), whereabouts.kind(entity)) else {
            continue;
        };
        let too_long = context.tokens() > limit;
        let past = too_long.then(|| past_of(context, limit / 8)).flatten();
        let (Some(past), Some(EntityName(place))) = (past, whereabouts.name(place)) else {
            continue;
        };
        let day = day_of(context, past);
        let (facts, must) = facts(context, kind, place, past, day);
        let phrases = tell.phrases();
        let ask = summary_ask(phrases, &world.0, "archive_day", facts, must);
        let title = phrases.say("archive/day_title", &json!({"day": day}));
        match ask.and_then(|ask| Ok((ask, title?))) {
            Ok((ask, title)) => {
                let Past { begin, end } = past;
                let closing = PendingSummary { begin, end, title };
                commands.entity(entity).insert((ask, closing));
                asked = true;
            }
            Err(reason) => tell.fault(Fault::Game(reason)),
        }
    }
    if let Ok(mut phase) = phases.get_mut(place) {
        *phase = if asked { Phase::SummedUp } else { Phase::Rest };
    }
}

/// Puts each summary in the place of the past it stands for.
pub fn take_day_summaries(
    here: Res<CurrentStage>,
    mut answers: Answers<Prose>,
    whereabouts: Whereabouts,
    minds: Query<(&AgentContext, &Chapters, &PendingSummary)>,
    mut phases: Query<&mut Phase>,
    mut tell: EventWriter,
    mut commands: Commands,
) {
    let CurrentStage::Place(place) = *here else {
        return;
    };
    for (entity, Prose(summary), _by) in answers.take() {
        let Ok((context, chapters, closing)) = minds.get(entity) else {
            continue;
        };
        let stage = whereabouts.name(place).map(ToString::to_string);
        let event = Archive {
            actor: context.name().to_string(),
            stage: stage.unwrap_or_default(),
            chapter: chapters.next_id(context.name()).to_string(),
            message: summary,
        };
        let PendingSummary { begin, end, title } = closing.clone();
        let closing = Chapter {
            begin,
            end,
            summing_up: last_exchange(context),
            title,
        };
        tell.close_chapter(entity, event, closing);
        commands.entity(entity).remove::<PendingSummary>();
    }
    if let Ok(mut phase) = phases.get_mut(place) {
        *phase = Phase::Rest;
    }
}

/// The messages of a range.
fn within(context: &AgentContext, past: Past) -> impl DoubleEndedIterator<Item = &Entry> {
    let entries = context.entries().iter();
    entries.filter(move |entry| (past.begin..=past.end).contains(&entry.id()))
}

/// The last day that a range speaks of; 0 where it names none.
fn day_of(context: &AgentContext, past: Past) -> u32 {
    let mut days = within(context, past).rev().filter_map(|entry| {
        let tags = context.tags(entry.id())?;
        tags.text("day_end")
            .or(tags.text("day_begin"))?
            .parse()
            .ok()
    });
    days.next().unwrap_or(0)
}

/// The facts as the prompt gets them, and the texts that the summary must hold.
fn facts(
    context: &AgentContext,
    kind: Kind,
    place: &str,
    past: Past,
    day: u32,
) -> (Value, Vec<String>) {
    let with = people(context, past);
    let mut must = with.clone();
    if kind == Kind::Actor {
        must.insert(0, place.to_owned());
    }
    let place = if kind == Kind::WorldAgent { "" } else { place };
    let facts = json!({
        "me": context.name(), "kind": kind_word(kind), "place": place,
        "what": "day", "day": day,
        "foes": [], "result": "", "fallen": [], "gains": [],
        "with": with, "must": must, "said": said(context, past),
    });
    (facts, must)
}

/// Whose words occur most in a range, the entity's own aside.
fn people(context: &AgentContext, past: Past) -> Vec<String> {
    let mut lines: BTreeMap<&str, u32> = BTreeMap::new();
    let heard = within(context, past).filter(|entry| entry.role() == Role::Human);
    for sender in heard.filter_map(|entry| entry.body().sender()) {
        if sender != context.name() {
            *lines.entry(sender).or_default() += 1;
        }
    }
    let mut people: Vec<_> = lines.into_iter().collect();
    people.sort_by_key(|(name, lines)| (std::cmp::Reverse(*lines), *name));
    people.truncate(PEOPLE);
    people
        .into_iter()
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// The last lines that were spoken in a range.
fn said(context: &AgentContext, past: Past) -> Vec<Value> {
    let spoken = |entry: &&Entry| {
        let kind = entry.body().metadata().and_then(|data| data.get("event"));
        matches!(
            kind.and_then(Value::as_str),
            Some("speak" | "whisper" | "announce")
        )
    };
    let lines = within(context, past).rev().filter(spoken).take(LINES);
    let mut said: Vec<_> = lines
        .map(|entry| json!({"who": entry.body().sender(), "text": entry.body().short_text()}))
        .collect();
    said.reverse();
    said
}
