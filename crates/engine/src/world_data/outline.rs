//! The outline of a RON text: the position of each path.
//!
//! A scanner that never fails. It knows brackets, strings, comments, fields and items, but no
//! types; if the text is invalid, it continues with the next thing it recognises. A value knows its
//! parent and its name there, so that an outline grows with its text; paths are put together when
//! they are needed.

use std::ops::Range;

/// A value of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// The index of the value that contains it; `None` for the outermost.
    parent: Option<usize>,
    /// What its path adds to its parent's.
    step: Step,
    /// The bytes of the whole field, including its name.
    pub(super) field: Range<usize>,
    /// The bytes of the value alone.
    pub(super) value: Range<usize>,
    /// Whether it has no name among fields with names, which is always a mistake. Its path is that
    /// of its parent.
    pub(super) stray: bool,
}

impl Node {
    /// Whether it is directly in the value of this number.
    pub(super) fn is_in(&self, outer: usize) -> bool {
        self.parent == Some(outer)
    }
}

/// The last part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// `hp` in `stats.hp`: the bytes of the name.
    Field(Range<usize>),
    Item(usize),
    /// `0` in `schedule[1].0`, a value without a name.
    Part(usize),
    /// Nothing: the outermost value, or what is in `Some(…)`.
    Same,
}

/// All values of a text, outer ones before inner ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Outline {
    nodes: Vec<Node>,
}

impl Outline {
    #[cfg(test)]
    pub(super) fn of(text: &str) -> Self {
        let mut scan = Scan::new();
        Tokens::of(text).for_each(|token| scan.take(&token, text));
        scan.end()
    }

    /// The values, outer ones before inner ones.
    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The path of a node of the outline of `text`, such as `actors[2].stats.hp`.
    pub(super) fn path(&self, node: usize, text: &str) -> String {
        let mut steps = Vec::new();
        let mut node = self.nodes.get(node);
        while let Some(Node { parent, step, .. }) = node {
            steps.push(step);
            node = parent.and_then(|parent| self.nodes.get(parent));
        }
        let mut path = String::new();
        for step in steps.into_iter().rev() {
            match step {
                Step::Field(name) => append(&mut path, text.get(name.clone()).unwrap_or_default()),
                Step::Part(number) => append(&mut path, &number.to_string()),
                Step::Item(index) => path.push_str(&format!("[{index}]")),
                Step::Same => {}
            }
        }
        path
    }

    /// The innermost value with a path, which is not stray.
    pub(super) fn find(&self, path: &str, text: &str) -> Option<usize> {
        let nodes = self.nodes.iter().enumerate();
        let mut found = nodes.filter(|(_, node)| !node.stray && self.has_path(node, path, text));
        let (mut index, _) = found.next()?;
        while let Some((inner, _)) = found.next().filter(|(_, node)| node.parent == Some(index)) {
            index = inner;
        }
        Some(index)
    }

    fn has_path(&self, node: &Node, path: &str, text: &str) -> bool {
        let mut node = Some(node);
        let mut path = path;
        while let Some(Node { parent, step, .. }) = node {
            let rest = match step {
                Step::Field(name) => without(path, text.get(name.clone()).unwrap_or_default()),
                Step::Part(number) => without(path, &number.to_string()),
                Step::Item(index) => {
                    let cut = path
                        .strip_suffix(']')
                        .and_then(|path| path.rsplit_once('['))
                        .filter(|(_, number)| number.parse() == Ok(*index));
                    cut.map(|(path, _)| path)
                }
                Step::Same => Some(path),
            };
            let Some(rest) = rest else { return false };
            path = rest;
            node = parent.and_then(|parent| self.nodes.get(parent));
        }
        path.is_empty()
    }
}

fn append(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}

/// The path without its last name and the dot before it.
fn without<'a>(path: &'a str, name: &str) -> Option<&'a str> {
    let before = path.strip_suffix(name)?;
    if before.is_empty() {
        Some(before)
    } else {
        before.strip_suffix('.')
    }
}

