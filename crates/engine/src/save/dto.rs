//! The types of `world.json`, for reading and writing. They borrow where that saves a copy.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::bodies::Bodies;
use super::entry_runs::RunDto;
use crate::cast::{Clock, Kind};
use crate::context::{ChapterRecord, Note};
use crate::message::Language;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorldDto<'a> {
    pub(super) format: u32,
    #[serde(borrow)]
    pub(super) engine: Cow<'a, str>,
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
    pub(super) messages: Bodies,
    pub(super) prefixes: Vec<Cow<'a, str>>,
    pub(super) agents_context: Vec<ContextDto>,
    #[serde(borrow)]
    pub(super) chapters: Vec<ChaptersDto<'a>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EntityDto<'a> {
    pub(super) id: u32,
    #[serde(borrow)]
    pub(super) name: Cow<'a, str>,
    pub(super) kind: Kind,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) place: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) dead: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) clock: Option<Clock>,
    #[serde(borrow)]
    pub(super) components: Members<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ArrivalDto {
    pub(super) stage: u32,
    pub(super) actors: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContextDto {
    pub(super) entity: u32,
    pub(super) last_id: u32,
    pub(super) revisions: u32,
    pub(super) messages: Vec<RunDto>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChaptersDto<'a> {
    pub(super) entity: u32,
    #[serde(borrow)]
    pub(super) closed: Vec<ChapterDto<'a>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) open_notes: Vec<Cow<'a, Note>>,
}

#[derive(Serialize, Deserialize)]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) record: Option<Cow<'a, ChapterRecord>>,
}

/// Components or resources in order, each name once.
#[derive(Default)]
pub(super) struct Members<'a>(pub(super) Vec<(Cow<'a, str>, Cow<'a, RawValue>)>);

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

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
                while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
                    if !seen.insert(name.clone()) {
                        return Err(de::Error::custom(format!("duplicate member '{name}'")));
                    }
                    members.push((name.into(), Cow::Borrowed(value)));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(MembersVisitor)
    }
}
