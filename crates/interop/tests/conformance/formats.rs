//! Operations on what providers are sent.

use playhouse_engine::message::Message;
use playhouse_interop::format::{Api, Format, FormatOptions, Rendered, Style, Turn};
use playhouse_interop::{Profile, read_value};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Operation;

pub(crate) const OPERATIONS: &[(&str, Operation)] = &[
    ("format", format),
    ("format_text", format_text),
    ("left_out", left_out),
];

/// The words that stand before every history.
const HEADER: &str = "HIST\n";

/// How a conversation is to be formatted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    api: Api,
    style: Style,
    /// Whose conversation it is.
    me: Option<String>,
    /// Another end of a history than the usual.
    history_end: Option<String>,
    document: Value,
}

fn read<T: DeserializeOwned>(input: &Value) -> Result<T, String> {
    T::deserialize(input).map_err(|error| error.to_string())
}

fn messages(document: &Value) -> Result<Vec<Message>, String> {
    let imported = read_value(document, Some(Profile::AgentScopePython1));
    let imported = imported.map_err(|error| error.to_string())?;
    let conversations = imported.conversations.into_iter();
    Ok(conversations
        .flat_map(|conversation| conversation.messages)
        .collect())
}

fn rendered(input: &Value) -> Result<Rendered, String> {
    let input: Input = read(input)?;
    let mut options = FormatOptions::observed(input.api);
    options.history_header = HEADER.into();
    if let Some(end) = input.history_end {
        options.history_end = end.into();
    }
    let messages = messages(&input.document)?;
    let turns = messages.iter();
    let turns: Vec<_> = turns
        .map(|message| Turn::full(message.role, &message.body))
        .collect();
    let format = Format::new(input.api, input.style, options);
    let rendered = format.render(input.me.as_deref(), &turns);
    rendered.map_err(|error| error.to_string())
}

/// The messages of a `document` as an `api` wants them in a `style`; with what stands beside them,
/// where anything does.
fn format(input: &Value) -> Result<Value, String> {
    let rendered = rendered(input)?;
    Ok(match rendered.system {
        Some(system) => json!({"system": system, "messages": rendered.messages}),
        None => rendered.messages,
    })
}

/// The words of the user's messages alone.
fn format_text(input: &Value) -> Result<Value, String> {
    let rendered = rendered(input)?;
    let messages = rendered.messages.as_array().ok_or("no list")?;
    let of_user = messages.iter().filter(|message| message["role"] == "user");
    Ok(of_user.map(words).collect())
}

/// The words of a message, wherever its form has them.
fn words(message: &Value) -> Value {
    let content = &message["content"];
    match content
        .as_array()
        .or(message["parts"].as_array())
        .map(Vec::as_slice)
    {
        Some([part]) => part["text"].clone(),
        Some(parts) => parts.iter().map(|part| part["text"].clone()).collect(),
        None => content.clone(),
    }
}

/// What was not sent, in words.
fn left_out(input: &Value) -> Result<Value, String> {
    let omissions = rendered(input)?.omissions;
    Ok(omissions.iter().map(ToString::to_string).collect())
}
