//! The bodies of a world, each once, in the order in which the story's entities remember them.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::fast::FixedState;
use indexmap::IndexMap;

use super::json_writer::JsonWriter;
use crate::message::{Body, Content, Text};

/// Gives every distinct body, and every first part that bodies share, its index in a save. A body is
/// written at the moment when it is first met, while its text is at hand.
pub(super) struct BodyTable<'w, 'j> {
    json: &'j mut JsonWriter,
    count: u32,
    /// Address → index, of bodies that more than one place points to. Never iterated.
    shared: IndexMap<usize, u32, FixedState>,
    openings: Vec<&'w str>,
    opening_by_address: BTreeMap<usize, u32>,
    opening_by_text: BTreeMap<&'w str, u32>,
}

impl<'w, 'j> BodyTable<'w, 'j> {
    /// An empty table that writes bodies as elements of a list.
    pub(super) fn new(json: &'j mut JsonWriter) -> Self {
        Self {
            json,
            count: 0,
            shared: IndexMap::default(),
            openings: Vec::new(),
            opening_by_address: BTreeMap::new(),
            opening_by_text: BTreeMap::new(),
        }
    }

    /// The index of a body; a new one where it was not met before.
    pub(super) fn index_of(&mut self, body: &'w Body) -> u32 {
        let next = self.count;
        // A body that nothing else points to can't have been met.
        if body.is_shared() {
            let index = *self.shared.entry(body.address()).or_insert(next);
            if index != next {
                return index;
            }
        }
        let shared_prefix = body.shared_prefix().map(|text| self.opening_of(text));
        self.json.line();
        write_body(body, shared_prefix, self.json);
        self.count += 1;
        next
    }

    /// Equal first parts are one and the same in a save, wherever their text came from.
    fn opening_of(&mut self, text: &'w Arc<Text>) -> u32 {
        let address = Arc::as_ptr(text) as usize;
        if let Some(index) = self.opening_by_address.get(&address) {
            return *index;
        }
        let next = self.openings.len() as u32;
        let index = *self.opening_by_text.entry(text.as_str()).or_insert(next);
        if index == next {
            self.openings.push(text.as_str());
        }
        self.opening_by_address.insert(address, index);
        index
    }

    /// All openings in order of their indexes.
    pub(super) fn into_openings(self) -> Vec<&'w str> {
        self.openings
    }
}

fn write_body(body: &Body, shared_prefix: Option<u32>, json: &mut JsonWriter) {
    json.push(b'{');
    json.member("id");
    json.push(b'"');
    json.number(body.id().place);
    json.push(b'-');
    json.number(body.id().number);
    json.push(b'"');
    json.member("time");
    json.number(body.time());
    if let Some(sender) = body.sender() {
        json.member("name");
        json.string(sender);
    }
    if let Some(shared_prefix) = shared_prefix {
        json.member("opening");
        json.number(shared_prefix);
    }
    json.member("content");
    match body.content() {
        Content::Text(text) => json.string(text.as_str()),
        Content::Blocks(blocks) => json.value(blocks),
    }
    if let Some(short) = body.short() {
        json.member("compressed_prompt");
        json.string(short.as_str());
    }
    if let Some(metadata) = body.metadata() {
        json.member("metadata");
        json.value(metadata);
    }
    if let Some(response) = body.response() {
        json.member("response_metadata");
        json.value(response);
    }
    json.push(b'}');
}
