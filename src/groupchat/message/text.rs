//! How people and models read messages.

use serde_json::Value;

use super::{ChatMessage, Content, FunctionCall, FunctionResult, Part, Structured};
use crate::groupchat::names::{TRANSFER, from_wire};

impl ChatMessage {
    /// The words for people and consoles.
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

    /// The words for models.
    pub fn to_model_text(&self) -> String {
        match &self.content {
            Content::MultiModal(parts) => parts_text(parts, " ", "[image]"),
            Content::Structured(structured) => structured.content.to_string(),
            _ => self.to_text(),
        }
    }
}

impl Structured {
    /// The words for people: the format string filled with the members, else JSON.
    pub fn to_text(&self) -> String {
        match &self.format_string {
            Some(format) => fill(format, &self.content),
            None => self.content.to_string(),
        }
    }
}

/// `{member}` becomes the member's words; what names none stays as it is.
fn fill(format: &str, content: &Value) -> String {
    let mut filled = String::new();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let member = after
            .split_once('}')
            .and_then(|(name, after)| Some((content.get(name)?, after)));
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

fn parts_text(parts: &[Part], between: &str, image: &str) -> String {
    let words = parts.iter().map(|part| match part {
        Part::Text(text) => text.as_str(),
        Part::Image(_) => image,
    });
    words.collect::<Vec<_>>().join(between)
}

fn value_text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// `name(arguments)`; who is given the word by a tool is named as it is, not as providers want it.
fn call_text(call: &FunctionCall) -> String {
    let target = call.name.strip_prefix(TRANSFER).and_then(from_wire);
    match target {
        Some(target) => format!("{TRANSFER}{target}({})", call.arguments),
        None => format!("{}({})", call.name, call.arguments),
    }
}

fn result_text(result: &FunctionResult) -> String {
    let failed = if result.is_error { "! " } else { "" };
    format!("{failed}{}", result.content)
}

fn lines(all: impl Iterator<Item = String>) -> String {
    all.collect::<Vec<_>>().join("\n")
}
