//! A conversation as one participant sees it: its own turns are the assistant's, those of all
//! others are the user's, with the speaker's name.

use playhouse_engine::context::AgentContext;
use playhouse_engine::message::{Body, Role};
use playhouse_engine::wording::{as_block, without_indent};
use playhouse_engine::world_data::BLOCK_INDENT;
use serde::{Deserialize, Serialize};

use super::message::RequestUsage;

/// A message as a participant sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RoleMessage {
    /// `system`, `user`, `assistant` or `tool`.
    pub role: String,
    /// The speaker; empty if unknown.
    pub name: String,
    /// The text, without the speaker's name.
    pub content: String,
}

/// A message among others in one text: further lines are indented, so that it can't look like
/// several.
pub(super) fn spoken(source: &str, text: &str) -> String {
    format!("{source}: {}", as_block(text, BLOCK_INDENT))
}

/// What separates a speaker's name from the text, in English and Chinese.
const SEPARATORS: [&str; 2] = [": ", "："];

/// The text of a message without the speaker's name before it and the indentation of its lines.
pub(super) fn text_without_speaker(body: &Body) -> String {
    let speaker = body.sender().map(|sender| &**sender);
    without_speaker(&body.short_text(), speaker)
}

fn without_speaker(text: &str, speaker: Option<&str>) -> String {
    let spoken = speaker.and_then(|speaker| {
        let rest = text.strip_prefix(speaker)?;
        SEPARATORS.iter().find_map(|mark| rest.strip_prefix(mark))
    });
    spoken.map_or_else(
        || text.to_owned(),
        |spoken| without_indent(spoken, BLOCK_INDENT),
    )
}

/// The conversation of the owner of a context, oldest message first, without the system message.
pub fn perspective(context: &AgentContext) -> Vec<RoleMessage> {
    context
        .entries()
        .iter()
        .filter(|entry| entry.role() != Role::System)
        .map(|entry| RoleMessage::of(entry.role(), entry.body(), context.name()))
        .collect()
}

impl RoleMessage {
    /// A message in the context of `owner`.
    pub(super) fn of(role: Role, body: &Body, owner: &str) -> Self {
        let speaker = body.sender().map(|sender| &**sender);
        Self::new(role, speaker, &body.short_text(), owner)
    }

    /// A message of a prompt of `owner`, with the speaker's name before its text.
    pub fn new(role: Role, speaker: Option<&str>, text: &str, owner: &str) -> Self {
        let name = speaker.unwrap_or_default().to_owned();
        let (role, name) = match role {
            Role::System => ("system", name),
            Role::Human => ("user", name),
            Role::Ai => ("assistant", owner.to_owned()),
            Role::Tool => ("tool", name),
        };
        let content = if role == "assistant" {
            text.to_owned()
        } else {
            without_speaker(text, speaker)
        };
        Self {
            role: role.to_owned(),
            name,
            content,
        }
    }
}

/// The tokens of the calls behind the last answer in a context; none for that of a person.
pub(super) fn last_usage(context: &AgentContext) -> Option<RequestUsage> {
    usage_of(context.entries().last()?.body())
}

/// The tokens of the calls behind a message, if it took any.
pub(super) fn usage_of(body: &Body) -> Option<RequestUsage> {
    let usage = RequestUsage::from(body.response()?.token_usage()?);
    (usage.total_tokens() > 0).then_some(usage)
}
