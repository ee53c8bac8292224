//! Memories that are added to an ask automatically. They follow the question and never enter the
//! entity's context, so the beginning of its prompt stays the same.

use bevy_ecs::prelude::*;

use super::Engine;
use super::job::{Job, Recalled};
use crate::cast::name_by_id;
use crate::context::{AgentContext, Chapters, EntryId};
use crate::event::guard::{Guards, Judged, Point};
use crate::event::{EventTypes, Phrasebook};
use crate::exchange::ErasedAsk;
use crate::exchange::prompts::{RecalledLine, Remark};
use crate::journal::{AskEnding, RecalledMemory};
use crate::knowledge::Today;
use crate::memory::{AnswerWords, CameToMind, Lens, Meaning, Memory, Vectors, Witnessed};
use crate::message::{Text, Vector};

impl Engine {
    /// What comes to an entity's mind for a question, by words and, if there is a vector of what it
    /// is about, by meaning; `None` if nothing does. `asking` is how many tokens the prompt has
    /// without it.
    pub(super) fn recall_for(
        &self,
        entity: Entity,
        question: &dyn ErasedAsk,
        vector: Option<&Vector>,
        asking: u64,
    ) -> Option<Recalled> {
        let cues = question.cues()?;
        let room = cues.tokens.min(cues.prompt_tokens.saturating_sub(asking));
        let (context, chapters) = self.past_of(entity)?;
        let witnessed = self.world.get::<Witnessed>(entity)?;
        let places = |id| name_by_id(&self.world, id);
        let vectors = self.world.get_resource::<Vectors>();
        let meaning = vectors
            .zip(vector)
            .map(|(vectors, question)| Meaning { vectors, question });
        let past = (context, chapters);
        let types = self.world.resource::<EventTypes>();
        let came = self.world.get::<CameToMind>(entity);
        let today = self.world.resource::<Today>().0;
        let lens = Lens {
            places: &places,
            events: &|event| types.traits(event),
            words: self.world.resource::<AnswerWords>(),
            rests: &|message| came.is_some_and(|came| came.rests(message, today)),
        };
        let body = question.body();
        let asked = match question.ask_short() {
            true => body.short_text(),
            false => body.full_text(),
        };
        let mut memories = witnessed.associate(past, lens, (cues, meaning), (&asked, room));
        let phrases = self.world.resource::<Phrasebook>();
        // What surrounds them takes tokens, too.
        while !memories.is_empty() {
            let text = rendered(phrases, context, &memories)?;
            if u64::from(text.tokens()) <= room {
                let text = self.guard_recalled(question, text)?;
                return Some(Recalled { text, memories });
            }
            memories.pop();
        }
        None
    }

    pub(super) fn past_of(&self, entity: Entity) -> Option<(&AgentContext, &Chapters)> {
        let context = self.world.get::<AgentContext>(entity)?;
        Some((context, self.world.get::<Chapters>(entity)?))
    }

    /// What guards leave of memories. They judged them when they were told, but may judge
    /// questions by other rules.
    pub(super) fn guard_recalled(&self, question: &dyn ErasedAsk, text: Text) -> Option<Text> {
        let guards = self.world.resource::<Guards>();
        if !guards.watch(Point::Ask) {
            return Some(text);
        }
        let judgement = guards.judge(Judged::request(
            question.purpose(),
            text.as_str(),
            *self.world.resource(),
        ));
        let is_blocked = judgement.blocked().is_some();
        (!is_blocked).then(|| judgement.text.into_owned().into())
    }

    /// Notes what came to an entity's mind, so that it doesn't come again too soon.
    pub(super) fn note_recalled(&mut self, entity: Entity, recalled: &[RecalledMemory]) {
        if recalled.is_empty() {
            return;
        }
        let today = self.world.resource::<Today>().0;
        let messages = recalled.iter().map(|memory| EntryId(memory.message));
        if let Ok(mut entity) = self.world.get_entity_mut(entity) {
            let mut came = entity.take::<CameToMind>().unwrap_or_default();
            came.note(messages, today);
            entity.insert(came);
        }
    }

    /// What came to a mind for an ask, and whether the answer seems to use it.
    pub(super) fn recalled_by(&self, job: &Job, ending: &AskEnding) -> Vec<RecalledMemory> {
        let Some(recalled) = &job.recalled else {
            return Vec::new();
        };
        let entity = job.ask.entity;
        let witnessed = self.world.get::<Witnessed>(entity);
        let mind = witnessed.zip(self.world.get::<AgentContext>(entity));
        let used = match (ending, mind) {
            (AskEnding::Answered { text, .. }, Some((witnessed, context))) => {
                let types = self.world.resource::<EventTypes>();
                let lens = Lens {
                    events: &|event| types.traits(event),
                    ..Lens::of(self.world.resource::<AnswerWords>())
                };
                let question = job.ask.sent_text();
                witnessed.used(context, lens, &recalled.memories, text, &question)
            }
            _ => Vec::new(),
        };
        let used = used.into_iter().chain(std::iter::repeat(false));
        let each = recalled
            .memories
            .iter()
            .zip(used)
            .map(|(memory, used)| RecalledMemory {
                message: memory.message.0,
                day: memory.day.clone(),
                place: memory.place.clone(),
                chapter: memory.chapter.clone(),
                text: memory.text.clone(),
                used,
            });
        each.collect()
    }
}

fn rendered(phrases: &Phrasebook, context: &AgentContext, memories: &[Memory]) -> Option<Text> {
    let memories = memories.iter().map(|memory| RecalledLine {
        day: memory.day.as_deref().unwrap_or_default(),
        place: memory.place.as_deref().unwrap_or_default(),
        own: memory.speaker.as_ref() == Some(context.name()),
        text: &memory.text,
    });
    let remark = Remark::Recalled {
        memories: memories.collect(),
    };
    let text = phrases.fill_if_known(&remark)?;
    Some(text.into())
}
