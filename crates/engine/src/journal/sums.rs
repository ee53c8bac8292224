//! The checksums by which damage to a journal is found.
//!
//! The last member of every line is `"sum"`: a hash of the line before it and of the sum of the
//! previous line, so that changed, missing and moved lines are found alike.

use std::io::Write;

use super::{FORMAT, Line};
use crate::secrets::redact_json;

/// The text of a sum: what comes before its 16 digits, and what comes after.
const BEFORE: &[u8] = b",\"sum\":\"";
const AFTER: &[u8] = b"\"}";
const DIGITS: usize = 16;
/// The maximum number of guesses at the sum of a damaged line.
const GUESSES: usize = 3;
const TAIL: usize = BEFORE.len() + DIGITS + AFTER.len();

/// The sum of the lines so far. Before the first it is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum(u64);

impl Sum {
    /// The sum of a further line, without its own sum.
    fn and(self, line: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.0.to_le_bytes()).update(line);
        let mut first = [0; 8];
        first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        Self(u64::from_le_bytes(first))
    }

    /// Writes a further line with its sum.
    pub(super) fn write(&mut self, line: &Line, bytes: &mut Vec<u8>) {
        let start = bytes.len();
        write_masked(line, bytes);
        self.close(start, bytes);
    }

    /// Adds the sum to a line that was written.
    pub(super) fn close(&mut self, start: usize, bytes: &mut Vec<u8>) {
        *self = self.and(&bytes[start..]);
        bytes.pop();
        // Writing to memory can't fail.
        let _ = writeln!(bytes, ",\"sum\":\"{:016x}\"}}", self.0);
    }
}

/// Writes a line without a sum, and without secrets.
pub(super) fn write_masked(line: &Line, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    // Nothing in a line can fail to serialize.
    let _ = serde_json::to_writer(&mut *bytes, line);
    redact_json(bytes, start);
}

/// A line that was read without its end, parted from its sum.
pub(super) struct Summed {
    /// The sum that it says, if it says one at all.
    said: Option<Sum>,
}

impl Summed {
    /// Removes the sum from a line.
    pub(super) fn take(line: &mut Vec<u8>) -> Self {
        let start = line.len().saturating_sub(TAIL);
        let tail = line.get(start..).unwrap_or_default();
        let digits = tail.strip_prefix(BEFORE);
        let digits = digits.and_then(|digits| digits.strip_suffix(AFTER));
        let said = digits.and_then(parsed).map(Sum);
        if said.is_some() {
            line.truncate(start);
            line.push(b'}');
        }
        Self { said }
    }

    /// Whether the line comes right after one with this sum, and is unchanged. The sum is that of
    /// this line then.
    pub(super) fn follows(&self, before: &mut Sum, line: &[u8]) -> bool {
        let sum = before.and(line);
        let is_right = self.said == Some(sum);
        if is_right {
            *before = sum;
        }
        is_right
    }

    /// Whether this is a first line of our own format whose number was damaged.
    pub(super) fn is_of_own_format(&self, line: &[u8], found: u64) -> bool {
        let line = String::from_utf8_lossy(line);
        let number = |format: u64| format!("\"format\":{format}");
        let own = line.replacen(&number(found), &number(FORMAT.into()), 1);
        self.follows(&mut Sum::default(), own.as_bytes())
    }

    /// What the sum of a damaged line can have been: what it says, or what its text gives.
    pub(super) fn guesses(&self, before: &[Sum], line: &[u8]) -> Vec<Sum> {
        let computed = before.iter().map(|before| before.and(line));
        self.said
            .into_iter()
            .chain(computed)
            .take(GUESSES)
            .collect()
    }
}

fn parsed(digits: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(digits).ok()?;
    let sum = u64::from_str_radix(digits, 16).ok()?;
    // In one spelling only, so that no changed digit goes unnoticed.
    (format!("{sum:016x}") == digits).then_some(sum)
}
