//! Reading images, audio and video in any known spelling.

use playhouse_engine::message::{Block, MediaKind, MediaSource};
use serde_json::{Map, Value};

/// The media types of common file extensions.
const EXTENSIONS: [(&str, &str); 20] = [
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("bmp", "image/bmp"),
    ("svg", "image/svg+xml"),
    ("avif", "image/avif"),
    ("mp3", "audio/mpeg"),
    ("wav", "audio/wav"),
    ("ogg", "audio/ogg"),
    ("oga", "audio/ogg"),
    ("flac", "audio/flac"),
    ("m4a", "audio/mp4"),
    ("aac", "audio/aac"),
    ("mp4", "video/mp4"),
    ("webm", "video/webm"),
    ("mov", "video/quicktime"),
    ("mkv", "video/x-matroska"),
    ("avi", "video/x-msvideo"),
];

/// The media type of a source: the declared one, or that of its file extension.
pub(super) fn media_type_of(source: &MediaSource) -> Option<&str> {
    let (declared, path) = match source {
        MediaSource::Base64 { media_type, .. } => return Some(media_type),
        MediaSource::File { media_type, path } => (media_type, path),
        MediaSource::Url { media_type, url } => (media_type, url),
    };
    declared.as_deref().or_else(|| type_by_extension(path))
}

fn type_by_extension(path: &str) -> Option<&'static str> {
    let path = path.split(['?', '#']).next()?;
    let (_, extension) = path.rsplit_once('.')?;
    let mut known = EXTENSIONS.iter();
    let found = known.find(|(known, _)| known.eq_ignore_ascii_case(extension));
    found.map(|(_, media_type)| *media_type)
}

/// Reads a block that may hold media: AgentScope's and Anthropic's `source`, OpenAI's `image_url`
/// and `input_audio`, LangChain's `url` and `base64`, the `data` block of AgentScope for Python 2.
pub(super) fn read(kind: &str, map: &Map<String, Value>) -> Option<Block> {
    let source_json = SourceJson::of(kind, map);
    let source = source_json.to_source()?;
    let kind = match kind {
        "image" | "image_url" | "input_image" => MediaKind::Image,
        "audio" | "audio_url" | "input_audio" => MediaKind::Audio,
        "video" | "video_url" => MediaKind::Video,
        "data" | "file" => {
            let declared = source_json.declared_media_type();
            MediaKind::of_media_type(declared.or_else(|| media_type_of(&source))?)?
        }
        _ => return None,
    };
    Some(kind.block(source))
}

/// Whether a block has a member for a source, in any spelling.
pub(super) fn has_source(kind: &str, map: &Map<String, Value>) -> bool {
    let members = [
        kind, "source", "image_url", "input_audio", "data", "base64", "url", "path",
    ];
    let mut given = members.iter().filter_map(|key| map.get(*key));
    given.any(|value| !value.is_null())
}

