//! Bringing saves of older versions up to date, one version at a time.

use serde::Deserialize;
use serde_json::Value;

use super::error::SaveError;
use super::json;
use super::limits::FORMAT;

/// Brings a save from one version to the next.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    /// The version that it understands.
    pub from: u32,
    /// Turns JSON of that version into JSON of the next. `format` is set afterwards.
    pub apply: fn(Value) -> Result<Value, String>,
}

/// The migrations that this program knows, for versions from [`super::OLDEST`] on.
pub const MIGRATIONS: &[Migration] = &[];

/// Saves from this version on are read as they stand: format 2 has all of format 1, and runs of entries.
const READ_AS_IT_STANDS: u32 = 1;

/// Whether a save of this version is read as it stands.
pub(super) fn needs_none(version: u32) -> bool {
    (READ_AS_IT_STANDS..=FORMAT).contains(&version)
}

/// The version of a save, whatever else it holds.
#[derive(Deserialize)]
struct Version {
    format: u64,
}

/// The version that a save says it has.
pub(super) fn version_of(text: &[u8]) -> Option<u64> {
    let version = serde_json::from_slice::<Version>(text).ok()?;
    Some(version.format)
}

/// Refuses a save of a newer version.
pub(super) fn check_newer(text: &[u8]) -> Result<(), SaveError> {
    match version_of(text) {
        Some(found) if found > u64::from(FORMAT) => Err(SaveError::Newer { found }),
        _ => Ok(()),
    }
}

/// The save in a version that can be read, where it is of an older one; nothing where it needs no migration.
pub(super) fn migrated(
    text: &[u8],
    migrations: &[Migration],
) -> Result<Option<Vec<u8>>, SaveError> {
    check_newer(text)?;
    let Some(mut version) = version_of(text).filter(|found| *found < u64::from(READ_AS_IT_STANDS))
    else {
        return Ok(None);
    };
    let mut save: Value = json::parse(text)?;
    while version < u64::from(READ_AS_IT_STANDS) {
        let step = migrations
            .iter()
            .find(|step| u64::from(step.from) == version)
            .ok_or(SaveError::TooOld { found: version })?;
        save = (step.apply)(save).map_err(|problem| SaveError::Migration {
            from: step.from,
            problem,
        })?;
        version += 1;
        if let Some(map) = save.as_object_mut() {
            map.insert("format".into(), version.into());
        }
    }
    // A tree of JSON always serialises.
    Ok(Some(serde_json::to_vec(&save).unwrap_or_default()))
}
