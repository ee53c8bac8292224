//! What a long story keeps of its events and outcomes: most of it compressed.

use std::cell::RefCell;
use std::io::{Read as _, Write as _};
use std::sync::Arc;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// How many values are compressed together: they repeat each other.
pub(super) const TOGETHER: usize = 64;

thread_local! {
    /// The block that was read last, and its lines: values are mostly read in order.
    static LAST: RefCell<Option<(Arc<[u8]>, Vec<u8>)>> = const { RefCell::new(None) };
}

/// A value that is seldom read.
#[derive(Clone, Debug)]
pub(super) enum Kept<T> {
    Whole(Arc<T>),
    /// A line of a block of compressed JSON.
    Line(Arc<[u8]>, usize),
}

impl<T: Serialize + DeserializeOwned> Kept<T> {
    pub(super) fn get(&self) -> Option<Arc<T>> {
        let (block, index) = match self {
            Self::Whole(value) => return Some(value.clone()),
            Self::Line(block, index) => (block, *index),
        };
        LAST.with_borrow_mut(|last| {
            let known = last.take().filter(|(known, _)| Arc::ptr_eq(known, block));
            let (_, lines) = match known {
                Some(known) => last.insert(known),
                None => {
                    let mut lines = Vec::new();
                    DeflateDecoder::new(&**block).read_to_end(&mut lines).ok()?;
                    last.insert((block.clone(), lines))
                }
            };
            let line = lines.split(|byte| *byte == b'\n').nth(index)?;
            serde_json::from_slice(line).ok().map(Arc::new)
        })
    }

    pub(super) fn pack(values: Vec<&mut Self>) {
        let mut lines = Vec::new();
        for value in values.iter().filter_map(|value| value.get()) {
            // Writing to memory never fails.
            let _ = serde_json::to_writer(&mut lines, &*value);
            lines.push(b'\n');
        }
        let mut block = DeflateEncoder::new(Vec::new(), Compression::fast());
        let _ = block.write_all(&lines);
        let block: Arc<[u8]> = block.finish().unwrap_or_default().into();
        for (index, value) in values.into_iter().enumerate() {
            *value = Self::Line(block.clone(), index);
        }
    }
}
