//! The campaign: whole stories, what minds are asked in them, and rehearsals.
#![expect(clippy::unwrap_used, reason = "tests")]

mod campaign;
mod course;
mod long_story;
mod memories;
mod play;
mod prefix;
mod prompts;
mod rehearsal;
#[path = "../../../../benches/groups/schedule.rs"]
mod schedule;
#[path = "../../../engine/tests/engine/laws/sent.rs"]
mod sent;
