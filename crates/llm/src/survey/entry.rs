//! An entry of the model file: a provider and a model of it, with a remark on each line.

use std::fmt::Write;

use playhouse_engine::locale::{Language, UiText};
use regex::Regex;

use crate::models::{ModelError, ModelFile};

/// The name of a model file while it is being made.
const NAME: &str = "models.ron";

/// The members that are the same for all models of a server.
const OF_SERVER: [&str; 9] = [
    "api", "base_url", "key_env", "ca", "limit_field", "stream", "stream_usage", "width",
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

    pub(super) fn has(&self, name: &str) -> bool {
        self.members.iter().any(|member| member.0 == name)
    }

    /// A model file with nothing but this entry.
    pub fn file(&self, language: Language) -> String {
        let [providers, models] = self.parts(language);
        format!("(\n    providers: {{{providers}    }},\n    models: {{{models}    }},\n)\n")
    }

    /// The text of a model file with this entry added and nothing else changed; `None` if that
    /// can't be done. `known` are the providers that come before the file.
    pub fn added_to(
        &self,
        text: &str,
        language: Language,
        known: &ModelFile,
    ) -> Result<Option<String>, ModelError> {
        let mut before = ModelFile::read_own(text, NAME, known)?;
        let mut text = text.to_owned();
        let names = ["providers", "models"];
        for (name, part) in names.into_iter().zip(self.parts(language)) {
            let known = known.clone().with(before.clone());
            let own = format!("({name}: {{{part}}})");
            let after = before.with(ModelFile::read_own(&own, NAME, &known)?);
            match inserted(&text, name, &part, &after, &known) {
                Some(added) => (text, before) = (added, after),
                None => return Ok(None),
            }
        }
        Ok(Some(text))
    }

    /// What stands within `providers` and within `models`.
    fn parts(&self, language: Language) -> [String; 2] {
        [(true, &self.provider), (false, &self.alias)].map(|(of_server, name)| {
            let mut part = format!("\n        {}: (\n", serde_json::Value::from(&**name));
            let members = self.members.iter();
            for Member(name, value) in
                members.filter(|member| OF_SERVER.contains(&member.0) == of_server)
            {
                let remark = UiText::find(&format!("mind_survey_member_{name}"))
                    .unwrap_or_default()
                    .in_language(language);
                let _ = writeln!(part, "            {name}: {value}, // {remark}");
            }
            part + "        ),\n"
        })
    }
}

/// The text with a part at the beginning of the map of this name, which is added if it is missing,
/// so that it reads as `after`. Of all places that look right, that is the first which is.
fn inserted(
    text: &str,
    name: &str,
    part: &str,
    after: &ModelFile,
    known: &ModelFile,
) -> Option<String> {
    const MOST: usize = 20;
    let map = Regex::new(&format!(r"\b{name}\s*:\s*\{{")).ok()?;
    let maps = map
        .find_iter(text)
        .map(|found| (found.end(), part.to_owned()));
    let new = format!("\n    {name}: {{{part}    }},");
    let structs = text
        .match_indices('(')
        .map(|(place, _)| (place + 1, new.clone()));
    maps.take(MOST)
        .chain(structs.take(MOST))
        .map(|(place, part)| {
            let mut text = text.to_owned();
            text.insert_str(place, &part);
            text
        })
        .find(|text| ModelFile::read_own(text, NAME, known).is_ok_and(|read| read == *after))
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
            let added = entry()
                .added_to(text, Language::En, &known)
                .unwrap()
                .unwrap_or_else(|| panic!("{text}"));
            assert!(added.contains("\"m-2\": ("), "{added}");
            let mut rest = added.chars();
            let kept = text.chars().all(|c| rest.any(|next| next == c));
            assert!(kept, "{added}");
        }
        assert!(entry().added_to("(models", Language::En, &known).is_err());
    }
}
