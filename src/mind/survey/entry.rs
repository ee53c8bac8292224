//! An entry of the model file: a provider and a model of it, with a remark on each line.

use std::fmt::Write;
use std::ops::Range;

use crate::locale::{Language, UiText};
use crate::mind::models::{ModelError, ModelFile};

/// The members that are the same for all models of a server.
const OF_SERVER: [&str; 8] = [
    "api",
    "base_url",
    "key_env",
    "limit_field",
    "stream",
    "stream_usage",
    "width",
    "timeouts",
];

/// A provider and a model for the model file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    provider: String,
    /// The name of the model in the file.
    pub alias: String,
    members: Vec<Member>,
}

/// A member and its value in RON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member(pub(super) &'static str, pub(super) String);

impl Member {
    pub(super) fn text(name: &'static str, value: &str) -> Self {
        // JSON writes texts as RON does.
        Self(name, serde_json::Value::from(value).to_string())
    }
}

impl Entry {
    /// An entry of these names, without a member.
    pub(super) fn new(provider: String, alias: String) -> Self {
        let members = vec![Member::text("provider", &provider)];
        Self {
            provider,
            alias,
            members,
        }
    }

    /// Sets a member.
    pub(super) fn set(&mut self, member: Member) {
        match self.members.iter_mut().find(|known| known.0 == member.0) {
            Some(known) => *known = member,
            None => self.members.push(member),
        }
    }

    /// The same with these members.
    pub(super) fn with(&self, members: &[Member]) -> Self {
        let mut entry = self.clone();
        members.iter().for_each(|member| entry.set(member.clone()));
        entry
    }

    /// Whether a member is set.
    pub(super) fn has(&self, name: &str) -> bool {
        self.members.iter().any(|member| member.0 == name)
    }

    /// A model file with nothing but this entry.
    pub fn file(&self, language: Language) -> String {
        let [providers, models] = self.parts(language);
        format!("(\n    providers: {{{providers}    }},\n    models: {{{models}    }},\n)\n")
    }

    /// The text of a model file with this entry added; `None` if it can't be added to this one,
    /// which `known` comes before.
    ///
    /// # Errors
    /// The text is no model file.
    pub fn added_to(
        &self,
        text: &str,
        language: Language,
        known: &ModelFile,
    ) -> Result<Option<String>, ModelError> {
        const NAME: &str = "models.ron";
        let before = ModelFile::read_own(text, NAME, known)?;
        let own = ModelFile::read_own(&self.file(language), NAME, known)?;
        let added = self.insert_into(text, language);
        // Whatever is not as it must be is not written.
        let is_whole = |text: &String| {
            let after = ModelFile::read_own(text, NAME, known);
            after.is_ok_and(|after| after == before.clone().with(own.clone()))
        };
        Ok(added.filter(is_whole))
    }

    fn insert_into(&self, text: &str, language: Language) -> Option<String> {
        let members = RonMembers::of(text);
        let mut text = text.to_owned();
        let names = ["models", "providers"];
        let [providers, models] = self.parts(language);
        let mut insertions = Vec::new();
        for (name, part) in names.into_iter().zip([models, providers]) {
            insertions.push(match members.inner_of(name) {
                Some(place) => (place, part),
                None => (members.begin?, format!("\n    {name}: {{{part}    }},")),
            });
        }
        // From the end, so that places stay where they are.
        insertions.sort_by_key(|(place, _)| std::cmp::Reverse(*place));
        for (place, part) in insertions {
            text.insert_str(place, &part);
        }
        Some(text)
    }

    /// What stands within `providers` and within `models`.
    fn parts(&self, language: Language) -> [String; 2] {
        [(true, &self.provider), (false, &self.alias)].map(|(of_server, name)| {
            let mut part = format!("\n        {}: (\n", serde_json::Value::from(&**name));
            let members = self.members.iter();
            for Member(name, value) in
                members.filter(|member| OF_SERVER.contains(&member.0) == of_server)
            {
                let remark = UiText::find(&format!("mind_survey_member_{name}"));
                let remark = remark.unwrap_or_default().in_language(language);
                let _ = writeln!(part, "            {name}: {value}, // {remark}");
            }
            part + "        ),\n"
        })
    }
}

