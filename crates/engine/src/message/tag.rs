//! Tags: marks that a context puts on its messages, to find and cut them later.

use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use thiserror::Error;

use crate::locale::{Localize, UiText, text};

/// Members of a message in JSON that can't be tags.
pub const RESERVED_MEMBERS: [&str; 7] = [
    "type",
    "content",
    "response_metadata",
    "id",
    "name",
    "time",
    "metadata",
];

macro_rules! engine_tags {
    ($($(#[$doc:meta])* $variant:ident = $key:literal,)*) => {
        /// The engine's own tags. Their values are text: a name, an id or a prompt.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Tag {
            $($(#[$doc])* $variant(Arc<str>),)*
        }

        impl Tag {
            /// Its key in JSON.
            pub fn key(&self) -> &'static str {
                match self { $(Self::$variant(_) => $key,)* }
            }

            /// The tag's value.
            pub fn value(&self) -> &Arc<str> {
                match self { $(Self::$variant(value) => value,)* }
            }

            /// The engine's tag of this name, if there is one.
            pub fn from_key(key: &str, value: &str) -> Option<Self> {
                match key { $($key => Some(Self::$variant(value.into())),)* _ => None }
            }
        }
    };
}

engine_tags! {
    /// The message that starts an entity's story; the entity's name.
    Kickoff = "kickoff",
    /// The beginning of a fight; the stage's name.
    CombatInitialization = "combat_initialization",
    /// The end of a fight; the stage's name.
    CombatOutcome = "combat_outcome",
    /// Matches the beginning and the end of a fight.
    CombatId = "combat_id",
    /// Leaving a stage or arriving on one; the stage's name.
    StageTransition = "stage_transition",
    /// The short text that later prompts show instead of the message. A context keeps it as the
    /// short form of the body, where a search finds it, and writes it as this tag.
    CompressedPrompt = "compressed_prompt",
    /// A summary that replaces a closed chapter; the stage's name.
    Archive = "archive",
    /// The id of the chapter that a summary replaces.
    Chapter = "chapter",
    /// The beginning of a day at home; its number.
    DayBegin = "day_begin",
    /// The end of a day at home; its number.
    DayEnd = "day_end",
    /// A guard flagged the message; the reason.
    Suspicious = "suspicious",
    /// The name under which an event's type is registered.
    Event = "event",
}

impl Tag {
    /// The key of a message's short text, in JSON and in searches.
    pub const COMPRESSED_PROMPT: &str = "compressed_prompt";
}

/// Why a tag was refused.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{}", self.text())]
pub enum TagError {
    /// The key is a member of the message itself.
    Reserved(String),
    /// The message has this tag already.
    Repeated(String),
}

impl Localize for TagError {
    fn text(&self) -> UiText {
        match self {
            Self::Reserved(key) => text!(message_tag_reserved, key),
            Self::Repeated(key) => text!(message_tag_repeated, key),
        }
    }
}

/// The tags of one message: the engine's own, then the user's with any JSON value, in the order in
/// which they were added. Clones share them, and an empty list takes no memory: most messages have
/// none, and a broadcast gives all its receivers the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tags(Option<Arc<TagList>>);

/// Never empty: that is `None` in [`Tags`].
#[derive(Clone, Debug, Default, PartialEq)]
struct TagList {
    own: Vec<Tag>,
    user: IndexMap<Arc<str>, Value>,
}

impl Tags {
    /// No tags.
    pub fn new() -> Self {
        Self::default()
    }

    /// These and one of the engine's tags, which replaces a tag of the same key.
    #[must_use]
    pub fn with(mut self, tag: Tag) -> Self {
        let list = self.list_mut();
        list.own.retain(|old| old.key() != tag.key());
        list.user.shift_remove(tag.key());
        list.own.push(tag);
        self
    }

    /// These and one of the user's tags, with any JSON value.
    ///
    /// # Errors
    /// The key is reserved for the message itself, or there is a tag of this key already.
    pub fn with_user(mut self, key: &str, value: impl Into<Value>) -> Result<Self, TagError> {
        if RESERVED_MEMBERS.contains(&key) {
            return Err(TagError::Reserved(key.into()));
        }
        if self.get(key).is_some() {
            return Err(TagError::Repeated(key.into()));
        }
        let value = value.into();
        match value.as_str().and_then(|text| Tag::from_key(key, text)) {
            Some(tag) => self.list_mut().own.push(tag),
            None => {
                self.list_mut().user.insert(key.into(), value);
            }
        }
        Ok(self)
    }

    /// The value of a tag.
    pub fn get(&self, key: &str) -> Option<Value> {
        match self.own(key) {
            Some(tag) => Some(Value::from(tag.value().as_ref())),
            None => self.user(key).cloned(),
        }
    }

    /// The text value of a tag.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.own(key) {
            Some(tag) => Some(tag.value()),
            None => self.user(key)?.as_str(),
        }
    }

    /// All tags as key and JSON value: the engine's own first.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Value)> {
        self.0.iter().flat_map(|list| {
            let own = list.own.iter();
            let own = own.map(|tag| (tag.key(), Value::from(tag.value().as_ref())));
            let user = list.user.iter();
            own.chain(user.map(|(key, value)| (&**key, value.clone())))
        })
    }

    /// Removes the short text, which belongs into the body.
    pub(crate) fn take_compressed_prompt(&mut self) -> Option<Arc<str>> {
        let short = self.own(Tag::COMPRESSED_PROMPT)?.value().clone();
        let list = self.list_mut();
        let is_short = |tag: &Tag| matches!(tag, Tag::CompressedPrompt(_));
        list.own.retain(|tag| !is_short(tag));
        if *list == TagList::default() {
            self.0 = None;
        }
        Some(short)
    }

    /// Whether there is no tag.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    fn own(&self, key: &str) -> Option<&Tag> {
        self.0.as_ref()?.own.iter().find(|tag| tag.key() == key)
    }

    fn user(&self, key: &str) -> Option<&Value> {
        self.0.as_ref()?.user.get(key)
    }

    fn list_mut(&mut self) -> &mut TagList {
        Arc::make_mut(self.0.get_or_insert_default())
    }
}

impl Serialize for Tags {
    /// An object, as in saves.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Tags {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TagsVisitor;

        impl<'de> Visitor<'de> for TagsVisitor {
            type Value = Tags;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of tags")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tags, A::Error> {
                let mut tags = Tags::new();
                while let Some((key, value)) = map.next_entry::<String, Value>()? {
                    tags = tags.with_user(&key, value).map_err(de::Error::custom)?;
                }
                Ok(tags)
            }
        }

        deserializer.deserialize_map(TagsVisitor)
    }
}

impl From<Tag> for Tags {
    fn from(tag: Tag) -> Self {
        Self::new().with(tag)
    }
}

impl<const N: usize> From<[Tag; N]> for Tags {
    fn from(tags: [Tag; N]) -> Self {
        tags.into_iter().fold(Self::new(), Self::with)
    }
}
