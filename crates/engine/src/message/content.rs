//! Looking into content, and building messages of the usual kinds.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::Value;

use super::{Block, Body, Content, MediaSource, Message, Role};

/// A tool call by a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolUse<'a> {
    /// Matches the call with its result.
    pub id: &'a str,
    pub name: &'a str,
    pub input: &'a Value,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolResult<'a> {
    pub id: &'a str,
    pub name: Option<&'a str>,
    pub output: &'a Value,
    pub is_error: bool,
}

impl<'a> ToolResult<'a> {
    /// The output as blocks: one text if it is not a list.
    pub fn blocks(&self) -> Vec<Block> {
        match self.output {
            Value::Array(blocks) => blocks.iter().cloned().map(Block::from).collect(),
            _ => vec![Block::text(self.text())],
        }
    }

    /// The text of the output: its text blocks, joined by line breaks. Output that is neither text
    /// nor blocks is given as JSON.
    pub fn text(&self) -> Cow<'a, str> {
        match self.output {
            Value::String(text) => Cow::Borrowed(text),
            Value::Array(blocks) => {
                let texts = blocks.iter().filter_map(|block| match block {
                    Value::String(text) => Some(text.as_str()),
                    block => block.get("text")?.as_str(),
                });
                Cow::Owned(texts.collect::<Vec<_>>().join("\n"))
            }
            output => Cow::Owned(output.to_string()),
        }
    }
}

/// The kind of media in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaKind {
    Image,
    Audio,
    Video,
}

impl MediaKind {
    pub const ALL: [Self; 3] = [Self::Image, Self::Audio, Self::Video];

    /// The kind of a media type, such as `image/png`.
    pub fn of_media_type(media_type: &str) -> Option<Self> {
        let name = media_type.split('/').next()?;
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The name of the kind, with which its media types begin.
    pub fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Video => "video",
        }
    }

    /// Media of this kind in words, such as `[image: inn.png]`.
    pub fn in_words(self, source: &MediaSource) -> String {
        format!("[{}: {}]", self.name(), source.name())
    }
}

impl Block {
    pub fn image(source: MediaSource) -> Self {
        Self::Image { source }
    }

    pub fn audio(source: MediaSource) -> Self {
        Self::Audio { source }
    }

    pub fn video(source: MediaSource) -> Self {
        Self::Video { source }
    }

    pub fn as_tool_call(&self) -> Option<ToolUse<'_>> {
        match self {
            Self::ToolUse {
                id, name, input, ..
            } => Some(ToolUse { id, name, input }),
            _ => None,
        }
    }

    /// What the provider of a thinking block or a call needs back unchanged.
    pub fn signature(&self) -> Option<&str> {
        match self {
            Self::Thinking { signature, .. } | Self::ToolUse { signature, .. } => {
                signature.as_deref()
            }
            _ => None,
        }
    }

    pub fn is_tool_result(&self) -> bool {
        matches!(self, Self::ToolResult { .. })
    }

    pub fn as_tool_result(&self) -> Option<ToolResult<'_>> {
        match self {
            Self::ToolResult {
                tool_use_id,
                name,
                output,
                is_error,
            } => Some(ToolResult {
                id: tool_use_id,
                name: name.as_deref(),
                output,
                is_error: *is_error,
            }),
            _ => None,
        }
    }

    /// The image, audio or video, if this is one.
    pub fn as_media(&self) -> Option<(MediaKind, &MediaSource)> {
        match self {
            Self::Image { source } => Some((MediaKind::Image, source)),
            Self::Audio { source } => Some((MediaKind::Audio, source)),
            Self::Video { source } => Some((MediaKind::Video, source)),
            _ => None,
        }
    }
}

impl MediaSource {
    /// The name for people: the address, the path or the media type.
    pub fn name(&self) -> &str {
        match self {
            Self::Url { url, .. } => url,
            Self::File { path, .. } => path,
            Self::Base64 { media_type, .. } => media_type,
        }
    }

