//! JSON as models write it: found in an answer, and repaired where it has one meaning.
//!
//! What is right is read by `serde_json`. Anything else is read once more from the same place, and
//! more patiently: quotes and punctuation of all kinds, comments, trailing commas, line breaks in
//! texts, Python's words, missing brackets at the end. An object that has begun is the answer;
//! whatever else is wrong with it, no other is looked for within it.

use serde_json::map::Entry;
use serde_json::{Map, Number, Value, json};

use super::prose::{looped, whole_sentences};
use super::text::{is_blank, narrow};
use super::words::is_ellipsis;
use crate::files::count_values;

/// JSON in an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundJson<'t> {
    pub value: Value,
    /// Where it stands in the answer, if it is right as it stands there.
    pub verbatim: Option<&'t str>,
    /// Where the text ends within it, so that something may be missing.
    pub cut: Option<Cut>,
}

/// Where JSON ends before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Within a text that says the same for ever, which was taken once.
    Loop,
    /// Within a text, of which the whole sentences were taken.
    Text,
    Elsewhere,
}

impl FoundJson<'_> {
    /// The same, as it does not stand in the answer.
    fn repaired<'t>(self) -> FoundJson<'t> {
        FoundJson {
            value: self.value,
            verbatim: None,
            cut: self.cut,
        }
    }

    /// Whether it can be used: nothing is missing but the end of a text that has none, or, `at
    /// last`, of any.
    pub fn is_usable(&self, at_last: bool) -> bool {
        match self.cut {
            None | Some(Cut::Loop) => true,
            Some(Cut::Text) => at_last,
            Some(Cut::Elsewhere) => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoJson {
    /// The answer is empty.
    Nothing,
    /// The answer is prose.
    Prose,
    /// Several answers are offered to choose from.
    Drafts,
    /// The JSON can't be read from here on.
    Broken(String),
}

/// How deep JSON may be nested.
const MAX_DEPTH: usize = 64;
/// How many brackets of a text may turn out not to begin JSON.
const MAX_STARTS: usize = 64;
/// How far is looked ahead to tell the end of a text from a quotation mark within it, in bytes.
const AHEAD: usize = 96;
/// The maximum number of characters of a text without quotation marks.
const MAX_BARE: usize = 64;
/// How much is shown of what can't be read, in characters.
const SHOWN: usize = 24;

/// Finds the JSON of an answer: all of it, the content of a code fence, or the first in prose.
pub fn find_json(answer: &str) -> Result<FoundJson<'_>, NoJson> {
    let text = answer.trim_matches(is_blank);
    if text.is_empty() {
        return Err(NoJson::Nothing);
    }
    if let Some(inner) = quoted_json(text) {
        return find_json(&inner).map(FoundJson::repaired);
    }
    if text.starts_with('>') {
        // Nothing is left that could be taken off once more.
        let lines: Vec<_> = text
            .lines()
            .map(|line| line.trim_start_matches(['>', ' ']))
            .collect();
        return find_json(&lines.join("\n")).map(FoundJson::repaired);
    }
    let is_escaped = |text: &str| text.contains("{&quot;") || text.contains("&quot;:");
    if is_escaped(text) {
        let text = unescaped(text);
        return match is_escaped(&text) {
            true => Err(NoJson::Prose),
            false => find_json(&text).map(FoundJson::repaired),
        };
    }
    let mut list = None;
    for start in starts(text) {
        let rest = text.get(start..).unwrap_or_default();
        let found = read_at(rest)?;
        let items = found.value.as_array();
        let has_objects = items.is_none_or(|items| items.iter().any(Value::is_object));
        if start > 0 && found.value.is_object() && are_drafts(text, start) {
            return Err(NoJson::Drafts);
        }
        if has_objects && !is_blank_form(&found.value) || found.cut.is_some() {
            return Ok(found);
        }
        // A list of words, nothing at all, or the form to be filled in may stand in the prose
        // before the answer.
        list.get_or_insert(found);
    }
    if list.is_none() && is_quote(text.chars().next().map_or(' ', narrow)) && text.ends_with('}') {
        return find_json(&format!("{{{text}")).map(FoundJson::repaired);
    }
    list.ok_or(NoJson::Prose)
}

/// Whether the object at this place is one of several with titles that differ by a number or a
/// letter: "Option 1:" before it, "Option 2:" before another.
fn are_drafts(text: &str, start: usize) -> bool {
    const TITLE: usize = 40;
    let (before, rest) = text.split_at_checked(start).unwrap_or_default();
    let is_line = |line: &&str| {
        let line = line.trim_matches(is_blank);
        !line.is_empty() && !line.starts_with("```")
    };
    let title = before.lines().rfind(is_line);
    let Some(title) = title.filter(|title| title.len() <= TITLE) else {
        return false;
    };
    let differ = |line: &str| {
        let pairs = line.chars().zip(title.chars());
        line.len() == title.len() && pairs.filter(|(a, b)| a != b).count() == 1
    };
    let lines: Vec<_> = rest.lines().filter(is_line).collect();
    let mut pairs = lines.windows(2);
    pairs.any(|pair| matches!(pair, [line, next] if differ(line) && next.starts_with('{')))
}

/// A text that was escaped for HTML.
fn unescaped(text: &str) -> String {
    [
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (entity, char)| {
        text.replace(entity, char)
    })
}

/// Whether an object says nothing: it is empty, or holds nothing but dots.
fn is_blank_form(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.values().all(is_blank_form),
        Value::String(text) => is_ellipsis(text.trim_matches(['<', '>'])),
        _ => false,
    }
}

