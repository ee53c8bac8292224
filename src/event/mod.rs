//! What happens: how it is judged on its way to those who learn of it.

pub mod guard;
