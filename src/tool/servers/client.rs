//! A connection to a server of tools.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, ClientConfig, Implementation,
    PaginatedRequestParams,
};
use rmcp::service::{Peer, RoleClient, RunningService};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ServiceExt, model};
use secrecy::ExposeSecret;
use serde_json::Value;
use tokio::process::Command;

use super::config::{ToolServer, Way};
use super::plan::{ServerError, ServerPlan};
use super::{names, result};
use crate::tool::{RunningTool, ToolError, Toolbox, arguments_of};

/// The most tools of one server, the most pages of its list, and the most bytes of one schema.
const MOST_TOOLS: usize = 128;
const MOST_PAGES: usize = 32;
const LONGEST_SCHEMA: usize = 16_384;
/// The most characters of what a server says of a tool.
const LONGEST_DESCRIPTION: usize = 2_000;
/// The most bytes of one event of a stream.
const LONGEST_EVENT: usize = 4 << 20;
/// How long a server may take to stop before it is left to the system.
const FAREWELL: Duration = Duration::from_secs(8);

type Client = RunningService<RoleClient, ClientConfig>;

/// A server that answers.
pub(super) struct Connected {
    name: String,
    server: Arc<ToolServer>,
    tools: Vec<model::Tool>,
    client: Client,
}

impl Connected {
    /// Starts a server and asks it for its tools.
    pub(super) async fn open(plan: ServerPlan) -> Result<Self, ServerError> {
        let failed = |reason: String| ServerError {
            server: plan.name.clone(),
            place: plan.server.shown(),
            reason: plan.server.clean(&reason),
        };
        let start = plan.server.start();
        let connecting = async {
            let client = open(&plan).await.map_err(&failed)?;
            let listed = list(client.peer(), &plan.server).await;
            let tools =
                listed.map_err(|error| failed(format!("does not tell its tools: {error}")))?;
            Ok((client, tools))
        };
        let connected = tokio::time::timeout(start, connecting).await;
        let (client, tools) = connected.map_err(|_| {
            let seconds = start.as_secs_f64();
            failed(format!(
                "did not answer within {seconds} s; try it by hand, or give it more time with `start`"
            ))
        })??;
        Ok(Self {
            server: Arc::new(plan.server.clone()),
            name: plan.name,
            tools,
            client,
        })
    }

    /// Adds its tools to a toolbox.
    pub(super) fn add_to(&self, toolbox: &mut Toolbox) {
        let names = self.tools.iter().map(|tool| &*tool.name);
        let names = names::wire_names(&self.name, names);
        for (tool, wire_name) in self.tools.iter().zip(names) {
            add_tool(toolbox, self, tool, &wire_name);
        }
    }

    /// The names of its tools, as worlds name them.
    pub(super) fn tool_names(&self) -> impl Iterator<Item = String> {
        let tools = self.tools.iter();
        tools.map(|tool| format!("{}.{}", self.name, tool.name))
    }

    /// Whether it has a tool of this name.
    pub(super) fn has(&self, tool: &str) -> bool {
        self.tools.iter().any(|known| known.name == tool)
    }

    /// Stops it and waits, but not for ever.
    pub(super) async fn stop(mut self) {
        let closed = self.client.close_with_timeout(FAREWELL).await;
        if !matches!(closed, Ok(Some(_))) {
            tracing::warn!(server = self.name, "the tool server did not stop in time");
        }
    }
}

/// Opens a connection and shakes hands.
async fn open(plan: &ServerPlan) -> Result<Client, String> {
    let me = Implementation::new("playhouse", env!("CARGO_PKG_VERSION"));
    let me = ClientConfig::new(ClientCapabilities::default(), me);
    let no_greeting = |error: &dyn std::fmt::Display| {
        format!("does not speak the Model Context Protocol: {error}")
    };
    match plan.server.way() {
        Some(Way::Process { command, arguments }) => {
            let mut child = Command::new(command);
            child.args(arguments).kill_on_drop(true);
            for variable in &plan.withheld {
                child.env_remove(variable);
            }
            let child = TokioChildProcess::builder(child)
                .stderr(Stdio::null())
                .spawn();
            let (child, _) = child.map_err(|error| format!("can't be started: {error}"))?;
            let client = me.serve(child).await;
            client.map_err(|error| no_greeting(&error))
        }
        Some(Way::Http { url }) => {
            let mut config = StreamableHttpClientTransportConfig::with_uri(url)
                .max_sse_event_size(LONGEST_EVENT);
            if let Some(token) = &plan.token {
                config = config.auth_header(token.expose_secret());
            }
            let http = http_client(url)?;
            let transport = StreamableHttpClientTransport::with_client(http, config);
            let client = me.serve(transport).await;
            client.map_err(|error| no_greeting(&error))
        }
        None => Err("has neither a command nor a url".into()),
    }
}