/// The whole value that stands at the beginning of a text, and where it ends.
pub(crate) fn json_at(text: &str) -> Option<(Value, usize)> {
    if let Some(found) = exact(text) {
        return Some(found);
    }
    let mut reader = Reader::new(text);
    let value = reader.value(Place::Whole, 0).ok()??;
    reader.cut.is_none().then_some((value, reader.at))
}

fn read_at(text: &str) -> Result<FoundJson<'_>, NoJson> {
    if let Some((value, end)) = exact(text) {
        return Ok(FoundJson {
            value,
            verbatim: text.get(..end),
            cut: None,
        });
    }
    let mut reader = Reader::new(text);
    let value = reader.value(Place::Whole, 0);
    let rest = text.get(reader.at..).unwrap_or_default();
    // If a quotation mark was taken for a part of a text, one behind the end makes it doubtful.
    let is_doubtful = reader.has_inner_quotes && rest.contains(|c| c != '`' && is_quote(c));
    match value {
        Ok(Some(value)) if !is_doubtful => Ok(FoundJson {
            value,
            verbatim: None,
            cut: reader.cut,
        }),
        _ => {
            let near = text.get(reader.at..).unwrap_or_default().trim_start();
            Err(NoJson::Broken(near.chars().take(SHOWN).collect()))
        }
    }
}

/// The text in which JSON was quoted once more, as a whole or without the marks around it.
fn quoted_json(text: &str) -> Option<String> {
    let begins = |text: &str| text.trim_start().starts_with(['{', '[']);
    if text.starts_with('"')
        && let Ok(inner) = serde_json::from_str::<String>(text)
    {
        return begins(&inner).then_some(inner);
    }
    let inside = text.strip_prefix(['{', '['])?;
    if inside.starts_with("\\n") {
        return Some(text.replace("\\n", "\n"));
    }
    if !inside.trim_start().starts_with("\\\"") {
        return None;
    }
    let mut inner = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => inner.extend(
                chars
                    .next()
                    .map(|char| if char == 'n' { '\n' } else { char }),
            ),
            char => inner.push(char),
        }
    }
    Some(inner)
}

/// Where JSON may begin, the likeliest place first.
fn starts(text: &str) -> impl Iterator<Item = usize> {
    let begins = |start: &usize| {
        let rest = text.get(*start..).unwrap_or_default();
        begins_object(rest) || begins_list(rest, *start == 0)
    };
    let whole = std::iter::once(0).filter(begins);
    let fences = text.match_indices("```").step_by(2).take(MAX_STARTS);
    let fenced = fences.filter_map(move |(fence, mark)| {
        let inside = text.get(fence + mark.len()..)?;
        let content = inside
            .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_')
            .trim_start_matches(is_blank);
        let start = text.len() - content.len();
        (begins_object(content) || begins_list(content, true)).then_some(start)
    });
    let brackets = text
        .char_indices()
        .filter(|(_, char)| matches!(narrow(*char), '{' | '['))
        .map(|(start, _)| start)
        .take(MAX_STARTS);
    whole
        .chain(fenced)
        .chain(brackets.filter(begins).filter(|start| *start > 0))
}

fn begins_object(text: &str) -> bool {
    let mut chars = text.chars();
    if chars.next().map(narrow) != Some('{') {
        return false;
    }
    let reader = Reader::new(chars.as_str());
    let rest = reader.after_blanks();
    match rest.chars().next().map(narrow) {
        None | Some('}') => true,
        Some(char) if is_quote(char) => true,
        Some(_) => begins_bare_key(rest),
    }
}

fn begins_list(text: &str, is_whole: bool) -> bool {
    let mut chars = text.chars();
    if chars.next().map(narrow) != Some('[') {
        return false;
    }
    let rest = Reader::new(chars.as_str()).after_blanks();
    match rest.chars().next().map(narrow) {
        Some('{') => begins_object(rest),
        Some(char) => is_whole && (is_quote(char) || char.is_ascii_digit() || "[]-".contains(char)),
        None => false,
    }
}

