//! CHARX: a ZIP archive with `card.json` at its root.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::{CardError, MAX_JSON_BYTES};

const CARD: &str = "card.json";
/// The most files of an archive.
const MAX_FILES: usize = 10_000;

pub(super) fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

/// The JSON of the card in an archive, and how many other files it has. Nothing but the card is
/// unpacked.
pub(super) fn card(bytes: &[u8]) -> Result<(Vec<u8>, usize), CardError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    let files = archive.len();
    if files > MAX_FILES {
        return Err(CardError::TooManyFiles { max: MAX_FILES });
    }
    let card = archive.by_name(CARD).map_err(|error| match error {
        ZipError::FileNotFound => CardError::NoCard,
        error => broken(error),
    })?;
    let mut json = Vec::new();
    // The size that an archive names may be a lie.
    let read = card.take(MAX_JSON_BYTES as u64 + 1).read_to_end(&mut json);
    read.map_err(|error| broken(error.into()))?;
    Ok((json, files - 1))
}

fn broken(error: ZipError) -> CardError {
    CardError::BrokenArchive {
        reason: error.to_string(),
    }
}
