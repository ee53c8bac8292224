//! A whole conversation as JSON.

use playhouse_engine::mind::Turn;
use serde_json::Value;

use super::media::MediaError;
use super::omission::Omission;
use super::options::Format;
use super::writer::{MessageWriter, Written};

/// A conversation as a provider expects it.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// The system message, if the provider expects it beside the messages.
    pub system: Option<Value>,
    /// The list of messages (for Gemini, the contents).
    pub messages: Value,
    /// What was not sent.
    pub omissions: Vec<Omission>,
}

impl Format {
    /// The messages of a conversation. `me` is the name of the entity it belongs to.
    ///
    /// # Errors
    /// A media file can't be sent; the error names it.
    pub fn render(&self, me: Option<&str>, turns: &[Turn<'_>]) -> Result<Rendered, MediaError> {
        let mut writer = MessageWriter::new(self, me, b"{".into());
        writer.write_history(turns.iter().copied())?;
        let Written {
            json,
            end,
            omissions,
        } = writer.finish();
        let mut json = end.close(self, json, "");
        json.push(b'}');
        let mut members: Value = serde_json::from_slice(&json).unwrap_or_default();
        let mut member = |name: &str| Some(members.get_mut(name)?.take());
        Ok(Rendered {
            system: member("system").or_else(|| member("system_instruction")),
            messages: member("messages")
                .or_else(|| member("contents"))
                .unwrap_or_default(),
            omissions,
        })
    }
}
