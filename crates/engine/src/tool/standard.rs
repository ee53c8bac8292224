//! The tools that every game has.

use super::{Toolbox, calculate, game};

impl Toolbox {
    /// The tools that need nothing outside of the world.
    pub fn standard() -> Self {
        let mut tools = Self::default();
        game::register(&mut tools);
        calculate::register(&mut tools);
        tools
    }
}
