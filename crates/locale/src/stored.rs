//! Texts in files, with their keys, so that they can be shown in another language later.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::{Argument, UiText};

/// A key with its arguments, as JSON.
#[derive(Serialize, Deserialize)]
pub struct StoredText {
    key: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    arguments: BTreeMap<String, StoredArgument>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredArgument {
    Verbatim(String),
    Number(Number),
    List(Vec<StoredArgument>),
    Text(StoredText),
}

impl StoredText {
    /// The form of a text; `None` if it is verbatim.
    pub fn of(text: &UiText) -> Option<Self> {
        let (key, arguments) = text.key_and_arguments()?;
        let arguments = arguments
            .iter()
            .map(|(name, argument)| (name.to_string(), StoredArgument::of(argument)));
        Some(Self {
            key: key.to_owned(),
            arguments: arguments.collect(),
        })
    }

    /// The text; `None` if this version does not have the key.
    pub fn into_text(self) -> Option<UiText> {
        let arguments = self
            .arguments
            .into_iter()
            .map(|(name, argument)| Some((name, argument.into_argument()?)));
        UiText::of_key(self.key, arguments.collect::<Option<_>>()?)
    }
}

impl StoredArgument {
    fn of(argument: &Argument) -> Self {
        match argument {
            Argument::Verbatim(text) => Self::Verbatim(text.clone()),
            Argument::Number(number) => match Number::from_i128(*number) {
                Some(number) => Self::Number(number),
                None => Self::Verbatim(number.to_string()),
            },
            Argument::Text(text) => match StoredText::of(text) {
                Some(text) => Self::Text(text),
                None => Self::Verbatim(text.to_string()),
            },
            Argument::List(items) => Self::List(items.iter().map(Self::of).collect()),
        }
    }

    fn into_argument(self) -> Option<Argument> {
        Some(match self {
            Self::Verbatim(text) => Argument::Verbatim(text),
            Self::Number(number) => match number.as_i128() {
                Some(number) => Argument::Number(number),
                None => Argument::Verbatim(number.to_string()),
            },
            Self::Text(text) => Argument::Text(text.into_text()?),
            Self::List(items) => {
                let items = items.into_iter().map(Self::into_argument);
                Argument::List(items.collect::<Option<_>>()?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    fn stored_and_read(text: &UiText) -> Option<UiText> {
        let json = serde_json::to_string(&StoredText::of(text)?).unwrap();
        serde_json::from_str::<StoredText>(&json)
            .unwrap()
            .into_text()
    }

    #[test]
    fn a_text_survives_being_stored() {
        let inner = text!(session_no_such_turn, turn = u64::MAX, last = -3);
        let names = Argument::list(["a", "{ $b }"]);
        let own = UiText::verbatim("as it came");
        let rest = text!(engine_unknown_mind, entity = own, alias = names);
        for text in [inner.clone(), text!(locale_lines, first = inner, rest)] {
            assert_eq!(stored_and_read(&text), Some(text));
        }
        assert_eq!(stored_and_read(&UiText::verbatim("as it came")), None);
    }

    #[test]
    fn a_text_of_another_version_is_not_read() {
        let read = |json| {
            serde_json::from_str::<StoredText>(json)
                .unwrap()
                .into_text()
        };
        assert_eq!(read(r#"{"key": "no_such_key"}"#), None);
        let inner = r#"{"key": "session_world", "arguments": {"reason": {"key": "no_such_key"}}}"#;
        assert_eq!(read(inner), None);
        let number = r#"{"key": "session_world", "arguments": {"reason": 1.5}}"#;
        assert!(read(number).unwrap().to_string().ends_with("1.5"));
    }
}
