//! A connection to a server of tools.

use std::sync::Arc;
use std::time::Duration;

use playhouse_engine::locale::{UiText, text};
use playhouse_engine::secrets::{has_secret, redacted};
use playhouse_llm::http_client::client_builder;
use playhouse_llm::models::{Connection, ServerPlan, ToolServer, ToolServerError};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, ClientConfig, Implementation,
    PaginatedRequestParams,
};
use rmcp::service::{Peer, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ServiceError, ServiceExt, model};
use serde_json::Value;
use tokio::process::Command;

use super::process::{LastWords, MAX_MESSAGE, ServerProcess};
use super::{names, result};
use crate::process::Family;
use crate::{RunningTool, ToolError, Toolbox, arguments_of};

/// The maximum number of tools of a server, of pages of its list, and of bytes of a schema.
const MAX_TOOLS: usize = 128;
const MAX_PAGES: usize = 32;
const MAX_SCHEMA: usize = 16_384;
/// The maximum number of characters of a description.
const MAX_DESCRIPTION: usize = 2_000;
/// How long a server may take to stop.
const STOP_TIME: Duration = Duration::from_secs(8);

type Client = RunningService<RoleClient, ClientConfig>;

pub(super) struct Connected {
    name: String,
    server: Arc<ToolServer>,
    tools: Vec<model::Tool>,
    client: Client,
    /// Its process and all that it started, which end with this.
    _family: Option<Family>,
    words: LastWords,
}

