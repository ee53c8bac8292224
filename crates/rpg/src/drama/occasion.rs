//! When in a campaign scenes open.

use bevy_ecs::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When in a campaign scenes open.
#[derive(
    Resource,
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Occasion {
    /// Before the story begins: nobody talks, and nothing is decided.
    #[serde(alias = "Start")]
    Start,
    /// The first round of talk of a day at home.
    #[default]
    #[serde(alias = "Morning")]
    Morning,
    /// Any later round of a day at home.
    #[serde(alias = "Afternoon")]
    Afternoon,
    /// The party has reached a stage of a dungeon and has met nobody yet.
    #[serde(alias = "Travel")]
    Travel,
    /// A fight was won.
    #[serde(alias = "Camp")]
    Camp,
    /// A fight was lost or drawn.
    #[serde(alias = "Retreat")]
    Retreat,
    /// The party has come home.
    #[serde(alias = "Return")]
    Return,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttemptEnd {
    /// It succeeded, perhaps at a cost.
    #[serde(alias = "Succeeded")]
    Succeeded,
    /// It did not succeed.
    #[default]
    #[serde(alias = "Failed")]
    Failed,
}
