//! A token estimate that needs no vocabulary.

/// Estimates how many tokens a model reads `text` as.
pub fn estimate(text: &str) -> u32 {
    // Averages of OpenAI's o200k: 4.6 bytes a token in English, 1.32 characters in Chinese.
    let (mut ascii, mut wide) = (0u32, 0u32);
    for character in text.chars() {
        if character.is_ascii() {
            ascii += 1;
        } else {
            wide += 1;
        }
    }
    (ascii * 10).div_ceil(46) + (wide * 100).div_ceil(132)
}

use serde::{Deserialize, Serialize};

/// PLACEHOLDER until the estimator lands.
#[derive(
    bevy_ecs::prelude::Component, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize,
)]
pub struct Correction {
    estimated: u64,
    reported: u64,
    pending: (u64, u64),
}
impl Correction {
    /// x
    pub fn observe(&mut self, estimated: u64, reported: u64) {
        self.pending.0 += estimated;
        self.pending.1 += reported;
    }
    /// x
    pub fn settle(&mut self) {
        self.estimated += self.pending.0;
        self.reported += self.pending.1;
        self.pending = (0, 0);
    }
    /// x
    pub fn apply(&self, estimate: u64) -> u64 {
        if self.estimated == 0 {
            estimate
        } else {
            estimate * self.reported / self.estimated
        }
    }
}
