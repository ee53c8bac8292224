//! Messages as text, for people and for models.

use playhouse_engine::message::{Block, Body, Message, Role};
use playhouse_interop::{handoff_text, image_part};
use serde::Serialize;
use serde_json::Value;

use super::{ChatContent, ChatMessage, FunctionCall, FunctionResult, MultiModalPart, Structured};

impl ChatMessage {
    /// The text for people and consoles.
    pub fn to_text(&self) -> String {
        match &self.content {
            ChatContent::Handoff {
                content, target, ..
            } if content.trim().is_empty() => handoff_text(target, &Value::Null),
            ChatContent::MultiModal(parts) => parts_text(parts, "\n", "<image>"),
            ChatContent::Structured(structured) => structured.to_text(),
            ChatContent::ToolCallRequest(calls) => lines(calls.iter().map(call_text)),
            ChatContent::ToolCallExecution(results) => lines(results.iter().map(result_text)),
            ChatContent::MemoryQuery(items) => {
                lines(items.iter().map(|item| value_text(&item.content)))
            }
            ChatContent::SelectSpeaker(names) => names.join(", "),
            ChatContent::CodeExecution { result, .. } => result.output.clone(),
            ChatContent::Custom { members, .. } => match members.get("content") {
                Some(content) => value_text(content),
                None => Value::Object(members.clone()).to_string(),
            },
            content => content.text().unwrap_or_default().to_owned(),
        }
    }

    pub fn to_model_text(&self) -> String {
        match &self.content {
            ChatContent::MultiModal(parts) => parts_text(parts, " ", "[image]"),
            // Without indentation, which would cost tokens.
            ChatContent::Structured(structured) => structured.content.to_string(),
            ChatContent::Handoff {
                content,
                target,
                context,
            } if content.trim().is_empty() => handoff_text(target, context),
            _ => self.to_text(),
        }
    }

    /// The message as a model is told it: a human message of its source, with its images.
    pub fn to_model_message(&self) -> Message {
        let text = Block::text(self.to_model_text());
        let blocks = std::iter::once(text).chain(self.media()).collect();
        let body = Body::blocks(blocks).from_sender(self.source.as_str());
        Message::new(Role::Human, body)
    }

    /// The images, for models that see.
    pub(crate) fn media(&self) -> Vec<Block> {
        match &self.content {
            ChatContent::MultiModal(parts) => {
                let images = parts.iter().filter_map(|part| match part {
                    MultiModalPart::Image(image) => image_part(image),
                    MultiModalPart::Text(_) => None,
                });
                images.collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Structured {
    /// The text for people: the filled format string, or indented JSON if there is none.
    fn to_text(&self) -> String {
        match &self.format_string {
            Some(format) => fill(format, &self.content),
            None => format!("{:#}", self.content),
        }
    }
}

/// Replaces each `{name}` by that member of `values`; a name without a member stays as it is.
pub(crate) fn fill(format: &str, values: &impl Serialize) -> String {
    // Can't fail: the values are structs, or JSON.
    let values = serde_json::to_value(values).unwrap_or_default();
    let mut filled = String::new();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let member = after
            .split_once('}')
            .and_then(|(name, after)| Some((values.get(name)?, after)));
        match member {
            Some((value, after)) => {
                filled.push_str(&value_text(value));
                rest = after;
            }
            None => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled + rest
}

fn parts_text(parts: &[MultiModalPart], separator: &str, image: &str) -> String {
    let texts = parts.iter().map(|part| match part {
        MultiModalPart::Text(text) => text.as_str(),
        MultiModalPart::Image(_) => image,
    });
    texts.collect::<Vec<_>>().join(separator)
}

/// A JSON string without its quotes, or other JSON as it is.
pub(crate) fn value_text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn call_text(call: &FunctionCall) -> String {
    format!("{}({})", call.name, call.arguments)
}

fn result_text(result: &FunctionResult) -> String {
    let failed = if result.is_error { "! " } else { "" };
    format!("{failed}{}", result.content)
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}
