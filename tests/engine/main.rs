//! The engine on small games of its own: its laws, its loop, its tools and its saves.

mod knowledge;
mod laws;
mod save;
mod steps;
mod tools;
