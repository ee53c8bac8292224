//! Tags: marks that a context puts on its messages, to find and cut them later.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use thiserror::Error;

use super::each_entry::each_entry;
use crate::locale::Localize;

/// Members of a message in JSON that can't be tags.
pub const RESERVED_MEMBERS: [&str; 7] = [
    "type", "content", "response_metadata", "id", "name", "time", "metadata",
];

/// The key of a tag that code puts on messages, declared as a constant:
/// `const COMBAT_ID: TagKey = TagKey::new("combat_id");`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TagKey(&'static str);

impl TagKey {
    pub const fn new(key: &'static str) -> Self {
        Self(key)
    }

    /// The key in JSON and in searches.
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// The tag with this value: a name, an id or a text.
    pub fn of(self, value: impl Into<String>) -> Tag {
        Tag {
            key: self.0,
            value: value.into(),
        }
    }
}

/// A tag with a text as its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tag {
    key: &'static str,
    value: String,
}

impl Tag {
    /// The message that starts an entity's story; the entity's name.
    pub const KICKOFF: TagKey = TagKey::new("kickoff");
    /// Leaving a stage or arriving on one; the stage's name.
    pub const STAGE_TRANSITION: TagKey = TagKey::new("stage_transition");
    /// The short text that later prompts show instead of the message. A context keeps it as the
    /// short form of the body, where a search finds it, and writes it as this tag.
    pub const COMPRESSED_PROMPT: TagKey = TagKey::new("compressed_prompt");
    /// A summary that replaces a closed chapter; the stage's name.
    pub const ARCHIVE: TagKey = TagKey::new("archive");
    /// The id of the chapter that a summary replaces.
    pub const CHAPTER: TagKey = TagKey::new("chapter");
    /// The beginning of a day; its number.
    pub const DAY_BEGIN: TagKey = TagKey::new("day_begin");
    /// The end of a day; its number.
    pub const DAY_END: TagKey = TagKey::new("day_end");
    /// A guard flagged the message; the reason.
    pub const SUSPICIOUS: TagKey = TagKey::new("suspicious");
    /// The name under which an event's type is registered.
    pub const EVENT: TagKey = TagKey::new("event");
}

#[derive(Debug, Error, PartialEq, Eq, Localize)]
pub enum TagError {
    /// The key is a member of the message itself.
    #[text(message_tag_reserved, key)]
    Reserved(String),
    /// The message has this tag already.
    #[text(message_tag_repeated, key)]
    Repeated(String),
}

/// The tags of one message, with any JSON value, in the order in which they were added. Clones
/// share them, and an empty list takes no memory: most messages have none, and a broadcast gives
/// all its receivers the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tags(
    /// Never empty: that is `None`. There are few, which a map would make several times as large.
    Option<Arc<Vec<(Arc<str>, Value)>>>,
);

impl Tags {
    pub fn new() -> Self {
        Self::default()
    }

    /// These and a tag, which replaces one of the same key.
    #[must_use]
    pub fn with(mut self, tag: Tag) -> Self {
        let tags = Arc::make_mut(self.0.get_or_insert_default());
        tags.retain(|(key, _)| **key != *tag.key);
        tags.push((tag.key.into(), tag.value.into()));
        self
    }

    /// These and a tag of any key and value.
    ///
    /// # Errors
    /// The key is reserved for the message itself, or there is a tag of this key already.
    pub fn with_user(mut self, key: &str, value: impl Into<Value>) -> Result<Self, TagError> {
        Self::check(key, self.get(key).is_none())?;
        Arc::make_mut(self.0.get_or_insert_default()).push((key.into(), value.into()));
        Ok(self)
    }

    fn check(key: &str, is_new: bool) -> Result<(), TagError> {
        if RESERVED_MEMBERS.contains(&key) {
            return Err(TagError::Reserved(key.into()));
        }
        is_new
            .then_some(())
            .ok_or_else(|| TagError::Repeated(key.into()))
    }

    pub fn get(&self, key: &str) -> Option<&Value> {
        let (_, value) = self.0.as_ref()?.iter().find(|(known, _)| **known == *key)?;
        Some(value)
    }

    /// The text value of a tag.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    /// All tags as key and value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        let tags = self.0.iter().flat_map(|tags| tags.iter());
        tags.map(|(key, value)| (&**key, value))
    }

    /// Removes the short text, which belongs into the body.
    pub(crate) fn take_compressed_prompt(&mut self) -> Option<Arc<str>> {
        let key = Tag::COMPRESSED_PROMPT.as_str();
        let short = self.text(key)?.into();
        let tags = Arc::make_mut(self.0.get_or_insert_default());
        tags.retain(|(known, _)| **known != *key);
        if tags.is_empty() {
            self.0 = None;
        }
        Some(short)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_none()
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
        let (mut tags, mut keys) = (Vec::new(), BTreeSet::new());
        each_entry(deserializer, "an object of tags", |key: Arc<str>, value| {
            let is_new = keys.insert(key.clone());
            Tags::check(&key, is_new).map_err(|error| error.to_string())?;
            tags.push((key, value));
            Ok(())
        })?;
        tags.shrink_to_fit();
        Ok(Tags((!tags.is_empty()).then(|| Arc::new(tags))))
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
