//! Saves on disk: what is written, what is read back, what is refused, and going on from any moment.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests lay out the files of runs that ended badly"
)]

mod common;

#[path = "save/refusals.rs"]
mod refusals;
#[path = "save/round_trip.rs"]
mod round_trip;
#[path = "save/sessions.rs"]
mod sessions;
#[path = "save/slots.rs"]
mod slots;
#[path = "save/versions.rs"]
mod versions;
