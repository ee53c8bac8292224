//! What an entity remembers, as people read it.

use crate::cli::prelude::*;

use crate::cli::labels::answer_label;
use crate::context::AgentContext;
use crate::message::{Role, one_line};

/// Prints the messages of a context: what its owner was told as it stands, and what it answered
/// without the form of its answers.
pub(super) fn tell(app: &App, context: &AgentContext) {
    let (mut out, language) = (app.out(), app.language);
    let mut lines = |style: Style, text: &str| {
        for line in text.trim().lines() {
            out.paragraph(&Paragraph::indented(2, 4).add(style, line));
        }
    };
    for entry in context.entries() {
        let body = entry.body();
        let text = match body.short() {
            Some(short) => short.as_str().into(),
            None => body.shown(),
        };
        match entry.role() {
            Role::Human => match body.sender() {
                Some(sender) if !text.contains(&**sender) => {
                    lines(Style::Plain, &format!("{sender}: {text}"));
                }
                None if body.event_type().is_none() => lines(Style::Dim, &text),
                _ => lines(Style::Plain, &text),
            },
            Role::System | Role::Tool => lines(Style::Dim, &text),
            Role::Ai => {
                let rows = answered(language, &text);
                let rows = rows.iter().map(|row| format!("{} · {row}", context.name()));
                rows.for_each(|row| lines(Style::Plain, &row));
            }
        }
    }
}

/// An answer in rows: in JSON a row for each member, with what it is called and what it says.
fn answered(language: Language, text: &str) -> Vec<String> {
    let Ok(Value::Object(members)) = serde_json::from_str(text) else {
        return vec![text.to_owned()];
    };
    let mut rows: Vec<_> = members
        .iter()
        .filter(|(_, value)| value.as_str() != Some(""))
        .map(|(name, value)| {
            let mut row = vec![answer_label(name).in_language(language)];
            leaves(value, &mut row);
            // What was thought comes before what was said.
            (name != "mind", row.join(" · "))
        })
        .collect();
    rows.sort_by_key(|(is_after, _)| *is_after);
    rows.into_iter().map(|(_, row)| row).collect()
}

fn leaves(value: &Value, row: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.values().for_each(|value| leaves(value, row)),
        Value::Array(items) => items.iter().for_each(|value| leaves(value, row)),
        Value::String(text) => row.extend(Some(one_line(text)).filter(|text| !text.is_empty())),
        value => row.push(value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_told_without_its_form() {
        for (answer, told) in [
            ("I wait for the boat.", "I wait for the boat."),
            (
                r#"{"feels":{"about":"Bo","change":1,"why":"he stayed"},"mind":"So late."}"#,
                "thought · So late.\nfeeling · Bo · 1 · he stayed",
            ),
            (r#"{"mind":"","say":"Come.\nNow."}"#, "words · Come. Now."),
        ] {
            assert_eq!(answered(Language::En, answer).join("\n"), told);
        }
    }
}