fn http_client(url: &str) -> Result<reqwest::Client, String> {
    // Idle connections are not kept: a server may have been restarted between two calls.
    let builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .pool_max_idle_per_host(0);
    let local = ["localhost", "127.0.0.1", "[::1]"];
    let host = reqwest::Url::parse(url).ok();
    let host = host.as_ref().and_then(reqwest::Url::host_str);
    let builder = match host.is_some_and(|host| local.contains(&host)) {
        true => builder.no_proxy(),
        false => builder,
    };
    builder.build().map_err(|error| error.to_string())
}

/// The tools of a server that the model file allows, as far as they can be told to a mind.
async fn list(
    peer: &Peer<RoleClient>,
    server: &ToolServer,
) -> Result<Vec<model::Tool>, rmcp::ServiceError> {
    let (mut tools, mut cursor) = (Vec::new(), None);
    for _ in 0..MOST_PAGES {
        let page = PaginatedRequestParams::default().with_cursor(cursor);
        let page = peer.list_tools(Some(page)).await?;
        let usable = |tool: &model::Tool| server.allows(&tool.name) && is_usable(tool);
        tools.extend(page.tools.into_iter().filter(usable));
        cursor = page.next_cursor;
        if cursor.is_none() || tools.len() >= MOST_TOOLS {
            break;
        }
    }
    tools.truncate(MOST_TOOLS);
    Ok(tools)
}

/// Whether a tool can be told to a mind: a name of sensible form, and a schema of sensible size.
fn is_usable(tool: &model::Tool) -> bool {
    let schema = serde_json::to_string(&*tool.input_schema).unwrap_or_default();
    let usable = names::is_sensible(&tool.name) && schema.len() <= LONGEST_SCHEMA;
    if !usable {
        tracing::warn!(tool = %tool.name, bytes = schema.len(), "a server's tool is left out: its name or schema is no good");
    }
    usable
}

fn add_tool(toolbox: &mut Toolbox, server: &Connected, tool: &model::Tool, wire_name: &str) {
    let name = format!("{}.{}", server.name, tool.name);
    let about = tool.description.as_deref().or(tool.title.as_deref());
    let about: String = about
        .unwrap_or_default()
        .chars()
        .take(LONGEST_DESCRIPTION)
        .collect();
    let schema = Value::Object((*tool.input_schema).clone());
    let (peer, called): (_, Arc<str>) = (server.client.peer().clone(), (*tool.name).into());
    let plan = Arc::clone(&server.server);
    toolbox.add_foreign(&name, wire_name, &about, schema, move |arguments| {
        call(
            peer.clone(),
            Arc::clone(&plan),
            called.to_string(),
            arguments,
        )
    });
    toolbox.change(&name, |tool| tool.with_time_limit(server.server.call()));
}

fn call(
    peer: Peer<RoleClient>,
    server: Arc<ToolServer>,
    tool: String,
    arguments: &str,
) -> RunningTool {
    let arguments = match arguments_of(arguments) {
        Value::Object(arguments) => arguments,
        _ => serde_json::Map::new(),
    };
    Box::pin(async move {
        let params = CallToolRequestParams::new(tool).with_arguments(arguments);
        match peer.call_tool_once(params).await {
            Ok(CallToolResponse::Complete(result)) => result::text_of(result),
            Ok(_) => Err(ToolError::new(
                "the server wants more than arguments, which nobody can give",
            )),
            Err(error) => {
                let error = server.clean(&error.to_string());
                Err(ToolError::new(format!("the server failed: {error}")))
            }
        }
    })
}
