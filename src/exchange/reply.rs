//! What an answer must be.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::event::{Phrasebook, PromptTemplate};
use crate::message::Digest;
use crate::tool::schema_for;

/// A rule that an answer broke, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where, such as `cards[2].targets[0]`; empty for the whole answer.
    pub path: String,
    /// The rule, in words that tell the mind what would be right.
    pub rule: String,
    /// The phrase that says the same in the language of the world, and its facts.
    pub phrase: Option<(&'static str, Value)>,
}

impl Violation {
    /// A broken rule.
    pub fn new(path: impl Into<String>, rule: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            rule: rule.into(),
            phrase: None,
        }
    }

    /// The same rule, said by a phrase where the phrasebook has it: what a mind reads is then a
    /// template that a writer may change.
    #[must_use]
    pub fn said(mut self, phrase: &'static str, facts: Value) -> Self {
        self.phrase = Some((phrase, facts));
        self
    }

    /// The same rule, said by a template filled with `data` where the phrasebook has it.
    #[must_use]
    pub fn with_template<D: Serialize>(self, template: &PromptTemplate<D>, data: &D) -> Self {
        self.said(
            template.name(),
            serde_json::to_value(data).unwrap_or_default(),
        )
    }

    /// A text that must not be empty.
    pub fn empty(path: impl Into<String>) -> Self {
        Self::new(path, "must not be empty").said("rules/empty", json!({}))
    }

    /// The rule that `text` has at most `most` characters; `None` if it keeps to it.
    pub fn too_long(path: impl Into<String>, text: &str, most: usize) -> Option<Self> {
        let length = text.chars().count();
        (length > most).then(|| {
            let rule = format!("at most {most} characters; this has {length}");
            let data = json!({"most": most, "length": length});
            Self::new(path, rule).said("rules/too_long", data)
        })
    }

    /// The rule in the words of the phrasebook.
    pub fn words(&self, phrases: &Phrasebook) -> String {
        let said = self
            .phrase
            .as_ref()
            .filter(|(name, _)| phrases.0.knows(name));
        said.and_then(|(name, facts)| phrases.0.phrase(name, facts).ok())
            .unwrap_or_else(|| self.rule.clone())
    }
}

/// A type that minds answer with. Its JSON schema is derived; its check sees the facts of the ask.
pub trait Reply: Serialize + DeserializeOwned + JsonSchema + Clone + Send + Sync + 'static {
    /// What is legal in one ask: targets, limits.
    type Constraints: Clone + Send + Sync + 'static;

    /// The name of the reply in requests, such as `plan`: letters, digits and `_`.
    const NAME: &'static str;

    /// Whether the answer is free text instead of JSON.
    const IS_PROSE: bool = false;

    /// Whether the narrowed schema is the same at every ask of an entity, so that it stands where the
    /// type's own would.
    const OWN_SCHEMA: bool = false;

    /// The type's schema narrowed to what is legal in this ask; nothing where it stays as it is.
    fn constrain_schema(_schema: &Value, _facts: &Self::Constraints) -> Option<Value> {
        None
    }

    /// Every rule that the answer breaks; empty where it may be used.
    fn check(&self, _facts: &Self::Constraints) -> Vec<Violation> {
        Vec::new()
    }

    /// Reads an answer as the mind gave it.
    ///
    /// # Errors
    /// What is wrong with its form, with the path.
    fn read(raw: &str) -> Result<Self, Vec<Violation>> {
        super::extract::read_json(raw)
    }

    /// The answer as a context keeps it, where code and not a mind wrote it.
    fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// A reply type's schema, made once for each type: the same text at every ask.
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

pub(super) fn schema_of<R: Reply>() -> Schema {
    static KNOWN: LazyLock<Mutex<BTreeMap<TypeId, Schema>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known
        .entry(TypeId::of::<R>())
        .or_insert_with(|| Schema::of(schema_for::<R>()))
        .clone()
}
