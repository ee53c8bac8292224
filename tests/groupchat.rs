//! Group chats: what a team promises. The cases agreed on with AutoGen AgentChat and AG2 are files of data
//! in `tests/conformance/agentchat/`; `groupchat/cases.rs` says how they are written.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "groupchat/cases.rs"]
mod cases;
#[path = "groupchat/defence.rs"]
mod defence;
#[path = "groupchat/examples.rs"]
mod examples;
#[path = "groupchat/faults.rs"]
mod faults;
#[path = "support/http.rs"]
mod http;
#[path = "groupchat/minds.rs"]
mod minds;
#[path = "groupchat/running.rs"]
mod running;
#[path = "groupchat/saving.rs"]
mod saving;
#[path = "groupchat/size.rs"]
mod size;
#[path = "groupchat/streaming.rs"]
mod streaming;
