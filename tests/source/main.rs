//! The source itself, and what the pages say of it.
#![expect(clippy::unwrap_used, reason = "tests")]

mod comments;
mod pages;
mod seeds;
