//! What may be an argument of a text.

use std::borrow::Cow;
use std::path::{self, Path, PathBuf};
use std::sync::Arc;

// Recursive: a text may be an argument of another.
use super::{Localize, UiText};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// The same in every language. Floats are here, as Rust displays them.
    Verbatim(String),
    /// An integer; its text may depend on the plural. Shown without grouping.
    Number(i128),
    /// A text in the language of the whole.
    Text(UiText),
    /// Joined with ", " in English and "、" in Chinese; [`Self::list`] makes one.
    List(Vec<Argument>),
}

impl Argument {
    /// A list of names, paths or other arguments.
    pub fn list<T: Into<Self>>(items: impl IntoIterator<Item = T>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

impl From<UiText> for Argument {
    fn from(text: UiText) -> Self {
        // Equal texts are equal arguments.
        match text.key_and_arguments() {
            Some(_) => Self::Text(text),
            None => Self::Verbatim(text.to_string()),
        }
    }
}

impl<T: Localize> From<&T> for Argument {
    fn from(value: &T) -> Self {
        value.text().into()
    }
}

impl From<&Vec<String>> for Argument {
    fn from(items: &Vec<String>) -> Self {
        Self::list(items)
    }
}

macro_rules! integers {
    ($($type:ty)*) => { $(
        impl From<$type> for Argument {
            fn from(number: $type) -> Self {
                Self::Number(number as i128)
            }
        }
        impl From<&$type> for Argument {
            fn from(number: &$type) -> Self {
                Self::Number(*number as i128)
            }
        }
    )* };
}

integers! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize }

macro_rules! displayed {
    ($($type:ty)*) => { $(
        impl From<$type> for Argument {
            fn from(value: $type) -> Self {
                Self::Verbatim(value.to_string())
            }
        }
    )* };
}

displayed! {
    &str &&str &String &Arc<str> Cow<'_, str> char &char f32 &f32 f64 &f64 path::Display<'_>
}

impl From<String> for Argument {
    fn from(text: String) -> Self {
        Self::Verbatim(text)
    }
}

macro_rules! paths {
    ($($type:ty)*) => { $(
        impl From<$type> for Argument {
            fn from(path: $type) -> Self {
                path.display().into()
            }
        }
    )* };
}

paths! { &Path PathBuf &PathBuf }