/// The first byte from `position` that is neither blank nor in a comment.
pub(super) fn past_blanks(text: &str, position: usize) -> usize {
    let mut tokens = Tokens { text, position };
    tokens.skip_blanks();
    tokens.position
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bracket {
    File,
    Round,
    Square,
    Curly,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Open(Bracket, Range<usize>),
    Close(Bracket, Range<usize>),
    Colon,
    Comma,
    /// A string, number or word.
    Scalar(Range<usize>),
}

/// A value that may still grow: `Only` may turn out to be `Only(["Odile"])`.
struct Item {
    node: usize,
    scalar: bool,
}

/// An open bracket and how far its content is read.
struct Frame {
    bracket: Bracket,
    /// The value that the brackets belong to.
    node: Option<usize>,
    index: usize,
    named: bool,
    /// Whether these are the brackets of `Some(…)`. Its content has the path of the whole.
    optional: bool,
    key: Option<Range<usize>>,
    item: Option<Item>,
}

impl Frame {
    fn new(bracket: Bracket, node: Option<usize>) -> Self {
        Self {
            bracket,
            node,
            index: 0,
            named: false,
            optional: false,
            key: None,
            item: None,
        }
    }

    /// What the path of the item that is being read adds to that of the brackets.
    fn step(&self) -> Step {
        match (&self.key, self.bracket) {
            (Some(key), _) => Step::Field(key.clone()),
            (None, Bracket::File) => Step::Same,
            (None, _) if self.optional || self.named => Step::Same,
            (None, Bracket::Square) => Step::Item(self.index),
            (None, _) => Step::Part(self.index),
        }
    }
}

/// An outline that grows with the tokens of a text.
pub(super) struct Scan {
    frames: Vec<Frame>,
    nodes: Vec<Node>,
    /// Where the value ends that was finished last.
    last_end: usize,
}

impl Scan {
    pub(super) fn new() -> Self {
        Self {
            frames: vec![Frame::new(Bracket::File, None)],
            nodes: Vec::new(),
            last_end: 0,
        }
    }

    pub(super) fn take(&mut self, token: &Token, text: &str) {
        match token {
            Token::Open(bracket, span) => self.open(*bracket, span.clone(), text),
            Token::Close(bracket, span) => self.close_as(*bracket, span),
            Token::Comma => self.finish(),
            Token::Colon => self.name(),
            Token::Scalar(span) => self.begin(span.clone(), true),
        }
    }

    /// The outline, once there are no more tokens.
    pub(super) fn end(mut self) -> Outline {
        while self.close() {}
        Outline { nodes: self.nodes }
    }

    /// The value that is being read.
    fn current(&mut self) -> Option<&mut Node> {
        let item = self.frames.last()?.item.as_ref()?;
        self.nodes.get_mut(item.node)
    }

    /// Ends the value that is being read.
    fn finish(&mut self) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let Some(item) = frame.item.take() else {
            return;
        };
        let step = frame.step();
        let key = frame.key.take();
        frame.index += 1;
        if let Some(node) = self.nodes.get_mut(item.node) {
            node.step = step;
            node.stray = frame.named && key.is_none();
            let start = key.map_or(node.value.start, |key| key.start);
            node.field = start..node.value.end;
            self.last_end = node.value.end;
        }
    }

    /// Begins a value. If the last one is still open, its comma is missing.
    fn begin(&mut self, value: Range<usize>, scalar: bool) {
        self.finish();
        if let Some(frame) = self.frames.last_mut() {
            let node = self.nodes.len();
            frame.item = Some(Item { node, scalar });
            self.nodes.push(Node {
                parent: frame.node,
                step: Step::Same,
                field: value.clone(),
                value,
                stray: false,
            });
        }
    }

    /// Takes the scalar before a colon as the name of the next value.
    fn name(&mut self) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        if frame.item.take_if(|item| item.scalar).is_some() {
            // Nothing is in a scalar, so it is the last node.
            frame.key = self.nodes.pop().map(|node| node.value);
            frame.named = true;
        }
    }

    fn open(&mut self, bracket: Bracket, span: Range<usize>, text: &str) {
        let grows = |item: &Item| item.scalar && bracket == Bracket::Round;
        let continues = |frame: &Frame| frame.item.as_ref().is_some_and(grows);
        let grows = self.frames.last().is_some_and(continues);
        if !grows {
            self.begin(span, false);
        }
        let word = self.current().map(|node| node.value.clone());
        let optional = grows && word.and_then(|word| text.get(word)) == Some("Some");
        let Some(item) = self.frames.last_mut().and_then(|frame| frame.item.as_mut()) else {
            return;
        };
        item.scalar = false;
        let node = item.node;
        self.frames.push(Frame {
            optional,
            ..Frame::new(bracket, Some(node))
        });
    }

    /// Closes the nearest bracket of that kind, and those in it that are open.
    fn close_as(&mut self, bracket: Bracket, span: &Range<usize>) {
        let Some(depth) = self.frames.iter().rposition(|f| f.bracket == bracket) else {
            return;
        };
        while self.frames.len() > depth {
            self.close();
        }
        if let Some(node) = self.current() {
            node.value.end = span.end;
        }
    }

    /// Closes the innermost bracket; false if there is none.
    fn close(&mut self) -> bool {
        self.finish();
        let Some(closed) = self.frames.pop() else {
            return false;
        };
        let end = self.last_end;
        if let Some(node) = self.current()
            && closed.bracket != Bracket::File
        {
            node.value.end = node.value.end.max(end);
        }
        true
    }
}

