//! The engine on small games of its own: its laws, its loop, its tools, its saves and its recall.

mod laws;
mod recall;
mod save;
#[path = "../../benches/groups/schedule.rs"]
mod schedule;
mod steps;
mod tools;
