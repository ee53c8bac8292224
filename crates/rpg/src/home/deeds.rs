//! What is done with items, promises and feelings: seen by everybody there, except feelings.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::event::{AgentEvent, PromptSet, PromptTemplate, write_events_at_meeting};
use playhouse_engine::knowledge::{MadeKind, make_fact};
use serde::Serialize;
use serde_json::Value;

use super::actions::{Acting, Actions};
use super::uses::finish_use;
use crate::drama::{Hidden, Promise, PromiseState};
use crate::events::{
    Attempted, FeelingChanged, ItemGiven, ItemHidden, ItemRead, ItemShown, ItemTaken, ItemUsed,
    NothingNew, PromiseKept, PromiseMade,
};
use crate::plan::{Feeling, Handing, Keeping, Try, Using, Vow};

const NO_ITEM: PromptTemplate<NoItem> = PromptTemplate::new("refusals/no_item");
const HIDDEN: PromptTemplate<ItemHidden> = PromptTemplate::new("made/hidden");

/// An item is not where it was.
#[derive(Default, Serialize)]
struct NoItem<'a> {
    item: &'a str,
}

/// Adds the templates of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    prompts.add(&NO_ITEM).add(&HIDDEN);
}

impl Actions<'_, '_> {
    /// Takes something that lies on the stage for everybody to see.
    pub(super) fn take(&mut self, acting: &Acting<'_>, item: String) {
        if !self.lies_here(acting, &item) {
            return self.refuse(acting, "take", &NO_ITEM, &NoItem { item: &item });
        }
        self.move_item(&item, acting.stage, acting.entity);
        let event = ItemTaken {
            actor: acting.name.to_string(),
            look: self.look_of(&item),
            item,
        };
        self.show_all(acting, event);
    }

    pub(super) fn give(&mut self, acting: &Acting<'_>, handing: Handing) {
        if let Some((receiver, Handing { item, to })) = self.handed(acting, "give", handing) {
            self.move_item(&item, acting.entity, receiver);
            let event = ItemGiven {
                actor: acting.name.to_string(),
                to,
                look: self.look_of(&item),
                item,
            };
            self.show_all(acting, event);
        }
    }

    /// Whoever shows something and whoever it is shown to learn what reading it teaches.
    pub(super) fn show(&mut self, acting: &Acting<'_>, handing: Handing) {
        if let Some((receiver, Handing { item, to })) = self.handed(acting, "show", handing) {
            let actor = acting.name.to_string();
            let event = ItemShown {
                actor: actor.clone(),
                to,
                look: self.look_of(&item),
                item: item.clone(),
            };
            self.show_all(acting, event);
            for fact in self.taught_by(&item) {
                self.events.teach(&[acting.entity], &fact, "");
                self.events.teach(&[receiver], &fact, &actor);
            }
        }
    }

    /// Uses something, as the world file says; its effects wait for the meeting.
    pub(super) fn use_item(&mut self, acting: &Acting<'_>, using: &Using) {
        let stage = acting.stage;
        let name_of = |entity: &Entity| self.whereabouts.name_text(*entity);
        let people = acting
            .present
            .iter()
            .filter(|entity| **entity != acting.entity);
        let people: Vec<_> = people.chain([&stage]).map(name_of).collect();
        let is_at_hand = |item: &str| self.has(acting.entity, item) || self.lies_here(acting, item);
        let is_there = |what: &str| people.iter().any(|name| name == what) || is_at_hand(what);
        let open = self.uses.get(stage);
        let open = open.map(|open| open.offered(&self.story, is_at_hand, is_there));
        let open = open.unwrap_or_default();
        let named = open.iter().map(|open| Using {
            item: open.item.to_owned(),
            with: open.does.with.clone(),
        });
        let meant = using.find(&named.collect::<Vec<_>>());
        let Some(open) = meant.and_then(|meant| open.get(meant)) else {
            let item = &using.item;
            return self.refuse(acting, "use", &NO_ITEM, &NoItem { item });
        };
        let (item, number, does) = (open.item.to_owned(), open.number, open.does.clone());
        let event = ItemUsed {
            actor: acting.name.to_string(),
            item: item.clone(),
            with: does.with.clone(),
            message: does.seen.clone(),
        };
        let mut unaware = acting.unaware.clone();
        unaware.retain(|entity| *entity != acting.entity);
        self.events.broadcast_to_stage(stage, event, &unaware);
        if let Ok(mut uses) = self.uses.get_mut(stage) {
            uses.close(&item, number, &does);
        }
        self.events
            .defer(move |world| finish_use(world, stage, &item, number));
    }

