//! The blocks that content is made of.

use serde::ser::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::content::MediaKind;
use super::tokens;

/// Where an image, audio or video comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum MediaSource {
    /// An address to fetch.
    Url {
        url: String,
        /// The media type, such as `image/png`, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        media_type: Option<String>,
    },
    /// A file in the folder of media files, which is the data folder for the program.
    File {
        /// The path, relative to that folder.
        path: String,
        /// The media type, such as `image/png`; guessed from the extension if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        media_type: Option<String>,
    },
    /// The data itself.
    Base64 {
        /// The media type, such as `image/png`.
        media_type: String,
        /// The data, in base64.
        data: String,
    },
}

/// One block of content. Blocks of unknown types are kept unchanged and skipped in prompts.
// With `remote`, the derived functions are for the known types alone; the traits are below.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(remote = "Self", tag = "type", rename_all = "snake_case")]
pub enum Block {
    Text {
        text: Box<str>,
    },
    Image {
        /// Where it comes from.
        source: MediaSource,
    },
    Audio {
        /// Where it comes from.
        source: MediaSource,
    },
    Video {
        /// Where it comes from.
        source: MediaSource,
    },
    /// What a model thought before it answered. Private: never broadcast.
    Thinking {
        /// The text of the thinking.
        thinking: Box<str>,
        /// What the provider needs back unchanged: Anthropic's `signature`, Gemini's
        /// `thoughtSignature`.
        #[serde(skip_serializing_if = "Option::is_none")]
        signature: Option<Box<str>>,
    },
    /// A tool call by a model.
    ToolUse {
        /// Matches the call with its result.
        id: String,
        name: String,
        /// Its arguments, any JSON.
        input: Value,
        /// What the provider needs back unchanged: Gemini's `thoughtSignature`.
        #[serde(skip_serializing_if = "Option::is_none")]
        signature: Option<Box<str>>,
    },
    /// What a tool returned.
    ToolResult {
        /// The id of the call.
        tool_use_id: String,
        /// The tool, if known.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Any JSON.
        output: Value,
        /// Whether the tool failed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
    /// A block of an unknown type, unchanged.
    #[serde(skip)]
    Unknown(Value),
}

impl Block {
    pub fn text(text: impl Into<Box<str>>) -> Self {
        Self::Text { text: text.into() }
    }

    /// A thinking block without a signature.
    pub fn thinking(thinking: impl Into<Box<str>>) -> Self {
        Self::Thinking {
            thinking: thinking.into(),
            signature: None,
        }
    }

    pub fn tool_use(
        id: impl Into<String>,
        name: impl Into<String>,
        input: impl Into<Value>,
    ) -> Self {
        Self::ToolUse {
            id: id.into(),
            name: name.into(),
            input: input.into(),
            signature: None,
        }
    }

    /// The result of a tool call: text or blocks.
    pub fn tool_result(tool_use_id: impl Into<String>, output: impl Into<Value>) -> Self {
        Self::ToolResult {
            tool_use_id: tool_use_id.into(),
            name: None,
            output: output.into(),
            is_error: false,
        }
    }

    /// The error of a tool call.
    pub fn tool_error(tool_use_id: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::ToolResult {
            tool_use_id: tool_use_id.into(),
            name: None,
            output: Value::String(reason.into()),
            is_error: true,
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            _ => None,
        }
    }

    /// Whether it keeps all of the value it was read from, at any depth.
    fn keeps_all_of(&self, value: &Value) -> bool {
        let is_dropped = |(key, value): &(&String, &Value)| {
            matches!(self, Self::ToolResult { .. }) && *key == "is_error" && **value == false
        };
        let written = serde_json::to_value(self).unwrap_or_default();
        let (Some(written), Some(read)) = (written.as_object(), value.as_object()) else {
            return false;
        };
        let kept = read.iter().filter(|member| !is_dropped(member));
        let same = |(key, value): (&String, &Value)| written.get(key) == Some(value);
        kept.clone().count() == written.len() && kept.into_iter().all(same)
    }

