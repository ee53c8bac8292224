//! What actors do with their turns: the rules carry it out, or tell the actor why not.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use playhouse_engine::cast::{CastList, Exits, StageRng, Whereabouts};
use playhouse_engine::context::{AgentContext, Chapters};
use playhouse_engine::event::kinds::{
    Announce, Leave, MemorySearch, Mind, Refusal, Speak, Whisper,
};
use playhouse_engine::event::{AgentEvent, EventWriter, PromptSet, PromptTemplate};
use playhouse_engine::exchange::Answers;
use playhouse_engine::knowledge::{FactBook, Knowledge};
use playhouse_engine::memory::{AnswerWords, Lens, LookupVectors, Lore, Vectors, Witnessed};
use rand::seq::SliceRandom;
use serde::Serialize;
use serde_json::Value;

use super::here::present;
use super::uses::OpenUses;
use crate::attempt::pending::PendingAttempts;
use crate::attempt::referee::talk_goes_on;
use crate::components::RpgWorld;
use crate::drama::{Belongings, Bonds, Hidden, Promises, StoryData};
use crate::events::Following;
use crate::everybody::{PUBLIC, publish_telling};
use crate::phase::{CurrentPlace, Phase};
use crate::plan::{Announcement, Companion, Destination, Lookup, Plan, Speech, Thing, Try};
use crate::talk::{Talk, TurnTaken};
use crate::travel::walk;

/// The maximum number of finds that a search tells.
const MAX_FINDS: usize = 3;

const NOBODY_THERE: PromptTemplate<NobodyThere> = PromptTemplate::new("refusals/nobody_there");
const NO_WAY: PromptTemplate<NoWay> = PromptTemplate::new("refusals/no_way");
const NOT_NOW: PromptTemplate<NotNow> = PromptTemplate::new("refusals/not_now");
const SWORN: PromptTemplate<Sworn> = PromptTemplate::new("refusals/sworn");

/// Somebody was addressed who is not here.
#[derive(Default, Serialize)]
struct NobodyThere<'a> {
    target: &'a str,
}

/// Somebody wanted to go where no way leads.
#[derive(Default, Serialize)]
struct NoWay<'a> {
    to: &'a str,
}

/// Somebody wanted to do what it was not offered.
#[derive(Default, Serialize)]
struct NotNow<'a> {
    action: &'a str,
}

/// Somebody wanted to tell what nobody can say.
#[derive(Default, Serialize)]
struct Sworn<'a> {
    title: &'a str,
}

/// Adds the templates of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    prompts.add(&NOBODY_THERE).add(&NO_WAY);
    prompts.add(&NOT_NOW).add(&SWORN);
}

/// Plans are carried out, several in a seeded order; then somebody else has its turn.
pub(crate) fn take_plans(
    world: Res<RpgWorld>,
    rng: StageRng,
    mut answers: Answers<Plan>,
    mut talks: Query<&mut Talk>,
    mut pending: Query<&mut PendingAttempts>,
    mut current: CurrentPlace,
    mut actions: Actions,
) {
    let mut plans = answers.take();
    plans.shuffle(&mut rng.stream("order of plans"));
    let stage = current.entity();
    let Some(mut talk) = stage.and_then(|stage| talks.get_mut(stage).ok()) else {
        return current.set_phase(Phase::Idle);
    };
    let mut pending = stage.and_then(|stage| pending.get_mut(stage).ok());
    for (entity, plan, _by) in plans {
        if let Some(name) = actions.whereabouts.name(entity).map(|name| name.0.clone()) {
            let to = plan.go.clone();
            let (taken, tried) = actions.carry_out(&talk, entity, &name, plan);
            let left = to.filter(|_| taken.left);
            talk.take_turn(&name, taken);
            if let Some(to) = left {
                actions.lead(&mut talk, &name, &to);
            }
            if let Some((Try { what, aim }, pending)) = tried.zip(pending.as_mut()) {
                pending.add(name, what, aim);
            }
        }
    }
    let is_tried = pending.is_some_and(|pending| !pending.is_empty());
    current.set_phase(if is_tried {
        Phase::Attempt
    } else {
        talk_goes_on(&world)
    });
}

