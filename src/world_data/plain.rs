//! The short cut for templates that only put values between words, as the phrases of most events do.

use serde_json::Value;

/// A template without any logic: words, and the places of values.
#[derive(Clone, Debug)]
pub(super) struct Plain(Vec<Piece>);

#[derive(Clone, Debug)]
enum Piece {
    Words(String),
    /// The value of this name.
    Value(String),
}

impl Plain {
    /// The template of this text, if it has no logic.
    pub(super) fn of(text: &str) -> Option<Self> {
        // One line end at the end of a template is no part of it.
        let text = text.strip_suffix('\n').unwrap_or(text);
        if text.contains("{%") || text.contains("{#") {
            return None;
        }
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((words, behind)) = rest.split_once("{{") {
            let (name, behind) = behind.split_once("}}")?;
            pieces.push(Piece::Words(words.to_owned()));
            pieces.push(Piece::Value(variable(name)?.to_owned()));
            rest = behind;
        }
        pieces.push(Piece::Words(rest.to_owned()));
        Some(Self(pieces))
    }

    /// The template filled with text from an object. Everything else, and what is wrong, is left to the
    /// engine of templates.
    pub(super) fn fill(&self, data: &Value) -> Option<String> {
        let length = self.0.iter().map(|piece| match piece {
            Piece::Words(words) => words.len(),
            Piece::Value(_) => 64,
        });
        let mut text = String::with_capacity(length.sum());
        for piece in &self.0 {
            text.push_str(match piece {
                Piece::Words(words) => words,
                Piece::Value(name) => data.get(name)?.as_str()?,
            });
        }
        Some(text)
    }
}

/// The variable that stands alone between the signs of a value.
fn variable(inside: &str) -> Option<&str> {
    let name = inside.trim_matches(' ');
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    // Words of the language itself.
    let is_word = ["true", "false", "none", "not"].contains(&&*name.to_ascii_lowercase());
    (is_name && !is_word).then_some(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::world_data::Templates;

    #[test]
    fn only_templates_without_logic_are_plain() {
        for text in ["", "It rains.", "{{ a }} says: “{{b_2}}”\n"] {
            assert!(Plain::of(text).is_some(), "{text}");
        }
        for text in [
            "{{ a.b }}",
            "{{- a }}",
            "{{ a }",
            "{{ a | upper }}",
            "{{ true }}",
            "{{ \"}}\" }}",
            "{% if a %}x{% endif %}",
            "{# no #}x",
        ] {
            assert!(Plain::of(text).is_none(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_short_cut_leads_where_the_long_way_does(
            parts in prop::collection::vec(prop::sample::select(vec![
                "{{ a }}", "{{b}}", "{{ c }}", "{{ d }}", "{{ e }}", "{{", "}}", "{%", "#}", "-", " ", "\n", "雨", "x",
            ]), 0..12),
            a in "\\PC{0,8}", b in "[{}% \n<&雨]{0,6}",
        ) {
            let text = parts.concat();
            let data = json!({"a": a, "b": b, "c": 3, "d": null});
            if let Ok(templates) = Templates::from_texts([("t", &*text)]) {
                let long = templates.render("t", &data).ok();
                let short = templates.render_json("t", &data).ok();
                prop_assert_eq!(short, long, "{}", text);
            }
        }
    }
}
