//! The notes of a prompt: what it says, in a form that needs no understanding of language.

use serde_json::Value;

use super::prompt::Prompt;

/// The notes of a prompt, or an object in them, read leniently: what is missing or of another form
/// counts as empty.
///
/// These members mean the same in every game:
///
/// | member | what |
/// |---|---|
/// | `me`, `place` | the names of who is asked and of where it is |
/// | `day`, `round` | the time, from 1 |
/// | `present`, `companions` | who is in the same scene: names, or objects with a `name` |
/// | `heard` | lines that were said to it, as `{who, text}`; it does not repeat them |
/// | `speaker` | who speaks in the game (`cast`), its own `lines`, words that it says `never` |
#[derive(Clone, Copy, Debug)]
pub struct Notes<'n>(&'n Value);

impl<'n> Notes<'n> {
    pub fn of(prompt: &Prompt<'n>) -> Self {
        Self(prompt.notes())
    }

    pub fn new(notes: &'n Value) -> Self {
        Self(notes)
    }

    pub fn value(self, member: &str) -> Option<Value> {
        self.0.get(member).cloned()
    }

    pub fn text(self, member: &str) -> &'n str {
        let value = self.0.get(member).and_then(Value::as_str);
        value.unwrap_or_default()
    }

    pub fn number(self, member: &str) -> i64 {
        let value = self.0.get(member).and_then(Value::as_i64);
        value.unwrap_or_default()
    }

    pub fn flag(self, member: &str) -> bool {
        self.0.get(member).and_then(Value::as_bool) == Some(true)
    }

    pub fn object(self, member: &str) -> Self {
        Self(self.0.get(member).unwrap_or(&Value::Null))
    }

    pub fn list(self, member: &str) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        let elements = self
            .0
            .get(member)
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        elements.iter().map(Self)
    }

    pub fn texts(self, member: &str) -> Vec<&'n str> {
        let elements = self.list(member);
        elements.filter_map(|element| element.0.as_str()).collect()
    }

    /// The names in a list of names, or of objects with a `name`.
    pub fn names(self, member: &str) -> Vec<&'n str> {
        self.list(member).map(Self::name).collect()
    }

    /// The name that this is, or that this object has.
    pub fn name(self) -> &'n str {
        self.0.as_str().unwrap_or_else(|| self.text("name"))
    }

    /// This as text: itself if it is one, else its JSON.
    pub fn shown(self) -> String {
        self.0
            .as_str()
            .map_or_else(|| self.0.to_string(), Into::into)
    }
}
