//! Arguments of tool calls: what models send in their place, and what of it can be mended.
//!
//! Providers send arguments as a text that should be a JSON object. Nothing is guessed: a text
//! whose closing is missing (the answer ran into its limit) is closed, after dropping a last member
//! that was cut before its value; anything else that is no object gives none, and says so.

use serde_json::{Map, Value};

/// The arguments of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments {
    /// The arguments by name.
    pub input: Map<String, Value>,
    /// What was done to get them.
    pub mending: Mending,
}

/// What was done to get arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mending {
    /// Nothing: they came whole.
    #[default]
    None,
    /// What was missing at their end was added, and a last member without a value dropped.
    Closed,
    /// They were no object and were replaced by an empty one; says what they were.
    Emptied(String),
}

impl Arguments {
    /// Reads the text of a call's arguments. No text at all is no arguments.
    pub fn from_text(text: &str) -> Self {
        let text = text.trim();
        if text.is_empty() {
            return Self::default();
        }
        match serde_json::from_str(text) {
            Ok(Value::String(inner)) => Self::of_object(serde_json::from_str(&inner), &inner),
            read => Self::of_object(read, text),
        }
    }

    /// Reads arguments that came as JSON: an object, or the text of one.
    pub fn from_json(value: &Value) -> Self {
        match value {
            Value::Null => Self::default(),
            Value::Object(input) => Self::whole(input.clone()),
            Value::String(text) => Self::from_text(text),
            other => Self::emptied(other),
        }
    }

    fn of_object(read: serde_json::Result<Value>, text: &str) -> Self {
        match read {
            Ok(Value::Object(input)) => Self::whole(input),
            Ok(other) => Self::emptied(&other),
            Err(error) => match closed(text) {
                Some(input) => Self {
                    input,
                    mending: Mending::Closed,
                },
                None => Self {
                    input: Map::new(),
                    mending: Mending::Emptied(format!("no JSON: {error}")),
                },
            },
        }
    }

    fn whole(input: Map<String, Value>) -> Self {
        Self {
            input,
            mending: Mending::None,
        }
    }

    fn emptied(value: &Value) -> Self {
        let kind = match value {
            Value::Array(_) => "a list",
            Value::String(_) => "a text",
            Value::Number(_) => "a number",
            _ => "a single value",
        };
        Self {
            input: Map::new(),
            mending: Mending::Emptied(format!("{kind} in place of an object")),
        }
    }
}

/// The object that a text begins, if nothing but its end is missing.
fn closed(text: &str) -> Option<Map<String, Value>> {
    let scan = Scan::of(text)?;
    let whole = scan.close(&text[..scan.whole], &scan.open, scan.in_string);
    let parse = |text: String| serde_json::from_str(&text).ok();
    parse(whole).or_else(|| {
        let (end, depth) = scan.last_cut?;
        parse(scan.close(&text[..end], scan.open.get(..depth)?, false))
    })
}

/// Where a cut text stands.
struct Scan {
    /// The brackets that are open at its end, as they are closed.
    open: Vec<char>,
    /// Whether it ends within a string.
    in_string: bool,
    /// How much of it can be kept: all but an escape that was cut.
    whole: usize,
    /// Up to where whole members reach, and how many brackets are open there.
    last_cut: Option<(usize, usize)>,
}

impl Scan {
    /// `None` where more is wrong than a missing end.
    fn of(text: &str) -> Option<Self> {
        let mut scan = Self {
            open: Vec::new(),
            in_string: false,
            whole: text.len(),
            last_cut: None,
        };
        let mut chars = text.char_indices();
        while let Some((at, char)) = chars.next() {
            if scan.in_string {
                match char {
                    '"' => scan.in_string = false,
                    '\\' if !skip_escape(&mut chars) => scan.whole = at,
                    _ => {}
                }
                continue;
            }
            match char {
                '"' => scan.in_string = true,
                '{' | '[' => {
                    scan.open.push(if char == '{' { '}' } else { ']' });
                    scan.last_cut = Some((at + 1, scan.open.len()));
                }
                '}' | ']' if scan.open.pop() != Some(char) => return None,
                ',' => scan.last_cut = Some((at, scan.open.len())),
                _ => {}
            }
        }
        Some(scan)
    }

