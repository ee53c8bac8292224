//! The bodies of a world, each once. Writing collects them from contexts and chapters; reading
//! shares them again.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use foldhash::fast::FixedState;
use indexmap::{IndexMap, IndexSet};
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::error::SaveError;
use crate::message::{Block, Body, BodyId, BodyParts, Content, Extra, ResponseMetadata, Text};

// --- collecting ---

/// Gives every distinct body, and every shared prefix, its index in a save.
#[derive(Default)]
pub(super) struct BodyTable<'w> {
    bodies: Bodies,
    /// Address → index, of bodies that have clones. Never iterated.
    shared: IndexMap<usize, u32, FixedState>,
    prefixes: Vec<&'w str>,
    prefix_by_address: BTreeMap<usize, u32>,
    prefix_by_text: BTreeMap<&'w str, u32>,
}

impl<'w> BodyTable<'w> {
    /// The index of a body; a new one if the body is new.
    pub(super) fn index_of(&mut self, body: &'w Body) -> u32 {
        let next = self.bodies.list.len() as u32;
        // A body without clones must be new.
        if body.is_shared() {
            let index = *self.shared.entry(body.address()).or_insert(next);
            if index != next {
                return index;
            }
        }
        if let Some(text) = body.shared_prefix() {
            let prefix = self.prefix_index(text);
            self.bodies.prefixed.push((next, prefix));
        }
        self.bodies.list.push(body.clone());
        next
    }

    /// The index of a shared prefix; equal prefixes have the same.
    fn prefix_index(&mut self, text: &'w Arc<Text>) -> u32 {
        let address = Arc::as_ptr(text) as usize;
        if let Some(index) = self.prefix_by_address.get(&address) {
            return *index;
        }
        let next = self.prefixes.len() as u32;
        let index = *self.prefix_by_text.entry(text.as_str()).or_insert(next);
        if index == next {
            self.prefixes.push(text.as_str());
        }
        self.prefix_by_address.insert(address, index);
        index
    }

    /// All bodies and all prefixes, in order of their indexes.
    pub(super) fn into_parts(self) -> (Bodies, Vec<&'w str>) {
        (self.bodies, self.prefixes)
    }
}

// --- the JSON ---

/// The bodies of a save in order.
#[derive(Default)]
pub(super) struct Bodies {
    pub(super) list: Vec<Body>,
    /// The indexes of bodies and of their shared prefixes, in order.
    pub(super) prefixed: Vec<(u32, u32)>,
    /// The event types in metadata, each with the index of its first body; filled by reading.
    pub(super) events: BTreeMap<String, u32>,
}

impl Bodies {
    /// The bodies with their shared prefixes.
    pub(super) fn with_prefixes(self, prefixes: Vec<Cow<str>>) -> Result<Vec<Body>, SaveError> {
        let prefixes: Vec<_> = prefixes
            .into_iter()
            .map(|text| Arc::new(Text::from(text)))
            .collect();
        let mut list = self.list;
        for (index, prefix) in self.prefixed {
            let prefix = prefixes.get(prefix as usize).ok_or_else(|| {
                let location = format!("messages[{index}].prefix");
                SaveError::out_of_range(location, prefix, prefixes.len(), "prefixes")
            })?;
            if let Some(body) = list.get_mut(index as usize) {
                let bare = std::mem::replace(body, Body::text(""));
                *body = bare.after(prefix.clone());
            }
        }
        Ok(list)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BodyDto<'a> {
    id: BodyId,
    time: u64,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    name: Option<Borrowed<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prefix: Option<u32>,
    #[serde(borrow)]
    content: ContentDto<'a>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    compressed_prompt: Option<Borrowed<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    metadata: Option<MetadataDto<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    response_metadata: Option<Cow<'a, ResponseMetadata>>,
}

impl<'a> BodyDto<'a> {
    fn of(body: &'a Body, prefix: Option<u32>) -> Self {
        Self {
            id: body.id(),
            time: body.time(),
            name: body.sender().map(|sender| Borrowed(Cow::Borrowed(sender))),
            prefix,
            content: match body.content() {
                Content::Text(text) => ContentDto::Text(text.as_str().into()),
                Content::Blocks(blocks) => ContentDto::Blocks(blocks.as_ref().into()),
            },
            compressed_prompt: body.short().map(|short| Borrowed(short.as_str().into())),
            metadata: body.metadata().map(MetadataDto::Map),
            response_metadata: body.response().map(Cow::Borrowed),
        }
    }
}

/// A text that borrows from the file if nothing in it is escaped, which a `Cow` in an `Option` does
/// not.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct Borrowed<'a>(#[serde(borrow)] Cow<'a, str>);

/// Raw text when read, since that of most bodies is the same.
#[derive(Serialize)]
#[serde(untagged)]
enum MetadataDto<'a> {
    Map(&'a Map<String, Value>),
    Raw(&'a RawValue),
}

impl<'de: 'a, 'a> Deserialize<'de> for MetadataDto<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&RawValue>::deserialize(deserializer).map(Self::Raw)
    }
}

