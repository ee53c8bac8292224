//! The readable views beside a snapshot: one text file for each entity's context.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use bevy_ecs::prelude::*;

use super::error::SaveError;
use super::files::{Durability, replace};
use crate::cast::{CastList, StableId};
use crate::context::{AgentContext, buffer};

/// The most bytes of a file's name; file systems take 255.
const MOST_BYTES: usize = 200;

/// Remembers which buffers stand on disk, so that only those that changed are written.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// Each entity's context as it was last written: its length, last id and revisions, one of
    /// which every edit changes.
    written: BTreeMap<StableId, (usize, u32, u32)>,
}

impl Buffers {
    /// Writes the buffer of every context that changed since it was last written. Buffers are views:
    /// they are made again from any snapshot, so they are not synced. Those of entities that left the
    /// cast stay.
    pub(super) fn write(&mut self, world: &World, folder: &Path) -> Result<(), SaveError> {
        let everybody = world.get_resource::<CastList>().into_iter();
        for (id, entity) in everybody.flat_map(|list| list.all()) {
            let Some(context) = world.get::<AgentContext>(entity) else {
                continue;
            };
            let state = (context.len(), context.last_id(), context.revisions());
            if self.written.get(&id) == Some(&state) {
                continue;
            }
            let path = folder.join(file_name(context.name(), id));
            replace(&path, buffer(context).as_bytes(), Durability::Unsynced)?;
            self.written.insert(id, state);
        }
        Ok(())
    }
}

/// The name of an entity's buffer file. Letters and digits of any language, `-` and `_` stand for
/// themselves; every other character is percent-encoded, so that the name can be read back. A name
/// that would be too long is cut, and its entity's number tells it from others.
pub fn file_name(name: &str, id: StableId) -> String {
    let mut escaped = String::new();
    for character in name.chars() {
        if character.is_alphanumeric() || matches!(character, '-' | '_') {
            escaped.push(character);
        } else {
            for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                // Writing to a string can't fail.
                let _ = write!(escaped, "%{byte:02X}");
            }
        }
    }
    if escaped.len() > MOST_BYTES {
        escaped.truncate(escaped.floor_char_boundary(MOST_BYTES));
        let _ = write!(escaped, "~{id}");
    }
    match super::slot_name::is_device(&escaped) {
        true => format!("~{escaped}.txt"),
        false => format!("{escaped}.txt"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_file_names_that_can_be_read_back() {
        for (name, file) in [
            ("Ann", "Ann.txt"),
            ("角色.法师", "角色%2E法师.txt"),
            ("../etc", "%2E%2E%2Fetc.txt"),
            ("100%", "100%25.txt"),
            ("a b", "a%20b.txt"),
            ("nul", "~nul.txt"),
        ] {
            assert_eq!(file_name(name, StableId(1)), file);
        }
    }

    #[test]
    fn no_name_is_too_long_for_a_file() {
        let long = "🐉".repeat(64);
        let file = file_name(&long, StableId(7));
        assert!(file.len() <= 255 && file.ends_with("~7.txt"), "{file}");
        assert_ne!(file, file_name(&long, StableId(8)));
    }
}
