//! The outline of a RON text: the position of each path.
//!
//! A scanner that never fails. It knows brackets, strings, comments, fields and items, but no
//! types; if the text is invalid, it continues with the next thing it recognises.

use std::ops::Range;

/// A value of the text with its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// Such as `actors[2].stats.hp`, or `schedule[1].0` for a value without a name.
    pub(super) path: String,
    /// The bytes of the whole field, including its name.
    pub(super) field: Range<usize>,
    /// The bytes of the value alone.
    pub(super) value: Range<usize>,
    /// Whether it has no name among fields with names, which is always a mistake. Its path is that
    /// of its parent.
    pub(super) stray: bool,
}

/// All values of `text`, inner ones before outer ones.
pub(super) fn outline(text: &str) -> Vec<Node> {
    let mut outline = Outline {
        frames: vec![Frame::new(Bracket::File, String::new())],
        nodes: Vec::new(),
    };
    let tokens = Tokens { text, position: 0 };
    for token in tokens {
        outline.take(token, text);
    }
    while outline.close() {}
    outline.nodes
}

/// The first byte from `position` that is neither blank nor in a comment.
pub(super) fn past_blanks(text: &str, position: usize) -> usize {
    let mut tokens = Tokens { text, position };
    tokens.skip_blanks();
    tokens.position
}

/// The deepest nesting of paths; RON reads nothing deeper. Without it, a text that is nothing but
/// brackets would need paths of quadratic length.
const DEEPEST: usize = 128;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bracket {
    File,
    Round,
    Square,
    Curly,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Open(Bracket, Range<usize>),
    Close(Bracket, Range<usize>),
    Colon,
    Comma,
    /// A string, number or word.
    Scalar(Range<usize>),
}

/// A value that may still grow: `Only` may turn out to be `Only(["Odile"])`.
struct Item {
    value: Range<usize>,
    scalar: bool,
}

/// An open bracket and how far its content is read.
struct Frame {
    bracket: Bracket,
    path: String,
    index: usize,
    named: bool,
    /// Whether these are the brackets of `Some(…)`. Its content has the path of the whole.
    optional: bool,
    key: Option<(String, usize)>,
    item: Option<Item>,
}

impl Frame {
    fn new(bracket: Bracket, path: String) -> Self {
        Self {
            bracket,
            path,
            index: 0,
            named: false,
            optional: false,
            key: None,
            item: None,
        }
    }

    /// The path of the item that is being read.
    fn item_path(&self) -> String {
        let own = match (&self.key, self.bracket) {
            (Some((key, _)), _) => key.clone(),
            (None, Bracket::File) => return String::new(),
            (None, _) if self.optional => return self.path.clone(),
            (None, Bracket::Square) => return format!("{}[{}]", self.path, self.index),
            (None, _) => self.index.to_string(),
        };
        if self.path.is_empty() {
            own
        } else {
            format!("{}.{own}", self.path)
        }
    }

    /// Ends the item that is being read.
    fn finish(&mut self) -> Option<Node> {
        let item = self.item.take()?;
        let stray = self.named && self.key.is_none();
        let path = if stray {
            self.path.clone()
        } else {
            self.item_path()
        };
        let start = self.key.take().map_or(item.value.start, |(_, start)| start);
        self.index += 1;
        Some(Node {
            path,
            field: start..item.value.end,
            value: item.value,
            stray,
        })
    }
}

struct Outline {
    frames: Vec<Frame>,
    nodes: Vec<Node>,
}

impl Outline {
    fn take(&mut self, token: Token, text: &str) {
        match token {
            Token::Open(bracket, span) => self.open(bracket, span, text),
            Token::Close(bracket, span) => self.close_as(bracket, span),
            Token::Comma => self.finish(),
            Token::Colon => self.name(text),
            Token::Scalar(span) => self.begin(span, true),
        }
    }

    fn top(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut()
    }

    fn finish(&mut self) {
        let node = self.top().and_then(Frame::finish);
        self.nodes.extend(node);
    }

    /// Begins a value. If the last one is still open, its comma is missing.
    fn begin(&mut self, value: Range<usize>, scalar: bool) {
        if self.top().is_some_and(|frame| frame.item.is_some()) {
            self.finish();
        }
        if let Some(frame) = self.top() {
            frame.item = Some(Item { value, scalar });
        }
    }

