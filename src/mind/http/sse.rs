//! Framing of server-sent events, as the WHATWG's HTML standard has it, from bytes cut anywhere.

/// Turns bytes into the data of events. Comments, blank lines and fields other than `data` are
/// skipped.
#[derive(Debug, Default)]
pub struct EventFrames {
    /// The line that has begun.
    line: Vec<u8>,
    /// The data lines of the event that has begun, each with a line end.
    data: Vec<u8>,
    /// The last byte ended a line as a carriage return; a line feed after it belongs to it.
    after_return: bool,
}

impl EventFrames {
    /// Takes more bytes and gives the data of each event that they complete to `event`.
    pub fn push(&mut self, bytes: &[u8], mut event: impl FnMut(&str)) {
        let mut rest = bytes;
        if self.after_return && !rest.is_empty() {
            self.after_return = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, after) = rest.split_at(at);
            self.line.extend_from_slice(line);
            self.end_line(&mut event);
            rest = match after {
                [b'\r', b'\n', rest @ ..] => rest,
                [b'\r'] => {
                    self.after_return = true;
                    &[]
                }
                [_, rest @ ..] => rest,
                [] => &[],
            };
        }
        self.line.extend_from_slice(rest);
    }

    /// Takes the end of the body: what has begun is an event, as some servers leave out the last
    /// blank line.
    pub fn finish(mut self, mut event: impl FnMut(&str)) {
        if !self.line.is_empty() {
            self.end_line(&mut event);
        }
        self.end_event(&mut event);
    }

    /// Bytes held back until their event is complete.
    pub fn held(&self) -> usize {
        self.line.len() + self.data.len()
    }

    fn end_line(&mut self, event: &mut impl FnMut(&str)) {
        let line = std::mem::take(&mut self.line);
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line);
        if line.is_empty() {
            return self.end_event(event);
        }
        if let Some(data) = line.strip_prefix(b"data:") {
            let data = data.strip_prefix(b" ").unwrap_or(data);
            self.data.extend_from_slice(data);
            self.data.push(b'\n');
        }
    }

    fn end_event(&mut self, event: &mut impl FnMut(&str)) {
        let data = std::mem::take(&mut self.data);
        if let Some(data) = data.strip_suffix(b"\n") {
            event(&String::from_utf8_lossy(data));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn events(pieces: &[&[u8]]) -> Vec<String> {
        let mut frames = EventFrames::default();
        let mut found = Vec::new();
        for piece in pieces {
            frames.push(piece, |data| found.push(data.to_owned()));
        }
        frames.finish(|data| found.push(data.to_owned()));
        found
    }

    #[test]
    fn comments_names_and_blank_lines_are_skipped() {
        let body = b": keep-alive\n\n\n\nevent: x\ndata: one\nid: 4\n\ndata:two\ndata: lines\n\n";
        assert_eq!(events(&[body]), ["one", "two\nlines"]);
    }

    #[test]
    fn the_end_of_the_body_ends_an_event() {
        assert_eq!(events(&[b"data: a\r\n\r\ndata: b"]), ["a", "b"]);
    }

    #[test]
    fn a_field_without_a_value_is_an_empty_event() {
        assert_eq!(events(&[b"data:\n\n"]), [""]);
    }

    proptest! {
        #[test]
        fn where_the_bytes_are_cut_makes_no_difference(
            texts in prop::collection::vec("[a-z中文é🎭:{}\" ]{0,12}", 0..8),
            ends in prop::collection::vec(prop::sample::select(vec!["\n", "\r\n", "\r"]), 8),
            cuts in prop::collection::vec(1usize..7, 0..200),
        ) {
            let mut body = String::new();
            for (text, end) in texts.iter().zip(&ends) {
                body += &format!(": ping{end}data: {text}{end}{end}");
            }
            let mut rest = body.as_bytes();
            let mut pieces = Vec::new();
            for cut in cuts {
                let (piece, after) = rest.split_at(cut.min(rest.len()));
                pieces.push(piece);
                rest = after;
            }
            pieces.push(rest);
            prop_assert_eq!(events(&pieces), texts);
        }

        #[test]
        fn no_bytes_are_too_strange(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(b"data: \r\n".to_vec())], 0..80),
            cut in any::<prop::sample::Index>(),
        ) {
            let (one, other) = bytes.split_at(cut.index(bytes.len() + 1));
            prop_assert_eq!(events(&[one, other]), events(&[&bytes]));
        }
    }
}
