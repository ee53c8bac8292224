//! What a format has no members for, kept in the metadata so that it survives the way there and
//! back.
//!
//! Our metadata keeps what other formats say beyond our members as `origin`: ids, times, their own
//! members. Their metadata keeps what we say beyond their members as `playhouse`: tags, condensed
//! forms, response metadata, and the origin of a third format.

use playhouse_engine::message::{RESERVED_MEMBERS, ResponseMetadata, Tag, Tags};
use serde_json::{Map, Value};

use super::neutral::{Neutral, ORIGIN};

/// The member of their metadata that keeps what is ours.
const OURS: &str = "playhouse";

/// Fills a neutral message from the metadata of another format.
pub(super) fn read(neutral: &mut Neutral, metadata: Option<&Value>) {
    let Some(Value::Object(theirs)) = metadata else {
        return neutral.keep("metadata", metadata);
    };
    for (key, value) in theirs {
        match value {
            Value::Object(ours) if key == OURS => read_ours(neutral, ours),
            _ => {
                neutral.metadata.insert(escaped(key), value.clone());
            }
        }
    }
}

fn read_ours(neutral: &mut Neutral, ours: &Map<String, Value>) {
    let object = |key: &str| ours.get(key).and_then(Value::as_object);
    for (key, value) in object("tags").into_iter().flatten() {
        add_tag(&mut neutral.tags, key, value);
    }
    if let Some(response) = object("response_metadata") {
        neutral.response = Some(ResponseMetadata::from(response.clone()));
    }
    if let Some(Value::String(short)) = ours.get(Tag::COMPRESSED_PROMPT.as_str()) {
        neutral.short = Some(short.clone());
    }
    match ours.get("name") {
        Some(Value::Null) => neutral.name = None,
        Some(Value::String(name)) => neutral.name = Some(name.clone()),
        _ => {}
    }
    for (key, value) in object(ORIGIN).into_iter().flatten() {
        neutral.origin.insert(key.clone(), value.clone());
    }
}

/// The metadata of a neutral message in another format: its own, and the rest of ours.
/// `has_placeholder_name` says that it has no name but was given one because the format requires
/// it.
pub(super) fn write(neutral: Neutral, has_placeholder_name: bool) -> Map<String, Value> {
    let own = neutral.metadata.into_iter();
    let mut metadata: Map<_, _> = own.map(|(key, value)| (unescaped(key), value)).collect();
    let mut ours = Map::new();
    if !neutral.tags.is_empty() {
        let tags = neutral
            .tags
            .iter()
            .map(|(key, value)| (key.to_owned(), value.clone()));
        ours.insert("tags".into(), Value::Object(tags.collect()));
    }
    if let Some(response) = neutral.response {
        let response = response.to_map().into_owned();
        ours.insert("response_metadata".into(), Value::Object(response));
    }
    if let Some(short) = neutral.short {
        ours.insert(Tag::COMPRESSED_PROMPT.as_str().into(), short.into());
    }
    if let Some(name) = neutral.name {
        ours.insert("name".into(), name.into());
    } else if has_placeholder_name {
        ours.insert("name".into(), Value::Null);
    }
    if !neutral.origin.is_empty() {
        ours.insert(ORIGIN.into(), Value::Object(neutral.origin));
    }
    if !ours.is_empty() {
        metadata.insert(OURS.into(), Value::Object(ours));
    }
    metadata
}

/// Adds a tag; ignores one that is not allowed.
pub(super) fn add_tag(tags: &mut Tags, key: &str, value: &Value) {
    if RESERVED_MEMBERS.contains(&key) {
        return;
    }
    if let Ok(more) = tags.clone().with_user(key, value.clone()) {
        *tags = more;
    }
}

/// Their key, changed if it could be mistaken for one of ours.
fn escaped(key: &str) -> String {
    match key.trim_end_matches('_') {
        ORIGIN | OURS => format!("{key}_"),
        _ => key.to_owned(),
    }
}

fn unescaped(mut key: String) -> String {
    if key.ends_with('_') && matches!(key.trim_end_matches('_'), ORIGIN | OURS) {
        key.pop();
    }
    key
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn foreign_metadata_named_like_ours_is_preserved() {
        let theirs = json!({"origin": "Athens", "origin_": 1, "playhouse": [2], "mood": "calm"});
        let mut neutral = Neutral::default();
        read(&mut neutral, Some(&theirs));
        assert!(neutral.origin.is_empty());
        let ours = json!({"origin_": "Athens", "origin__": 1, "playhouse_": [2], "mood": "calm"});
        assert_eq!(json!(neutral.metadata), ours);
        assert_eq!(json!(write(neutral, false)), theirs);
    }
}
