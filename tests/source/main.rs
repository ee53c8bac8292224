//! The source itself: layers of modules and circles of files.
#![expect(clippy::unwrap_used, reason = "tests")]

mod comments;
mod layers;
