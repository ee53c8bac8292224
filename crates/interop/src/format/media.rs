//! Images, audio and video, prepared for sending.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use playhouse_engine::locale::{Localize, UiText};
use playhouse_engine::message::{Block, MediaKind, MediaSource};
use thiserror::Error;

use crate::media::media_type_of;

/// The maximum size of a media file in bytes: what most providers accept in one request.
pub const MAX_FILE_BYTES: u64 = 20 * 1024 * 1024;

/// Why media can't be sent. Every error names the file as its message does, or the type of data
/// without one; sizes are in bytes.
#[derive(Clone, Debug, Error, PartialEq, Eq, Localize)]
pub enum MediaError {
    /// There is no folder of media files.
    #[text(dialect_media_no_folder)]
    NoFolder { path: String },
    /// It is outside the folder of media files.
    #[text(dialect_media_outside)]
    Outside { path: String, folder: String },
    /// It can't be read.
    #[text(dialect_media_unreadable)]
    Unreadable {
        path: String,
        folder: String,
        reason: UiText,
    },
    /// It is not a file.
    #[text(dialect_media_not_a_file)]
    NotAFile { path: String },
    /// It is larger than allowed.
    #[text(dialect_media_too_large)]
    TooLarge { path: String, bytes: u64, max: u64 },
    /// Data within a message are not base64.
    #[text(dialect_media_not_base64)]
    NotBase64 { media_type: String },
    /// Its content is of another type than its name or its message says.
    #[text(dialect_media_unknown_type, path, expected, .. if found.is_none())]
    #[text(dialect_media_wrong_type, found = found.unwrap_or_default())]
    WrongType {
        path: String,
        expected: String,
        /// The type according to its first bytes; `None` if that is unknown.
        found: Option<&'static str>,
    },
}

/// Where media files are read. Only implementations of this trait do I/O here.
pub trait MediaFiles: fmt::Debug + Send + Sync {
    /// The bytes of a file, at most `max`.
    ///
    /// # Errors
    /// It is outside the folder of media files, missing, unreadable or too large.
    fn read(&self, path: &str, max: u64) -> Result<Vec<u8>, MediaError>;
}

#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl MediaFiles for NoFiles {
    fn read(&self, path: &str, _: u64) -> Result<Vec<u8>, MediaError> {
        Err(MediaError::NoFolder { path: path.into() })
    }
}

/// Media of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Media<'a> {
    pub(super) kind: MediaKind,
    pub(super) source: &'a MediaSource,
}

/// The data of media: where a provider can fetch them, or the data themselves.
#[derive(Debug, PartialEq)]
pub(super) enum Data<'a> {
    Url {
        url: &'a str,
        media_type: Option<Cow<'a, str>>,
    },
    Base64 {
        media_type: Cow<'a, str>,
        data: Cow<'a, str>,
    },
}

impl<'a> Media<'a> {
    /// The media of a block, if it holds any.
    pub(super) fn of(block: &'a Block) -> Option<Self> {
        let (kind, source) = block.as_media()?;
        Some(Self { kind, source })
    }

    /// The media in words, such as `[image: inn.png]`.
    pub(super) fn in_words(&self) -> String {
        self.kind.in_words(self.source)
    }

    /// The data to send; a file is read, and its type checked.
    pub(super) fn data(&self, files: &dyn MediaFiles) -> Result<Data<'a>, MediaError> {
        Ok(match self.source {
            MediaSource::Url { url, .. } => Data::Url {
                url,
                media_type: media_type_of(self.source).map(Cow::Borrowed),
            },
            MediaSource::Base64 { media_type, data } => {
                if STANDARD.decode(data).is_err() {
                    return Err(MediaError::NotBase64 {
                        media_type: media_type.clone(),
                    });
                }
                Data::Base64 {
                    media_type: media_type.into(),
                    data: data.into(),
                }
            }
            MediaSource::File { path, .. } => {
                let bytes = files.read(path, MAX_FILE_BYTES)?;
                Data::Base64 {
                    media_type: self.checked_type(path, &bytes)?.into(),
                    data: STANDARD.encode(bytes).into(),
                }
            }
        })
    }

    /// The media type of a file, if its first bytes agree with its block, its message and its name.
    fn checked_type(&self, path: &str, bytes: &[u8]) -> Result<&'static str, MediaError> {
        let wrong = |expected: &str, found| MediaError::WrongType {
            path: path.into(),
            expected: expected.into(),
            found,
        };
        let declared = media_type_of(self.source);
        let Some(found) = type_by_content(bytes) else {
            let expected = declared.unwrap_or(self.kind.name());
            return Err(wrong(expected, None));
        };
        match declared {
            Some(declared) if canonical(declared) != found => Err(wrong(declared, Some(found))),
            _ if is_of(found, self.kind) => Ok(found),
            _ => Err(wrong(self.kind.name(), Some(found))),
        }
    }
}

/// Whether media of this type can be of this kind. A video container may hold nothing but audio.
fn is_of(media_type: &str, kind: MediaKind) -> bool {
    let named = media_type.starts_with(kind.name());
    named || (kind == MediaKind::Audio && matches!(media_type, "video/mp4" | "video/webm"))
}

/// The one name of a media type that has several.
fn canonical(media_type: &str) -> &str {
    match media_type {
        "image/jpg" => "image/jpeg",
        "audio/mp3" => "audio/mpeg",
        "audio/x-wav" | "audio/wave" | "audio/vnd.wave" => "audio/wav",
        "audio/x-flac" => "audio/flac",
        "audio/m4a" | "audio/x-m4a" | "audio/mp4" => "video/mp4",
        "audio/webm" => "video/webm",
        "video/x-matroska" => "video/webm",
        other => other,
    }
}

