//! Finding the JSON in an answer, whatever the mind wrapped it in.

use serde::de::DeserializeOwned;

use super::Violation;
use super::prompts::{Found, NO_JSON, NoJson, WRONG_FORM, WrongForm};
use crate::locale::Translations;

/// The JSON object or array in a text: the whole text, the content of a code fence, or the first
/// complete one in prose.
pub fn json_in(text: &str) -> Option<&str> {
    let text = text.trim().trim_start_matches('\u{feff}');
    if is_json(text) {
        return Some(text);
    }
    let blocks = text.split("```").skip(1).step_by(2);
    let mut fenced = blocks.map(|block| {
        block
            .trim_start_matches(|c: char| c.is_ascii_alphanumeric())
            .trim()
    });
    if let Some(block) = fenced.find(|block| is_json(block)) {
        return Some(block);
    }
    let starts = text.char_indices().filter(|(_, c)| matches!(c, '{' | '['));
    // A text with very many brackets is not an answer; looking further would be quadratic.
    starts
        .take(64)
        .find_map(|(start, _)| complete_prefix(text.get(start..)?))
}

/// A text without the code fence that some minds put around all of it.
pub(super) fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inside = text
        .strip_prefix("```")
        .and_then(|text| text.strip_suffix("```"));
    // What stands behind the opening fence on its line names a language.
    let inside = inside.and_then(|text| text.split_once('\n'));
    match inside {
        Some((_, inside)) if !inside.contains("```") => inside.trim(),
        _ => text,
    }
}

fn is_json(text: &str) -> bool {
    text.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// The first complete JSON value at the start of a text.
fn complete_prefix(text: &str) -> Option<&str> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
    values.next()?.ok()?;
    text.get(..values.byte_offset())
}

/// Reads a reply out of a mind's text, with or without anything around its JSON.
///
/// # Errors
/// What is wrong with its form, with the path.
pub fn read_json<R: DeserializeOwned>(raw: &str) -> Result<R, Vec<Violation>> {
    let Some(json) = json_in(raw) else {
        let (found, words) = match raw.trim() {
            "" => (Found::Nothing, "the answer is empty"),
            text if text.contains('{') => (Found::Part, "the JSON is not complete"),
            _ => (Found::Prose, "there is no JSON in the answer"),
        };
        return Err(vec![
            Violation::new(
                "",
                format!("{words}; answer with one JSON object and nothing else"),
            )
            .with_template(&NO_JSON, &NoJson { found }),
        ]);
    };
    let mut reader = serde_json::Deserializer::from_str(json);
    serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let path = if path == "." { String::new() } else { path };
        let problem = Translations::from(error.inner());
        let violation = Violation::new(path, problem.to_string());
        vec![violation.with_template(&WRONG_FORM, &WrongForm { problem })]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_form_is_told_in_both_languages() {
        let wrong = read_json::<Vec<u32>>(r#"[1, "two"]"#).unwrap_err();
        let [violation] = wrong.as_slice() else {
            panic!("{wrong:?}");
        };
        let (_, data) = violation.phrase.as_ref().unwrap();
        assert_eq!(violation.path, "[1]");
        assert_eq!(data["problem"]["en"], violation.rule);
        assert_eq!(data["problem"]["zh"], "第 1 行第 9 列：值不对或缺失");
    }

    #[test]
    fn json_is_found_in_fences_and_prose() {
        for (text, wanted) in [
            (r#" {"a": 1} "#, r#"{"a": 1}"#),
            ("Here:\n```json\n{\"a\": 1}\n```\nDone.", r#"{"a": 1}"#),
            (
                r#"I choose {"a": {"b": "}"}} because [it] is right"#,
                r#"{"a": {"b": "}"}}"#,
            ),
            ("好的：{\"a\": 1}。", r#"{"a": 1}"#),
        ] {
            assert_eq!(json_in(text), Some(wanted), "{text}");
        }
        assert_eq!(json_in("no json {here"), None);
        assert_eq!(json_in(""), None);
    }

    #[test]
    fn a_wrong_type_is_named_with_its_path() {
        #[derive(serde::Deserialize, Debug)]
        struct Outer {
            #[expect(dead_code, reason = "only the error matters")]
            cards: Vec<u32>,
        }
        let broken = read_json::<Outer>(r#"{"cards": [1, "two"]}"#).unwrap_err();
        assert_eq!(broken[0].path, "cards[1]");
    }
}
