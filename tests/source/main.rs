//! What the pages say of the source.
#![expect(clippy::unwrap_used, reason = "tests")]

mod pages;
mod seeds;