/// The media type according to a file's first bytes.
fn type_by_content(bytes: &[u8]) -> Option<&'static str> {
    let begins = |magic: &[u8]| bytes.starts_with(magic);
    let holds = |offset: usize, magic: &[u8]| {
        let rest = bytes.get(offset..);
        rest.is_some_and(|rest| rest.starts_with(magic))
    };
    Some(match bytes {
        _ if begins(b"\x89PNG\r\n\x1a\n") => "image/png",
        _ if begins(b"\xff\xd8\xff") => "image/jpeg",
        _ if begins(b"GIF87a") || begins(b"GIF89a") => "image/gif",
        _ if begins(b"RIFF") && holds(8, b"WEBP") => "image/webp",
        _ if begins(b"RIFF") && holds(8, b"WAVE") => "audio/wav",
        _ if begins(b"RIFF") && holds(8, b"AVI ") => "video/x-msvideo",
        _ if begins(b"BM") => "image/bmp",
        _ if begins(b"ID3") => "audio/mpeg",
        // A frame of MPEG audio: eleven bits set, then layer 3.
        [0xff, second, ..] if second & 0xe6 == 0xe2 => "audio/mpeg",
        // One of AAC: twelve bits set, then layer 0.
        [0xff, second, ..] if second & 0xf6 == 0xf0 => "audio/aac",
        _ if begins(b"OggS") => "audio/ogg",
        _ if begins(b"fLaC") => "audio/flac",
        _ if holds(4, b"ftypavif") => "image/avif",
        _ if holds(4, b"ftypqt") => "video/quicktime",
        _ if holds(4, b"ftyp") => "video/mp4",
        _ if begins(b"\x1a\x45\xdf\xa3") => "video/webm",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use playhouse_engine::testing::each_row;
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug)]
    struct Holding(&'static [u8]);

    impl MediaFiles for Holding {
        fn read(&self, _: &str, _: u64) -> Result<Vec<u8>, MediaError> {
            Ok(self.0.to_vec())
        }
    }

    /// The type of the data that are sent of a file of this name, or what is wrong with it.
    fn type_of(kind: MediaKind, path: &str, bytes: &'static [u8]) -> String {
        let source = &MediaSource::file(path);
        match (Media { kind, source }).data(&Holding(bytes)) {
            Ok(Data::Base64 { media_type, .. }) => media_type.into_owned(),
            Ok(other) => panic!("{other:?}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn the_type_of_a_file_comes_from_its_bytes_and_an_error_names_both() {
        let [image, audio, video] = MediaKind::ALL;
        let cases: [(_, _, &[u8], _); 9] = [
            (image, "a.png", b"\x89PNG\r\n\x1a\n..", "image/png"),
            (image, "a", b"RIFF....WEBPVP8", "image/webp"),
            (audio, "a.mp3", b"\xff\xfb\x90", "audio/mpeg"),
            (audio, "a.m4a", b"\0\0\0\x20ftypM4A ", "video/mp4"),
            (video, "a.mov", b"\0\0\0\x14ftypqt  ", "video/quicktime"),
            (
                image,
                "a.png",
                b"\xff\xd8\xff",
                "expected image/png, found image/jpeg",
            ),
            (
                image,
                "a.png",
                b"<html>",
                "expected image/png, found no known type",
            ),
            (image, "a.mp3", b"ID3", "expected image, found audio/mpeg"),
            (audio, "empty", b"", "expected audio"),
        ];
        for (kind, path, bytes, wanted) in cases {
            let told = type_of(kind, path, bytes);
            let is_named = !wanted.starts_with("expected") || told.contains(path);
            assert!(is_named && told.contains(wanted), "{path}: {told}");
        }
        let error = NoFiles.read("inn.png", 1).unwrap_err().to_string();
        assert!(error.contains("inn.png"));
    }

    #[test]
    fn the_type_of_a_url_is_declared_or_told_by_its_extension() {
        each_row(
            "http://x/a.png?b=c.d => none => image/png
             http://x/a => image/gif => image/gif
             http://x/a => none => none",
            |[url, declared, wanted]| {
                let source = &MediaSource::Url {
                    url: url.into(),
                    media_type: Some(declared.to_owned()).filter(|declared| declared != "none"),
                };
                let kind = MediaKind::Image;
                let Ok(Data::Url { media_type, .. }) = (Media { kind, source }).data(&NoFiles)
                else {
                    panic!("{url} is a URL");
                };
                assert_eq!(media_type.as_deref().unwrap_or("none"), wanted);
            },
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_checked(
            bytes in prop::collection::vec(any::<u8>(), 0..20),
            begin in prop::sample::select(vec![&b""[..], b"\xff", b"RIFF....", b"....ftyp", b"ID3"]),
            path in "\\PC{0,9}(\\.png|\\.mp3|\\.mp4)?", declared in prop::option::of("\\PC{0,9}|image/jpg|audio/x-wav"),
        ) {
            let bytes = [begin, &bytes].concat();
            for kind in MediaKind::ALL {
                let source = MediaSource::File { path: path.clone(), media_type: declared.clone() };
                let checked = Media { kind, source: &source }.checked_type(&path, &bytes);
                match checked {
                    Ok(found) => prop_assert!(is_of(found, kind)),
                    Err(error) => prop_assert!(error.to_string().contains(&*path)),
                }
            }
        }
    }
}
