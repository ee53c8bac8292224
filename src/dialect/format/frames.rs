//! The frames around words, media, calls and results in each provider's form.

use bytes::BytesMut;
use serde_json::{Value, json};

use super::media::{Data, Media, NoFiles};
use super::names::alias;
use super::shape::{Api, NoWords, ResultName, Shape};
use super::turn::Turn;
use crate::message::{Block, MediaKind, ToolCall, ToolResult};

/// Whose message one is on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    System,
    User,
    Assistant,
}

/// The most characters of a speaker's name at OpenAI.
const LONGEST_NAME: usize = 64;

impl Api {
    /// Whether content is always a list of parts.
    pub(super) fn has_parts(self) -> bool {
        matches!(self, Self::Anthropic | Self::Gemini)
    }

    /// Whether content may be a list of parts.
    pub(super) fn knows_parts(self) -> bool {
        self != Self::Ollama
    }

    /// Whether a message may carry the name of its speaker beside its words.
    pub(super) fn has_names(self) -> bool {
        matches!(self, Self::OpenAi | Self::DeepSeek)
    }

    /// Whether a message of a user has a place for media of this kind, in some form of them.
    pub(super) fn has_place_for(self, kind: MediaKind) -> bool {
        match self {
            Self::OpenAi => kind != MediaKind::Video,
            Self::DeepSeek => false,
            Self::Anthropic | Self::Ollama => kind == MediaKind::Image,
            Self::Gemini | Self::DashScope => true,
        }
    }

    /// What opens the list of messages.
    pub(super) fn list(self) -> &'static str {
        match self {
            Self::Gemini => "\"contents\":[",
            _ => "\"messages\":[",
        }
    }

    /// What opens the member of the system's words, where that stands beside the messages, and what
    /// closes it after its list of parts.
    pub(super) fn system_member(self) -> (&'static str, &'static str) {
        match self {
            Self::Gemini => ("\"system_instruction\":{\"parts\":", "},"),
            _ => ("\"system\":", ","),
        }
    }

    /// Writes what opens a message, up to its content.
    pub(super) fn open_message(
        self,
        out: &mut BytesMut,
        speaker: Speaker,
        name: Option<&str>,
        reasoning: Option<&str>,
    ) {
        let mut put = |piece: &str| out.extend_from_slice(piece.as_bytes());
        put(match (self, speaker) {
            (_, Speaker::System) => "{\"role\":\"system\",",
            (_, Speaker::User) => "{\"role\":\"user\",",
            (Self::Gemini, Speaker::Assistant) => "{\"role\":\"model\",",
            (_, Speaker::Assistant) => "{\"role\":\"assistant\",",
        });
        if let Some(name) = name {
            put("\"name\":\"");
            put(&alias(name, LONGEST_NAME));
            put("\",");
        }
        if let Some(reasoning) = reasoning {
            put(match self {
                Self::Ollama => "\"thinking\":",
                _ => "\"reasoning_content\":",
            });
            put(&Value::from(reasoning).to_string());
            put(",");
        }
        put(match self {
            Self::Gemini => "\"parts\":",
            _ => "\"content\":",
        });
    }

    /// What opens a part of words, up to the words themselves.
    pub(super) fn text_part(self) -> &'static str {
        match self {
            Self::Gemini | Self::DashScope => "{\"text\":\"",
            _ => "{\"type\":\"text\",\"text\":\"",
        }
    }

    /// The longest id of a call.
    fn longest_id(self) -> usize {
        match self {
            Self::OpenAi => 40,
            _ => 64,
        }
    }

    /// The id of a call as it is sent.
    fn id(self, id: &str) -> String {
        alias(id, self.longest_id()).into_owned()
    }
}

/// A part of content without its last brace, so that something may still join it.
pub(super) fn unclosed(part: &Value) -> String {
    let mut text = part.to_string();
    text.pop();
    text
}

/// Where media go in a provider's form.
#[derive(Debug, PartialEq)]
pub(super) enum MediaPart {
    /// A part of the content.
    Part(Value),
    /// An entry of the message's list of images.
    Image(String),
}

