//! The bodies of a world, each once, in the order in which the story's entities remember them.

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::message::{Body, Text};

/// Gives every distinct body, and every first part that bodies share, its index in a save.
#[derive(Default)]
pub(super) struct BodyTable<'w> {
    bodies: Vec<(&'w Body, Option<u32>)>,
    /// Address → index, of bodies that more than one place points to. Never iterated.
    shared: IndexMap<usize, u32>,
    openings: Vec<&'w str>,
    opening_by_address: BTreeMap<usize, u32>,
    opening_by_text: BTreeMap<&'w str, u32>,
}

impl<'w> BodyTable<'w> {
    /// The index of a body; a new one where it was not met before.
    pub(super) fn index_of(&mut self, body: &'w Body) -> u32 {
        let next = self.bodies.len() as u32;
        // A body that nothing else points to can't have been met.
        if body.is_shared() {
            let index = *self.shared.entry(body.address()).or_insert(next);
            if index != next {
                return index;
            }
        }
        let opening = body.opening().map(|text| self.opening_of(text));
        self.bodies.push((body, opening));
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

    /// All bodies in order of their indexes, each with the index of its opening.
    pub(super) fn bodies(&self) -> &[(&'w Body, Option<u32>)] {
        &self.bodies
    }

    /// All openings in order of their indexes.
    pub(super) fn openings(&self) -> &[&'w str] {
        &self.openings
    }
}
