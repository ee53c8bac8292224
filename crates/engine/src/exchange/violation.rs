//! What is wrong with an answer.

use serde_json::Value;

use super::prompts::{Found, Remark, Rule};
use crate::event::{Phrasebook, Prompt};
use crate::locale::{UiText, text};
use crate::message::cut;
use crate::reading::{Fault, FaultKind, Meant, NoJson, Offers, Wanted};
use crate::world_data::phrase;

/// How much is shown of what was said, in characters.
const SHOWN: usize = 80;

/// A rule that an answer broke, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Violation {
    /// Where, such as `cards[2].targets[0]`; empty for the whole answer.
    pub path: String,
    /// The rule, in words that tell the mind what would be right.
    pub rule: String,
    /// The template that says the same in the language of the world, and its data.
    pub phrase: Option<(&'static str, Value)>,
    /// Whether it is told only once: the next answer is used with what can't be helped.
    pub only_once: bool,
    /// Whether it is about how models write: a person writes as it likes.
    pub is_style: bool,
}

impl Violation {
    pub fn new(path: impl Into<String>, rule: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            rule: rule.into(),
            phrase: None,
            only_once: false,
            is_style: false,
        }
    }

    /// The same rule, to which people need not keep.
    pub fn of_style(mut self) -> Self {
        self.is_style = true;
        self
    }

    /// The same rule, told only once.
    pub fn only_once(mut self) -> Self {
        self.only_once = true;
        self
    }

    /// The same rule in a template, which minds read instead if the phrasebook has it.
    pub fn with_prompt(mut self, prompt: &impl Prompt) -> Self {
        self.phrase = Some(phrase(prompt));
        self
    }

    /// Something that was not offered, or that fits several things that were; `None` if it is one
    /// of them.
    pub fn unless_offered<T: AsRef<str>>(
        path: impl Into<String>,
        given: &str,
        options: &[T],
    ) -> Option<Self> {
        if options.iter().any(|option| option.as_ref() == given) {
            return None;
        }
        let options: Vec<_> = options.iter().map(AsRef::as_ref).collect();
        let given = &cut(given, SHOWN);
        Some(
            Self::unclear(given, &options, || {
                let rule = format!("'{given}' is not one of: {}", options.join(", "));
                let options = &options;
                Self::new("", rule).with_prompt(&Rule::NotOneOf { given, options })
            })
            .at(path),
        )
    }

    /// Something that fits several things, or else another violation.
    pub fn unclear<T: AsRef<str>>(
        given: &str,
        options: &[T],
        or_else: impl FnOnce() -> Self,
    ) -> Self {
        let offers = Offers::of_names(options.iter().map(AsRef::as_ref));
        let Meant::Several(fits) = offers.meant(given) else {
            return or_else();
        };
        let fits: Vec<_> = fits
            .iter()
            .filter_map(|index| options.get(*index).map(AsRef::as_ref))
            .collect();
        Self::several(given, &fits)
    }

    fn several(given: &str, fits: &[&str]) -> Self {
        let rule = format!("'{given}' may mean {}; name one of them", fits.join(" or "));
        Self::new("", rule).with_prompt(&Rule::Several { given, fits })
    }

    /// The same at another place.
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// There is no JSON that can be read.
    pub(super) fn no_json(problem: &NoJson) -> Self {
        let (found, near, words) = match problem {
            NoJson::Nothing => (Found::Nothing, "", "the answer is empty"),
            NoJson::Prose => (Found::Prose, "", "there is no JSON in the answer"),
            NoJson::Drafts => (Found::Drafts, "", "there are several answers"),
            NoJson::Broken(near) => (Found::Broken, near.as_str(), "the JSON can't be read"),
        };
        Self::json(found, near, words)
    }

    /// The JSON lacks its end.
    pub(super) fn incomplete() -> Self {
        Self::json(Found::Part, "", "the JSON is not complete")
    }

    fn json(found: Found, near: &str, words: &str) -> Self {
        let rule = format!("{words}; answer with one JSON object and nothing else");
        Self::new("", rule).with_prompt(&Rule::NoJson { found, near })
    }

    /// What stands at this place is of another kind.
    pub(super) fn wrong_form(path: &str) -> Self {
        let path = if path == "." { "" } else { path };
        let rule = Rule::WrongForm {
            is_missing: false,
            kind: "",
            options: Vec::new(),
        };
        Self::new(path, "this has the wrong form").with_prompt(&rule)
    }

    /// A text in which a character who is present speaks, although only events are told; told once.
    pub fn nobody_speaks(path: impl Into<String>) -> Self {
        let rule = "nobody speaks in this text; leave out what they say";
        let violation = Self::new(path, rule).with_prompt(&Rule::NobodySpeaks);
        violation.only_once()
    }

    /// A text that must not be empty.
    pub fn empty(path: impl Into<String>) -> Self {
        Self::new(path, "must not be empty").with_prompt(&Rule::Empty)
    }

    /// The example of an answer was sent back.
    pub(crate) fn echo() -> Self {
        let rule = "this was the example; answer in your own words";
        Self::new("", rule).with_prompt(&Rule::Echo)
    }

    /// A model refused, instead of speaking for its character.
    pub(crate) fn refusal() -> Self {
        let rule = "write for the character, not as an assistant";
        Self::new("", rule)
            .with_prompt(&Remark::MayDecline)
            .of_style()
    }

    /// The answer was cut off after this number of tokens.
    pub(crate) fn cut_off(tokens: u32) -> Self {
        let rule = format!(
            "cut off after {tokens} tokens, thoughts included; answer again, and more briefly"
        );
        Self::new("", rule).with_prompt(&Rule::CutOff { tokens })
    }

    /// The rule that `text` has at most `most` characters; `None` if it keeps to it.
    pub fn too_long(path: impl Into<String>, text: &str, most: usize) -> Option<Self> {
        let length = text.chars().count();
        (length > most).then(|| {
            let rule = format!("at most {most} characters; this has {length}");
            Self::new(path, rule).with_prompt(&Rule::TooLong { most, length })
        })
    }

    /// The rule in the words of the phrasebook.
    pub fn words(&self, phrases: &Phrasebook) -> String {
        phrases.say_or(self.phrase.as_ref(), &self.rule)
    }

    /// Why an answer with these violations is not used.
    pub(crate) fn summary(violations: &[Self], phrases: Option<&Phrasebook>) -> UiText {
        let rules = violations
            .iter()
            .map(|violation| {
                let words = match phrases {
                    Some(phrases) => violation.words(phrases),
                    None => violation.rule.clone(),
                };
                format!("{} {words}", violation.path).trim().to_owned()
            })
            .collect::<Vec<_>>()
            .join("; ");
        text!(exchange_check_failed, rules)
    }
}

