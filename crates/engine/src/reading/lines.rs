//! An answer as lines of `member: value`, nested by indentation.

use serde_json::{Map, Value};

use super::json::json_at;
use super::text::is_blank;

const MAX_LINES: usize = 64;
/// How deep tags may be nested.
const MAX_DEPTH: usize = 8;

/// The object that a text says line by line. Each line must be a member; `is_member` knows those
/// of the outermost lines, so that prose with a colon is none.
pub(crate) fn members_in(text: &str, is_member: impl Fn(&str) -> bool) -> Option<Value> {
    if let Some(members) = elements_of(text.trim_matches(is_blank), 0) {
        let is_known = members.keys().any(|name| is_member(name));
        let inner = members
            .values()
            .next()
            .filter(|_| members.len() == 1)
            .cloned();
        let whole = if is_known {
            Some(members.into())
        } else {
            inner
        };
        return whole.filter(Value::is_object);
    }
    let lines = text
        .lines()
        .filter(|line| !line.trim_matches(is_blank).is_empty())
        .filter(|line| !matches!(line.trim(), "---" | "..."));
    let texts: Vec<_> = lines.take(MAX_LINES + 1).collect();
    let is_table = texts.iter().all(|line| line.trim().starts_with('|'));
    // A table has a heading and a rule.
    let lines = lines_of(texts.into_iter().skip(if is_table { 2 } else { 0 }))?;
    let outer = lines.iter().filter(|line| line.indent == 0);
    let mut names: Vec<_> = outer.map(|line| line.name).collect();
    let are_known = names.iter().all(|name| is_member(name));
    names.sort_unstable();
    names.dedup();
    let is_plain = lines.first()?.indent == 0 && lines.len() <= MAX_LINES && are_known;
    let count = lines.iter().filter(|line| line.indent == 0).count();
    (is_plain && names.len() == count).then(|| object_of(&lines))
}

/// The members that a text says in tags, `<name>…</name>`, and nothing else.
fn elements_of(text: &str, depth: usize) -> Option<Map<String, Value>> {
    let mut rest = text;
    let mut members = Map::new();
    while !rest.is_empty() {
        let (name, inside) = rest.strip_prefix('<')?.split_once('>')?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let end = format!("</{name}>");
        let (inside, after) = inside.split_once(&end).filter(|_| is_name)?;
        let inside = inside.trim_matches(is_blank);
        // Recursive: elements hold elements, to a depth.
        let inner = (depth < MAX_DEPTH)
            .then(|| elements_of(inside, depth + 1))
            .flatten();
        let inner = inner.filter(|inner| !inner.is_empty());
        members.insert(
            name.to_owned(),
            inner.map_or_else(|| inside.into(), Value::Object),
        );
        rest = after.trim_matches(is_blank);
    }
    Some(members)
}

/// A line with a member, and the items that are listed below it.
struct Line<'t> {
    indent: usize,
    name: &'t str,
    value: &'t str,
    items: Vec<&'t str>,
}

/// The members that lines say; `None` if one of them says none, nor an item of the last one's list.
fn lines_of<'t>(texts: impl Iterator<Item = &'t str>) -> Option<Vec<Line<'t>>> {
    let mut lines: Vec<Line> = Vec::new();
    for text in texts {
        let listing = lines.last_mut().filter(|line| line.value.is_empty());
        match (Line::of(text), listing, list_item(text)) {
            (None, Some(line), Some(item)) => line.items.push(item),
            (Some(_), Some(line), Some(item)) if !line.items.is_empty() => line.items.push(item),
            (line, ..) => lines.push(line?),
        }
    }
    Some(lines)
}

/// An item of a list, behind its mark: `- …`, `2. …`.
pub(super) fn list_item(line: &str) -> Option<&str> {
    let line = line.trim_matches(is_blank);
    let bullet = ["- ", "* ", "• "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let item = rest.strip_prefix(['.', ')', '、', '．'])?;
        (rest.len() < line.len()).then_some(item)
    };
    bullet.or_else(numbered).map(str::trim)
}

impl<'t> Line<'t> {
    fn of(line: &'t str) -> Option<Self> {
        let begun = line.trim_start_matches(is_blank);
        let indent = line.len() - begun.len();
        let bullet = begun.strip_prefix("- ").or(begun.strip_prefix("* "));
        let line = bullet.unwrap_or(begun);
        let cells = line
            .trim()
            .strip_prefix('|')
            .and_then(|row| row.strip_suffix('|'));
        let (name, value) = match cells {
            Some(cells) => cells.split_once('|')?,
            None => line
                .split_once([':', '：'])
                .into_iter()
                .chain(line.split_once(" = "))
                .min_by_key(|(name, _)| name.len())?,
        };
        let is_around = |c: char| is_blank(c) || "*_`\"'“”".contains(c);
        let name = name.trim_matches(is_around);
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ');
        let value = value.trim_start_matches("**").trim_matches(is_blank);
        let is_named = !name.is_empty() && name.len() <= 40 && name.chars().all(is_name);
        is_named.then_some(Self {
            indent,
            name,
            value,
            items: Vec::new(),
        })
    }
}

fn object_of(lines: &[Line]) -> Value {
    let mut members = Map::new();
    let mut rest = lines;
    while let Some((line, after)) = rest.split_first() {
        let inner = after
            .iter()
            .take_while(|inner| inner.indent > line.indent)
            .count();
        let (inner, after) = after.split_at(inner);
        let value = if !line.items.is_empty() {
            line.items.clone().into()
        } else if line.value.is_empty() && !inner.is_empty() {
            object_of(inner)
        } else {
            value_of(line.value)
        };
        members.insert(line.name.to_owned(), value);
        rest = after;
    }
    Value::Object(members)
}

/// A value: JSON, or a text as it stands there.
fn value_of(text: &str) -> Value {
    let is_json = text.starts_with(['{', '[', '"', '\'']) || text.parse::<f64>().is_ok();
    let json = is_json
        .then(|| json_at(text))
        .flatten()
        .filter(|(_, end)| text.len() == *end);
    json.map_or_else(|| text.into(), |(value, _)| value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_stand_in_lines_or_in_tags() {
        let wanted = json!({"mind": "So.", "speak": {"text": "Hi."}});
        let is_member = |name: &str| ["mind", "speak"].contains(&name);
        for text in [
            "mind: So.\nspeak:\n  text: Hi.",
            "mind = \"So.\"\nspeak:\n  text: Hi.",
            "| Field | Value |\n|---|---|\n| mind | So. |\n| speak | {\"text\": \"Hi.\"} |",
            "<mind>So.</mind>\n<speak><text>Hi.</text></speak>",
            "<plan>\n  <mind>So.</mind>\n  <speak>\n    <text>Hi.</text>\n  </speak>\n</plan>",
        ] {
            assert_eq!(members_in(text, is_member), Some(wanted.clone()), "{text}");
        }
        assert_eq!(
            members_in("mind: So.\nspeak:\n- Hi.\n- Go.", is_member),
            Some(json!({"mind": "So.", "speak": ["Hi.", "Go."]}))
        );
        for text in ["", "<b>Go</b> now.", "<b>Go.</b>", "Mira: Go."] {
            assert_eq!(members_in(text, is_member), None, "{text}");
        }
    }
}
