//! The interchange form of one message:
//! `{"type": "human", "content": "...", "kickoff": "..."}` with tags as further members.

use serde_json::{Map, Value};
use thiserror::Error;

use super::{Block, Body, Content, Message, ResponseMetadata, Role, Tag, TagError, Tags};
use crate::locale::{Localize, UiText, text};

/// Why a JSON value is not a message.
#[derive(Clone, Debug, Error, PartialEq, Eq, Localize)]
#[text(message_in_member if !path.is_empty())]
#[text(|_, problem| problem.clone())]
pub struct FormatError {
    /// Where, such as `context[3].type`.
    pub path: String,
    /// What is wrong and how to fix it.
    pub problem: UiText,
}

impl FormatError {
    pub fn new(path: impl Into<String>, problem: UiText) -> Self {
        Self {
            path: path.into(),
            problem,
        }
    }

    /// The same error with its path one level further out.
    #[must_use]
    pub fn nested_in(mut self, outer: &str) -> Self {
        self.path = match self.path.as_str() {
            "" => outer.to_owned(),
            path if outer.is_empty() => path.to_owned(),
            path if path.starts_with('[') => format!("{outer}{path}"),
            path => format!("{outer}.{path}"),
        };
        self
    }
}

/// Writes a message in the interchange form. The content is a string if it is one text, else a list
/// of blocks. Ids and times are internal and left out.
pub fn message_to_json(message: &Message) -> Value {
    let body = &message.body;
    let mut map = Map::new();
    map.insert("type".into(), message.role.name().into());
    map.insert("content".into(), content_to_json(body));
    for (key, value) in message.tags.iter() {
        map.insert(key.into(), value.clone());
    }
    if let Some(short) = body.short() {
        map.insert(
            Tag::COMPRESSED_PROMPT.as_str().into(),
            short.as_str().into(),
        );
    }
    if let Some(sender) = body.sender() {
        map.insert("name".into(), sender.as_ref().into());
    }
    if let Some(metadata) = body.metadata() {
        map.insert("metadata".into(), Value::Object(metadata.clone()));
    }
    if let Some(response) = body.response() {
        map.insert(
            "response_metadata".into(),
            Value::Object(response.to_map().into_owned()),
        );
    }
    Value::Object(map)
}

fn content_to_json(body: &Body) -> Value {
    match (body.content(), body.shared_prefix()) {
        (Content::Text(_), _) => Value::from(body.full_text()),
        (Content::Blocks(blocks), shared_prefix) => {
            let prefix = shared_prefix.map(|text| Block::text(text.as_str()));
            let blocks = prefix.iter().chain(blocks);
            Value::Array(blocks.map(|block| serde_json::json!(block)).collect())
        }
    }
}

/// Reads a message in the interchange form, ours or another program's. Unknown members become tags,
/// null entries of the content are skipped, and missing content is empty. Members that we can't use
/// as they are go to the metadata. If the short text of a prompt is longer than the content, they
/// are swapped, with a warning.
pub fn message_from_json(value: &Value) -> Result<Message, FormatError> {
    let Value::Object(map) = value else {
        return Err(FormatError::new("", text!(message_not_an_object)));
    };
    let role = match map.get("type").and_then(Value::as_str) {
        Some("system") => Role::System,
        Some("human") => Role::Human,
        Some("ai") => Role::Ai,
        Some("tool") => Role::Tool,
        Some(role) => return Err(FormatError::new("type", text!(message_bad_role, role))),
        None => return Err(FormatError::new("type", text!(message_no_role))),
    };
    let mut body = content_from_json(map.get("content"))?;
    if let Some(sender) = map.get("name").and_then(Value::as_str) {
        body = body.from_sender(sender);
    }
    let metadata = metadata_from_json(map);
    if !metadata.is_empty() {
        body = body.with_metadata(metadata);
    }
    if let Some(Value::Object(response)) = map.get("response_metadata") {
        body = body.with_response(ResponseMetadata::from(response.clone()));
    }
    if let Some(short) = map
        .get(Tag::COMPRESSED_PROMPT.as_str())
        .and_then(Value::as_str)
    {
        body = with_condensed(body, short);
    }
    Ok(Message {
        role,
        body,
        tags: tags_from_json(map)?,
    })
}

/// The message's metadata, and those of its other members that we can't use as they are.
fn metadata_from_json(map: &Map<String, Value>) -> Map<String, Value> {
    let mut metadata = match map.get("metadata") {
        Some(Value::Object(metadata)) => metadata.clone(),
        _ => Map::new(),
    };
    let is_usable = |key: &str, value: &Value| match key {
        "name" => value.is_string(),
        "metadata" | "response_metadata" => value.is_object(),
        _ => false,
    };
    for key in ["id", "time", "name", "metadata", "response_metadata"] {
        let Some(value) = map.get(key) else { continue };
        if value.is_null() || is_usable(key, value) {
            continue;
        }
        let mut key = key.to_owned();
        while metadata.contains_key(&key) {
            key.push('_');
        }
        metadata.insert(key, value.clone());
    }
    metadata
}