/// Carries out what actors choose. What is done with items and promises is in `deeds.rs`.
#[derive(SystemParam)]
pub(crate) struct Actions<'w, 's> {
    pub(super) book: Res<'w, FactBook>,
    pub(super) list: Res<'w, CastList>,
    pub(super) whereabouts: Whereabouts<'w, 's>,
    exits: Query<'w, 's, &'static Exits>,
    lore: Res<'w, Lore>,
    lookups: Res<'w, LookupVectors>,
    vectors: Option<Res<'w, Vectors>>,
    words: Res<'w, AnswerWords>,
    memories: Query<'w, 's, Past>,
    pub(super) story: Res<'w, StoryData>,
    pub(super) belongings: Query<'w, 's, &'static mut Belongings>,
    pub(super) hidden: Query<'w, 's, &'static mut Hidden>,
    pub(super) uses: Query<'w, 's, &'static mut OpenUses>,
    pub(super) bonds: Query<'w, 's, &'static mut Bonds>,
    pub(super) promises: Query<'w, 's, &'static mut Promises>,
    pub(super) events: EventWriter<'w, 's>,
}

/// What somebody can search.
type Past = (
    &'static AgentContext,
    &'static Chapters,
    &'static Witnessed,
    Option<&'static Knowledge>,
);

/// Who acts, and who is there.
pub(super) struct Acting<'a> {
    pub(super) entity: Entity,
    pub(super) name: &'a Arc<str>,
    pub(super) stage: Entity,
    /// The living who are there, and the actor.
    pub(super) present: Vec<Entity>,
    /// Whoever does not notice it: the actor, and those who have left.
    pub(super) unaware: Vec<Entity>,
}

impl Actions<'_, '_> {
    /// Returns what the actor did, and what it tries.
    fn carry_out(
        &mut self,
        talk: &Talk,
        entity: Entity,
        name: &Arc<str>,
        plan: Plan,
    ) -> (TurnTaken, Option<Try>) {
        let Some(stage) = self.whereabouts.place_of(entity) else {
            return Default::default();
        };
        let acting = self.acting(talk, (entity, name), stage);
        let (impossible, told) = (plan.impossible(), plan.told());
        let mut taken = TurnTaken {
            passed: plan.passes(),
            searched: plan.only_searches(),
            ..TurnTaken::default()
        };
        if !plan.mind.trim().is_empty() {
            let thought = Mind {
                actor: name.to_string(),
                message: plan.mind,
            };
            self.events.think(entity, thought);
        }
        if let Some(speech) = plan.speak {
            taken.addressed = self.speak(&acting, speech);
        }
        let whispered_to = plan.whisper.as_ref().map(|speech| speech.target.clone());
        if let Some(speech) = plan.whisper {
            taken.addressed = self.whisper(&acting, speech);
        }
        if let Some(announcement) = plan.announce {
            self.announce(&acting, announcement);
        }
        if let Some(question) = plan.query {
            self.query(&acting, question);
        }
        if let Some(destination) = plan.go {
            taken.left = self.leave(&acting, &destination);
        }
        if let Some(Thing { item }) = plan.take {
            self.take(&acting, item);
        }
        if let Some(handing) = plan.give {
            self.give(&acting, handing);
        }
        if let Some(handing) = plan.show {
            self.show(&acting, handing);
        }
        if let Some(Thing { item }) = plan.read {
            self.read(&acting, item);
        }
        if let Some(using) = plan.using {
            self.use_item(&acting, &using);
        }
        if let Some(Thing { item }) = plan.hide {
            self.hide(&acting, item);
        }
        if let Some(Companion { who }) = plan.follow {
            taken.follows = self.follow(&acting, who);
        }
        if let Some(vow) = plan.promise {
            let is_whispered = whispered_to.is_some_and(|target| target == vow.to);
            self.promise(&acting, vow, is_whispered);
        }
        if let Some(keeping) = plan.keep {
            self.keep(&acting, &keeping);
        }
        if let Some(feeling) = plan
            .feels
            .filter(|feeling| !talk.has_felt(name, &feeling.about))
        {
            taken.felt = self.feel(&acting, feeling);
        }
        let tried = plan.attempt.and_then(|tried| self.attempt(&acting, tried));
        taken.attempted = tried.is_some();
        for action in impossible {
            self.refuse(&acting, action, &NOT_NOW, &NotNow { action });
        }
        for fact in told {
            self.refuse_sworn(&acting, &fact);
        }
        (taken, tried)
    }

