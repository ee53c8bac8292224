//! What judges found true.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

/// How a claim was found true.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Finding {
    pub judge: Arc<str>,
    /// The id of the event that shows it, as `why` takes it.
    pub event: Arc<str>,
    pub turn: u64,
    pub day: u32,
}

/// The claims of [`Judged`](super::Condition::Judged) conditions that were found true, and what
/// judges had witnessed when they were asked last. It changes at meetings only.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Judgements {
    /// By claim. What was found true once stays true.
    pub found: BTreeMap<Arc<str>, Finding>,
    /// By claim and name of the judge, the id of the last event that it had witnessed.
    pub asked: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Arc<str>>>,
}

impl Judgements {
    pub fn holds(&self, claim: &str) -> bool {
        self.found.contains_key(claim)
    }
}