    /// Hides something here. Only the actor knows, and whoever is told.
    pub(super) fn hide(&mut self, acting: &Acting<'_>, item: String) {
        if !self.has(acting.entity, &item) {
            return self.refuse(acting, "hide", &NO_ITEM, &NoItem { item: &item });
        }
        let (actor, stage) = (acting.entity, acting.stage);
        let event = ItemHidden {
            actor: acting.name.to_string(),
            stage: self.whereabouts.name_text(stage),
            item: item.clone(),
        };
        let fact = match self.events.phrases().render(&HIDDEN, &event) {
            Ok(fact) => fact.trim().to_owned(),
            Err(error) => return self.events.fault(error.into()),
        };
        self.move_item(&item, actor, stage);
        if let Ok(mut hidden) = self.hidden.get_mut(stage) {
            hidden.0.insert(item.as_str().into(), "".into());
        }
        self.events.notify_entities(&[actor], event);
        self.events.defer(move |world| {
            let id = make_fact(world, MadeKind::Hiding, fact);
            if let Some(mut hidden) = world.get_mut::<Hidden>(stage)
                && let Some(by) = hidden.0.get_mut(item.as_str())
            {
                *by = id.as_str().into();
            }
            write_events_at_meeting(world, |events| events.teach_own_deed(actor, &id));
        });
    }

    /// The facts that reading an item teaches.
    fn taught_by(&self, item: &str) -> Vec<String> {
        let item = self.story.item(item);
        item.map(|item| item.teaches.clone()).unwrap_or_default()
    }

    /// Teaches the actor what reading an item teaches, or tells it that this is nothing new.
    pub(super) fn read(&mut self, acting: &Acting<'_>, item: String) {
        if !self.has(acting.entity, &item) && !self.lies_here(acting, &item) {
            return self.refuse(acting, "read", &NO_ITEM, &NoItem { item: &item });
        }
        let teaches = self.taught_by(&item);
        let actor = acting.name.to_string();
        let says = teaches.iter().filter_map(|fact| self.book.get(fact));
        let nothing_new = NothingNew {
            actor: actor.clone(),
            item: item.clone(),
            says: says.map(|fact| fact.text.clone()).collect(),
        };
        self.show_all(acting, ItemRead { actor, item });
        if !teaches.iter().any(|fact| self.is_new(acting.entity, fact)) {
            self.events.notify_entities(&[acting.entity], nothing_new);
        }
        for fact in &teaches {
            self.events.teach(&[acting.entity], fact, "");
        }
    }

    /// Everybody there hears a promise, unless it is given in a whisper.
    pub(super) fn promise(&mut self, acting: &Acting<'_>, vow: Vow, is_whispered: bool) {
        let Vow { to, words } = vow;
        let Some(listener) = self.listener(acting, "promise", &to) else {
            return;
        };
        let Ok(mut promises) = self.promises.get_mut(acting.entity) else {
            return;
        };
        let promise = Promise {
            to: to.as_str().into(),
            words: words.as_str().into(),
            state: PromiseState::Open,
        };
        // What is promised once more is the same promise.
        if !promises.0.contains(&promise) {
            promises.0.push(promise);
        }
        let event = PromiseMade {
            actor: acting.name.to_string(),
            to,
            words,
        };
        if is_whispered {
            self.events
                .notify_entities(&[acting.entity, listener], event);
        } else {
            self.show_all(acting, event);
        }
    }