/// The source of a block, not yet understood.
#[derive(Clone, Copy)]
enum SourceJson<'a> {
    Url(&'a str),
    InputAudio(&'a Value),
    Members(&'a Map<String, Value>),
}

impl<'a> SourceJson<'a> {
    fn of(kind: &str, block: &'a Map<String, Value>) -> Self {
        if let Some(audio) = block.get("input_audio") {
            return Self::InputAudio(audio);
        }
        let keys = [kind, "image_url", "source"];
        match keys.iter().find_map(|key| block.get(*key)) {
            Some(Value::String(url)) => Self::Url(url),
            Some(Value::Object(members)) => Self::Members(members),
            _ => Self::Members(block),
        }
    }

    fn declared_media_type(self) -> Option<&'a str> {
        let Self::Members(members) = self else {
            return None;
        };
        let spellings = ["media_type", "mediaType", "mime_type", "mimeType"];
        spellings.iter().find_map(|key| members.get(*key)?.as_str())
    }

    fn to_source(self) -> Option<MediaSource> {
        let members = match self {
            Self::Url(url) => return Some(source_of_url(url, None)),
            Self::InputAudio(audio) => {
                let media_type = match audio.get("format")?.as_str()? {
                    "mp3" => "audio/mpeg".to_owned(),
                    format => format!("audio/{format}"),
                };
                return Some(MediaSource::base64(
                    media_type,
                    audio.get("data")?.as_str()?,
                ));
            }
            Self::Members(members) => members,
        };
        let text = |key: &str| members.get(key)?.as_str();
        let media_type = self.declared_media_type();
        if let Some(data) = text("data").or_else(|| text("base64")) {
            return Some(MediaSource::base64(media_type?, data));
        }
        if let Some(url) = text("url") {
            return Some(source_of_url(url, media_type));
        }
        text("path").map(|path| MediaSource::File {
            path: path.into(),
            media_type: unless_implied(media_type, path),
        })
    }
}

/// The media type, unless it is implied by the file extension.
fn unless_implied(media_type: Option<&str>, path: &str) -> Option<String> {
    let is_implied = |media_type: &str| {
        media_type.ends_with("/*") || type_by_extension(path) == Some(media_type)
    };
    let media_type = media_type.filter(|media_type| !is_implied(media_type));
    media_type.map(Into::into)
}

/// The source at a URL: a data URL holds the data itself, `file:` is a file.
pub(super) fn source_of_url(url: &str, media_type: Option<&str>) -> MediaSource {
    let data = url
        .strip_prefix("data:")
        .and_then(|rest| rest.split_once(";base64,"));
    if let Some((media_type, data)) = data {
        return MediaSource::base64(media_type, data);
    }
    let media_type = unless_implied(media_type, url);
    match url.strip_prefix("file:") {
        Some(path) => MediaSource::File {
            path: path.strip_prefix("//").unwrap_or(path).into(),
            media_type,
        },
        None => MediaSource::Url {
            url: url.into(),
            media_type,
        },
    }
}

/// The URL of a source; the reverse of [`source_of_url`], except for declared media types.
pub(super) fn to_url(source: &MediaSource) -> String {
    match source {
        MediaSource::Url { url, .. } => url.clone(),
        MediaSource::Base64 { media_type, data } => format!("data:{media_type};base64,{data}"),
        MediaSource::File { path, .. } if path.starts_with('/') => format!("file://{path}"),
        MediaSource::File { path, .. } => format!("file:{path}"),
    }
}

#[cfg(test)]
mod tests {
    use playhouse_engine::testing::each_row;

    use super::*;

    #[test]
    fn media_is_read_in_every_spelling() {
        each_row(
            r#"
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}} => image data:image/png;base64,QUJD
                {"type": "image", "source": {"type": "base64", "mediaType": "image/png", "data": "QUJD", "x": 1}} => image data:image/png;base64,QUJD
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD", "detail": "low"}} => image data:image/png;base64,QUJD
                {"type": "image_url", "image_url": "http://x/y"} => image http://x/y
                {"type": "image", "base64": "QUJD", "mime_type": "image/png"} => image data:image/png;base64,QUJD
                {"type": "image", "url": "http://x/y"} => image http://x/y
                {"type": "image", "source_type": "base64", "data": "QUJD", "mime_type": "image/png"} => image data:image/png;base64,QUJD
                {"type": "data", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}, "id": "b1"} => image data:image/png;base64,QUJD
                {"type": "image", "source": {"type": "url", "url": "file:///home/a.png"}} => image file:///home/a.png
                {"type": "audio", "source": {"type": "file", "path": "a.mp3"}} => audio file:a.mp3
                {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "mp3"}} => audio data:audio/mpeg;base64,QUJD
                {"type": "video_url", "video_url": {"url": "http://x/y.mp4"}} => video http://x/y.mp4
                {"type": "data", "source": {"type": "base64", "media_type": "application/pdf", "data": "QUJD"}} => none
            "#,
            |[block, wanted]| {
                let map: Map<String, Value> = serde_json::from_str(block).unwrap();
                let read = read(map["type"].as_str().unwrap(), &map);
                let media = read.as_ref().and_then(Block::as_media);
                let found =
                    media.map(|(kind, source)| format!("{} {}", kind.name(), to_url(source)));
                assert_eq!(found.as_deref().unwrap_or("none"), wanted, "{block}");
            },
        );
    }
}
