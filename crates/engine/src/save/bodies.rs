//! The bodies of a world, each once. Writing collects them from contexts and chapters; reading
//! shares them again.

use std::borrow::Cow;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use foldhash::fast::FixedState;
use indexmap::{IndexMap, IndexSet};
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use super::entries::check_size;
use super::error::SaveError;
use crate::message::{Block, Body, BodyId, Content, ResponseMetadata, Text};

/// Gives every distinct body its index in a save.
#[derive(Default)]
pub(super) struct BodyTable<'w> {
    /// By their addresses.
    bodies: IndexMap<usize, TableRow<'w>, FixedState>,
    prefixes: IndexSet<&'w str>,
}

struct TableRow<'w> {
    body: &'w Body,
    bytes: usize,
    /// The index of its shared prefix.
    prefix: Option<u32>,
}

impl<'w> BodyTable<'w> {
    /// Adds the bodies of a context or a part of a chapter.
    pub(super) fn add_all(
        &mut self,
        bodies: impl IntoIterator<Item = &'w Body>,
    ) -> Result<(), SaveError> {
        let bytes = bodies.into_iter().map(|body| self.add(body)).sum();
        check_size(bytes).map_err(SaveError::TooMuch)
    }

    /// Adds a body, if it is new, and returns its length in bytes.
    pub(super) fn add(&mut self, body: &'w Body) -> usize {
        self.bodies
            .entry(body.address())
            .or_insert_with(|| TableRow {
                body,
                bytes: body.bytes(),
                prefix: body
                    .shared_prefix()
                    .map(|text| self.prefixes.insert_full(text.as_str()).0 as u32),
            })
            .bytes
    }

    /// The index of a body that was added.
    pub(super) fn index_of(&self, body: &Body) -> u32 {
        let index = self.bodies.get_index_of(&body.address());
        index.unwrap_or_default() as u32
    }

    /// The prefixes that bodies share, in order of their indexes.
    pub(super) fn prefixes(&self) -> Vec<Cow<'w, str>> {
        self.prefixes.iter().copied().map(Cow::Borrowed).collect()
    }
}

impl Serialize for BodyTable<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows = self.bodies.values();
        serializer.collect_seq(rows.map(|row| BodyDto::of(row.body, row.prefix)))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BodyDto<'a> {
    id: BodyId,
    time: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prefix: Option<u32>,
    content: ContentDto<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    compressed_prompt: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    metadata: Option<Cow<'a, Map<String, Value>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    response_metadata: Option<Cow<'a, ResponseMetadata>>,
}

/// One text, or a list of blocks.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "a text or a list of blocks")]
enum ContentDto<'a> {
    Text(Cow<'a, str>),
    Blocks(Cow<'a, [Block]>),
}

impl<'a> BodyDto<'a> {
    fn of(body: &'a Body, prefix: Option<u32>) -> Self {
        Self {
            id: body.id(),
            time: body.time(),
            name: body.sender().map(|sender| sender.as_ref().into()),
            prefix,
            content: match body.content() {
                Content::Text(text) => ContentDto::Text(text.as_str().into()),
                Content::Blocks(blocks) => ContentDto::Blocks(blocks.as_ref().into()),
            },
            compressed_prompt: body.short().map(|short| short.as_str().into()),
            metadata: body.metadata().map(Cow::Borrowed),
            response_metadata: body.response().map(Cow::Borrowed),
        }
    }

    fn into_body(self, shared: &mut Shared) -> Body {
        let mut body = match self.content {
            ContentDto::Text(text) => Body::text(text),
            ContentDto::Blocks(blocks) => Body::blocks(blocks.into_owned()),
        }
        .with_id(self.id)
        .at(self.time);
        if let Some(name) = self.name {
            body = body.from_sender(once(&mut shared.names, name.into()));
        }
        if let Some(short) = self.compressed_prompt {
            body = body.with_short(short);
        }
        if let Some(metadata) = self.metadata {
            let metadata = Arc::new(metadata.into_owned());
            body = body.with_metadata(once(&mut shared.metadata, metadata));
        }
        if let Some(response) = self.response_metadata {
            let share = |name| once(&mut shared.names, name);
            body = body.with_response(response.into_owned().sharing_names(share));
        }
        body
    }
}

/// What many bodies of a save have alike, each once.
#[derive(Default)]
struct Shared {
    names: IndexSet<Arc<str>>,
    metadata: IndexSet<Arc<Map<String, Value>>>,
}

/// The known one of equal values.
pub(super) fn once<T: Clone + Eq + Hash>(known: &mut IndexSet<T>, value: T) -> T {
    let (index, _) = known.insert_full(value.clone());
    known.get_index(index).cloned().unwrap_or(value)
}

/// The bodies of a save, each made as soon as it was read, and the indexes of those after a prefix
/// and of that.
#[derive(Default)]
pub(super) struct ReadBodies {
    bodies: Vec<Body>,
    prefixed: Vec<(usize, u32)>,
}

impl<'de> Deserialize<'de> for ReadBodies {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BodiesVisitor;

        impl<'de> Visitor<'de> for BodiesVisitor {
            type Value = ReadBodies;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of messages")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<ReadBodies, A::Error> {
                let (mut read, mut shared) = (ReadBodies::default(), Shared::default());
                while let Some(body) = list.next_element::<BodyDto>()? {
                    let index = read.bodies.len();
                    read.prefixed
                        .extend(body.prefix.map(|prefix| (index, prefix)));
                    read.bodies.push(body.into_body(&mut shared));
                }
                Ok(read)
            }
        }

        deserializer.deserialize_seq(BodiesVisitor)
    }
}

impl ReadBodies {
    /// The bodies after their prefixes.
    pub(super) fn after(self, prefixes: Vec<Cow<str>>) -> Result<Vec<Body>, SaveError> {
        let Self {
            mut bodies,
            prefixed,
        } = self;
        let prefixes: Vec<_> = prefixes
            .into_iter()
            .map(|text| Arc::new(Text::from(text)))
            .collect();
        for (index, prefix) in prefixed {
            let shared = prefixes.get(prefix as usize).ok_or_else(|| {
                let location = format!("messages[{index}].prefix");
                SaveError::out_of_range(location, prefix, prefixes.len(), "prefixes")
            })?;
            if let Some(body) = bodies.get_mut(index) {
                *body = body.clone().after(shared.clone());
            }
        }
        Ok(bodies)
    }
}
