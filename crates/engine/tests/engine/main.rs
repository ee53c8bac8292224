//! The engine on small games of its own: its laws, its loop, its tools, its saves and its recall.

mod laws;
mod recall;
mod save;
mod steps;
mod tools;
