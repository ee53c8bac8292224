//! The tools that every game has.

use super::game::{RECALL, SEARCH_LORE};
use super::{Toolbox, calculate, game};

/// The names of the built-in tools. Those of the web reach only hosts that the player allows.
pub const BUILT_IN: &[&str] = &[
    "roll_dice",
    "look_around",
    RECALL,
    SEARCH_LORE,
    "calculate",
    "fetch_web_content",
    "extract_information",
];

impl Toolbox {
    /// The built-in tools: see [`BUILT_IN`]. Those of the web may access no host yet.
    pub fn standard() -> Self {
        let mut tools = Self::default();
        game::register(&mut tools);
        calculate::register(&mut tools);
        #[cfg(feature = "web")]
        tools.allow_web(&super::WebPolicy::default());
        tools
    }

    /// Lets the tools of the web do what a policy allows. A build without `web` has no such tools.
    #[cfg(feature = "http")]
    #[cfg_attr(
        not(feature = "web"),
        expect(unused_variables, reason = "there are no tools of the web")
    )]
    pub fn allow_web(&mut self, policy: &super::WebPolicy) {
        #[cfg(feature = "web")]
        super::web::register(self, policy);
    }
}