    /// Takes the scalar before a colon as the name of the next value.
    fn name(&mut self, text: &str) {
        let Some(frame) = self.top() else { return };
        let Some(item) = frame.item.take_if(|item| item.scalar) else {
            return;
        };
        let name = text.get(item.value.clone()).unwrap_or_default();
        frame.key = Some((name.to_owned(), item.value.start));
        frame.named = true;
    }

    fn open(&mut self, bracket: Bracket, span: Range<usize>, text: &str) {
        let grows = |item: &Item| item.scalar && bracket == Bracket::Round;
        let continues = |frame: &mut Frame| frame.item.as_ref().is_some_and(grows);
        if !self.top().is_some_and(continues) {
            self.begin(span, false);
        }
        let is_too_deep = self.frames.len() > DEEPEST;
        if let Some(frame) = self.top() {
            let mut optional = is_too_deep;
            if let Some(item) = &mut frame.item {
                optional |= item.scalar && text.get(item.value.clone()) == Some("Some");
                item.scalar = false;
            }
            let path = if is_too_deep {
                frame.path.clone()
            } else {
                frame.item_path()
            };
            self.frames.push(Frame {
                optional,
                ..Frame::new(bracket, path)
            });
        }
    }

    /// Closes the nearest bracket of that kind, and those in it that are open.
    fn close_as(&mut self, bracket: Bracket, span: Range<usize>) {
        let Some(depth) = self.frames.iter().rposition(|f| f.bracket == bracket) else {
            return;
        };
        while self.frames.len() > depth {
            self.close();
        }
        if let Some(item) = self.top().and_then(|frame| frame.item.as_mut()) {
            item.value.end = span.end;
        }
    }

    /// Closes the innermost bracket; false if there is none.
    fn close(&mut self) -> bool {
        self.finish();
        let Some(closed) = self.frames.pop() else {
            return false;
        };
        let end = self.nodes.last().map_or(0, |node| node.value.end);
        if let Some(item) = self.top().and_then(|frame| frame.item.as_mut())
            && closed.bracket != Bracket::File
        {
            item.value.end = item.value.end.max(end);
        }
        true
    }
}

/// Splits a text into tokens, skipping white space and comments.
struct Tokens<'a> {
    text: &'a str,
    position: usize,
}

impl Tokens<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.position..).unwrap_or_default()
    }

    /// Advances by `length` bytes and returns their span.
    fn span(&mut self, length: usize) -> Range<usize> {
        let start = self.position;
        self.position = (start + length).min(self.text.len());
        start..self.position
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start().len();
            let length = match blanks {
                0 => comment(rest),
                _ => blanks,
            };
            if length == 0 {
                return;
            }
            self.position += length;
        }
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.skip_blanks();
        let first = self.rest().chars().next()?;
        Some(match first {
            '(' => Token::Open(Bracket::Round, self.span(1)),
            '[' => Token::Open(Bracket::Square, self.span(1)),
            '{' => Token::Open(Bracket::Curly, self.span(1)),
            ')' => Token::Close(Bracket::Round, self.span(1)),
            ']' => Token::Close(Bracket::Square, self.span(1)),
            '}' => Token::Close(Bracket::Curly, self.span(1)),
            ':' => {
                self.position += 1;
                Token::Colon
            }
            ',' => {
                self.position += 1;
                Token::Comma
            }
            _ => {
                let length = scalar(self.rest()).max(first.len_utf8());
                Token::Scalar(self.span(length))
            }
        })
    }
}

/// The length of the comment at the beginning of `text`; 0 if there is none.
fn comment(text: &str) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if !text.starts_with("/*") {
        return 0;
    }
    let (mut at, mut depth) = (2, 1);
    while depth > 0 {
        let rest = text.get(at..).unwrap_or_default();
        let Some(mark) = rest.find("/*").into_iter().chain(rest.find("*/")).min() else {
            return text.len();
        };
        match rest.get(mark..mark + 2) {
            Some("/*") => depth += 1,
            _ => depth -= 1,
        }
        at += mark + 2;
    }
    at
}

