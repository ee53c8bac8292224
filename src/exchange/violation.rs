//! What is wrong with an answer.

use serde::Serialize;
use serde_json::Value;

use super::prompts::{CUT_OFF, CutOff, EMPTY, TOO_LONG, TooLong};
use crate::event::{Kinds, Phrasebook, PromptTemplate};
use crate::locale::{UiText, text};

/// A rule that an answer broke, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where, such as `cards[2].targets[0]`; empty for the whole answer.
    pub path: String,
    /// The rule, in words that tell the mind what would be right.
    pub rule: String,
    /// The template that says the same in the language of the world, and its data.
    pub phrase: Option<(&'static str, Value)>,
}

impl Violation {
    /// A broken rule.
    pub fn new(path: impl Into<String>, rule: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            rule: rule.into(),
            phrase: None,
        }
    }

    /// The same rule with a template, filled with `data`, that minds read instead if the
    /// phrasebook has it.
    #[must_use]
    pub fn with_template<D: Serialize>(mut self, template: &PromptTemplate<D>, data: &D) -> Self {
        self.phrase = Some(template.with_data(data));
        self
    }

    /// The same rule with a template of several kinds, one of which it is.
    #[must_use]
    pub fn with_kind(mut self, template: &PromptTemplate<Kinds>, kind: &impl Serialize) -> Self {
        self.phrase = Some(template.with_kind(kind));
        self
    }

    /// A text that must not be empty.
    pub fn empty(path: impl Into<String>) -> Self {
        Self::new(path, "must not be empty").with_template(&EMPTY, &())
    }

    /// The answer was cut off after this number of tokens.
    pub(crate) fn cut_off(tokens: u32) -> Self {
        let rule = format!(
            "cut off after {tokens} tokens, thoughts included; answer again, and more briefly"
        );
        Self::new("", rule).with_template(&CUT_OFF, &CutOff { tokens })
    }

    /// The rule that `text` has at most `most` characters; `None` if it keeps to it.
    pub fn too_long(path: impl Into<String>, text: &str, most: usize) -> Option<Self> {
        let length = text.chars().count();
        (length > most).then(|| {
            let rule = format!("at most {most} characters; this has {length}");
            Self::new(path, rule).with_template(&TOO_LONG, &TooLong { most, length })
        })
    }

    /// The rule in the words of the phrasebook.
    pub fn words(&self, phrases: &Phrasebook) -> String {
        phrases.say_or(self.phrase.as_ref(), &self.rule)
    }

    /// Why an answer with these violations is not used.
    pub(crate) fn summary(violations: &[Self], phrases: Option<&Phrasebook>) -> UiText {
        let rules = violations.iter().map(|violation| match phrases {
            Some(phrases) => violation.words(phrases),
            None => violation.rule.clone(),
        });
        let rules = rules.collect::<Vec<_>>().join("; ");
        text!(exchange_check_failed, rules)
    }
}
