//! The JSON of each provider: what surrounds texts, media, tool calls and results.

use playhouse_engine::message::{Block, MediaKind, ToolResult, ToolUse};
use serde_json::{Value, json};

use super::media::Data;
use super::names::alias;
use super::options::{Api, EmptyContent, FormatOptions, ToolNameField};

/// The role of a message on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    System,
    User,
    Assistant,
}

/// The maximum length of a speaker's name at OpenAI.
const MAX_NAME: usize = 64;

impl Api {
    /// Whether content is always a list of parts.
    pub(super) fn requires_parts(self) -> bool {
        matches!(self, Self::Anthropic | Self::Gemini)
    }

    /// Whether content may be a list of parts.
    pub(super) fn accepts_parts(self) -> bool {
        self != Self::Ollama
    }

    /// Whether a message has a member for the name of its speaker.
    pub(super) fn accepts_names(self) -> bool {
        matches!(self, Self::OpenAi | Self::DeepSeek)
    }

    /// Whether a user's message can hold media of this kind.
    pub(super) fn accepts_media(self, kind: MediaKind) -> bool {
        match self {
            Self::OpenAi => kind != MediaKind::Video,
            Self::DeepSeek => false,
            Self::Anthropic | Self::Ollama => kind == MediaKind::Image,
            Self::Gemini | Self::DashScope => true,
        }
    }

    /// What opens the list of messages.
    pub(super) fn list_start(self) -> &'static str {
        match self {
            Self::Gemini => "\"contents\":[",
            _ => "\"messages\":[",
        }
    }

    /// What opens the member that holds the system message, and what closes it after its parts.
    pub(super) fn system_member(self) -> (&'static str, &'static str) {
        match self {
            Self::Gemini => ("\"system_instruction\":{\"parts\":", "},"),
            _ => ("\"system\":", ","),
        }
    }

    /// Writes the start of a message, up to its content.
    pub(super) fn open_message(
        self,
        out: &mut Vec<u8>,
        speaker: Speaker,
        name: Option<&str>,
        reasoning: Option<&str>,
    ) {
        let mut put = |json: &str| out.extend_from_slice(json.as_bytes());
        put(match (self, speaker) {
            (_, Speaker::System) => "{\"role\":\"system\",",
            (_, Speaker::User) => "{\"role\":\"user\",",
            (Self::Gemini, Speaker::Assistant) => "{\"role\":\"model\",",
            (_, Speaker::Assistant) => "{\"role\":\"assistant\",",
        });
        if let Some(name) = name {
            put("\"name\":\"");
            put(&alias(name, MAX_NAME));
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

    /// The start of a text part, up to the text itself.
    pub(super) fn text_part_start(self) -> &'static str {
        match self {
            Self::Gemini | Self::DashScope => "{\"text\":\"",
            _ => "{\"type\":\"text\",\"text\":\"",
        }
    }

    /// The maximum length of a call's id.
    fn max_id_len(self) -> usize {
        match self {
            Self::OpenAi => 40,
            _ => 64,
        }
    }

    /// The id of a call as it is sent.
    fn call_id(self, id: &str) -> String {
        alias(id, self.max_id_len()).into_owned()
    }
}

/// Media as they are sent.
#[derive(Debug, PartialEq)]
pub(super) enum MediaPart {
    /// A part of the content.
    Part(Value),
    /// An entry of Ollama's list of images.
    Image(String),
}

/// Media as a provider expects them; `None` if it does not accept them.
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
        _ => return None,
    };
    Some(MediaPart::Part(part))
}

fn as_url(data: Data<'_>) -> String {
    match data {
        Data::Url { url, .. } => url.into(),
        Data::Base64 { media_type, data } => format!("data:{media_type};base64,{data}"),
    }
}

/// A tool call and its result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'a> {
    pub(super) call: ToolUse<'a>,
    pub(super) signature: Option<&'a str>,
    pub(super) result: ToolResult<'a>,
}

impl Pair<'_> {
    /// The arguments; an empty object if they are not an object.
    fn arguments(&self) -> Value {
        match self.call.input {
            Value::Object(_) => self.call.input.clone(),
            _ => json!({}),
        }
    }

    /// The call as a part of content, or as an entry of `tool_calls`.
    pub(super) fn call(&self, api: Api) -> Value {
        let (id, name) = (api.call_id(self.call.id), self.call.name);
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
            _ => {
                let arguments = match api {
                    Api::Ollama => self.arguments(),
                    _ => self.arguments().to_string().into(),
                };
                let function = json!({"name": name, "arguments": arguments});
                json!({"id": id, "type": "function", "function": function})
            }
        }
    }

    /// The result as a part of content, or as a message of its own. `output` is what it says.
    pub(super) fn result(
        &self,
        api: Api,
        options: &FormatOptions,
        output: Vec<SentOutput>,
    ) -> Value {
        let id = api.call_id(self.call.id);
        let name = self.result.name.unwrap_or(self.call.name);
        if api == Api::Anthropic {
            let content: Vec<_> = output
                .into_iter()
                .filter_map(SentOutput::into_part)
                .collect();
            let mut part = json!({"type": "tool_result", "tool_use_id": id, "content": content});
            if self.result.is_error {
                part["is_error"] = true.into();
            }
            return part;
        }
        let texts = output.into_iter().filter_map(SentOutput::into_text);
        let content = texts.collect::<Vec<_>>().join("\n");
        if api == Api::Gemini {
            let key = if self.result.is_error {
                "error"
            } else {
                "output"
            };
            let response = json!({key: content});
            return json!({"function_response": {"id": id, "name": name, "response": response}});
        }
        let mut message = json!({"role": "tool", "tool_call_id": id, "content": content});
        match options.tool_name_field {
            ToolNameField::None => {}
            ToolNameField::Name => message["name"] = name.into(),
            ToolNameField::ToolName => message["tool_name"] = name.into(),
        }
        message
    }
}

/// A piece of a tool's output as it is sent.
#[derive(Debug)]
pub(super) enum SentOutput {
    Text(String),
    /// A content part; only Anthropic has others than text in a result.
    Part(Value),
}

impl SentOutput {
    fn into_text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Part(_) => None,
        }
    }

    /// The content part. Empty texts would be refused.
    fn into_part(self) -> Option<Value> {
        match self {
            Self::Text(text) if text.is_empty() => None,
            Self::Text(text) => Some(json!({"type": "text", "text": text})),
            Self::Part(part) => Some(part),
        }
    }
}

impl EmptyContent {
    pub(super) fn json(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::List => "[]",
            Self::Text => "\"\"",
        }
    }
}

pub(super) fn is_thought(block: &Block) -> bool {
    matches!(block, Block::Thinking { .. }) || is_redacted_thought(block)
}

/// Whether a thought may be sent back to its model. Gemini expects its signatures back with the
/// calls alone.
pub(super) fn may_return(api: Api, options: &FormatOptions, thought: &Block) -> bool {
    match (api, thought) {
        (Api::Gemini, _) => false,
        (_, Block::Thinking { signature, .. }) => signature.is_some() || options.unsigned_thinking,
        _ => api == Api::Anthropic,
    }
}

/// Whether a block is a thought that only its provider can read: Anthropic's `redacted_thinking`.
fn is_redacted_thought(block: &Block) -> bool {
    matches!(block, Block::Unknown(value) if value["type"] == "redacted_thinking")
}

/// A thought as Anthropic's content part.
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
