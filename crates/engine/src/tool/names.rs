//! The names of the built-in tools.

pub(super) const RECALL: &str = "recall";
pub(super) const SEARCH_LORE: &str = "search_lore";
/// The tools that search for what a `question` means.
pub(crate) const SEARCHES: [&str; 2] = [RECALL, SEARCH_LORE];

/// The names of the built-in tools.
pub const BUILT_IN: [&str; 5] = ["roll_dice", "look_around", RECALL, SEARCH_LORE, "calculate"];
