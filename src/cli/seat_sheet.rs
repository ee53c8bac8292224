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
    let skills = entity.get::<Fighter>().map(|fighter| &fighter.skills);
    if let Some(skills) = skills.filter(|skills| !skills.is_empty()) {
        let skills = Argument::list(skills.iter().map(ToString::to_string));
        texts.push(text!(cli_seat_skills, skills));
    }
    if let Some(hand) = entity.get::<Hand>().filter(|hand| !hand.cards.is_empty()) {
        let cards = Argument::list(hand.names().map(str::to_owned));
        texts.push(text!(cli_seat_hand, cards));
    }
    texts.extend(section(text!(story_seat_goals), goals(world, entity)));
    texts.extend(section(text!(story_seat_items), items(world, entity)));
    texts.extend(section(text!(cli_seat_bonds), bonds(entity)));
    texts.extend(section(text!(cli_seat_promises), promises(entity)));
    texts.extend(section(text!(story_seat_facts), facts(world, entity)));
    texts
}

/// Rows below a heading, if there are any.
fn section(heading: UiText, rows: Vec<UiText>) -> Vec<UiText> {
    if rows.is_empty() {
        return rows;
    }
    let rows = rows.into_iter().map(|row| text!(cli_seat_row, row));
    [UiText::default(), heading]
        .into_iter()
        .chain(rows)
        .collect()
}

fn goals(world: &World, entity: EntityRef<'_>) -> Vec<UiText> {
    let goals = goals_of(world, entity).into_iter();
    let goals = goals.map(|(goal, state)| match state {
        GoalState::Open => UiText::verbatim(goal),
        GoalState::Met => text!(cli_seat_goal_met, goal),
        GoalState::Lost => text!(cli_seat_goal_lost, goal),
    });
    goals.collect()
}

fn items(world: &World, entity: EntityRef<'_>) -> Vec<UiText> {
    let data = world.get_resource::<StoryData>();
    let held = entity.get::<Belongings>();
    let items = held.into_iter().flat_map(|held| &held.0).map(|name| {
        let item = data.and_then(|data| data.items.iter().find(|item| *item.name == **name));
        let look = item.map_or("", |item| &item.look);
        text!(cli_seat_item, name = &**name, look)
    });
    items.collect()
}

fn bonds(entity: EntityRef<'_>) -> Vec<UiText> {
    let bonds = entity.get::<Bonds>().into_iter().flat_map(|bonds| &bonds.0);
    let bonds = bonds.map(|(to, bond)| {
        let value = format!("{:+}", bond.value);
        text!(cli_seat_bond, to = &**to, word = &*bond.word, value)
    });
    bonds.collect()
}

fn promises(entity: EntityRef<'_>) -> Vec<UiText> {
    let promises = entity.get::<Promises>();
    let promises = promises.into_iter().flat_map(|promises| &promises.0);
    let open = promises.filter(|promise| promise.state == PromiseState::Open);
    open.map(|promise| text!(cli_seat_promise, to = &*promise.to, words = &*promise.words))
        .collect()
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
    if entity.contains::<Card>() {
        return vec![text!(story_seat_rules)];
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
fn facts(world: &World, entity: EntityRef<'_>) -> Vec<UiText> {
    let knowledge = entity.get::<Knowledge>();
    let known = knowledge.into_iter().flat_map(Knowledge::all);
    let book = world.get_resource::<FactBook>();
    let facts = known.filter_map(|(id, known)| Some((book?.get(id)?, known)));
    let secrets = facts.filter(|(fact, _)| !fact.is_common());
    let texts = secrets.map(|(fact, known)| {
        let Known { from, by, day, .. } = known;
        let (title, words) = (&fact.title, &fact.text);
        match from {
            Some(from) => text!(cli_seat_secret_from, title, day, from = &**from, words),
            None if by.is_empty() => text!(cli_seat_secret, title, words),
            None => text!(cli_seat_secret_found, title, day, words),
        }
    });
    texts.collect()
}

fn secrets(world: &World, entity: EntityRef<'_>) -> Vec<UiText> {
    let facts = facts(world, entity).into_iter();
    let facts = facts.map(|row| text!(cli_seat_row, row));
    let texts: Vec<_> = word(entity).into_iter().chain(facts).collect();
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
