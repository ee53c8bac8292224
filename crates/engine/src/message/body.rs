//! The immutable, shared part of a message.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};

use super::{Block, Digest, ResponseMetadata, Text, shown};
use crate::locale::{UiText, text};

/// Identifies a body: the place where it was made, and its number there. No two bodies of a world
/// have the same id; a body made outside any world has `BodyId::NONE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct BodyId {
    /// The stable number of the place: a stage, an entity on no stage, or 0 for the meeting.
    pub place: u32,
    /// Counts up from 1 within the place.
    pub number: u32,
}

impl BodyId {
    /// The id of a body made outside any world.
    pub const NONE: Self = Self {
        place: 0,
        number: 0,
    };
}

impl fmt::Display for BodyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.place, self.number)
    }
}

impl std::str::FromStr for BodyId {
    type Err = UiText;

    fn from_str(text: &str) -> Result<Self, UiText> {
        let id = text.split_once('-').and_then(|(place, number)| {
            Some(Self {
                place: place.parse().ok()?,
                number: number.parse().ok()?,
            })
        });
        id.ok_or_else(|| text!(message_bad_id, text))
    }
}

impl Serialize for BodyId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BodyId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// The content of a body: one text, or a list of blocks.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// One text block; by far the most common.
    Text(Text),
    /// Several blocks, or blocks that are not text.
    Blocks(Box<[Block]>),
}

/// The content of a message and where it comes from. Immutable and cheap to clone: clones share one
/// allocation.
#[derive(Clone, Debug)]
#[must_use]
pub struct Body(Arc<Inner>);

#[derive(Clone, Debug, PartialEq)]
struct Inner {
    id: BodyId,
    /// The time of its place, in steps.
    time: u64,
    sender: Option<Arc<str>>,
    /// The beginning that many bodies share, such as the rules of the world.
    shared_prefix: Option<Arc<Text>>,
    content: Content,
    /// Replaces the content in every prompt after the turn that asked.
    short: Option<Box<Text>>,
    /// Never empty.
    metadata: Option<Arc<Map<String, Value>>>,
    response: Option<Box<ResponseMetadata>>,
}

impl From<Vec<Block>> for Content {
    /// A single text block becomes a text, so that equal content compares equal.
    fn from(blocks: Vec<Block>) -> Self {
        match <[Block; 1]>::try_from(blocks) {
            Ok([Block::Text { text }]) => Self::Text(Text::from(text)),
            Ok(block) => Self::Blocks(Box::new(block)),
            Err(many) => Self::Blocks(many.into()),
        }
    }
}

impl Body {
    pub fn text(text: impl Into<Box<str>>) -> Self {
        Self::from_content(Content::Text(Text::from(text)))
    }

    /// A body of blocks. A single text block becomes a text, so that equal content compares equal.
    pub fn blocks(blocks: Vec<Block>) -> Self {
        Self::from_content(blocks.into())
    }

    fn from_content(content: Content) -> Self {
        Self(Arc::new(Inner {
            id: BodyId::NONE,
            time: 0,
            sender: None,
            shared_prefix: None,
            content,
            short: None,
            metadata: None,
            response: None,
        }))
    }

    /// The same body with another id. Like the other builders, it copies the body if it is shared.
    pub fn with_id(self, id: BodyId) -> Self {
        self.edit(|inner| inner.id = id)
    }

    /// The same body at this time of its place, in steps.
    pub fn at(self, time: u64) -> Self {
        self.edit(|inner| inner.time = time)
    }

    /// The same body by this sender; without one if the name is empty.
    pub fn from_sender(self, sender: impl Into<Arc<str>>) -> Self {
        let sender = Some(sender.into()).filter(|sender| !sender.is_empty());
        self.edit(|inner| inner.sender = sender)
    }

    /// The same body after a prefix that it shares with others.
    pub fn after(self, shared_prefix: Arc<Text>) -> Self {
        self.edit(|inner| inner.shared_prefix = Some(shared_prefix))
    }

    /// The same body with a short form that replaces it in later prompts.
    pub fn with_short(mut self, short: impl Into<Box<str>>) -> Self {
        self.shorten(short);
        self
    }

    /// As [`Self::with_short`], in its place.
    pub(crate) fn shorten(&mut self, short: impl Into<Box<str>>) {
        let short = Box::new(Text::from(short));
        Arc::make_mut(&mut self.0).short = Some(short);
    }

    /// The same body with its short form alone, if it has one.
    pub(crate) fn condensed(self) -> Self {
        if self.short().is_none() {
            return self;
        }
        self.edit(|inner| {
            if let Some(short) = inner.short.take() {
                (inner.shared_prefix, inner.content) = (None, Content::Text(*short));
            }
        })
    }

