//! Brackets that are missing or too many.
//!
//! By their kinds alone, most would be found at the end of the file. Writers show which brackets
//! belong together: a line is indented deeper than the one that opened the bracket around it, and
//! names and values do not stand side by side in one bracket. So where brackets do not match, the
//! first place where layout and shape contradict them is told.

use super::outline::{Bracket, Token, Tokens};

/// Longer texts, and those nested deeper, are not repaired: each repair scans the whole text.
const MAX_BYTES: usize = 512 * 1024;
const MAX_DEPTH: usize = 64;

/// What makes the brackets match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Repair {
    /// Insert these brackets, which may need a comma after them.
    Insert {
        at: usize,
        marks: String,
        comma: bool,
        /// The other half.
        partner: usize,
    },
    /// Remove the bracket here, which closes nothing.
    Remove(usize),
}

impl Repair {
    pub(super) fn at(&self) -> usize {
        match self {
            Self::Insert { at, .. } | Self::Remove(at) => *at,
        }
    }
}

/// Whether the last quote of a text is left open. Then nobody knows what is in quotes.
pub(super) fn has_open_quote(text: &str) -> bool {
    let last = Tokens::of(text).last();
    let Some(Token::Scalar(span)) = last else {
        return false;
    };
    let word = text.get(span).unwrap_or_default();
    word.contains('"') && !(word.len() > 1 && word.ends_with('"'))
}

/// The repairs of a text, in their order; none if its brackets match.
pub(super) fn repairs(text: &str) -> Vec<Repair> {
    let marks = if text.len() <= MAX_BYTES {
        marks(text)
    } else {
        Vec::new()
    };
    let by_kind = Scan::of(&marks, false);
    let mut repairs = match by_kind.as_slice() {
        [] => Vec::new(),
        _ => Scan::of(&marks, true),
    };
    if repairs.len() > by_kind.len() {
        repairs = by_kind;
    }
    repairs.sort_by_key(Repair::at);
    repairs
}

/// A token and where it stands.
struct Mark {
    token: Token,
    start: usize,
    end: usize,
    /// How deep its line is indented, if it is the first there.
    indent: Option<usize>,
}

impl Mark {
    fn closes(&self) -> bool {
        matches!(self.token, Token::Close(..))
    }
}

fn marks(text: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut tokens = Tokens::of(text);
    let mut end = 0;
    while let Some(token) = tokens.next() {
        let start = match &token {
            Token::Open(_, span) | Token::Close(_, span) | Token::Scalar(span) => span.start,
            Token::Colon | Token::Comma => tokens.position() - 1,
        };
        let gap = text.get(end..start).unwrap_or_default();
        let width = |c: char| if c == '\u{3000}' { 2 } else { 1 };
        let indent = gap.rsplit_once('\n').map(|(_, indent)| indent);
        let indent = indent.or(marks.is_empty().then_some(gap));
        end = tokens.position();
        marks.push(Mark {
            token,
            start,
            end,
            indent: indent.map(|indent| indent.chars().map(width).sum()),
        });
    }
    marks
}

/// An open bracket.
#[derive(Clone)]
struct Frame {
    bracket: Bracket,
    at: usize,
    /// The number of its line, and how deep that is indented.
    line: usize,
    indent: usize,
    /// How deep the first line in it is indented.
    content: Option<usize>,
    /// The end of its last name with a colon.
    key: Option<usize>,
    /// How many values follow that, or are in it if it has no names.
    values: usize,
}

#[derive(Default)]
struct Scan {
    by_layout: bool,
    line: usize,
    indent: usize,
    frames: Vec<Frame>,
    /// What was closed since the line began, and by which byte.
    closed: Vec<(Frame, usize)>,
    repairs: Vec<Repair>,
}

impl Scan {
    fn of(marks: &[Mark], by_layout: bool) -> Vec<Repair> {
        let mut scan = Self {
            by_layout,
            ..Self::default()
        };
        for number in 0..marks.len() {
            scan.take(marks, number);
        }
        while scan.frames.last().is_some() {
            scan.close_before(marks, marks.len());
        }
        scan.repairs
    }