/// Whether a text begins with a key in quotation marks, and its colon.
fn begins_quoted_key(text: &str) -> bool {
    let mut chars = text.chars();
    let open = chars.next().filter(|char| is_quote(*char));
    let inside = open.and_then(|open| chars.as_str().split_once(closing(open)));
    inside.is_some_and(|(key, after)| {
        let is_key = key
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        is_key && after.trim_start_matches(is_blank).starts_with(is_colon)
    })
}

/// Whether a text begins with a key without quotation marks, and its colon.
fn begins_bare_key(text: &str) -> bool {
    let key = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | ' ')));
    let Some(key) = key.filter(|length| (1..=AHEAD).contains(length)) else {
        return false;
    };
    let after = text.get(key..).unwrap_or_default();
    let colon = after.strip_prefix('"').unwrap_or(after);
    colon.starts_with(is_colon) && !text.starts_with(' ')
}

fn is_quote(char: char) -> bool {
    !closing(char).is_empty()
}

/// The marks that may close a text which this one opens; none if it opens none.
fn closing(open: char) -> &'static [char] {
    match open {
        '"' | '＂' => &['"', '＂'],
        '“' | '”' | '„' => &['”', '“', '"'],
        '\'' | '＇' => &['\'', '＇'],
        '‘' | '’' => &['’', '‘', '\''],
        '`' => &['`'],
        '「' => &['」'],
        '『' => &['』'],
        '«' => &['»'],
        _ => &[],
    }
}

fn is_colon(char: char) -> bool {
    matches!(char, ':' | '：' | '=')
}

fn is_comma(char: char) -> bool {
    matches!(char, ',' | '，' | ';' | '；' | '、')
}

/// Adds a member. One that is said again with another value holds both, in a list, since either may
/// be meant.
fn add_member(members: &mut Map<String, Value>, name: String, value: Value) {
    match members.entry(name) {
        Entry::Vacant(entry) => {
            entry.insert(value);
        }
        Entry::Occupied(entry) if *entry.get() == value => {}
        Entry::Occupied(mut entry) => {
            let first = entry.get_mut().take();
            entry.insert(json!([first, value]));
        }
    }
}

/// The value at the beginning of a text that is right as it stands, and where it ends; `None` if a
/// member is said twice, so that [`add_member`] decides.
fn exact(text: &str) -> Option<(Value, usize)> {
    fn count(value: &Value) -> usize {
        match value {
            Value::Array(items) => items.len().max(1) + items.iter().map(count).sum::<usize>(),
            Value::Object(all) => all.len().max(1) + all.values().map(count).sum::<usize>(),
            _ => 0,
        }
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter();
    let value: Value = values.next()?.ok()?;
    let end = values.byte_offset();
    (count(&value) == count_values(text.get(..end)?.as_bytes())).then_some((value, end))
}

fn is_dot(char: char) -> bool {
    matches!(char, '.' | '…')
}

/// What a value belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Whole,
    Key,
    Member,
    Item,
}

/// Something has more than one meaning, or none.
struct Doubt;

