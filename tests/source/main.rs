//! The source itself: floors of rooms and circles of files.
#![expect(clippy::unwrap_used, reason = "tests")]

mod comments;
mod floors;