/// One text, or a list of blocks.
#[derive(Serialize)]
#[serde(untagged)]
enum ContentDto<'a> {
    Text(Cow<'a, str>),
    Blocks(Cow<'a, [Block]>),
}

impl<'de: 'a, 'a> Deserialize<'de> for ContentDto<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ContentVisitor;

        impl<'de> Visitor<'de> for ContentVisitor {
            type Value = ContentDto<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a list of blocks")
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(ContentDto::Text(text.into()))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(ContentDto::Text(text.to_owned().into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                let blocks = Vec::deserialize(de::value::SeqAccessDeserializer::new(list))?;
                Ok(ContentDto::Blocks(Cow::Owned(blocks)))
            }
        }

        deserializer.deserialize_any(ContentVisitor)
    }
}

impl Serialize for Bodies {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut prefixed = self.prefixed.iter().peekable();
        serializer.collect_seq(self.list.iter().zip(0..).map(|(body, index)| {
            let prefix = prefixed.next_if(|(prefixed, _)| *prefixed == index);
            BodyDto::of(body, prefix.map(|(_, prefix)| *prefix))
        }))
    }
}

// --- reading ---

impl<'de> Deserialize<'de> for Bodies {
    /// Builds the bodies while reading, so that they are never in memory twice.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BodiesVisitor;

        impl<'de> Visitor<'de> for BodiesVisitor {
            type Value = Bodies;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of messages")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Bodies, A::Error> {
                let mut reader = BodyReader::default();
                while let Some(body) = list.next_element::<BodyDto>()? {
                    reader.add(body)?;
                }
                Ok(reader.read)
            }
        }

        deserializer.deserialize_seq(BodiesVisitor)
    }
}

impl Bodies {
    /// Reads bodies that stand on lines of their own, each but the last with a comma. `None` if a
    /// line is anything else.
    pub(super) fn on_lines(lines: &str) -> Option<Self> {
        let mut reader = BodyReader::default();
        let mut rest = Some(lines);
        while let Some(lines) = rest {
            let (line, next) = match memchr::memchr(b'\n', lines.as_bytes()) {
                Some(end) => (lines.get(..end)?.strip_suffix(',')?, lines.get(end + 1..)),
                None => (lines, None),
            };
            let body = serde_json::from_str(line).ok()?;
            reader.add::<serde_json::Error>(body).ok()?;
            rest = next;
        }
        Some(reader.read)
    }

    /// Adds the bodies that follow.
    pub(super) fn append(&mut self, next: Self) {
        let before = self.list.len() as u32;
        self.list.extend(next.list);
        let prefixed = next.prefixed.into_iter();
        self.prefixed
            .extend(prefixed.map(|(index, prefix)| (before + index, prefix)));
        for (event, index) in next.events {
            self.events.entry(event).or_insert(before + index);
        }
    }
}

/// Builds bodies, which share equal names and extras.
#[derive(Default)]
struct BodyReader<'a> {
    read: Bodies,
    names: IndexSet<Arc<str>, FixedState>,
    extras: IndexMap<&'a str, Arc<Extra>, FixedState>,
}

impl<'a> BodyReader<'a> {
    fn add<E: de::Error>(&mut self, body: BodyDto<'a>) -> Result<(), E> {
        let index = self.read.list.len() as u32;
        if let Some(prefix) = body.prefix {
            self.read.prefixed.push((index, prefix));
        }
        let extra = self.extra(body.metadata, body.response_metadata, index)?;
        let parts = BodyParts {
            id: body.id,
            time: body.time,
            sender: body.name.map(|name| self.name(&name.0)),
            content: match body.content {
                ContentDto::Text(text) => Content::Text(Text::from(text)),
                ContentDto::Blocks(blocks) => blocks.into_owned().into(),
            },
            short: body.compressed_prompt.map(|short| short.0.into()),
            extra,
        };
        self.read.list.push(parts.into());
        Ok(())
    }

    fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        let name: Arc<str> = name.into();
        self.names.insert(name.clone());
        name
    }

    fn extra<E: de::Error>(
        &mut self,
        metadata: Option<MetadataDto<'a>>,
        response: Option<Cow<'a, ResponseMetadata>>,
        index: u32,
    ) -> Result<Option<Arc<Extra>>, E> {
        let shared = match metadata {
            Some(MetadataDto::Raw(raw)) => Some(self.shared_extra(raw.get(), index)?),
            Some(MetadataDto::Map(_)) | None => None,
        };
        let Some(response) = response else {
            return Ok(shared);
        };
        let metadata = shared.map(|extra| extra.metadata.clone());
        Ok(Some(Arc::new(Extra {
            metadata: metadata.unwrap_or_default(),
            response: Some(response.into_owned()),
        })))
    }

    /// Equal metadata is parsed once.
    fn shared_extra<E: de::Error>(&mut self, raw: &'a str, index: u32) -> Result<Arc<Extra>, E> {
        if let Some(known) = self.extras.get(raw) {
            return Ok(known.clone());
        }
        let metadata: Map<String, Value> =
            serde_json::from_str(raw).map_err(|error| E::custom(format!("metadata: {error}")))?;
        if let Some(event) = metadata.get("event").and_then(Value::as_str) {
            self.read.events.entry(event.to_owned()).or_insert(index);
        }
        let extra = Arc::new(Extra {
            metadata: metadata.into(),
            response: None,
        });
        self.extras.insert(raw, extra.clone());
        Ok(extra)
    }
}
