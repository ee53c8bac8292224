//! The tools that every game has.

use super::{Toolbox, calculate, game};

impl Toolbox {
    /// The built-in tools: see [`super::BUILT_IN`]. Those of the web may access no host yet.
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
