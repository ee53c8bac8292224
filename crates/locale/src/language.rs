//! The languages that worlds, prompts and the interface come in.

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

/// A language that worlds, prompts and the interface come in. As a resource it is the world's.
#[derive(
    Resource,
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Default,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    #[default]
    En,
    Zh,
}

impl Language {
    /// The two letters that name it in folders and settings.
    pub fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }
}
