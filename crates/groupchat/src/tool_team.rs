//! What teams that are called as tools report.
//!
//! Such a team runs in its own world, of which only the result would be left. So it reports
//! its messages, and in the end what each of its minds saw. Both are recorded with the result, in
//! the metadata of the caller's tool message.

use playhouse_engine::exchange::TRACE_KEY;
use playhouse_engine::message::{Body, BodyId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::message::ChatMessage;
use super::perspective::RoleMessage;

/// What separates the names in the path of a team.
const SEPARATOR: &str = " › ";

/// What a team that is a tool reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ToolTeamRecord {
    Message {
        /// The path of the team: its name after those of the teams around it.
        team: String,
        message: ChatMessage,
    },
    /// What a mind saw and answered.
    Mind(ContextRecord),
}

/// The conversation of a mind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ContextRecord {
    pub(super) agent: String,
    /// Who asked it: its stage, or itself.
    pub(super) sender: String,
    /// The path of the team, if it was called as a tool.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) team_path: String,
    pub(super) entries: Vec<EntryRecord>,
}

/// A message in the conversation of a mind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct EntryRecord {
    #[serde(flatten)]
    pub(super) message: RoleMessage,
    /// Whether it was told in the name of the mind, which was not asked for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) told: bool,
    pub(super) order: RecordOrder,
}

/// The place of a message in the order of everything that was said: the time and id of its body.
/// Within tool calls, those of the callers' tool messages and the indices of the calls come first.
pub(super) type RecordOrder = Vec<(u64, BodyId, u32)>;

impl ContextRecord {
    /// Adds the team around the one that it is in to its path.
    pub(super) fn within(mut self, team: &str) -> Self {
        self.team_path = join_path(team, &self.team_path);
        self
    }
}

/// What the tools of a message reported, by call.
pub(super) fn tool_team_records(returned: &Body) -> impl Iterator<Item = Vec<ToolTeamRecord>> {
    let calls = returned
        .metadata()
        .and_then(|metadata| metadata.get(TRACE_KEY))
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    calls.map(|records| reported(records.as_array().into_iter().flatten()).collect())
}

/// What a team that is a tool reported. Other tools may report other things.
pub(super) fn reported<'r>(
    records: impl IntoIterator<Item = &'r Value>,
) -> impl Iterator<Item = ToolTeamRecord> {
    let records = records.into_iter();
    records.filter_map(|record| ToolTeamRecord::deserialize(record).ok())
}

/// The path of a team within another; either may be empty.
pub(super) fn join_path(outer: &str, inner: &str) -> String {
    if outer.is_empty() || inner.is_empty() {
        format!("{outer}{inner}")
    } else {
        format!("{outer}{SEPARATOR}{inner}")
    }
}
