//! What happened, of types that games define.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A game's type of what can happen, as far as a witness can tell. Its JSON is an object.
pub trait Happened: Clone + Serialize + DeserializeOwned {
    /// The facts in it, by which it is found although its message may not tell them.
    fn facts(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Whom it concerns, and how much it weighs for them.
    fn concerns(&self) -> (u8, Vec<&str>) {
        (0, Vec::new())
    }

    /// The same without words of a mind, which guards may have changed for some witnesses. `None`
    /// if nothing is left.
    fn without_words(self) -> Option<Self> {
        Some(self)
    }
}

/// What happened, of a type that only its game knows, with what a memory needs of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Happening {
    value: Value,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    facts: Vec<Box<str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    people: Vec<Arc<str>>,
    #[serde(default)]
    weight: u8,
}

impl Happening {
    /// The value, if it is of this type.
    pub fn read<H: Happened>(&self) -> Option<H> {
        H::deserialize(&self.value).ok()
    }

    pub(crate) fn facts(&self) -> impl Iterator<Item = &str> {
        self.facts.iter().map(|fact| &**fact)
    }

    pub(crate) fn people(&self) -> &[Arc<str>] {
        &self.people
    }

    /// How much it weighs for those whom it concerns.
    pub(crate) fn weight(&self) -> u8 {
        self.weight
    }
}

impl<H: Happened> From<H> for Happening {
    fn from(happened: H) -> Self {
        let (weight, people) = happened.concerns();
        let facts = happened.facts().into_iter();
        Self {
            facts: facts
                .filter(|fact| !fact.is_empty())
                .map(Into::into)
                .collect(),
            people: people.into_iter().map(Into::into).collect(),
            weight,
            value: serde_json::to_value(&happened).unwrap_or_default(),
        }
    }
}

/// What the witnesses of an event note.
#[derive(Clone, Debug, PartialEq)]
pub struct Noting {
    pub whole: Happening,
    /// What those note for whom guards have changed the words; `None` for nothing.
    pub without_words: Option<Happening>,
}

impl<H: Happened> From<H> for Noting {
    fn from(happened: H) -> Self {
        Self {
            whole: happened.clone().into(),
            without_words: happened.without_words().map(Into::into),
        }
    }
}

/// What happens in any game.
#[derive(
    Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Common {
    Died {
        who: Arc<str>,
        /// The name of the killer; empty if there is none.
        by: Arc<str>,
    },
    /// The witness learned a fact.
    Learned {
        /// The id of the fact.
        fact: Arc<str>,
        text: Arc<str>,
        /// The name of the teller; empty if there is none.
        from: Arc<str>,
    },
    /// The witness told a fact to those who did not know it.
    Told {
        /// The id of the fact.
        fact: Arc<str>,
        /// What it is about, or the fact itself if play made it.
        about: Arc<str>,
        to: Vec<Arc<str>>,
    },
}

impl Happened for Common {
    fn facts(&self) -> Vec<&str> {
        match self {
            Self::Died { .. } => Vec::new(),
            Self::Learned { text, .. } => vec![text],
            Self::Told { about, .. } => vec![about],
        }
    }

    fn concerns(&self) -> (u8, Vec<&str>) {
        match self {
            Self::Died { who, by } => (5, vec![who, by]),
            Self::Learned { from, .. } => (2, vec![from]),
            Self::Told { to, .. } => (2, to.iter().map(|name| &**name).collect()),
        }
    }

    fn without_words(self) -> Option<Self> {
        (!matches!(self, Self::Learned { .. })).then_some(self)
    }
}
