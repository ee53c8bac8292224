//! The types that minds answer with.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Violation;
use crate::message::Digest;
use crate::tool::schema_for;

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

    /// Whether small mistakes of JSON are corrected by the schema: unknown members, `null` for what
    /// is left out, a single value for a list of one, names in another case or with an article.
    const CORRECTS_JSON: bool = true;

    /// The member that takes the names of those members that were dropped from an answer since they
    /// are not legal now, so that its author can be told.
    const LEFT_OUT: Option<&'static str> = None;

    /// The member that an answer without any JSON gives, if it is nothing but one of the words that
    /// may stand there.
    const BARE_MEMBER: Option<&'static str> = None;

    /// The type's schema limited to what is legal in this ask; `None` if it stays as it is.
    fn constrain_schema(_schema: &Value, _constraints: &Self::Constraints) -> Option<Value> {
        None
    }

    /// Every rule that the answer breaks; empty if it may be used.
    fn check(&self, _constraints: &Self::Constraints) -> Vec<Violation> {
        Vec::new()
    }

    /// Reads an answer as the mind gave it.
    ///
    /// # Errors
    /// What is wrong with its form, with the path.
    fn read(raw: &str) -> Result<Self, Vec<Violation>> {
        super::extract::read_json(raw)
    }

    /// What the answer looks up in the entity's memory and in what it knows, so that it can be
    /// found by its meaning, too.
    fn looks_up(&self) -> Option<&str> {
        None
    }

    /// What a context keeps of an answer in prose.
    fn kept_text(raw: &str) -> &str {
        raw
    }

    /// The answer as a context keeps it if code wrote it instead of a mind.
    fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
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