    fn acting<'a>(
        &self,
        talk: &Talk,
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
            present,
            unaware,
        }
    }

    /// Those who follow somebody leave with it, and those who follow them.
    fn lead(&mut self, talk: &mut Talk, leader: &str, to: &Destination) {
        let mut followers = talk.followers(leader);
        while let Some(name) = followers.pop() {
            let follower = self.list.by_name(&name);
            let stage = follower.and_then(|follower| self.whereabouts.place_of(follower));
            let Some((follower, stage)) = follower.zip(stage) else {
                continue;
            };
            let acting = self.acting(talk, (follower, &name), stage);
            if acting.present.contains(&follower) && self.leave(&acting, to) {
                talk.leave(&name);
                followers.extend(talk.followers(&name));
            }
        }
    }

    /// Returns whom the actor follows.
    fn follow(&mut self, acting: &Acting<'_>, who: String) -> Option<Arc<str>> {
        self.listener(acting, "follow", &who)?;
        let leader = who.as_str().into();
        let actor = acting.name.to_string();
        let event = Following { actor, who };
        let unaware = &acting.unaware;
        self.events.broadcast_to_stage(acting.stage, event, unaware);
        Some(leader)
    }

    /// Returns to whom the actor spoke, if it was not to all.
    fn speak(&mut self, acting: &Acting<'_>, speech: Speech) -> Option<Arc<str>> {
        let Speech {
            target,
            text,
            tells,
        } = speech;
        if !target.is_empty() {
            self.listener(acting, "speak", &target)?;
        }
        let addressed = (!target.is_empty()).then(|| target.as_str().into());
        let event = Speak {
            actor: acting.name.to_string(),
            target,
            message: text,
            tells,
        };
        let (unaware, stage) = (&acting.unaware, acting.stage);
        self.events.broadcast_to_stage(stage, event, unaware);
        let told = self.events.last_of(Speak::TYPE);
        let told = told.filter(|told| !told.blocked && !told.tells.is_empty());
        if let Some(told) = told.filter(|_| acting.present.len() >= PUBLIC) {
            let (actor, text, facts) = (acting.name.clone(), told.text.clone(), told.tells.clone());
            self.events
                .defer(move |world| publish_telling(world, stage, &actor, &text, &facts));
        }
        addressed
    }

    /// Returns to whom the actor whispered.
    fn whisper(&mut self, acting: &Acting<'_>, speech: Speech) -> Option<Arc<str>> {
        let Speech {
            target,
            text,
            tells,
        } = speech;
        let listener = self.listener(acting, "whisper", &target)?;
        let addressed = target.as_str().into();
        let event = Whisper {
            actor: acting.name.to_string(),
            target,
            message: text,
            tells,
        };
        self.events.notify_entities(&[listener], event);
        Some(addressed)
    }

    /// Whoever is beside the actor hears it at once, all others at the meeting.
    fn announce(&mut self, acting: &Acting<'_>, announcement: Announcement) {
        let mut event = Announce {
            actor: acting.name.to_string(),
            stage: self.whereabouts.name_text(acting.stage),
            message: announcement.text,
            tells: announcement.tells,
        };
        let unaware = &acting.unaware;
        self.events
            .broadcast_to_stage(acting.stage, event.clone(), unaware);
        let Some(heard) = self
            .events
            .last_of(Announce::TYPE)
            .filter(|event| !event.blocked)
        else {
            return;
        };
        let mut informed = heard.audience.clone();
        informed.push(acting.entity);
        // Elsewhere they hear it as it was heard here, so that guards have nothing more to hide.
        if let Some(message) = heard.data.get("message").and_then(Value::as_str) {
            event.message = message.to_owned();
        }
        event.tells = heard.tells.iter().map(ToString::to_string).collect();
        self.events.announce(event, &informed);
    }

    /// Tells the actor that nobody can say a fact, if it is sworn.
    fn refuse_sworn(&mut self, acting: &Acting<'_>, fact: &str) {
        let fact = self.book.get(fact).filter(|fact| fact.sworn).cloned();
        if let Some(fact) = fact {
            let title = &fact.title;
            self.refuse(acting, "tells", &SWORN, &Sworn { title });
        }
    }

    fn query(&mut self, acting: &Acting<'_>, question: Lookup) {
        let vectors = self.vectors.as_deref();
        let meaning = vectors.and_then(|vectors| self.lookups.meaning(&question.text, vectors));
        let sought = (question.text.as_str(), meaning);
        let found = self.memories.get(acting.entity).map(|past| {
            let (context, chapters, witnessed, knowledge) = past;
            // Facts that it knows, then its own past.
            let facts = self.lore.find(&self.book, knowledge, sought, MAX_FINDS);
            let facts = facts
                .iter()
                .map(|fact| format!("{}: {}", fact.title, fact.text));
            let remembered = witnessed.recall(
                (context, chapters),
                Lens::of(&self.words),
                sought,
                MAX_FINDS,
            );
            let remembered = remembered.into_iter().map(|memory| memory.text);
            facts.chain(remembered).take(MAX_FINDS).collect()
        });
        let event = MemorySearch {
            actor: acting.name.to_string(),
            message: question.text,
            found: found.unwrap_or_default(),
        };
        self.events.notify_entities(&[acting.entity], event);
    }

    /// Returns whether the actor leaves. Those here see it at once; it arrives at the meeting.
    fn leave(&mut self, acting: &Acting<'_>, destination: &Destination) -> bool {
        let exits = self.exits.get(acting.stage);
        let exits = exits.map(|exits| exits.0.as_slice()).unwrap_or_default();
        let to = self.list.by_name(&destination.to);
        let is_exit = |to: &Entity| {
            let id = self.whereabouts.id(*to);
            id.is_some_and(|id| exits.contains(&id))
        };
        let Some(to) = to.filter(is_exit) else {
            let data = NoWay {
                to: &destination.to,
            };
            self.refuse(acting, "move", &NO_WAY, &data);
            return false;
        };
        let event = Leave {
            actor: acting.name.to_string(),
            stage: self.whereabouts.name_text(acting.stage),
            to: destination.to.clone(),
        };
        let unaware = &acting.unaware;
        self.events.broadcast_to_stage(acting.stage, event, unaware);
        let actor = acting.entity;
        self.events.defer(move |world| walk(world, actor, to));
        true
    }

    /// Whether a fact would be news to somebody.
    pub(super) fn is_new(&self, who: Entity, fact: &str) -> bool {
        let fact = self.book.get(fact).filter(|fact| !fact.is_common());
        let knowledge = self.knowledge_of(who);
        fact.is_some_and(|fact| knowledge.is_some_and(|knowledge| !knowledge.knows(&fact.id)))
    }

    pub(super) fn knowledge_of(&self, who: Entity) -> Option<&Knowledge> {
        self.memories
            .get(who)
            .ok()
            .and_then(|(.., knowledge)| knowledge)
    }

    /// Somebody here who can be spoken to; if there is nobody of this name, the actor is told so.
    pub(super) fn listener(
        &mut self,
        acting: &Acting<'_>,
        action: &str,
        target: &str,
    ) -> Option<Entity> {
        let listener = self.list.by_name(target);
        let listener = listener
            .filter(|listener| *listener != acting.entity && acting.present.contains(listener));
        if listener.is_none() {
            self.refuse(acting, action, &NOBODY_THERE, &NobodyThere { target });
        }
        listener
    }

    pub(super) fn refuse<D: Serialize>(
        &mut self,
        acting: &Acting<'_>,
        action: &str,
        template: &PromptTemplate<D>,
        data: &D,
    ) {
        match self.events.phrases().render(template, data) {
            Ok(reason) => {
                let event = Refusal {
                    actor: acting.name.to_string(),
                    action: action.to_owned(),
                    reason,
                };
                self.events.notify_entities(&[acting.entity], event);
            }
            Err(error) => self.events.fault(error.into()),
        }
    }
}
