//! The blocks that content is made of.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use super::tokens;

/// Where an image, a sound or a film comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Source {
    /// An address to fetch.
    Url {
        /// The address.
        url: String,
        /// The media type, such as `image/png`, where it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        media_type: Option<String>,
    },
    /// A file inside the folder of media files, which for the program is its data folder.
    File {
        /// The path, relative to that folder.
        path: String,
        /// The media type, such as `image/png`; guessed from the ending where absent.
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

/// One piece of content. A block of a kind we do not know is kept as it came and skipped in prompts.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Words.
    Text {
        /// The words.
        text: Box<str>,
    },
    /// A picture.
    Image {
        /// Where it comes from.
        source: Source,
    },
    /// A sound.
    Audio {
        /// Where it comes from.
        source: Source,
    },
    /// A film.
    Video {
        /// Where it comes from.
        source: Source,
    },
    /// What a model thought before it answered. Private: never broadcast.
    Thinking {
        /// The thought.
        thinking: Box<str>,
        /// What the provider wants back with it, unchanged: Anthropic's `signature`, Gemini's
        /// `thoughtSignature`.
        signature: Option<Box<str>>,
    },
    /// A model's wish to call a tool.
    ToolUse {
        /// Pairs the call with its result.
        id: String,
        /// The tool.
        name: String,
        /// Its arguments.
        input: Value,
        /// What the provider wants back with it, unchanged: Gemini's `thoughtSignature`.
        signature: Option<Box<str>>,
    },
    /// What a tool returned.
    ToolResult {
        /// The id of the call.
        tool_use_id: String,
        /// The tool, where it is known.
        name: Option<String>,
        /// What came back: text or blocks.
        output: Value,
        /// Whether the tool failed.
        is_error: bool,
    },
    /// A block of an unknown kind, as it came.
    Unknown(Value),
}

/// The known kinds, as they are written.
#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Known {
    Text {
        text: Box<str>,
    },
    Image {
        source: Source,
    },
    Audio {
        source: Source,
    },
    Video {
        source: Source,
    },
    Thinking {
        thinking: Box<str>,
        signature: Option<Box<str>>,
    },
    ToolUse {
        id: String,
        name: String,
        input: Value,
        signature: Option<Box<str>>,
    },
    ToolResult {
        tool_use_id: String,
        name: Option<String>,
        output: Value,
        #[serde(default)]
        is_error: bool,
    },
}

impl Block {
    /// A text block.
    pub fn text(text: impl Into<Box<str>>) -> Self {
        Self::Text { text: text.into() }
    }

    /// A thinking block that no provider signed.
    pub fn thinking(thinking: impl Into<Box<str>>) -> Self {
        Self::Thinking {
            thinking: thinking.into(),
            signature: None,
        }
    }

    /// A call of a tool.
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

    /// What the tool of this call returned: text or blocks.
    pub fn tool_result(tool_use_id: impl Into<String>, output: impl Into<Value>) -> Self {
        Self::ToolResult {
            tool_use_id: tool_use_id.into(),
            name: None,
            output: output.into(),
            is_error: false,
        }
    }

    /// What the tool of this call failed with.
    pub fn tool_error(tool_use_id: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::ToolResult {
            tool_use_id: tool_use_id.into(),
            name: None,
            output: Value::String(reason.into()),
            is_error: true,
        }
    }

    /// The words of a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            _ => None,
        }
    }

    /// Whether this is all that the value it was read from says: members that we would drop, at any
    /// depth, make it a block that we do not fully know.
    fn says_all_of(&self, value: &Value) -> bool {
        let is_dropped = |(key, value): &(&String, &Value)| {
            matches!(self, Self::ToolResult { .. }) && *key == "is_error" && **value == false
        };
        let again = serde_json::to_value(self).unwrap_or_default();
        let (Some(again), Some(came)) = (again.as_object(), value.as_object()) else {
            return false;
        };
        let kept = came.iter().filter(|member| !is_dropped(member));
        let same = |(key, value): (&String, &Value)| again.get(key) == Some(value);
        kept.clone().count() == again.len() && kept.into_iter().all(same)
    }

    /// The estimated tokens. Media count a flat 765 (one high-detail 512-pixel tile set at OpenAI:
    /// 85 + 4 x 170); thinking and unknown blocks are not sent and count nothing.
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

