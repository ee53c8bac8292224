//! The engine on small games of its own: its laws, its loop, its tools, its saves and its recall.
#![expect(clippy::unwrap_used, reason = "tests")]

mod laws;
mod recall;
mod save;
mod steps;
mod tools;