impl From<Fault> for Violation {
    fn from(fault: Fault) -> Self {
        let (is_missing, wanted) = match fault.kind {
            FaultKind::NotOffered { given, options } => {
                let violation = Self::unless_offered("", &given, &options)
                    .unwrap_or_else(|| Self::wrong_form(""));
                return violation.at(fault.path);
            }
            FaultKind::Twice(said) => {
                let given = said.join(", ");
                let fits: Vec<_> = said.iter().map(String::as_str).collect();
                return Self::several(&given, &fits).at(fault.path);
            }
            FaultKind::Missing(wanted) => (true, wanted),
            FaultKind::Other(wanted) => (false, wanted),
        };
        let (kind, options) = match wanted {
            Wanted::OneOf(options) => ("one_of", options),
            Wanted::Text => ("text", Vec::new()),
            Wanted::Number => ("number", Vec::new()),
            Wanted::Truth => ("truth", Vec::new()),
            Wanted::List => ("list", Vec::new()),
            Wanted::Object => ("object", Vec::new()),
        };
        let found = if is_missing {
            "this is missing"
        } else {
            "this has the wrong form"
        };
        let rule = match options.as_slice() {
            [] => format!("{found}; it is a {kind}"),
            options => format!("{found}; name one of: {}", options.join(", ")),
        };
        let template = Rule::WrongForm {
            is_missing,
            kind,
            options,
        };
        Self::new(fault.path, rule).with_prompt(&template)
    }
}
