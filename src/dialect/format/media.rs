//! Images, sounds and films, made ready to be sent.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;

use crate::dialect::media::media_type_of;
use crate::message::{Block, MediaKind, Source};

/// The most bytes of a media file: what most providers take of one request.
pub const LONGEST_FILE: u64 = 20 * 1024 * 1024;

/// What can't be sent of a media file. Every error names it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum MediaError {
    /// Nobody said where files are.
    #[error("media file '{path}' can't be sent: no folder of media files was given")]
    NoFolder {
        /// The file, as the message names it.
        path: String,
    },
    /// It lies elsewhere.
    #[error("media file '{path}' lies outside of {folder}; only files inside of it are sent")]
    Outside {
        /// The file, as the message names it.
        path: String,
        /// The folder that holds media files.
        folder: String,
    },
    /// It can't be read.
    #[error("media file '{path}' can't be read in {folder}: {reason}")]
    Unreadable {
        /// The file, as the message names it.
        path: String,
        /// The folder that holds media files.
        folder: String,
        /// What the system said.
        reason: String,
    },
    /// It is greater than allowed.
    #[error("media file '{path}' is too big: {bytes} bytes; {most} are the most that is sent")]
    TooBig {
        /// The file, as the message names it.
        path: String,
        /// Its size in bytes.
        bytes: u64,
        /// The most bytes of a file.
        most: u64,
    },
    /// Its content is none of its kind.
    #[error(
        "media file '{path}' is not what its name says: {said} was expected, {found} was found"
    )]
    Other {
        /// The file, as the message names it.
        path: String,
        /// What its name, its message or its block says.
        said: String,
        /// What its first bytes say.
        found: String,
    },
}

/// Where media files are. The one part of this room that may do more than compute.
pub trait MediaFiles: fmt::Debug + Send + Sync {
    /// The bytes of a file, `most` of them at most.
    ///
    /// # Errors
    /// It is outside of where files are, missing, unreadable or too big.
    fn read(&self, path: &str, most: u64) -> Result<Vec<u8>, MediaError>;
}

/// Nowhere.
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
    pub(super) source: &'a Source,
}

/// Where the data is that a provider is sent.
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
    /// The media of a block, if it is one of them.
    pub(super) fn of(block: &'a Block) -> Option<Self> {
        let (kind, source) = block.as_media()?;
        Some(Self { kind, source })
    }

    /// Its name for people.
    pub(super) fn name(&self) -> &'a str {
        match self.source {
            Source::Url { url, .. } => url,
            Source::File { path, .. } => path,
            Source::Base64 { media_type, .. } => media_type,
        }
    }

    /// What is sent of it; a file is read and looked into.
    pub(super) fn data(&self, files: &dyn MediaFiles) -> Result<Data<'a>, MediaError> {
        Ok(match self.source {
            Source::Url { url, .. } => Data::Url {
                url,
                media_type: media_type_of(self.source).map(Cow::Borrowed),
            },
            Source::Base64 { media_type, data } => Data::Base64 {
                media_type: media_type.into(),
                data: data.into(),
            },
            Source::File { path, .. } => {
                let bytes = files.read(path, LONGEST_FILE)?;
                Data::Base64 {
                    media_type: self.checked(path, &bytes)?.into(),
                    data: STANDARD.encode(bytes).into(),
                }
            }
        })
    }

    /// The media type of a file, if its first bytes agree with its block, its message and its name.
    fn checked(&self, path: &str, bytes: &[u8]) -> Result<&'static str, MediaError> {
        let other = |said: &str, found: &str| MediaError::Other {
            path: path.into(),
            said: said.into(),
            found: found.into(),
        };
        let told = media_type_of(self.source);
        let Some(found) = by_content(bytes) else {
            let said = told.unwrap_or(self.kind.name());
            return Err(other(said, "no media file that we know"));
        };
        match told {
            Some(told) if canonical(told) != found => Err(other(told, found)),
            _ if is_of(found, self.kind) => Ok(found),
            _ => Err(other(self.kind.name(), found)),
        }
    }
}

/// Whether media of this type can be of this kind; what may hold a film may hold nothing but sound.
fn is_of(media_type: &str, kind: MediaKind) -> bool {
    let named = media_type.starts_with(kind.name());
    named || (kind == MediaKind::Audio && matches!(media_type, "video/mp4" | "video/webm"))
}

/// The name of a media type that has several.
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

