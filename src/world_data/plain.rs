//! The short cut for templates that use only the plainest part of their language: values, texts with something
//! replaced, lists joined by a sign, conditions and loops. Nearly all prompts do, and are filled several times
//! as fast.

use std::fmt::Write as _;

use serde_json::Value;

/// A template of the plainest kind.
#[derive(Clone, Debug)]
pub(super) struct Plain {
    pieces: Vec<Piece>,
    /// How long texts are, about: as long as the template, in bytes.
    length: usize,
}

#[derive(Clone, Debug)]
enum Piece {
    Words(String),
    Value(Path),
    /// A text with each of these replaced by what stands beside it, one after the other.
    Replaced(Path, Vec<(String, String)>),
    /// A list of texts with a sign between them.
    Joined(Path, String),
    Choice(Condition, Vec<Piece>, Vec<Piece>),
    Each {
        name: String,
        list: Path,
        pieces: Vec<Piece>,
        /// Where the list is empty.
        otherwise: Vec<Piece>,
    },
}

/// A variable, and the names of what is meant in it.
#[derive(Clone, Debug)]
struct Path {
    variable: String,
    within: Vec<String>,
}

#[derive(Clone, Debug)]
enum Condition {
    Holds(Path),
    HoldsNot(Path),
    Is(Path, Value),
    /// Whether the innermost loop is at its last value, or is not.
    IsLast(bool),
}

impl Plain {
    /// The template of this text, if it is of the plainest kind.
    pub(super) fn of(text: &str) -> Option<Self> {
        if text.contains("{#") || text.contains('\r') {
            return None;
        }
        // One line end at the end of a template is no part of it.
        let text = text.strip_suffix('\n').unwrap_or(text);
        let length = text.len();
        let (pieces, end) = Parser::new(text).pieces()?;
        matches!(end, End::OfText).then_some(Self { pieces, length })
    }

    /// The template filled from an object. Values of other kinds than usual, and what is wrong, are left to
    /// the engine of templates.
    pub(super) fn fill(&self, data: &Value) -> Option<String> {
        let mut text = String::with_capacity(self.length);
        let scope = Scope { data, inner: None };
        scope.fill(&self.pieces, &mut text)?;
        Some(text)
    }
}

// --- reading ---

struct Parser<'t> {
    text: &'t str,
    at: usize,
    /// In how many conditions and loops it stands.
    depth: usize,
}

/// Templates with conditions and loops deeper in each other are not plain.
const DEEPEST: usize = 32;

