//! What a record of a story was made from, so that it can be made again.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::save::{Meta, Slot};
use crate::session::Game as _;
use crate::undercover::Match;

/// What a story was played with, beside its seed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Provenance {
    /// The name of the world.
    pub(crate) world: String,
    /// The fingerprint of everything that minds read: world and prompts.
    pub(crate) fingerprint: String,
    /// The condition of the experiment; null outside of one.
    pub(crate) condition: Option<String>,
    /// The model that answers, unless a character has its own; null if that is not known.
    pub(crate) model: Option<String>,
    /// The models of single characters, by name.
    pub(crate) models: BTreeMap<String, String>,
    /// The version of Playhouse.
    pub(crate) engine: &'static str,
}

impl Provenance {
    /// A game of this world, played by this model.
    pub(crate) fn of(meta: Meta, model: &str) -> Self {
        Self {
            world: meta.world,
            fingerprint: meta.data,
            model: Some(model.to_owned()),
            engine: env!("CARGO_PKG_VERSION"),
            ..Self::default()
        }
    }

    /// A game of undercover, whose players may have models of their own.
    pub(crate) fn of_match(game: &Match, model: &str) -> Self {
        Self {
            models: game.rules().models.clone(),
            ..Self::of(game.meta(), model)
        }
    }

    /// The game of a save, as far as its journal says.
    pub(crate) fn of_journal(slot: &Slot) -> Self {
        let header = slot.journal_header();
        let (world, fingerprint) = header
            .map(|head| (head.world, head.data))
            .unwrap_or_default();
        Self {
            world,
            fingerprint,
            engine: env!("CARGO_PKG_VERSION"),
            ..Self::default()
        }
    }
}
