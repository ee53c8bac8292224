//! Migrating saves of older versions, one version at a time.

use serde::Deserialize;
use serde_json::Value;

use super::error::{MigrationError, SaveError};
use super::json;
use super::limits::FORMAT;

/// Migrates a save from one version to the next.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    /// The version that it reads.
    pub from: u32,
    /// Turns JSON of that version into JSON of the next. `format` is set afterwards.
    pub apply: fn(Value) -> Result<Value, MigrationError>,
}

/// The migrations of this program: one for each change of version.
pub(super) const MIGRATIONS: &[Migration] = &[];

/// The version of a save, whatever else it contains.
#[derive(Deserialize)]
struct Version {
    format: u64,
}

/// The version of a save.
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

/// The migrated save; `None` if it needs no migration.
pub(super) fn migrated(
    text: &[u8],
    migrations: &[Migration],
) -> Result<Option<Vec<u8>>, SaveError> {
    check_newer(text)?;
    let Some(mut version) = version_of(text).filter(|found| *found < u64::from(FORMAT)) else {
        return Ok(None);
    };
    let mut save: Value = json::parse(text)?;
    while version < u64::from(FORMAT) {
        let step = migrations
            .iter()
            .find(|step| u64::from(step.from) == version)
            .ok_or(SaveError::TooOld { found: version })?;
        save = (step.apply)(save).map_err(|source| SaveError::Migration {
            from: step.from,
            source,
        })?;
        version += 1;
        if let Some(map) = save.as_object_mut() {
            map.insert("format".into(), version.into());
        }
    }
    // A JSON value can't fail to serialize.
    Ok(Some(serde_json::to_vec(&save).unwrap_or_default()))
}
