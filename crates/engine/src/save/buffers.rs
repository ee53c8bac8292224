//! The readable contexts next to a snapshot: a text file for each entity.

use std::collections::BTreeMap;
use std::fmt::Write;

use bevy_ecs::prelude::*;

use super::slot_name::is_device;
use crate::cast::{CastList, StableId};
use crate::context::{AgentContext, buffer};
use crate::files::{Durability, FileError, Folder};
use crate::secrets::redacted;
use crate::wording::shown;

/// The maximum length of a file name in bytes; file systems accept 255.
const MAX_BYTES: usize = 200;

/// Remembers what is on disk, so that only buffers that changed are written.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// The length, last id and revisions of each context when it was written; every edit changes
    /// one of them.
    written: BTreeMap<StableId, (usize, u32, u32)>,
}

impl Buffers {
    /// Writes the buffer of every context that changed. Buffers can be created again from any
    /// snapshot, so they are not synced. Those of removed entities stay.
    pub(super) fn write(&mut self, world: &World, folder: &Folder) -> Result<(), FileError> {
        let cast_list = world.get_resource::<CastList>().into_iter();
        for (id, entity) in cast_list.flat_map(CastList::all) {
            let Some(context) = world.get::<AgentContext>(entity) else {
                continue;
            };
            let state = (context.len(), context.last_id(), context.revisions());
            if self.written.get(&id) == Some(&state) {
                continue;
            }
            // Its reader has no program between them and the text.
            let text = shown(redacted(buffer(context)));
            let file = file_name(context.name(), id);
            folder.replace(&file, text.as_bytes(), Durability::Unsynced)?;
            self.written.insert(id, state);
        }
        Ok(())
    }
}

/// The name of an entity's buffer file. Characters other than letters and digits of any language,
/// `-` and `_` are percent-encoded, so that the name can be read back. A name that is too long is
/// cut and followed by the entity's number.
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
    if escaped.len() > MAX_BYTES {
        escaped.truncate(escaped.floor_char_boundary(MAX_BYTES));
        let _ = write!(escaped, "~{id}");
    }
    if is_device(&escaped) {
        escaped.insert(0, '~');
    }
    escaped + ".txt"
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
