//! `world.json` as it is read: typed, and borrowing from the text wherever that saves a copy.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use foldhash::fast::FixedState;
use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::SaveError;
use super::entry_runs::RunDto;
use crate::cast::{Clock, Kind};
use crate::message::{
    Block, Body, BodyId, BodyParts, Content, Extra, Language, ResponseMetadata, Text,
};

/// The text of a save.
pub(super) fn text_of(save: &[u8]) -> Result<&str, SaveError> {
    std::str::from_utf8(save).map_err(|error| {
        let at = format!("byte {}", error.valid_up_to());
        SaveError::wrong(at, "the save is no UTF-8 text; restore it from a copy")
    })
}

/// Parses text; where that fails, once more to find out where.
pub(super) fn parse<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Result<T, SaveError> {
    let text = text_of(text)?;
    serde_json::from_str(text).map_err(|error| describe::<T>(text, &error))
}

fn describe<'a, T: Deserialize<'a>>(text: &'a str, error: &serde_json::Error) -> SaveError {
    if error.is_eof() {
        return SaveError::Truncated(error.to_string());
    }
    let reader = &mut serde_json::Deserializer::from_str(text);
    match serde_path_to_error::deserialize::<_, T>(reader) {
        Err(found) => SaveError::wrong(found.path().to_string(), found.inner().to_string()),
        Ok(_) => SaveError::wrong("end", error.to_string()),
    }
}

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorldDto<'a> {
    pub(super) format: u32,
    /// For people; any engine reads what fits.
    #[serde(rename = "engine")]
    pub(super) _engine: de::IgnoredAny,
    #[serde(borrow)]
    pub(super) world: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) data: Cow<'a, str>,
    pub(super) language: Language,
    pub(super) seed: u64,
    pub(super) turn: u64,
    pub(super) meeting: Clock,
    pub(super) last_id: u32,
    #[serde(borrow)]
    pub(super) resources: Members<'a>,
    #[serde(borrow)]
    pub(super) entities: Vec<EntityDto<'a>>,
    pub(super) arrivals: Vec<ArrivalDto>,
    pub(super) openings: Vec<Box<str>>,
    pub(super) messages: Bodies,
    pub(super) agents_context: Vec<ContextDto>,
    #[serde(borrow)]
    pub(super) chapters: Vec<ChaptersDto<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EntityDto<'a> {
    pub(super) id: u32,
    #[serde(borrow)]
    pub(super) name: Cow<'a, str>,
    pub(super) kind: Kind,
    #[serde(default)]
    pub(super) place: bool,
    #[serde(default)]
    pub(super) dead: bool,
    #[serde(default)]
    pub(super) clock: Option<Clock>,
    #[serde(borrow)]
    pub(super) components: Members<'a>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ArrivalDto {
    pub(super) stage: u32,
    pub(super) actors: Vec<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContextDto {
    pub(super) entity: u32,
    pub(super) last_id: u32,
    pub(super) revisions: u32,
    pub(super) messages: Vec<RunDto>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChaptersDto<'a> {
    pub(super) entity: u32,
    #[serde(borrow)]
    pub(super) closed: Vec<ChapterDto<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChapterDto<'a> {
    #[serde(borrow)]
    pub(super) id: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) title: Cow<'a, str>,
    pub(super) turn: u64,
    pub(super) messages: Vec<RunDto>,
    pub(super) summing_up: Vec<RunDto>,
    pub(super) summary: u32,
}

/// Named values in order, each name once.
#[derive(Default)]
pub(super) struct Members<'a>(pub(super) Vec<(Cow<'a, str>, Value)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;

        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of values by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut seen = BTreeSet::new();
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    if !seen.insert(name.clone()) {
                        return Err(de::Error::custom(format!("'{name}' stands here twice")));
                    }
                    members.push((Cow::Owned(name), value));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(MembersVisitor)
    }
}

/// All bodies. They are built while they are read, so that they never stand in memory twice.
#[derive(Default)]
pub(super) struct Bodies {
    pub(super) list: Vec<Body>,
    /// Which bodies stand behind which opening, by index.
    pub(super) opened: Vec<(u32, u32)>,
    /// The event types that metadata names, each with the first body that does.
    pub(super) events: BTreeMap<String, u32>,
}

impl<'de> Deserialize<'de> for Bodies {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BodiesVisitor;

        impl<'de> Visitor<'de> for BodiesVisitor {
            type Value = Bodies;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of messages")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Bodies, A::Error> {
                let mut reader = BodyReader::default();
                while let Some(form) = list.next_element::<BodyDto>()? {
                    reader.add(form)?;
                }
                Ok(reader.read)
            }
        }

        deserializer.deserialize_seq(BodiesVisitor)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BodyDto<'a> {
    pub(super) id: BodyId,
    pub(super) time: u64,
    #[serde(borrow, default)]
    pub(super) name: Option<Cow<'a, str>>,
    #[serde(default)]
    #[serde(rename = "opening")]
    pub(super) shared_prefix: Option<u32>,
    #[serde(borrow)]
    pub(super) content: ContentDto<'a>,
    #[serde(default)]
    pub(super) compressed_prompt: Option<Box<str>>,
    #[serde(borrow, default)]
    pub(super) metadata: Option<Raw<'a>>,
    #[serde(default)]
    pub(super) response_metadata: Option<ResponseMetadata>,
}

/// A value as it stands in the text.
pub(super) struct Raw<'a>(pub(super) &'a str);

impl<'de: 'a, 'a> Deserialize<'de> for Raw<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        Ok(Self(raw.get()))
    }
}

/// One text, or a list of blocks.
pub(super) enum ContentDto<'a> {
    Text(Cow<'a, str>),
    Blocks(Vec<Block>),
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
                Ok(ContentDto::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(ContentDto::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = list.next_element()? {
                    blocks.push(block);
                }
                Ok(ContentDto::Blocks(blocks))
            }
        }

        deserializer.deserialize_any(ContentVisitor)
    }
}

/// Builds bodies, with names and extras that repeat stored once.
#[derive(Default)]
pub(super) struct BodyReader<'a> {
    pub(super) read: Bodies,
    names: IndexSet<Arc<str>, FixedState>,
    extras: IndexMap<&'a str, Arc<Extra>, FixedState>,
}

impl<'a> BodyReader<'a> {
    pub(super) fn add<E: de::Error>(&mut self, form: BodyDto<'a>) -> Result<(), E> {
        let index = self.read.list.len() as u32;
        if let Some(shared_prefix) = form.shared_prefix {
            self.read.opened.push((index, shared_prefix));
        }
        let extra = self.extra(form.metadata, form.response_metadata, index)?;
        let parts = BodyParts {
            id: form.id,
            time: form.time,
            sender: form.name.map(|name| self.name(&name)),
            content: match form.content {
                ContentDto::Text(text) => Content::Text(Text::from(text)),
                ContentDto::Blocks(blocks) => blocks.into(),
            },
            short: form.compressed_prompt,
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
        metadata: Option<Raw<'a>>,
        response: Option<ResponseMetadata>,
        index: u32,
    ) -> Result<Option<Arc<Extra>>, E> {
        let raw = metadata.map(|raw| raw.0);
        if let (Some(raw), None) = (raw, &response) {
            return Ok(Some(self.shared_extra(raw, index)?));
        }
        let metadata = match raw {
            Some(raw) => self.shared_extra(raw, index)?.metadata.clone(),
            None => Arc::default(),
        };
        Ok(response.map(|response| {
            Arc::new(Extra {
                metadata,
                response: Some(response),
            })
        }))
    }

    /// Metadata that repeats is parsed once.
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
