//! Players' numbers, roles and sides.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

// Models read this doc comment in the schema of a ballot.
/// A player's number at the table, from 1.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(transparent)]
pub struct PlayerId(pub u32);

impl fmt::Display for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a player is. No player is told its own role.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum PlayerRole {
    /// Has the common word.
    Civilian,
    /// Has the other word of the pair.
    Undercover,
    /// Has no word, and is on neither side.
    Blank,
}

/// A side that can win.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Those with the common word.
    #[default]
    Civilian,
    /// Those with the other word.
    Undercover,
}
