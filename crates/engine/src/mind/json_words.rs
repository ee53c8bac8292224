//! The words in a JSON answer, found while it is being written.

use std::collections::BTreeSet;

use serde_json::Value;

/// How deep words are looked for, and the longest name in bytes: what a mind writes is not bounded
/// by its schema, and each level keeps a name.
const MAX_DEPTH: usize = 128;
const MAX_NAME: usize = 256;

/// Reads an answer in pieces, and finds the values of members that may hold any text. What stands
/// before or after an object gives no words.
#[derive(Debug, Default)]
pub(super) struct JsonWords {
    /// The members that may hold any text.
    members: BTreeSet<String>,
    /// The open objects and lists, each with the member that it is the value of.
    open: Vec<Container>,
    /// Whether the outermost one is an object for sure: it has a name and a colon.
    is_object: bool,
    /// The member whose value comes next.
    member: String,
    text: Option<OpenText>,
    has_words: bool,
    /// Whether it is nested too deeply to find more words.
    is_too_deep: bool,
}

#[derive(Debug)]
struct Container {
    is_object: bool,
    member: String,
    /// Whether a name comes next, and not a value.
    awaits_name: bool,
}

/// A text that has not ended.
#[derive(Debug)]
struct OpenText {
    is_name: bool,
    is_shown: bool,
    escape: Escape,
    /// The first half of a character that is written as two.
    half: Option<u32>,
}

#[derive(Debug, Default)]
enum Escape {
    #[default]
    None,
    Begun,
    /// The digits so far of a character by its number.
    Number(u32, u8),
}

impl JsonWords {
    /// For answers by this schema.
    pub(super) fn of_schema(schema: &Value) -> Self {
        let mut members = BTreeSet::new();
        add_members(schema, &mut members);
        Self {
            members,
            ..Self::default()
        }
    }

    /// Forgets what was read, since the answer begins again.
    pub(super) fn restart(&mut self) {
        *self = Self {
            members: std::mem::take(&mut self.members),
            ..Self::default()
        };
    }

    /// The words of the next piece.
    pub(super) fn read(&mut self, piece: &str) -> String {
        let mut words = String::new();
        for character in piece.chars() {
            if self.is_false_start(character) {
                (self.open, self.text) = (Vec::new(), None);
            }
            match self.text.take() {
                Some(text) => self.text = self.within(text, character, &mut words),
                None if self.open.is_empty() && character != '{' => {}
                None => self.between(character, &mut words),
            }
        }
        words
    }

    /// Whether this character shows that the last brace was one of prose.
    fn is_false_start(&self, character: char) -> bool {
        if self.is_object || self.open.is_empty() {
            return false;
        }
        match &self.text {
            Some(_) => matches!(character, '{' | '\n'),
            None if character.is_whitespace() => false,
            None if self.member.is_empty() => !matches!(character, '"' | '}'),
            None => character != ':',
        }
    }

    /// A character outside of texts.
    fn between(&mut self, character: char, words: &mut String) {
        match character {
            '{' | '[' if self.open.len() == MAX_DEPTH => self.is_too_deep = true,
            '{' | '[' => {
                let is_object = character == '{';
                if self.open.is_empty() {
                    self.is_object = false;
                    self.member.clear();
                }
                self.open.push(Container {
                    is_object,
                    member: self.member.clone(),
                    awaits_name: is_object,
                });
            }
            '}' | ']' => {
                self.open.pop();
            }
            ',' => {
                if let Some(open) = self.open.last_mut() {
                    open.awaits_name = open.is_object;
                    self.member.clone_from(&open.member);
                }
            }
            ':' => {
                if let Some(open) = self.open.last_mut() {
                    open.awaits_name = false;
                    self.is_object = true;
                }
            }
            '"' => {
                let Some(open) = self.open.last() else {
                    return;
                };
                let is_name = open.awaits_name;
                let is_shown = !is_name && !self.is_too_deep && self.members.contains(&self.member);
                if is_name {
                    self.member.clear();
                }
                if is_shown && std::mem::replace(&mut self.has_words, true) {
                    words.push('\n');
                }
                self.text = Some(OpenText {
                    is_name,
                    is_shown,
                    escape: Escape::None,
                    half: None,
                });
            }
            _ => {}
        }
    }

    /// A character within a text; the text, unless this was its end.
    fn within(
        &mut self,
        mut text: OpenText,
        character: char,
        words: &mut String,
    ) -> Option<OpenText> {
        let found = match text.escape {
            Escape::None => match character {
                '"' => return None,
                '\\' => {
                    text.escape = Escape::Begun;
                    None
                }
                _ => Some(character),
            },
            Escape::Begun => {
                text.escape = Escape::None;
                match character {
                    'n' => Some('\n'),
                    't' => Some('\t'),
                    'r' | 'b' | 'f' => None,
                    'u' => {
                        text.escape = Escape::Number(0, 0);
                        None
                    }
                    _ => Some(character),
                }
            }
            Escape::Number(number, digits) => {
                let number = number * 16 + character.to_digit(16).unwrap_or_default();
                if digits < 3 {
                    text.escape = Escape::Number(number, digits + 1);
                    None
                } else {
                    text.escape = Escape::None;
                    text.character(number)
                }
            }
        };
        if let Some(found) = found {
            if text.is_name {
                if self.member.len() < MAX_NAME {
                    self.member.push(found);
                }
            } else if text.is_shown {
                words.push(found);
            }
        }
        Some(text)
    }
}

