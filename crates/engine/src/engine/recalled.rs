//! Memories that are added to an ask automatically. They follow the question and never enter the
//! entity's context, so the beginning of its prompt stays the same.

use bevy_ecs::prelude::*;

use super::Engine;
use super::job::{Job, PreparedAsk, Recalled};
use crate::cast::{CastList, name_by_id};
use crate::context::{AgentContext, Chapters, EntryId, StoredMessage};
use crate::event::guard::{Guards, Judged, Point};
use crate::event::{EventTypes, Phrasebook};
use crate::exchange::ErasedAsk;
use crate::exchange::prompts::{RecalledLine, Remark};
use crate::journal::{AskEnding, RecalledMemory};
use crate::knowledge::Today;
use crate::memory::{AnswerWords, CameToMind, Cues, Lens, Meaning, Memory, Vectors, Witnessed};
use crate::message::{Role, Text, Vector};

/// Says what an entity knows of what it just witnessed, besides its memories: what a lorebook says
/// of it, for example. Called once for each ask that has cues; it may note in the world what it
/// said. The same world must give the same.
#[derive(Resource, Clone, Copy, Debug)]
pub struct Associations(pub fn(&mut World, Associating) -> Vec<String>);

/// For which ask something comes to mind.
#[derive(Clone, Copy, Debug)]
pub struct Associating {
    pub entity: Entity,
    /// The number of the ask among all of its entity.
    pub number: u32,
    /// The most tokens for which its prompt has room.
    pub tokens: u64,
}

impl Engine {
    /// What an entity knows of what it just witnessed.
    pub(super) fn known_for(&mut self, ask: &PreparedAsk, asking: u64) -> Vec<String> {
        let associations = self.world.get_resource::<Associations>().copied();
        let (Some(Associations(known)), Some(cues)) =
            (associations, ask.question.parts().cues.as_ref())
        else {
            return Vec::new();
        };
        let associating = Associating {
            entity: ask.entity,
            number: ask.number,
            tokens: cues.prompt_tokens.saturating_sub(asking),
        };
        known(&mut self.world, associating)
    }

    /// What came to an entity's mind for a question when it was answered, unless that is to be
    /// verified or the recording is of another request.
    pub(super) fn recalled_before(
        &self,
        ask: &PreparedAsk,
        known: &[String],
    ) -> Option<Option<Recalled>> {
        if self.settings.verify {
            return None;
        }
        let outcome = self
            .record
            .recording
            .outcome(&ask.name, ask.id.0, ask.number)?;
        let mut recalled = None;
        if !outcome.recalled.is_empty() || !known.is_empty() {
            let (context, chapters) = self.past_of(ask.entity)?;
            let is_own = |memory: &RecalledMemory| {
                let mut messages = chapters.all().iter().flat_map(|chapter| &chapter.messages);
                let held = messages.find(|held| held.id.0 == memory.message);
                held.is_some_and(|StoredMessage { message, .. }| {
                    message.role == Role::Ai || message.body.sender() == Some(context.name())
                })
            };
            let lines = outcome.recalled.iter().map(|memory| RecalledLine {
                day: memory.day.as_deref().unwrap_or_default(),
                place: memory.place.as_deref().unwrap_or_default(),
                own: is_own(memory),
                text: &memory.text,
            });
            let text = rendered(self.world.resource(), lines, known)?;
            let text = self.guard_recalled(&*ask.question, text)?;
            let memories = Vec::new();
            recalled = Some(Recalled { text, memories });
        }
        (ask.hash_with(recalled.as_ref()) == outcome.hash).then_some(recalled)
    }