/// What ends a row of pieces.
enum End<'t> {
    OfText,
    /// The words of a tag that opens nothing.
    Tag(&'t str),
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
        }
    }

    fn pieces(&mut self) -> Option<(Vec<Piece>, End<'t>)> {
        let mut pieces = Vec::new();
        loop {
            let text = self.text;
            let rest = &text[self.at..];
            let opening = rest.match_indices('{').map(|(at, _)| self.at + at);
            let mut opening = opening.filter(|at| text[at + 1..].starts_with(['{', '%']));
            let Some(open) = opening.next() else {
                pieces.push(Piece::Words(rest.to_owned()));
                self.at = text.len();
                return Some((pieces, End::OfText));
            };
            let words = &text[self.at..open];
            let is_value = text[open + 1..].starts_with('{');
            let inside = &text[open + 2..];
            if is_value {
                let (inside, _) = inside.split_once("}}")?;
                self.at = open + 2 + inside.len() + 2;
                pieces.push(Piece::Words(words.to_owned()));
                pieces.push(value(inside)?);
                continue;
            }
            let (inside, behind) = inside.split_once("%}")?;
            self.at = open + 2 + inside.len() + 2;
            // A tag on a line of its own leaves no line behind.
            self.at += usize::from(behind.starts_with('\n'));
            let before = text[..open].trim_end_matches(|c: char| c != '\n' && c.is_whitespace());
            let indent = match before.is_empty() || before.ends_with('\n') {
                true => open - before.len(),
                false => 0,
            };
            let words = words.get(..words.len().saturating_sub(indent));
            pieces.push(Piece::Words(words.unwrap_or_default().to_owned()));
            let tag = inside.trim_matches(' ');
            let opened = match (tag.strip_prefix("if "), tag.strip_prefix("for ")) {
                (Some(condition), _) => self.within(|parser| parser.choice(condition)),
                (_, Some(head)) => self.within(|parser| parser.each(head)),
                (None, None) => return Some((pieces, End::Tag(tag))),
            };
            pieces.push(opened?);
        }
    }

    fn within(&mut self, read: impl FnOnce(&mut Self) -> Option<Piece>) -> Option<Piece> {
        if self.depth == DEEPEST {
            return None;
        }
        self.depth += 1;
        let piece = read(self);
        self.depth -= 1;
        piece
    }

    fn choice(&mut self, condition: &str) -> Option<Piece> {
        let condition = read_condition(condition)?;
        let (then, end) = self.pieces()?;
        let End::Tag(tag) = end else { return None };
        let otherwise = match tag {
            "endif" => Vec::new(),
            "else" => match self.pieces()? {
                (otherwise, End::Tag("endif")) => otherwise,
                _ => return None,
            },
            _ => {
                let condition = tag.strip_prefix("elif ")?;
                vec![self.within(|parser| parser.choice(condition))?]
            }
        };
        Some(Piece::Choice(condition, then, otherwise))
    }

    fn each(&mut self, head: &str) -> Option<Piece> {
        let (name, list) = head.split_once(" in ")?;
        let (name, list) = (read_name(name)?, read_path(list)?);
        let (pieces, end) = self.pieces()?;
        let otherwise = match end {
            End::Tag("endfor") => Vec::new(),
            End::Tag("else") => match self.pieces()? {
                (otherwise, End::Tag("endfor")) => otherwise,
                _ => return None,
            },
            _ => return None,
        };
        Some(Piece::Each {
            name,
            list,
            pieces,
            otherwise,
        })
    }
}

fn value(inside: &str) -> Option<Piece> {
    let Some((path, filter)) = inside.split_once('|') else {
        return Some(Piece::Value(read_path(inside)?));
    };
    let path = read_path(path)?;
    if let Some(sign) = call_of("join", filter) {
        return Some(Piece::Joined(path, read_text(sign)?));
    }
    let read_pair = |filter| {
        let (from, to) = call_of("replace", filter)?.split_once(',')?;
        let from = read_text(from.trim_matches(' '))?;
        let to = read_text(to.trim_matches(' '))?;
        (!from.is_empty()).then_some((from, to))
    };
    let pairs: Option<_> = filter.split('|').map(read_pair).collect();
    Some(Piece::Replaced(path, pairs?))
}

/// What stands in the parentheses of a filter of this name.
fn call_of<'t>(name: &str, filter: &'t str) -> Option<&'t str> {
    let inside = filter.trim_matches(' ').strip_prefix(name)?;
    inside.strip_prefix('(')?.strip_suffix(')')
}

fn read_condition(text: &str) -> Option<Condition> {
    let text = text.trim_matches(' ');
    if let Some((path, other)) = text.split_once("==") {
        let other = other.trim_matches(' ');
        let is_number = !other.is_empty() && other.bytes().all(|byte| byte.is_ascii_digit());
        let other = match is_number {
            true => Value::from(other.parse::<u32>().ok()?),
            false => Value::from(read_text(other)?),
        };
        return Some(Condition::Is(read_path(path)?, other));
    }
    const LAST: &str = "loop.last";
    Some(match text.strip_prefix("not ") {
        Some(LAST) => Condition::IsLast(false),
        Some(path) => Condition::HoldsNot(read_path(path)?),
        None if text == LAST => Condition::IsLast(true),
        None => Condition::Holds(read_path(text)?),
    })
}

fn read_path(text: &str) -> Option<Path> {
    let mut names = text.trim_matches(' ').split('.').map(read_name);
    Some(Path {
        variable: names.next()??,
        within: names.collect::<Option<_>>()?,
    })
}

