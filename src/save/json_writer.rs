//! A direct JSON writer: a snapshot has tens of thousands of texts, and none takes a detour.

use serde::Serialize;

/// How deep a saved value may be nested. Readers stop at 128, and a save nests values itself.
const DEEPEST: usize = 100;

/// JSON under construction. Commas are set where they are due; the caller pushes the brackets.
#[derive(Default)]
pub(super) struct JsonWriter {
    bytes: Vec<u8>,
    /// The first value that was too deep to be read back.
    too_deep: Option<String>,
}

impl JsonWriter {
    /// A writer with room for so many bytes.
    pub(super) fn with_room(bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
            too_deep: None,
        }
    }

    /// The finished JSON, or what was nested too deeply.
    pub(super) fn finish(self) -> Result<Vec<u8>, String> {
        self.too_deep.map_or(Ok(self.bytes), Err)
    }

    /// Writes a bracket or another mark.
    pub(super) fn push(&mut self, mark: u8) {
        self.bytes.push(mark);
    }

    /// Begins the next element of a list.
    pub(super) fn element(&mut self) {
        if !matches!(self.bytes.last(), Some(b'[' | b'{') | None) {
            self.bytes.push(b',');
        }
    }

    /// Begins the next element of a list, or member of an object, on a line of its own.
    pub(super) fn line(&mut self) {
        self.element();
        self.bytes.push(b'\n');
    }

    /// Begins the next member of an object. `name` needs no escaping.
    pub(super) fn member(&mut self, name: &str) {
        self.element();
        self.key(name);
    }

    /// Begins the next member on a line of its own.
    pub(super) fn line_member(&mut self, name: &str) {
        self.line();
        self.key(name);
    }

    fn key(&mut self, name: &str) {
        self.bytes.push(b'"');
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.extend_from_slice(b"\":");
    }

    pub(super) fn number(&mut self, number: impl itoa::Integer) {
        let mut buffer = itoa::Buffer::new();
        self.bytes
            .extend_from_slice(buffer.format(number).as_bytes());
    }

    pub(super) fn string(&mut self, text: &str) {
        if is_plain(text.as_bytes()) {
            self.bytes.push(b'"');
            self.bytes.extend_from_slice(text.as_bytes());
            self.bytes.push(b'"');
        } else {
            // Writing to a vector can't fail.
            let _ = serde_json::to_writer(&mut self.bytes, text);
        }
    }

    /// A value whose form is not ours.
    pub(super) fn value(&mut self, value: &(impl Serialize + ?Sized)) {
        self.raw(|bytes| serde_json::to_writer(bytes, value).is_ok());
    }

    /// Lets `write` append a value; what it appended is taken back where it returns false.
    pub(super) fn raw(&mut self, write: impl FnOnce(&mut Vec<u8>) -> bool) -> bool {
        let before = self.bytes.len();
        let written = write(&mut self.bytes);
        if !written {
            self.bytes.truncate(before);
        } else if nesting(&self.bytes[before..]) > DEEPEST && self.too_deep.is_none() {
            let start = String::from_utf8_lossy(&self.bytes[before..]);
            self.too_deep = Some(format!("'{}…'", start.chars().take(40).collect::<String>()));
        }
        written
    }

    /// Appends elements of a list, or members of an object, that were written elsewhere.
    pub(super) fn append(&mut self, other: Self) {
        self.element();
        self.bytes.extend_from_slice(&other.bytes);
        self.too_deep = self.too_deep.take().or(other.too_deep);
    }
}

/// Whether a text stands in JSON as it is. Without an early exit, so that it runs many bytes at once.
fn is_plain(bytes: &[u8]) -> bool {
    let odd = |byte: u8| (byte < 0x20) | (byte == b'"') | (byte == b'\\');
    !bytes.iter().fold(false, |found, byte| found | odd(*byte))
}

/// How deep brackets are nested in valid JSON.
fn nesting(json: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0usize, 0);
    let mut bytes = json.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => skip_string(&mut bytes),
            _ => {}
        }
    }
    deepest
}

fn skip_string(bytes: &mut std::slice::Iter<'_, u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_what_serde_json_writes() {
        for text in ["", "plain", "中文", "\"", "a\\b", "\n\t\u{1}\u{7f}", "{[\""] {
            let mut json = JsonWriter::default();
            json.string(text);
            assert_eq!(
                json.finish().unwrap(),
                serde_json::to_vec(text).unwrap(),
                "{text:?}"
            );
        }
    }

    #[test]
    fn nesting_counts_brackets_outside_of_strings() {
        assert_eq!(nesting(br#"{"a[[[\"[":[1,{"b":"]"}]}"#), 3);
        assert_eq!(nesting(b"5"), 0);
    }

    #[test]
    fn a_value_too_deep_to_be_read_back_is_named() {
        let mut json = JsonWriter::default();
        let mut value = serde_json::Value::Null;
        for _ in 0..101 {
            value = serde_json::Value::Array(vec![value]);
        }
        json.value(&value);
        assert!(json.finish().unwrap_err().starts_with("'[[["));
    }
}
