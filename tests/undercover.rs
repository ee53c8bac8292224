//! Who is the undercover: whole games, and what nobody may learn in them.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "undercover/games.rs"]
mod games;
#[path = "undercover/improvised.rs"]
mod improvised;
#[path = "undercover/isolation.rs"]
mod isolation;
#[path = "undercover/prompts.rs"]
mod prompts;
#[path = "undercover/redteam.rs"]
mod redteam;
#[path = "undercover/saving.rs"]
mod saving;
#[path = "undercover/table.rs"]
mod table;
#[path = "undercover/words.rs"]
mod words;
