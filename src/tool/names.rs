//! The names of the built-in tools.

pub(super) const RECALL: &str = "recall";
pub(super) const SEARCH_LORE: &str = "search_lore";
/// The tools that search for what a `question` means.
pub(crate) const SEARCHES: [&str; 2] = [RECALL, SEARCH_LORE];

/// The names of the built-in tools. Those of the web reach only hosts that the player allows.
pub const BUILT_IN: &[&str] = &[
    "roll_dice",
    "look_around",
    RECALL,
    SEARCH_LORE,
    "calculate",
    "fetch_web_content",
    "extract_information",
];
