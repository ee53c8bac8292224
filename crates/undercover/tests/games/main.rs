//! Who is the undercover: whole games, and what nobody may learn in them.
#![expect(clippy::unwrap_used, reason = "tests")]

mod games;
mod improvised;
mod isolation;
mod prompts;
mod saving;
mod table;
mod words;
