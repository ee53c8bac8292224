//! JSON values that follow each other: a body that is one, or a stream with one per line.

/// Turns chunks, cut anywhere, into the bytes of whole objects and lists.
#[derive(Debug, Default)]
pub(super) struct JsonFrames {
    value: Vec<u8>,
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    /// How many values were complete.
    pub(super) found: usize,
}

impl JsonFrames {
    /// Adds a chunk; calls `value` with each value that it completes.
    pub(super) fn push(&mut self, chunk: &[u8], mut value: impl FnMut(&[u8])) {
        let mut start = 0;
        for (index, byte) in chunk.iter().enumerate() {
            if self.ends_with(*byte) {
                self.value.extend_from_slice(&chunk[start..=index]);
                start = index + 1;
                self.found += 1;
                value(&std::mem::take(&mut self.value));
            }
        }
        let rest = &chunk[start..];
        // There may be white space between two values.
        let is_between = self.value.is_empty();
        self.value.extend_from_slice(if is_between {
            rest.trim_ascii_start()
        } else {
            rest
        });
    }

    /// Whether a value ends with this byte.
    fn ends_with(&mut self, byte: u8) -> bool {
        match byte {
            _ if std::mem::take(&mut self.is_escaped) => {}
            b'\\' if self.in_string => self.is_escaped = true,
            b'"' => self.in_string = !self.in_string,
            _ if self.in_string => {}
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }

    /// How many bytes belong to the incomplete value.
    pub(super) fn pending(&self) -> usize {
        self.value.len()
    }

    /// The incomplete value at the end of the body.
    pub(super) fn finish(self) -> Vec<u8> {
        self.value
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    proptest! {
        #[test]
        fn where_the_bytes_are_cut_makes_no_difference(
            texts in prop::collection::vec("[a-z{}\\[\\]\"\\\\\n中🎭]{0,9}", 0..6),
            cuts in prop::collection::vec(1usize..9, 0..200),
            pretty: bool,
        ) {
            let values: Vec<_> = texts.iter().map(|text| json!({"a": [text, {"b": 1}], text: {}})).collect();
            let written = values.iter().map(|value| {
                if pretty { format!("{value:#}\n") } else { format!("{value}\n") }
            });
            let body = written.collect::<String>();
            let (mut frames, mut found) = (JsonFrames::default(), Vec::new());
            let mut rest = body.as_bytes();
            for cut in cuts.into_iter().chain([usize::MAX]) {
                let (piece, after) = rest.split_at(cut.min(rest.len()));
                frames.push(piece, |value| found.push(serde_json::from_slice::<Value>(value).unwrap()));
                rest = after;
            }
            prop_assert_eq!(frames.found, values.len());
            prop_assert_eq!(frames.finish(), b"");
            prop_assert_eq!(found, values);
        }

        #[test]
        fn no_bytes_are_too_strange(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let (mut frames, mut given) = (JsonFrames::default(), 0);
            frames.push(&bytes, |value| given += value.len());
            prop_assert!(given + frames.finish().len() <= bytes.len());
        }
    }
}