    /// An address to fetch.
    pub fn url(url: impl Into<String>) -> Self {
        Self::Url {
            url: url.into(),
            media_type: None,
        }
    }

    /// A file in the folder of media files.
    pub fn file(path: impl Into<String>) -> Self {
        Self::File {
            path: path.into(),
            media_type: None,
        }
    }

    /// The data itself, in base64.
    pub fn base64(media_type: impl Into<String>, data: impl Into<String>) -> Self {
        Self::Base64 {
            media_type: media_type.into(),
            data: data.into(),
        }
    }
}

impl Body {
    /// All its text: the shared prefix and every text block, joined by `separator`. Thinking is not
    /// text.
    pub fn joined_text(&self, separator: &str) -> Cow<'_, str> {
        let own = match self.content() {
            Content::Text(text) => Cow::Borrowed(text.as_str()),
            Content::Blocks(blocks) => {
                let texts: Vec<_> = blocks.iter().filter_map(Block::as_text).collect();
                Cow::Owned(texts.join(separator))
            }
        };
        match self.shared_prefix() {
            Some(shared_prefix) => Cow::Owned(format!("{}{own}", shared_prefix.as_str())),
            None => own,
        }
    }

    /// Its blocks, without the shared prefix; empty if it is one text.
    pub fn listed_blocks(&self) -> &[Block] {
        match self.content() {
            Content::Text(_) => &[],
            Content::Blocks(blocks) => blocks,
        }
    }

    /// All its content as blocks, the shared prefix first. A text becomes one text block.
    pub fn to_blocks(&self) -> Vec<Block> {
        let blocks = match self.content() {
            Content::Text(_) => return vec![Block::text(self.full_text())],
            Content::Blocks(blocks) => blocks,
        };
        let shared_prefix = self.shared_prefix().map(|text| Block::text(text.as_str()));
        shared_prefix
            .into_iter()
            .chain(blocks.iter().cloned())
            .collect()
    }

    pub fn tool_calls(&self) -> impl Iterator<Item = ToolUse<'_>> {
        self.listed_blocks().iter().filter_map(Block::as_tool_call)
    }

    pub fn tool_results(&self) -> impl Iterator<Item = ToolResult<'_>> {
        self.listed_blocks()
            .iter()
            .filter_map(Block::as_tool_result)
    }

    pub fn media(&self) -> impl Iterator<Item = (MediaKind, &MediaSource)> {
        self.listed_blocks().iter().filter_map(Block::as_media)
    }
}

impl Message {
    /// The rules that open a conversation.
    pub fn system(body: impl Into<Body>) -> Self {
        Self::new(Role::System, body)
    }

    /// What the entity is told: a text, or a list of blocks such as texts and images.
    pub fn human(body: impl Into<Body>) -> Self {
        Self::new(Role::Human, body)
    }

    /// What the entity's own mind said: a text, or a list of blocks such as a text and
    /// [calls](Block::tool_use).
    pub fn ai(body: impl Into<Body>) -> Self {
        Self::new(Role::Ai, body)
    }

    /// What tools returned: [results](Block::tool_result) and [errors](Block::tool_error).
    pub fn tool(results: impl IntoIterator<Item = Block>) -> Self {
        Self::new(Role::Tool, results.into_iter().collect::<Vec<_>>())
    }

    /// The same message by this sender.
    pub fn said_by(mut self, name: impl Into<Arc<str>>) -> Self {
        self.body = self.body.from_sender(name);
        self
    }
}

/// A call and its result, if there is one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallPair<'a> {
    pub call: ToolUse<'a>,
    pub result: Option<ToolResult<'a>>,
}

/// The calls of a conversation with their results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallPairs<'a> {
    /// Every call, in order.
    pub pairs: Vec<CallPair<'a>>,
    /// The results without a call before them.
    pub orphans: Vec<ToolResult<'a>>,
}

