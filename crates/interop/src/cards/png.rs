//! The text chunks of PNG and APNG files. No image is decoded.

use super::CardError;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Length, type and sum of a chunk.
const AROUND: usize = 12;

/// A picture of one grey pixel, for cards without a portrait.
const PIXEL: &[u8] = &[
    0x78, 1, 1, 2, 0, 0xFD, 0xFF, 0, 0x80, 0, 0x82, 0, 0x81, // zlib, stored: filter 0, 0x80
];
const PIXEL_HEADER: &[u8] = &[0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0];

pub(super) fn is_png(bytes: &[u8]) -> bool {
    bytes.starts_with(SIGNATURE)
}

/// The keyword and the value of each `tEXt` chunk. What is broken ends them.
pub(super) fn texts(png: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    chunks(png).filter_map(|chunk| split_text(chunk.content()?))
}

/// The picture with these texts, without those that it had under their keywords.
pub(super) fn with_texts(
    picture: Option<&[u8]>,
    texts: &[(&str, &str)],
) -> Result<Vec<u8>, CardError> {
    let pixel;
    let picture = match picture {
        Some(picture) if is_png(picture) => picture,
        Some(_) => return Err(CardError::NotPng),
        None => {
            let mut bytes = SIGNATURE.to_vec();
            push_chunk(&mut bytes, *b"IHDR", PIXEL_HEADER);
            push_chunk(&mut bytes, *b"IDAT", PIXEL);
            pixel = bytes;
            &pixel
        }
    };
    let mut out = SIGNATURE.to_vec();
    let is_old = |chunk: &Chunk<'_>| {
        let old = chunk.content().and_then(split_text);
        old.is_some_and(|(keyword, _)| texts.iter().any(|(new, _)| is_keyword(keyword, new)))
    };
    for chunk in chunks(picture).filter(|chunk| chunk.kind() != b"IEND" && !is_old(chunk)) {
        out.extend_from_slice(chunk.0);
    }
    for (keyword, value) in texts {
        let content = [keyword.as_bytes(), b"\0", value.as_bytes()].concat();
        push_chunk(&mut out, *b"tEXt", &content);
    }
    push_chunk(&mut out, *b"IEND", &[]);
    Ok(out)
}

/// Readers compare keywords without regard to case.
pub(super) fn is_keyword(found: &[u8], keyword: &str) -> bool {
    found.eq_ignore_ascii_case(keyword.as_bytes())
}

/// A whole chunk, with its length and sum.
struct Chunk<'p>(&'p [u8]);

impl<'p> Chunk<'p> {
    fn kind(&self) -> &'p [u8] {
        self.0.get(4..8).unwrap_or_default()
    }

    /// The content of a `tEXt` chunk.
    fn content(&self) -> Option<&'p [u8]> {
        let content = self.0.get(8..self.0.len().checked_sub(4)?)?;
        (self.kind() == b"tEXt").then_some(content)
    }
}

fn chunks(png: &[u8]) -> impl Iterator<Item = Chunk<'_>> {
    let mut rest = png.get(SIGNATURE.len()..).unwrap_or_default();
    std::iter::from_fn(move || {
        let length = u32::from_be_bytes(*rest.first_chunk()?) as usize;
        let (chunk, after) = rest.split_at_checked(length.checked_add(AROUND)?)?;
        rest = after;
        Some(Chunk(chunk))
    })
}

fn split_text(content: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = content.iter().position(|byte| *byte == 0)?;
    Some((content.get(..end)?, content.get(end + 1..)?))
}

fn push_chunk(out: &mut Vec<u8>, kind: [u8; 4], content: &[u8]) {
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
    let named = [&kind, content].concat();
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(&named);
    out.extend_from_slice(&crc32fast::hash(&named).to_be_bytes());
}
