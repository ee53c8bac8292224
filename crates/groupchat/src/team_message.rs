//! Messages of teams in the records of an engine.

use playhouse_engine::event::guard::Act;
use playhouse_engine::event::{AgentEvent, EventRecord, Record};

use super::message::{ChatContent, ChatMessage};
use super::stage::{InnerMessage, ParticipantEvent, PublicMessage, Whisper};
use super::team::TeamFile;
use super::tool_team::join_path;

/// A message or event of the outermost team, of an inner one, or of one called as a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct TeamMessage {
    /// The path of the inner team; empty for the outermost.
    pub team_path: String,
    pub message: ChatMessage,
}

impl TeamMessage {
    /// The message of a record, if it has one. Selections of speakers count only if the team has
    /// `emit_team_events`.
    pub fn of(record: &Record, outermost: &TeamFile) -> Option<Self> {
        let Record::Event(event) = record else {
            return None;
        };
        let mut teams = outermost.nested().into_iter();
        let team = teams.find(|team| *event.place == *team.name)?;
        if is_blocked(event) {
            return None;
        }
        let team_path = inner_path(outermost, &team.name);
        let mut message = ChatMessage::load(event.data.get("message")?.clone()).ok()?;
        message.date(event.said_at);
        if event.kind == InnerMessage::TYPE {
            let inner = event.data.get("team")?.as_str()?;
            let team_path = join_path(&team_path, inner);
            return Some(Self { team_path, message });
        }
        let messages = [PublicMessage::TYPE, Whisper::TYPE, ParticipantEvent::TYPE];
        let is_message = messages.contains(&event.kind.as_str());
        let is_selection = matches!(
            message.content,
            ChatContent::SelectSpeaker(_) | ChatContent::Selector(_)
        );
        (is_message && (!is_selection || team.emit_team_events))
            .then_some(Self { team_path, message })
    }
}

/// The path of a team within the outermost.
pub(super) fn inner_path(outermost: &TeamFile, team: &str) -> String {
    if outermost.name == team {
        String::new()
    } else {
        team.to_owned()
    }
}

fn is_blocked(event: &EventRecord) -> bool {
    let last = event.guarded.last();
    last.is_some_and(|last| last.act == Act::Block)
}