/// A name that means nothing to the language itself.
fn read_name(text: &str) -> Option<String> {
    const WORDS: [&str; 13] = [
        "true", "false", "none", "not", "and", "or", "in", "is", "if", "else", "loop", "self",
        "super",
    ];
    let name = text.trim_matches(' ');
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_word = WORDS.contains(&&*name.to_ascii_lowercase());
    (is_name && !is_word).then(|| name.to_owned())
}

/// A text in quotes in which nothing is escaped.
fn read_text(text: &str) -> Option<String> {
    let inside = text.strip_prefix('"')?.strip_suffix('"')?;
    (!inside.contains(['"', '\\'])).then(|| inside.to_owned())
}

// --- filling ---

/// The values that names mean: those of the loops one stands in before those of the template.
struct Scope<'s> {
    data: &'s Value,
    inner: Option<Turn<'s>>,
}

/// One turn of a loop.
struct Turn<'s> {
    name: &'s str,
    value: &'s Value,
    is_last: bool,
    outer: &'s Scope<'s>,
}

impl<'s> Scope<'s> {
    fn fill(&self, pieces: &[Piece], text: &mut String) -> Option<()> {
        for piece in pieces {
            match piece {
                Piece::Words(words) => text.push_str(words),
                Piece::Value(path) => match self.find(path)? {
                    Value::String(value) => text.push_str(value),
                    Value::Number(number) if !number.is_f64() => write!(text, "{number}").ok()?,
                    _ => return None,
                },
                Piece::Replaced(path, pairs) => {
                    let mut value = self.find(path)?.as_str()?.to_owned();
                    for (from, to) in pairs {
                        value = value.replace(from, to);
                    }
                    text.push_str(&value);
                }
                Piece::Joined(path, sign) => {
                    for (at, value) in self.find(path)?.as_array()?.iter().enumerate() {
                        text.push_str(if at == 0 { "" } else { sign });
                        text.push_str(value.as_str()?);
                    }
                }
                Piece::Choice(condition, then, otherwise) => match self.holds(condition)? {
                    true => self.fill(then, text)?,
                    false => self.fill(otherwise, text)?,
                },
                Piece::Each {
                    name,
                    list,
                    pieces,
                    otherwise,
                } => {
                    let list = self.find(list)?.as_array()?;
                    if list.is_empty() {
                        self.fill(otherwise, text)?;
                    }
                    for (at, value) in list.iter().enumerate() {
                        let turn = Turn {
                            name,
                            value,
                            is_last: at + 1 == list.len(),
                            outer: self,
                        };
                        let scope = Scope {
                            data: self.data,
                            inner: Some(turn),
                        };
                        scope.fill(pieces, text)?;
                    }
                }
            }
        }
        Some(())
    }

    fn find(&self, path: &Path) -> Option<&'s Value> {
        let mut value = self.variable(&path.variable)?;
        for name in &path.within {
            value = value.get(name)?;
        }
        Some(value)
    }

    fn variable(&self, name: &str) -> Option<&'s Value> {
        match &self.inner {
            Some(turn) if turn.name == name => Some(turn.value),
            Some(turn) => turn.outer.variable(name),
            None => self.data.get(name),
        }
    }

    fn holds(&self, condition: &Condition) -> Option<bool> {
        Some(match condition {
            Condition::Holds(path) => is_true(self.find(path)?)?,
            Condition::HoldsNot(path) => !is_true(self.find(path)?)?,
            Condition::IsLast(wanted) => self.inner.as_ref()?.is_last == *wanted,
            Condition::Is(path, other) => match (self.find(path)?, other) {
                (Value::String(value), Value::String(other)) => value == other,
                (Value::Number(value), Value::Number(other)) if !value.is_f64() => value == other,
                _ => return None,
            },
        })
    }
}

