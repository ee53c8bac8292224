//! The tools that every game has.

use super::{Toolbox, WebPolicy, calculate, game};

impl Toolbox {
    /// The built-in tools: see [`super::BUILT_IN`]. Those of the web may access no host yet.
    pub fn standard() -> Self {
        let mut tools = Self::default();
        game::register(&mut tools);
        calculate::register(&mut tools);
        tools.allow_web(&WebPolicy::default());
        tools
    }
}
