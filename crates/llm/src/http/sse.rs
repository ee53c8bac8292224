//! Server-sent events, as specified by the HTML standard, from chunks that are cut anywhere.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event<'a> {
    pub(super) data: &'a str,
    /// Whether it is called `error`, or its data is in a field of that name, as llama.cpp once sent
    /// it.
    pub(super) is_error: bool,
}

/// Turns chunks of bytes into events. Comments, blank lines and other fields are skipped.
#[derive(Debug, Default)]
pub(super) struct EventFrames {
    line: Vec<u8>,
    /// The data lines of the incomplete event, each with a line break.
    data: Vec<u8>,
    is_error: bool,
    /// Whether the last byte was a carriage return; a line feed after it belongs to it.
    after_return: bool,
}

impl EventFrames {
    /// Adds a chunk; calls `event` with each event that it completes.
    pub(super) fn push(&mut self, chunk: &[u8], mut event: impl FnMut(Event<'_>)) {
        let mut rest = chunk;
        if self.after_return && !rest.is_empty() {
            self.after_return = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, after) = rest.split_at(end);
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

    /// Ends the body. What is incomplete is an event too, since some servers omit the last blank
    /// line.
    pub(super) fn finish(mut self, mut event: impl FnMut(Event<'_>)) {
        if !self.line.is_empty() {
            self.end_line(&mut event);
        }
        self.end_event(&mut event);
    }

    /// How many bytes belong to the incomplete event.
    pub(super) fn pending(&self) -> usize {
        self.line.len() + self.data.len()
    }

    /// Whether there is more of the incomplete event than a comment.
    pub(super) fn holds_data(&self) -> bool {
        let is_comment = self.line.starts_with(b":");
        !self.data.is_empty() || !(self.line.is_empty() || is_comment)
    }

    fn end_line(&mut self, event: &mut impl FnMut(Event<'_>)) {
        let line = std::mem::take(&mut self.line);
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line);
        if line.is_empty() {
            return self.end_event(event);
        }
        let mut parts = line.splitn(2, |byte| *byte == b':');
        let (name, value) = (parts.next().unwrap_or_default(), parts.next());
        let value = value.unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" | b"error" => {
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
                self.is_error |= name == b"error";
            }
            b"event" => self.is_error |= value == b"error",
            _ => {}
        }
    }

    fn end_event(&mut self, event: &mut impl FnMut(Event<'_>)) {
        let data = std::mem::take(&mut self.data);
        let is_error = std::mem::take(&mut self.is_error);
        if let Some(data) = data.strip_suffix(b"\n") {
            let data = &String::from_utf8_lossy(data);
            event(Event { data, is_error });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn events(chunks: &[&[u8]]) -> Vec<String> {
        let mut frames = EventFrames::default();
        let mut found = Vec::new();
        for chunk in chunks {
            frames.push(chunk, |event| found.push(event.data.to_owned()));
        }
        frames.finish(|event| found.push(event.data.to_owned()));
        found
    }

    #[test]
    fn comments_other_fields_and_blank_lines_are_skipped() {
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
            let (left, right) = bytes.split_at(cut.index(bytes.len() + 1));
            prop_assert_eq!(events(&[left, right]), events(&[&bytes]));
        }
    }
}
