//! What an event is, the list of known types, and the phrases that give events their words.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::message::Tags;
use crate::world_data::Templates;

/// A typed thing that happened.
pub trait AgentEvent: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The name under which the type is registered, such as `speak`.
    const TYPE: &'static str;

    /// Who did it, by name.
    fn speaker(&self) -> Option<&str> {
        None
    }

    /// Free text that the speaker's mind wrote; guards judge it before the event is sent.
    fn spoken(&mut self) -> Option<&mut String> {
        None
    }

    /// Whether everybody in the audience may repeat it: speech is, a whisper is not.
    fn is_public(&self) -> bool {
        true
    }

    /// Marks for the message that each receiver gets.
    fn tags(&self) -> Tags {
        Tags::new()
    }

    /// The words that receivers read. By default the phrase `events/TYPE` filled with the event, which
    /// `data` holds as JSON.
    ///
    /// # Errors
    /// What the phrasebook says.
    fn text(&self, phrases: &Phrasebook, data: &Value) -> Result<String, String> {
        phrases.0.phrase(&format!("events/{}", Self::TYPE), data)
    }
}

/// Gives events and asks their words, from templates that a writer may change.
pub trait Phrases: Send + Sync {
    /// The phrase of this name, filled with `data`.
    ///
    /// # Errors
    /// Why it can't be made: no such phrase, an unknown variable.
    fn phrase(&self, name: &str, data: &Value) -> Result<String, String>;

    /// Whether there is a phrase of this name.
    fn knows(&self, name: &str) -> bool;
}

/// The phrases of the world's language. Without data, a phrase is its name and its facts.
#[derive(Resource, Clone)]
pub struct Phrasebook(pub Arc<dyn Phrases>);

impl Phrasebook {
    /// The phrase of this name, filled with these facts.
    ///
    /// # Errors
    /// Why it can't be made.
    pub fn say(&self, name: &str, facts: &Value) -> Result<String, String> {
        self.0.phrase(name, facts)
    }
}

/// Phrases from templates.
struct FromTemplates(Templates);

impl Phrases for FromTemplates {
    fn phrase(&self, name: &str, data: &Value) -> Result<String, String> {
        let text = self.0.render(name, data);
        let mut text = text.map_err(|problem| problem.to_string())?;
        text.truncate(text.trim_end().len());
        Ok(text)
    }

    fn knows(&self, name: &str) -> bool {
        self.0.has(name)
    }
}

impl From<Templates> for Phrasebook {
    fn from(templates: Templates) -> Self {
        Self(Arc::new(FromTemplates(templates)))
    }
}

impl Default for Phrasebook {
    fn default() -> Self {
        Self(Arc::new(BarePhrases))
    }
}

struct BarePhrases;

impl Phrases for BarePhrases {
    fn phrase(&self, name: &str, data: &Value) -> Result<String, String> {
        Ok(format!("{name} {data}"))
    }

    fn knows(&self, _name: &str) -> bool {
        false
    }
}

/// The event types that are known, by name.
#[derive(Resource, Default)]
pub struct EventTypes(BTreeMap<&'static str, fn(&Value) -> Result<(), String>>);

impl EventTypes {
    /// Whether a type of this name is registered.
    pub fn knows(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The names of all known types, sorted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }

    /// Checks that JSON is an event of the type of this name.
    ///
    /// # Errors
    /// The type is unknown, or the JSON does not fit it.
    pub fn check(&self, name: &str, data: &Value) -> Result<(), String> {
        match self.0.get(name) {
            Some(check) => check(data),
            None => {
                let known: Vec<_> = self.names().collect();
                let known = known.join(", ");
                Err(format!("unknown event type '{name}'; known are {known}"))
            }
        }
    }
}

/// Makes an event type known, so that systems may tell it and saves may name it.
pub fn register_event<E: AgentEvent>(world: &mut World) {
    let check = |data: &Value| {
        let read = serde_json::from_value::<E>(data.clone());
        read.map(|_| ()).map_err(|error| error.to_string())
    };
    let mut types = world.get_resource_or_init::<EventTypes>();
    types.0.insert(E::TYPE, check);
}
