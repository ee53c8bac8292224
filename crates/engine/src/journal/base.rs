//! What the journal of a branch shares with that of the story from which it branched.
//!
//! The second line of such a journal refers to the beginning of another one, so that a thousand
//! branches of a story take little more space than the story. Readers get the lines themselves.

use std::fs::File;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::sums::Sum;

/// The beginning of a line that refers to another journal.
const START: &[u8] = b"{\"base\":";

/// How many branches may each have begun in the one before it. A further one gets a full journal
/// of its own.
pub(super) const MAX_DEPTH: usize = 32;

/// A beginning with fewer bytes than this is copied.
pub(super) const MIN_LENGTH: u64 = 4096;

/// Opens the journal of another slot; `None` if there is none.
pub(crate) type Others<'o> = dyn Fn(&str) -> Option<(File, PathBuf)> + 'o;

/// The beginning of another journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Base {
    /// The slot of that journal.
    pub(crate) slot: String,
    /// The turn that closes the beginning.
    pub(crate) turn: u64,
    /// Its length in bytes.
    pub(super) length: u64,
    /// The sum of its last line, which depends on every line before.
    pub(super) sum: Sum,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BaseLine<B> {
    base: B,
}

impl Base {
    /// The base that a line without its sum stands for; `None` if it is another line.
    pub(super) fn of(line: &[u8]) -> Option<Result<Self, serde_json::Error>> {
        let line = line
            .starts_with(START)
            .then(|| serde_json::from_slice(line))?;
        Some(line.map(|BaseLine { base }| base))
    }

    /// Writes its line.
    pub(super) fn write(&self, sum: &mut Sum, bytes: &mut Vec<u8>) {
        let start = bytes.len();
        // Nothing in it can fail to serialize.
        let _ = serde_json::to_writer(&mut *bytes, &BaseLine { base: self });
        sum.close(start, bytes);
    }
}