impl<'a> CallPairs<'a> {
    /// Matches the calls of these messages with their results. A result belongs to the oldest call
    /// of its id before it that has no result yet, since some models number their calls from 1 in
    /// each turn.
    pub fn of(messages: impl IntoIterator<Item = &'a Message>) -> Self {
        let mut calls = Self::default();
        let mut open: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
        let blocks = messages
            .into_iter()
            .flat_map(|message| message.body.listed_blocks());
        for block in blocks {
            if let Some(call) = block.as_tool_call() {
                let waiting = open.entry(call.id).or_default();
                waiting.push_back(calls.pairs.len());
                calls.pairs.push(CallPair { call, result: None });
            } else if let Some(result) = block.as_tool_result() {
                let index = open.get_mut(result.id).and_then(VecDeque::pop_front);
                match index.and_then(|index| calls.pairs.get_mut(index)) {
                    Some(pair) => pair.result = Some(result),
                    None => calls.orphans.push(result),
                }
            }
        }
        calls
    }

    pub fn unanswered(&self) -> impl Iterator<Item = ToolUse<'a>> {
        let open = self.pairs.iter().filter(|pair| pair.result.is_none());
        open.map(|pair| pair.call)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn weather(id: &str) -> Block {
        Block::tool_use(id, "get_weather", json!({"city": "北京"}))
    }

    #[test]
    fn text_calls_and_media_are_found_in_a_message() {
        let look = Message::human(vec![
            Block::text("What is this?"),
            Block::image(MediaSource::url("https://example.com/photo.jpg")),
            Block::text("Well?"),
        ])
        .said_by("Ann");
        assert_eq!(look.body.joined_text("|"), "What is this?|Well?");
        assert_eq!(look.body.sender().map(|name| &**name), Some("Ann"));
        let media: Vec<_> = look.body.media().collect();
        let photo = MediaSource::url("https://example.com/photo.jpg");
        assert_eq!(media, [(MediaKind::Image, &photo)]);
        assert_eq!(look.body.tool_calls().count(), 0);

        let call = Message::ai(vec![Block::text("Let me look."), weather("call_001")]);
        let names: Vec<_> = call.body.tool_calls().map(|call| call.name).collect();
        assert_eq!(names, ["get_weather"]);
        assert_eq!(call.body.to_blocks().len(), 2);
        assert_eq!(Body::text("a").to_blocks(), [Block::text("a")]);
    }

    #[test]
    fn results_find_the_calls_before_them() {
        let messages = [
            Message::tool([Block::tool_result("call_1", "too early")]),
            Message::ai(vec![weather("call_1"), weather("call_2")]),
            Message::tool([Block::tool_error("call_2", "no connection")]),
            Message::ai(vec![weather("call_1")]),
            Message::tool([
                Block::tool_result("call_1", "rain"),
                Block::tool_result("call_9", "nobody asked"),
            ]),
        ];
        let pairs = CallPairs::of(&messages);
        let results: Vec<_> = pairs
            .pairs
            .iter()
            .map(|pair| {
                let result = pair.result?;
                Some((result.text().into_owned(), result.is_error))
            })
            .collect();
        assert_eq!(
            results,
            [
                Some(("rain".into(), false)),
                Some(("no connection".into(), true)),
                None
            ]
        );
        assert_eq!(pairs.unanswered().count(), 1);
        let orphans: Vec<_> = pairs.orphans.iter().map(|result| result.id).collect();
        assert_eq!(orphans, ["call_1", "call_9"]);
    }

    #[test]
    fn the_text_of_a_result_is_found_in_any_output() {
        let said = |output: Value| {
            Block::tool_result("1", output)
                .as_tool_result()
                .map(|result| result.text().into_owned())
        };
        assert_eq!(said(json!("北京：晴")).as_deref(), Some("北京：晴"));
        let blocks = json!([{"type": "text", "text": "a"}, {"type": "image"}, "b", null]);
        assert_eq!(said(blocks).as_deref(), Some("a\nb"));
        assert_eq!(said(json!({"sum": 3})).as_deref(), Some("{\"sum\":3}"));
    }
}