    fn take(&mut self, marks: &[Mark], number: usize) {
        let Some(mark) = marks.get(number).filter(|_| self.frames.len() <= MAX_DEPTH) else {
            return;
        };
        let token_at = |number: usize| marks.get(number).map(|mark| &mark.token);
        let before = number.checked_sub(1).and_then(token_at);
        let is_key = token_at(number + 1) == Some(&Token::Colon);
        if let Some(indent) = mark.indent {
            self.begin_line(marks, number, indent, is_key);
        }
        match &mark.token {
            Token::Open(bracket, _) => {
                let is_item = before == Some(&Token::Comma);
                if self.by_layout && is_item && self.is_named_item() {
                    self.close_before(marks, number);
                }
                if !matches!(before, Some(Token::Scalar(_))) {
                    self.count_value();
                }
                self.frames.push(Frame {
                    bracket: *bracket,
                    at: mark.start,
                    line: self.line,
                    indent: self.indent,
                    content: None,
                    key: None,
                    values: 0,
                });
            }
            Token::Close(bracket, _) => self.close(marks, number, *bracket),
            Token::Comma => {}
            Token::Colon => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.key = Some(mark.end);
                    frame.values = 0;
                }
            }
            Token::Scalar(_) if !is_key => self.count_value(),
            Token::Scalar(_) if self.by_layout => self.leave_values(marks, number),
            Token::Scalar(_) => {}
        }
    }

    /// A line is in those brackets that were opened in lines indented less.
    fn begin_line(&mut self, marks: &[Mark], number: usize, indent: usize, is_key: bool) {
        let closes = marks.get(number).is_some_and(Mark::closes);
        let line = self.line;
        let is_still_open = |(frame, _): &mut (Frame, usize)| {
            frame.indent < indent && (frame.line < line || (is_key && frame.key.is_some()))
        };
        while self.by_layout
            && let Some((frame, at)) = self.closed.pop_if(is_still_open)
        {
            self.repairs.push(Repair::Remove(at));
            self.frames.push(frame);
        }
        self.closed.clear();
        let is_left = |frame: &Frame| {
            let is_out = indent < frame.indent || (indent == frame.indent && !closes);
            is_out && frame.content.is_none_or(|content| indent < content)
        };
        while self.by_layout && self.frames.last().is_some_and(is_left) {
            self.close_before(marks, number);
        }
        if let Some(frame) = self.frames.last_mut().filter(|_| !closes) {
            frame.content.get_or_insert(indent);
        }
        self.line += 1;
        self.indent = indent;
    }

    /// Whether the bracket has names and is one of several in a list, so that another bracket in it
    /// is meant to be the next of them.
    fn is_named_item(&self) -> bool {
        let mut frames = self.frames.iter().rev();
        let is_named = frames.next().is_some_and(|frame| frame.key.is_some());
        let outer = frames.next().map(|frame| frame.bracket);
        is_named && outer == Some(Bracket::Square)
    }

    fn count_value(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.values += 1;
        }
    }

    /// No name follows values without one. The bracket before it was closed too early, if that is
    /// one with names; otherwise the brackets around the values lack their other half.
    fn leave_values(&mut self, marks: &[Mark], key: usize) {
        let has_values = |frame: &Frame| match frame.bracket {
            Bracket::Square => true,
            Bracket::Round => frame.key.is_none() && frame.values > 0,
            Bracket::File | Bracket::Curly => false,
        };
        if !self.frames.last().is_some_and(has_values) {
            return;
        }
        let closer = key.checked_sub(2).and_then(|closer| marks.get(closer));
        let closer = closer.map(|closer| closer.start);
        let is_named =
            |(frame, at): &mut (Frame, usize)| frame.key.is_some() && Some(*at) == closer;
        if let Some((frame, at)) = self.closed.pop_if(is_named) {
            self.repairs.push(Repair::Remove(at));
            self.frames.push(frame);
            return;
        }
        if self.frames.iter().any(|frame| frame.key.is_some()) {
            while self.frames.last().is_some_and(has_values) {
                self.close_before(marks, key);
            }
        }
    }

    fn close(&mut self, marks: &[Mark], number: usize, bracket: Bracket) {
        let Some(start) = marks.get(number).map(|mark| mark.start) else {
            return;
        };
        while let Some(top) = self.frames.last() {
            if top.bracket == bracket {
                self.closed
                    .extend(self.frames.pop().map(|top| (top, start)));
                return;
            }
            if let Some(at) = top.key.filter(|_| top.values > 1) {
                return self.repairs.push(Repair::Insert {
                    at,
                    marks: half(bracket, true).to_owned(),
                    comma: false,
                    partner: start,
                });
            }
            if self.closes_nothing(marks, number, bracket) {
                break;
            }
            self.close_before(marks, number);
        }
        self.repairs.push(Repair::Remove(start));
    }

    /// Whether what follows shows that the innermost bracket is not to be closed here, where one of
    /// another kind is.
    fn closes_nothing(&self, marks: &[Mark], number: usize, bracket: Bracket) -> bool {
        let Some(depth) = self.frames.iter().rposition(|f| f.bracket == bracket) else {
            return true;
        };
        let outer = depth
            .checked_sub(1)
            .and_then(|outer| self.frames.get(outer));
        let mut after = marks.get(number + 1..).unwrap_or_default().iter();
        let needs_name = outer.is_some_and(|outer| outer.key.is_some());
        let (Some(next), Some(top)) = (
            after.find(|mark| mark.token != Token::Comma),
            self.frames.last(),
        ) else {
            return false;
        };
        match next.token {
            Token::Close(next, _) => {
                next == top.bracket && outer.is_none_or(|outer| outer.bracket != next)
            }
            // Among names with a colon no value stands alone.
            _ if needs_name && after.next().is_some_and(|mark| mark.token != Token::Colon) => true,
            _ => self.by_layout && next.indent.is_some_and(|indent| indent > top.indent),
        }
    }

    /// Closes the innermost bracket before the token of this number.
    fn close_before(&mut self, marks: &[Mark], number: usize) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let next = marks.get(number);
        // A comma that begins a line follows what is to be closed.
        let ends = next.is_none_or(|mark| mark.closes() || mark.token == Token::Comma);
        let mut before = marks.get(..number).unwrap_or_default().iter().rev();
        let previous = before.next();
        let follows_comma = previous.is_some_and(|mark| mark.token == Token::Comma);
        let place = if follows_comma && !ends {
            before.next()
        } else {
            previous
        };
        let place = place.map_or(0, |mark| mark.end);
        let half = half(frame.bracket, false);
        match self.repairs.last_mut() {
            Some(Repair::Insert { at, marks, .. }) if *at == place => marks.push_str(half),
            _ => self.repairs.push(Repair::Insert {
                at: place,
                marks: half.to_owned(),
                comma: !ends && !follows_comma,
                partner: frame.at,
            }),
        }
    }
}