/// The media type that a file's first bytes show.
fn by_content(bytes: &[u8]) -> Option<&'static str> {
    let begins = |mark: &[u8]| bytes.starts_with(mark);
    let holds = |at: usize, mark: &[u8]| bytes.get(at..).is_some_and(|rest| rest.starts_with(mark));
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
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[derive(Debug)]
    struct Held(BTreeMap<&'static str, &'static [u8]>);

    impl MediaFiles for Held {
        fn read(&self, path: &str, _: u64) -> Result<Vec<u8>, MediaError> {
            let bytes = self
                .0
                .get(path)
                .ok_or(MediaError::NoFolder { path: path.into() })?;
            Ok(bytes.to_vec())
        }
    }

    fn data(
        kind: MediaKind,
        path: &'static str,
        told: Option<&str>,
        bytes: &'static [u8],
    ) -> Result<String, String> {
        let source = Source::File {
            path: path.into(),
            media_type: told.map(str::to_owned),
        };
        let files = Held([(path, bytes)].into());
        match (Media {
            kind,
            source: &source,
        })
        .data(&files)
        {
            Ok(Data::Base64 { media_type, .. }) => Ok(media_type.into_owned()),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn a_file_has_the_type_that_its_bytes_show() {
        for (kind, path, told, bytes, found) in [
            (
                MediaKind::Image,
                "a.png",
                None,
                &b"\x89PNG\r\n\x1a\n.."[..],
                "image/png",
            ),
            (
                MediaKind::Image,
                "a.JPG",
                Some("image/jpg"),
                b"\xff\xd8\xff\xe0",
                "image/jpeg",
            ),
            (
                MediaKind::Image,
                "a",
                None,
                b"RIFF....WEBPVP8",
                "image/webp",
            ),
            (
                MediaKind::Audio,
                "a.mp3",
                None,
                b"\xff\xfb\x90",
                "audio/mpeg",
            ),
            (
                MediaKind::Audio,
                "a.m4a",
                None,
                b"\0\0\0\x20ftypM4A ",
                "video/mp4",
            ),
            (
                MediaKind::Video,
                "a.mov",
                None,
                b"\0\0\0\x14ftypqt  ",
                "video/quicktime",
            ),
        ] {
            assert_eq!(data(kind, path, told, bytes).as_deref(), Ok(found));
        }
    }

    #[test]
    fn a_file_that_is_not_what_its_name_says_is_named() {
        for (kind, path, bytes, said) in [
            (
                MediaKind::Image,
                "inn.png",
                &b"\xff\xd8\xff"[..],
                "image/png was expected, image/jpeg was found",
            ),
            (
                MediaKind::Image,
                "inn.png",
                b"<html>",
                "image/png was expected, no media file that we know was found",
            ),
            (
                MediaKind::Image,
                "inn.mp3",
                b"ID3",
                "image was expected, audio/mpeg was found",
            ),
            (MediaKind::Audio, "empty", b"", "audio was expected"),
        ] {
            let error = data(kind, path, None, bytes).unwrap_err();
            assert!(error.contains(path) && error.contains(said), "{error}");
        }
        let error = NoFiles.read("inn.png", 1).unwrap_err().to_string();
        assert!(error.contains("inn.png"));
    }

    #[test]
    fn an_address_has_the_type_it_was_told_or_that_its_ending_promises() {
        let of = |url: &str, told: Option<&str>| {
            let source = Source::Url {
                url: url.into(),
                media_type: told.map(str::to_owned),
            };
            match (Media {
                kind: MediaKind::Image,
                source: &source,
            })
            .data(&NoFiles)
            {
                Ok(Data::Url { media_type, .. }) => media_type.map(Cow::into_owned),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(
            of("http://x/a.png?b=c.d", None).as_deref(),
            Some("image/png")
        );
        assert_eq!(
            of("http://x/a", Some("image/gif")).as_deref(),
            Some("image/gif")
        );
        assert_eq!(of("http://x/a", None), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_media_or_are_not(
            bytes in prop::collection::vec(any::<u8>(), 0..20),
            begin in prop::sample::select(vec![&b""[..], b"\xff", b"RIFF....", b"....ftyp", b"ID3"]),
            path in "\\PC{0,9}(\\.png|\\.mp3|\\.mp4)?", told in prop::option::of("\\PC{0,9}|image/jpg|audio/x-wav"),
        ) {
            let bytes = [begin, &bytes].concat();
            for kind in [MediaKind::Image, MediaKind::Audio, MediaKind::Video] {
                let source = Source::File { path: path.clone(), media_type: told.clone() };
                let checked = Media { kind, source: &source }.checked(&path, &bytes);
                match checked {
                    Ok(found) => prop_assert!(is_of(found, kind)),
                    Err(error) => prop_assert!(error.to_string().contains(&*path)),
                }
            }
        }
    }
}
