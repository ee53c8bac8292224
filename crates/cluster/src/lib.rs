//! Stories that any of many machines can play.
