//! Versions of the format, and the limits of a save.

/// The version of `world.json` that is written.
pub const FORMAT: u32 = 1;

/// The maximum size in bytes of the messages of one context or chapter.
pub(super) const MAX_LIST_BYTES: usize = 1 << 26;

/// Larger times and turns are refused, so that a story can continue counting.
pub(super) const MAX_COUNTER: u64 = 1 << 52;

/// The same for ids and other numbers of 32 bits.
pub(super) const MAX_ID: u32 = u32::MAX / 2;

/// How deep a saved value may be nested. Readers stop at 128.
pub(super) const MAX_DEPTH: usize = 100;

/// The maximum size of `world.json` in bytes, and of a copy of the journal.
pub(super) const MAX_BYTES: u64 = 1 << 28;

/// The file that makes a folder a batch: a folder of slots.
pub const BATCH: &str = "batch.json";

/// The file that makes a folder an experiment: a folder of batches, each a condition.
pub const EXPERIMENT: &str = "experiment.ron";
