//! The texts of events and asks, from templates that a writer may change.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

use crate::locale::{Localize, UiText};
use crate::world_data::{Problem, Templates};

/// Why a phrase can't be made.
#[derive(Clone, Debug, Error, PartialEq, Eq, Localize)]
pub enum PhraseError {
    /// There is no such template, or it can't be filled.
    Template(#[from] Problem),
    /// The data can't be written as JSON.
    Json(UiText),
    /// A reason of an event type's own.
    Other(UiText),
}

impl From<serde_json::Error> for PhraseError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error.text())
    }
}

impl From<PhraseError> for String {
    fn from(error: PhraseError) -> Self {
        error.to_string()
    }
}

/// The phrases of the world's language. Without templates, a phrase is its name and its data.
#[derive(Resource, Clone, Default)]
pub struct Phrasebook {
    templates: Option<Arc<Templates>>,
    short_questions: bool,
}

impl Phrasebook {
    /// The same phrases, where questions with a short form are sent in it or not; by default they
    /// are not.
    #[must_use]
    pub fn with_short_questions(self, short_questions: bool) -> Self {
        Self {
            short_questions,
            ..self
        }
    }

    /// Whether questions that have a short form are sent in it.
    pub fn has_short_questions(&self) -> bool {
        self.short_questions
    }

    /// The phrase of this name, filled with data.
    pub fn say(&self, name: &str, data: &impl Serialize) -> Result<String, PhraseError> {
        let Some(templates) = &self.templates else {
            return Ok(format!("{name} {}", serde_json::to_value(data)?));
        };
        let mut text = templates.render(name, data)?;
        text.truncate(text.trim_end().len());
        Ok(text)
    }

    /// The phrase of this name; `None` if there is none, or it can't be filled.
    pub fn say_if_known(&self, name: &str, data: &impl Serialize) -> Option<String> {
        let is_known = self.templates.as_ref()?.has(name);
        is_known.then(|| self.say(name, data).ok()).flatten()
    }

    /// A phrase with its data; `words` if there is none, or it can't be filled.
    pub fn say_or(&self, phrase: Option<&(&'static str, Value)>, words: &str) -> String {
        let said = phrase.and_then(|(name, data)| self.say_if_known(name, data));
        said.unwrap_or_else(|| words.to_owned())
    }
}

impl From<Templates> for Phrasebook {
    fn from(templates: Templates) -> Self {
        Self {
            templates: Some(Arc::new(templates)),
            short_questions: false,
        }
    }
}