    /// The estimated tokens. Media count a flat 765 (one high-detail 512-pixel tile set at OpenAI:
    /// 85 + 4 x 170); thinking and unknown blocks are not sent and count 0.
    pub fn tokens(&self) -> u32 {
        match self {
            Self::Text { text } => tokens::estimate(text),
            Self::Image { .. } | Self::Audio { .. } | Self::Video { .. } => 765,
            Self::ToolUse { name, input, .. } => {
                tokens::estimate(name) + tokens::estimate(&input.to_string())
            }
            Self::ToolResult { output, .. } => tokens::estimate(&output.to_string()),
            Self::Thinking { .. } | Self::Unknown(_) => 0,
        }
    }
}

impl MediaKind {
    pub fn block(self, source: MediaSource) -> Block {
        match self {
            Self::Image => Block::image(source),
            Self::Audio => Block::audio(source),
            Self::Video => Block::video(source),
        }
    }
}

impl Serialize for Block {
    /// Members are in alphabetical order, on which the digests in journals depend.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unknown(value) => value.serialize(serializer),
            known => Self::serialize(known, serde_json::value::Serializer)
                .map_err(S::Error::custom)?
                .serialize(serializer),
        }
    }
}

/// The names of the member that holds the id of a result's call: ours, AgentScope's for Java, and
/// AgentScope's for Python.
pub(crate) const RESULT_IDS: [&str; 3] = ["tool_use_id", "toolUseId", "id"];

/// A result whose call's id has another name, with our name for it.
fn with_own_id_name(value: &Value) -> Option<Value> {
    let object = value.as_object()?;
    if object.get("type")? != "tool_result" || object.contains_key("tool_use_id") {
        return None;
    }
    let name = RESULT_IDS.iter().find(|name| object.contains_key(**name))?;
    let mut renamed = object.clone();
    let id = renamed.remove(*name)?;
    renamed.insert("tool_use_id".into(), id);
    Some(Value::Object(renamed))
}

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Ok(Self::from(value))
    }
}

impl From<Value> for Block {
    /// Reads a block. A bare string is text, and the id of a result's call may have any of three
    /// names. A value that is not a known block with exactly its members is kept unchanged.
    fn from(value: Value) -> Self {
        if let Value::String(text) = value {
            return Self::text(text);
        }
        let renamed = with_own_id_name(&value);
        let own = renamed.as_ref().unwrap_or(&value);
        match Self::deserialize(own) {
            Ok(block) if block.keeps_all_of(own) => block,
            _ => Self::Unknown(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_type_survives_the_round_trip() {
        for value in [
            json!({"type": "text", "text": "hi"}),
            json!({"type": "image", "source": {"type": "url", "url": "http://x/y.png"}}),
            json!({"type": "audio", "source": {"type": "file", "path": "a.mp3"}}),
            json!({"type": "video", "source": {"type": "base64", "media_type": "video/mp4", "data": "AA=="}}),
            json!({"type": "thinking", "thinking": "hm"}),
            json!({"type": "tool_use", "id": "1", "name": "dice", "input": {"sides": 6}}),
            json!({"type": "tool_result", "tool_use_id": "1", "output": "4", "is_error": true}),
            json!({"type": "thinking", "thinking": "hm", "signature": "EqQB"}),
            json!({"type": "tool_use", "id": "1", "name": "dice", "input": {}, "signature": "Ci4B"}),
            json!({"type": "tool_result", "tool_use_id": "1", "name": "dice", "output": [{"type": "text", "text": "4"}]}),
            json!({"type": "image", "source": {"type": "url", "url": "http://x/y", "media_type": "image/png"}}),
            json!({"type": "hologram", "rays": [1, 2]}),
            json!({"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}),
            json!({"type": "image", "source": {"type": "url", "url": "http://x/y.png", "detail": "low"}}),
        ] {
            let block = Block::from(value.clone());
            assert_eq!(serde_json::to_value(&block).unwrap(), value);
        }
    }

    #[test]
    fn the_id_of_a_call_may_have_three_names() {
        for key in RESULT_IDS {
            let value = json!({"type": "tool_result", key: "call_001", "output": "晴"});
            assert_eq!(Block::from(value), Block::tool_result("call_001", "晴"));
        }
        let twice = json!({"type": "tool_result", "tool_use_id": "1", "id": "r", "output": ""});
        assert_eq!(Block::from(twice.clone()), Block::Unknown(twice));
    }
}