impl Connected {
    /// Starts a server and lists its tools.
    pub(super) async fn open(plan: ServerPlan) -> Result<Self, ToolServerError> {
        let failed = |reason: UiText| ToolServerError {
            server: plan.name.clone(),
            place: plan.server.shown(),
            reason,
        };
        let time = plan.server.start();
        let connecting = async {
            let (client, family, words) = open(&plan).await?;
            match list(client.peer(), &plan.server).await {
                Ok(tools) => Ok((client, tools, family, words)),
                Err(error) => {
                    let error = plan.server.redact(&error.to_string());
                    Err(with_words(text!(tool_server_no_list, error), &words).await)
                }
            }
        };
        let connected = tokio::time::timeout(time, connecting).await;
        let silent = |_| text!(tool_server_silent, seconds = time.as_secs_f64());
        let connected = connected.map_err(silent).flatten();
        let (client, tools, family, words) = connected.map_err(failed)?;
        Ok(Self {
            server: Arc::new(plan.server.clone()),
            name: plan.name,
            tools,
            client,
            _family: family,
            words,
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

    /// The names of its tools in worlds.
    pub(super) fn tool_names(&self) -> impl Iterator<Item = String> {
        let tools = self.tools.iter();
        tools.map(|tool| format!("{}.{}", self.name, tool.name))
    }

    /// Whether it has a tool of this name.
    pub(super) fn has(&self, tool: &str) -> bool {
        self.tools.iter().any(|known| known.name == tool)
    }

    /// Stops it and waits a while for its end.
    pub(super) async fn stop(mut self) {
        let closed = self.client.close_with_timeout(STOP_TIME).await;
        if !matches!(closed, Ok(Some(_))) {
            tracing::warn!(server = self.name, "the tool server did not stop in time");
        }
    }
}

/// Why a server failed, with its last words, if there are any.
async fn with_words(reason: UiText, words: &LastWords) -> UiText {
    let words = words.text().await;
    if words.is_empty() {
        return reason;
    }
    text!(tool_server_last_words, reason, words = redacted(words))
}

/// Opens a connection and initializes it.
async fn open(plan: &ServerPlan) -> Result<(Client, Option<Family>, LastWords), UiText> {
    let info = Implementation::new("playhouse", env!("CARGO_PKG_VERSION"));
    let config = ClientConfig::new(ClientCapabilities::default(), info);
    let redact = |error: &dyn std::fmt::Display| plan.server.redact(&error.to_string());
    let client = match plan.server.connection() {
        Some(Connection::Process { command, arguments }) => {
            let mut command = Command::new(command);
            command.args(arguments).env_clear();
            command.envs(plan.environment.variables());
            let started = ServerProcess::start(command);
            let (process, family, words) =
                started.map_err(|error| text!(tool_server_spawn, error = &error))?;
            match config.serve(process).await {
                Ok(client) => Ok((client, Some(family), words)),
                Err(error) => {
                    let reason = text!(tool_server_handshake, error = redact(&error));
                    return Err(with_words(reason, &words).await);
                }
            }
        }
        Some(Connection::Http { url }) => {
            let mut transport =
                StreamableHttpClientTransportConfig::with_uri(url).max_sse_event_size(MAX_MESSAGE);
            if let Some(token) = &plan.token {
                transport = transport.auth_header(token.expose());
            }
            let http = http_client(url).map_err(|error| UiText::verbatim(redact(&error)))?;
            let transport = StreamableHttpClientTransport::with_client(http, transport);
            config
                .serve(transport)
                .await
                .map(|client| (client, None, LastWords::none()))
                .map_err(|error| redact(&error))
        }
        None => return Err(text!(tool_server_neither)),
    };
    client.map_err(|error| text!(tool_server_handshake, error))
}

fn http_client(url: &str) -> reqwest::Result<reqwest::Client> {
    // Idle connections are not kept: a server may have been restarted between two calls.
    let mut builder = client_builder().pool_max_idle_per_host(0);
    let local = ["localhost", "127.0.0.1", "[::1]"];
    let url = reqwest::Url::parse(url).ok();
    let host = url.as_ref().and_then(reqwest::Url::host_str);
    if host.is_some_and(|host| local.contains(&host)) {
        builder = builder.no_proxy();
    }
    builder.build()
}

/// The tools of a server that the model file allows and minds can use.
async fn list(
    peer: &Peer<RoleClient>,
    server: &ToolServer,
) -> Result<Vec<model::Tool>, rmcp::ServiceError> {
    let (mut tools, mut cursor) = (Vec::new(), None);
    for _ in 0..MAX_PAGES {
        let page = PaginatedRequestParams::default().with_cursor(cursor);
        let page = peer.list_tools(Some(page)).await?;
        let is_usable = |tool: &model::Tool| server.allows(&tool.name) && self::is_usable(tool);
        tools.extend(page.tools.into_iter().filter(is_usable));
        cursor = page.next_cursor;
        if cursor.is_none() || tools.len() >= MAX_TOOLS {
            break;
        }
    }
    tools.truncate(MAX_TOOLS);
    Ok(tools)
}

/// Whether minds can use a tool: its name can be written in files, and its schema is not too long.
fn is_usable(tool: &model::Tool) -> bool {
    let schema = serde_json::to_string(&*tool.input_schema).unwrap_or_default();
    let is_usable =
        names::is_sensible(&tool.name) && !has_secret(&tool.name) && schema.len() <= MAX_SCHEMA;
    if !is_usable {
        let (tool, bytes) = (&*tool.name, schema.len());
        tracing::warn!(
            tool,
            bytes,
            "a server's tool is ignored: bad name or schema"
        );
    }
    is_usable
}

fn add_tool(toolbox: &mut Toolbox, server: &Connected, tool: &model::Tool, wire_name: &str) {
    let name = format!("{}.{}", server.name, tool.name);
    let about: String = tool
        .description
        .as_deref()
        .or(tool.title.as_deref())
        .unwrap_or_default()
        .chars()
        .take(MAX_DESCRIPTION)
        .collect();
    let schema = Value::Object((*tool.input_schema).clone());
    let (peer, called): (_, Arc<str>) = (server.client.peer().clone(), (*tool.name).into());
    let (plan, words) = (Arc::clone(&server.server), server.words.clone());
    toolbox.add_foreign(&name, wire_name, &about, schema, move |arguments| {
        call(
            peer.clone(),
            (Arc::clone(&plan), words.clone()),
            called.to_string(),
            arguments,
        )
    });
    toolbox.change(&name, |tool| tool.with_time_limit(server.server.call()));
}

fn call(
    peer: Peer<RoleClient>,
    (server, words): (Arc<ToolServer>, LastWords),
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
            Ok(_) => Err(ToolError::of(&text!(tool_server_wants_more))),
            Err(error) => {
                let is_gone = matches!(
                    error,
                    ServiceError::TransportClosed | ServiceError::TransportSend(_)
                );
                let error = server.redact(&error.to_string());
                let reason = text!(tool_server_call_failed, error);
                Err(ToolError::of(&match is_gone {
                    true => with_words(reason, &words).await,
                    false => reason,
                }))
            }
        }
    })
}
