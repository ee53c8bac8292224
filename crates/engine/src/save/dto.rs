//! The types of `world.json`. What is written borrows from its world, and long lists are made while
//! they are written: their types are parameters.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::bodies::ReadBodies;
use super::entries::EntryDto;
use crate::cast::{Clock, Gone, Kind};
use crate::context::{ChapterRecord, Note};
use crate::message::{Language, each_entry};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorldDto<
    'a,
    Bodies = ReadBodies,
    Contexts = Vec<ContextDto>,
    Pasts = Vec<ChaptersDto<'a>>,
> {
    pub(super) format: u32,
    pub(super) engine: Cow<'a, str>,
    pub(super) world: Cow<'a, str>,
    pub(super) data: Cow<'a, str>,
    pub(super) language: Language,
    pub(super) seed: u64,
    pub(super) turn: u64,
    pub(super) meeting: Clock,
    pub(super) last_id: u32,
    pub(super) resources: Members,
    pub(super) entities: Vec<EntityDto<'a>>,
    pub(super) arrivals: Vec<ArrivalDto>,
    pub(super) messages: Bodies,
    pub(super) prefixes: Vec<Cow<'a, str>>,
    pub(super) agents_context: Contexts,
    pub(super) chapters: Pasts,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EntityDto<'a> {
    pub(super) id: u32,
    pub(super) name: Cow<'a, str>,
    pub(super) kind: Kind,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) place: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) dead: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) gone: Option<Gone>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) clock: Option<Clock>,
    pub(super) components: Members,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ArrivalDto {
    pub(super) stage: u32,
    pub(super) actors: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContextDto<Entries = Vec<EntryDto>> {
    pub(super) entity: u32,
    pub(super) last_id: u32,
    pub(super) revisions: u32,
    pub(super) messages: Entries,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChaptersDto<'a, Closed = Vec<ChapterDto<'a>>> {
    pub(super) entity: u32,
    pub(super) closed: Closed,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) open_notes: Vec<Cow<'a, Note>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChapterDto<'a, Entries = Vec<EntryDto>> {
    pub(super) id: Cow<'a, str>,
    pub(super) title: Cow<'a, str>,
    pub(super) turn: u64,
    pub(super) messages: Entries,
    pub(super) summing_up: Entries,
    pub(super) summary: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) record: Option<Cow<'a, ChapterRecord>>,
}

/// A list that is made while it is written.
pub(super) struct Each<F>(pub(super) F);

impl<I: IntoIterator<Item: Serialize>, F: Fn() -> I> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Components or resources, each name once.
#[derive(Default, Serialize)]
pub(super) struct Members(pub(super) BTreeMap<String, Box<RawValue>>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut members = BTreeMap::new();
        each_entry(deserializer, "values by name", |name: String, value| {
            if members.contains_key(&name) {
                return Err(format!("duplicate member '{name}'"));
            }
            members.insert(name, value);
            Ok(())
        })?;
        Ok(Members(members))
    }
}