impl From<Known> for Block {
    fn from(known: Known) -> Self {
        match known {
            Known::Text { text } => Self::Text { text },
            Known::Image { source } => Self::Image { source },
            Known::Audio { source } => Self::Audio { source },
            Known::Video { source } => Self::Video { source },
            Known::Thinking {
                thinking,
                signature,
            } => Self::Thinking {
                thinking,
                signature,
            },
            Known::ToolUse {
                id,
                name,
                input,
                signature,
            } => Self::ToolUse {
                id,
                name,
                input,
                signature,
            },
            Known::ToolResult {
                tool_use_id,
                name,
                output,
                is_error,
            } => Self::ToolResult {
                tool_use_id,
                name,
                output,
                is_error,
            },
        }
    }
}

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = match self {
            Self::Unknown(value) => value.clone(),
            Self::Text { text } => json!({"type": "text", "text": text}),
            Self::Image { source } => json!({"type": "image", "source": source}),
            Self::Audio { source } => json!({"type": "audio", "source": source}),
            Self::Video { source } => json!({"type": "video", "source": source}),
            Self::Thinking {
                thinking,
                signature,
            } => {
                let value = json!({"type": "thinking", "thinking": thinking});
                with_member(value, "signature", signature.as_deref())
            }
            Self::ToolUse {
                id,
                name,
                input,
                signature,
            } => {
                let value = json!({"type": "tool_use", "id": id, "name": name, "input": input});
                with_member(value, "signature", signature.as_deref())
            }
            Self::ToolResult {
                tool_use_id,
                name,
                output,
                is_error,
            } => {
                let value = json!({
                    "type": "tool_result", "tool_use_id": tool_use_id, "output": output,
                });
                let value = with_member(value, "name", name.as_deref());
                with_member(value, "is_error", is_error.then_some(true))
            }
        };
        value.serialize(serializer)
    }
}

/// The object with one more member, where there is one.
fn with_member(mut object: Value, key: &str, member: Option<impl Into<Value>>) -> Value {
    if let Some(member) = member {
        object[key] = member.into();
    }
    object
}

/// How the id of a result's call is spelled: ours, AgentScope's for Java, AgentScope's for Python.
pub(crate) const RESULT_IDS: [&str; 3] = ["tool_use_id", "toolUseId", "id"];

/// A result in our spelling, where its call's id is spelled another way.
fn respelled(value: &Value) -> Option<Value> {
    let came = value.as_object()?;
    if came.get("type")? != "tool_result" || came.contains_key("tool_use_id") {
        return None;
    }
    let spelled = RESULT_IDS.iter().find(|key| came.contains_key(**key))?;
    let mut ours = came.clone();
    let id = ours.remove(*spelled)?;
    ours.insert("tool_use_id".into(), id);
    Some(Value::Object(ours))
}

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Ok(Self::from(value))
    }
}

impl From<Value> for Block {
    /// Reads a block; a bare string is text, the id of a result's call is read in three spellings,
    /// and whatever is not a known block with exactly its members is kept as it came.
    fn from(value: Value) -> Self {
        if let Value::String(text) = value {
            return Self::text(text);
        }
        let ours = respelled(&value);
        let known = ours.as_ref().unwrap_or(&value);
        match Known::deserialize(known).map(Self::from) {
            Ok(block) if block.says_all_of(known) => block,
            _ => Self::Unknown(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_survives_the_round_trip() {
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
    fn a_result_finds_its_call_in_three_spellings() {
        for key in RESULT_IDS {
            let value = json!({"type": "tool_result", key: "call_001", "output": "晴"});
            assert_eq!(Block::from(value), Block::tool_result("call_001", "晴"));
        }
        let twice = json!({"type": "tool_result", "tool_use_id": "1", "id": "r", "output": ""});
        assert_eq!(Block::from(twice.clone()), Block::Unknown(twice));
    }

    #[test]
    fn an_unknown_block_is_kept_as_it_came() {
        let value = json!({"type": "hologram", "rays": [1, 2]});
        assert_eq!(Block::from(value.clone()), Block::Unknown(value));
    }
}
