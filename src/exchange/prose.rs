//! Answers in free text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Reply, Violation};
use crate::mind::Language;

/// An answer in free text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Prose(pub String);

/// What free text must hold to.
#[derive(Clone, Debug, Default)]
pub struct ProseRules {
    /// The most characters; 0 for the default of 4,000.
    pub max_chars: usize,
    /// Texts that must occur, letter for letter: the facts that must survive in a summary.
    pub must_hold: Vec<String>,
    /// The language it must be written in.
    pub language: Option<Language>,
}

impl Reply for Prose {
    type Constraints = ProseRules;
    const NAME: &'static str = "prose";
    const IS_PROSE: bool = true;

    fn read(raw: &str) -> Result<Self, Vec<Violation>> {
        Ok(Self(raw.trim().to_owned()))
    }

    fn to_text(&self) -> String {
        self.0.clone()
    }

    fn check(&self, rules: &ProseRules) -> Vec<Violation> {
        let mut broken = Vec::new();
        let length = self.0.chars().count();
        let most = if rules.max_chars == 0 {
            4_000
        } else {
            rules.max_chars
        };
        if length == 0 {
            broken.push(
                Violation::new("", "the answer is empty; write the text that was asked for")
                    .said("rules/empty", json!({})),
            );
        }
        if length > most {
            broken.push(
                Violation::new("", format!("at most {most} characters; this has {length}"))
                    .said("rules/too_long", json!({"most": most, "length": length})),
            );
        }
        if rules
            .language
            .is_some_and(|language| !looks_like(&self.0, language))
        {
            let name = match rules.language {
                Some(Language::Zh) => "中文",
                _ => "English",
            };
            broken.push(
                Violation::new("", format!("write in the language of the story: {name}"))
                    .said("rules/language", json!({})),
            );
        }
        let missing = rules
            .must_hold
            .iter()
            .filter(|fact| !self.0.contains(fact.as_str()));
        broken.extend(missing.map(|fact| {
            let rule = format!("it must contain: {fact}");
            Violation::new("", rule).said("rules/must_hold", json!({"fact": fact}))
        }));
        broken
    }
}

/// Whether a text of some length is plausibly in the language: names of other scripts may occur.
pub(crate) fn looks_like(text: &str, language: Language) -> bool {
    let (mut han, mut latin) = (0usize, 0usize);
    for character in text.chars() {
        match character {
            '\u{3400}'..='\u{9fff}' => han += 1,
            'a'..='z' | 'A'..='Z' => latin += 1,
            _ => {}
        }
    }
    // A Chinese character says about as much as three Latin letters.
    match language {
        _ if han * 3 + latin < 24 => true,
        Language::Zh => han * 3 >= latin,
        Language::En => latin >= han * 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_broken_rule_is_named() {
        let rules = ProseRules {
            max_chars: 30,
            must_hold: vec!["Old Mill".into(), "won".into()],
            language: Some(Language::En),
        };
        let prose = Prose(
            "我们在磨坊里打了一整夜，天亮的时候谁也没有说话，只听见风，还有远处的水声。".into(),
        );
        assert_eq!(prose.check(&rules).len(), 4);
        assert!(
            Prose("We won at the Old Mill.".into())
                .check(&rules)
                .is_empty()
        );
    }
}
