//! What the rules make of a turn: they carry it out, or tell the actor why not.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use playhouse_engine::cast::{CastList, Exits, Whereabouts, WorldTurn};
use playhouse_engine::context::{AgentContext, Chapters};
use playhouse_engine::event::kinds::Mind;
use playhouse_engine::event::{AgentEvent, EventWriter, Prompt};
use playhouse_engine::knowledge::{FactBook, Knowledge, Today};
use playhouse_engine::memory::{AnswerWords, LookupVectors, Lore, Vectors, Witnessed};
use serde::Serialize;

use super::Plan;
use crate::components::RpgWorld;
use crate::drama::{Belongings, Bonds, Hidden, Promises, StoryData};
use crate::events::Refusal;
use crate::home::here::present;
use crate::home::uses::OpenUses;
use crate::talk::{Talk, TurnTaken};

/// Why an actor could not do what it wanted.
#[derive(Serialize, Prompt)]
#[serde(untagged)]
pub(super) enum Reason<'a> {
    /// An actor was addressed who is not here.
    #[prompt("refusals/nobody_there")]
    NobodyThere { target: &'a str },
    /// An item is not where it was.
    #[prompt("refusals/no_item")]
    NoItem { item: &'a str },
    /// It was not offered.
    #[prompt("refusals/not_now")]
    NotNow { action: &'a str },
    /// Nobody can say it.
    #[prompt("refusals/sworn")]
    Sworn { title: &'a str },
    /// No way leads there.
    #[prompt("refusals/no_way")]
    NoWay { to: &'a str },
}

/// What the rules know and change.
#[derive(SystemParam)]
pub(crate) struct Rules<'w, 's> {
    pub(super) file: Res<'w, RpgWorld>,
    pub(super) today: Res<'w, Today>,
    pub(super) book: Res<'w, FactBook>,
    pub(super) list: Res<'w, CastList>,
    pub(crate) whereabouts: Whereabouts<'w, 's>,
    pub(super) exits: Query<'w, 's, &'static Exits>,
    pub(super) lore: Res<'w, Lore>,
    pub(super) lookups: Res<'w, LookupVectors>,
    pub(super) vectors: Option<Res<'w, Vectors>>,
    pub(super) words: Res<'w, AnswerWords>,
    pub(super) memories: Query<'w, 's, Past>,
    pub(super) story: Res<'w, StoryData>,
    pub(super) belongings: Query<'w, 's, &'static mut Belongings>,
    pub(super) hidden: Query<'w, 's, &'static mut Hidden>,
    pub(super) uses: Query<'w, 's, &'static mut OpenUses>,
    pub(super) bonds: Query<'w, 's, &'static mut Bonds>,
    pub(super) promises: Query<'w, 's, &'static mut Promises>,
    pub(super) turn: Res<'w, WorldTurn>,
    pub(super) events: EventWriter<'w, 's>,
}

/// What an actor can search.
type Past = (
    &'static AgentContext,
    &'static Chapters,
    &'static Witnessed,
    Option<&'static Knowledge>,
);

/// Who acts, and who is there.
pub(crate) struct Acting<'a> {
    pub(super) entity: Entity,
    pub(super) name: &'a Arc<str>,
    pub(super) stage: Entity,
    pub(super) talk: &'a Talk,
    /// The living who are there, and the actor.
    pub(super) present: Vec<Entity>,
    /// Those who do not notice it: the actor, and those who have left.
    pub(super) unaware: Vec<Entity>,
    /// The ids of the facts that the actor's words give away.
    pub(super) tells: Vec<String>,
}

impl Rules<'_, '_> {
    /// Returns what the actor did.
    pub(crate) fn carry_out(
        &mut self,
        talk: &Talk,
        actor: (Entity, &Arc<str>),
        mut plan: Plan,
    ) -> TurnTaken {
        let Some(stage) = self.whereabouts.place_of(actor.0) else {
            return TurnTaken::default();
        };
        let acting = Acting {
            tells: std::mem::take(&mut plan.tells),
            ..self.acting(talk, actor, stage)
        };
        let impossible = plan.impossible();
        let mut taken = TurnTaken {
            passed: plan.passes(),
            searched: plan.only_searches(),
            ..TurnTaken::default()
        };
        self.think(&acting, std::mem::take(&mut plan.mind));
        plan.carry_out(self, &acting, &mut taken);
        self.keep_what_is_given(&acting);
        for action in impossible {
            self.tell_refusal(&acting, action, &Reason::NotNow { action }, true);
        }
        for fact in &acting.tells {
            self.refuse_sworn(&acting, fact);
        }
        taken
    }

    fn think(&mut self, acting: &Acting<'_>, message: String) {
        if !message.trim().is_empty() {
            let actor = acting.name.to_string();
            self.events.think(acting.entity, Mind { actor, message });
        }
    }

    fn acting<'a>(
        &self,
        talk: &'a Talk,
        (entity, name): (Entity, &'a Arc<str>),
        stage: Entity,
    ) -> Acting<'a> {
        let present = present(&self.whereabouts, talk, stage);
        let mut unaware = self.whereabouts.on_stage(stage);
        unaware.retain(|other| *other == entity || !present.contains(other));
        Acting {
            entity,
            name,
            stage,
            talk,
            present,
            unaware,
            tells: Vec::new(),
        }
    }

    /// Tells the actor that nobody can say a fact, if it is sworn.
    fn refuse_sworn(&mut self, acting: &Acting<'_>, fact: &str) {
        let fact = self.book.get(fact).filter(|fact| fact.sworn).cloned();
        if let Some(fact) = fact {
            let title = &fact.title;
            self.refuse(acting, "tells", &Reason::Sworn { title });
        }
    }

    /// Whether a fact would be news to an actor.
    pub(super) fn is_new(&self, who: Entity, fact: &str) -> bool {
        let fact = self.book.get(fact).filter(|fact| !fact.is_common());
        let knowledge = self.knowledge_of(who);
        fact.is_some_and(|fact| knowledge.is_some_and(|knowledge| !knowledge.knows(&fact.id)))
    }

    fn knowledge_of(&self, who: Entity) -> Option<&Knowledge> {
        self.memories
            .get(who)
            .ok()
            .and_then(|(.., knowledge)| knowledge)
    }

    /// An actor here who can be spoken to; if there is nobody of this name, the actor is told so.
    pub(super) fn listener(
        &mut self,
        acting: &Acting<'_>,
        action: &str,
        target: &str,
    ) -> Option<Entity> {
        let listener = self
            .list
            .by_name(target)
            .filter(|listener| *listener != acting.entity && acting.present.contains(listener));
        if listener.is_none() {
            self.refuse(acting, action, &Reason::NobodyThere { target });
        }
        listener
    }

    /// Who gets or sees an item that the actor has; if that can't be, the actor is told so.
    pub(super) fn receiver(
        &mut self,
        acting: &Acting<'_>,
        action: &str,
        item: &str,
        to: &str,
    ) -> Option<Entity> {
        let receiver = self.listener(acting, action, to)?;
        if !self.has(acting.entity, item) {
            self.refuse_item(acting, action, item);
            return None;
        }
        Some(receiver)
    }

    pub(super) fn refuse(&mut self, acting: &Acting<'_>, action: &str, reason: &Reason<'_>) {
        self.tell_refusal(acting, action, reason, false);
    }

    fn tell_refusal(
        &mut self,
        acting: &Acting<'_>,
        action: &str,
        reason: &Reason<'_>,
        is_unoffered: bool,
    ) {
        match self.events.phrases().fill(reason) {
            Ok(reason) => {
                let event = Refusal {
                    actor: acting.name.to_string(),
                    action: action.to_owned(),
                    reason,
                    is_unoffered,
                };
                self.events.notify_entities(&[acting.entity], event);
            }
            Err(error) => self.events.fault(error.into()),
        }
    }

    /// Tells the actor that an item is not where it was.
    pub(super) fn refuse_item(&mut self, acting: &Acting<'_>, action: &str, item: &str) {
        self.refuse(acting, action, &Reason::NoItem { item });
    }

    pub(super) fn has(&self, holder: Entity, item: &str) -> bool {
        let belongings = self.belongings.get(holder);
        belongings.is_ok_and(|belongings| belongings.0.contains(item))
    }

    pub(super) fn lies_here(&self, acting: &Acting<'_>, item: &str) -> bool {
        let hidden = self.hidden.get(acting.stage);
        let is_hidden =
            hidden.is_ok_and(|hidden| hidden.hides(item, self.knowledge_of(acting.entity)));
        !is_hidden && self.has(acting.stage, item)
    }

    pub(super) fn is_at_hand(&self, acting: &Acting<'_>, item: &str) -> bool {
        self.has(acting.entity, item) || self.lies_here(acting, item)
    }

    /// Moves an item that is there. It stays if the receiver can't hold anything.
    pub(super) fn move_item(&mut self, item: &str, from: Entity, to: Entity) {
        if let Ok(mut hidden) = self.hidden.get_mut(from) {
            hidden.0.remove(item);
        }
        if let Ok([mut from, mut to]) = self.belongings.get_many_mut([from, to])
            && let Some(item) = from.0.take(item)
        {
            to.0.insert(item);
        }
    }

    pub(super) fn look_of(&self, item: &str) -> String {
        let item = self.story.item(item);
        item.map(|item| item.look.clone()).unwrap_or_default()
    }

    /// The facts that reading an item teaches.
    pub(super) fn taught_by(&self, item: &str) -> Vec<String> {
        let item = self.story.item(item);
        item.map(|item| item.teaches.clone()).unwrap_or_default()
    }

    pub(super) fn show_all(&mut self, acting: &Acting<'_>, event: impl AgentEvent) {
        let unaware = &acting.unaware;
        self.events.broadcast_to_stage(acting.stage, event, unaware);
    }
}
