//! Messages as text, for people and for models.

use serde::Serialize;
use serde_json::Value;

use super::{ChatMessage, Content, FunctionCall, FunctionResult, Part, Structured};
use crate::dialect::image_part;
use crate::groupchat::names::{TRANSFER, decode_name};
use crate::message::Block;

impl ChatMessage {
    /// The text for people and consoles.
    pub fn to_text(&self) -> String {
        match &self.content {
            Content::Text(text)
            | Content::Stop(text)
            | Content::Thought(text)
            | Content::Selector(text)
            | Content::Handoff { content: text, .. }
            | Content::ToolCallSummary { content: text, .. }
            | Content::CodeGeneration { content: text, .. }
            | Content::StreamingChunk { content: text, .. } => text.clone(),
            Content::MultiModal(parts) => parts_text(parts, "\n", "<image>"),
            Content::Structured(structured) => structured.to_text(),
            Content::ToolCallRequest(calls) => lines(calls.iter().map(call_text)),
            Content::ToolCallExecution(results) => lines(results.iter().map(result_text)),
            Content::MemoryQuery(items) => {
                lines(items.iter().map(|item| value_text(&item.content)))
            }
            Content::UserInputRequested { .. } => String::new(),
            Content::SelectSpeaker(names) => names.join(", "),
            Content::CodeExecution { result, .. } => result.output.clone(),
            Content::Custom { members, .. } => match members.get("content") {
                Some(content) => value_text(content),
                None => Value::Object(members.clone()).to_string(),
            },
        }
    }

    /// The text for models.
    pub fn to_model_text(&self) -> String {
        match &self.content {
            Content::MultiModal(parts) => parts_text(parts, " ", "[image]"),
            Content::Structured(structured) => structured.content.to_string(),
            _ => self.to_text(),
        }
    }

    /// The images, for models that see.
    pub(in crate::groupchat) fn media(&self) -> Vec<Block> {
        match &self.content {
            Content::MultiModal(parts) => {
                let images = parts.iter().filter_map(|part| match part {
                    Part::Image(image) => image_part(image),
                    Part::Text(_) => None,
                });
                images.collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Structured {
    /// The text for people: the filled format string, or JSON if there is none.
    fn to_text(&self) -> String {
        match &self.format_string {
            Some(format) => fill(format, &self.content),
            None => self.content.to_string(),
        }
    }
}

/// Replaces each `{name}` by that member of `values`; a name without a member stays as it is.
pub(in crate::groupchat) fn fill(format: &str, values: &impl Serialize) -> String {
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

fn parts_text(parts: &[Part], separator: &str, image: &str) -> String {
    let texts = parts.iter().map(|part| match part {
        Part::Text(text) => text.as_str(),
        Part::Image(_) => image,
    });
    texts.collect::<Vec<_>>().join(separator)
}

/// A JSON string without its quotes, or other JSON as it is.
pub(in crate::groupchat) fn value_text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// `name(arguments)`; the target of a transfer is shown by its real name, not its encoded one.
fn call_text(call: &FunctionCall) -> String {
    let target = call.name.strip_prefix(TRANSFER).and_then(decode_name);
    match target {
        Some(target) => format!("{TRANSFER}{target}({})", call.arguments),
        None => format!("{}({})", call.name, call.arguments),
    }
}

fn result_text(result: &FunctionResult) -> String {
    let failed = if result.is_error { "! " } else { "" };
    format!("{failed}{}", result.content)
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}