impl OpenText {
    /// The character of this number in UTF-16; `None` if its second half is still to come.
    fn character(&mut self, number: u32) -> Option<char> {
        match (self.half.take(), number) {
            (_, 0xD800..0xDC00) => {
                self.half = Some(number - 0xD800);
                None
            }
            (Some(half), 0xDC00..0xE000) => {
                char::from_u32(0x10000 + half * 0x400 + number - 0xDC00)
            }
            _ => char::from_u32(number),
        }
    }
}

/// Adds the names of members that may hold any text.
fn add_members(schema: &Value, members: &mut BTreeSet<String>) {
    let parts: Vec<&Value> = match schema {
        Value::Object(object) => {
            if let Some(properties) = object.get("properties").and_then(Value::as_object) {
                let free = properties.iter().filter(|(_, schema)| is_any_text(schema));
                members.extend(free.map(|(name, _)| name.clone()));
            }
            object.values().collect()
        }
        Value::Array(list) => list.iter().collect(),
        _ => return,
    };
    // Recursive: schemas are our own, and a few levels deep.
    parts
        .into_iter()
        .for_each(|part| add_members(part, members));
}

fn is_any_text(schema: &Value) -> bool {
    let is_text = |kind: &Value| kind == "string";
    let kinds = schema["type"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or(std::slice::from_ref(&schema["type"]));
    let is_bound = ["enum", "const", "pattern", "format"];
    let is_free = !is_bound.iter().any(|bound| schema.get(bound).is_some());
    let any_of = schema["anyOf"].as_array();
    (kinds.iter().any(is_text) && is_free)
        || any_of.is_some_and(|options| options.iter().any(is_any_text))
        || schema.get("items").is_some_and(is_any_text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        let speech = json!({"properties": {
            "to": {"type": "string", "enum": ["Ann", "Bo"]}, "text": {"type": "string"},
        }});
        json!({"type": "object", "properties": {
            "mind": {"type": "string"},
            "speak": {"anyOf": [speech, {"type": "null"}]},
            "reasons": {"type": "array", "items": {"type": ["string", "null"]}},
            "move": {"type": "string", "enum": ["Mill"]},
        }})
    }

    const ANSWER: &str = r#"Sure [so "it" is] {too}, {"a", "b"}: ```json
{"mind": "I \"know\" it.\n灯", "move": "Mill", "speak": {"to": "Ann", "text": "\u4f60\ud83d\ude00 {so}, it: is"},
 "reasons": ["one", "two"], "more": "unknown"}"#;
    const WORDS: &str = "I \"know\" it.\n灯\n你😀 {so}, it: is\none\ntwo";

    proptest! {
        #[test]
        fn the_same_words_are_found_wherever_an_answer_is_cut(cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8)) {
            let mut cuts: Vec<_> = cuts.iter().map(|cut| ANSWER.floor_char_boundary(cut.index(ANSWER.len()))).collect();
            cuts.push(ANSWER.len());
            cuts.sort_unstable();
            let mut words = JsonWords::of_schema(&schema());
            let (mut found, mut begin) = (String::new(), 0);
            for cut in cuts {
                found += &words.read(&ANSWER[begin..cut]);
                begin = cut;
            }
            prop_assert_eq!(found, WORDS);
        }

        #[test]
        fn prose_before_an_answer_hides_nothing(prose in "[a灯 \"'{}\\[\\],.\n]{0,40}") {
            let mut words = JsonWords::of_schema(&schema());
            prop_assert_eq!(words.read(&format!("{prose}\n{ANSWER}")), WORDS);
        }

        #[test]
        fn anything_can_be_read(text in "[\\PC\"\\\\{}\\[\\]:,u0d8]{0,80}") {
            JsonWords::of_schema(&schema()).read(&text);
        }
    }

    #[test]
    fn neither_depth_nor_names_take_more_memory() {
        let mut words = JsonWords::of_schema(&schema());
        words.read(&format!("{{\"{}\":", "n".repeat(100_000)));
        words.read(&"[".repeat(100_000));
        assert_eq!(words.open.len(), MAX_DEPTH);
        assert!(words.open.iter().all(|open| open.member.len() <= MAX_NAME));
        assert_eq!(words.read(r#"{"mind": "So."#), "");
        words.restart();
        assert_eq!(words.read(r#"{"mind": "So."#), "So.");
    }

    #[test]
    fn an_object_begins_with_a_brace_a_name_and_a_colon() {
        for answer in [
            r#"Sure [thinking]: {"mind": "Yes."}"#,
            r#"I'd say "no" to 5" nails: {"mind": "Yes."}"#,
            r#"{mind} {"mind"} {"mind", {" {{ "mind" : "Yes." }"#,
            r#"{} {"other": [1, {"a": 2}]} [{ "mind": "Yes."}], "mind": "No.""#,
            r#"}]"{"mind": "Yes."} as {"mind" "No."}"#,
        ] {
            let mut words = JsonWords::of_schema(&schema());
            assert_eq!(words.read(answer), "Yes.", "{answer}");
        }
    }

    #[test]
    fn an_answer_that_begins_again_is_read_from_its_begin() {
        let mut words = JsonWords::of_schema(&schema());
        assert_eq!(words.read(r#"{"mind": "I thi"#), "I thi");
        words.restart();
        assert_eq!(words.read(r#"{"speak": {"text": "Yes."#), "Yes.");
    }
}