/// The length of the string, number or word at the beginning of `text`.
fn scalar(text: &str) -> usize {
    let bare = text.trim_start_matches(['b', 'r']);
    let prefix = text.len() - bare.len();
    if bare.starts_with('"') && (prefix == 0 || !text[..prefix].contains('r')) {
        return prefix + quoted(bare, '"');
    }
    if prefix > 0 && text[..prefix].ends_with('r') {
        let hashes = bare.len() - bare.trim_start_matches('#').len();
        if bare[hashes..].starts_with('"') {
            let start = prefix + hashes + 1;
            let end = format!("\"{}", "#".repeat(hashes));
            let inner = text[start..].find(&end);
            return inner.map_or(text.len(), |inner| start + inner + end.len());
        }
    }
    if text.starts_with('\'') {
        return quoted(text, '\'');
    }
    let ends = |c: char| c.is_whitespace() || "()[]{}:,\"'/".contains(c);
    text.find(ends).unwrap_or(text.len())
}

/// The length of a quoted text with backslashes, including both quotes.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn paths(text: &str) -> Vec<(String, &str)> {
        let nodes = outline(text).into_iter();
        nodes.map(|node| (node.path, &text[node.value])).collect()
    }

    fn value<'a>(text: &'a str, path: &str) -> &'a str {
        let found = paths(text).into_iter().find(|(known, _)| known == path);
        found.unwrap_or_else(|| panic!("no {path}")).1
    }

    #[test]
    fn every_field_and_item_has_its_path() {
        let text = r#"World(name: "A (b]", actors: [(stats: (hp: -3, at: 2.5)), (name: 'x')])"#;
        assert_eq!(value(text, "name"), "\"A (b]\"");
        assert_eq!(value(text, "actors[0].stats.hp"), "-3");
        assert_eq!(value(text, "actors[0].stats"), "(hp: -3, at: 2.5)");
        assert_eq!(value(text, "actors[1].name"), "'x'");
        assert_eq!(value(text, ""), text);
    }

    #[test]
    fn variants_tuples_and_maps_are_followed() {
        let text =
            r#"(k: Only(["Odile", "Brant"]), s: [Home(days: 1), Dungeon("x")], m: {"a": 1})"#;
        assert_eq!(value(text, "k"), r#"Only(["Odile", "Brant"])"#);
        assert_eq!(value(text, "k.0[1]"), "\"Brant\"");
        assert_eq!(value(text, "s[0].days"), "1");
        assert_eq!(value(text, "s[1]"), "Dungeon(\"x\")");
        assert_eq!(value(text, "s[1].0"), "\"x\"");
        assert_eq!(value(text, "m.\"a\""), "1");
    }

    #[test]
    fn comments_and_raw_strings_hide_their_content() {
        let text = concat!(
            "( // a: 1, ( \" \n",
            "  a /* /* b: 2 */ ( */ : r##\"x: \"# ( y\"##,\n",
            "  b: br\"\\\", c: b\"\\\"\", brave: 5 )"
        );
        assert_eq!(value(text, "a"), "r##\"x: \"# ( y\"##");
        assert_eq!(value(text, "b"), "br\"\\\"");
        assert_eq!(value(text, "c"), "b\"\\\"\"");
        assert_eq!(value(text, "brave"), "5");
    }

    #[test]
    fn a_field_spans_from_its_name_to_the_end_of_its_value() {
        let text = "(a: 1, bee: [2, 3])";
        let node = outline(text).into_iter().find(|node| node.path == "bee");
        assert_eq!(&text[node.expect("is there").field], "bee: [2, 3]");
    }

    #[test]
    fn broken_text_is_read_as_far_as_it_makes_sense() {
        assert_eq!(value("(a: 1 b: 2)", "b"), "2");
        assert_eq!(value("(a: [(x: 1), (x: 2, c: 3)", "a[1].x"), "2");
        assert_eq!(value("(a: (x: 1], b: 4)", "a.x"), "1");
        assert_eq!(value("(a: \"open", "a"), "\"open");
        let strays = outline("(a: [(b: one two, c: 3)])")
            .into_iter()
            .filter(|node| node.stray);
        let strays: Vec<_> = strays.map(|node| (node.path, node.value)).collect();
        assert_eq!(strays, [("a[0]".to_owned(), 13..16)]);
    }

    proptest! {
        #[test]
        fn any_text_has_an_outline_within_it(text in "[\\PC\n\"'()\\[\\]{}:,/*#rb\\\\]{0,80}") {
            for node in outline(&text) {
                prop_assert!(text.get(node.field).is_some());
                prop_assert!(text.get(node.value).is_some());
            }
        }
    }
}
