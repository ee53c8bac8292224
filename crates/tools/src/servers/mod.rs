//! Tools of servers: the Model Context Protocol, over a child process or streamable HTTP.
//!
//! Servers stand in the player's own model file; a world can but name their tools. [`ToolServers`]
//! starts those that are wanted, adds their tools to a [`Toolbox`] as `server.tool`, and stops them
//! in the end. What a server says of itself is bounded here and judged by guards before a mind
//! reads it. The protocol: <https://modelcontextprotocol.io/specification>.

mod client;
mod examine;
mod names;
mod process;
mod result;

pub use examine::examine;
pub use playhouse_llm::models::{
    ChildEnvironment, ServerExamination, ServerPlan, ToolServer, ToolServerError,
};

use futures_util::future::join_all;

use self::client::Connected;
use super::Toolbox;

/// The servers of a run. Dropping them kills their processes too; [`Self::close`] lets them end
/// well.
#[derive(Default)]
pub struct ToolServers(Vec<Connected>);

impl ToolServers {
    /// Starts servers, all at once, and asks each for its tools.
    pub async fn connect(plans: Vec<ServerPlan>) -> Result<Self, ToolServerError> {
        let started = join_all(plans.into_iter().map(Connected::open)).await;
        started.into_iter().collect::<Result<_, _>>().map(Self)
    }

    pub fn add_to(&self, toolbox: &mut Toolbox) {
        for server in &self.0 {
            server.add_to(toolbox);
        }
    }

    /// The names of their tools, as worlds name them.
    pub fn tool_names(&self) -> impl Iterator<Item = String> {
        self.0.iter().flat_map(Connected::tool_names)
    }

    /// Stops them and waits, but not for ever.
    pub async fn close(self) {
        join_all(self.0.into_iter().map(Connected::stop)).await;
    }
}