    /// The same body with free metadata.
    pub fn with_metadata(self, metadata: impl Into<Arc<Map<String, Value>>>) -> Self {
        let metadata = Some(metadata.into()).filter(|metadata| !metadata.is_empty());
        self.edit(|inner| inner.metadata = metadata)
    }

    /// The same body with the metadata of the model's response.
    pub fn with_response(self, response: ResponseMetadata) -> Self {
        self.edit(|inner| inner.response = Some(response.into()))
    }

    /// A shared body is never edited but copied.
    fn edit(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    pub fn id(&self) -> BodyId {
        self.0.id
    }

    /// The time of its place at which it was made, in steps.
    pub fn time(&self) -> u64 {
        self.0.time
    }

    pub fn sender(&self) -> Option<&Arc<str>> {
        self.0.sender.as_ref()
    }

    /// The type of the event that it tells, if it tells one.
    pub fn event_type(&self) -> Option<&str> {
        self.metadata()?.get("event")?.as_str()
    }

    /// The prefix that it shares with other bodies.
    pub fn shared_prefix(&self) -> Option<&Arc<Text>> {
        self.0.shared_prefix.as_ref()
    }

    /// The content after its shared prefix.
    pub fn content(&self) -> &Content {
        &self.0.content
    }

    /// The short form that later prompts show.
    pub fn short(&self) -> Option<&Text> {
        self.0.short.as_deref()
    }

    /// Free metadata; empty for most.
    pub fn metadata(&self) -> Option<&Map<String, Value>> {
        self.0.metadata.as_deref()
    }

    /// What the model's provider said about the making of an ai message.
    pub fn response(&self) -> Option<&ResponseMetadata> {
        self.0.response.as_deref()
    }

    /// All its text: the shared prefix and every text block, joined by line ends. Thinking is not
    /// text.
    pub fn full_text(&self) -> Cow<'_, str> {
        self.joined_text("\n")
    }

    /// The text that later prompts show: the short form, if there is one.
    pub fn short_text(&self) -> Cow<'_, str> {
        match self.short() {
            Some(short) => Cow::Borrowed(short.as_str()),
            None => self.full_text(),
        }
    }

    /// The length in bytes of the full form as it is sent, before escaping.
    pub fn bytes(&self) -> usize {
        let shared_prefix = self.shared_prefix().map_or(0, |text| text.as_str().len());
        let own = match self.content() {
            Content::Text(text) => text.as_str().len(),
            Content::Blocks(blocks) => shown(blocks).len(),
        };
        shared_prefix + own
    }

    /// Its content for people: [`Self::full_text`] with tool calls and their results.
    pub fn shown(&self) -> Cow<'_, str> {
        match self.content() {
            Content::Text(_) => self.full_text(),
            Content::Blocks(blocks) => {
                let shared_prefix = self.shared_prefix().map_or("", |text| text.as_str());
                Cow::Owned(format!("{shared_prefix}{}", shown(blocks)))
            }
        }
    }

    /// The estimated tokens of the full form.
    pub fn tokens(&self) -> u32 {
        let shared_prefix = self.shared_prefix().map_or(0, |text| text.tokens());
        let own = match self.content() {
            Content::Text(text) => text.tokens(),
            Content::Blocks(blocks) => blocks.iter().map(Block::tokens).sum(),
        };
        shared_prefix + own
    }

    pub fn is_silent(&self) -> bool {
        let has_text = self.shared_prefix().is_some();
        !has_text && matches!(self.content(), Content::Text(text) if text.as_str().is_empty())
    }

    /// The estimated tokens of the form that later prompts show.
    pub fn short_tokens(&self) -> u32 {
        self.short().map_or_else(|| self.tokens(), Text::tokens)
    }

    /// A digest of its content, without the sender.
    pub fn digest(&self) -> Digest {
        let own = match self.content() {
            Content::Text(text) => text.digest(),
            Content::Blocks(blocks) => Digest::of(&serde_json::to_vec(blocks).unwrap_or_default()),
        };
        match self.shared_prefix() {
            Some(shared_prefix) => Digest::of(&[shared_prefix.digest().0, own.0].concat()),
            None => own,
        }
    }

    /// Whether two bodies share one allocation.
    pub fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// An address that is unique among the bodies that are alive; only for building lookup tables.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }
}

impl PartialEq for Body {
    fn eq(&self, other: &Self) -> bool {
        self.same(other) || self.0 == other.0
    }
}

impl From<&str> for Body {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<Vec<Block>> for Body {
    fn from(blocks: Vec<Block>) -> Self {
        Self::blocks(blocks)
    }
}
