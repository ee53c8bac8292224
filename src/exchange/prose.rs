//! Answers in free text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::prompts::{EMPTY, LANGUAGE, MAY_DECLINE, MUST_HOLD, MustHold, TOO_LONG, TooLong};
use super::refusal::is_refusal;
use super::{Reply, Violation};
use crate::message::Language;

/// An answer in free text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Prose(pub String);

/// The rules for free text.
#[derive(Clone, Debug, Default)]
pub struct ProseRules {
    /// The maximum number of characters; 0 for the default of 4,000.
    pub max_chars: usize,
    /// Texts that must occur, letter for letter: the facts that a summary must keep.
    pub must_hold: Vec<String>,
    /// The language in which it must be written.
    pub language: Option<Language>,
}

impl Reply for Prose {
    type Constraints = ProseRules;
    const NAME: &'static str = "prose";
    const IS_PROSE: bool = true;

    fn read(raw: &str) -> Result<Self, Vec<Violation>> {
        Ok(Self(unfenced(raw).to_owned()))
    }

    fn kept_text(raw: &str) -> &str {
        unfenced(raw)
    }

    fn to_text(&self) -> String {
        self.0.clone()
    }

    fn check(&self, rules: &ProseRules) -> Vec<Violation> {
        let mut violations = Vec::new();
        let length = self.0.chars().count();
        let most = match rules.max_chars {
            0 => 4_000,
            most => most,
        };
        if length == 0 {
            let rule = "the answer is empty; write the text that was asked for";
            violations.push(Violation::new("", rule).with_template(&EMPTY, &()));
        }
        if is_refusal(&self.0) {
            let rule = "write for the character, not as an assistant";
            violations.push(Violation::new("", rule).with_template(&MAY_DECLINE, &()));
        }
        if length > most {
            let rule = format!("at most {most} characters; this has {length}");
            let data = TooLong { most, length };
            violations.push(Violation::new("", rule).with_template(&TOO_LONG, &data));
        }
        if let Some(language) = rules.language
            && !looks_like(&self.0, language)
        {
            let name = match language {
                Language::Zh => "中文",
                Language::En => "English",
            };
            let rule = format!("write in the language of the story: {name}");
            violations.push(Violation::new("", rule).with_template(&LANGUAGE, &()));
        }
        for fact in &rules.must_hold {
            if !self.0.contains(fact) {
                let rule = format!("it must contain: {fact}");
                let violation = Violation::new("", rule);
                violations.push(violation.with_template(&MUST_HOLD, &MustHold { fact }));
            }
        }
        violations
    }
}

/// A text without the code fence that some minds put around all of it.
fn unfenced(text: &str) -> &str {
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

/// Whether a text is plausibly in the language. Short texts are, and names in other scripts may
/// occur.
fn looks_like(text: &str, language: Language) -> bool {
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
    fn every_broken_rule_is_reported() {
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