fn half(bracket: Bracket, opens: bool) -> &'static str {
    match (bracket, opens) {
        (Bracket::Square, true) => "[",
        (Bracket::Square, false) => "]",
        (Bracket::Curly, true) => "{",
        (Bracket::Curly, false) => "}",
        (Bracket::Round | Bracket::File, true) => "(",
        (Bracket::Round | Bracket::File, false) => ")",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with all repairs, which are in `«»`.
    fn repaired(text: &str) -> String {
        let mut told = text.to_owned();
        for repair in repairs(text).into_iter().rev() {
            match repair {
                Repair::Insert { at, marks, .. } => told.insert_str(at, &format!("«+{marks}»")),
                Repair::Remove(at) => told.insert_str(at, "«-»"),
            }
        }
        told
    }

    #[test]
    fn layout_and_shape_say_where_a_bracket_belongs() {
        for told in [
            // The end of an item, of a list, of a file.
            "(\n  a: [\n    (n: 1,\n      x: [2]«+)»,\n    (n: 2),\n  ],\n)",
            "(\n  a: [\n    (n: 1,\n      x: [2]«+)»\n    (n: 2),\n  ],\n)",
            "(\n  a: [\n    (n: 1)«+]»,\n  b: 2,\n)",
            "(\n  a: [\n    (n: 1,\n      o: [\n        (n: 2),«+]»\n      ),\n  ],\n)",
            "(\n  a: [(n: 1)],«+)»\n",
            "(\n  a: [\n    (n: 1),«+]»\n  , b: 2,\n)",
            // In one line.
            "(a: [(n: 1, w: All([A(1), B(2)«+])», o: 3)])",
            "(a: [(n: 1«+)», (n: 2)])",
            "(a: [(n: 1, t: T([1, 2«+]»), o: 3)])",
            // Too many.
            "(\n  a: [\n    (n: 1)«-»),\n    (n: 2),\n  ],\n)",
            "(\n  a: (n: 1)«-»),\n  b: 2,\n)",
            "(a: [(n: 1«-»), o: 2), (n: 3)])",
            "(a: [1, 2«-»)], b: 3)",
            "(a: [(n: 1, w: All([A(1)«-»), B(2)]), o: 3)])",
            "(a: 1)«-»)",
            // Without its first half.
            "(\n  a:«+[» (n: 1), (n: 2)],\n  b: 3,\n)",
        ] {
            let text: String = told
                .split('«')
                .map(|part| match part.split_once('»') {
                    Some((_, rest)) => rest,
                    None => part,
                })
                .collect();
            assert_eq!(repaired(&text), told);
        }
    }

    #[test]
    fn brackets_that_match_need_no_layout() {
        for text in [
            "(\na: [\n(n: 1,\nx: 2),\n],\n)",
            "(a: \"(\", b: [1]) // ]",
            "    (\n  a: [(n: 1\n), (n: 2)]\n        )",
        ] {
            assert_eq!(repairs(text), [], "{text}");
            assert!(!has_open_quote(text));
        }
    }
}
