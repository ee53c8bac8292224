//! What a question lists, line by line: `- "id": label`.

use super::options::{Offer, Offers, words_of};
use super::text::is_blank;

/// The maximum number of lines that are read.
const MAX_LINES: usize = 400;

/// The lists of a question: each line with its name, label and note.
#[derive(Clone, Debug, Default)]
pub struct Listing<'q>(Vec<Offer<'q>>);

impl<'q> Listing<'q> {
    pub fn of(question: &'q str) -> Self {
        let lines = question.lines().take(MAX_LINES);
        Self(lines.filter_map(line).collect())
    }

    /// These names as offers, with what the question says of them. They are counted if the question
    /// lists all of them, in this order.
    pub fn offers(&self, names: &[&str]) -> Offers {
        let lists = self.0.windows(names.len().max(1));
        let is_whole =
            |list: &&[Offer]| list.iter().map(|line| line.name).eq(names.iter().copied());
        if let Some(list) = lists.into_iter().find(is_whole) {
            return Offers::new(list.iter().copied(), true);
        }
        let offers = names.iter().map(|name| Offer {
            name,
            ..self.line_of(name).unwrap_or_default()
        });
        Offers::new(offers, false)
    }

    fn line_of(&self, name: &str) -> Option<Offer<'q>> {
        self.0.iter().find(|line| line.name == name).copied()
    }
}

/// A line of a list: a name, in quotation marks if it may have others, then a colon or a dash, then
/// its label. A number may stand before a name without any of them.
fn line(line: &str) -> Option<Offer<'_>> {
    let item = line.trim_start_matches(is_blank);
    let item = item.strip_prefix("- ").or(item.strip_prefix("* "))?.trim();
    let quoted = [('"', '"'), ('“', '”'), ('`', '`')]
        .iter()
        .find_map(|(open, close)| item.strip_prefix(*open)?.split_once(*close));
    let divided = || item.split_once([':', '：']);
    let (head, label) = match quoted.or_else(divided) {
        Some((head, label)) => (head, label.trim_start_matches([':', '：', ' '])),
        None => numbered(item)?,
    };
    let (name, note) = match head.split_once(['(', '（']) {
        Some((name, note)) if quoted.is_none() => (name, note.trim_end_matches([')', '）'])),
        _ => (head, ""),
    };
    Some(Offer {
        name: name.trim(),
        label: label.trim(),
        note,
    })
}

/// `3 Cleo`, `3号 沈七`.
fn numbered(item: &str) -> Option<(&str, &str)> {
    let (head, label) = item.split_once(' ')?;
    let number = head.trim_end_matches('号');
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !words_of(label).is_empty()).then_some((number, label))
}
