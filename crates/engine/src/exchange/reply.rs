//! The types that minds answer with.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use bevy_ecs::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Violation;
use crate::memory::{AnswerWords, Words};
use crate::message::Digest;
use crate::reading::{NoJson, OtherNames};
use crate::tool::schema_for;

/// How far an answer has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerState {
    /// Whether it was cut off at its limit of tokens.
    pub is_cut: bool,
    /// Whether it is used with what was [told in vain](Violation::only_once).
    pub is_last: bool,
    /// Whether a person wrote it, who writes [as it likes](Violation::of_style).
    pub is_persons: bool,
}

/// What an answer in prose is the answer to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked<'a> {
    /// The question in full.
    pub question: &'a str,
    /// How far the answer has come.
    pub state: AnswerState,
}

/// A type that minds answer with. Its JSON schema is derived; its check sees the constraints of the
/// ask.
pub trait Reply: Serialize + DeserializeOwned + JsonSchema + Clone + Send + Sync + 'static {
    /// What is legal in an ask: targets, limits.
    type Constraints: Clone + Send + Sync + 'static;

    /// The name of the reply in requests, such as `plan`: letters, digits and `_`.
    const NAME: &'static str;

    /// Whether the answer is free text instead of JSON.
    const IS_PROSE: bool = false;

    /// Whether the constrained schema is the same for every ask of an entity. It then takes the
    /// place of the type's schema in requests.
    const OWN_SCHEMA: bool = false;

    /// The paths of members that need not be said although the schema asks for them, such as
    /// `cards.name`; the type must have a default for each.
    const MAY_BE_LEFT_OUT: &'static [&'static str] = &[];

    /// Whether lists and choices may be missing within its members, and in the last answer any part
    /// of them; the type must have defaults for them.
    const MAY_LACK_PARTS: bool = false;

    /// Outermost members that may be said, although the constrained schema does not ask for them.
    const UNASKED: &'static [&'static str] = &[];

    /// Other names under which models give members, such as `("aim", &["goal"])`. Everyday ones are
    /// in [`names`](crate::reading::names).
    const OTHER_NAMES: OtherNames = &[];

    /// Other words for what is offered: each with the word for which it stands.
    const OTHER_WORDS: &'static [(&'static str, &'static str)] = &[];

    /// Words that may stand around what is chosen and say nothing of their own, such as those of
    /// voting.
    const FILLERS: &'static [&'static str] = &[];

    /// The member that takes the names of those members that were dropped from an answer since they
    /// are not legal now, so that its author can be told.
    const LEFT_OUT: Option<&'static str> = None;

    /// Whether its texts are told, so that what models put around them is taken off.
    const IS_TOLD: bool = false;

    /// The members that hold words, for the memory of the one who answers; register the type for
    /// this.
    const WORDS: &'static [Words] = &[];

    /// Outermost members that an example of an answer has, although they need not be said.
    const IN_EXAMPLE: &'static [&'static str] = &[];

    /// The member that an answer without any JSON gives: if something is offered there, the answer
    /// must be nothing else. An empty name stands for the whole answer, which may be any JSON or
    /// text.
    const BARE_MEMBER: Option<&'static str> = None;

    /// The type's schema limited to what is legal in this ask; `None` if it stays as it is.
    fn constrain_schema(_schema: &Value, _constraints: &Self::Constraints) -> Option<Value> {
        None
    }

    /// Every rule that the answer breaks; empty if it may be used.
    fn check(&self, _constraints: &Self::Constraints) -> Vec<Violation> {
        Vec::new()
    }

    /// Reads an answer in prose.
    ///
    /// # Errors
    /// What is wrong with its form.
    fn read(_raw: &str) -> Result<Self, Vec<Violation>> {
        Err(vec![Violation::no_json(&NoJson::Prose)])
    }

    /// An answer in prose without what is no part of it.
    #[must_use]
    fn unwrapped(self, _asked: &Asked<'_>, _constraints: &Self::Constraints) -> Self {
        self
    }

    /// The answer with what follows from what was said, before it is checked.
    #[must_use]
    fn settled(self, _constraints: &Self::Constraints) -> Self {
        self
    }

    /// What the answer looks up in the entity's memory and in what it knows, so that it can be
    /// found by its meaning, too.
    fn looks_up(&self) -> Option<&str> {
        None
    }

    /// What a context keeps of an answer in prose.
    fn remembered_text(&self, raw: &str) -> String {
        raw.to_owned()
    }

    /// The answer as a context keeps it if code wrote it instead of a mind.
    fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Registers a type of replies, so that the words in its answers are remembered.
pub fn register_reply<R: Reply>(world: &mut World) {
    world.get_resource_or_init::<AnswerWords>().add(R::WORDS);
}

/// A schema as value and as text.
#[derive(Clone)]
pub(super) struct Schema {
    pub(super) text: Arc<str>,
    pub(super) value: Arc<Value>,
    pub(super) digest: Digest,
}

impl Schema {
    pub(super) fn of(value: Value) -> Self {
        let text: Arc<str> = value.to_string().into();
        Self {
            digest: Digest::of(text.as_bytes()),
            value: Arc::new(value),
            text,
        }
    }
}

/// A reply type's schema, made once for each type, so that every ask has the same text.
pub(super) fn schema_of<R: Reply>() -> Schema {
    static KNOWN: LazyLock<Mutex<BTreeMap<TypeId, Schema>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known
        .entry(TypeId::of::<R>())
        .or_insert_with(|| Schema::of(schema_for::<R>()))
        .clone()
}