fn content_from_json(content: Option<&Value>) -> Result<Body, FormatError> {
    match content {
        None | Some(Value::Null) => Ok(Body::text("")),
        Some(Value::String(text)) => Ok(Body::text(text.as_str())),
        Some(Value::Array(entries)) => {
            let kept = entries.iter().filter(|entry| !entry.is_null());
            Ok(Body::blocks(kept.cloned().map(Block::from).collect()))
        }
        Some(_) => Err(FormatError::new("content", text!(message_content))),
    }
}

/// The body with the short text that was read with it. The asking turn sends the full text, so that
/// is never the shorter one. Blocks are never swapped, since a short text can't replace an image.
pub fn with_condensed(body: Body, short: &str) -> Body {
    let full = match body.content() {
        Content::Text(full) if full.as_str().len() < short.len() => full.as_str().to_owned(),
        _ => return body.with_short(short),
    };
    tracing::warn!("a 'compressed_prompt' longer than its content was swapped with it");
    let mut turned = Body::text(short).with_short(full);
    if let Some(sender) = body.sender() {
        turned = turned.from_sender(sender.clone());
    }
    if let Some(metadata) = body.metadata() {
        turned = turned.with_metadata(metadata.clone());
    }
    if let Some(response) = body.response() {
        turned = turned.with_response(response.clone());
    }
    turned
}

fn tags_from_json(map: &Map<String, Value>) -> Result<Tags, FormatError> {
    let reserved = super::RESERVED_MEMBERS;
    map.iter()
        .filter(|(key, _)| !reserved.contains(&key.as_str()))
        // A short text belongs to the body.
        .filter(|(key, value)| {
            key.as_str() != Tag::COMPRESSED_PROMPT.as_str() || !value.is_string()
        })
        .try_fold(Tags::new(), |tags, (key, value)| {
            tags.with_user(key, value.clone())
        })
        .map_err(|error: TagError| FormatError::new("", error.text()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_documented_form_survives_the_round_trip() {
        for value in [
            json!({"type": "system", "content": "你是一位……"}),
            json!({"type": "human", "content": "# 游戏启动！", "kickoff": "角色"}),
            json!({"type": "human", "content": "# 指令！第1回合很长", "compressed_prompt": "第1回合"}),
            json!({"type": "human", "content": "x", "my_mark": {"any": [1, null]}, "kickoff": 5}),
            json!({"type": "ai", "content": "（想）", "response_metadata": {
                "token_usage": {"prompt_tokens": 10, "odd": true},
                "model_provider": "deepseek", "model_name": "deepseek-chat",
                "prompt_cache_hit_tokens": 768}}),
            json!({"type": "tool", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}),
        ] {
            let message = message_from_json(&value).unwrap();
            assert_eq!(message_to_json(&message), value);
        }
    }

    #[test]
    fn a_short_text_longer_than_the_content_is_swapped() {
        let value =
            json!({"type": "human", "content": "short", "compressed_prompt": "the long one"});
        let message = message_from_json(&value).unwrap();
        assert_eq!(message.body.full_text(), "the long one");
        assert_eq!(message.body.short_text(), "short");
    }

    #[test]
    fn swapping_keeps_all_else_and_leaves_blocks_alone() {
        let turned = json!({"type": "ai", "content": "s", "compressed_prompt": "long",
            "name": "Wren", "response_metadata": {"model_name": "m"}});
        let message = message_from_json(&turned).unwrap();
        assert_eq!(message.body.sender().map(|name| &**name), Some("Wren"));
        assert!(message.body.response().is_some());

        let picture = json!({"type": "human", "compressed_prompt": "look at this",
            "content": [{"type": "image", "source": {"type": "url", "url": "http://x"}}]});
        let message = message_from_json(&picture).unwrap();
        assert_eq!(message_to_json(&message), picture);
    }

    #[test]
    fn a_member_in_an_unknown_form_goes_to_the_metadata() {
        let value = json!({"type": "human", "content": "", "id": 7, "name": ["Wren"]});
        let message = message_from_json(&value).unwrap();
        let metadata = message.body.metadata().unwrap();
        assert_eq!(json!(metadata), json!({"id": 7, "name": ["Wren"]}));
    }

    #[test]
    fn wrong_json_names_the_member() {
        let error = message_from_json(&json!({"type": "robot"})).unwrap_err();
        assert_eq!(error.path, "type");
        let error = message_from_json(&json!({"type": "ai", "content": 5})).unwrap_err();
        assert_eq!(error.path, "content");
    }
}
