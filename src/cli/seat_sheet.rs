//! What a person at a seat may look up: what its character knows of itself and its place.

use crate::cli::prelude::*;
use bevy_ecs::prelude::{EntityRef, World};

use crate::cast::{Appearance, CastList, Dead, EntityName, Kind, OnStage};
use crate::context::{AgentContext, Entry};
use crate::drama::{Belongings, Bonds, GoalState, PromiseState, Promises, StoryData};
use crate::knowledge::{FactBook, Knowledge, Known};
use crate::message::Role;
use crate::rpg::Hand;
use crate::rpg::components::{Fighter, Health, RpgWorld, goals_of};
use crate::undercover::Card;

/// The texts for a seat, in the language of the interface.
#[derive(Clone, Debug, Default)]
pub(super) struct SeatSheet {
    pub(super) me: String,
    /// What not everybody knows.
    pub(super) secrets: String,
    pub(super) present: String,
}

impl SeatSheet {
    /// What the character of this name may look up now.
    pub(super) fn of(world: &World, name: &str, language: Language) -> Self {
        let found = world.resource::<CastList>().by_name(name);
        let Some(entity) = found.and_then(|entity| world.get_entity(entity).ok()) else {
            return Self::default();
        };
        let joined = |texts: Vec<UiText>| {
            let texts = texts.into_iter().map(|text| text.in_language(language));
            texts.collect::<Vec<_>>().join("\n")
        };
        Self {
            me: joined(me(world, entity)),
            secrets: joined(secrets(world, entity)),
            present: joined(present(world, entity)),
        }
    }
}

fn me(world: &World, entity: EntityRef<'_>) -> Vec<UiText> {
    let mut texts = portrait(world, entity);
    texts.extend(word(entity));
    if let Some(Health { hp, max }) = entity.get::<Health>() {
        texts.push(text!(cli_seat_health, hp, max));
    }
    if let Some(fighter) = entity
        .get::<Fighter>()
        .filter(|fighter| !fighter.skills.is_empty())
    {
        let skills = Argument::list(fighter.skills.iter().map(ToString::to_string));
        texts.push(text!(cli_seat_skills, skills));
    }
    if let Some(hand) = entity.get::<Hand>().filter(|hand| !hand.cards.is_empty()) {
        let cards = Argument::list(hand.names().map(str::to_owned));
        texts.push(text!(cli_seat_hand, cards));
    }
    let held = entity.get::<Belongings>();
    let items = world.get_resource::<StoryData>();
    for name in held.into_iter().flat_map(|held| &held.0) {
        let item = items.and_then(|data| data.items.iter().find(|item| *item.name == **name));
        let look = item.map_or("", |item| &item.look);
        texts.push(text!(cli_seat_item, name = &**name, look));
    }
    for (to, bond) in entity.get::<Bonds>().into_iter().flat_map(|bonds| &bonds.0) {
        let value = format!("{:+}", bond.value);
        texts.push(text!(cli_seat_bond, to = &**to, word = &*bond.word, value));
    }
    for (goal, state) in goals_of(world, entity) {
        texts.push(match state {
            GoalState::Open => text!(cli_seat_goal, goal),
            GoalState::Met => text!(cli_seat_goal_met, goal),
            GoalState::Lost => text!(cli_seat_goal_lost, goal),
        });
    }
    let promises = entity.get::<Promises>();
    for promise in promises.into_iter().flat_map(|promises| &promises.0) {
        if promise.state == PromiseState::Open {
            let (to, words) = (&*promise.to, &*promise.words);
            texts.push(text!(cli_seat_promise, to, words));
        }
    }
    texts
}

/// Who the character is: as its world tells of it, else as its own mind is told.
fn portrait(world: &World, entity: EntityRef<'_>) -> Vec<UiText> {
    let name = entity.get::<EntityName>().map(|name| &*name.0);
    let campaign = world.get_resource::<RpgWorld>();
    let actor = campaign.and_then(|campaign| {
        let mut actors = campaign.0.actors.iter();
        actors.find(|actor| Some(actor.name.as_str()) == name)
    });
    if let Some(actor) = actor {
        let look = text!(cli_seat_look, look = &actor.look);
        return vec![UiText::verbatim(actor.profile.trim()), look];
    }
    let entries = entity.get::<AgentContext>().map(AgentContext::entries);
    let first = entries.and_then(<[Entry]>::first);
    let profile = first.filter(|entry| entry.role() == Role::System);
    let profile = profile.map(|entry| UiText::verbatim(entry.own_text()));
    profile.into_iter().collect()
}

/// The word on the character's card, if it has a card.
fn word(entity: EntityRef<'_>) -> Option<UiText> {
    let card = entity.get::<Card>()?;
    Some(match card.word() {
        Some(word) => text!(cli_seat_word, word),
        None => text!(cli_seat_no_word),
    })
}

/// What the character knows that not everybody knows, and from whom.
fn secrets(world: &World, entity: EntityRef<'_>) -> Vec<UiText> {
    let knowledge = entity.get::<Knowledge>();
    let known = knowledge.into_iter().flat_map(Knowledge::all);
    let book = world.get_resource::<FactBook>();
    let facts = known.filter_map(|(id, known)| Some((book?.get(id)?, known)));
    let secrets = facts.filter(|(fact, _)| !fact.is_common());
    let texts = secrets.map(|(fact, known)| {
        let Known { from, by, day, .. } = known;
        let words = fact.text.as_str();
        match from {
            Some(from) => text!(cli_seat_secret_from, day, from = &**from, words),
            None if by.is_empty() => text!(cli_seat_secret_always, words),
            None => text!(cli_seat_secret_found, day, words),
        }
    });
    let texts: Vec<_> = word(entity).into_iter().chain(texts).collect();
    if texts.is_empty() {
        return vec![text!(cli_seat_no_secrets)];
    }
    texts
}

/// Who else is where the character is.
fn present(world: &World, entity: EntityRef<'_>) -> Vec<UiText> {
    let place = entity.get::<OnStage>().map(|stage| stage.0);
    let name_of = |entity| world.get::<EntityName>(entity).map(ToString::to_string);
    let mut texts = Vec::new();
    if let Some(place) = place.and_then(name_of) {
        texts.push(text!(cli_seat_place, place));
    }
    let others = world.resource::<CastList>().all();
    let others = others.filter_map(|(_, other)| world.get_entity(other).ok());
    let others = others.filter(|other| {
        let is_here = place.is_some() && other.get::<OnStage>().map(|stage| stage.0) == place;
        let is_actor = other.get::<Kind>() == Some(&Kind::Actor);
        is_here && is_actor && other.id() != entity.id() && !other.contains::<Dead>()
    });
    let before = texts.len();
    texts.extend(others.filter_map(|other| {
        let look = other.get::<Appearance>().map_or("", |look| &*look.0);
        let name = name_of(other.id())?;
        Some(match look {
            "" => UiText::verbatim(format!("  {name}")),
            look => text!(cli_seat_present, name, look),
        })
    }));
    if texts.len() == before {
        texts.push(text!(cli_seat_alone));
    }
    texts
}