/// The form of media at a provider; `None` where it has none for them.
pub(super) fn media_part(api: Api, kind: MediaKind, data: Data<'_>) -> Option<MediaPart> {
    let part = match (api, kind, data) {
        (Api::OpenAi, MediaKind::Image, data) => {
            json!({"type": "image_url", "image_url": {"url": as_url(data)}})
        }
        (Api::OpenAi, MediaKind::Audio, Data::Base64 { media_type, data }) => {
            let format = match &*media_type {
                "audio/mpeg" | "audio/mp3" => "mp3",
                "audio/wav" | "audio/x-wav" | "audio/wave" | "audio/vnd.wave" => "wav",
                _ => return None,
            };
            json!({"type": "input_audio", "input_audio": {"data": data, "format": format}})
        }
        (Api::Anthropic, MediaKind::Image, Data::Base64 { media_type, data }) => {
            json!({"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}})
        }
        (Api::Anthropic, MediaKind::Image, Data::Url { url, .. }) => {
            json!({"type": "image", "source": {"type": "url", "url": url}})
        }
        (Api::Gemini, _, Data::Base64 { media_type, data }) => {
            json!({"inline_data": {"mime_type": media_type, "data": data}})
        }
        (Api::Gemini, _, Data::Url { url, media_type }) => match media_type {
            Some(media_type) => json!({"file_data": {"file_uri": url, "mime_type": media_type}}),
            None => json!({"file_data": {"file_uri": url}}),
        },
        (Api::DashScope, kind, data) => json!({kind.name(): as_url(data)}),
        (Api::Ollama, MediaKind::Image, Data::Base64 { data, .. }) => {
            return Some(MediaPart::Image(Value::from(data).to_string()));
        }
        (
            Api::OpenAi | Api::DeepSeek | Api::Anthropic | Api::Ollama,
            _,
            Data::Url { .. } | Data::Base64 { .. },
        ) => return None,
    };
    Some(MediaPart::Part(part))
}

fn as_url(data: Data<'_>) -> String {
    match data {
        Data::Url { url, .. } => url.into(),
        Data::Base64 { media_type, data } => format!("data:{media_type};base64,{data}"),
    }
}

/// A call and its result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'a> {
    pub(super) call: ToolCall<'a>,
    pub(super) signature: Option<&'a str>,
    pub(super) result: ToolResult<'a>,
}

impl Pair<'_> {
    /// The arguments; whatever is no object is none.
    fn arguments(&self) -> Value {
        match self.call.input {
            Value::Object(_) => self.call.input.clone(),
            _ => json!({}),
        }
    }

    /// The call as a part of content, or as an entry of `tool_calls`.
    pub(super) fn call(&self, api: Api) -> Value {
        let (id, name) = (api.id(self.call.id), self.call.name);
        match api {
            Api::Anthropic => {
                json!({"type": "tool_use", "id": id, "name": name, "input": self.arguments()})
            }
            Api::Gemini => {
                let mut part =
                    json!({"function_call": {"id": id, "name": name, "args": self.arguments()}});
                if let Some(signature) = self.signature {
                    part["thought_signature"] = signature.into();
                }
                part
            }
            Api::Ollama => {
                let function = json!({"name": name, "arguments": self.arguments()});
                json!({"id": id, "type": "function", "function": function})
            }
            Api::OpenAi | Api::DeepSeek | Api::DashScope => {
                let arguments = self.arguments().to_string();
                let function = json!({"name": name, "arguments": arguments});
                json!({"id": id, "type": "function", "function": function})
            }
        }
    }

    /// The result: a part of content, or a message.
    pub(super) fn result(&self, api: Api, shape: &Shape) -> Value {
        let id = api.id(self.call.id);
        let name = self.result.name.unwrap_or(self.call.name);
        match api {
            Api::Anthropic => {
                let content = result_parts(&self.result);
                let mut part =
                    json!({"type": "tool_result", "tool_use_id": id, "content": content});
                if self.result.is_error {
                    part["is_error"] = true.into();
                }
                part
            }
            Api::Gemini => {
                let key = if self.result.is_error {
                    "error"
                } else {
                    "output"
                };
                let response = json!({key: self.result.text()});
                json!({"function_response": {"id": id, "name": name, "response": response}})
            }
            _ => {
                let content = self.result.text();
                let mut message = json!({"role": "tool", "tool_call_id": id, "content": content});
                match shape.result_name {
                    ResultName::None => {}
                    ResultName::Name => message["name"] = name.into(),
                    ResultName::ToolName => message["tool_name"] = name.into(),
                }
                message
            }
        }
    }
}

/// What a tool returned, as parts of Anthropic's form. Empty words are refused there.
fn result_parts(result: &ToolResult<'_>) -> Vec<Value> {
    let text = |text: &str| (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
    let Value::Array(blocks) = result.output else {
        return text(&result.text()).into_iter().collect();
    };
    let blocks = blocks.iter().cloned().map(Block::from);
    let part = |block: Block| match &block {
        Block::Text { text: words } => text(words),
        _ => {
            let media = Media::of(&block)?;
            let data = media.data(&NoFiles).ok()?;
            match media_part(Api::Anthropic, media.kind, data)? {
                MediaPart::Part(part) => Some(part),
                MediaPart::Image(_) => None,
            }
        }
    };
    blocks.filter_map(part).collect()
}

impl NoWords {
    /// As it is written.
    pub(super) fn written(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::List => "[]",
            Self::Text => "\"\"",
        }
    }
}

/// The inside of a JSON string.
pub(super) fn escaped(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].into()
}

/// The thoughts of a turn that may be sent back.
pub(super) fn thoughts<'a>(turn: Turn<'a>, shape: &Shape) -> Vec<&'a Block> {
    let may_go = |block: &&Block| match block {
        Block::Thinking { signature, .. } => signature.is_some() || shape.unsigned_thinking,
        block => is_closed_thought(block),
    };
    turn.blocks().iter().filter(may_go).collect()
}

/// Whether a block is a thought that only its provider can read: Anthropic's `redacted_thinking`.
pub(super) fn is_closed_thought(block: &Block) -> bool {
    matches!(block, Block::Unknown(value) if value["type"] == "redacted_thinking")
}

/// A thought as a part of Anthropic's form.
pub(super) fn thought_part(block: &Block) -> Option<Value> {
    match block {
        Block::Thinking {
            thinking,
            signature: Some(signature),
        } => Some(json!({"type": "thinking", "thinking": thinking, "signature": signature})),
        Block::Thinking { thinking, .. } => Some(json!({"type": "thinking", "thinking": thinking})),
        Block::Unknown(value) => Some(value.clone()),
        _ => None,
    }
}
