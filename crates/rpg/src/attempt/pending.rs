//! What a stage has to judge.

use std::collections::VecDeque;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

/// On a stage: the attempts that it has to judge, oldest first.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct PendingAttempts(pub(super) VecDeque<PendingAttempt>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PendingAttempt {
    pub(super) who: Arc<str>,
    /// What, as those present understood it.
    pub(super) what: String,
    /// What for, which the referee alone is told; empty if that is plain.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) aim: String,
}

impl PendingAttempts {
    pub(crate) fn add(&mut self, who: Arc<str>, what: String, aim: String) {
        self.0.push_back(PendingAttempt { who, what, aim });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
