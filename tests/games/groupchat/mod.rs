//! Group chats: what a team promises. The cases agreed on with AutoGen AgentChat and AG2 are files
//! of data in `tests/conformance/agentchat/`; `cases.rs` describes their format.
#![expect(clippy::unwrap_used, reason = "tests")]

mod cases;
mod counting;
mod defence;
mod examples;
mod faults;
mod minds;
mod running;
mod saving;
mod shared_texts;
mod states;
mod streaming;
mod tasks;
