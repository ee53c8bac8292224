//! A fight is over: for everybody who will remember it, its record and the stage's account replace
//! it. Nobody is asked: when heroes look back on what came after it, they also tell what it meant
//! to them.

use bevy_ecs::prelude::*;
use serde::Serialize;

use super::day::budget;
use super::range::{EntryRange, fight_range, room};
use super::summary::{ClosedChapter, pending};
use crate::cast::{EntityName, Kind, all_of};
use crate::context::{AgentContext, ChapterRecord, Chapters};
use crate::event::{
    Faults, PhraseError, Phrasebook, PromptSet, PromptTemplate, write_events_at_meeting,
};
use crate::memory::spoken_words;
use crate::message::{Role, cut};
use crate::rpg::combat::FinishedFight;
use crate::rpg::components::{Foe, RpgWorld};
use crate::rpg::everybody::on_stage;

/// How much of what a fighter said in a fight it keeps in mind: sayings, and characters of each.
const MAX_SAID: usize = 3;
const SAID_CHARS: usize = 200;

const WORDS: PromptTemplate<WordsData> = PromptTemplate::new("archive/fight");
const TITLE: PromptTemplate<TitleData> = PromptTemplate::new("archive/fight_title");

/// What a fight is remembered by.
#[derive(Default, Serialize)]
struct WordsData<'a> {
    account: &'a str,
    said: Vec<String>,
}

#[derive(Default, Serialize)]
struct TitleData<'a> {
    stage: &'a str,
}

/// Adds the templates of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    prompts.add(&TITLE).add(&WORDS);
}

/// Replaces the fights that are over: for their stages, for every hero, fallen ones included, and
/// for every foe that may be met again. At a meeting, when their outcomes are delivered.
pub(in crate::rpg) fn archive_fights(world: &mut World) {
    for stage in all_of(world, Kind::Stage) {
        let Some(fight) = world.entity_mut(stage).take::<FinishedFight>() else {
            continue;
        };
        let remembers = |world: &World, entity: &Entity| {
            let returns = world.get::<Foe>(*entity).is_some_and(|foe| foe.returns);
            let name = world.get::<EntityName>(*entity);
            name.is_some_and(|EntityName(name)| {
                fight.heroes.contains(name) || (fight.foes.contains(name) && returns)
            })
        };
        let mut witnesses = on_stage(world, stage);
        witnesses.retain(|entity| remembers(world, entity));
        for entity in std::iter::once(stage).chain(witnesses) {
            match whole_fight(world, &fight, entity) {
                Some(Ok(closing)) => write_events_at_meeting(world, |events| {
                    events.close_chapter(entity, closing.event, closing.close);
                }),
                Some(Err(error)) => world.resource_mut::<Faults>().note(error.into()),
                None => {}
            }
        }
    }
}

/// What a fight will be replaced with in a context. `None` if its tags are doubtful: then it stays
/// as it is.
fn whole_fight(
    world: &World,
    fight: &FinishedFight,
    entity: Entity,
) -> Option<Result<ClosedChapter, PhraseError>> {
    let (context, chapters) = (world.get::<AgentContext>(entity)?, world.get(entity)?);
    let stage = &fight.outcome.stage;
    let range = match fight_range(context, &fight.outcome.combat_id) {
        Ok(range) => range,
        Err(reason) => {
            let entity = context.name();
            tracing::warn!(%entity, "the fight at '{stage}' is not archived: {reason}");
            return None;
        }
    };
    let phrases = world.resource::<Phrasebook>();
    let room = room(context, budget(world.resource::<RpgWorld>()));
    let mind: (&AgentContext, &Chapters) = (context, chapters);
    // A fighter was there with its own side.
    let sides = [&fight.heroes, &fight.foes];
    let own_side = sides.into_iter().find(|side| side.contains(context.name()));
    let with = match own_side {
        Some(side) => side
            .iter()
            .filter(|name| *name != context.name())
            .cloned()
            .collect(),
        None => sides.into_iter().flatten().cloned().collect(),
    };
    let pending = pending(phrases, mind, range, room, |record: &mut ChapterRecord| {
        record.places = vec![stage.as_str().into()];
        record.with = with;
        phrases.render(&TITLE, &TitleData { stage })
    });
    let words = phrases.render(
        &WORDS,
        &WordsData {
            account: &fight.account,
            said: said_in(context, range),
        },
    );
    Some(pending.and_then(|pending| {
        let words = words?.trim().to_owned();
        Ok(pending.close(mind, stage.clone(), (words, None)))
    }))
}

/// The last that somebody said in a fight, oldest first.
fn said_in(context: &AgentContext, range: EntryRange) -> Vec<String> {
    let entries = context.entries().iter().rev();
    let own = entries.filter(|entry| entry.role() == Role::Ai && range.contains(entry.id()));
    let said = own.flat_map(|entry| spoken_words(&entry.body().full_text()));
    let mut said: Vec<_> = said
        .take(MAX_SAID)
        .map(|words| cut(&words, SAID_CHARS))
        .collect();
    said.reverse();
    said
}