/// The members of a RON struct whose values are maps.
#[derive(Default)]
struct RonMembers<'t> {
    /// The place after its first parenthesis.
    begin: Option<usize>,
    /// The names, and the places after the braces that follow.
    maps: Vec<(&'t str, usize)>,
}

impl<'t> RonMembers<'t> {
    fn of(text: &'t str) -> Self {
        let mut found = Self::default();
        let (mut at, mut depth, mut word) = (0, 0, 0..0);
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let len = skipped(rest);
            if len > 0 {
                at += len;
                continue;
            }
            let first = rest.chars().next().unwrap_or_default();
            found.note(text, at, first, depth, &word);
            match first {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                c if c.is_alphanumeric() || c == '_' => {
                    let begin = if word.end == at { word.start } else { at };
                    word = begin..at + c.len_utf8();
                }
                _ => {}
            }
            at += first.len_utf8();
        }
        found
    }

    fn note(&mut self, text: &'t str, at: usize, c: char, depth: i32, word: &Range<usize>) {
        match (c, depth) {
            ('(', 0) => self.begin = self.begin.or(Some(at + 1)),
            ('{', 1) => self
                .maps
                .push((text.get(word.clone()).unwrap_or_default(), at + 1)),
            _ => {}
        }
    }

    fn inner_of(&self, name: &str) -> Option<usize> {
        let mut maps = self.maps.iter();
        maps.find(|(known, _)| *known == name)
            .map(|(_, place)| *place)
    }
}

/// The bytes of the text or comment with which a part of a RON file begins; 0 if with neither.
fn skipped(rest: &str) -> usize {
    let until = |from: usize, end: &str| {
        let found = rest.get(from..).and_then(|rest| rest.find(end));
        found.map_or(rest.len(), |found| from + found + end.len())
    };
    if rest.starts_with("//") {
        until(2, "\n")
    } else if rest.starts_with("/*") {
        until(2, "*/")
    } else if rest.starts_with('"') {
        let mut escaped = false;
        let end = rest.char_indices().skip(1).find(|(_, c)| {
            let ends = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        });
        end.map_or(rest.len(), |(end, _)| end + 1)
    } else if rest.starts_with("r\"") || rest.starts_with("r#") {
        let hashes = rest.chars().skip(1).take_while(|c| *c == '#').count();
        let opened = rest[1 + hashes..].starts_with('"');
        if opened {
            until(2 + hashes, &format!("\"{}", "#".repeat(hashes)))
        } else {
            0
        }
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        let mut entry = Entry::new("localhost-1".into(), "m-2".into());
        entry.set(Member::text("base_url", "http://localhost:1"));
        entry.set(Member::text("model", "M \"2\""));
        entry
    }

    #[test]
    fn an_entry_is_added_to_any_model_file_and_nothing_else_changes() {
        let known = ModelFile::built_in().unwrap();
        for text in [
            "()",
            "// mine: {\n(\n)\n",
            "(models: {})",
            "(models: {\"a\": (provider: \"ollama\", model: \"b {\\\" models: {\")})",
            "(/* providers: { */ connect: 3.0, models: {\n  // x\n  \"a\": (provider: \"ollama\", model: r#\"x\"{\"#),\n},)",
            "(providers: {\"x\": (base_url: \"http://x\", extra: {\"models\": {\"a\": 1}})}, models: {})",
        ] {
            let added = entry().added_to(text, Language::En, &known).unwrap();
            let added = added.unwrap_or_else(|| panic!("{text}"));
            assert!(added.contains("\"m-2\": ("), "{added}");
            let mut rest = added.as_str();
            let kept = text.split('{').all(|part| {
                let found = rest.find(part).map(|at| &rest[at + part.len()..]);
                rest = found.unwrap_or_default();
                found.is_some()
            });
            assert!(kept, "{added}");
        }
        assert!(entry().added_to("(models", Language::En, &known).is_err());
    }
}
