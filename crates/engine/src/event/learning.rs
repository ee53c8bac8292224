//! The events of knowing: what an entity learned, and what its speaker could not say.

use serde::{Deserialize, Serialize};

use super::{AgentEvent, Recipients};
use crate::context::{Common, Noting};
use crate::knowledge::{Fact, MadeKind, is_made};
use crate::locale::{UiText, text};

/// A fact was learned. Every recipient knows it from then on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "learned", style = Lesson, no_trigger, private, tells = std::slice::from_ref(&self.fact),
    happening = noted, third_person = seen
)]
pub struct Learned {
    pub fact: String,
    pub title: String,
    pub message: String,
    /// The name of the teller; empty if there is none.
    pub from: String,
}

impl Learned {
    /// A fact, learned from an entity of this name; without a teller if it is empty.
    pub(super) fn of(fact: &Fact, from: &str) -> Self {
        Self {
            fact: fact.id.clone(),
            title: fact.title.clone(),
            message: fact.text.clone(),
            from: from.to_owned(),
        }
    }

    /// That these have learned the fact, by these words.
    pub fn told_to(&self, to: &Recipients<'_>, fact: &str) -> UiText {
        let who = to.subject();
        if self.from.is_empty() {
            text!(story_found_out, who, fact)
        } else {
            text!(story_learned, who, fact, from = &self.from)
        }
    }

    /// That these have learned it, by its title alone.
    pub fn titled(&self, to: &Recipients<'_>) -> UiText {
        let (who, title) = (to.subject(), &self.title);
        if self.from.is_empty() {
            text!(story_found_out_title, who, title)
        } else {
            text!(story_learned_title, who, title, from = &self.from)
        }
    }

    fn seen(&self, to: &Recipients<'_>) -> Option<UiText> {
        Some(self.told_to(to, &self.message))
    }

    pub fn is_made(&self) -> bool {
        is_made(&self.fact)
    }
}

impl Learned {
    fn noted(&self) -> Option<Noting> {
        if self.from.is_empty() && MadeKind::of(&self.fact) == Some(MadeKind::Hiding) {
            return None; // Whoever hid it remembers that.
        }
        let learned = Common::Learned {
            fact: self.fact.as_str().into(),
            text: self.message.as_str().into(),
            from: self.from.as_str().into(),
        };
        Some(learned.into())
    }
}

/// Others did not hear what its speaker said, told to the speaker alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("masked", style = Note, private, third_person = text!(story_masked, actor))]
pub struct Masked {
    pub actor: String,
    /// What the others heard; empty if they heard nothing.
    pub message: String,
}