/// Whether a value counts as true.
fn is_true(value: &Value) -> Option<bool> {
    match value {
        Value::Null => Some(false),
        Value::Bool(is) => Some(*is),
        Value::Number(number) if number.is_f64() => None,
        Value::Number(number) => Some(number.as_u64() != Some(0)),
        Value::String(text) => Some(!text.is_empty()),
        Value::Array(list) => Some(!list.is_empty()),
        Value::Object(object) => Some(!object.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::world_data::Templates;

    #[test]
    fn only_the_plainest_templates_are_plain() {
        for text in [
            "",
            "It rains.",
            "{{ a }} says: “{{b_2}}”\n",
            "{{ a.b }}",
            "{{ a | join(\", \") }}",
            "{{ a | replace(\"b\", \"\") | replace(\"c\",\"d\") }}",
            "{% if a %}x{% endif %}",
            "{% if not a.b %}x{% else %}y{% endif %}",
            "{% if a == 1 %}x{% elif a == \"b\" %}y{% endif %}",
            "{% for a in b.c %}{{ a }}{% endfor %}",
            "{% for a in b %}x{% if not loop.last %}, {% endif %}{% else %}y{% endfor %}",
        ] {
            assert!(Plain::of(text).is_some(), "{text}");
        }
        for text in [
            "{{- a }}",
            "{{ a }",
            "{{ a | upper }}",
            "{{ true }}",
            "{{ \"}}\" }}",
            "{{ a | join(\"\\n\") }}",
            "{{ a | replace(\"\", \"x\") }}",
            "{{ a | replace(\"b\", \"c\") | upper }}",
            "{% if a %}x",
            "{% if a and b %}x{% endif %}",
            "{% if a > 1 %}x{% endif %}",
            "{% for a in b %}{{ loop.index }}{% endfor %}",
            "{% for a in b %}{% if loop.first %}x{% endif %}{% endfor %}",
            "{%- if a %}x{% endif %}",
            "{% endif %}",
            "{# no #}x",
        ] {
            assert!(Plain::of(text).is_none(), "{text}");
        }
        for (opened, closed) in [("{% if a %}", "{% endif %}"), ("{% elif a %}", "")] {
            let nested = |times| {
                let inside = [opened.repeat(times), closed.repeat(times)].concat();
                Plain::of(&format!("{{% if a %}}{inside}{{% endif %}}")).is_some()
            };
            assert!(nested(DEEPEST - 1) && !nested(DEEPEST) && !nested(100_000));
        }
    }

    /// A piece of a template; those with others in them are open and closed as often as not.
    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "{{ a }}",
            "{{b}}",
            "{{ c }}",
            "{{ d }}",
            "{{ e }}",
            "{{ o.x }}",
            "{{ l | join(\", \") }}",
            "{{ a | replace(\"x\", \"雨\") | replace(\"雨\", \"\") }}",
            "{{ c | replace(\"3\", \"4\") }}",
            "{{ one.x }}",
            "{{ one }}",
            "{% if a %}",
            "{% if not l %}",
            "{% if o.none %}",
            "{% if c == 3 %}",
            "{% if a == \"x\" %}",
            "{% if loop.last %}",
            "{% if not loop.last %}",
            "{% elif b %}",
            "{% else %}",
            "{% endif %}",
            "{% endif %}",
            "{% for one in l %}",
            "{% for one in os %}",
            "{% endfor %}",
            "{{",
            "}}",
            "{%",
            "#}",
            "-",
            " ",
            "\u{3000}",
            "\n",
            "雨",
            "x",
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn a_short_cut_leads_where_the_long_way_does(
            parts in prop::collection::vec(piece(), 0..12),
            a in "x|\\PC{0,8}", b in "[{}% \n<&雨]{0,6}",
            l in prop::collection::vec("[a雨]{0,2}", 0..3), flag in any::<bool>(),
        ) {
            let text = parts.concat();
            let os = [json!({"x": b}), json!({"x": 7}), json!({"x": -1})];
            let data = json!({
                "a": a, "b": b, "c": 3, "d": null, "e": flag, "l": l, "os": os,
                "o": {"x": "y", "none": null},
            });
            if let Ok(templates) = Templates::from_texts([("t", &*text)]) {
                let long = templates.render("t", &data).ok();
                let short = templates.render_json("t", &data).ok();
                prop_assert_eq!(short, long, "{}", text);
            }
        }
    }
}