    fn close(&self, kept: &str, open: &[char], in_string: bool) -> String {
        let quote = in_string.then_some('"');
        let closing = quote.into_iter().chain(open.iter().rev().copied());
        kept.chars().chain(closing).collect()
    }
}

/// Skips what follows a backslash; false where the text ends before the escape does.
fn skip_escape(chars: &mut std::str::CharIndices<'_>) -> bool {
    match chars.next() {
        None => false,
        Some((_, 'u')) => (0..4).all(|_| chars.next().is_some()),
        Some(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> (Value, Mending) {
        let read = Arguments::from_text(text);
        (Value::Object(read.input), read.mending)
    }

    #[test]
    fn whole_arguments_are_taken_as_they_are() {
        assert_eq!(read("{\"a\": 1}"), (json!({"a": 1}), Mending::None));
        assert_eq!(read(" \n"), (json!({}), Mending::None));
        assert_eq!(read("\"{\\\"a\\\": 1}\""), (json!({"a": 1}), Mending::None));
        let tag = "{\"note\": \"<think>no thought</think>\"}";
        assert_eq!(read(tag).0, json!({"note": "<think>no thought</think>"}));
    }

    #[test]
    fn a_missing_end_is_added() {
        for (text, whole) in [
            ("{\"a\": 1", json!({"a": 1})),
            ("{", json!({})),
            (
                "{\"a\": {\"b\": [1, {\"c\": \"城",
                json!({"a": {"b": [1, {"c": "城"}]}}),
            ),
            ("{\"a\": 1, ", json!({"a": 1})),
            ("{\"a\": 1, \"b", json!({"a": 1})),
            ("{\"a\": 1, \"b\":", json!({"a": 1})),
            ("{\"a\": 1, \"b\": tru", json!({"a": 1})),
            ("{\"a\": \"x\\", json!({"a": "x"})),
            ("{\"a\": \"x\\u4f", json!({"a": "x"})),
            ("{\"a\": \"{[\\\"", json!({"a": "{[\""})),
        ] {
            assert_eq!(read(text), (whole, Mending::Closed), "{text}");
        }
    }

    #[test]
    fn what_is_no_object_gives_none_and_says_why() {
        for (text, why) in [
            ("[1,2]", "a list"),
            ("[1,2", "no JSON"),
            ("7", "a number"),
            ("\"words\"", "no JSON"),
            ("{\"a\": 1}}", "no JSON"),
            ("{\"a\": 1]", "no JSON"),
            ("roll the dice", "no JSON"),
        ] {
            let (input, mending) = read(text);
            assert_eq!(input, json!({}));
            match mending {
                Mending::Emptied(problem) => assert!(problem.contains(why), "{text}: {problem}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a\"\\\\城\n{}\\[\\],:]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-c\"\\\\]{0,3}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn an_object_cut_anywhere_keeps_what_was_whole(
            members in prop::collection::btree_map("[a-c]{1,3}", any_json(), 0..5), cut in 1usize..200,
        ) {
            let whole = json!(members);
            let text = whole.to_string();
            let end = (0..=cut.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
            let read = Arguments::from_text(&text[..end.unwrap_or_default()]);
            prop_assert!(!matches!(read.mending, Mending::Emptied(_)));
            // All members but the last that arrived are as they were.
            for (key, value) in read.input.iter().rev().skip(1) {
                prop_assert_eq!(Some(value), whole.get(key));
            }
        }

        #[test]
        fn any_text_gives_an_object(text in "\\PC{0,60}") {
            let _ = Arguments::from_text(&text);
        }
    }
}