    /// What comes to an entity's mind for a question: what it knows of it, and memories, by words
    /// and, if there is a vector of what it is about, by meaning; `None` if nothing does. `asking`
    /// is how many tokens the prompt has without it.
    pub(super) fn recall_for(
        &self,
        ask: &PreparedAsk,
        vector: Option<&Vector>,
        asking: u64,
        known: &[String],
    ) -> Option<Recalled> {
        let (entity, question) = (ask.entity, &*ask.question);
        let cues = question.parts().cues.as_ref()?;
        let (context, _) = self.past_of(entity)?;
        let phrases = self.world.resource::<Phrasebook>();
        let rendered = |memories: &[Memory]| {
            let lines = memories.iter().map(|memory| RecalledLine {
                day: memory.day.as_deref().unwrap_or_default(),
                place: memory.place.as_deref().unwrap_or_default(),
                own: memory.speaker.as_ref() == Some(context.name()),
                text: &memory.text,
            });
            rendered(phrases, lines, known)
        };
        let of_known = match known {
            [] => 0,
            _ => u64::from(rendered(&[])?.tokens()),
        };
        let room = cues
            .tokens
            .min(cues.prompt_tokens.saturating_sub(asking + of_known));
        let mut memories = match self.settings.recalls {
            true => self.memories_for(entity, question, (cues, room), vector)?,
            false => Vec::new(),
        };
        // What surrounds them takes tokens, too.
        while !memories.is_empty() {
            let text = rendered(&memories)?;
            if u64::from(text.tokens()) <= room + of_known {
                let text = self.guard_recalled(question, text)?;
                return Some(Recalled { text, memories });
            }
            memories.pop();
        }
        if known.is_empty() {
            return None;
        }
        let text = self.guard_recalled(question, rendered(&[])?)?;
        Some(Recalled { text, memories })
    }

    fn memories_for(
        &self,
        entity: Entity,
        question: &dyn ErasedAsk,
        (cues, room): (&Cues, u64),
        vector: Option<&Vector>,
    ) -> Option<Vec<Memory>> {
        let past = self.past_of(entity)?;
        let witnessed = self.world.get::<Witnessed>(entity)?;
        let places = |id| name_by_id(&self.world, id);
        let vectors = self.world.get_resource::<Vectors>();
        let meaning = vectors
            .zip(vector)
            .map(|(vectors, question)| Meaning { vectors, question });
        let types = self.world.resource::<EventTypes>();
        let came = self.world.get::<CameToMind>(entity);
        let today = self.world.resource::<Today>().0;
        let lens = Lens {
            places: &places,
            events: &|event| types.traits(event),
            words: self.world.resource::<AnswerWords>(),
            rests: &|message| came.is_some_and(|came| came.rests(message, today)),
        };
        let body = &question.parts().body;
        let asked = match question.parts().ask_short() {
            true => body.short_text(),
            false => body.full_text(),
        };
        Some(witnessed.associate(past, lens, (cues, meaning), (&asked, room)))
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
            question.parts().purpose,
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

    /// What came to a mind for an ask, and whether it bears on the answer: both name somebody else,
    /// or a place.
    pub(super) fn recalled_by(&self, job: &Job, ending: &AskEnding) -> Vec<RecalledMemory> {
        let Some(recalled) = &job.recalled else {
            return Vec::new();
        };
        let answer = match ending {
            AskEnding::Answered { text, .. } => text.as_str(),
            AskEnding::Failed { .. } => "",
        };
        let cast = self.world.resource::<CastList>().names();
        let others = cast.filter(|name| **name != job.ask.name && answer.contains(&***name));
        let named: Vec<_> = others.collect();
        let each = recalled.memories.iter().map(|memory| RecalledMemory {
            message: memory.message.0,
            day: memory.day.clone(),
            place: memory.place.clone(),
            chapter: memory.chapter.clone(),
            text: memory.text.clone(),
            used: named.iter().any(|name| memory.text.contains(&***name)),
        });
        each.collect()
    }
}

fn rendered<'m>(
    phrases: &Phrasebook,
    memories: impl Iterator<Item = RecalledLine<'m>>,
    known: &'m [String],
) -> Option<Text> {
    let remark = Remark::Recalled {
        memories: memories.collect(),
        known,
    };
    let text = phrases.fill_if_known(&remark)?;
    Some(text.into())
}
