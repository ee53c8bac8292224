//! What was said out of hearing: in teams inside, and in teams that were called as tools.
//!
//! Teams inside play on stages of their own. A team that is a tool plays in a world of its own, of which the
//! result alone would be left; so it tells what it says, and in the end what each of its minds saw. Both are
//! recorded with the result, and stand in the metadata of the caller's tool message.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::message::ChatMessage;
use super::stage::events::InnerMessage as InnerMessageEvent;
use super::team::TeamFile;
use super::trace::Memory;
use crate::event::guard::Act;
use crate::event::{AgentEvent, EventRecord, Record};
use crate::exchange::TRACE_KEY;
use crate::message::Body;

/// What separates the names of teams within each other.
const WITHIN: &str = " › ";

/// What a team tells that is a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ToolTeamRecord {
    /// A message, and the team in which it was said.
    Message {
        /// The path of the team: its name, behind those of the teams around it.
        team: String,
        /// The message.
        message: ChatMessage,
    },
    /// What a mind saw and answered.
    Mind(Memory),
}

/// What the tools of a message told, for each call.
pub(super) fn told_by_tools(returned: &Body) -> impl Iterator<Item = Vec<ToolTeamRecord>> {
    let calls = returned.metadata().and_then(|all| all.get(TRACE_KEY));
    let calls = calls.and_then(Value::as_array).into_iter().flatten();
    calls.map(|told| {
        let told = told.as_array().into_iter().flatten();
        // Whatever else a tool told is none of a team's business.
        told.filter_map(|told| ToolTeamRecord::deserialize(told).ok())
            .collect()
    })
}

/// The path of a team within another; either may be empty.
pub(super) fn path(outer: &str, inner: &str) -> String {
    match (outer.is_empty(), inner.is_empty()) {
        (true, _) => inner.to_owned(),
        (_, true) => outer.to_owned(),
        _ => format!("{outer}{WITHIN}{inner}"),
    }
}

/// A message that a record tells, on the stage of a team or of one inside.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// The path of the team inside that said it out of hearing; empty for what is said in the outermost.
    pub inside: String,
    /// The message.
    pub message: ChatMessage,
}

impl Heard {
    /// The message that a record tells, if it tells one. Choices of speakers are told where their team wants
    /// it.
    pub fn of(record: &Record, root: &TeamFile) -> Option<Self> {
        let Record::Event(event) = record else {
            return None;
        };
        let team = root
            .all()
            .into_iter()
            .find(|team| *event.place == *team.name)?;
        let inside = match team.name == root.name {
            true => "",
            false => &team.name,
        };
        if is_blocked(event) {
            return None;
        }
        let message = ChatMessage::from_json(event.data.get("message")?.clone()).ok()?;
        if event.kind == InnerMessageEvent::TYPE {
            let inner = event.data.get("team")?.as_str()?;
            let inside = path(inside, inner);
            return Some(Self { inside, message });
        }
        let is_message = matches!(
            event.kind.as_str(),
            "chat_said" | "chat_whispered" | "chat_noted"
        );
        let is_choice = matches!(message.type_name(), "SelectSpeakerEvent" | "SelectorEvent");
        (is_message && (!is_choice || team.emit_team_events)).then(|| Self {
            inside: inside.to_owned(),
            message,
        })
    }
}

fn is_blocked(event: &EventRecord) -> bool {
    let last = event.guarded.last();
    last.is_some_and(|last| last.act == Act::Block)
}
