//! Who sees and who hears.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A sense that somebody may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Sense {
    /// Without it, one learns nothing from what is shown or written.
    Sight,
    /// Without it, one learns nothing from talk.
    Hearing,
}

/// Who has which sense, by name: everybody has all, unless a game says otherwise. Events keep to
/// it by themselves ([`AgentEvent::PERCEIVED`](crate::event::AgentEvent::PERCEIVED)).
#[derive(Resource, Clone, Default)]
pub struct Senses(Option<Arc<dyn Fn(&str, Sense) -> bool + Send + Sync>>);

impl Senses {
    pub fn new(has: impl Fn(&str, Sense) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(has)))
    }

    pub fn has(&self, name: &str, sense: Sense) -> bool {
        self.0.as_ref().is_none_or(|has| has(name, sense))
    }
}
