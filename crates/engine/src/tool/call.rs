//! A mind's call of a tool.

use super::arguments_of;
use crate::message::Block;

/// A mind's call of a tool, as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// Pairs the call with its result; empty if the mind gave none.
    pub id: String,
    /// The name that the mind called.
    pub name: String,
    /// The arguments as the mind wrote them, which should be JSON. They are read and repaired only
    /// when the tool is run.
    pub arguments: String,
    /// What the provider wants back unchanged: Gemini's `thoughtSignature`.
    pub signature: Option<Box<str>>,
}

impl ToolCall {
    /// Whether the arguments are a whole object, as they are unless an answer was cut off.
    pub(crate) fn has_whole_arguments(&self) -> bool {
        serde_json::from_str::<serde_json::Map<_, _>>(&self.arguments).is_ok()
    }

    /// A call; `arguments` is JSON text.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
            signature: None,
        }
    }
}

impl From<&ToolCall> for Block {
    /// The call as a message keeps it, with repaired arguments. What is not a JSON object is
    /// kept as an empty one.
    fn from(call: &ToolCall) -> Self {
        Self::ToolUse {
            id: call.id.clone(),
            name: call.name.clone(),
            input: arguments_of(&call.arguments),
            signature: call.signature.clone(),
        }
    }
}
