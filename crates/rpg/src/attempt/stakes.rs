//! What an attempt can win or cost, as code offers it here and now.

use playhouse_engine::message::Language;
use serde::Serialize;

/// One thing that an attempt can win or cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stake {
    #[default]
    Nothing,
    /// A fact that the attempt makes true.
    Fact,
    /// One step of a quality.
    Quality {
        id: String,
        /// What minds read for it.
        title: String,
        by: i32,
    },
    /// A hidden item of the stage is found.
    Item(String),
    /// An item of the actor stays here for everybody to see.
    Left(String),
    /// A way to this stage, which was closed, is open.
    Way(String),
    /// One step of the bond of another present to the actor.
    Bond {
        name: String,
        by: i32,
    },
    /// Some hit points of an actor who is here and has lost some.
    Heal(String),
    /// Some hit points, never the last.
    Hurt,
    Wound,
}

#[derive(Serialize)]
pub(super) struct Offer<'a> {
    id: String,
    kind: &'static str,
    name: &'a str,
    by: i32,
}

impl Stake {
    fn offer(&self) -> Offer<'_> {
        let (kind, verb, named, by) = match self {
            Self::Nothing => ("nothing", "nothing", "", 0),
            Self::Fact => ("fact", "fact", "", 0),
            Self::Quality { id, by: 1, .. } => ("quality", "raise", id.as_str(), 1),
            Self::Quality { id, by, .. } => ("quality", "lower", id.as_str(), *by),
            Self::Item(name) => ("item", "find", name.as_str(), 0),
            Self::Left(name) => ("left", "leave", name.as_str(), 0),
            Self::Way(name) => ("way", "open", name.as_str(), 0),
            Self::Bond { name, by: 1 } => ("bond", "warm", name.as_str(), 1),
            Self::Bond { name, by } => ("bond", "cool", name.as_str(), *by),
            Self::Heal(name) => ("heal", "heal", name.as_str(), 0),
            Self::Hurt => ("hurt", "hurt", "", 0),
            Self::Wound => ("wound", "wound", "", 0),
        };
        let name = match self {
            Self::Quality { title, .. } => title,
            _ => named,
        };
        let id = format!("{verb} {named}").trim_end().to_owned();
        Offer { id, kind, name, by }
    }
}

/// Who and what the outcomes of an attempt may tell of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AttemptScope {
    pub(super) people: Vec<String>,
    /// Characters who are elsewhere, and items that nobody here can reach, unless the attempt is
    /// about them.
    pub(super) elsewhere: Vec<String>,
    pub(super) items: Vec<String>,
    pub(super) language: Language,
}

/// All that can be won and lost, and what may help.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stakes {
    /// What can be won; nothing is always among it.
    pub(super) prizes: Vec<Stake>,
    /// What it may cost; nothing is always among it.
    pub(super) costs: Vec<Stake>,
    /// The names of the actor's abilities.
    pub(super) abilities: Vec<String>,
    /// Whom and what the outcomes may tell of.
    pub(super) scope: AttemptScope,
}

/// As prompts show them.
pub(super) fn offers(stakes: &[Stake]) -> Vec<Offer<'_>> {
    stakes.iter().map(Stake::offer).collect()
}

/// As answers name them.
pub(super) fn ids(stakes: &[Stake]) -> Vec<String> {
    stakes.iter().map(|stake| stake.offer().id).collect()
}

/// What an answer names; a ruling that passed its check names what was offered, or nothing.
pub(super) fn named(stakes: &[Stake], id: &str) -> Stake {
    let named = stakes.iter().find(|stake| stake.offer().id == id);
    named.cloned().unwrap_or_default()
}