/// Splits a text into tokens, skipping white space and comments.
pub(super) struct Tokens<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, position: 0 }
    }

    /// The byte after the last token.
    pub(super) fn position(&self) -> usize {
        self.position
    }

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
    let (mut end, mut depth) = (2, 1);
    while depth > 0 {
        let marks = text.as_bytes().get(end..).unwrap_or_default();
        let Some(mark) = marks.iter().position(|byte| matches!(byte, b'/' | b'*')) else {
            return text.len();
        };
        end += mark;
        let length = match marks.get(mark..mark + 2) {
            Some(b"/*") => {
                depth += 1;
                2
            }
            Some(b"*/") => {
                depth -= 1;
                2
            }
            _ => 1,
        };
        end += length;
    }
    end
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
    for (index, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return index + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The value at a path, whose node has that path.
    fn value<'a>(text: &'a str, path: &str) -> &'a str {
        let outline = Outline::of(text);
        let found = outline
            .find(path, text)
            .unwrap_or_else(|| panic!("no {path}"));
        assert_eq!(outline.path(found, text), path);
        &text[outline.nodes()[found].value.clone()]
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
        let outline = Outline::of(text);
        let node = &outline.nodes()[outline.find("bee", text).expect("is there")];
        assert_eq!(&text[node.field.clone()], "bee: [2, 3]");
    }

    #[test]
    fn broken_text_is_read_as_far_as_it_makes_sense() {
        assert_eq!(value("(a: 1 b: 2)", "b"), "2");
        assert_eq!(value("(a: [(x: 1), (x: 2, c: 3)", "a[1].x"), "2");
        assert_eq!(value("(a: (x: 1], b: 4)", "a.x"), "1");
        assert_eq!(value("(a: \"open", "a"), "\"open");
        let text = "(a: [(b: one two, c: 3)])";
        let outline = Outline::of(text);
        let strays: Vec<_> = outline
            .nodes()
            .iter()
            .enumerate()
            .filter(|(_, node)| node.stray)
            .map(|(index, node)| (outline.path(index, text), node.value.clone()))
            .collect();
        assert_eq!(strays, [("a[0]".to_owned(), 13..16)]);
    }

    #[test]
    fn what_may_be_left_out_has_the_path_of_its_content() {
        let text = "(a: Some((b: 1)), c: Some(2))";
        assert_eq!(value(text, "a"), "(b: 1)");
        assert_eq!(value(text, "a.b"), "1");
        assert_eq!(value(text, "c"), "2");
    }

    #[test]
    fn a_comment_of_opening_marks_takes_the_time_of_its_length() {
        let text = "/*".repeat(500_000);
        assert_eq!(comment(&text), text.len());
        assert_eq!(comment("/* /* */ */ x"), 11);
        assert_eq!(comment("/* /*/ */ */ x"), 12);
    }

    proptest! {
        #[test]
        fn any_text_has_an_outline_within_it(text in "[\\PC\n\"'()\\[\\]{}:,/*#rb\\\\]{0,80}") {
            let outline = Outline::of(&text);
            for (index, node) in outline.nodes().iter().enumerate() {
                prop_assert!(text.get(node.field.clone()).is_some());
                prop_assert!(text.get(node.value.clone()).is_some());
                let path = outline.path(index, &text);
                prop_assert!(node.stray || outline.find(&path, &text).is_some());
            }
        }
    }
}
