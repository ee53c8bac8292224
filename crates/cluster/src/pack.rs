//! A story as one file, to be kept, sent, or put into another store.

use playhouse_engine::locale::{Localize, UiText};
use playhouse_engine::save::{PackedSlot, SlotName};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The version of the format.
const FORMAT: u32 = 1;

/// A story as one JSON object. What its texts say is judged when they are played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pack {
    format: u32,
    /// The build of the program that wrote it.
    pub build: String,
    name: String,
    journal: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    snapshot: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    settings: Option<String>,
}

/// A file that is no packed story.
#[derive(Debug, Error, Localize)]
#[text(cluster_not_packed)]
pub struct NotPacked {
    reason: UiText,
}

impl NotPacked {
    fn because(error: &impl Localize) -> Self {
        let reason = error.text();
        Self { reason }
    }
}

impl Pack {
    /// The largest file that is read, in bytes.
    pub const MAX_BYTES: u64 = 1 << 30;

    /// A story under its name.
    ///
    /// # Errors
    /// Its files are no texts.
    pub fn of(name: &SlotName, story: PackedSlot, build: &str) -> Result<Self, NotPacked> {
        let not_text = |error| NotPacked::because(&UiText::verbatim(error));
        let text = |bytes| String::from_utf8(bytes).map_err(not_text);
        Ok(Self {
            format: FORMAT,
            build: build.to_owned(),
            name: name.to_string(),
            journal: text(story.journal)?,
            snapshot: story.world.map(text).transpose()?,
            settings: story.settings.map(text).transpose()?,
        })
    }

    /// It as a file.
    ///
    /// # Errors
    /// None that its values can cause.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NotPacked> {
        serde_json::to_vec(self).map_err(|error| NotPacked::because(&error))
    }

    /// The story in a file: its name, and its files.
    ///
    /// # Errors
    /// It is no packed story, or of a newer format.
    pub fn read(bytes: &[u8]) -> Result<(SlotName, PackedSlot), NotPacked> {
        let pack: Self =
            serde_json::from_slice(bytes).map_err(|error| NotPacked::because(&error))?;
        if pack.format != FORMAT {
            let reason = UiText::verbatim(format!("format {}", pack.format));
            return Err(NotPacked::because(&reason));
        }
        let name = pack.name.parse();
        let story = PackedSlot {
            journal: pack.journal.into_bytes(),
            world: pack.snapshot.map(String::into_bytes),
            settings: pack.settings.map(String::into_bytes),
        };
        Ok((name.map_err(|error| NotPacked::because(&error))?, story))
    }
}
