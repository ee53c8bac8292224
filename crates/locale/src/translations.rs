//! A text in every language at once.

use std::fmt;

use serde::Serialize;

use super::{Language, Localize};

/// A text in every language, for templates that are filled wherever it is known which of them is
/// read: `{{ problem.zh }}`. `Display` gives the English.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Translations {
    en: String,
    zh: String,
}

impl<T: Localize> From<&T> for Translations {
    fn from(value: &T) -> Self {
        let text = value.text();
        Self {
            en: text.to_string(),
            zh: text.in_language(Language::Zh),
        }
    }
}

impl fmt::Display for Translations {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.en)
    }
}