    /// Everybody there sees that a promise is kept; whoever it was made to learns it at the meeting
    /// if it is elsewhere.
    pub(super) fn keep(&mut self, acting: &Acting<'_>, keeping: &Keeping) {
        let Ok(mut promises) = self.promises.get_mut(acting.entity) else {
            return;
        };
        let open = promises.0.iter_mut();
        let mut open: Vec<_> = open
            .filter(|promise| promise.state == PromiseState::Open)
            .collect();
        let meant = keeping.find(open.iter().map(|promise| &*promise.to));
        let Some(promise) = meant.and_then(|meant| open.get_mut(meant)) else {
            return;
        };
        promise.state = PromiseState::Kept;
        let event = PromiseKept {
            actor: acting.name.to_string(),
            to: promise.to.to_string(),
            words: promise.words.to_string(),
        };
        let promisee = self.list.by_name(&event.to);
        if let Some(promisee) = promisee.filter(|promisee| !acting.present.contains(promisee)) {
            let event = event.clone();
            self.events.defer(move |world| {
                write_events_at_meeting(world, |events| {
                    events.notify_entities(&[promisee], event);
                });
            });
        }
        self.show_all(acting, event);
    }

    /// Moves a bond by one step; returns to whom.
    pub(super) fn feel(&mut self, acting: &Acting<'_>, feeling: Feeling) -> Option<Arc<str>> {
        let Feeling { about, change, why } = feeling;
        let change = change.signum() as i32;
        let other = self.list.by_name(&about);
        let is_here = other.is_some_and(|other| acting.present.contains(&other));
        if !is_here || other == Some(acting.entity) {
            return None;
        }
        let mut bonds = self.bonds.get_mut(acting.entity).ok()?;
        bonds.change(&about, change);
        let felt = about.as_str().into();
        let event = FeelingChanged {
            actor: acting.name.to_string(),
            about,
            change,
            why,
        };
        self.events.think(acting.entity, event);
        Some(felt)
    }

    /// Everybody there sees what is tried. Returns it as they understood it, for the stage to
    /// judge.
    pub(super) fn attempt(&mut self, acting: &Acting<'_>, tried: Try) -> Option<Try> {
        let Try { what, aim } = tried;
        let actor = acting.name.to_string();
        self.events
            .broadcast_to_stage(acting.stage, Attempted { actor, what }, &acting.unaware);
        // If guards hid a part of it, the actor is told last what the others heard.
        let last = self.events.last()?;
        let understood = last.data.get("what").or(last.data.get("message"));
        let understood = understood.and_then(Value::as_str).unwrap_or_default();
        let what = understood.to_owned();
        (!what.is_empty()).then_some(Try { what, aim })
    }

    /// Who gets or sees an item; if that can't be, the actor is told so.
    fn handed(
        &mut self,
        acting: &Acting<'_>,
        action: &str,
        handing: Handing,
    ) -> Option<(Entity, Handing)> {
        let receiver = self.listener(acting, action, &handing.to)?;
        if !self.has(acting.entity, &handing.item) {
            let item = &handing.item;
            self.refuse(acting, action, &NO_ITEM, &NoItem { item });
            return None;
        }
        Some((receiver, handing))
    }

    fn has(&self, holder: Entity, item: &str) -> bool {
        let belongings = self.belongings.get(holder);
        belongings.is_ok_and(|belongings| belongings.0.contains(item))
    }

    fn lies_here(&self, acting: &Acting<'_>, item: &str) -> bool {
        let hidden = self.hidden.get(acting.stage);
        let is_hidden =
            hidden.is_ok_and(|hidden| hidden.hides(item, self.knowledge_of(acting.entity)));
        !is_hidden && self.has(acting.stage, item)
    }

    /// Moves an item that is there. It stays if the receiver can't hold anything.
    fn move_item(&mut self, item: &str, from: Entity, to: Entity) {
        if let Ok(mut hidden) = self.hidden.get_mut(from) {
            hidden.0.remove(item);
        }
        if let Ok([mut from, mut to]) = self.belongings.get_many_mut([from, to])
            && let Some(item) = from.0.take(item)
        {
            to.0.insert(item);
        }
    }

    fn look_of(&self, item: &str) -> String {
        let item = self.story.item(item);
        item.map(|item| item.look.clone()).unwrap_or_default()
    }

    fn show_all(&mut self, acting: &Acting<'_>, event: impl AgentEvent) {
        let unaware = &acting.unaware;
        self.events.broadcast_to_stage(acting.stage, event, unaware);
    }
}
