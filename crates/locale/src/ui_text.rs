//! A text that is rendered when it is shown.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};

use super::{Argument, Language, bundle};

/// A text of the interface, not yet in any language. Make one with [`text!`](super::text).
///
/// `Display` and `Serialize` give the English. Equality compares keys and arguments. The default is
/// empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UiText(Content);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Content {
    Message {
        key: Cow<'static, str>,
        /// By name.
        arguments: Vec<(Cow<'static, str>, Argument)>,
    },
    /// The same in every language.
    Verbatim(String),
    /// What another crate says in English, and what is said in other languages.
    Foreign(String, Box<UiText>),
}

/// Something that people read in the language of the interface, such as an error.
pub trait Localize {
    fn text(&self) -> UiText;
}

impl UiText {
    /// A text that is the same in every language: a name, data, or what other programs say.
    pub fn verbatim(text: impl fmt::Display) -> Self {
        Self(Content::Verbatim(text.to_string()))
    }

    /// Texts on lines of their own; empty if there are none.
    pub fn lines(texts: impl IntoIterator<Item = Self>) -> Self {
        let lines = texts.into_iter();
        let lines = lines.reduce(|first, rest| crate::text!(locale_lines, first, rest));
        lines.unwrap_or_default()
    }

    /// What another crate says, which says it in English alone; in other languages it is `text`.
    pub(super) fn foreign(english: impl Into<String>, text: Self) -> Self {
        Self(Content::Foreign(english.into(), Box::new(text)))
    }

    /// For [`text!`](super::text), which checks the arguments.
    #[doc(hidden)]
    pub fn message(key: &'static str, arguments: Vec<(&'static str, Argument)>) -> Self {
        let mut arguments: Vec<_> = arguments
            .into_iter()
            .map(|(name, argument)| (Cow::Borrowed(name), argument))
            .collect();
        arguments.sort_by(|(name, _), (next, _)| name.cmp(next));
        Self(Content::Message {
            key: key.into(),
            arguments,
        })
    }

    /// The text of a key that comes from a file. `None` for an unknown key.
    pub(super) fn of_key(key: String, arguments: BTreeMap<String, Argument>) -> Option<Self> {
        let is_known = bundle::of(Language::En, &key).is_some();
        let arguments = arguments
            .into_iter()
            .map(|(name, argument)| (Cow::Owned(name), argument));
        is_known.then(|| {
            Self(Content::Message {
                key: key.into(),
                arguments: arguments.collect(),
            })
        })
    }

    /// Its key and its arguments by name; `None` if it is verbatim.
    pub(super) fn key_and_arguments(&self) -> Option<(&str, &[(Cow<'static, str>, Argument)])> {
        match &self.0 {
            Content::Message { key, arguments } => Some((key, arguments)),
            Content::Verbatim(_) => None,
            Content::Foreign(_, text) => text.key_and_arguments(),
        }
    }

    pub fn is_one_of(&self, keys: &[&str]) -> bool {
        let own = self.key_and_arguments();
        own.is_some_and(|(key, _)| keys.contains(&key))
    }

    /// The text of a key that is put together at run time, such as one for each option of a
    /// command. It takes no arguments. `None` for an unknown key.
    pub fn find(key: &str) -> Option<Self> {
        Self::find_with(key, [])
    }

    /// The same with arguments.
    pub fn find_with<'a>(
        key: &str,
        arguments: impl IntoIterator<Item = (&'a str, Argument)>,
    ) -> Option<Self> {
        let arguments = arguments.into_iter();
        let arguments = arguments.map(|(name, argument)| (name.to_owned(), argument));
        Self::of_key(key.to_owned(), arguments.collect())
    }

    pub fn in_language(&self, language: Language) -> String {
        match &self.0 {
            Content::Message { key, arguments } => bundle::render(language, key, arguments),
            Content::Verbatim(text) => text.clone(),
            Content::Foreign(english, _) if language == Language::En => english.clone(),
            Content::Foreign(_, text) => text.in_language(language),
        }
    }

    /// Whether it is a verbatim text without a character.
    pub fn is_empty(&self) -> bool {
        matches!(&self.0, Content::Verbatim(text) if text.is_empty())
    }
}

impl Default for UiText {
    fn default() -> Self {
        Self::verbatim("")
    }
}

impl fmt::Display for UiText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.in_language(Language::En))
    }
}

impl Serialize for UiText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Localize for UiText {
    fn text(&self) -> UiText {
        self.clone()
    }
}

impl<T: Localize + ?Sized> Localize for Box<T> {
    fn text(&self) -> UiText {
        (**self).text()
    }
}

/// A [`UiText`](crate::UiText): a key of the Fluent files and its arguments.
///
/// `text!(key, name = value, path)`: `path` alone is `path = path`. A value is anything that
/// converts into an [`Argument`](crate::Argument).
#[macro_export]
macro_rules! text {
    ($key:ident $(, $name:ident $(= $value:expr)?)* $(,)?) => {{
        // Only for the compiler's errors.
        const _: $crate::keys::$key = $crate::keys::$key { $($name: ()),* };
        $crate::UiText::message(
            ::std::stringify!($key),
            ::std::vec![$((
                ::std::stringify!($name),
                $crate::Argument::from($crate::text!(@value $name $(= $value)?)),
            )),*],
        )
    }};
    (@value $name:ident) => { $name };
    (@value $name:ident = $value:expr) => { $value };
}