struct Reader<'t> {
    text: &'t str,
    at: usize,
    cut: Option<Cut>,
    has_inner_quotes: bool,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            cut: None,
            has_inner_quotes: false,
        }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip(&mut self, char: char) {
        self.at += char.len_utf8();
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.after_blanks().len();
    }

    /// The rest after blanks and comments.
    fn after_blanks(&self) -> &'t str {
        let mut rest = self.rest();
        loop {
            rest = rest.trim_start_matches(is_blank);
            let end = match rest.get(..2) {
                Some("//") => rest.find('\n'),
                Some("/*") => rest.find("*/").map(|end| end + 2),
                _ if rest.starts_with('#') => rest.find('\n'),
                _ => return rest,
            };
            rest = end.and_then(|end| rest.get(end..)).unwrap_or_default();
        }
    }

    /// A value; `None` if the text ends before there is one.
    fn value(&mut self, place: Place, depth: usize) -> Result<Option<Value>, Doubt> {
        if depth >= MAX_DEPTH {
            return Err(Doubt);
        }
        self.skip_blanks();
        match self.peek() {
            None => {
                self.cut = Some(Cut::Elsewhere);
                Ok(None)
            }
            Some(char) if narrow(char) == '{' => {
                self.skip(char);
                self.object(depth).map(Some)
            }
            Some(char) if narrow(char) == '[' => {
                self.skip(char);
                self.list(depth).map(Some)
            }
            Some(char) if is_quote(char) => self.string(place).map(|text| Some(text.into())),
            Some(_) => self.word(place),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, Doubt> {
        let mut members = Map::new();
        while self.goes_on('}', depth) {
            let Some(key) = self.key()? else { break };
            self.skip_blanks();
            match self.peek() {
                Some(char) if is_colon(char) => self.skip(char),
                Some(_) => return Err(Doubt),
                None => {
                    self.cut = Some(Cut::Elsewhere);
                    break;
                }
            }
            if self.peek() == Some('>') {
                self.skip('>');
            }
            if let Some(value) = self.value(Place::Member, depth + 1)? {
                add_member(&mut members, key, value);
            }
            self.next_part(Place::Member)?;
        }
        Ok(Value::Object(members))
    }

    fn list(&mut self, depth: usize) -> Result<Value, Doubt> {
        let mut items = Vec::new();
        // A member's name shows that the bracket is missing.
        while self.goes_on(']', depth) && !(depth > 0 && begins_quoted_key(self.rest())) {
            items.extend(self.value(Place::Item, depth + 1)?);
            self.next_part(Place::Item)?;
        }
        Ok(Value::Array(items))
    }

    /// Whether an object or a list goes on. A bracket of what contains it ends it, too, and so does
    /// the end of the text.
    fn goes_on(&mut self, closes: char, depth: usize) -> bool {
        self.skip_blanks();
        match self.peek() {
            None => false,
            Some(char) if narrow(char) == closes => {
                self.skip(char);
                false
            }
            Some(char) => depth == 0 || !matches!(narrow(char), '}' | ']'),
        }
    }

    /// After a member or an item: a comma, the end, or another one without a comma between them.
    fn next_part(&mut self, place: Place) -> Result<(), Doubt> {
        self.skip_blanks();
        let mut is_divided = false;
        while let Some(comma) = self.peek().filter(|char| is_comma(*char)) {
            self.skip(comma);
            self.skip_blanks();
            is_divided = true;
            // Dots that stand for more.
            if self.rest().starts_with("...") || self.rest().starts_with('…') {
                self.at = self.text.len() - self.rest().trim_start_matches(is_dot).len();
                self.skip_blanks();
            }
        }
        match self.peek().map(narrow) {
            None => {
                if is_divided {
                    self.cut = Some(Cut::Elsewhere);
                }
                Ok(())
            }
            Some('}' | ']') => Ok(()),
            Some(_) if is_divided || self.begins_part(self.rest(), place) => Ok(()),
            Some(_) => Err(Doubt),
        }
    }

    fn key(&mut self) -> Result<Option<String>, Doubt> {
        match self.peek() {
            Some(char) if is_quote(char) => {
                let key = self.string(Place::Key)?;
                Ok(self.cut.is_none().then_some(key))
            }
            Some(_) if begins_bare_key(self.rest()) => {
                let key = self.rest().split(is_colon).next().unwrap_or_default();
                self.at += key.len();
                Ok(Some(key.trim_matches([' ', '"']).to_owned()))
            }
            Some(_) if self.rest().chars().all(|c| c.is_alphanumeric() || c == '_') => {
                self.at = self.text.len();
                self.cut = Some(Cut::Elsewhere);
                Ok(None)
            }
            _ => Err(Doubt),
        }
    }

    fn string(&mut self, place: Place) -> Result<String, Doubt> {
        const TRIPLE: &str = "\"\"\"";
        let open = self.peek().ok_or(Doubt)?;
        if let Some(rest) = self.rest().strip_prefix(TRIPLE)
            && let Some((text, _)) = rest.split_once(TRIPLE)
        {
            self.at += text.len() + 2 * TRIPLE.len();
            return Ok(text.trim().to_owned());
        }
        let closing = closing(open);
        self.skip(open);
        let mut text = String::new();
        loop {
            let Some(char) = self.peek() else {
                return Ok(self.cut_text(text));
            };
            self.skip(char);
            if closing.contains(&char) {
                if self.closes(place) {
                    return Ok(text);
                }
                if self.is_joined(open) {
                    continue;
                }
                self.has_inner_quotes = true;
                text.push(char);
            } else if char == '\\' {
                self.escape(&mut text);
            } else {
                text.push(char);
            }
        }
    }

    /// What is taken of a text that lacks its end.
    fn cut_text(&mut self, text: String) -> String {
        // Brackets show that only the quotation mark is missing.
        let closed = text.trim_end_matches(|c| is_blank(c) || matches!(c, '}' | ']'));
        if text
            .get(closed.len()..)
            .is_some_and(|end| end.contains('}'))
        {
            return closed.to_owned();
        }
        let once = looped(&text);
        let whole = whole_sentences(once.unwrap_or(&text));
        self.cut = Some(match (once, whole) {
            (Some(_), _) => Cut::Loop,
            (None, Some(_)) => Cut::Text,
            (None, None) => Cut::Elsewhere,
        });
        whole.or(once).map_or(text.clone(), str::to_owned)
    }

    /// Whether another part of a text is joined to the one that was just closed: `"a" + "b"`.
    fn is_joined(&mut self, open: char) -> bool {
        let next = self
            .after_blanks()
            .strip_prefix('+')
            .and_then(|rest| rest.trim_start_matches(is_blank).strip_prefix(open));
        if let Some(rest) = next {
            self.at = self.text.len() - rest.len();
        }
        next.is_some()
    }

    fn escape(&mut self, text: &mut String) {
        let Some(char) = self.peek() else {
            self.cut = Some(Cut::Elsewhere);
            return;
        };
        self.skip(char);
        text.push(match char {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => return self.code_point(text),
            char => char,
        });
    }

    /// What `\u` stands for: one or two escape sequences, of which the text may lack the end.
    fn code_point(&mut self, text: &mut String) {
        let rest = self.rest();
        let is_hex = |digits: &&str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let Some(first) = rest.get(..4).filter(is_hex) else {
            if rest.len() < 4 && is_hex(&rest) {
                self.at = self.text.len();
            } else {
                text.push_str("\\u");
            }
            return;
        };
        let pair = rest
            .get(4..6)
            .filter(|mark| *mark == "\\u")
            .and_then(|_| rest.get(6..10));
        let second = pair.filter(is_hex).unwrap_or_default();
        let unit = |digits: &str| u16::from_str_radix(digits, 16).ok();
        let read = |units: &[u16]| char::decode_utf16(units.iter().copied()).next()?.ok();
        let first = unit(first).unwrap_or_default();
        let (char, length) = match (read(&[first]), unit(second)) {
            (Some(char), _) => (char, 4),
            (None, Some(second)) if let Some(char) = read(&[first, second]) => (char, 10),
            (None, _) => (char::REPLACEMENT_CHARACTER, 4),
        };
        text.push(char);
        self.at += length;
    }

    /// Whether the quotation mark that was just read closes a text.
    fn closes(&self, place: Place) -> bool {
        let rest = self.rest();
        let ahead = rest
            .get(..rest.floor_char_boundary(AHEAD))
            .unwrap_or_default();
        let after = Reader::new(ahead).after_blanks();
        let Some(next) = after.chars().next() else {
            return true;
        };
        match (place, narrow(next)) {
            (Place::Key, _) => is_colon(next),
            (Place::Whole, _) => true,
            (Place::Member | Place::Item, '}' | ']') => true,
            (place, _) if is_comma(next) => {
                let after = after.trim_start_matches(|c| is_blank(c) || is_comma(c) || is_dot(c));
                let part = Reader::new(after).after_blanks();
                let ends = part.chars().next().map(narrow);
                ends.is_none_or(|char| matches!(char, '}' | ']')) || self.begins_part(part, place)
            }
            (place, _) => self.begins_part(after, place),
        }
    }

    /// Whether a text begins with another member or item.
    fn begins_part(&self, text: &str, place: Place) -> bool {
        let first = text.chars().next().unwrap_or(' ');
        if place == Place::Item {
            let is_value = matches!(narrow(first), '{' | '[' | '-') || first.is_ascii_digit();
            let word = text.split(|c: char| !c.is_ascii_alphabetic()).next();
            return is_quote(first) || is_value || word.is_some_and(is_literal);
        }
        let closing = closing(first);
        if closing.is_empty() {
            return begins_bare_key(text);
        }
        let after = text.get(first.len_utf8()..).unwrap_or_default();
        let inside = after
            .get(..after.floor_char_boundary(AHEAD))
            .unwrap_or_default();
        // Not at a mark within the key.
        let is_escaped = |at: usize| {
            let before = inside.get(..at).unwrap_or_default().bytes().rev();
            before.take_while(|byte| *byte == b'\\').count() % 2 == 1
        };
        let mut ends = inside.match_indices(closing);
        let end = ends.find(|(at, _)| !is_escaped(*at));
        let key =
            end.and_then(|(at, mark)| Some((inside.get(..at)?, inside.get(at + mark.len()..)?)));
        key.is_some_and(|(key, after)| {
            let after = after.trim_start_matches(is_blank);
            !key.contains('\n') && after.chars().next().is_some_and(is_colon)
        })
    }

    /// A value without quotation marks: a number, one of a few words, or a short text.
    fn word(&mut self, place: Place) -> Result<Option<Value>, Doubt> {
        let rest = self.rest();
        let is_end = |c: char| is_comma(c) || matches!(narrow(c), '}' | ']' | '\n');
        let end = rest.find(is_end).unwrap_or(rest.len());
        let line = rest.get(..end).unwrap_or_default();
        let comments = ["//", "/*", " #"].iter().filter_map(|mark| line.find(mark));
        let end = comments.min().unwrap_or(end);
        let word = rest.get(..end).unwrap_or_default().trim_matches(is_blank);
        let ends_text = end == rest.len();
        let is_known = known_word(word);
        self.at += end;
        if let Some(value) = is_known {
            // The text may end within a number.
            if ends_text && value.is_number() {
                self.cut = Some(Cut::Elsewhere);
            }
            return Ok(Some(value));
        }
        if ends_text {
            self.cut = Some(Cut::Elsewhere);
            return Ok(None);
        }
        let is_text = |c: char| !is_quote(c) && !is_colon(c) && !"{[<>\\".contains(narrow(c));
        let is_short = word.chars().count() <= MAX_BARE;
        let is_said = word.chars().any(char::is_alphanumeric) && word.chars().all(is_text);
        if is_short && is_said && (place == Place::Item || self.closes(place)) {
            Ok(Some(word.into()))
        } else {
            self.at -= end;
            Err(Doubt)
        }
    }
}

/// Whether a word stands for a value in some language.
fn is_literal(word: &str) -> bool {
    word.len() > 2 && known_word(word).is_some()
}

/// The value of a word: also of Python's and JavaScript's, and of numbers with a sign or without a
/// digit on one side of the point.
fn known_word(word: &str) -> Option<Value> {
    match word.to_ascii_lowercase().as_str() {
        "true" => return Some(true.into()),
        "false" => return Some(false.into()),
        "null" | "none" | "nil" | "undefined" | "nan" => return Some(Value::Null),
        _ => {}
    }
    let narrowed: String = word.chars().map(narrow).collect();
    let unsigned = narrowed.trim_start_matches(['+', '-']);
    if unsigned.len() + 1 < narrowed.len()
        || !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
    {
        return None;
    }
    let sign = if narrowed.starts_with('-') { "-" } else { "" };
    let before = if unsigned.starts_with('.') { "0" } else { "" };
    let after = if unsigned.ends_with('.') { "0" } else { "" };
    let number = format!("{sign}{before}{unsigned}{after}");
    number.parse::<Number>().ok().map(Value::Number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::testing::each_row;

    fn value(text: &str) -> Result<Value, NoJson> {
        let found = find_json(text)?;
        if found.cut.is_some() {
            return Err(NoJson::Broken("cut".into()));
        }
        Ok(found.value)
    }

    #[test]
    fn a_text_that_lacks_its_end_is_taken_as_far_as_it_says_something() {
        let waits = |reason: &str| json!({"mind": "m", "wait": {"reason": reason}});
        for (reason, taken, cut) in [
            (
                &*format!("我等你。{}", "我爱你，".repeat(30)),
                "我等你。",
                Cut::Loop,
            ),
            (&*"and the rope ".repeat(9), "and the rope ", Cut::Loop),
            ("It is late. I go ho", "It is late.", Cut::Text),
            ("It is la", "It is la", Cut::Elsewhere),
        ] {
            let text = format!(r#"{{"mind": "m", "wait": {{"reason": "{reason}"#);
            let found = find_json(&text).unwrap();
            assert_eq!((found.value, found.cut), (waits(taken), Some(cut)));
        }
    }

    #[test]
    fn what_is_quoted_again_and_again_ends() {
        for text in [
            ">".repeat(100_000),
            "> ".repeat(100_000),
            format!("&{}quot;:", "amp;".repeat(50_000)),
        ] {
            assert!(find_json(&text).is_err());
        }
    }

    #[test]
    fn of_several_drafts_none_is_the_answer() {
        for text in [
            "Option 1:\n{\"a\": 1}\nOption 2:\n{\"a\": 2}",
            "**Draft A**\n```json\n{\"a\": 1}\n```\n**Draft B**\n```json\n{\"a\": 2}\n```\nWhich?",
            "方案一：\n{\"a\": 1}\n\n方案二：\n{\"a\": 2}",
        ] {
            assert_eq!(value(text), Err(NoJson::Drafts), "{text}");
        }
        let next_turn = "Turn 1:\n{\"a\": 1}\nOdile waits.\n{\"a\": 2}";
        assert_eq!(value(next_turn), Ok(json!({"a": 1})));
    }

    #[test]
    fn what_is_said_twice_and_differs_is_both() {
        let both = json!({"option": ["go", "stay"], "mind": "Well."});
        for text in [
            r#"{"option": "go", "mind": "Well.", "option": "stay"}"#,
            r#"{'option': 'go', 'mind': 'Well.', 'option': 'stay'}"#,
        ] {
            assert_eq!(value(text), Ok(both.clone()), "{text}");
        }
    }

    #[test]
    fn json_is_read_in_all_shapes_that_mean_one_thing() {
        let wanted = json!({"mind": "I can't.", "option": "take"});
        for text in [
            r#" {"mind": "I can't.", "option": "take"} "#,
            "\u{feff}{\"mind\": \"I can't.\", \"option\": \"take\"}",
            "```json\n{\"mind\": \"I can't.\", \"option\": \"take\"}\n```",
            "```\n{\"mind\": \"I can't.\", \"option\": \"take\"}\n```",
            "Of course! My answer:\n\n```json\n{\"mind\": \"I can't.\", \"option\": \"take\"}\n```\n\nShall I say more?",
            "I think {so}, and [this]: {\"mind\": \"I can't.\", \"option\": \"take\"}. It's all I have.",
            "Tells: []. {\"mind\": \"I can't.\", \"option\": \"take\"}",
            "[Thinking] {\"mind\": \"I can't.\", \"option\": \"take\"}",
            "**Answer:** {\"mind\": \"I can't.\", \"option\": \"take\"}",
            "\\boxed{{\"mind\": \"I can't.\", \"option\": \"take\"}}",
            "{\"mind\": \"I can't.\", \"option\": \"take\"}\n{\"mind\": \"Or not.\", \"option\": \"leave\"}",
            "{\"mind\": \"I can't.\", \"option\": \"take\"}}",
            r#"{"mind": "I can't.", "option": "take",}"#,
            r#"{"mind": "I can't.", "option": "take}"#,
            r#"{"mind": "I can't.", "option": "take" , , }"#,
            "{\n  // what I do\n  \"mind\": \"I can't.\", # so\n /* and */ \"option\": \"take\"}",
            r#"{'mind': "I can't.", 'option': 'take'}"#,
            r#"{'mind': 'I can't.', 'option': 'take'}"#,
            r#"{'mind': 'I can\'t.', 'option': 'take'}"#,
            r#"{mind: "I can't.", option: "take"}"#,
            r#"{mind: "I can't.", "option": take}"#,
            r#"{`mind`: `I can't.`, `option`: `take`}"#,
            r#"{“mind”: “I can't.”, “option”: “take”}"#,
            r#"{‘mind’: “I can't.”, ‘option’: ‘take’}"#,
            r#"{"mind"："I can't."，"option"："take"}"#,
            r#"｛"mind"："I can't."，"option"："take"｝"#,
            r#"{＂mind＂：＂I can't.＂，＂option＂：＂take＂}"#,
            r#"{「mind」：「I can't.」、「option」：「take」}"#,
            "{\u{a0}\"mind\":\u{a0}\"I can't.\",\u{3000}\"option\":\u{200b}\"take\"\u{a0}}",
            r#"{"mind": "I can't.", "option": "take""#,
            r#"{"mind": "I can't." "option": "take"}"#,
            "{\"mind\": \"I can't.\"\n\"option\": \"take\"}",
            r#"{"mind": "I can't."; "option": "take"}"#,
            r#"{"mind" = "I can't.", "option" => "take"}"#,
            r#"{\"mind\": \"I can't.\", \"option\": \"take\"}"#,
            r#""{\"mind\": \"I can't.\", \"option\": \"take\"}""#,
            "```json5\n{mind: 'I can\\'t.', option: 'take',}\n```",
            "<answer>{\"mind\": \"I can't.\", \"option\": \"take\"}</answer>",
            r#""mind": "I can't.", "option": "take"}"#,
            r#"{"mind": "I can't.", option": "take"}"#,
            r#"{"mind": """I can't.""", "option": "take"}"#,
            r#"{"mind": "I " + "can't.", "option": "take"}"#,
            r#"{"mind": "I can't.", "option": "take", "option": "take"}"#,
            r#"The form is {"mind": "...", "option": "..."}: {"mind": "I can't.", "option": "take"}"#,
            "> {\"mind\": \"I can't.\",\n> \"option\": \"take\"}",
            r#"{\n  "mind": "I can't.",\n  "option": "take"\n}"#,
            r#"{"mind": "I can't.", ..., "option": "take"}"#,
            "{&quot;mind&quot;: &quot;I can&#39;t.&quot;, &quot;option&quot;: &quot;take&quot;}",
        ] {
            assert_eq!(value(text), Ok(wanted.clone()), "{text}");
        }
    }

    #[test]
    fn texts_and_words_are_read_as_they_were_meant() {
        each_row(
            r#"
                {"a": "He said "no", and left.", "b": 1} => {"a": "He said \"no\", and left.", "b": 1}
                {"a": "She said: "Go!""} => {"a": "She said: \"Go!\""}
                {“a”：“他说“好”，走了。”，“b”：2} => {"a": "他说“好”，走了。", "b": 2}
                {"a": "it\'s \_so\_", "b": "\u00e9\ud83d\ude00"} => {"a": "it's _so_", "b": "é😀"}
                {"a": True, "b": False, "c": None, "d": NaN, "e": undefined,} => {"a": true, "b": false, "c": null, "d": null, "e": null}
                {"a": +1, "b": -2, "c": .5, "d": 3., "e": １２,} => {"a": 1, "b": -2, "c": 0.5, "d": 3.0, "e": 12}
                {action: play, skill: Bone Saw, targets: [Hound, Widow]} => {"action": "play", "skill": "Bone Saw", "targets": ["Hound", "Widow"]}
                {"a": ['x', "y", 'it's',], } => {"a": ["x", "y", "it's"]}
                {"a": [{"b": 1}, {"b": 2} => {"a": [{"b": 1}, {"b": 2}]}
                {"a": [{"b": "x"}, {"b": "y"}, "c": 3} => {"a": [{"b": "x"}, {"b": "y"}], "c": 3}
                {"a": {"b": ["x", "y"}, "c": "z"} => {"a": {"b": ["x", "y"]}, "c": "z"}
                [{"a": 1,}] => [{"a": 1}]
                ["take"] => ["take"]
                {"say": "use // and # and /* as you like",} => {"say": "use // and # and /* as you like"}
                {"say": "see https://example.org/x",} => {"say": "see https://example.org/x"}
        "#,
            |[text, wanted]| {
                let wanted: Value = serde_json::from_str(wanted).unwrap();
                assert_eq!(value(text), Ok(wanted));
            },
        );
        let lines = value("{\"a\": \"one\ntwo\tthree\"}");
        assert_eq!(lines, Ok(json!({"a": "one\ntwo\tthree"})));
    }

    #[test]
    fn what_is_doubtful_is_not_read() {
        for (text, why) in [
            ("", NoJson::Nothing),
            (" \n\u{200b}", NoJson::Nothing),
            ("no json {here", NoJson::Prose),
            ("I take the coins. {smiles}", NoJson::Prose),
            ("3", NoJson::Prose),
            (r#"{"vote": 3"#, NoJson::Broken("cut".into())),
            (r#"{"a": "b"#, NoJson::Broken("cut".into())),
            (r#"{"a": "b", "#, NoJson::Broken("cut".into())),
            (r#"{"a": "b", "c"#, NoJson::Broken("cut".into())),
            (r#"{"a": "b", "c":"#, NoJson::Broken("cut".into())),
            (
                r#"{"speak": Hello there, friend}"#,
                NoJson::Broken("Hello there, friend}".into()),
            ),
            (r#"{"a": 1]"#, NoJson::Broken("]".into())),
            (r#"{"a": 1, hello}"#, NoJson::Broken("hello}".into())),
            // No other object is looked for within one that has begun.
            (
                r#"{"a": ?, "b": {"c": 1}}"#,
                NoJson::Broken("?, \"b\": {\"c\": 1}}".into()),
            ),
        ] {
            let read = value(text);
            match (&read, &why) {
                (Err(NoJson::Broken(_)), NoJson::Broken(_)) => {}
                _ => assert_eq!(read, Err(why), "{text}"),
            }
        }
        let doubtful = r#"{"a": "b "c"} d", "e": 1}"#;
        assert!(
            matches!(value(doubtful), Err(NoJson::Broken(_))),
            "{:?}",
            value(doubtful)
        );
    }

    #[test]
    fn right_json_stays_as_it_stands() {
        let found = find_json("So: {\"a\":  1}, I say.").unwrap();
        assert_eq!(found.verbatim, Some("{\"a\":  1}"));
        assert_eq!(find_json("{'a': 1}").unwrap().verbatim, None);
    }

    #[test]
    fn hostile_texts_are_read_to_their_end() {
        for hostile in [
            "[", "{", "{\"a\":", "[{", "\"", "{\"a\": \"\"", "{'a': '", "'", "{a:", "//", "{/*",
            "`", "```{", "{\"a\":\" \" ", "“", "\\\"", "{ ",
        ] {
            let text = hostile.repeat(100_000 / hostile.len());
            let _ = find_json(&text);
            let _ = find_json(&format!("{{\"a\": {text}"));
            let _ = find_json(&format!("{{\"a\": '{text}"));
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a\"'\\\\城“”\n{}\\[\\],:， ]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-c]{1,3}", inner, 1..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn right_json_is_read_like_by_any_reader(members in prop::collection::btree_map("[a-c]{1,3}", any_json(), 1..5)) {
            let json = json!(members);
            prop_assert_eq!(value(&json.to_string()), Ok(json.clone()));
            // And patiently, too.
            let mut reader = Reader::new("");
            let text = json.to_string();
            reader.text = &text;
            let read = reader.value(Place::Whole, 0).ok().flatten();
            prop_assert_eq!(read, Some(json));
        }

        #[test]
        fn a_trailing_comma_and_a_comment_change_nothing(members in prop::collection::btree_map("[a-c]{1,3}", "[a-z城“” ,:{}]{0,12}", 1..5)) {
            let json = json!(members);
            let text = json.to_string();
            let text = format!("{{ // why\n{},}}", &text[1..text.len() - 1]);
            prop_assert_eq!(value(&text), Ok(json));
        }

        #[test]
        fn any_text_can_be_searched(text in "[{}\\[\\]\"',:：，“”\\\\a1\n /#*-]{0,60}") {
            let _ = find_json(&text);
            let _ = json_at(&text);
        }
    }
}
