//! What a build may lack, since Cargo features hold it.

use playhouse_engine::locale::Localize;
use thiserror::Error;

/// A part that this build lacks, and the Cargo feature that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Error, Localize)]
#[text(tool_not_built, feature)]
pub struct NotBuilt(&'static str);

impl NotBuilt {
    /// Worlds that workers play.
    pub const CLUSTER: Self = Self("cluster");
    /// Tools of Model Context Protocol servers.
    pub const MCP: Self = Self("mcp");
    /// Stories as Parquet files.
    pub const PARQUET: Self = Self("parquet");
    /// Code that minds write.
    pub const SCRIPTS: Self = Self("scripts");
    /// Tools that read web pages.
    pub const WEB: Self = Self("web");

    pub fn feature(self) -> &'static str {
        self.0
    }

    /// Why code can't be run; `None` if this build can run it.
    pub fn code() -> Option<Self> {
        (!cfg!(feature = "scripts")).then_some(Self::SCRIPTS)
    }

    /// Why a tool of [`super::BUILT_IN`] can't be called; `None` if this build has it.
    pub fn tool(name: &str) -> Option<Self> {
        (super::WEB.contains(&name) && !cfg!(feature = "web")).then_some(Self::WEB)
    }
}
